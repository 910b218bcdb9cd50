#include "app/engines/cpu/tile.h"

#include "app/engines/cpu/source_rows.h"
#include "app/engines/engine_support.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

// How many sums a row of a low-rank plan takes before its row taps are applied.
int sumsNeeded(const PreparedKernel &kernel, const SimdKernels &simd, int tileWidth) {
    return simd.denseSamples(simd.listedSamples(tileWidth * kernel.step) + (kernel.width - 1) * kernel.step);
}

int samplesRead(const PreparedKernel &kernel, const SimdKernels &simd, int tileWidth) {
    const int beside = (kernel.width - 1) * kernel.step;
    if (kernel.method == Method::LowRank)
        return sumsNeeded(kernel, simd, tileWidth);
    const int samples = tileWidth * kernel.step;
    return (kernel.method == Method::Listed ? simd.listedSamples(samples) : simd.denseSamples(samples)) + beside;
}

SourceWindow windowOf(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd,
                      const Rectangle &tile) {
    SourceWindow window;
    window.firstColumn = job.region.x + tile.x - kernel.anchorX;
    window.columns = tile.width + kernel.width - 1;
    window.rows = kernel.height + simd.blockRows - 1;
    window.readableSamples = samplesRead(kernel, simd, tile.width);
    return window;
}

// Results that no cache would hold until they are read again.
constexpr std::ptrdiff_t leastStreamedBytes = 32 << 20;

bool streamsOutput(const PixelView &target, const Rectangle &tile) {
    const auto address = reinterpret_cast<std::uintptr_t>(target.data) +
                         std::uintptr_t(tile.x) * std::uintptr_t(target.format.bytesPerPixel());
    return target.format.depth == Depth::F32 && target.pitch * target.height >= leastStreamedBytes &&
           address % 64 == 0 && target.pitch % 64 == 0;
}

class TileRunner {
public:
    TileRunner(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd, const Rectangle &tile,
               Scratch &scratch)
        : job_(job), kernel_(kernel), simd_(simd), tile_(tile), scratch_(scratch),
          rows_(job, windowOf(job, kernel, simd, tile), simd, scratch.ring) {}

    void convolveBlock(int firstRow);

private:
    BlockOutput outputOf(int firstRow) const;
    void convolveLowRank(const BlockOutput &output, const float *const *nextRows);

    const ConvolutionJob &job_;
    const PreparedKernel &kernel_;
    const SimdKernels &simd_;
    const Rectangle tile_;
    Scratch &scratch_;
    SourceRows rows_;
};

BlockOutput TileRunner::outputOf(int firstRow) const {
    const PixelView &target = job_.target;
    BlockOutput output;
    output.rowCount = std::min(simd_.blockRows, tile_.y + tile_.height - firstRow);
    output.samples = tile_.width * kernel_.step;
    output.depth = target.format.depth;
    output.finish = kernel_.finish;
    output.streamed = streamsOutput(target, tile_);
    for (int j = 0; j < output.rowCount; ++j)
        output.rows[std::size_t(j)] =
            target.row<std::byte>(firstRow + j) + std::ptrdiff_t(tile_.x) * target.format.bytesPerPixel();
    return output;
}

void TileRunner::convolveLowRank(const BlockOutput &output, const float *const *nextRows) {
    const int rows = simd_.blockRows;
    const int needed = sumsNeeded(kernel_, simd_, tile_.width);
    scratch_.sums.resize(kernel_.terms() * rows, needed);
    scratch_.sumRows.resize(std::size_t(kernel_.terms() * rows));
    BlockOutput sums;
    sums.raw = true;
    sums.rowCount = rows;
    sums.samples = needed;
    for (int term = 0; term < kernel_.terms(); ++term) {
        for (int j = 0; j < rows; ++j) {
            float *row = scratch_.sums.row(term * rows + j);
            sums.rows[std::size_t(j)] = row;
            scratch_.sumRows[std::size_t(term * rows + j)] = row;
        }
        simd_.dense(scratch_.sourceRows.data(), kernel_.denseTaps(term, term == 0 ? nextRows : nullptr), sums);
    }
    simd_.listed(scratch_.sumRows.data(), kernel_.list, output);
}

void TileRunner::convolveBlock(int firstRow) {
    const int first = job_.region.y + firstRow - kernel_.anchorY;
    rows_.point(first, scratch_.sourceRows);
    std::array<const float *, maximumBlockRows> ahead{};
    const std::span newRows(ahead.data(), std::size_t(simd_.blockRows));
    const float *const *nextRows =
        rows_.pointAhead(first + kernel_.height - 1 + simd_.blockRows, newRows) ? ahead.data() : nullptr;
    const BlockOutput output = outputOf(firstRow);
    switch (kernel_.method) {
    case Method::Dense:
    case Method::Fourier: // a tile that cannot be transformed
        simd_.dense(scratch_.sourceRows.data(), kernel_.denseTaps(0, nextRows), output);
        break;
    case Method::Listed:
        simd_.listed(scratch_.sourceRows.data(), kernel_.list, output);
        break;
    case Method::LowRank:
        convolveLowRank(output, nextRows);
        break;
    }
    copyUnfiltered(job_, {tile_.x, firstRow, tile_.width, output.rowCount});
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

// Whole chunks of the loops that a kernel uses, in pixels.
int grainOf(const PreparedKernel &kernel, int chunk) { return chunk / std::gcd(chunk, kernel.step); }

// Wide rows suit the memory; the sums of a block of a low-rank plan, though, must stay near the first-level cache,
// where every term adds some, and the columns that a strip sums beyond its own must not be many.
int largestStrip(const PreparedKernel &kernel, const SimdKernels &simd) {
    constexpr int widestRow = 2048; // samples
    constexpr int sumsOfBlock = 6144;
    int samples = widestRow;
    if (kernel.method == Method::LowRank)
        samples = std::min(widestRow,
                           std::max(sumsOfBlock / (simd.blockRows * kernel.terms()), 4 * kernel.width * kernel.step));
    return std::max(1, samples / kernel.step);
}

// Columns of float pictures whose sources lie inside are read in place. What is too narrow to be worth the cut goes
// through the ring as a whole, as do pictures of integers.
Span columnsInPlace(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd) {
    constexpr int narrow = 1024; // samples
    if (job.source.format.depth != Depth::F32 || job.region.width * kernel.step <= narrow)
        return {};
    const int grain = grainOf(kernel, simd.denseChunk);
    // Tiles of whole chunks read no further than their taps do, but for the sums of a low-rank plan.
    const int slack = kernel.method == Method::LowRank ? simd.denseChunk / kernel.step + 1 : 0;
    const int first = (std::max(0, kernel.anchorX - job.region.x) + grain - 1) / grain * grain;
    const int end = job.source.width - job.region.x + kernel.anchorX - (kernel.width - 1) - slack;
    const int count = std::min(end, job.region.width) - first;
    return {first, std::max(0, count) / grain * grain};
}

std::vector<Span> columnsOf(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd) {
    const int grain = grainOf(kernel, kernel.method == Method::Dense ? simd.denseChunk : simd.listedRun);
    const int largest = (largestStrip(kernel, simd) + grain - 1) / grain * grain;
    const Span inPlace = columnsInPlace(job, kernel, simd);
    std::vector<Span> spans;
    cut(0, inPlace.first, largest, grain, spans);
    cut(inPlace.first, inPlace.count, largest, grain, spans);
    const int end = inPlace.first + inPlace.count;
    cut(end, job.region.width - end, largest, grain, spans);
    return spans;
}

} // namespace

// The arithmetic runs over all channels, as they lie side by side; those that were not meant are put back.
void copyUnfiltered(const ConvolutionJob &job, const Rectangle &part) {
    const int channels = job.source.format.channels;
    const unsigned filtered = filteredChannels(job);
    if (filtered == (1u << channels) - 1u)
        return;
    const auto copyRow = [&]<class Source, class Target>(const Source *from, Target *to) {
        for (int channel = 0; channel < channels; ++channel)
            if ((filtered >> channel & 1u) == 0)
                for (int i = channel; i < part.width * channels; i += channels)
                    to[i] = copySample<Target>(from[i]);
    };
    withSampleType(job.source.format.depth, [&]<class Source>(std::type_identity<Source>) {
        withSampleType(job.target.format.depth, [&]<class Target>(std::type_identity<Target>) {
            for (int y = part.y; y < part.y + part.height; ++y)
                copyRow(job.source.row<Source>(job.region.y + y) + std::ptrdiff_t(job.region.x + part.x) * channels,
                        job.target.row<Target>(y) + std::ptrdiff_t(part.x) * channels);
        });
    });
}

void convolveTile(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd,
                  const Rectangle &tile, const RunControl &control) {
    static thread_local Scratch scratch;
    TileRunner runner(job, kernel, simd, tile, scratch);
    for (int row = tile.y; row < tile.y + tile.height; row += simd.blockRows) {
        control.checkpoint();
        runner.convolveBlock(row);
    }
}

std::vector<Rectangle> tilesOf(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd,
                               unsigned threads) {
    // A tile converts kernel.height - 1 rows beyond its own.
    const int tall = std::max(64, 2 * kernel.height), least = std::max(24, 2 * kernel.height);
    // Some tiles a thread, as threads wake late and a small picture is soon done.
    const int several = threads > 1 ? job.region.height / (4 * int(threads)) : tall;
    std::vector<Span> rows;
    cut(0, job.region.height, std::clamp(several, least, tall), simd.blockRows, rows);
    const std::vector<Span> columns = columnsOf(job, kernel, simd);
    std::vector<Rectangle> tiles;
    for (const Span &row : rows)
        for (const Span &column : columns)
            tiles.push_back({column.first, row.first, column.count, row.count});
    return tiles;
}

} // namespace tessera::cpu
