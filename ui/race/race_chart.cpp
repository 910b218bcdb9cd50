#include "ui/race/race_chart.h"

#include "ui/race/race_model.h"
#include "ui/window/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

// A logarithmic axis over whole decades.
struct Axis {
    int low = 0, high = 1; // powers of ten
    double position(double value) const { return (std::log10(value) - low) / (high - low); }

    void hold(double value, bool first) {
        const int below = int(std::floor(std::log10(value) - 0.05)), above = int(std::ceil(std::log10(value) + 0.05));
        low = first ? below : std::min(low, below);
        high = first ? above : std::max(high, above);
    }
};

constexpr double exactError = 1e-9; // where "exact" is drawn on an axis that has no zero

double errorOf(const RaceRow &row) { return std::max(exactError, *row.maximumError / row.fullRange); }

QString power(int exponent) {
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = QStringLiteral("10");
    if (exponent < 0)
        text += QStringLiteral("⁻");
    for (const QChar digit : QString::number(std::abs(exponent)))
        text += digits[digit.digitValue()];
    return text;
}

} // namespace

RaceChart::RaceChart(const RaceModel &model, QWidget *parent) : QWidget(parent), model_(model) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Time against error of every measured variant"));
    connect(&model, &QAbstractItemModel::dataChanged, this, qOverload<>(&QWidget::update));
    connect(&model, &QAbstractItemModel::modelReset, this, qOverload<>(&QWidget::update));
}

namespace {

void paintGrid(QPainter &painter, const QRect &plot, const Axis &time, const Axis &error) {
    const Theme &t = theme();
    painter.setPen(t.muted);
    for (int e = time.low; e <= time.high; ++e) {
        const int x = plot.left() + plot.width() * (e - time.low) / (time.high - time.low);
        painter.fillRect(QRect(x, plot.top(), 1, plot.height()), t.cardBorder);
        const QString label = RaceChart::tr("%1 ms").arg(e < -2 ? power(e) : QString::number(std::pow(10.0, e)));
        const bool last = e == time.high;
        painter.drawText(QRect(x - 40, plot.bottom() + 3, last ? 50 : 80, 14), last ? Qt::AlignRight : Qt::AlignCenter,
                         label);
    }
    for (int e = error.low; e <= error.high; ++e) {
        const int y = plot.bottom() - plot.height() * (e - error.low) / (error.high - error.low);
        painter.fillRect(QRect(plot.left(), y, plot.width(), 1), t.cardBorder);
        if ((error.high - e) % std::max(1, (error.high - error.low) / 4) == 0)
            painter.drawText(QRect(0, y - 7, plot.left() - 4, 14), Qt::AlignRight | Qt::AlignVCenter, power(e));
    }
}

void paintDot(QPainter &painter, const QPointF &dot, const QRect &plot, const RaceRow &row) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(RaceModel::colour(row));
    painter.drawEllipse(dot, 4, 4);
    painter.setPen(theme().text);
    const bool left = dot.x() > plot.center().x();
    const QRectF label(left ? dot.x() - 108 : dot.x() + 7, dot.y() - 8, 101, 16);
    painter.drawText(label, (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                     QString::fromStdString(row.variant));
}

} // namespace

void RaceChart::paintEvent(QPaintEvent *) {
    const Theme &t = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont());
    painter.fillRect(rect(), t.field);
    Axis time, error;
    bool any = false;
    for (int i = 0; i < model_.rowCount(); ++i)
        if (const RaceRow &row = model_.row(i); row.medianMs && row.maximumError) {
            time.hold(*row.medianMs, !any);
            error.hold(errorOf(row), !any);
            any = true;
        }
    painter.setPen(t.muted);
    if (!any) {
        painter.drawText(rect(), Qt::AlignCenter, tr("no race yet"));
        return;
    }
    const QRect plot = rect().adjusted(34, 8, -10, -20);
    paintGrid(painter, plot, time, error);
    for (int i = 0; i < model_.rowCount(); ++i) {
        const RaceRow &row = model_.row(i);
        if (row.medianMs && row.maximumError)
            paintDot(painter,
                     {plot.left() + time.position(*row.medianMs) * plot.width(),
                      plot.bottom() - error.position(errorOf(row)) * plot.height()},
                     plot, row);
    }
}

} // namespace tessera
