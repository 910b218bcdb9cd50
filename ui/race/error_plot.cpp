#include "ui/race/error_plot.h"

#include "ui/race/plot_axis.h"
#include "ui/window/theme.h"

#include <QPainter>

#include <algorithm>

namespace tessera {

namespace {

constexpr double exactError = 1e-9; // where "exact" is drawn on an axis that has no zero

double errorOf(const RaceRow &row) { return std::max(exactError, *row.maximumError / row.fullRange); }

void paintGrid(QPainter &painter, const QRect &plot, const LogAxis &time, const LogAxis &error) {
    const Theme &t = theme();
    for (int e = time.low(); e <= time.high(); ++e) {
        const int x = plot.left() + plot.width() * (e - time.low()) / (time.high() - time.low());
        painter.fillRect(QRect(x, plot.top(), 1, plot.height()), t.cardBorder);
        const bool last = e == time.high();
        painter.setPen(t.muted);
        painter.drawText(QRect(x - 40, plot.bottom() + 3, last ? 44 : 80, 15), last ? Qt::AlignRight : Qt::AlignCenter,
                         timeTick(e));
    }
    const int step = std::max(1, (error.high() - error.low()) / std::max(1, plot.height() / 30));
    for (int e = error.low(); e <= error.high(); ++e) {
        const int y = plot.bottom() - plot.height() * (e - error.low()) / (error.high() - error.low());
        painter.fillRect(QRect(plot.left(), y, plot.width(), 1), t.cardBorder);
        if ((error.high() - e) % step == 0)
            painter.drawText(QRect(plot.left() - 40, y - 7, 36, 14), Qt::AlignRight | Qt::AlignVCenter, powerText(e));
    }
}

QString tip(const RaceRow &row) {
    return (row.errorRounded ? ErrorPlot::tr("%1: %2 ms, largest error %3 of the full range, after rounding")
                             : ErrorPlot::tr("%1: %2 ms, largest error %3 of the full range"))
        .arg(QString::fromStdString(row.variant), millisecondsText(*row.medianMs),
             *row.maximumError == 0 ? QStringLiteral("0") : shortExponent(*row.maximumError / row.fullRange));
}

} // namespace

ErrorPlot::ErrorPlot(const RaceModel &model, QWidget *parent) : RacePlot(model, parent) {
    setAccessibleName(tr("Time against error of every measured variant"));
    setAccessibleDescription(hint());
}

QString ErrorPlot::hint() const {
    return tr("Faster to the left, more exact below. Errors are those before rounding where the variant can show them, "
              "as a share of the full range; exact results are drawn at %1.")
        .arg(powerText(-9));
}

std::vector<PlotSpot> ErrorPlot::paint(QPainter &painter, const QRect &room) const {
    LogAxis time, error;
    for (const RaceRow &row : model().rows())
        if (row.medianMs && row.maximumError) {
            time.hold(*row.medianMs);
            error.hold(errorOf(row));
        }
    if (time.empty()) {
        paintEmpty(painter, room, tr("Time against error: a dot a variant, once a race has run"));
        return {};
    }
    const QRect plot = room.adjusted(44, 20, -14, -22);
    paintGrid(painter, plot, time, error);
    painter.drawText(QRect(room.left() + 6, room.top() + 2, room.width() - 12, 15), Qt::AlignLeft,
                     tr("largest error, of the full range"));
    std::vector<PlotSpot> spots;
    for (const RaceRow &row : model().rows())
        if (row.medianMs && row.maximumError)
            spots.push_back({{plot.left() + time.position(*row.medianMs) * plot.width(),
                              plot.bottom() - error.position(errorOf(row)) * plot.height()},
                             QString::fromStdString(row.variant),
                             tip(row),
                             false});
    LabelPlacer labels(QRectF(room).adjusted(2, 2, -2, -20));
    for (const PlotSpot &spot : spots)
        labels.block({spot.place.x() - 4, spot.place.y() - 4, 8, 8});
    std::size_t i = 0;
    for (const RaceRow &row : model().rows())
        if (row.medianMs && row.maximumError) {
            paintDot(painter, spots[i].place, RaceModel::colour(row), false);
            labels.draw(painter, spots[i].place, spots[i].name);
            ++i;
        }
    return spots;
}

} // namespace tessera
