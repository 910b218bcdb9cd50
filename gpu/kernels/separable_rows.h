// The rows of a strip on their way into shared memory: bulk copies of what lies inside the picture, and the rim, which
// threads fill in. Part of separable.h's kernel.
#pragma once

#include "gpu/kernels/asynchronous.h"
#include "gpu/kernels/separable.h"

#if defined(__CUDACC__)

namespace tessera::separable {

template <class Shape, class SourcePixel> class Rows {
public:
    using Pixel = SourcePixel;

    // `left`: source column of the buffers' first pixel, a multiple of a chunk where `bulk`. `top`: source row of the
    // batch 0's first row.
    __device__ Rows(const BorderedView<Pixel> &source, float4 *buffers, std::uint64_t *barriers, int left, int top,
                    int wanted, bool bulk)
        : source_(source), buffers_(buffers), barriers_(barriers), left_(left), top_(top),
          wanted_(wanted < capacity ? wanted : capacity), lane_(int(threadIdx.x) % warpSize_),
          warp_(int(threadIdx.x) / warpSize_) {
        const int inside = source.inside.width - left;
        if (bulk && inside > 0) {
            first_ = left < 0 ? (-left + Shape::perChunk - 1) / Shape::perChunk : 0;
            const int chunks = (inside < capacity ? inside : capacity) / Shape::perChunk;
            last_ = chunks > first_ ? chunks : first_;
        }
        const int firstRun = warp_ % Shape::warpsPerRow * Shape::runsPerWarp;
        const int runs = Shape::runsPerRow < Shape::runsPerWarp ? Shape::runsPerRow : Shape::runsPerWarp;
        warpFrom_ = firstRun * Shape::run;
        const int end = warpFrom_ + (runs - 1) * Shape::run + Shape::windowChunks * Shape::perChunk;
        warpTo_ = end < wanted_ ? end : wanted_;
        planRim();
        if (threadIdx.x < Shape::stages)
            initTransferBarrier(&barriers_[threadIdx.x]);
        __syncthreads();
    }

    __device__ const float4 *buffer(int batch) const {
        return buffers_ + batch % Shape::stages * (Shape::batch * Shape::rowStride);
    }

    // Starts the copies of a batch; rows before `firstRow` are not needed. Every warp starts a few.
    __device__ void request(int batch, int firstRow) const {
        std::uint64_t *barrier = &barriers_[batch % Shape::stages];
        const unsigned bytes = unsigned(last_ - first_) * 16u;
        const int top = top_ + batch * Shape::batch;
        if (threadIdx.x == 0)
            announceTransfer(barrier, bytes * unsigned(rowsInside(top, firstRow)));
        constexpr int share = (Shape::batch + Shape::warps - 1) / Shape::warps;
        const int row = warp_ * share + lane_;
        if (lane_ >= share || row >= Shape::batch || row < firstRow || last_ <= first_)
            return;
        const int y = borderIndex(source_.mode, top + row, source_.inside.height);
        if (y >= 0)
            copyBulk(const_cast<float4 *>(buffer(batch)) + row * Shape::rowStride + first_,
                     source_.inside.address(left_ + first_ * Shape::perChunk, y), bytes, barrier);
    }

    // Until the batch is there, and this warp's rows have their rim.
    __device__ void await(int batch, int firstRow) const {
        waitForTransfer(&barriers_[batch % Shape::stages], unsigned(batch / Shape::stages) & 1u);
        const int top = top_ + batch * Shape::batch;
        const bool rowsOutside = isConstant() && (top < 0 || top + Shape::batch > source_.inside.height);
        if (!hasRim() && !rowsOutside)
            return;
        if (rimIsSimple_)
            copyRim(batch);
        else if (hasRim())
            fillRim(batch, top, firstRow);
        __syncwarp();
        if (rowsOutside) {
            fillRows(batch, top, firstRow);
            orderWritesBeforeCopies();
        }
        __syncwarp();
    }

private:
    static constexpr int capacity = Shape::rowChunks * Shape::perChunk; // pixels

    __device__ bool isConstant() const {
        return source_.mode == BorderMode::Zero || source_.mode == BorderMode::Constant;
    }
    __device__ int copiedFrom() const { return first_ * Shape::perChunk; }
    __device__ int copiedTo() const { return last_ * Shape::perChunk; }
    __device__ bool hasRim() const { return first_ > 0 || copiedTo() < wanted_; }
    __device__ int rimCount() const { return copiedFrom() + (copiedTo() < wanted_ ? wanted_ - copiedTo() : 0); }
    __device__ int rimPlace(int i) const { return i < copiedFrom() ? i : copiedTo() + i - copiedFrom(); }

    __device__ int rowsInside(int top, int firstRow) const {
        if (!isConstant())
            return Shape::batch - firstRow;
        const int from = top + firstRow > 0 ? top + firstRow : 0;
        const int bottom = top + Shape::batch;
        const int to = bottom < source_.inside.height ? bottom : source_.inside.height;
        return to > from ? to - from : 0;
    }

    // A strip's rim is mostly a few columns, each the same copy of a column that is there, in every row: one lane each.
    __device__ void planRim() {
        if (!hasRim())
            return;
        bool simple = true;
        if (lane_ < rimCount()) {
            rimTo_ = rimPlace(lane_);
            const int x = borderIndex(source_.mode, left_ + rimTo_, source_.inside.width);
            rimFrom_ = x < 0 ? -1 : x - left_;
            simple = x < 0 || (rimFrom_ >= copiedFrom() && rimFrom_ < copiedTo());
        }
        rimIsSimple_ = rimCount() <= warpSize_ && __all_sync(~0u, simple);
    }
    __device__ Pixel *row(int batch, int r) const {
        return reinterpret_cast<Pixel *>(const_cast<float4 *>(buffer(batch)) + r * Shape::rowStride);
    }
    // Warps that share rows each fill in what their own windows read, so that no barrier is needed; where windows of
    // two warps overlap, both write the same.
    static constexpr int rowsOfWarp = Shape::rowsPerWarp * Shape::items;
    __device__ int warpRow() const { return warp_ / Shape::warpsPerRow * rowsOfWarp; }

    __device__ void copyRim(int batch) const {
        if (lane_ >= rimCount() || rimTo_ < warpFrom_ || rimTo_ >= warpTo_)
            return;
        Pixel values[rowsOfWarp];
        GPU_UNROLL
        for (int r = 0; r < rowsOfWarp; ++r)
            values[r] = rimFrom_ < 0 ? source_.outside : row(batch, warpRow() + r)[rimFrom_];
        GPU_UNROLL
        for (int r = 0; r < rowsOfWarp; ++r)
            row(batch, warpRow() + r)[rimTo_] = values[r];
    }
    __device__ void fillRim(int batch, int top, int firstRow) const {
        for (int r = warpRow(); r < warpRow() + rowsOfWarp; ++r) {
            const int y = borderIndex(source_.mode, top + r, source_.inside.height);
            for (int i = lane_; i < rimCount() && r >= firstRow; i += warpSize_) {
                const int place = rimPlace(i);
                if (place < warpFrom_ || place >= warpTo_)
                    continue;
                const int x = borderIndex(source_.mode, left_ + place, source_.inside.width);
                row(batch, r)[place] = x < 0 || y < 0 ? source_.outside : *source_.inside.address(x, y);
            }
        }
    }
    // Rows that lie outside a picture with a constant around it.
    __device__ void fillRows(int batch, int top, int firstRow) const {
        for (int r = warpRow(); r < warpRow() + rowsOfWarp; ++r) {
            if (r < firstRow || static_cast<unsigned>(top + r) < static_cast<unsigned>(source_.inside.height))
                continue;
            for (int place = warpFrom_ + lane_; place < warpTo_; place += warpSize_)
                row(batch, r)[place] = source_.outside;
        }
    }

    const BorderedView<Pixel> &source_;
    float4 *buffers_;
    std::uint64_t *barriers_;
    int left_, top_, wanted_, lane_, warp_;
    int first_ = 0, last_ = 0;      // chunks that bulk copies bring
    int warpFrom_ = 0, warpTo_ = 0; // pixels that this warp's windows read
    int rimTo_ = 0, rimFrom_ = 0;
    bool rimIsSimple_ = false;
};

} // namespace tessera::separable

#endif
