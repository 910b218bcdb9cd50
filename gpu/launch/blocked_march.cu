#include "gpu/jit/kernel_cache.h"
#include "gpu/jit/source_text.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/plan_march.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

namespace tessera::cuda {

namespace {

template <int Channels> using FloatPixel = Pixel<float, Channels>;

template <int Channels>
MarchOperands<FloatPixel<Channels>, FloatPixel<Channels>> operandsOf(const ConvolutionRequest &request) {
    using P = FloatPixel<Channels>;
    MarchOperands<P, P> operands;
    operands.source = borderedSource<P>(request);
    operands.target = request.target.as<P>();
    operands.originX = request.originX;
    operands.originY = request.originY;
    operands.finish = LinearFinish::of<float>(request.finish, request.channelMask, Channels);
    return operands;
}

MarchStrips stripsOf(const MarchShape &shape, const ConvolutionRequest &request) {
    int device = 0, multiprocessors = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return marchStrips(shape, request.target.width, request.target.height, request.source.channels, multiprocessors);
}

// ---- built in: centred squares, taps as data ----

template <int Channels, int Side>
void launchBuiltIn(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    using P = FloatPixel<Channels>;
    constexpr MarchShape shape = marchShape(Side, Side, Side / 2, Side / 2, Channels, false, false);
    using Layout = MarchLayout<P, shape>;
    BlockedMarch<P, P, shape, MarchTaps<Side * Side>> kernel;
    kernel.operands = operandsOf<Channels>(request);
    CentredTaps<Side> centred;
    Finish unused;
    setTaps(centred, unused, request);
    std::copy(std::begin(centred.value), std::end(centred.value), kernel.taps.value);
    const MarchStrips strips = stripsOf(shape, request);
    kernel.operands.strip = strips.strip;
    LaunchPlan launch = plan;
    launch.grid = strips.grid;
    launch.block = {shape.threads, 1};
    launch.sharedBytes = Layout::sharedBytes;
    CudaLauncher(target).launch(launch, kernel);
}

template <int Channels>
void launchBuiltIn(int side, const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    if constexpr (Channels == 4)
        if (side <= 5)
            return launchBuiltIn<Channels, 5>(plan, request, target);
    if (side <= 7)
        return launchBuiltIn<Channels, 7>(plan, request, target);
    if (side <= 9)
        return launchBuiltIn<Channels, 9>(plan, request, target);
    if (side <= 11)
        return launchBuiltIn<Channels, 11>(plan, request, target);
    if (side <= 13)
        return launchBuiltIn<Channels, 13>(plan, request, target);
    return launchBuiltIn<Channels, 15>(plan, request, target);
}

// ---- compiled at run time: exact sizes, taps as constants ----

std::string shapeText(const MarchShape &s) {
    const int fields[] = {s.width, s.height, s.anchorX, s.anchorY, s.run,
                          s.rows,  s.stages, s.threads, s.blocks,  s.unrolled};
    std::string text = "tessera::MarchShape{";
    for (const int field : fields)
        text += std::to_string(field) + ", ";
    return text + (s.plain ? "true}" : "false}");
}

jit::KernelSource sourceOf(const MarchShape &shape, const Taps &taps, int channels) {
    const std::string pixel = "tessera::Pixel<float, " + std::to_string(channels) + ">";
    const std::span<const float> values(taps.value, std::size_t(taps.count()));
    std::string text = "#include \"gpu/kernels/blocked_march.h\"\nstruct GivenTaps {\n"
                       "    __device__ static constexpr float at(int i) {\n        " +
                       jit::constantArray("value", values) +
                       "        return value[i];\n    }\n};\nusing Kernel = tessera::BlockedMarch<" + pixel + ", " +
                       pixel + ", " + shapeText(shape) +
                       ", GivenTaps>;\nextern \"C\" __global__ void __launch_bounds__(" +
                       std::to_string(shape.threads) + ", " + std::to_string(shape.blocks) +
                       ") march(const __grid_constant__ Kernel kernel) { kernel.march(); }\n";
    return {text, "march", {}, false};
}

// Estimates that decide whether compiling pays: shares of the larger of memory's and arithmetic's limit that were
// measured, 0.88 with constants; 0.75 with taps as data where such a kernel is built in, else 0.19 of tiled-float4.
jit::SpecialisationEvidence marchEvidence(int taps, int side, int channels, double megapixels) {
    const double memory = 8.0 * channels / 4000.0;               // ms a megapixel at 4 TB/s
    const double arithmetic = double(taps) * channels / 31000.0; // at 31 multiply-adds a picosecond
    const double limit = memory > arithmetic ? memory : arithmetic;
    return {megapixels, limit / (side <= largestBuiltInMarch ? 0.75 : 0.19), limit / 0.88, 0};
}

struct NoTaps {};

template <int Channels> bool launchSpecialised(const ConvolutionRequest &request, const LaunchTarget &target) {
    using P = FloatPixel<Channels>;
    const Taps &taps = *request.taps;
    if (request.specialise == jit::Specialisation::Never || taps.count() > largestMarchTaps || target.attributes)
        return false;
    const auto operands = operandsOf<Channels>(request);
    const MarchShape shape =
        marchShape(taps.width, taps.height, taps.anchorX, taps.anchorY, Channels, true, operands.finish.plain());
    int device = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    std::string key = shapeText(shape) + std::to_string(Channels);
    key.append(reinterpret_cast<const char *>(taps.value), sizeof(float) * std::size_t(taps.count()));
    const double megapixels = 1e-6 * request.target.width * request.target.height;
    const auto kernel = kernelCacheFor(device).specialise(
        request.specialise, key, marchEvidence(taps.count(), shapeOf(request).centredSide, Channels, megapixels),
        [&] { return sourceOf(shape, taps, Channels); });
    if (!kernel)
        return false;
    // The parameter of the compiled kernel: its operands and an empty tap table.
    struct Parameters {
        MarchOperands<P, P> operands;
        NoTaps taps;
    } parameters{operands, {}};
    const MarchStrips strips = stripsOf(shape, request);
    parameters.operands.strip = strips.strip;
    kernel->launch(dim3(unsigned(strips.grid.x), unsigned(strips.grid.y)), dim3(unsigned(shape.threads)),
                   std::size_t(marchSharedBytes(shape, Channels)), target.stream, &parameters);
    return true;
}

template <int Channels>
bool launchForChannels(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    if (launchSpecialised<Channels>(request, target))
        return true;
    const int side = shapeOf(request).centredSide;
    if (side > largestBuiltInMarch)
        return false;
    launchBuiltIn<Channels>(side, plan, request, target);
    return true;
}

} // namespace

bool launchMarch(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    return request.source.channels == 1 ? launchForChannels<1>(plan, request, target)
                                        : launchForChannels<4>(plan, request, target);
}

} // namespace tessera::cuda
