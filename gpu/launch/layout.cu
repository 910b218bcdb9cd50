#include "gpu/kernels/layout.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_launcher.h"

namespace tessera::cuda {

namespace {

template <class T, int From, int To> void repack(const RawView &source, const RawView &target, StreamView stream) {
    LaunchPlan plan;
    plan.block = {32, 8};
    plan.grid = {ceilDivide(target.width, 32), ceilDivide(target.height, 8)};
    CudaLauncher(stream).launch(plan, Repack<Pixel<T, From>, Pixel<T, To>>{source.as<const Pixel<T, From>>(),
                                                                          target.as<Pixel<T, To>>(), Finish{}});
}

template <class T> void repackChannels(const RawView &source, int from, const RawView &target, int to, StreamView stream) {
    if (from == 3 && to == 4)
        return repack<T, 3, 4>(source, target, stream);
    if (from == 4 && to == 3)
        return repack<T, 4, 3>(source, target, stream);
    if (from == 2 && to == 4)
        return repack<T, 2, 4>(source, target, stream);
    if (from == 4 && to == 2)
        return repack<T, 4, 2>(source, target, stream);
    throw CudaError(cudaErrorInvalidValue, "launchRepack with these channel counts");
}

} // namespace

void launchRepack(const RawView &source, int sourceChannels, const RawView &target, int targetChannels, StreamView stream) {
    switch (source.type) {
    case ScalarType::U8:
        return repackChannels<std::uint8_t>(source, sourceChannels, target, targetChannels, stream);
    case ScalarType::U16:
        return repackChannels<std::uint16_t>(source, sourceChannels, target, targetChannels, stream);
    case ScalarType::F32:
        return repackChannels<float>(source, sourceChannels, target, targetChannels, stream);
    }
}

} // namespace tessera::cuda
