#include "gpu/device/properties.h"
#include "gpu/kernels/lane_histogram.h"
#include "gpu/kernels/wide_histogram.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_launcher.h"

#include <climits>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace tessera::cuda {

namespace {

int multiprocessors() { return limitsOfCurrentDevice().multiprocessors; }
bool sharedMemoryHolds(std::size_t bytes) { return bytes <= limitsOfCurrentDevice().sharedBytesPerBlock; }

// A picture without gaps between its rows is one row, and has two edges instead of two a row.
RawView flattened(RawView source) {
    const auto pixelBytes = std::ptrdiff_t(scalarBytes(source.type)) * source.channels;
    const std::int64_t pixels = std::int64_t(source.width) * source.height;
    if (source.pitch != pixelBytes * source.width || pixels > INT_MAX)
        return source;
    source.width = int(pixels);
    source.height = 1;
    source.pitch = pixelBytes * pixels;
    return source;
}

LaunchPlan rowOfBlocks(int blocks, int threads, std::size_t sharedBytes) {
    LaunchPlan plan;
    plan.grid = {blocks, 1};
    plan.block = {threads, 1};
    plan.sharedBytes = sharedBytes;
    return plan;
}

template <class Totals> ImageView<Totals> partialView(void *partial, int channels, int blocks) {
    return {static_cast<Totals *>(partial), channels, blocks, std::ptrdiff_t(sizeof(Totals)) * channels};
}

template <class T> ImageView<T> rowsOf(T *data, int width, int rows) {
    return {data, width, rows, std::ptrdiff_t(sizeof(T)) * width};
}

template <class P, bool voting, bool oneRow>
void reduceAs(const RawView &source, void *partial, int blocks, StreamView stream, float threshold) {
    using Kernel = ReduceStatistics<P, voting, oneRow>;
    CudaLauncher(stream).launch(
        rowOfBlocks(blocks, Kernel::maximumThreads, Kernel::sharedBytes()),
        Kernel{source.as<const P>(), partialView<typename Kernel::Totals>(partial, P::channels, blocks), threshold});
}

template <class P> void reduce(const RawView &source, void *partial, int blocks, StreamView stream, float threshold) {
    const bool voting = threshold < largestValue<float>(); // nothing is greater than infinity
    if (source.height == 1)
        return voting ? reduceAs<P, true, true>(source, partial, blocks, stream, threshold)
                      : reduceAs<P, false, true>(source, partial, blocks, stream, threshold);
    return voting ? reduceAs<P, true, false>(source, partial, blocks, stream, threshold)
                  : reduceAs<P, false, false>(source, partial, blocks, stream, threshold);
}

// In one read: counts, or the blocks' totals, or both.
template <class P, bool oneRow>
void countByLanesAs(const RawView &source, unsigned long long *counts, void *partial, int blocks, StreamView stream,
                    float threshold) {
    using Kernel = LaneHistogram<P, oneRow>;
    CudaLauncher(stream).launch(rowOfBlocks(blocks, Kernel::maximumThreads, Kernel::sharedBytes()),
                                Kernel{source.as<const P>(), rowsOf(counts, Kernel::bins, Kernel::rows),
                                       partialView<typename Kernel::Totals>(partial, P::channels, blocks), threshold});
}

template <class P>
void countByLanes(const RawView &source, unsigned long long *counts, void *partial, int blocks, StreamView stream,
                  float threshold) {
    return source.height == 1 ? countByLanesAs<P, true>(source, counts, partial, blocks, stream, threshold)
                              : countByLanesAs<P, false>(source, counts, partial, blocks, stream, threshold);
}

// Where shared memory is small: a histogram a warp, or counters in global memory.
template <class P> void countByWarps(const RawView &source, unsigned long long *counts, int blocks, StreamView stream) {
    using Kernel = Histogram<P>;
    constexpr int threads = 256;
    CudaLauncher(stream).launch(
        rowOfBlocks(std::max(blocks, 8 * multiprocessors()), threads, Kernel::sharedBytes(threads)),
        Kernel{source.as<const P>(), rowsOf(counts, Kernel::bins, Kernel::rows)});
}

// The blocks' counters lie in memory of the stream's pool between the two launches.
template <class P> void countWide(const RawView &source, unsigned long long *counts, StreamView stream) {
    using Kernel = WideHistogram<P>;
    const int blocks = std::max(multiprocessors(), Kernel::rows);
    void *memory = nullptr;
    TESSERA_CUDA_CHECK(cudaMallocAsync(&memory, Kernel::sharedBytes() * std::size_t(blocks), stream));
    const auto partial = rowsOf(static_cast<unsigned *>(memory), Kernel::words, blocks);
    const auto total = rowsOf(counts, Kernel::bins, Kernel::rows);
    const LaunchPlan plan = rowOfBlocks(blocks, Kernel::maximumThreads, Kernel::sharedBytes());
    if (source.height == 1)
        CudaLauncher(stream).launch(plan, WideHistogram<P, true>{source.as<const P>(), total, partial});
    else
        CudaLauncher(stream).launch(plan, Kernel{source.as<const P>(), total, partial});
    constexpr int threads = 256;
    LaunchPlan add = rowOfBlocks(Kernel::words / threads, threads, 0);
    add.grid.y = Kernel::rows * (Kernel::rows == 1 ? 8 : 2);
    CudaLauncher(stream).launch(
        add, AddPartialCounts{{partial.data, partial.width, partial.height, partial.pitch}, total, Kernel::rows});
    TESSERA_CUDA_CHECK(cudaFreeAsync(memory, stream));
}

template <class P> void countLevels(const RawView &source, unsigned long long *counts, int blocks, StreamView stream) {
    if constexpr (std::is_same_v<typename P::Scalar, std::uint8_t>) {
        if (sharedMemoryHolds(LaneHistogram<P>::sharedBytes()))
            return countByLanes<P>(source, counts, nullptr, multiprocessors(), stream, largestValue<float>());
    } else {
        if (sharedMemoryHolds(WideHistogram<P>::sharedBytes()))
            return countWide<P>(source, counts, stream);
    }
    countByWarps<P>(source, counts, blocks, stream);
}

template <class P>
void levelStatistics(const RawView &source, void *partial, int blocks, StreamView stream, float threshold) {
    if (sharedMemoryHolds(LaneHistogram<P>::sharedBytes()))
        countByLanes<P>(source, nullptr, partial, blocks, stream, threshold);
    else
        reduce<P>(source, partial, blocks, stream, threshold);
}

} // namespace

void launchStatistics(const RawView &picture, void *partial, int blocks, StreamView stream, float threshold) {
    const RawView source = flattened(picture);
    const bool grey = source.channels == 1;
    switch (source.type) {
    case ScalarType::U8:
        return grey ? levelStatistics<Pixel<std::uint8_t, 1>>(source, partial, blocks, stream, threshold)
                    : levelStatistics<Pixel<std::uint8_t, 4>>(source, partial, blocks, stream, threshold);
    case ScalarType::U16:
        return grey ? reduce<Pixel<std::uint16_t, 1>>(source, partial, blocks, stream, threshold)
                    : reduce<Pixel<std::uint16_t, 4>>(source, partial, blocks, stream, threshold);
    case ScalarType::F16:
        break;
    case ScalarType::F32:
        return grey ? reduce<Pixel<float, 1>>(source, partial, blocks, stream, threshold)
                    : reduce<Pixel<float, 4>>(source, partial, blocks, stream, threshold);
    }
    throw CudaError(cudaErrorInvalidValue, "launchStatistics on half pixels");
}

std::size_t statisticsBytes(ScalarType type, int channels, int blocks) {
    const std::size_t one = type == ScalarType::U8    ? sizeof(ChannelTotals<std::uint8_t>)
                            : type == ScalarType::U16 ? sizeof(ChannelTotals<std::uint16_t>)
                                                      : sizeof(ChannelTotals<float>);
    return one * std::size_t(channels) * std::size_t(blocks);
}

int statisticsBlocks(ScalarType type, int channels) {
    const int perMultiprocessor = type == ScalarType::U8    ? 1
                                  : type == ScalarType::F32 ? ReduceStatistics<Pixel<float, 1>>::minimumBlocks
                                  : channels == 1           ? ReduceStatistics<Pixel<std::uint16_t, 1>>::minimumBlocks
                                                            : ReduceStatistics<Pixel<std::uint16_t, 4>>::minimumBlocks;
    return multiprocessors() * perMultiprocessor;
}

void launchHistogram(const RawView &picture, unsigned long long *counts, int blocks, StreamView stream) {
    const RawView source = flattened(picture);
    const bool grey = source.channels == 1;
    if (source.type == ScalarType::U8)
        return grey ? countLevels<Pixel<std::uint8_t, 1>>(source, counts, blocks, stream)
                    : countLevels<Pixel<std::uint8_t, 4>>(source, counts, blocks, stream);
    if (source.type == ScalarType::U16)
        return grey ? countLevels<Pixel<std::uint16_t, 1>>(source, counts, blocks, stream)
                    : countLevels<Pixel<std::uint16_t, 4>>(source, counts, blocks, stream);
    throw CudaError(cudaErrorInvalidValue, "launchHistogram on float pixels");
}

void launchHistogramAndStatistics(const RawView &picture, unsigned long long *counts, void *partial, int blocks,
                                  StreamView stream, float threshold) {
    const RawView source = flattened(picture);
    if (source.type == ScalarType::U8) {
        const bool grey = source.channels == 1;
        const std::size_t bytes = grey ? LaneHistogram<Pixel<std::uint8_t, 1>>::sharedBytes()
                                       : LaneHistogram<Pixel<std::uint8_t, 4>>::sharedBytes();
        if (sharedMemoryHolds(bytes))
            return grey ? countByLanes<Pixel<std::uint8_t, 1>>(source, counts, partial, blocks, stream, threshold)
                        : countByLanes<Pixel<std::uint8_t, 4>>(source, counts, partial, blocks, stream, threshold);
    }
    launchHistogram(source, counts, blocks, stream);
    launchStatistics(source, partial, blocks, stream, threshold);
}

} // namespace tessera::cuda
