#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/level_digits.h"
#include "gpu/launch/plan_levels.h"
#include "gpu/launch/tensor_map.h"

#include <algorithm>

namespace tessera::cuda {

namespace {

int multiprocessorsHere() {
    int device = 0, multiprocessors = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return multiprocessors;
}

template <int Side> std::optional<LevelDigits> digitsOf(const ConvolutionRequest &request) {
    CentredTaps<Side> centred;
    Finish unused;
    setTaps(centred, unused, request);
    return levelDigitsOf(centred.value, Side, request.finish);
}

template <LevelShape shape, bool plain>
bool fillMaps(LevelMarch<shape, plain> &kernel, const ConvolutionRequest &request) {
    using Kernel = LevelMarch<shape, plain>;
    const auto source = tensorMapOfWords(request.source, Kernel::Ring::layout.pitch, shape.rows());
    if (!source)
        return false;
    kernel.sourceMap = *source;
    if constexpr (Kernel::boxes) {
        const auto target = tensorMapOfBytes(request.target, shape.columns(), shape.rows());
        if (!target)
            return false;
        kernel.targetMap = *target;
    }
    return true;
}

template <LevelShape shape, bool plain>
bool launchWith(const LevelDigits &digits, const ConvolutionRequest &request, const LaunchTarget &target) {
    using Kernel = LevelMarch<shape, plain>;
    Kernel kernel{};
    // Where only attributes are asked for, there may be no picture.
    if (!target.attributes && !fillMaps(kernel, request))
        return false;
    const LevelStrips strips = levelStrips(shape, request.target.width, request.target.height, multiprocessorsHere());
    kernel.operands.source = borderedSource<typename Kernel::P>(request);
    kernel.operands.target = request.target.as<typename Kernel::P>();
    kernel.operands.originX = request.originX;
    kernel.operands.originY = request.originY;
    kernel.operands.strip = strips.strip;
    kernel.operands.finish = digits.finish;
    std::ranges::copy(digits.taps, kernel.operands.taps);
    LaunchPlan plan;
    plan.grid = strips.grid;
    plan.block = {Kernel::maximumThreads, 1};
    plan.sharedBytes = std::size_t(Kernel::layout.sharedBytes);
    // As it was measured: hardly a byte is read twice, so that a cache has no use.
    TESSERA_CUDA_CHECK(cudaFuncSetAttribute(runKernel<Kernel>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                            cudaSharedmemCarveoutMaxShared));
    CudaLauncher(target).launch(plan, kernel);
    return true;
}

template <int Side, int Channels> bool launchShape(const ConvolutionRequest &request, const LaunchTarget &target) {
    constexpr LevelShape shape = levelShape(Side, Channels);
    const std::optional<LevelDigits> digits = digitsOf<Side>(request);
    if (!digits)
        return false;
    return digits->finish.plain ? launchWith<shape, true>(*digits, request, target)
                                : launchWith<shape, false>(*digits, request, target);
}

bool isAligned(const RawView &view, unsigned bytes) {
    return (reinterpret_cast<std::uintptr_t>(view.data) | std::uintptr_t(view.pitch)) % bytes == 0;
}

// What the copies can take, and the rim: rows that begin on 16 bytes, in a part that lies in the picture.
bool mayMarchOverLevels(const ConvolutionRequest &request) {
    const RawView &source = request.source, &target = request.target;
    const unsigned all = (1u << source.channels) - 1u;
    return source.type == ScalarType::U8 && target.type == ScalarType::U8 && (request.channelMask & all) == all &&
           source.pitch > 0 && isAligned(source, 16) && isAligned(target, target.channels == 1 ? 16 : 8) &&
           request.originX * source.channels % 16 == 0 && request.originX >= 0 && request.originY >= 0 &&
           request.originX + target.width <= source.width && request.originY + target.height <= source.height;
}

} // namespace

bool launchLevelMarch(const ConvolutionRequest &request, const LaunchTarget &target) {
    const int side = shapeOf(request).centredSide;
    if (!mayMarchOverLevels(request))
        return false;
    if (request.source.channels == 4)
        return side <= 3 ? launchShape<3, 4>(request, target) : launchShape<5, 4>(request, target);
    return side <= 3   ? launchShape<3, 1>(request, target)
           : side <= 5 ? launchShape<5, 1>(request, target)
                       : launchShape<7, 1>(request, target);
}

} // namespace tessera::cuda
