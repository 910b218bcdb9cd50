#include "ui/panels/controls.h"

#include "ui/window/theme.h"

#include <QEvent>
#include <QPainter>
#include <QStyle>
#include <QWheelEvent>

#include <algorithm>

namespace tessera {

namespace {

class MutedLabelKeeper : public QObject {
public:
    explicit MutedLabelKeeper(QLabel *label) : QObject(label), label_(label) { apply(); }

protected:
    bool eventFilter(QObject *, QEvent *event) override {
        if (event->type() == QEvent::ApplicationPaletteChange)
            apply();
        return false;
    }

private:
    void apply() {
        QPalette palette = label_->palette();
        palette.setColor(QPalette::WindowText, theme().muted);
        label_->setPalette(palette);
    }
    QLabel *label_;
};

} // namespace

void QuietSlider::wheelEvent(QWheelEvent *event) {
    if (hasFocus())
        QSlider::wheelEvent(event);
    else
        event->ignore();
}

QuietComboBox::QuietComboBox(QWidget *parent) : QComboBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
}

void QuietComboBox::wheelEvent(QWheelEvent *event) {
    if (hasFocus())
        QComboBox::wheelEvent(event);
    else
        event->ignore();
}

NumberField::NumberField(QWidget *parent) : QDoubleSpinBox(parent) {
    setAlignment(Qt::AlignRight);
    setFocusPolicy(Qt::StrongFocus);
    setKeyboardTracking(false);
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

void NumberField::wheelEvent(QWheelEvent *event) {
    if (hasFocus())
        QDoubleSpinBox::wheelEvent(event);
    else
        event->ignore();
}

ElidedLabel::ElidedLabel(QWidget *parent) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setTextFormat(Qt::PlainText);
}

void ElidedLabel::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, width());
    if (shown != text() && toolTip() != text())
        setToolTip(text());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(rect(), int(alignment()), shown);
}

CardColumn::CardColumn(QWidget *content, const QString &name) {
    setWidget(content);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(name);
    setFocusPolicy(Qt::NoFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    content->installEventFilter(this);
}

QSize CardColumn::sizeHint() const { return {widget()->minimumSizeHint().width() + style()->pixelMetric(QStyle::PM_ScrollBarExtent), widget()->sizeHint().height()}; }

bool CardColumn::eventFilter(QObject *watched, QEvent *event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        updateGeometry(); // a card has grown or shrunk
    return QScrollArea::eventFilter(watched, event);
}

void setForegroundMuted(QLabel *label) { label->installEventFilter(new MutedLabelKeeper(label)); }

} // namespace tessera
