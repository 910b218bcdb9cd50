#include "ui/kernel_editor/impulse_view.h"

#include "ui/window/theme.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tessera {

ImpulseView::ImpulseView(QWidget *parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Impulse response of the kernel"));
}

void ImpulseView::setKernel(const ConvolutionKernel *kernel, bool flip) {
    response_ = kernel ? std::optional(impulseResponse(*kernel, flip)) : std::nullopt;
    setToolTip((flip ? tr("A single bright pixel becomes the kernel as it is written: true convolution.")
                     : tr("A single bright pixel becomes the kernel turned by 180°: correlation.")) +
               QLatin1Char('\n') + tr("Right: its course across the row of that pixel, which is marked."));
    setAccessibleDescription(toolTip());
    update();
}

void ImpulseView::paintPicture(QPainter &painter, const QRect &room, double largest) const {
    const Theme &t = theme();
    QImage picture(response_->width, response_->height, QImage::Format_RGB32);
    for (int y = 0; y < response_->height; ++y)
        for (int x = 0; x < response_->width; ++x) {
            const double value = response_->values[std::size_t(y * response_->width + x)] / largest;
            const double strength = std::sqrt(std::abs(value)); // small values stay visible
            const QColor full = value < 0 ? t.negative : t.positive;
            const auto mix = [strength](int from, int to) { return int(from + (to - from) * strength); };
            picture.setPixelColor(
                x, y,
                {mix(t.field.red(), full.red()), mix(t.field.green(), full.green()), mix(t.field.blue(), full.blue())});
        }
    painter.fillRect(room, t.field);
    // One pixel more on each side shows where the response ends.
    const double cell = double(room.width()) / (std::max(response_->width, response_->height) + 2);
    const QRectF target(room.center().x() + 0.5 - cell * response_->width / 2,
                        room.center().y() + 0.5 - cell * response_->height / 2, cell * response_->width,
                        cell * response_->height);
    painter.drawImage(target, picture);
    painter.setPen(QPen(t.mark, 1));
    painter.setBrush(Qt::NoBrush);
    const double mark = std::max(cell, 4.0);
    painter.drawRect(QRectF(target.left() + cell * (response_->x + 0.5) - mark / 2,
                            target.top() + cell * (response_->y + 0.5) - mark / 2, mark, mark));
}

void ImpulseView::paintCourse(QPainter &painter, const QRect &plot, double least, double largest) const {
    const Theme &t = theme();
    painter.fillRect(plot.adjusted(-2, -2, 2, 2), t.field);
    const double low = std::min(0.0, least), high = std::max(0.0, largest), span = std::max(1e-300, high - low);
    const auto yOf = [&](double value) { return plot.bottom() - (value - low) / span * plot.height(); };
    const double step = double(plot.width()) / (response_->width + 2);
    painter.setPen(QPen(t.cardBorder, 1));
    painter.drawLine(QPointF(plot.left(), yOf(0)), QPointF(plot.right(), yOf(0)));
    QPolygonF line;
    for (int x = -1; x <= response_->width; ++x) { // stairs, as pixels are
        const bool inside = x >= 0 && x < response_->width;
        const double value = inside ? response_->values[std::size_t(response_->y * response_->width + x)] : 0.0;
        line << QPointF(plot.left() + step * (x + 1), yOf(value)) << QPointF(plot.left() + step * (x + 2), yOf(value));
    }
    painter.setPen(QPen(t.blue, 1.3));
    painter.drawPolyline(line);
}

void ImpulseView::paintEvent(QPaintEvent *) {
    if (!response_)
        return;
    QPainter painter(this);
    painter.setFont(smallFont());
    const auto [least, largest] = std::minmax_element(response_->values.begin(), response_->values.end());
    const int square = height() - 2;
    paintPicture(painter, QRect(0, 0, square, square), std::max({1e-300, std::abs(*least), std::abs(*largest)}));
    const QRect plot(square + 10, 4, width() - square - 12, height() - 20);
    paintCourse(painter, plot, *least, *largest);
    painter.setPen(theme().muted);
    painter.drawText(QRect(plot.left(), plot.bottom() + 2, plot.width(), 14), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("largest %1").arg(std::abs(*largest) >= std::abs(*least) ? *largest : *least, 0, 'g', 3));
}

} // namespace tessera
