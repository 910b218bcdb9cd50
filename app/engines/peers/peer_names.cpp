#include "app/engines/peers/peer_names.h"

#if defined(TESSERA_WITH_CUDA_ENGINE)
#include "gpu/peers/peer.h"
#endif

namespace tessera {

bool isPeerVariant(std::string_view variant) {
    const std::string_view name = variant.substr(0, variant.find(':'));
    return name == "npp" || name == "cudnn";
}

#if defined(TESSERA_WITH_CUDA_ENGINE)
std::string missingPeer(std::string_view variant) {
    const cuda::ConvolutionPeer *peer = cuda::findConvolutionPeer(variant);
    return peer ? peer->missing() : std::string(variant) + " is not known to this build";
}
#else
std::string missingPeer(std::string_view) { return "this build was made without CUDA"; }
#endif

} // namespace tessera
