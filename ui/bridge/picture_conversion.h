// Between Qt's pictures (clipboard, drops) and ours.
#pragma once

#include "app/image/image.h"

#include <QImage>

namespace tessera {

// Keeps 16 bit, grey and alpha where the picture has them. Throws Error{Input} for a null picture.
Image fromQImage(const QImage &image);

// 8-bit RGBA or RGB32, as shown on the screen. Throws Error{Limit} where Qt cannot hold it.
QImage toQImage(const Image &image);

// The same with the picture's own 8 or 16 bits and channels, so that fromQImage gives the picture back; float as shown
// on the screen.
QImage toDeepQImage(const Image &image);

} // namespace tessera
