#include "ui/race/race_plot.h"

#include "ui/window/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace tessera {

RacePlot::RacePlot(const RaceModel &model, QWidget *parent) : QWidget(parent), model_(model) {
    connect(&model, &QAbstractItemModel::dataChanged, this, qOverload<>(&QWidget::update));
    connect(&model, &QAbstractItemModel::modelReset, this, qOverload<>(&QWidget::update));
    connect(&model, &RaceModel::devicesChanged, this, qOverload<>(&QWidget::update));
}

void RacePlot::paintGround(QPainter &painter, const QRect &room) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont());
    painter.fillRect(room, theme().field);
}

void RacePlot::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    paintGround(painter, rect());
    paint(painter, rect());
}

QImage RacePlot::picture(const QSize &size, double scale) const {
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    paintGround(painter, QRect(QPoint(), size));
    paint(painter, QRect(QPoint(), size));
    return image;
}

std::vector<PlotSpot> RacePlot::spots(const QSize &size) const {
    QImage image(size, QImage::Format_RGB32);
    QPainter painter(&image);
    paintGround(painter, QRect(QPoint(), size));
    return paint(painter, QRect(QPoint(), size));
}

bool RacePlot::event(QEvent *event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    constexpr double reach = 12;
    QStringList found; // dots may lie on each other
    for (const PlotSpot &spot : spots(size()))
        if (QLineF(spot.place, help->pos()).length() <= reach)
            found << spot.text;
    QToolTip::showText(help->globalPos(), found.isEmpty() ? hint() : found.join(QStringLiteral("\n\n")), this);
    return true;
}

void paintDot(QPainter &painter, const QPointF &place, const QColor &colour, bool hollow, bool square) {
    painter.setPen(hollow ? QPen(colour, 1.5) : QPen(Qt::NoPen));
    painter.setBrush(hollow ? QBrush(Qt::NoBrush) : QBrush(colour));
    if (square)
        painter.drawRect(QRectF(place.x() - 3.8, place.y() - 3.8, 7.6, 7.6));
    else
        painter.drawEllipse(place, 4.2, 4.2);
    painter.setPen(theme().text);
}

void paintEmpty(QPainter &painter, const QRect &room, const QString &text) {
    painter.setPen(theme().muted);
    painter.drawText(room.adjusted(12, 6, -12, -6), Qt::AlignCenter | Qt::TextWordWrap, text);
}

} // namespace tessera
