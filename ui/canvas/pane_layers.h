// Turns the canvas's content into layers that TilePainter draws.
#pragma once

#include "ui/canvas/canvas_content.h"
#include "ui/canvas/tile_painter.h"

namespace tessera {

TileLayer pictureLayer(const PictureStack &stack, std::uint64_t serial, double zoom);
TileLayer patchLayer(const ResultPatch &patch);
TileLayer differenceLayer(const CanvasContent &content, double zoom);
TileLayer patchDifferenceLayer(const CanvasContent &content); // there must be a patch

} // namespace tessera
