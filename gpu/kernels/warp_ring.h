// A warp's own ring of picture rows in shared memory, each stage of several rows fetched by one tensor copy. No barrier
// of the block is needed, and a warp waits for its rows alone. What lies outside the picture arrives as zeros; other
// borders are written over them by the warps at the rim, so that the rest is asked one question a stage.
//
// For kernels that reach at most ringReach pixels, over parts of a picture that lie in it. For the GPU alone (compute
// capability 9.0).
#pragma once

#include "gpu/image/view.h"
#include "gpu/kernels/asynchronous.h"
#include "gpu/kernels/block.h"

namespace tessera {

inline constexpr int ringReach = 4;

// `columns` outputs of `pixelBytes` and what they reach for, `rows` rows a stage. Copies must begin on 16 bytes in
// memory and on 128 in shared memory: outputs begin on 16 bytes, and so do a box's rows, `pad` bytes before the window.
struct RingLayout {
    int pad, pitch; // bytes
    int stageBytes; // what one copy brings
    int stride;     // from one stage to the next
    int bytes;      // of all stages

    GPU_CODE static constexpr RingLayout of(int columns, int rows, int stages, int pixelBytes) {
        RingLayout layout{};
        layout.pad = (16 - ringReach * pixelBytes % 16) % 16;
        layout.pitch = (layout.pad + (columns + 2 * ringReach) * pixelBytes + 15) / 16 * 16;
        layout.stageBytes = rows * layout.pitch;
        layout.stride = (layout.stageBytes + 127) / 128 * 128;
        layout.bytes = stages * layout.stride;
        return layout;
    }
};

#if defined(__CUDACC__)

// Blocks that registers must suffice for: as measured on compute capability 9.0. From 10.0 on the compiler takes more
// registers for the same; there none of it is measured, and no value is to be kept in memory for it.
constexpr int ringBlocks(int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    return blocks / 2;
#else
    return blocks;
#endif
}

template <class P, int columns, int rows, int stages> struct WarpRing {
    static constexpr RingLayout layout = RingLayout::of(columns, rows, stages, int(sizeof(P)));
    static constexpr int window = columns + 2 * ringReach; // pixels of a row that are looked at

    const TensorMap *map; // words of four bytes
    const BorderedView<P> &source;
    unsigned char *data;
    std::uint64_t *barriers; // one a stage
    int left, next;          // the window's first column; the first row of what is fetched next
    int lane;
    int slot = 0;
    unsigned phase = 0;

    // Starts the first copies, of `count` stages in all. Every copy that is started must be waited for.
    __device__ void start(int count) {
        if (lane < stages)
            initTransferBarrier(barriers + lane);
        __syncwarp();
        GPU_UNROLL for (int s = 0; s < stages; ++s) if (s < count) fetch(s);
    }

    // The window of the oldest stage's first row, once it is there with its borders. `sides`: as sidesAreOutside()
    // says; `top`: the stage's first row in the picture.
    __device__ unsigned char *wait(bool sides, int top) const {
        waitForTransfer(barriers + slot, phase);
        unsigned char *box = data + slot * layout.stride + layout.pad;
        const bool ends = source.mode != BorderMode::Zero && (top < 0 || top + rows > source.inside.height);
        if (sides || ends)
            amend(box, top, ends);
        return box;
    }

    // The oldest stage has been read. `more`: there are rows to fetch in its place.
    __device__ void release(bool more) {
        __syncwarp();
        if (more)
            fetch(slot);
        if (++slot == stages) {
            slot = 0;
            phase ^= 1u;
        }
    }

    // Whether copies bring columns that must be written over. They may clip rows no finer than to 16 bytes.
    __device__ bool sidesAreOutside() const {
        const bool zero = source.mode == BorderMode::Zero;
        const bool clipped = source.inside.width * int(sizeof(P)) % 16 == 0;
        return (left < 0 && !zero) || (left + window > source.inside.width && !(zero && clipped));
    }

private:
    __device__ void fetch(int at) {
        if (electedLane()) {
            announceTransfer(barriers + at, unsigned(layout.stageBytes));
            copyBox(data + at * layout.stride, map, (left * int(sizeof(P)) - layout.pad) / 4, next, barriers + at);
        }
        next += rows;
    }

    __device__ static P &pixel(unsigned char *box, int row, int column) {
        return *reinterpret_cast<P *>(box + row * layout.pitch + column * int(sizeof(P)));
    }

    __device__ void amend(unsigned char *box, int top, bool ends) const {
        if (ends)
            amendRows(box, top);
        if (left < 0 || left + window > source.inside.width)
            amendSides(box, top);
        orderWritesBeforeCopies();
        __syncwarp();
    }

    // Whole rows above and below the picture.
    __device__ void amendRows(unsigned char *box, int top) const {
        const int width = source.inside.width, height = source.inside.height;
        GPU_ROLL for (int r = 0; r < rows; ++r) {
            const int y = top + r;
            if (unsigned(y) < unsigned(height) || y < -ringReach || y >= height + ringReach)
                continue;
            const int row = borderIndex(source.mode, y, height);
            GPU_ROLL for (int i = lane; i < window; i += warpSize_) {
                const int column = borderIndex(source.mode, left + i, width);
                pixel(box, r, i) = column < 0 || row < 0 ? source.outside : *source.inside.address(column, row);
            }
        }
    }

    // The columns beside the picture. Most of what they repeat lies in the same box.
    __device__ void amendSides(unsigned char *box, int top) const {
        const int width = source.inside.width;
        GPU_ROLL for (int i = lane; i < 2 * ringReach * rows; i += warpSize_) {
            const int r = i / (2 * ringReach), k = i % (2 * ringReach);
            const int x = k < ringReach ? -1 - k : width + k - ringReach;
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
