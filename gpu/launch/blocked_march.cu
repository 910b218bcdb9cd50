#include "gpu/device/properties.h"
#include "gpu/launch/compiled_taps.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/plan_march.h"

namespace tessera::cuda {

namespace {

std::string shapeText(const MarchShape &s) {
    const int fields[] = {s.width, s.height, s.anchorX, s.anchorY, s.run,
                          s.rows,  s.stages, s.threads, s.blocks,  s.unrolled};
    std::string text = "tessera::MarchShape{";
    for (const int field : fields)
        text += std::to_string(field) + ", ";
    return text + (s.plain ? "true}" : "false}");
}

MarchStrips stripsOf(const MarchShape &shape, const ConvolutionRequest &request) { // on the current device
    return marchStrips(shape, request.target.width, request.target.height, request.source.channels,
                       limitsOfCurrentDevice().multiprocessors);
}

template <int Channels>
FloatOperands<Channels> operandsOf(const ConvolutionRequest &request, const MarchStrips &strips) {
    FloatOperands<Channels> operands = floatOperands<Channels>(request);
    operands.strip = strips.strip;
    return operands;
}

// Four channels in a centred square, taps as data.
template <int Side> bool launchBuiltIn(const ConvolutionRequest &request, const LaunchTarget &target) {
    using P = FloatPixel<4>;
    constexpr MarchShape shape = marchShape(Side, Side, Side / 2, Side / 2, false, false);
    const MarchStrips strips = stripsOf(shape, request);
    LaunchPlan plan;
    plan.variant = KernelVariant::Blocked;
    plan.grid = strips.grid;
    plan.block = {shape.threads, 1};
    plan.sharedBytes = std::size_t(marchSharedBytes(shape, 4));
    CudaLauncher(target).launch(plan, BlockedMarch<P, P, shape, MarchTaps<Side * Side>>{
                                          operandsOf<4>(request, strips), centredMarchTaps<Side>(request)});
    return true;
}

// Exact sizes, taps as constants.
template <int Channels> bool launchCompiled(const ConvolutionRequest &request, const LaunchTarget &target) {
    const Taps &taps = *request.taps;
    const bool plain = LinearFinish::of<float>(request.finish, request.channelMask, Channels).plain();
    const MarchShape shape = marchShape(taps.width, taps.height, taps.anchorX, taps.anchorY, true, plain);
    const std::string pixel = "tessera::Pixel<float, " + std::to_string(Channels) + ">, ";
    const std::string type = "tessera::BlockedMarch<" + pixel + pixel + shapeText(shape);
    // Where no kernel with taps as data is built in, tiled-float4 stands in, of which 0.19 was measured.
    const bool builtIn = Channels == 4 && shapeOf(request).centredSide <= largestBuiltInMarch;
    const auto kernel =
        compiledKernel({"gpu/kernels/blocked_march.h", type, "march()"}, {{taps.value, std::size_t(taps.count())}},
                       request, {builtIn ? 0.75 : 0.19, 0.88});
    if (!kernel)
        return false;
    const MarchStrips strips = stripsOf(shape, request);
    // The parameter of the compiled kernel.
    struct Parameters {
        FloatOperands<Channels> operands;
        NoTaps taps;
    } const parameters{operandsOf<Channels>(request, strips), {}};
    kernel->launch(dim3(unsigned(strips.grid.x), unsigned(strips.grid.y)), dim3(unsigned(shape.threads)),
                   std::size_t(marchSharedBytes(shape, Channels)), target.stream, &parameters);
    return true;
}

} // namespace

bool launchMarch(const ConvolutionRequest &request, const LaunchTarget &target) {
    const bool grey = request.source.channels == 1;
    if (request.taps->count() <= largestMarchTaps && !target.attributes &&
        (grey ? launchCompiled<1>(request, target) : launchCompiled<4>(request, target)))
        return true;
    const int side = shapeOf(request).centredSide;
    if (grey || side > largestBuiltInMarch)
        return false;
    return side <= 9    ? launchBuiltIn<9>(request, target)
           : side <= 11 ? launchBuiltIn<11>(request, target)
           : side <= 13 ? launchBuiltIn<13>(request, target)
                        : launchBuiltIn<15>(request, target);
}

} // namespace tessera::cuda
