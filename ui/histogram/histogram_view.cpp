#include "ui/histogram/histogram_view.h"

#include "ui/window/theme.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace tessera {

namespace {

// The most frequent of a column's bins: a peak must not vanish because its bin shares a column.
std::size_t peakBin(const std::vector<std::uint64_t> &bins, int column, int columns) {
    const auto size = std::int64_t(bins.size());
    const auto from = std::int64_t(column) * size / columns;
    const auto to = std::max(from + 1, std::int64_t(column + 1) * size / columns);
    return std::size_t(std::max_element(bins.begin() + from, bins.begin() + to) - bins.begin());
}

QRgb blend(QRgb below, const QColor &colour, double share) {
    const auto mix = [share](int a, int b) { return int(a + (b - a) * share + 0.5); };
    return qRgb(mix(qRed(below), colour.red()), mix(qGreen(below), colour.green()), mix(qBlue(below), colour.blue()));
}

// What lies over one another shows all of it: each counts alike, and red, green and blue together are grey.
class Mixture {
public:
    explicit Mixture(std::vector<QColor> colours) : colours_(std::move(colours)) {}

    // Bit i of the masks: curve i is filled there, or has its outline there.
    QRgb at(unsigned filled, unsigned outlined) const {
        QRgb pixel = theme().field.rgb();
        if (filled)
            pixel = blend(pixel, mean(filled), 1 - std::pow(0.75, std::popcount(filled)));
        return outlined ? blend(pixel, mean(outlined), 0.85) : pixel;
    }

private:
    QColor mean(unsigned mask) const {
        int r = 0, g = 0, b = 0, count = 0;
        for (std::size_t i = 0; i < colours_.size(); ++i)
            if (mask >> i & 1u) {
                r += colours_[i].red(), g += colours_[i].green(), b += colours_[i].blue();
                ++count;
            }
        const auto hasAll = [&](std::initializer_list<QColor> wanted) {
            return std::ranges::all_of(wanted, [&](const QColor &colour) {
                const auto at = std::ranges::find(colours_, colour);
                return at != colours_.end() && mask >> (at - colours_.begin()) & 1u;
            });
        };
        if (hasAll({theme().red, theme().green, theme().blue}))
            return theme().grey;
        return {r / count, g / count, b / count};
    }

    std::vector<QColor> colours_;
};

} // namespace

HistogramView::HistogramView(QWidget *parent) : QWidget(parent) {
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Histogram"));
}

void HistogramView::setStatistics(const ImageStatistics *statistics) {
    if (statistics ? statistics_ == *statistics : !statistics_)
        return;
    statistics_ = statistics ? std::optional(*statistics) : std::nullopt;
    picture_ = {};
    setAccessibleDescription(missing());
    update();
}

void HistogramView::setScale(HistogramScale scale) {
    if (scale_ == scale)
        return;
    scale_ = scale;
    picture_ = {};
    update();
}

void HistogramView::setChannels(unsigned mask) {
    if (channels_ == mask)
        return;
    channels_ = mask;
    picture_ = {};
    setAccessibleDescription(missing());
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

int HistogramView::margin() const { return int(std::lround(4 * devicePixelRatioF())); }

int HistogramView::columns() const { return std::max(1, int(width() * devicePixelRatioF()) - 2 * margin()); }

std::vector<std::vector<HistogramView::Column>> HistogramView::columnsOf(const std::vector<Curve> &shown, int columns,
                                                                         int room) const {
    const int line = std::max(1, int(std::lround(1.2 * devicePixelRatioF())));
    std::vector<std::vector<double>> counts;
    double peak = 0;
    for (const Curve &curve : shown) {
        const auto &bins = curve.channel->histogram;
        auto &all = counts.emplace_back(std::size_t(columns));
        for (int x = 0; x < columns; ++x)
            peak = std::max(peak, all[std::size_t(x)] = double(bins[peakBin(bins, x, columns)]));
    }
    std::vector<std::vector<Column>> drawn(shown.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
        std::vector<int> levels(std::size_t(columns) + 2); // with a 0 at either end
        for (std::size_t x = 0; x < counts[i].size(); ++x)
            levels[x + 1] = int(std::lround(height(counts[i][x], peak) * (room - line)));
        // The outline goes down to the columns beside, so that steep flanks stay closed lines, but never above the
        // column's own count: what is drawn there is what there is.
        for (std::size_t x = 1; x + 1 < levels.size(); ++x)
            drawn[i].push_back({std::min({levels[x - 1], levels[x], levels[x + 1]}) - line, levels[x]});
    }
    return drawn;
}

// Into an image, pixel by pixel: hundreds of filled columns cost a fraction of what an antialiased outline does.
void HistogramView::render() {
    const double ratio = devicePixelRatioF();
    const int wide = std::max(1, int(width() * ratio)), high = std::max(1, int(QWidget::height() * ratio));
    picture_ = QImage(wide, high, QImage::Format_RGB32);
    picture_.setDevicePixelRatio(ratio);
    picture_.fill(theme().field);
    const auto shown = curves();
    std::vector<QColor> colours;
    for (const Curve &curve : shown)
        colours.push_back(curve.colour);
    const Mixture mixture(std::move(colours));
    const unsigned masks = 1u << shown.size();
    std::vector<QRgb> mixed;
    for (unsigned both = 0; both < masks * masks; ++both)
        mixed.push_back(mixture.at(both / masks, both % masks));
    const int count = std::min(columns(), wide - margin());
    const auto drawn = columnsOf(shown, columns(), high - margin());
    for (int x = 0; x < count; ++x) {
        int top = 0;
        for (const auto &curve : drawn)
            top = std::max(top, curve[std::size_t(x)].top);
        for (int y = 0; y < top; ++y) {
            unsigned filled = 0, outlined = 0;
            for (std::size_t i = 0; i < drawn.size(); ++i) {
                const Column &column = drawn[i][std::size_t(x)];
                filled |= y < column.top ? 1u << i : 0u;
                outlined |= y < column.top && y >= column.low ? 1u << i : 0u;
            }
            reinterpret_cast<QRgb *>(picture_.scanLine(high - 1 - y))[margin() + x] = mixed[filled * masks + outlined];
        }
    }
}

void HistogramView::paintEvent(QPaintEvent *) {
    if (picture_.isNull() || picture_.deviceIndependentSize().toSize() != size() ||
        picture_.devicePixelRatio() != devicePixelRatioF())
        render();
    QPainter painter(this);
    painter.drawImage(0, 0, picture_);
    const QString text = statistics_ ? missing() : tr("no picture");
    if (text.isEmpty())
        return;
    painter.setPen(theme().muted);
    painter.setFont(smallFont());
    const bool nothing =
        !statistics_ || std::ranges::none_of(curves(), [](const Curve &curve) { return curve.channel->count > 0; });
    const QRect room = rect().adjusted(6, 4, -6, -4);
    const int how = (nothing ? Qt::AlignCenter : Qt::AlignTop | Qt::AlignHCenter) | Qt::TextWordWrap;
    painter.fillRect(painter.boundingRect(room, how, text).adjusted(-2, 0, 2, 0), theme().field); // over the curves
    painter.drawText(room, how, text);
}

QString HistogramView::missing() const {
    QStringList without;
    const auto shown = curves();
    bool nan = false, infinite = false;
    for (const Curve &curve : shown)
        if (curve.channel->count == 0) {
            without << QString::fromStdString(curve.channel->name);
            nan = nan || curve.channel->nan;
            infinite = infinite || curve.channel->infinite;
        }
    if (without.isEmpty() || !(nan || infinite))
        return {};
    const QString what = !infinite ? tr("NaN alone") : !nan ? tr("infinite values alone") : tr("no finite value");
    return std::size_t(without.size()) == shown.size() ? tr("nothing to draw: %1").arg(what)
                                                       : tr("%1: %2").arg(without.join(QStringLiteral(", ")), what);
}

QString HistogramView::textAt(double x) const {
    const int column = int(std::floor(x * devicePixelRatioF())) - margin();
    if (column < 0 || column >= columns())
        return {};
    QStringList lines;
    for (const Curve &curve : curves()) {
        const ChannelStatistics &channel = *curve.channel;
        const QString name = QString::fromStdString(channel.name);
        if (channel.count == 0) {
            lines << tr("%1: no finite value").arg(name);
            continue;
        }
        const auto bin = peakBin(channel.histogram, column, columns());
        const double span = channel.histogramHigh - channel.histogramLow;
        const double value = channel.histogramLow + span * (double(bin) + 0.5) / double(channel.histogram.size());
        lines << QStringLiteral("%1 %2: %3").arg(name).arg(value, 0, 'g', 5).arg(channel.histogram[bin]);
    }
    return lines.join(QLatin1Char('\n'));
}

void HistogramView::mouseMoveEvent(QMouseEvent *event) {
    const QString text = textAt(event->position().x());
    if (text.isEmpty())
        return QToolTip::hideText();
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

} // namespace tessera
