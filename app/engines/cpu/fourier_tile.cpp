#include "app/engines/cpu/fourier_tile.h"

#include "app/engines/cpu/source_rows.h"
#include "app/engines/cpu/tile.h"
#include "app/engines/engine_support.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tessera::cpu {

namespace {

constexpr int maximumChannels = 4;

struct Scratch {
    RowBuffer ring;     // one source row
    RowBuffer channels; // that row, channel by channel
    RowBuffer planes;   // the tiles: for each channel the rows of the real, then of the imaginary part
    RowBuffer sums;     // one row of results
    std::vector<const float *> rows;
};

Rectangle intersection(const Rectangle &a, const Rectangle &b) {
    const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::min(a.x + a.width, b.x + b.width) - x, std::min(a.y + a.height, b.y + b.height) - y};
}

class PairRunner {
public:
    PairRunner(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd, const Rectangle &pair,
               Scratch &scratch)
        : job_(job), kernel_(kernel), fourier_(kernel.fourier), simd_(simd), pair_(pair), scratch_(scratch),
          channels_(kernel.step), filtered_(filteredChannels(job)) {}

    bool fill(); // false where a value is not finite or would not stay so, or many are faint beside the largest
    void transform(const RunControl &control);
    void store(const Rectangle &wanted);

private:
    bool holdsFaint(int channel, float largest) const;
    FourierTile tileOf(int channel) const {
        float *re = scratch_.planes.row(2 * channel * fourier_.height);
        float *im = scratch_.planes.row((2 * channel + 1) * fourier_.height);
        return {re, im, fourier_.width, fourier_.height, scratch_.planes.pitch()};
    }

    const ConvolutionJob &job_;
    const PreparedKernel &kernel_;
    const FourierPlan &fourier_;
    const SimdKernels &simd_;
    const Rectangle pair_;
    Scratch &scratch_;
    const int channels_;
    const unsigned filtered_;
};

bool PairRunner::fill() {
    const int pixels = fourier_.usedWidth + fourier_.width; // the second tile begins where the first one's use ends
    const int samples = pixels * channels_;
    const bool ofFloats = job_.source.format.depth == Depth::F32;
    if (!std::isfinite(float(nominalMaximum(job_.source.format.depth)) * fourier_.growth))
        return false;
    SourceRows source(job_, {pair_.x - kernel_.anchorX, pixels, 1, samples}, simd_, scratch_.ring);
    scratch_.channels.resize(channels_, pixels);
    scratch_.planes.resize(2 * fourier_.height * channels_, fourier_.width);
    std::array<float *, maximumChannels> rows{};
    for (int channel = 0; channel < channels_; ++channel)
        rows[std::size_t(channel)] = scratch_.channels.row(channel);

    std::array<float, maximumChannels> largest{};
    for (int y = 0; y < fourier_.height; ++y) {
        const int sourceRow = pair_.y - kernel_.anchorY + y;
        source.point(sourceRow, scratch_.rows);
        const float *row = scratch_.rows.front();
        const float *ahead = nullptr;
        source.pointAhead(sourceRow + simd_.blockRows, {&ahead, 1});
        if (channels_ > 1)
            simd_.separate(row, channels_, pixels, rows.data());
        const std::size_t bytes = std::size_t(fourier_.width) * sizeof(float);
        for (int channel = 0; channel < channels_; ++channel) {
            if ((filtered_ >> channel & 1u) == 0)
                continue;
            const float *values = channels_ > 1 ? rows[std::size_t(channel)] : row;
            if (ofFloats) {
                const void *next = ahead == nullptr ? nullptr : ahead + std::ptrdiff_t(channel) * pixels;
                const float most = simd_.largestMagnitude(values, pixels, next);
                if (!std::isfinite(most * fourier_.growth))
                    return false;
                largest[std::size_t(channel)] = std::max(largest[std::size_t(channel)], most);
            }
            const FourierTile tile = tileOf(channel);
            std::memcpy(tile.re + y * tile.pitch, values, bytes);
            std::memcpy(tile.im + y * tile.pitch, values + fourier_.usedWidth, bytes);
        }
    }
    for (int channel = 0; ofFloats && channel < channels_; ++channel)
        if ((filtered_ >> channel & 1u) != 0 && holdsFaint(channel, largest[std::size_t(channel)]))
            return false;
    return true;
}

// Whether the largest value's rounding, some 2^-22 of it, would show in an eighth of the others, by a thousandth of
// what they are: a sun in a landscape, stars. Seen by every fourth row.
bool PairRunner::holdsFaint(int channel, float largest) const {
    constexpr int step = 4;
    const FourierTile tile = tileOf(channel);
    const auto limit = std::bit_cast<std::int32_t>(largest * 0x1p-12f);
    int faint = 0, looked = 0;
    for (int y = 0; y < tile.height; y += step)
        for (const float *row : {tile.re + y * tile.pitch, tile.im + y * tile.pitch}) {
            int found = 0;
            for (int x = 0; x < tile.width; ++x) {
                const std::int32_t bits = std::bit_cast<std::int32_t>(row[x]) & 0x7fffffff;
                found += int(bits != 0) & int(bits < limit);
            }
            faint += found;
            looked += tile.width;
        }
    return 8 * faint > looked;
}

void PairRunner::transform(const RunControl &control) {
    for (int channel = 0; channel < channels_; ++channel) {
        if ((filtered_ >> channel & 1u) == 0)
            continue;
        control.checkpoint();
        const FourierTile tile = tileOf(channel);
        simd_.fourier.forwardColumns(tile, fourier_.columnFactors);
        simd_.fourier.filterRows(tile, fourier_.rowFactors, fourier_.spectrum.data());
        simd_.fourier.inverseColumns(tile, fourier_.columnFactors);
    }
}

// Channels that were not filtered come out as garbage here and are put back by the caller.
void PairRunner::store(const Rectangle &wanted) {
    const int pixels = 2 * fourier_.usedWidth;
    scratch_.channels.resize(channels_, pixels);
    scratch_.sums.resize(1, pixels * channels_);
    std::array<float *, maximumChannels> rows{};
    for (int channel = 0; channel < channels_; ++channel)
        rows[std::size_t(channel)] = channels_ > 1 ? scratch_.channels.row(channel) : scratch_.sums.row(0);
    const PixelView &target = job_.target;
    const std::size_t bytes = std::size_t(fourier_.usedWidth) * sizeof(float);
    for (int y = wanted.y; y < wanted.y + wanted.height; ++y) {
        for (int channel = 0; channel < channels_; ++channel) {
            const FourierTile tile = tileOf(channel);
            const std::ptrdiff_t offset = std::ptrdiff_t(y - pair_.y) * tile.pitch;
            std::memcpy(rows[std::size_t(channel)], tile.re + offset, bytes);
            std::memcpy(rows[std::size_t(channel)] + fourier_.usedWidth, tile.im + offset, bytes);
        }
        if (channels_ > 1)
            simd_.join(rows.data(), channels_, pixels, scratch_.sums.row(0));
        BlockOutput output;
        output.rows[0] = target.row<std::byte>(y - job_.region.y) +
                         std::ptrdiff_t(wanted.x - job_.region.x) * target.format.bytesPerPixel();
        output.rowCount = 1;
        output.samples = wanted.width * channels_;
        output.depth = target.format.depth;
        output.finish = kernel_.finish;
        simd_.finish(scratch_.sums.row(0) + std::ptrdiff_t(wanted.x - pair_.x) * channels_, output);
    }
}

} // namespace

namespace {

// The last line of the grid at or before `place`; the grid begins at `origin`.
int gridLine(int place, int origin, int step) {
    const int offset = place - origin;
    return origin + (offset >= 0 ? offset / step : -((step - 1 - offset) / step)) * step;
}

Rectangle firstPairOf(const ConvolutionJob &job, int width, int height) {
    return {gridLine(job.region.x, 0, width), gridLine(job.region.y, -job.firstRow, height), width, height};
}

} // namespace

std::vector<Rectangle> fourierPairsOf(const ConvolutionJob &job, const PreparedKernel &kernel) {
    const Rectangle first = firstPairOf(job, 2 * kernel.fourier.usedWidth, kernel.fourier.usedHeight);
    const Rectangle &region = job.region;
    std::vector<Rectangle> pairs;
    for (int y = first.y; y < region.y + region.height; y += first.height)
        for (int x = first.x; x < region.x + region.width; x += first.width)
            pairs.push_back({x, y, first.width, first.height});
    return pairs;
}

Rectangle fourierArea(const ConvolutionJob &job, const ConvolutionPlan &plan) {
    Rectangle area =
        firstPairOf(job, 2 * (plan.tileWidth - plan.core.width + 1), plan.tileHeight - plan.core.height + 1);
    const auto cover = [](int start, int step, int end) { return (end - start + step - 1) / step * step; };
    area.width = cover(area.x, area.width, job.region.x + job.region.width);
    area.height = cover(area.y, area.height, job.region.y + job.region.height);
    return area;
}

Rectangle convolveFourierPair(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd,
                              const Rectangle &pair, const RunControl &control) {
    static thread_local Scratch scratch;
    const Rectangle wanted = intersection(pair, job.region);
    const Rectangle inRegion{wanted.x - job.region.x, wanted.y - job.region.y, wanted.width, wanted.height};
    PairRunner runner(job, kernel, simd, pair, scratch);
    if (!runner.fill()) {
        convolveTile(job, kernel, simd, inRegion, control);
        return inRegion;
    }
    runner.transform(control);
    runner.store(wanted);
    copyUnfiltered(job, inRegion);
    return inRegion;
}

} // namespace tessera::cpu
