// Whether a variant would carry what is no number beyond the kernel's reach. Includes CUDA.
#pragma once

#include "app/engines/cuda_lane.h"
#include "app/engines/variant_advice.h"
#include "gpu/launch/cuda_launcher.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace tessera {

inline bool spreads(KernelVariant variant, const ConvolutionJob &job) {
    return spreadsNonfinite(variant) && job.source.format.depth == Depth::F32;
}
inline std::string spreadText(KernelVariant variant) {
    return "the picture holds NaN, infinities or values near the largest of floats, which the variant '" +
           std::string(kernelVariantName(variant)) + "' would spread beyond the kernel's reach";
}

// Of a picture on the device. `even`: no value is so far above the mean that its rounding in a transform would show in
// many others.
struct Spread {
    bool finite = true, even = true;
};

// A read of the picture and a wait for the answer, far less than what fft saves over others. Values so large that sums
// over a tile of fft are not finite count as such.
inline Spread spreadOf(Lane &lane, const RawView &picture, const ConvolutionKernel &kernel) {
    const double growth = 8.0 * fourierSide * fourierSide * std::max(1.0, kernel.magnitude());
    const double largest = double(std::numeric_limits<float>::max()) / growth;
    const int blocks = cuda::statisticsBlocks(picture.type, picture.channels);
    const std::size_t bytes = cuda::statisticsBytes(picture.type, picture.channels, blocks);
    void *partial = lane.totals.reserve(bytes);
    lane.checking.record(lane.stream.view());
    cuda::launchStatistics(picture, partial, blocks, lane.stream.view());
    std::vector<ChannelTotals<float>> totals(bytes / sizeof(ChannelTotals<float>));
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(totals.data(), partial, bytes, cudaMemcpyDeviceToHost, lane.stream.view()));
    lane.stream.synchronize();
    lane.checked.record(lane.stream.view());
    Spread spread;
    double most = 0, squares = 0, count = 0;
    for (const ChannelTotals<float> &part : totals) {
        const double own = part.finite > 0 ? std::max(double(part.maximum), -double(part.minimum)) : 0.0;
        spread.finite = spread.finite && part.nan == 0 && part.infinite == 0 && own <= double(largest);
        most = std::max(most, own);
        squares += part.sumOfSquares;
        count += double(part.finite);
    }
    constexpr double steep = 32; // above the root mean square: one value of a thousand holds most of it then
    spread.even = !(most * most * count > steep * steep * squares);
    return spread;
}

} // namespace tessera
