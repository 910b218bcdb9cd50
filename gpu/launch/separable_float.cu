#include "gpu/launch/separable_launch.cuh"

namespace tessera::cuda::separable_launch {

void launchFloat(const Work &work) {
    switch (work.request.target.type) {
    case ScalarType::U8:
        return launchTypes<float, std::uint8_t>(work);
    case ScalarType::U16:
        return launchTypes<float, std::uint16_t>(work);
    default:
        return launchTypes<float, float>(work);
    }
}

} // namespace tessera::cuda::separable_launch
