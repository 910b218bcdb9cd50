#include "ui/kernel_editor/frequency_view.h"

#include "app/session/kernel_analysis.h"
#include "ui/window/theme.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tessera {

FrequencyView::FrequencyView(QWidget *parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Frequency response of the kernel"));
    setToolTip(tr("Left: how much of each spatial frequency the kernel lets through, 0 in the middle.\n"
                  "Right: the same from 0 to half a cycle a pixel, across (blue) and down (red)."));
}

void FrequencyView::setKernel(const ConvolutionKernel *kernel) {
    kernel_ = kernel ? std::optional(*kernel) : std::nullopt;
    response_.clear();
    update();
}

void FrequencyView::paintCourse(QPainter &painter, const QRect &plot, const std::vector<double> &course,
                                const QColor &colour, double peak) const {
    QPolygonF line;
    for (std::size_t i = 0; i < course.size(); ++i)
        line << QPointF(plot.left() + double(i) / intervals * plot.width(),
                        plot.bottom() - course[i] / peak * plot.height());
    painter.setPen(QPen(colour, 1.3));
    painter.drawPolyline(line);
}

void FrequencyView::paintEvent(QPaintEvent *) {
    const Theme &t = theme();
    QPainter painter(this);
    painter.setFont(smallFont());
    if (!kernel_)
        return;
    if (response_.empty()) {
        response_ = frequencyResponse(*kernel_, side);
        across_ = frequencyCourse(*kernel_, true, intervals);
        down_ = frequencyCourse(*kernel_, false, intervals);
    }
    const double peak = std::max({1.0, double(*std::ranges::max_element(response_)), *std::ranges::max_element(across_),
                                  *std::ranges::max_element(down_)});
    const int square = height() - 2;
    QImage picture(side, side, QImage::Format_Grayscale8);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
            picture.scanLine(y)[x] =
                uchar(std::lround(255 * std::sqrt(std::max(0.0, response_[std::size_t(y * side + x)] / peak))));
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(QRect(0, 0, square, square), picture);
    const QRect plot(square + 10, 4, width() - square - 12, height() - 20);
    painter.fillRect(plot.adjusted(-2, -2, 2, 2), t.field);
    painter.setPen(QPen(t.cardBorder, 1));
    const double one = plot.bottom() - plot.height() / peak;
    painter.drawLine(QPointF(plot.left(), one), QPointF(plot.right(), one)); // 1: passed as it is
    painter.setRenderHint(QPainter::Antialiasing);
    paintCourse(painter, plot, down_, t.red, peak);
    paintCourse(painter, plot, across_, t.blue, peak);
    painter.setPen(t.muted);
    const QRect axis(plot.left(), plot.bottom() + 2, plot.width(), 14);
    painter.drawText(axis, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("0"));
    painter.drawText(axis, Qt::AlignRight | Qt::AlignVCenter, tr("½ c/px"));
}

} // namespace tessera
