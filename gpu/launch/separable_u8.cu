#include "gpu/launch/separable_launch.cuh"

namespace tessera::cuda::separable_launch {

void launchU8(const Work &work) {
    work.request.target.type == ScalarType::F32 ? launchTypes<std::uint8_t, float>(work) : launchTypes<std::uint8_t, std::uint8_t>(work);
}

} // namespace tessera::cuda::separable_launch
