// Decoding and encoding that a user need not wait for: the libraries for picture files know no way to stop.
#pragma once

#include "app/core/run_control.h"
#include "app/image/image_io.h"

namespace tessera {

// loadImage(), but once a stop is requested it throws Error{Cancelled} within some milliseconds. What was being decoded
// comes to its end on a thread of its own, and is dropped.
Image loadInterruptibly(const std::filesystem::path &path, const RunControl &control);

// saveImage() likewise. Only encoding is left behind: a file that was not being written yet never will be.
void saveInterruptibly(const SharedImage &picture, const std::filesystem::path &path, const SaveOptions &options,
                       const RunControl &control);

} // namespace tessera
