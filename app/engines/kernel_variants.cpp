#include "app/engines/kernel_variants.h"

#include <cmath>

namespace tessera {

const std::vector<VariantInfo> &kernelVariantInfos() {
    static const std::vector<VariantInfo> infos{
        {"naive", "Naive", "one thread an output; every tap is read through the global path"},
        {"naive-float4", "Naive, float4", "four outputs a thread from loads of four pixels"},
        {"naive-half2", "Naive, half2", "packed halves: two products an instruction, at 11 bits of precision"},
        {"tiled", "Tiled", "a block stages its footprint in shared memory once and reads every tap from there"},
        {"tiled-float4", "Tiled, float4", "staged and read in groups of four pixels that serve four outputs"},
        {"tiled-half2", "Tiled, half2", "staged as packed halves: half the bytes, two products an instruction"},
    };
    return infos;
}

KernelVariant kernelVariantFromName(std::string_view name) {
    for (const KernelVariant variant : kernelVariants)
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
    return {job.region.width,
            job.region.height,
            job.kernel->width,
            job.kernel->height,
            needsFloatSource(job) ? 4 : bytesPerSample(job.source.format.depth),
            packedChannels(job.source.format.channels)};
}

std::string kernelRefusal(const ConvolutionJob &job, KernelVariant variant, const DeviceLimits &limits) {
    return planConvolution(variant, kernelShape(job), limits).refusal;
}

} // namespace tessera
