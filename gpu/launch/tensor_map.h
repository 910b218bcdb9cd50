// Maps of pictures for tensor copies (copyBox() in gpu/kernels/asynchronous.h).
#pragma once

#include "gpu/kernels/asynchronous.h"
#include "gpu/launch/convolution.h"

#include <optional>

namespace tessera::cuda {

// Of a picture of one float channel, for boxes of boxWidth x boxHeight pixels: at most 256 either way, rows of whole 16
// bytes. Nothing where the driver makes no maps, or none of this picture: rows must begin on 16-byte boundaries.
std::optional<TensorMap> tensorMapOf(const RawView &picture, int boxWidth, int boxHeight);

} // namespace tessera::cuda
