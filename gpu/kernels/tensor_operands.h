// What the tensor-core kernel works on, and the shapes it comes in: pure values, shared by the kernel, the packing of
// the taps (gpu/launch/tensor_taps.h) and the planner.
#pragma once

#include "gpu/image/border.h"
#include "gpu/image/finish.h"
#include "gpu/image/scalar_type.h"
#include "gpu/kernels/block.h"

#include <cstddef>
#include <cstdint>

namespace tessera {

// What the tensor cores multiply.
//   Whole: 8-bit pixels as they are, by taps rounded to whole multiples of a step and cut into bytes. The sums are
//   exact. Half:  half-precision pixels as they are, by taps cut into a high and a low half. Split: any other pixel:
//   scaled by a power of two that suits the tile, then cut into a high and a low half as well.
//          Of the four products the one of both low parts is left out: it lies 22 bits below the first.
enum class TensorNumber : std::uint8_t { Whole, Half, Split };

// One instance of the kernel. A block is columns x rows warps; each makes `groups` groups of 8 * tilesPerGroup columns
// (of one channel), 16 * interleave rows high.
struct TensorShape {
    TensorNumber number = TensorNumber::Whole;
    int channels = 1;
    int kBlocks = 1;       // instructions along a kernel row: 32 bytes of the picture each
    int terms = 2;         // parts that a tap is cut into
    int tilesPerGroup = 2; // outputs that share a window: 8 columns each
    int groups = 4;        // a warp, all channels together
    int interleave = 2;    // a warp's tiles take every second row each, so that one window serves two kernel rows
    int warpColumns = 2;
    int warpRows = 4;
    int blocks = 2; // that should find room on a multiprocessor at once

    constexpr int parts() const { return number == TensorNumber::Split ? 2 : 1; }
    constexpr int elementBytes() const { return number == TensorNumber::Whole ? 1 : 2; }
    constexpr int rawBytes() const { return elementBytes() * parts(); } // of a channel, as staged
    constexpr int smallChunkBytes() const { return rawBytes() * channels > 4 ? rawBytes() * channels : 4; }
    constexpr int pieceColumns() const { return 16 / elementBytes(); } // of one channel in 16 bytes
    constexpr int pieceBytes() const { return 16 * parts() * channels; }
    constexpr int groupColumns() const { return 8 * tilesPerGroup; }
    constexpr int groupsAcross() const { return groups / channels; }
    constexpr int warpWidth() const { return groupColumns() * groupsAcross(); }
    constexpr int warpHeight() const { return 16 * interleave; }
    constexpr Extent tile() const { return {warpWidth() * warpColumns, warpHeight() * warpRows}; }
    constexpr int threads() const { return 32 * warpColumns * warpRows; }
    constexpr int columns() const { return tile().x + 2 * kBlocks * pieceColumns() - groupColumns(); } // staged
    constexpr int windowColumns() const { return 2 * kBlocks * pieceColumns(); }
    // The widest kernel, `shift` columns after where its window begins.
    constexpr int maximumTaps(int shift) const { return windowColumns() - groupColumns() + 1 - shift; }
    constexpr int rows(int tapsHeight) const { return tile().y + tapsHeight - 1; }
    constexpr int classRows(int tapsHeight) const { return ceilDivide(rows(tapsHeight), interleave); }
    // An odd number of 16-byte units, so that eight rows of one column lie in different banks.
    constexpr int pitch() const { return (columns() / pieceColumns() * pieceBytes() / 16 | 1) * 16; }
    constexpr int bufferBytes(int tapsHeight) const { return pitch() * interleave * classRows(tapsHeight); }

    // Words of taps for one kernel row and term, the zeros before and behind included.
    constexpr int leadingWords() const { return number != TensorNumber::Whole && tilesPerGroup == 2 ? 7 : 3; }
    constexpr int rowWords() const { return 8 * kBlocks + leadingWords(); }
    constexpr int shifts() const { return number == TensorNumber::Whole ? 4 : 2; } // copies, each one tap further
    // Distance of the copies: those read together touch up to 7 or 10 words each, which must lie in different banks.
    constexpr int copyWords() const {
        const int reach = leadingWords() == 7 ? 10 : 7;
        int words = rowWords();
        while (words % 32 < reach || words % 32 > 32 - reach)
            ++words;
        return words;
    }
    constexpr int tableWords(int tapsHeight) const { return tapsHeight * terms * shifts() * copyWords(); }
    constexpr std::size_t sharedBytes(int tapsHeight, int stages) const {
        return std::size_t(bufferBytes(tapsHeight)) * std::size_t(stages) + std::size_t(tableWords(tapsHeight)) * 4 +
               16;
    }

    friend constexpr bool operator==(const TensorShape &, const TensorShape &) = default;
};

inline constexpr int maximumTensorWords = 63 * 2 * 47; // 63x63 taps, both terms, at five k blocks

struct TensorOperands {
    struct Picture {
        void *data = nullptr;
        int width = 0;
        int height = 0;
        std::ptrdiff_t pitch = 0;
        ScalarType type = ScalarType::F32;
    };

    Picture source, target;
    int originX = 0, originY = 0;
    BorderMode border = BorderMode::Zero;
    float outside = 0; // what zero and constant borders read
    Finish finish;
    unsigned channelMask = ~0u;

    Extent tiles;
    int stages = 1;
    // A tile's rows come in chunks of 16 or smallChunkBytes() bytes; 0: pixel by pixel, where alignment or the pixels'
    // type allow no more.
    int chunkBytes = 0;
    // Nothing but the offset (for integers a whole one, and values below 2^22) comes between a sum and the pixel, which
    // is of the usual type, and neighbours are stored together.
    bool plainStores = false;

    int tapsWidth = 1, tapsHeight = 1;
    int anchorX = 0, anchorY = 0;
    int shift = 0;  // columns between the staged window's first and the first tap's
    float step = 1; // a sum of the tensor cores times this is the sum of the products
    std::uint32_t words[maximumTensorWords];
};

} // namespace tessera
