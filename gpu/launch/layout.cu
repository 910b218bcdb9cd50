#include "gpu/kernels/layout.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_launcher.h"

namespace tessera::cuda {

namespace {

template <class S, int From, class T, int To>
void repack(const RawView &source, const RawView &target, StreamView stream) {
    LaunchPlan plan;
    plan.block = {32, 8};
    plan.grid = {ceilDivide(target.width, 32), ceilDivide(target.height, 8)};
    CudaLauncher(stream).launch(plan, Repack<Pixel<S, From>, Pixel<T, To>>{source.as<const Pixel<S, From>>(),
                                                                           target.as<Pixel<T, To>>(), Finish{}});
}

template <class S, class T> void repackChannels(const RawView &source, const RawView &target, StreamView stream) {
    const int from = source.channels;
    const int to = target.channels;
    if (from == 3 && to == 4)
        return repack<S, 3, T, 4>(source, target, stream);
    if (from == 2 && to == 4)
        return repack<S, 2, T, 4>(source, target, stream);
    if constexpr (std::is_same_v<S, T>) {
        if (from == 4 && to == 3)
            return repack<S, 4, T, 3>(source, target, stream);
        if (from == 4 && to == 2)
            return repack<S, 4, T, 2>(source, target, stream);
    } else {
        if (from == 1 && to == 1)
            return repack<S, 1, T, 1>(source, target, stream);
        if (from == 4 && to == 4)
            return repack<S, 4, T, 4>(source, target, stream);
    }
    throw CudaError(cudaErrorInvalidValue, "launchRepack with these channel counts");
}

} // namespace

void launchRepack(const RawView &source, const RawView &target, StreamView stream) {
    const bool widens = target.type == ScalarType::F32;
    switch (source.type) {
    case ScalarType::U8:
        return widens ? repackChannels<std::uint8_t, float>(source, target, stream)
                      : repackChannels<std::uint8_t, std::uint8_t>(source, target, stream);
    case ScalarType::U16:
        return widens ? repackChannels<std::uint16_t, float>(source, target, stream)
                      : repackChannels<std::uint16_t, std::uint16_t>(source, target, stream);
    case ScalarType::F16:
        throw CudaError(cudaErrorInvalidValue, "launchRepack of half pixels");
    case ScalarType::F32:
        return repackChannels<float, float>(source, target, stream);
    }
}

} // namespace tessera::cuda
