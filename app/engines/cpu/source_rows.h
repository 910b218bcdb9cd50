// The source as rows of float samples with the border resolved, for one tile: straight from the picture where it holds
// floats and the tile keeps clear of its left and right ends, else from a ring of assembled rows that moves down with
// the tile. A row of the ring is converted once and then serves every output row that it belongs to.
#pragma once

#include "app/engines/cpu/simd_kernels.h"
#include "app/engines/engine.h"

#include <vector>

namespace tessera::cpu {

// Float memory that keeps its place between tiles; rows start on 64-byte boundaries.
class RowBuffer {
public:
    // Contents are lost where it has to grow.
    void resize(int rows, int samples);
    std::ptrdiff_t pitch() const { return std::ptrdiff_t(pitch_); } // in floats
    float *row(int index) { return base_ + std::size_t(index) * pitch_; }

private:
    std::vector<float> memory_;
    float *base_ = nullptr;
    std::size_t pitch_ = 0;
};

// Columns of the source (as pixels, any of them outside) that a tile reads, and how many of its rows at a time.
struct SourceWindow {
    int firstColumn = 0;
    int columns = 0;
    int rows = 0;            // at most so many are needed at once
    int readableSamples = 0; // a row, at least columns * channels
};

class SourceRows {
public:
    SourceRows(const ConvolutionJob &job, const SourceWindow &window, const SimdKernels &simd, RowBuffer &ring);

    // pointers[i] = the samples of source row first + i (any of them outside), for i < window.rows. Valid until the
    // next call, whose `first` must not be smaller.
    void point(int first, std::vector<const float *> &pointers);

    // The same for rows of later blocks, where they can be pointed to already: where the picture is read in place.
    bool pointAhead(int first, std::span<const float *> pointers) const;

private:
    bool readsPicture() const;
    const float *inPicture(int y) const;
    void assemble(int y, float *to) const;
    void fillOutside(const std::byte *row, int firstColumn, int endColumn, float *to) const;

    const ConvolutionJob &job_;
    const SourceWindow window_;
    const SimdKernels &simd_;
    RowBuffer &ring_; // read in place: one row, what lies above and below a zero or constant border
    const bool direct_;
    int assembledEnd_ = 0; // rows before it are in the ring
    bool started_ = false;
};

} // namespace tessera::cpu
