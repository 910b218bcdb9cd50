#include "ui/race/time_plot.h"

#include "ui/race/plot_axis.h"
#include "ui/window/theme.h"

#include <QPainter>

#include <algorithm>

namespace tessera {

namespace {

constexpr int nameWidth = 96;

void paintAxis(QPainter &painter, const QRect &plot, const LogAxis &time) {
    for (int e = time.low(); e <= time.high(); ++e) {
        const int x = plot.left() + plot.width() * (e - time.low()) / (time.high() - time.low());
        painter.fillRect(QRect(x, plot.top(), 1, plot.height()), theme().cardBorder);
        painter.setPen(theme().muted);
        painter.drawText(QRect(x - 40, plot.bottom() + 3, e == time.high() ? 48 : 80, 15),
                         e == time.high() ? Qt::AlignRight : Qt::AlignCenter, timeTick(e));
    }
}

void paintRow(QPainter &painter, const RaceRow &row, const QRectF &lane, const LogAxis &time) {
    const auto x = [&](double ms) { return lane.left() + time.position(ms) * lane.width(); };
    const double y = lane.center().y(), half = std::min(7.0, lane.height() * 0.32);
    const QColor colour = RaceModel::colour(row);
    QColor faint = colour;
    faint.setAlphaF(0.35f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(faint);
    for (std::size_t i = 0; i < row.recent.size(); ++i) // spread over the lane's height, so that they do not pile up
        painter.drawEllipse(QPointF(x(row.recent[i]), y + half * (double(i % 5) - 2) / 2), 1.8, 1.8);
    painter.setPen(QPen(colour, 1.3));
    painter.drawLine(QPointF(x(*row.p5Ms), y), QPointF(x(*row.p95Ms), y));
    QRectF box(QPointF(x(row.interval->low), y - half), QPointF(x(row.interval->high), y + half));
    if (box.width() < 2)
        box.adjust(-1, 0, 1, 0);
    painter.setBrush(faint);
    painter.drawRect(box);
    painter.setPen(QPen(theme().text, 1.6));
    painter.drawLine(QPointF(x(*row.medianMs), y - half - 1), QPointF(x(*row.medianMs), y + half + 1));
    if (row.floorMs) {
        painter.setPen(QPen(theme().mark, 1.6));
        painter.drawLine(QPointF(x(*row.floorMs), y - half - 1), QPointF(x(*row.floorMs), y + half + 1));
    }
}

QString tip(const RaceRow &row) {
    QString text = TimePlot::tr("%1: median %2 ms, between %3 and %4 ms with 95 % confidence, %5 samples")
                       .arg(QString::fromStdString(row.variant), millisecondsText(*row.medianMs),
                            millisecondsText(row.interval->low), millisecondsText(row.interval->high))
                       .arg(row.samples);
    if (row.floorMs)
        text += TimePlot::tr("\nthe device allows %1 ms").arg(millisecondsText(*row.floorMs));
    return text;
}

} // namespace

TimePlot::TimePlot(const RaceModel &model, QWidget *parent) : RacePlot(model, parent) {
    setAccessibleName(tr("Times of every measured variant with their spread"));
    setAccessibleDescription(hint());
}

QString TimePlot::hint() const {
    return tr("A point a sample, a line over the middle 90 %, a box where the median lies with 95 % confidence: boxes "
              "that overlap are a tie. The yellow mark is the least that the device allows.");
}

std::vector<PlotSpot> TimePlot::paint(QPainter &painter, const QRect &room) const {
    std::vector<const RaceRow *> rows;
    LogAxis time;
    for (const RaceRow &row : model().rows())
        if (row.medianMs && row.interval && row.p5Ms && row.p95Ms) {
            rows.push_back(&row);
            time.hold(*row.fastestMs);
            time.hold(*row.slowestMs);
            if (row.floorMs)
                time.hold(*row.floorMs);
        }
    if (rows.empty()) {
        paintEmpty(painter, room, tr("The times of every variant with their spread, once a race runs"));
        return {};
    }
    const QRect plot = room.adjusted(nameWidth + 8, 8, -16, -22);
    paintAxis(painter, plot, time);
    std::vector<PlotSpot> spots;
    const double height = std::min(34.0, double(plot.height()) / double(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const QRectF lane(plot.left(), plot.top() + height * double(i), plot.width(), height);
        painter.setPen(theme().text);
        painter.drawText(QRectF(room.left() + 8, lane.top(), nameWidth - 4, height), Qt::AlignLeft | Qt::AlignVCenter,
                         QString::fromStdString(rows[i]->variant));
        paintRow(painter, *rows[i], lane, time);
        spots.push_back({{lane.left() + time.position(*rows[i]->medianMs) * lane.width(), lane.center().y()},
                         QString::fromStdString(rows[i]->variant),
                         tip(*rows[i]),
                         false});
    }
    return spots;
}

} // namespace tessera
