// Launching a convolution of the ladder together with its output's statistics (gpu/kernels/with_statistics.h), for any
// launcher.
// Source and target have one type: 8-bit, 16-bit or float, 1 or 4 channels.
#pragma once

#include "gpu/kernels/with_statistics.h"
#include "gpu/launch/convolution.h"

namespace tessera {

// Where the results go. `partial`: as many rows of ChannelTotals<T>, one a channel, as the plan says. `counts`: rows of
// 256 or 65,536 counters (see Histogram), zero before; unused for float, and not counted where null. `scratch`: as many
// bytes as the plan says, with nothing in them before or after.
struct StatisticsTargets {
    void *partial = nullptr;
    unsigned long long *counts = nullptr;
    float threshold = largestValue<float>();
    void *scratch = nullptr;
};

// Shared memory that the statistics take on top of the kernel's.
template <class P> constexpr std::size_t statisticsSharedBytes() {
    return WithStatistics<NaiveConvolve<P, P>>::extraSharedBytes();
}

inline std::size_t statisticsSharedBytes(ScalarType type, int channels) {
    const bool grey = channels == 1;
    if (type == ScalarType::U8)
        return grey ? statisticsSharedBytes<Pixel<std::uint8_t, 1>>() : statisticsSharedBytes<Pixel<std::uint8_t, 4>>();
    if (type == ScalarType::U16)
        return grey ? statisticsSharedBytes<Pixel<std::uint16_t, 1>>()
                    : statisticsSharedBytes<Pixel<std::uint16_t, 4>>();
    return grey ? statisticsSharedBytes<Pixel<float, 1>>() : statisticsSharedBytes<Pixel<float, 4>>();
}

template <template <class, class> class Kernel, class P, class Launcher>
void launchFusedTyped(Launcher &launcher, const FusedPlan &fused, const ConvolutionRequest &request,
                      const StatisticsTargets &targets) {
    using Plain = Kernel<P, P>;
    using Fused = WithStatistics<Plain>;
    using TapsType = decltype(decltype(Plain::operands)::taps);
    using Totals = typename Fused::Totals;
    const ImageView<Totals> partial{static_cast<Totals *>(targets.partial), P::channels, fused.plan.grid.x,
                                    std::ptrdiff_t(sizeof(Totals)) * P::channels};
    const ImageView<unsigned long long> counts{targets.counts, Fused::bins, Fused::rows,
                                               std::ptrdiff_t(sizeof(*targets.counts)) * Fused::bins};
    launcher.launch(fused.plan, Fused{Plain{typedOperands<P, P, TapsType>(request)}, fused.tiles, partial, counts,
                                      targets.threshold});
}

template <template <class, class> class Kernel, class Launcher>
void launchFused(Launcher &launcher, const FusedPlan &fused, const ConvolutionRequest &request,
                 const StatisticsTargets &targets) {
    const auto launch = [&]<class T>(T) {
        if (request.source.channels == 1)
            launchFusedTyped<Kernel, Pixel<T, 1>>(launcher, fused, request, targets);
        else
            launchFusedTyped<Kernel, Pixel<T, 4>>(launcher, fused, request, targets);
    };
    if (request.source.type == ScalarType::U8)
        launch(std::uint8_t{});
    else if (request.source.type == ScalarType::U16)
        launch(std::uint16_t{});
    else
        launch(float{});
}

template <class Launcher>
void launchVariantWithStatistics(Launcher &launcher, const FusedPlan &fused, const ConvolutionRequest &request,
                                 const StatisticsTargets &targets) {
    switch (fused.plan.variant) {
    case KernelVariant::Naive:
        return launchFused<NaiveConvolve>(launcher, fused, request, targets);
    case KernelVariant::NaiveFloat4:
        return launchFused<NaiveVectorConvolve>(launcher, fused, request, targets);
    case KernelVariant::NaiveHalf2:
        return launchFused<NaiveHalf2Convolve>(launcher, fused, request, targets);
    case KernelVariant::Tiled:
        return launchFused<TiledConvolve>(launcher, fused, request, targets);
    case KernelVariant::TiledFloat4:
        return launchFused<TiledVectorConvolve>(launcher, fused, request, targets);
    case KernelVariant::TiledHalf2:
        return launchFused<TiledHalf2Convolve>(launcher, fused, request, targets);
    default:
        return; // the tuned ones have launch functions of their own
    }
}

} // namespace tessera
