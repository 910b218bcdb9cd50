#include "gpu/launch/separable_launch.cuh"

namespace tessera::cuda::separable_launch {

void launchHalf(const Work &work) {
    work.request.target.type == ScalarType::F32 ? launchTypes<Half, float>(work) : launchTypes<Half, Half>(work);
}

} // namespace tessera::cuda::separable_launch
