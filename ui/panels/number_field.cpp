#include "ui/panels/number_field.h"

#include "ui/window/theme.h"

#include <QMainWindow>
#include <QPointer>
#include <QStatusBar>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {

namespace {

constexpr int toldMs = 8000;
constexpr QChar minusSign(0x2212);

// What was last told at a field, and in which window's status bar.
struct Told {
    QString what;
    QPointer<QMainWindow> window;
};

Told &lastTold() {
    static Told told;
    return told;
}

QString plainNumber(double value, int decimals) {
    QString text = QString::number(value, 'f', decimals);
    while (text.contains(QLatin1Char('.')) && (text.endsWith(QLatin1Char('0')) || text.endsWith(QLatin1Char('.'))))
        text.chop(1);
    return text;
}

} // namespace

QString withPoint(const QString &typed) {
    return typed.trimmed().replace(QLatin1Char(','), QLatin1Char('.')).replace(minusSign, QLatin1Char('-'));
}

std::optional<double> readNumber(const QString &typed) {
    bool fits = false;
    const double value = QLocale::c().toDouble(withPoint(typed), &fits);
    return fits && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

QString NumberLimits::withoutSuffix(const QString &typed) const {
    QString text = typed.trimmed();
    const QString unit = suffix.trimmed();
    while (!unit.isEmpty() && text.endsWith(unit)) // typed, beside the one that stays
        text = text.chopped(unit.size()).trimmed();
    for (qsizetype length = unit.size(); length > 0; --length) // of "px" one may have deleted a letter
        if (text.endsWith(unit.left(length))) {
            text.chop(length);
            break;
        }
    return text.trimmed();
}

std::optional<double> NumberLimits::read(const QString &typed) const { return readNumber(withoutSuffix(typed)); }

double NumberLimits::nearest(double value) const {
    const double rounded = QString::number(std::clamp(value, minimum, maximum), 'f', decimals).toDouble();
    return std::clamp(rounded, minimum, maximum);
}

QString NumberLimits::range() const {
    return QObject::tr("%1 to %2").arg(plainNumber(minimum, decimals), plainNumber(maximum, decimals) + suffix);
}

QString NumberLimits::complaint(const QString &name, const QString &typed) const {
    const QString text = withoutSuffix(typed);
    if (text.isEmpty())
        return {};
    const std::optional<double> number = readNumber(text);
    if (!number)
        return QObject::tr("“%1” is no number; %2: %3").arg(text, name, range());
    if (*number < minimum || *number > maximum)
        return QObject::tr("%1: %2").arg(name, range());
    if (std::abs(nearest(*number) - *number) <= 1e-9 * std::max(1.0, std::abs(*number)))
        return {};
    return decimals ? QObject::tr("%1: %2, rounded to %n decimals", nullptr, decimals).arg(name, range())
                    : QObject::tr("%1: %2, whole numbers").arg(name, range());
}

void showAllowed(QLineEdit &line, bool allowed) {
    if (allowed == !line.testAttribute(Qt::WA_SetPalette))
        return;
    QPalette palette;
    if (!allowed)
        palette.setColor(QPalette::Text, theme().error);
    line.setPalette(palette);
}

void tellAt(QWidget &field, const QString &what) {
    auto *window = qobject_cast<QMainWindow *>(field.window());
    lastTold() = {what, window};
    if (window)
        window->statusBar()->showMessage(what, toldMs);
    // Once the focus is where it goes to: its way there hides tool tips.
    QTimer::singleShot(0, &field, [&field, what] {
        if (lastTold().what == what)
            QToolTip::showText(field.mapToGlobal(field.rect().bottomLeft()), what, &field, field.rect(), toldMs);
    });
}

void untell() {
    const Told told = std::exchange(lastTold(), {});
    if (told.what.isEmpty())
        return;
    if (told.window && told.window->statusBar()->currentMessage() == told.what)
        told.window->statusBar()->clearMessage();
    if (QToolTip::text() == told.what)
        QToolTip::hideText();
}

NumberField::NumberField(QWidget *parent) : TypedNumber(parent) {
    setAlignment(Qt::AlignRight);
    setAccelerated(true);
}

QString NumberField::textFromValue(double value) const {
    QString text = locale().toString(value, 'f', decimals());
    // Trailing zeros say nothing; one digit stays, so that 3.0 is seen to take fractions.
    while (decimals() > 1 && text.endsWith(locale().zeroDigit()) && !text.chopped(1).endsWith(locale().decimalPoint()))
        text.chop(1);
    return text;
}

QSize NumberField::sizeHint() const {
    const QString longest = QStringLiteral("000") + (decimals() ? QStringLiteral(".0") : QString()) + suffix();
    return {std::max(56, fontMetrics().horizontalAdvance(longest) + 22), QDoubleSpinBox::sizeHint().height()};
}

} // namespace tessera
