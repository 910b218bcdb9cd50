// All terms of the sum that made one pixel: the kernel's cells, each with its tap and the value it met.
#pragma once

#include "app/session/tap_sum.h"

#include <QPainter>
#include <QStringList>

#include <vector>

namespace tessera {

struct TapTable {
    QStringList heading;           // parts of a line: "R at x 12, y 7:" and "tap·value"
    std::vector<QStringList> rows; // a row of the kernel each: "0.25·143"; in brackets what comes from the border
    QStringList footer;            // parts of a line: "Σ = 1284.2" and "1284.2 / 9 + 0 = 142.69"
};

// As a grid where the kernel has at most `columns` x `lines` cells, else its largest terms, one a line, and how many
// are left out.
TapTable tapTable(const TapSum &sum, QPoint pixel, const QString &channel, int columns, int lines);

// Paints it at the bottom right of `room` and returns what it covers. Nothing where there is no room for a line, or
// where the step explains no pixel.
QRect paintTapTable(QPainter &painter, const Image &before, const FilterStep &step, QPoint pixel, int channel,
                    const QRect &room);

} // namespace tessera
