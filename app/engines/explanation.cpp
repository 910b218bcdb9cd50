#include "app/engines/explanation.h"

#include "app/engines/kernel_variants.h"
#include "gpu/model/explain.h"
#include "gpu/sim/convolution_simulation.h"

#include <algorithm>
#include <memory>

namespace tessera {

namespace {

// A picture as it lies on a device: packed channels, rows on 256-byte boundaries.
RawView deviceView(int width, int height, ScalarType type, int channels) {
    const std::ptrdiff_t bytes = std::ptrdiff_t(width) * scalarBytes(type) * channels;
    return {nullptr, width, height, (bytes + 255) / 256 * 256, type, channels};
}

} // namespace

std::string explainJob(const ConvolutionJob &job, const DeviceLimits &limits) {
    const std::string_view base = job.variant.substr(0, job.variant.find(':'));
    if (std::ranges::find(kernelVariants, base, kernelVariantName) == kernelVariants.end())
        return {};
    const VariantChoice choice = parseVariant(job.variant, KernelVariant::Tiled);
    const PlanResult planned = planConvolution(choice.variant, kernelShape(job), limits);
    if (!planned.refusal.empty())
        return {};
    const auto taps = std::make_unique<Taps>(tapsFrom(*job.kernel));
    const int channels = packedChannels(job.source.format.channels);
    const ScalarType source = needsFloatSource(job) ? ScalarType::F32 : scalarTypeOf(job.source.format.depth);
    ConvolutionRequest request = requestFor(job, choice, *taps);
    request.source = deviceView(job.source.width, job.source.height, source, channels);
    request.target = deviceView(job.region.width, job.region.height, scalarTypeOf(job.target.format.depth), channels);
    return model::explain(model::modelOf(sim::caseOf(planned.plan, request)));
}

} // namespace tessera
