#include "app/engines/kernel_variants.h"

#include <cmath>

namespace tessera {

const std::vector<VariantInfo> &kernelVariantInfos() {
    static const std::vector<VariantInfo> infos{
        {"naive", "Naive", "one thread an output; every tap is read through the global path"},
        {"tiled", "Tiled", "a block stages its footprint in shared memory once and reads every tap from there"},
    };
    return infos;
}

KernelVariant kernelVariantFromName(std::string_view name) {
    for (const KernelVariant variant : {KernelVariant::Naive, KernelVariant::Tiled})
        if (kernelVariantName(variant) == name)
            return variant;
    throw Error(ErrorKind::Usage, "'" + std::string(name) + "' is no kernel variant");
}

Taps tapsFrom(const ConvolutionKernel &kernel) {
    Taps taps;
    taps.width = kernel.width;
    taps.height = kernel.height;
    taps.anchorX = kernel.anchorX;
    taps.anchorY = kernel.anchorY;
    for (std::size_t i = 0; i < kernel.taps.size(); ++i)
        taps.value[i] = float(kernel.taps[i]);
    return taps;
}

ScalarType scalarTypeOf(Depth depth) {
    return depth == Depth::U8 ? ScalarType::U8 : depth == Depth::U16 ? ScalarType::U16 : ScalarType::F32;
}

bool needsFloatSource(const ConvolutionJob &job) {
    const Depth from = job.source.format.depth;
    if (from == Depth::F32)
        return false;
    const double constant = job.border.constant;
    const bool holdable = constant == std::rint(constant) && constant >= 0.0 && constant <= nominalMaximum(from);
    const Depth to = job.target.format.depth;
    return (job.border.mode == BorderMode::Constant && !holdable) || (to != from && to != Depth::F32);
}

ConvolutionShape kernelShape(const ConvolutionJob &job) {
    const int sampleBytes = needsFloatSource(job) ? 4 : bytesPerSample(job.source.format.depth);
    return {job.region.width, job.region.height, job.kernel->width, job.kernel->height,
            sampleBytes * packedChannels(job.source.format.channels)};
}

std::string kernelRefusal(const ConvolutionJob &job, KernelVariant variant, const DeviceLimits &limits) {
    return planConvolution(variant, kernelShape(job), limits).refusal;
}

} // namespace tessera
