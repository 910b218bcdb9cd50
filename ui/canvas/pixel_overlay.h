// What lies above the picture: captions, the checkerboard under transparency, the pixel grid with its numbers.
#pragma once

#include "app/image/image.h"
#include "app/session/display.h"
#include "app/session/pipeline.h"
#include "ui/canvas/tile_painter.h"

#include <QPainter>
#include <QString>

#include <optional>

namespace tessera {

// From this zoom on (in logical pixels a picture pixel) the grid is drawn.
inline constexpr double gridZoom = 8;

// One caption on a translucent box, a few pixels from the pane's edges; several lines allowed.
void paintCaption(QPainter &painter, const QString &text, const QRect &pane, Qt::Alignment alignment);
QRect captionRect(const QString &text, const QRect &pane, Qt::Alignment alignment); // what it covers
// A line of describeSum() that fits: its terms are cut, its result never. Other lines are cut at their end.
QString elidedSum(const QString &line, const QFontMetrics &metrics, int width);
// The box alone; leaves the pen at the colour for text on it.
void paintOverlayBox(QPainter &painter, const QRect &box);

void paintSplitHandle(QPainter &painter, const QRect &pane, double position);

// `clip` in screen pixels; fields are 8 logical pixels wide at any zoom.
void paintCheckerboard(QPainter &painter, const QRect &clip, double ratio);

// Whose values the grid shows.
struct GridPicture {
    const Image *image = nullptr;
    QPoint offset;                                        // of its first pixel, in the picture
    const Image *subtract = nullptr;                      // the whole picture whose values are taken off; null: none
    DifferenceMode difference = DifferenceMode::Absolute; // how that is shown, for the colour of the ink
    double gain = 1;
};

// From 800 % on a line round every pixel, from where they fit the values in it. Outlines the pixel under the cursor.
void paintPixelGrid(QPainter &painter, const GridPicture &picture, const ScreenMapping &mapping, const QRect &clip,
                    double ratio, std::optional<QPoint> hover);

// "x 4127  y 2210   R 143  G 131  B 158"
QString describePixel(const QString &prefix, const Image &image, QPoint pixel);

// "Σ R  1.859·138 − 0.094·136 − … = 143": how that colour of the pixel came about. `channel` is limited to the colours
// that there are.
QString describeSum(const Image &before, const FilterStep &step, QPoint pixel, int channel);

} // namespace tessera
