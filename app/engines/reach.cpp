#include "app/engines/reach.h"

#include "app/core/thread_pool.h"
#include "app/engines/engine_support.h"
#include "gpu/model/factors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

constexpr int maximumChannels = 4;

// Where each channel was marked last, on a walk along a line of the window's places.
using LastMarked = std::array<int, maximumChannels>;

constexpr int never = std::numeric_limits<int>::min();

void keep(std::uint8_t bits, int place, LastMarked &last) {
    for (int channel = 0; bits != 0; ++channel, bits = std::uint8_t(bits >> 1))
        if (bits & 1u)
            last[std::size_t(channel)] = place;
}

std::uint8_t sinceOf(const LastMarked &last, int place) {
    unsigned bits = 0;
    for (unsigned channel = 0; channel < maximumChannels; ++channel)
        bits |= last[channel] >= place ? 1u << channel : 0u;
    return std::uint8_t(bits);
}

// The outputs of a row whose `taps` neighbouring places hold a mark. columns: of the places, -1 outside.
void reachAcross(const std::uint8_t *samples, const std::vector<int> &columns, int taps, std::uint8_t *reached) {
    LastMarked last;
    last.fill(never);
    for (int place = 0; place < int(columns.size()); ++place) {
        if (columns[std::size_t(place)] >= 0)
            keep(samples[columns[std::size_t(place)]], place, last);
        const int output = place - (taps - 1);
        if (output >= 0)
            reached[output] = sinceOf(last, output);
    }
}

} // namespace

KernelWindow rectangleOf(const ConvolutionKernel &kernel) {
    return {kernel.width, kernel.height, kernel.anchorX, kernel.anchorY};
}

KernelWindow squareOf(const ConvolutionKernel &kernel) {
    const int side = centredSide(kernel.width, kernel.height, kernel.anchorX, kernel.anchorY);
    return {side, side, side / 2, side / 2};
}

SampleMask reachedOutputs(const SampleMask &samples, const KernelWindow &window, BorderMode border,
                          const Rectangle &region) {
    if (samples.empty())
        return {};
    std::vector<int> columns;
    for (int x = 0; x < region.width + window.width - 1; ++x)
        columns.push_back(borderIndex(border, region.x - window.anchorX + x, samples.width));
    SampleMask reached(region.width, region.height);
    std::vector<LastMarked> last(std::size_t(region.width));
    for (LastMarked &column : last)
        column.fill(never);
    std::vector<std::uint8_t> across(std::size_t(region.width));
    int lastRow = never; // that had a mark
    for (int place = 0; place < region.height + window.height - 1; ++place) {
        const int row = borderIndex(border, region.y - window.anchorY + place, samples.height);
        if (row >= 0 &&
            std::any_of(samples.row(row), samples.row(row) + samples.width, [](auto bits) { return bits; })) {
            reachAcross(samples.row(row), columns, window.width, across.data());
            for (std::size_t x = 0; x < across.size(); ++x)
                keep(across[x], place, last[x]);
            lastRow = place;
        }
        const int output = place - (window.height - 1);
        if (output >= 0 && lastRow >= output)
            std::ranges::transform(last, reached.row(output),
                                   [&](const LastMarked &column) { return sinceOf(column, output); });
    }
    return reached;
}

SampleMask reachedOutputs(const ConvolutionJob &job) {
    SampleMask reached =
        reachedOutputs(nonfiniteSamples(job.source), squareOf(*job.kernel), job.border.mode, job.region);
    const unsigned filtered = filteredChannels(job);
    for (std::uint8_t &bits : reached.pixels)
        bits = std::uint8_t(bits & filtered);
    return reached;
}

double negligibleTap(const ConvolutionKernel &kernel) {
    constexpr double halfTheLeastFloat = 0x1p-150; // rounds to 0
    return std::max(model::exactShare * kernel.magnitude(), halfTheLeastFloat);
}

double largestMagnitude(const ConstPixelView &picture) {
    if (picture.format.depth != Depth::F32)
        return nominalMaximum(picture.format.depth);
    std::vector<float> rows(std::size_t(picture.height), 0.0f);
    ThreadPool::shared().parallelFor(rows.size(), [&](std::size_t y) {
        const float *row = picture.row<float>(int(y));
        float largest = 0;
        for (int i = 0; i < picture.width * picture.format.channels; ++i) {
            const float magnitude = std::fabs(row[i]);
            largest = magnitude > largest && magnitude <= std::numeric_limits<float>::max() ? magnitude : largest;
        }
        rows[y] = largest;
    });
    return double(*std::ranges::max_element(rows));
}

} // namespace tessera
