#include "app/engines/cpu/tile.h"

#include "app/engines/cpu/source_rows.h"
#include "app/engines/engine_support.h"

#include <algorithm>
#include <cmath>

namespace tessera::cpu {

namespace {

// Buffers that a thread keeps from tile to tile.
struct Scratch {
    RowBuffer ring;
    RowBuffer sums;    // of the columns, before the rows of a low-rank plan
    RowBuffer discard; // takes the rows of a block beyond the tile's end
    std::vector<const float *> sourceRows;
    std::vector<const float *> sumRows;
};

SourceWindow windowOf(const ConvolutionJob &job, const KernelPlan &plan, const SimdKernels &simd,
                      const Rectangle &tile) {
    const int channels = plan.step;
    SourceWindow window;
    window.firstColumn = job.region.x + tile.x - plan.anchorX;
    window.columns = tile.width + plan.width - 1;
    window.rows = plan.height + simd.blockRows - 1;
    // A low-rank plan sums columns over the whole window first, padded in turn.
    window.readableSamples =
        plan.method == Method::LowRank
            ? simd.paddedSamples(simd.paddedSamples(tile.width * channels) + (plan.width - 1) * channels)
            : simd.paddedSamples(tile.width * channels) + (plan.width - 1) * channels;
    return window;
}

class TileRunner {
public:
    TileRunner(const ConvolutionJob &job, const KernelPlan &plan, const SimdKernels &simd, const Rectangle &tile,
               Scratch &scratch)
        : job_(job), plan_(plan), simd_(simd), tile_(tile), scratch_(scratch),
          rows_(job, windowOf(job, plan, simd, tile), simd, scratch.ring) {}

    void convolveBlock(int firstRow);

private:
    BlockOutput outputOf(int firstRow) const;
    void convolveLowRank(const BlockOutput &output);
    void copyUnfiltered(int firstRow, int rowCount) const;

    const ConvolutionJob &job_;
    const KernelPlan &plan_;
    const SimdKernels &simd_;
    const Rectangle tile_;
    Scratch &scratch_;
    SourceRows rows_;
};

BlockOutput TileRunner::outputOf(int firstRow) const {
    const PixelView &target = job_.target;
    BlockOutput output;
    output.rowCount = std::min(simd_.blockRows, tile_.y + tile_.height - firstRow);
    output.samples = tile_.width * plan_.step;
    output.depth = target.format.depth;
    output.finish = job_.finish;
    for (int j = 0; j < output.rowCount; ++j)
        output.rows[std::size_t(j)] =
            target.row<std::byte>(firstRow + j) + std::ptrdiff_t(tile_.x) * target.format.bytesPerPixel();
    return output;
}

void TileRunner::convolveLowRank(const BlockOutput &output) {
    const int needed = simd_.paddedSamples(output.samples) + (plan_.width - 1) * plan_.step;
    scratch_.sums.resize(plan_.terms() * simd_.blockRows, simd_.paddedSamples(needed));
    scratch_.sumRows.resize(std::size_t(plan_.terms() * simd_.blockRows));
    for (int term = 0; term < plan_.terms(); ++term) {
        BlockOutput sums;
        sums.raw = true;
        sums.rowCount = simd_.blockRows;
        sums.samples = needed;
        for (int j = 0; j < simd_.blockRows; ++j) {
            float *row = scratch_.sums.row(term * simd_.blockRows + j);
            sums.rows[std::size_t(j)] = row;
            scratch_.sumRows[std::size_t(term * simd_.blockRows + j)] = row;
        }
        simd_.dense(scratch_.sourceRows.data(), plan_.denseTaps(term), sums);
    }
    simd_.listed(scratch_.sumRows.data(), plan_.list, output);
}

void TileRunner::convolveBlock(int firstRow) {
    rows_.point(job_.region.y + firstRow - plan_.anchorY, scratch_.sourceRows);
    const BlockOutput output = outputOf(firstRow);
    switch (plan_.method) {
    case Method::Dense:
        simd_.dense(scratch_.sourceRows.data(), plan_.denseTaps(0), output);
        break;
    case Method::Listed:
        simd_.listed(scratch_.sourceRows.data(), plan_.list, output);
        break;
    case Method::LowRank:
        convolveLowRank(output);
        break;
    }
    copyUnfiltered(firstRow, output.rowCount);
}

// The arithmetic runs over all channels, as they lie side by side; those that were not meant are put back.
void TileRunner::copyUnfiltered(int firstRow, int rowCount) const {
    const int channels = plan_.step;
    const unsigned filtered = filteredChannels(job_);
    if (filtered == (1u << channels) - 1u)
        return;
    const auto copyRow = [&]<class Source, class Target>(const Source *from, Target *to) {
        for (int channel = 0; channel < channels; ++channel)
            if ((filtered >> channel & 1u) == 0)
                for (int i = channel; i < tile_.width * channels; i += channels)
                    to[i] = copySample<Target>(from[i]);
    };
    withSampleType(job_.source.format.depth, [&]<class Source>(std::type_identity<Source>) {
        withSampleType(job_.target.format.depth, [&]<class Target>(std::type_identity<Target>) {
            for (int y = firstRow; y < firstRow + rowCount; ++y)
                copyRow(job_.source.row<Source>(job_.region.y + y) + std::ptrdiff_t(job_.region.x + tile_.x) * channels,
                        job_.target.row<Target>(y) + std::ptrdiff_t(tile_.x) * channels);
        });
    });
}

struct Span {
    int first = 0, count = 0;
};

// Equal parts of at most `largest`, rounded up to whole `grain`s but for the last.
void cut(int first, int count, int largest, int grain, std::vector<Span> &spans) {
    if (count <= 0)
        return;
    const int parts = (count + largest - 1) / largest;
    const int each = ((count + parts - 1) / parts + grain - 1) / grain * grain;
    for (int done = 0; done < count; done += each)
        spans.push_back({first + done, std::min(each, count - done)});
}

std::vector<Span> columnsOf(const ConvolutionJob &job, const KernelPlan &plan, const SimdKernels &simd) {
    constexpr int largestRow = 2048; // samples: the rows of a window stay in the second-level cache
    const int grain = simd.chunkSamples;
    const int largest = std::max(grain, largestRow / plan.step);
    std::vector<Span> spans;
    int first = 0, end = job.region.width;
    if (job.source.format.depth == Depth::F32) {
        // The ends of the picture go through the ring; what lies between is read in place.
        const int slack = 2 * simd.chunkSamples / plan.step + 1;
        const int left = (std::max(0, plan.anchorX - job.region.x) + grain - 1) / grain * grain;
        const int right = job.region.x + job.region.width + plan.width + slack - job.source.width;
        if (left + std::max(0, right) < end) {
            cut(0, left, largest, grain, spans);
            first = left;
            end -= std::max(0, right);
            cut(end, job.region.width - end, largest, grain, spans);
        }
    }
    cut(first, end - first, largest, grain, spans);
    return spans;
}

} // namespace

void convolveTile(const ConvolutionJob &job, const KernelPlan &plan, const SimdKernels &simd, const Rectangle &tile,
                  const RunControl &control) {
    static thread_local Scratch scratch;
    TileRunner runner(job, plan, simd, tile, scratch);
    for (int row = tile.y; row < tile.y + tile.height; row += simd.blockRows) {
        control.checkpoint();
        runner.convolveBlock(row);
    }
}

std::vector<Rectangle> tilesOf(const ConvolutionJob &job, const KernelPlan &plan, const SimdKernels &simd,
                               unsigned threads) {
    // A tile converts plan.height - 1 rows beyond its own.
    const int tall = std::max(64, 2 * plan.height);
    const int even = (job.region.height + int(threads) - 1) / int(threads);
    std::vector<Span> rows;
    cut(0, job.region.height, std::max(simd.blockRows, std::min(tall, even)), simd.blockRows, rows);
    const std::vector<Span> columns = columnsOf(job, plan, simd);
    std::vector<Rectangle> tiles;
    for (const Span &row : rows)
        for (const Span &column : columns)
            tiles.push_back({column.first, row.first, column.count, row.count});
    return tiles;
}

} // namespace tessera::cpu
