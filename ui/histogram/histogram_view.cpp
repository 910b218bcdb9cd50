#include "ui/histogram/histogram_view.h"

#include "ui/window/theme.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

// The most frequent value of each column's bins: a peak must not vanish because its bin shares a column.
std::vector<double> columnCounts(const std::vector<std::uint64_t> &bins, int columns) {
    std::vector<double> counts(std::size_t(columns), 0.0);
    const auto size = std::int64_t(bins.size());
    for (int x = 0; x < columns; ++x) {
        const auto from = std::int64_t(x) * size / columns;
        const auto to = std::max(from + 1, std::int64_t(x + 1) * size / columns);
        for (auto bin = from; bin < to; ++bin)
            counts[std::size_t(x)] = std::max(counts[std::size_t(x)], double(bins[std::size_t(bin)]));
    }
    return counts;
}

QRgb blend(QRgb below, const QColor &colour, double share) {
    const auto mix = [share](int a, int b) { return int(a + (b - a) * share + 0.5); };
    return qRgb(mix(qRed(below), colour.red()), mix(qGreen(below), colour.green()), mix(qBlue(below), colour.blue()));
}

} // namespace

HistogramView::HistogramView(QWidget *parent) : QWidget(parent) {
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Histogram"));
}

void HistogramView::setStatistics(const ImageStatistics *statistics) {
    statistics_ = statistics ? std::optional(*statistics) : std::nullopt;
    picture_ = {};
    update();
}

void HistogramView::setScale(HistogramScale scale) {
    scale_ = scale;
    picture_ = {};
    update();
}

void HistogramView::setChannels(unsigned mask) {
    channels_ = mask;
    picture_ = {};
    update();
}

void HistogramView::changeEvent(QEvent *event) {
    if (event->type() == QEvent::PaletteChange)
        picture_ = {};
    QWidget::changeEvent(event);
}

std::vector<HistogramView::Curve> HistogramView::curves() const {
    std::vector<Curve> list;
    if (!statistics_)
        return list;
    const Theme &t = theme();
    const QColor colours[] = {t.red, t.green, t.blue};
    int colourIndex = 0;
    for (const ChannelStatistics &channel : statistics_->channels) {
        if (channel.histogram.empty() || channel.name == "A")
            continue;
        if (channel.name == "Grey") {
            list.push_back({&channel, t.grey});
        } else if (channel.name == "Luminance") {
            if (channels_ & 8u)
                list.push_back({&channel, t.grey});
        } else if (colourIndex < 3) {
            if (channels_ >> colourIndex & 1u)
                list.push_back({&channel, colours[colourIndex]});
            ++colourIndex;
        }
    }
    return list;
}

double HistogramView::height(double count, double peak) const {
    if (count <= 0 || peak <= 0)
        return 0;
    switch (scale_) {
    case HistogramScale::Linear:
        return count / peak;
    case HistogramScale::SquareRoot:
        return std::sqrt(count / peak);
    case HistogramScale::Logarithmic:
        return std::log1p(count) / std::log1p(peak);
    }
    return 0;
}

// Into an image, column by column: hundreds of filled columns cost a fraction of what an antialiased outline does.
void HistogramView::render() {
    const double ratio = devicePixelRatioF();
    const int wide = std::max(1, int(width() * ratio)), high = std::max(1, int(QWidget::height() * ratio));
    picture_ = QImage(wide, high, QImage::Format_RGB32);
    picture_.setDevicePixelRatio(ratio);
    picture_.fill(theme().field);
    const int margin = int(std::lround(4 * ratio)), columns = std::max(1, wide - 2 * margin), room = high - margin;
    std::vector<std::vector<double>> counts;
    double peak = 0;
    const auto shown = curves();
    for (const Curve &curve : shown) {
        counts.push_back(columnCounts(curve.channel->histogram, columns));
        peak = std::max(peak, *std::max_element(counts.back().begin(), counts.back().end()));
    }
    const int line = std::max(1, int(std::lround(1.2 * ratio)));
    for (std::size_t i = 0; i < shown.size(); ++i)
        for (int x = 0; x < columns; ++x) {
            const int level = int(std::lround(height(counts[i][std::size_t(x)], peak) * (room - line)));
            // The outline spans the step from the column before, so that steep flanks stay closed lines.
            const int before = x ? int(std::lround(height(counts[i][std::size_t(x - 1)], peak) * (room - line))) : 0;
            const int low = std::min(level, before) - line, top = std::max(level, before);
            for (int y = 0; y < top; ++y) {
                auto *pixel = reinterpret_cast<QRgb *>(picture_.scanLine(high - 1 - y)) + margin + x;
                *pixel = blend(*pixel, shown[i].colour, y >= low ? 0.85 : 0.25);
            }
        }
}

void HistogramView::paintEvent(QPaintEvent *) {
    if (picture_.isNull() || picture_.deviceIndependentSize().toSize() != size() ||
        picture_.devicePixelRatio() != devicePixelRatioF())
        render();
    QPainter painter(this);
    painter.drawImage(0, 0, picture_);
    if (!statistics_) {
        painter.setPen(theme().muted);
        painter.setFont(smallFont());
        painter.drawText(rect(), Qt::AlignCenter, tr("no picture"));
    }
}

void HistogramView::mouseMoveEvent(QMouseEvent *event) {
    const auto shown = curves();
    if (shown.empty())
        return;
    const double position = (event->position().x() - 4) / std::max(1, width() - 8);
    if (position < 0 || position >= 1)
        return QToolTip::hideText();
    QStringList lines;
    for (const Curve &curve : shown) {
        const ChannelStatistics &channel = *curve.channel;
        const auto bin = std::size_t(position * double(channel.histogram.size()));
        const double span = channel.histogramHigh - channel.histogramLow;
        const double value = channel.histogramLow + span * double(bin) / double(channel.histogram.size());
        lines << QStringLiteral("%1 %2: %3")
                     .arg(QString::fromStdString(channel.name))
                     .arg(value, 0, 'g', 5)
                     .arg(channel.histogram[bin]);
    }
    QToolTip::showText(event->globalPosition().toPoint(), lines.join(QLatin1Char('\n')), this);
}

} // namespace tessera
