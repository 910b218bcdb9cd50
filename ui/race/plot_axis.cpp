#include "ui/race/plot_axis.h"

#include <QObject>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tessera {

void LogAxis::hold(double value) {
    if (!(value > 0) || !std::isfinite(value))
        return;
    // A little air, so that no dot sits on the frame.
    const int below = int(std::floor(std::log10(value) - 0.05)), above = int(std::ceil(std::log10(value) + 0.05));
    low_ = empty_ ? below : std::min(low_, below);
    high_ = empty_ ? above : std::max(high_, above);
    empty_ = false;
}

double LogAxis::position(double value) const {
    if (!(value > 0))
        return 0;
    return std::clamp((std::log10(value) - low_) / (high_ - low_), 0.0, 1.0);
}

double LogAxis::valueAt(double position) const { return std::pow(10.0, low_ + position * (high_ - low_)); }

QString powerText(int exponent) {
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = QStringLiteral("10");
    if (exponent < 0)
        text += QStringLiteral("⁻");
    for (const QChar digit : QString::number(std::abs(exponent)))
        text += digits[digit.digitValue()];
    return text;
}

QString millisecondsText(double ms) {
    if (ms > 0 && ms < 0.01)
        return QString::number(ms, 'g', 2);
    return QString::number(ms, 'f', ms >= 100 ? 1 : ms >= 10 ? 2 : 3);
}

QString shortExponent(double value) {
    QString text = QString::number(value, 'e', 1);
    return text.replace(QStringLiteral("e-0"), QStringLiteral("e-"))
        .replace(QStringLiteral("e+0"), QStringLiteral("e"));
}

QString rateText(double perSecond) {
    const double value = perSecond * 1e-9;
    return QString::number(value, 'f', value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

QString ratedText(double perSecond, const QString &unit) {
    const bool tera = perSecond >= 1e12;
    return QStringLiteral("%1 %2%3").arg(rateText(tera ? perSecond * 1e-3 : perSecond),
                                         tera ? QStringLiteral("T") : QStringLiteral("G"), unit);
}

QString timeTick(int exponentOfMs) {
    const QString unit = exponentOfMs >= 3    ? QObject::tr("s")
                         : exponentOfMs >= 0  ? QObject::tr("ms")
                         : exponentOfMs >= -3 ? QObject::tr("µs")
                                              : QObject::tr("ns");
    const int shift = exponentOfMs >= 3 ? 3 : exponentOfMs >= 0 ? 0 : exponentOfMs >= -3 ? -3 : -6;
    return QStringLiteral("%1 %2").arg(QString::number(std::pow(10.0, exponentOfMs - shift), 'g', 6), unit);
}

QString rateTick(int exponent, const QString &unit) {
    const int group = std::clamp(exponent >= 0 ? exponent / 3 : -1, -1, 5);
    static const QString prefixes[] = {QStringLiteral("m"), QString(),           QStringLiteral("k"),
                                       QStringLiteral("M"), QStringLiteral("G"), QStringLiteral("T"),
                                       QStringLiteral("P")};
    return QStringLiteral("%1 %2%3").arg(QString::number(std::pow(10.0, exponent - 3 * group), 'g', 6),
                                         prefixes[group + 1], unit);
}

bool LabelPlacer::isFree(const QRectF &rect) const {
    return room_.contains(rect) &&
           std::none_of(taken_.begin(), taken_.end(), [&](const QRectF &other) { return other.intersects(rect); });
}

void LabelPlacer::blockLine(const QPolygonF &line) {
    constexpr double step = 3, half = 2; // small squares along it
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
        const QLineF part(line[i], line[i + 1]);
        const int count = std::max(1, int(std::ceil(part.length() / step)));
        for (int k = 0; k <= count; ++k) {
            const QPointF at = part.pointAt(double(k) / count);
            block({at.x() - half, at.y() - half, 2 * half, 2 * half});
        }
    }
}

bool LabelPlacer::take(const QRectF &rect) {
    const bool free = isFree(rect);
    if (free)
        block(rect);
    return free;
}

std::optional<QRectF> LabelPlacer::place(const QPointF &dot, const QSizeF &label, double gap) {
    const double w = label.width(), h = label.height();
    const QPointF corners[] = {{dot.x() + gap, dot.y() - h / 2},       {dot.x() - gap - w, dot.y() - h / 2},
                               {dot.x() - w / 2, dot.y() - gap - h},   {dot.x() - w / 2, dot.y() + gap},
                               {dot.x() + gap, dot.y() - gap - h},     {dot.x() + gap, dot.y() + gap},
                               {dot.x() - gap - w, dot.y() - gap - h}, {dot.x() - gap - w, dot.y() + gap}};
    for (const QPointF &corner : corners)
        if (const QRectF rect(corner, label); isFree(rect)) {
            taken_.push_back(rect);
            return rect;
        }
    return std::nullopt;
}

void LabelPlacer::draw(QPainter &painter, const QPointF &dot, const QString &text) {
    const QFontMetricsF metrics(painter.font());
    if (const auto rect = place(dot, {metrics.horizontalAdvance(text) + 2, metrics.height()}))
        painter.drawText(*rect, Qt::AlignCenter, text);
}

} // namespace tessera
