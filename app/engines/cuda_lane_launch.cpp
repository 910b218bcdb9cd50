#include "app/engines/cuda_lane_launch.h"

#include "app/engines/kernel_variants.h"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/fft.h"

#include <optional>

namespace tessera {

RunTimes timesInLane(const Lane &lane, const VariantAdvice &advice, const ConvolutionJob &job, bool checked) {
    RunTimes times;
    times.kernelMs = lane.computed.millisecondsSince(lane.uploaded);
    if (checked) // a question about the picture, no part of the filter
        *times.kernelMs -= lane.checked.millisecondsSince(lane.checking);
    times.copyMs = lane.uploaded.millisecondsSince(lane.start) + lane.downloaded.millisecondsSince(lane.computed);
    times.variant =
        job.variant.empty() ? std::string(kernelVariantName(advice.choice.variant)) : std::string(job.variant);
    times.plan = advice.reason;
    times.roundsLocally = advice.choice.variant != KernelVariant::Fft;
    return times;
}

void launchInLane(Lane &lane, const VariantChoice &choice, const ConvolutionJob &job, const Rectangle &window,
                  const DeviceLimits &limits, const RawView &source, const RawView &target) {
    LaunchPlan plan = planConvolution(choice.variant, kernelShape(job), limits).plan;
    plan.variant = choice.variant;
    const bool fits = job.kernel->width <= maximumTapsSide && job.kernel->height <= maximumTapsSide;
    Taps taps = fits ? tapsFrom(*job.kernel) : Taps{};
    ConvolutionRequest request = requestFor(job, choice, taps);
    scaleSums(job, choice, taps, request);
    request.source = source;
    request.target = target;
    request.originX -= window.x;
    request.originY -= window.y;
    std::optional<model::SeparableFactors> factors;
    FourierOperands fourier;
    if (choice.variant == KernelVariant::Separable && (factors = separableFactors(*job.kernel)))
        request.factors = &*factors;
    if (choice.variant == KernelVariant::Fft) {
        fourier = lane.spectrum.operandsFor(*job.kernel, planFourier(kernelShape(job)), lane.stream.view());
        request.fourier = &fourier;
    }
    cuda::launchConvolution(plan, request, lane.stream.view());
}

} // namespace tessera
