#include "gpu/launch/separable_launch.cuh"

namespace tessera::cuda::separable_launch {

void launchU16(const Work &work) {
    work.request.target.type == ScalarType::F32 ? launchTypes<std::uint16_t, float>(work) : launchTypes<std::uint16_t, std::uint16_t>(work);
}

} // namespace tessera::cuda::separable_launch
