#include "gpu/device/properties.h"
#include "gpu/jit/source_text.h"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/march_launch.cuh"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::cuda {

namespace march_launch {

namespace {

std::string shapeText(const MarchShape &s) {
    const int fields[] = {s.width, s.height, s.anchorX, s.anchorY, s.run,
                          s.rows,  s.stages, s.threads, s.blocks,  s.unrolled};
    std::string text = "tessera::MarchShape{";
    for (const int field : fields)
        text += std::to_string(field) + ", ";
    return text + (s.plain ? "true}" : "false}");
}

jit::KernelSource sourceOf(const MarchShape &shape, const Taps &taps, std::string_view header,
                           const std::string &kernel) {
    const std::span<const float> values(taps.value, std::size_t(taps.count()));
    std::string text =
        "#include \"" + std::string(header) +
        "\"\nstruct GivenTaps {\n"
        "    __device__ static constexpr float at(int i) {\n        " +
        jit::constantArray("value", values) + "        return value[i];\n    }\n};\nusing Kernel = " + kernel +
        ";\nextern \"C\" __global__ void __launch_bounds__(" + std::to_string(shape.threads) + ", " +
        std::to_string(shape.blocks) + ") march(const __grid_constant__ Kernel kernel) { kernel.march(); }\n";
    return {text, "march", {}, false};
}

// Estimates that decide whether compiling pays. Where no kernel with taps as data is built in, tiled-float4 stands in,
// of which 0.19 was measured.
jit::SpecialisationEvidence evidenceOf(const ConvolutionRequest &request, MeasuredShares shares) {
    const int channels = request.source.channels;
    const double memory = 8.0 * channels / 4000.0;                                // ms a megapixel at 4 TB/s
    const double arithmetic = double(request.taps->count()) * channels / 31000.0; // at 31 multiply-adds a picosecond
    const double limit = std::max(memory, arithmetic);
    const bool builtIn = shapeOf(request).centredSide <= largestBuiltInMarch;
    return {1e-6 * request.target.width * request.target.height, limit / (builtIn ? shares.general : 0.19),
            limit / shares.specialised, 0};
}

} // namespace

MarchStrips stripsOf(const MarchShape &shape, const ConvolutionRequest &request) {
    return marchStrips(shape, request.target.width, request.target.height, request.source.channels,
                       limitsOfCurrentDevice().multiprocessors);
}

std::optional<SpecialisedKernel> compiled(const MarchShape &shape, const ConvolutionRequest &request,
                                          std::string_view header, std::string_view kernel, std::string_view arguments,
                                          MeasuredShares shares) {
    const Taps &taps = *request.taps;
    int device = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    const std::string type =
        "tessera::" + std::string(kernel) + "<" + std::string(arguments) + shapeText(shape) + ", GivenTaps>";
    std::string key = type;
    key.append(reinterpret_cast<const char *>(taps.value), sizeof(float) * std::size_t(taps.count()));
    return kernelCacheFor(device).specialise(request.specialise, key, evidenceOf(request, shares),
                                             [&] { return sourceOf(shape, taps, header, type); });
}

} // namespace march_launch

namespace {

using namespace march_launch;

// ---- built in: centred squares, taps as data ----

template <int Channels, int Side> void launchBuiltIn(const ConvolutionRequest &request, const LaunchTarget &target) {
    using P = FloatPixel<Channels>;
    constexpr MarchShape shape = marchShape(Side, Side, Side / 2, Side / 2, Channels, false, false);
    const MarchStrips strips = stripsOf(shape, request);
    const BlockedMarch<P, P, shape, MarchTaps<Side * Side>> kernel{operandsOf<Channels>(request, strips),
                                                                   marchTaps<Side>(request)};
    CudaLauncher(target).launch(laidOut(shape, strips, Channels), kernel);
}

void launchBuiltInColour(int side, const ConvolutionRequest &request, const LaunchTarget &target) {
    if (side <= 5)
        return launchBuiltIn<4, 5>(request, target);
    if (side <= 7)
        return launchBuiltIn<4, 7>(request, target);
    if (side <= 9)
        return launchBuiltIn<4, 9>(request, target);
    if (side <= 11)
        return launchBuiltIn<4, 11>(request, target);
    if (side <= 13)
        return launchBuiltIn<4, 13>(request, target);
    return launchBuiltIn<4, 15>(request, target);
}

// ---- compiled at run time: exact sizes, taps as constants ----

template <int Channels> bool launchSpecialised(const ConvolutionRequest &request, const LaunchTarget &target) {
    const Taps &taps = *request.taps;
    const bool plain = LinearFinish::of<float>(request.finish, request.channelMask, Channels).plain();
    const MarchShape shape = marchShape(taps.width, taps.height, taps.anchorX, taps.anchorY, Channels, true, plain);
    const std::string pixel = "tessera::Pixel<float, " + std::to_string(Channels) + ">, ";
    const auto kernel =
        compiled(shape, request, "gpu/kernels/blocked_march.h", "BlockedMarch", pixel + pixel, {0.75, 0.88});
    if (!kernel)
        return false;
    const MarchStrips strips = stripsOf(shape, request);
    // The parameter of the compiled kernel.
    struct Parameters {
        Operands<Channels> operands;
        NoTaps taps;
    } const parameters{operandsOf<Channels>(request, strips), {}};
    launch(*kernel, shape, strips, Channels, target, &parameters);
    return true;
}

bool launchSpecialised(const ConvolutionRequest &request, const LaunchTarget &target) {
    const Taps &taps = *request.taps;
    if (request.specialise == jit::Specialisation::Never || taps.count() > largestMarchTaps || target.attributes)
        return false;
    if (marchesByWarp(taps.width, taps.height, request.source.channels))
        return launchWarpSpecialised(request, target);
    return request.source.channels == 1 ? launchSpecialised<1>(request, target) : launchSpecialised<4>(request, target);
}

} // namespace

bool launchMarch(const ConvolutionRequest &request, const LaunchTarget &target) {
    if (launchSpecialised(request, target))
        return true;
    const int side = shapeOf(request).centredSide;
    if (side > largestBuiltInMarch)
        return false;
    if (marchesByWarp(side, side, request.source.channels))
        return launchWarpBuiltIn(side, request, target);
    request.source.channels == 1 ? launchBuiltIn<1, 7>(request, target) : launchBuiltInColour(side, request, target);
    return true;
}

} // namespace tessera::cuda
