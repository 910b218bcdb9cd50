// Vendors' libraries that are variants of the cuda engine. Built everywhere: without CUDA they are merely missing.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// "npp" and "cudnn", with or without options after a colon (of which they have none, see PeerVariants::refusal()).
bool isPeerVariant(std::string_view variant);

// Why the variant runs on no device here as far as its library is concerned, a sentence without a final stop; empty
// where the library is there. Opens it the first time. `variant` must be a peer's.
std::string missingPeer(std::string_view variant);

} // namespace tessera
