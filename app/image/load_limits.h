#pragma once

#include "app/image/image_io.h"

namespace tessera {

// Throws Error{Limit} where the picture has more pixels than are allowed.
void checkPixelLimit(std::string_view name, const ImageInfo &info, const LoadLimits &limits);

} // namespace tessera
