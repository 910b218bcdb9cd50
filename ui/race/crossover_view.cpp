#include "ui/race/crossover_view.h"

#include "ui/race/plot_axis.h"
#include "ui/window/theme.h"

#include <QPainter>

#include <algorithm>

namespace tessera {

namespace {
constexpr int headWidth = 92, headHeight = 36;
}

CrossoverView::CrossoverView(const RaceModel &model, QWidget *parent) : RacePlot(model, parent) {
    setAccessibleName(tr("Crossover map: which variant wins at which size"));
    setAccessibleDescription(hint());
}

QString CrossoverView::hint() const {
    return tr(
        "In each cell the fastest variant for a kernel of that size on a picture of that size, and how many times "
        "faster it is than the next. A paler cell is a tie.");
}

void CrossoverView::setMap(const CrossoverMap &map) {
    map_ = map;
    update();
}

void CrossoverView::setScope(CrossoverScope scope) {
    scope_ = scope;
    update();
}

void CrossoverView::setMeasuring(bool measuring) {
    measuring_ = measuring;
    update();
}

QString CrossoverView::tip(const CrossoverCell &cell) const {
    QStringList lines{tr("%1 × %1 kernel on %2 × %2 pixels").arg(cell.kernel).arg(cell.picture)};
    std::vector<const CrossoverTime *> times;
    for (const CrossoverTime &time : cell.times)
        times.push_back(&time);
    const auto ms = [this](const CrossoverTime *time) {
        return scope_ == CrossoverScope::Call ? std::optional(time->callMs) : time->kernelMs;
    };
    std::ranges::sort(times, {}, [&](const CrossoverTime *time) { return ms(time).value_or(1e300); });
    for (const CrossoverTime *time : times)
        lines << (ms(time) ? tr("%1: %2 ms, %3 samples")
                                 .arg(QString::fromStdString(time->variant), millisecondsText(*ms(time)))
                                 .arg(time->samples)
                           : tr("%1: the kernel's time is not known").arg(QString::fromStdString(time->variant)));
    if (cell.times.empty())
        lines << tr("not measured yet");
    return lines.join(QLatin1Char('\n'));
}

void CrossoverView::paintHeads(QPainter &painter, const QRect &grid, double wide, double high) const {
    painter.setPen(theme().muted);
    painter.drawText(QRect(grid.left(), grid.top() - headHeight, grid.width(), 17), Qt::AlignLeft | Qt::AlignVCenter,
                     map_->plan.kind == CrossoverKernels::Dense ? tr("kernel, every tap its own")
                                                                : tr("kernel, separable"));
    for (std::size_t k = 0; k < map_->plan.kernels.size(); ++k)
        painter.drawText(QRectF(grid.left() + wide * double(k), grid.top() - 18, wide, 17), Qt::AlignCenter,
                         QStringLiteral("%1 × %1").arg(map_->plan.kernels[k]));
    for (std::size_t p = 0; p < map_->plan.pictures.size(); ++p)
        painter.drawText(QRectF(grid.left() - headWidth, grid.top() + high * double(p), headWidth - 8, high),
                         Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("%1 × %1").arg(map_->plan.pictures[p]));
}

PlotSpot CrossoverView::paintCell(QPainter &painter, const QRectF &rect, const CrossoverCell &cell) const {
    const auto winner = winnerOf(cell, scope_);
    const PlotSpot spot{rect.center(), winner ? QString::fromStdString(winner->variant) : QString(), tip(cell),
                        !winner};
    if (!winner) {
        painter.fillRect(rect, theme().card);
        painter.setPen(theme().muted);
        painter.drawText(rect, Qt::AlignCenter, measuring_ ? QStringLiteral("…") : QStringLiteral("–"));
        return spot;
    }
    const bool tie = !winner->tieWith.empty();
    QColor fill = RaceModel::colourOf(winner->variant);
    fill.setAlphaF(tie ? 0.22f : 0.62f);
    painter.fillRect(rect, fill);
    painter.setPen(theme().text);
    const QString lead = tie                 ? tr("tie")
                         : winner->lead == 1 ? QString()
                                             : QStringLiteral("%1×").arg(winner->lead, 0, 'f', 1);
    const QString one = lead.isEmpty() ? spot.name : QStringLiteral("%1 %2").arg(spot.name, lead);
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(one);
    painter.drawText(rect, Qt::AlignCenter,
                     width < rect.width() - 6 || lead.isEmpty() ? one
                     : rect.height() >= 30                      ? spot.name + QLatin1Char('\n') + lead
                                                                : spot.name);
    return spot;
}

std::vector<PlotSpot> CrossoverView::paint(QPainter &painter, const QRect &room) const {
    if (!map_ || (!measuring_ &&
                  std::ranges::all_of(map_->cells, [](const CrossoverCell &cell) { return cell.times.empty(); }))) {
        paintEmpty(painter, room,
                   tr("Which variant wins at which kernel size and picture size: press Measure. It takes a minute or "
                      "two, can be stopped and gone on with, and the result is kept."));
        return {};
    }
    const QRect grid = room.adjusted(headWidth + 4, headHeight + 4, -10, -8);
    const double wide = std::min(130.0, double(grid.width()) / double(map_->plan.kernels.size()));
    const double high = std::min(44.0, double(grid.height()) / double(map_->plan.pictures.size()));
    paintHeads(painter, grid, wide, high);
    std::vector<PlotSpot> spots;
    for (std::size_t p = 0; p < map_->plan.pictures.size(); ++p)
        for (std::size_t k = 0; k < map_->plan.kernels.size(); ++k)
            spots.push_back(paintCell(
                painter, QRectF(grid.left() + wide * double(k), grid.top() + high * double(p), wide - 1.5, high - 1.5),
                map_->at(k, p)));
    return spots;
}

} // namespace tessera
