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

// Of a picture on the device: a read of it and a wait for the answer, far less than what fft saves over others.
// Values so large that sums over a tile of fft are not finite count as such.
inline bool staysFinite(Lane &lane, const RawView &picture, const ConvolutionKernel &kernel) {
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
    return std::ranges::none_of(totals, [&](const auto &part) {
        return part.nan > 0 || part.infinite > 0 ||
               (part.finite > 0 && (part.maximum > largest || -part.minimum > largest));
    });
}

} // namespace tessera
