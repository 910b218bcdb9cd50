// A warp's own window of a picture in shared memory, fetched by one tensor copy. No barrier of the block is needed, and
// a warp waits for its rows alone. What lies outside the picture arrives as zeros; other borders are written over them
// by the warps at the rim, so that the rest is asked two questions.
//
// For kernels that reach at most boxReach pixels, over parts of a picture that lie in it. For the GPU alone (compute
// capability 9.0).
#pragma once

#include "gpu/image/view.h"
#include "gpu/kernels/asynchronous.h"
#include "gpu/kernels/block.h"

namespace tessera {

inline constexpr int boxReach = 4;

// `columns` outputs of `pixelBytes` and what they reach for, in `rows` rows. Copies must begin on 16 bytes in memory
// and on 128 in shared memory: outputs begin on 16 bytes, and so do a box's rows, `pad` bytes before the window.
struct BoxLayout {
    int pad, pitch;  // bytes
    int copiedBytes; // what the copy brings
    int bytes;       // with what it takes to begin the next one on 128

    GPU_CODE static constexpr BoxLayout of(int columns, int rows, int pixelBytes) {
        BoxLayout layout{};
        layout.pad = (16 - boxReach * pixelBytes % 16) % 16;
        layout.pitch = (layout.pad + (columns + 2 * boxReach) * pixelBytes + 15) / 16 * 16;
        layout.copiedBytes = rows * layout.pitch;
        layout.bytes = (layout.copiedBytes + 127) / 128 * 128;
        return layout;
    }
};

#if defined(__CUDACC__)

// The outputs of one warp. Those of a block stand side by side.
struct WarpTile {
    int x, y;    // of the first output
    int outputs; // rows of them

    __device__ static WarpTile of(int warp, int warps, int columns, int rows, int targetHeight) {
        WarpTile tile;
        tile.x = (int(blockIdx.x) * warps + warp) * columns;
        tile.y = int(blockIdx.y) * rows;
        const int left = targetHeight - tile.y;
        tile.outputs = left < rows ? left : rows;
        return tile;
    }
};

template <class P, int columns, int rows> struct WarpBox {
    static constexpr BoxLayout layout = BoxLayout::of(columns, rows, int(sizeof(P)));
    static constexpr int window = columns + 2 * boxReach; // pixels of a row that are looked at
    static_assert(rows <= 256, "what a tensor copy can bring");

    const TensorMap *map; // words of four bytes
    const BorderedView<P> &source;
    unsigned char *data;
    std::uint64_t *barrier;
    int left, top; // the window's first column and row
    int lane;

    // Of the warps' boxes in `memory` and their barriers in `barriers`, that of a tile. `reach`: rows above an output.
    template <class Operands>
    __device__ static WarpBox of(const WarpTile &tile, const Operands &operands, const TensorMap &map, int reach,
                                 unsigned char *memory, unsigned char *barriers, int warp) {
        return {&map,
                operands.source,
                memory + warp * layout.bytes,
                reinterpret_cast<std::uint64_t *>(barriers) + warp,
                tile.x + operands.originX - boxReach,
                tile.y + operands.originY - reach,
                int(threadIdx.x) % warpSize_};
    }

    // Starts the copy. It must be waited for.
    __device__ void fetch() const {
        const bool elected = electedLane();
        if (elected)
            initTransferBarrier(barrier);
        __syncwarp(); // the compiler has the warp write it, for whichever lane that counts
        if (elected) {
            announceTransfer(barrier, unsigned(layout.copiedBytes));
            copyBox(data, map, (left * int(sizeof(P)) - layout.pad) / 4, top, barrier);
        }
        __syncwarp();
    }

    // The window's first row, once it is there with its borders.
    __device__ unsigned char *wait() const {
        waitForTransfer(barrier, 0);
        unsigned char *box = data + layout.pad;
        const bool ends = source.mode != BorderMode::Zero && (top < 0 || top + rows > source.inside.height);
        if (ends || sidesAreOutside())
            amend(box, ends);
        return box;
    }

private:
    // Whether copies bring columns that must be written over. They may clip rows no finer than to 16 bytes.
    __device__ bool sidesAreOutside() const {
        const bool zero = source.mode == BorderMode::Zero;
        const bool clipped = source.inside.width * int(sizeof(P)) % 16 == 0;
        return (left < 0 && !zero) || (left + window > source.inside.width && !(zero && clipped));
    }

    __device__ static P &pixel(unsigned char *box, int row, int column) {
        return *reinterpret_cast<P *>(box + row * layout.pitch + column * int(sizeof(P)));
    }

    __device__ void amend(unsigned char *box, bool ends) const {
        if (ends)
            amendRows(box);
        if (left < 0 || left + window > source.inside.width)
            amendSides(box);
        __syncwarp();
    }

    // Whole rows above and below the picture.
    __device__ void amendRows(unsigned char *box) const {
        const int width = source.inside.width, height = source.inside.height;
        GPU_ROLL for (int r = 0; r < rows; ++r) {
            const int y = top + r;
            if (unsigned(y) < unsigned(height) || y < -boxReach || y >= height + boxReach)
                continue;
            const int row = borderIndex(source.mode, y, height);
            GPU_ROLL for (int i = lane; i < window; i += warpSize_) {
                const int column = borderIndex(source.mode, left + i, width);
                pixel(box, r, i) = column < 0 || row < 0 ? source.outside : *source.inside.address(column, row);
            }
        }
    }

    // The columns beside the picture. Most of what they repeat lies in the same box.
    __device__ void amendSides(unsigned char *box) const {
        const int width = source.inside.width;
        GPU_ROLL for (int i = lane; i < 2 * boxReach * rows; i += warpSize_) {
            const int r = i / (2 * boxReach), k = i % (2 * boxReach);
            const int x = k < boxReach ? -1 - k : width + k - boxReach;
            if (unsigned(top + r) >= unsigned(source.inside.height) || x < left || x >= left + window)
                continue;
            const int column = borderIndex(source.mode, x, width);
            P value = source.outside;
            if (column >= left && column < left + window && column >= 0)
                value = pixel(box, r, column - left);
            else if (column >= 0)
                value = *source.inside.address(column, top + r);
            pixel(box, r, x - left) = value;
        }
    }
};

#endif

} // namespace tessera
