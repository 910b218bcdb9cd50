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

// From the right, where the unit stands; what would lie on another is left out.
void paintIntensities(QPainter &painter, const Plot &plot) {
    const QFontMetricsF metrics(painter.font());
    double free = plot.area.right() + 16;
    for (int e = plot.intensity.high(); e >= plot.intensity.low(); --e) {
        const double x = plot.at(std::pow(10.0, e), 1).x();
        painter.fillRect(QRect(int(x), plot.area.top(), 1, plot.area.height()), theme().cardBorder);
        const QString number = QString::number(std::pow(10.0, e));
        const QString text = e == plot.intensity.high() ? RooflinePlot::tr("%1 FLOP/byte").arg(number) : number;
        const double width = metrics.horizontalAdvance(text) + 2;
        const double left = std::min(x - width / 2, free - width);
        if (e != plot.intensity.high() && left < x - width / 2)
            continue;
        painter.setPen(theme().muted);
        painter.drawText(QRectF(left, plot.area.bottom() + 3, width, 15), Qt::AlignCenter, text);
        free = left - 6;
    }
}

void paintGrid(QPainter &painter, const Plot &plot) {
    const Theme &t = theme();
    paintIntensities(painter, plot);
    painter.setPen(t.muted);
    for (int e = plot.rate.low(); e <= plot.rate.high(); ++e) {
        const int y = int(plot.at(1, std::pow(10.0, e)).y());
        painter.fillRect(QRect(plot.area.left(), y, plot.area.width(), 1), t.cardBorder);
        painter.drawText(QRect(plot.area.left() - 76, y - 8, 72, 16), Qt::AlignRight | Qt::AlignVCenter,
                         rateTick(e, QStringLiteral("FLOP/s")));
    }
}

QPolygonF roofLine(const Plot &plot, const Roof &roof, double peak) {
    const double left = plot.intensity.valueAt(0), right = plot.intensity.valueAt(1);
    QPolygonF line;
    line << plot.at(left, roof.at(left, peak));
    if (const double ridge = peak / roof.bytesPerSecond; ridge > left && ridge < right)
        line << plot.at(ridge, peak);
    line << plot.at(right, roof.at(right, peak));
    return line;
}

void paintRoof(QPainter &painter, const QPolygonF &line, bool dashed) {
    painter.setPen(QPen(theme().mark, dashed ? 1.2 : 1.8, dashed ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

QString gigabytes(double rate) { return ratedText(rate, QStringLiteral("B/s")); }
QString gigaflops(double rate) { return ratedText(rate, QStringLiteral("FLOP/s")); }

// Beside the roof where it is this intensity: above it at the left, else below it at the right.
bool writeBeside(QPainter &painter, const QPointF &at, const QString &text, LabelPlacer &labels) {
    const QFontMetricsF metrics(painter.font());
    const QSizeF size(metrics.horizontalAdvance(text) + 4, metrics.height());
    for (const QPointF &corner : {at - QPointF(6 + size.width(), 4 + size.height()), at + QPointF(6, 5)})
        if (const QRectF rect(corner, size); labels.take(rect)) {
            painter.drawText(rect, Qt::AlignCenter, text);
            return true;
        }
    return false;
}

// The rates stand where the roof's two parts are, wherever along them there is room.
void paintRoofLabels(QPainter &painter, const Plot &plot, const Roof &roof, LabelPlacer &labels) {
    const double left = plot.intensity.valueAt(0), right = plot.intensity.valueAt(1);
    const double ridge = roof.fp32 / roof.bytesPerSecond;
    painter.setPen(theme().muted);
    const auto write = [&](double from, double to, std::initializer_list<double> places, const QString &text) {
        for (const double part : places) {
            const double intensity = from * std::pow(to / from, part);
            if (writeBeside(painter, plot.at(intensity, roof.at(intensity, roof.fp32)), text, labels))
                return;
        }
    };
    if (ridge < right)
        write(std::max(left, ridge), right, {1.0, 0.8, 0.6, 0.4, 0.2, 0.0}, gigaflops(roof.fp32));
    if (ridge > left)
        write(left, std::min(ridge, right), {0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1, 0.0},
              gigabytes(roof.bytesPerSecond));
}

struct Mark {
    PlotSpot spot;
    QColor colour;
    double intensity = 0, rate = 0;
};

// Rows that are not dense make operations of their own, and their share is that of the memory alone. They stand where
// memory is the limit, at most at the ridge, so that their distance from the roof is that share.
Mark markOf(const RaceRow &row, const Roof &roof, double ms) {
    Mark mark;
    mark.spot.name = QString::fromStdString(row.variant);
    mark.spot.square = !row.dense;
    mark.colour = RaceModel::colour(row);
    mark.intensity = *row.intensity();
    if (!row.dense)
        mark.intensity = std::min(mark.intensity, roof.fp32 / roof.bytesPerSecond);
    mark.rate = mark.intensity * row.bytes / (ms * 1e-3);
    return mark;
}

QString measuredText(const RaceRow &row, const Mark &mark) {
    const QString share = QString::number(100 * row.share().value_or(0), 'f', row.share().value_or(0) < 0.0995 ? 1 : 0);
    if (!row.dense)
        return RooflinePlot::tr("%1: %2, %3 % of what the memory alone allows; it makes fewer operations than the "
                                "definition")
            .arg(mark.spot.name, gigabytes(row.bytesPerSecond().value_or(0)), share);
    return RooflinePlot::tr("%1: %2 at %3 FLOP a byte, %4 % of what the device allows")
        .arg(mark.spot.name, gigaflops(mark.rate))
        .arg(mark.intensity, 0, 'g', 3)
        .arg(share);
}

std::vector<Mark> marksOf(const std::vector<RaceRow> &rows, const RaceDevice &device, const Roof &roof) {
    std::vector<Mark> marks;
    for (const RaceRow &row : rows) {
        const bool here =
            row.simulated ? row.predictedOn == device.name && device.id.empty() : row.deviceId == device.id;
        if (!here || !row.intensity())
            continue;
        if (row.predictedMs && *row.predictedMs > 0) {
            Mark mark = markOf(row, roof, *row.predictedMs);
            mark.spot.hollow = true;
            mark.spot.text =
                RooflinePlot::tr("%1: the model expects %2, %3 ms at best")
                    .arg(mark.spot.name,
                         row.dense ? gigaflops(mark.rate) : gigabytes(row.bytes / (*row.predictedMs * 1e-3)),
                         millisecondsText(*row.predictedMs));
            marks.push_back(std::move(mark));
        }
        if (const auto ms = row.workMs(); ms && *ms > 0) {
            Mark mark = markOf(row, roof, *ms);
            mark.spot.text = measuredText(row, mark);
            marks.push_back(std::move(mark));
        }
    }
    return marks;
}

// Dots at one place share one label.
void paintMarks(QPainter &painter, const std::vector<Mark> &marks, LabelPlacer &labels) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
        paintDot(painter, marks[i].spot.place, marks[i].colour, marks[i].spot.hollow, marks[i].spot.square);
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
              "measured. A dot is what a variant reaches, a hollow one what the model expects at best. A square "
              "makes fewer operations than the definition and is held against memory alone. A Fourier transform makes "
              "other operations and has no mark.");
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
    const auto first = std::ranges::find_if(model().rows(), [](const RaceRow &row) { return row.bytes > 0; });
    const auto roof = roofOf(device, first == model().rows().end() ? 1e9 : first->bytes);
    if (!roof) {
        paintEmpty(painter, room,
                   tr("Nobody has measured the ceilings of %1").arg(QString::fromStdString(device.name)));
        return {};
    }
    std::vector<Mark> marks = marksOf(model().rows(), device, *roof);
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
    LabelPlacer labels{QRectF(plot.area)};
    const auto addRoof = [&](double peak, bool dashed) {
        const QPolygonF line = roofLine(plot, *roof, peak);
        paintRoof(painter, line, dashed);
        labels.blockLine(line);
    };
    if (roof->half2 && anyHalf)
        addRoof(*roof->half2, true);
    addRoof(roof->fp32, false);
    for (Mark &mark : marks) {
        mark.spot.place = plot.at(mark.intensity, mark.rate);
        labels.block({mark.spot.place.x() - 6, mark.spot.place.y() - 6, 12, 12});
    }
    paintRoofLabels(painter, plot, *roof, labels);
    painter.setPen(theme().muted);
    painter.drawText(QRect(room.left() + 8, room.top() + 4, room.width() - 16, 16), Qt::AlignLeft,
                     device.measuredNow ? tr("%1, measured now").arg(QString::fromStdString(device.name))
                                        : tr("%1, measured earlier; simulated kernels: predictions alone")
                                              .arg(QString::fromStdString(device.name)));
    std::vector<PlotSpot> spots;
    for (const Mark &mark : marks)
        spots.push_back(mark.spot);
    paintMarks(painter, marks, labels);
    return spots;
}

} // namespace tessera
