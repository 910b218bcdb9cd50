// What lies above the picture: captions, the checkerboard under transparency, the pixel grid with its numbers.
#pragma once

#include "app/image/image.h"
#include "app/session/pipeline.h"
#include "ui/canvas/tile_painter.h"

#include <QPainter>
#include <QString>

#include <optional>

namespace tessera {

// One caption on a translucent box, `margin` pixels from the pane's edges; several lines allowed.
void paintCaption(QPainter &painter, const QString &text, const QRect &pane, Qt::Alignment alignment);

void paintSplitHandle(QPainter &painter, const QRect &pane, double position);

// `clip` in screen pixels; fields are 8 logical pixels wide at any zoom.
void paintCheckerboard(QPainter &painter, const QRect &clip, double ratio);

// From 800 % on a line round every pixel, from where they fit the values in it. Outlines the pixel under the cursor.
void paintPixelGrid(QPainter &painter, const Image &image, const ScreenMapping &mapping, const QRect &clip,
                    double ratio, std::optional<QPoint> hover);

// "x 4127  y 2210   R 143  G 131  B 158"
QString describePixel(const QString &prefix, const Image &image, QPoint pixel);

// "Σ R  1.859·138 − 0.094·136 − … = 143": how the first colour of the pixel came about.
QString describeSum(const Image &before, const FilterStep &step, QPoint pixel);

} // namespace tessera
