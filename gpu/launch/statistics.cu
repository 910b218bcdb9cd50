#include "gpu/kernels/histogram.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_launcher.h"

namespace tessera::cuda {

namespace {

constexpr int threadsPerBlock = 256; // ReduceStatistics::maximumThreads

template <class P> void reduce(const RawView &source, void *partial, int blocks, StreamView stream, float threshold) {
    using Kernel = ReduceStatistics<P>;
    using Totals = typename Kernel::Totals;
    LaunchPlan plan;
    plan.grid = {blocks, 1};
    plan.block = {threadsPerBlock, 1};
    plan.sharedBytes = Kernel::sharedBytes();
    const ImageView<Totals> target{static_cast<Totals *>(partial), P::channels, blocks,
                                   std::ptrdiff_t(sizeof(Totals)) * P::channels};
    CudaLauncher(stream).launch(plan, Kernel{source.as<const P>(), target, threshold});
}

template <class P> void count(const RawView &source, unsigned long long *counts, int blocks, StreamView stream) {
    using Kernel = Histogram<P>;
    LaunchPlan plan;
    plan.grid = {blocks, 1};
    plan.block = {threadsPerBlock, 1};
    plan.sharedBytes = Kernel::sharedBytes(threadsPerBlock);
    const ImageView<unsigned long long> target{counts, Kernel::bins, Kernel::rows,
                                               std::ptrdiff_t(sizeof(*counts)) * Kernel::bins};
    CudaLauncher(stream).launch(plan, Kernel{source.as<const P>(), target});
}

} // namespace

void launchStatistics(const RawView &source, void *partial, int blocks, StreamView stream, float threshold) {
    const bool grey = source.channels == 1;
    switch (source.type) {
    case ScalarType::U8:
        return grey ? reduce<Pixel<std::uint8_t, 1>>(source, partial, blocks, stream, threshold)
                    : reduce<Pixel<std::uint8_t, 4>>(source, partial, blocks, stream, threshold);
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

void launchHistogram(const RawView &source, unsigned long long *counts, int blocks, StreamView stream) {
    const bool grey = source.channels == 1;
    if (source.type == ScalarType::U8)
        return grey ? count<Pixel<std::uint8_t, 1>>(source, counts, blocks, stream)
                    : count<Pixel<std::uint8_t, 4>>(source, counts, blocks, stream);
    if (source.type == ScalarType::U16)
        return grey ? count<Pixel<std::uint16_t, 1>>(source, counts, blocks, stream)
                    : count<Pixel<std::uint16_t, 4>>(source, counts, blocks, stream);
    throw CudaError(cudaErrorInvalidValue, "launchHistogram on float pixels");
}

} // namespace tessera::cuda
