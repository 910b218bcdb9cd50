// Between Qt's pictures (clipboard, drops) and ours.
#pragma once

#include "app/image/image.h"

#include <QImage>

namespace tessera {

// Keeps 16 bit, grey and alpha where the picture has them. Throws Error{Input} for a null picture.
Image fromQImage(const QImage &image);

// 8-bit RGBA or RGB32, as shown on the screen.
QImage toQImage(const Image &image);

} // namespace tessera
