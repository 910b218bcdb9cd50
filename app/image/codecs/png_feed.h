// PNG's compressed data inflated by libdeflate, two to three times as fast as by zlib, and handed to libpng as if it
// had been stored uncompressed: libpng still undoes the filters, the interlacing and all kinds of palettes.
#pragma once

#include "app/image/codecs/png_chunks.h"
#include "app/image/image_memory.h"

#include <array>

namespace tessera::codecs {

// What libpng reads: the file itself, or the file with its compressed data replaced.
class PngFeed {
public:
    // `chunks` are the file's own, their check sums verified. Interlaced files, and those that libdeflate finds wrong,
    // are fed as they are: libpng knows what can be forgiven, and what to say.
    PngFeed(const Source &source, const PngChunks &chunks);

    bool isInflated() const { return inflated_.has_value(); }
    // The next `count` bytes; false where there are fewer.
    bool read(std::byte *target, std::size_t count);

private:
    void inflate(const Source &source, const PngChunks &chunks);
    bool nextPiece();
    void startBlock();

    Bytes rest_; // of the present piece
    std::optional<ScratchMemory> inflated_;
    Bytes pending_;                     // inflated data that is still to come
    Bytes tail_;                        // the file behind its compressed data
    std::array<std::byte, 16> frame_{}; // headers around a block
    enum class Next { Block, Content, BlockEnd, Tail, Nothing } next_ = Next::Nothing;
    bool first_ = true;
    std::size_t blockBytes_ = 0;
    std::uint32_t checkSum_ = 0; // Adler-32, at the end of the data
};

} // namespace tessera::codecs
