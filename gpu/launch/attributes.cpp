#include "gpu/launch/attributes.h"

#include "gpu/launch/cuda_launcher.h"

#include <memory>

namespace tessera::cuda {

KernelAttributes kernelAttributes(const LaunchPlan &plan, const ConvolutionRequest &request) {
    KernelAttributes attributes;
    launchConvolution(plan, request, LaunchTarget(attributes));
    return attributes;
}

KernelAttributes kernelAttributes(KernelVariant variant, ScalarType source, ScalarType target, int channels) {
    const auto taps = std::make_unique<Taps>();
    ConvolutionRequest request;
    request.source = {nullptr, 1, 1, 16, source, channels};
    request.target = {nullptr, 1, 1, 16, target, channels};
    request.taps = taps.get();
    return kernelAttributes(planConvolution(variant, shapeOf(request), {}).plan, request);
}

} // namespace tessera::cuda
