#include "ui/race/roofline_plot.h"

#include "ui/race/plot_axis.h"
#include "ui/window/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

// The roof over the rows' size of work.
struct Roof {
    double bytesPerSecond = 0, fp32 = 0;
    std::optional<double> half2;

    double at(double intensity, double peak) const { return std::min(peak, intensity * bytesPerSecond); }
};

std::optional<Roof> roofOf(const RaceDevice &device, double bytes) {
    const auto rate = device.ceilings.copyRate(bytes, bench::CacheState::Hot);
    if (!rate || !device.ceilings.fp32)
        return std::nullopt;
    return Roof{*rate, *device.ceilings.fp32, device.ceilings.half2};
}

struct Plot {
    QRect area;
    LogAxis intensity, rate;

    QPointF at(double x, double y) const {
        return {area.left() + intensity.position(x) * area.width(), area.bottom() - rate.position(y) * area.height()};
    }
};

void paintGrid(QPainter &painter, const Plot &plot) {
    const Theme &t = theme();
    for (int e = plot.intensity.low(); e <= plot.intensity.high(); ++e) {
        const int x = int(plot.at(std::pow(10.0, e), 1).x());
        painter.fillRect(QRect(x, plot.area.top(), 1, plot.area.height()), t.cardBorder);
        painter.setPen(t.muted);
        const bool last = e == plot.intensity.high();
        painter.drawText(QRect(last ? x - 120 : x - 40, plot.area.bottom() + 3, last ? 128 : 80, 15),
                         last ? Qt::AlignRight : Qt::AlignCenter,
                         last ? RooflinePlot::tr("%1 FLOP/byte").arg(std::pow(10.0, e))
                              : QString::number(std::pow(10.0, e)));
    }
    for (int e = plot.rate.low(); e <= plot.rate.high(); ++e) {
        const int y = int(plot.at(1, std::pow(10.0, e)).y());
        painter.fillRect(QRect(plot.area.left(), y, plot.area.width(), 1), t.cardBorder);
        painter.drawText(QRect(plot.area.left() - 76, y - 8, 72, 16), Qt::AlignRight | Qt::AlignVCenter,
                         rateTick(e, QStringLiteral("FLOP/s")));
    }
}

void paintRoof(QPainter &painter, const Plot &plot, const Roof &roof, double peak, bool dashed) {
    const double left = plot.intensity.valueAt(0), right = plot.intensity.valueAt(1);
    QPolygonF line;
    line << plot.at(left, roof.at(left, peak));
    if (const double ridge = peak / roof.bytesPerSecond; ridge > left && ridge < right)
        line << plot.at(ridge, peak);
    line << plot.at(right, roof.at(right, peak));
    painter.setPen(QPen(theme().mark, dashed ? 1.2 : 1.8, dashed ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

QString gigabytes(double rate) { return ratedText(rate, QStringLiteral("B/s")); }
QString gigaflops(double rate) { return ratedText(rate, QStringLiteral("FLOP/s")); }

// The rates stand where the roof's two parts are, away from the dots below it.
void paintRoofLabels(QPainter &painter, const Plot &plot, const Roof &roof, LabelPlacer &labels) {
    const double left = plot.intensity.valueAt(0), right = plot.intensity.valueAt(1);
    const double ridge = roof.fp32 / roof.bytesPerSecond;
    painter.setPen(theme().muted);
    const QFontMetricsF metrics(painter.font());
    const auto write = [&](QPointF bottomRight, const QString &text) {
        QRectF rect(0, 0, metrics.horizontalAdvance(text) + 4, 15);
        rect.moveBottomRight(bottomRight);
        rect.moveLeft(std::max(rect.left(), double(plot.area.left())));
        rect.moveTop(std::max(rect.top(), double(plot.area.top())));
        painter.drawText(rect, Qt::AlignCenter, text);
        labels.block(rect);
    };
    if (ridge < right)
        write(plot.at(right, roof.fp32) - QPointF(4, 3), gigaflops(roof.fp32));
    if (ridge > left) { // left of the slope's middle
        const double middle = std::sqrt(left * std::min(ridge, right));
        write(plot.at(middle, roof.at(middle, roof.fp32)) - QPointF(8, 14), gigabytes(roof.bytesPerSecond));
    }
}

struct Mark {
    PlotSpot spot;
    QColor colour;
    double intensity = 0, rate = 0;
};

std::vector<Mark> marksOf(const std::vector<RaceRow> &rows, const RaceDevice &device) {
    std::vector<Mark> marks;
    for (const RaceRow &row : rows) {
        const bool here =
            row.simulated ? row.predictedOn == device.name && device.id.empty() : row.deviceId == device.id;
        const auto intensity = row.intensity();
        if (!here || !intensity)
            continue;
        const QString name = QString::fromStdString(row.variant);
        QColor colour = RaceModel::colour(row);
        if (row.predictedMs && *row.predictedMs > 0) {
            const double rate = *row.operations / (*row.predictedMs * 1e-3);
            marks.push_back({{{},
                              name,
                              RooflinePlot::tr("%1: the model expects %2, %3 ms at best")
                                  .arg(name, gigaflops(rate), millisecondsText(*row.predictedMs)),
                              true},
                             colour,
                             *intensity,
                             rate});
        }
        if (const auto rate = row.operationsPerSecond())
            marks.push_back({{{},
                              name,
                              RooflinePlot::tr("%1: %2 at %3 FLOP a byte, %4 % of what the device allows")
                                  .arg(name, gigaflops(*rate))
                                  .arg(*intensity, 0, 'g', 3)
                                  .arg(100 * row.share().value_or(0), 0, 'f', 0),
                              false},
                             colour,
                             *intensity,
                             *rate});
    }
    return marks;
}

// Dots at one place share one label.
void paintMarks(QPainter &painter, const std::vector<Mark> &marks, LabelPlacer &labels) {
    for (const Mark &mark : marks)
        labels.block({mark.spot.place.x() - 4, mark.spot.place.y() - 4, 8, 8});
    for (std::size_t i = 0; i < marks.size(); ++i) {
        paintDot(painter, marks[i].spot.place, marks[i].colour, marks[i].spot.hollow);
        const auto same = [&](const Mark &other) {
            return other.spot.hollow == marks[i].spot.hollow &&
                   QLineF(other.spot.place, marks[i].spot.place).length() < 6;
        };
        if (std::any_of(marks.begin(), marks.begin() + std::ptrdiff_t(i), same))
            continue;
        QStringList names;
        for (const Mark &other : marks)
            if (same(other))
                names << other.spot.name;
        painter.setPen(marks[i].spot.hollow ? theme().muted : theme().text);
        labels.draw(painter, marks[i].spot.place, names.join(QStringLiteral(", ")));
    }
}

} // namespace

RooflinePlot::RooflinePlot(const RaceModel &model, QWidget *parent) : RacePlot(model, parent) {
    setAccessibleName(tr("Roofline: what the device allows and what every variant reaches"));
    setAccessibleDescription(hint());
}

QString RooflinePlot::hint() const {
    return tr("The line is what the device allows: its memory on the slope, its arithmetic on the flat part, both "
              "measured. A dot is what a variant reaches, a hollow one what the model expects at best. A Fourier "
              "transform makes other operations and has no dot.");
}

void RooflinePlot::setDevice(int index) {
    device_ = index;
    update();
}

std::vector<PlotSpot> RooflinePlot::paint(QPainter &painter, const QRect &room) const {
    const std::vector<RaceDevice> &devices = model().devices();
    const QString invitation = tr("The roofline of this device with a dot a variant, once a race has measured it");
    if (devices.empty() || std::size_t(device_) >= devices.size()) {
        paintEmpty(painter, room, invitation);
        return {};
    }
    const RaceDevice &device = devices[std::size_t(device_)];
    std::vector<Mark> marks = marksOf(model().rows(), device);
    const auto first = std::ranges::find_if(model().rows(), [](const RaceRow &row) { return row.bytes > 0; });
    const auto roof = roofOf(device, first == model().rows().end() ? 1e9 : first->bytes);
    if (!roof) {
        paintEmpty(painter, room,
                   tr("Nobody has measured the ceilings of %1").arg(QString::fromStdString(device.name)));
        return {};
    }
    Plot plot;
    plot.area = room.adjusted(80, 24, -16, -22);
    const double ridge = roof->fp32 / roof->bytesPerSecond;
    for (const double intensity : {ridge / 3, ridge * 3})
        plot.intensity.hold(intensity);
    for (const double rate : {roof->fp32, roof->half2.value_or(roof->fp32), roof->at(ridge / 3, roof->fp32)})
        plot.rate.hold(rate);
    for (const Mark &mark : marks) {
        plot.intensity.hold(mark.intensity);
        plot.rate.hold(mark.rate);
    }
    paintGrid(painter, plot);
    const bool anyHalf = std::ranges::any_of(
        model().rows(), [](const RaceRow &row) { return row.unit == model::ArithmeticUnit::Half2 && row.predictedMs; });
    if (roof->half2 && anyHalf)
        paintRoof(painter, plot, *roof, *roof->half2, true);
    paintRoof(painter, plot, *roof, roof->fp32, false);
    LabelPlacer labels{QRectF(plot.area)};
    paintRoofLabels(painter, plot, *roof, labels);
    painter.setPen(theme().muted);
    painter.drawText(QRect(room.left() + 8, room.top() + 4, room.width() - 16, 16), Qt::AlignLeft,
                     device.measuredNow ? tr("%1, measured now").arg(QString::fromStdString(device.name))
                                        : tr("%1, measured earlier; simulated kernels: predictions alone")
                                              .arg(QString::fromStdString(device.name)));
    std::vector<PlotSpot> spots;
    for (Mark &mark : marks) {
        mark.spot.place = plot.at(mark.intensity, mark.rate);
        spots.push_back(mark.spot);
    }
    paintMarks(painter, marks, labels);
    return spots;
}

} // namespace tessera
