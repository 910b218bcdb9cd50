// A picture that a command line names.
#pragma once

#include "app/commands/console.h"
#include "app/image/image_io.h"

#include <filesystem>

namespace tessera {

// loadImage(), and a line about what of the file the picture does not hold.
Image loadPicture(const std::filesystem::path &path, const LoadLimits &limits, Console &console);

} // namespace tessera
