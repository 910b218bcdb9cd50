// The headers that a kernel compiled at run time may include, inside the program: it needs neither its own sources nor
// the CUDA Toolkit's headers beside it. Written into C++ by packaging/cmake/EmbedHeaders.cmake.
#pragma once

#include "gpu/jit/program.h"

#include <span>

namespace tessera::jit {

struct EmbeddedHeader {
    const char *name; // as it is included: "gpu/image/view.h", "cstdint"
    const char *text;
};

std::span<const EmbeddedHeader> embeddedHeaders();

// Of all names and texts.
const Digest &embeddedHeadersDigest();

} // namespace tessera::jit
