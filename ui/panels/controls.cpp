#include "ui/panels/controls.h"

#include "ui/window/theme.h"

#include <QEvent>
#include <QLayout>
#include <QPainter>
#include <QStyle>
#include <QWheelEvent>

#include <algorithm>

namespace tessera {

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
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setAccessibleName(name);
    setFocusPolicy(Qt::NoFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    content->installEventFilter(this);
}

int CardColumn::heightFor(int width) const {
    const QLayout *layout = widget()->layout();
    return layout->hasHeightForWidth() ? layout->totalHeightForWidth(width) : layout->totalSizeHint().height();
}

QSize CardColumn::sizeHint() const {
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    const int least = widget()->minimumSizeHint().width();
    return {least + bar, heightFor(std::max(least, viewport()->width()))};
}

void CardColumn::place() {
    const int wide = viewport()->width();
    widget()->resize(wide, std::max(viewport()->height(), heightFor(wide)));
}

void CardColumn::resizeEvent(QResizeEvent *event) {
    place();
    QScrollArea::resizeEvent(event);
}

bool CardColumn::eventFilter(QObject *watched, QEvent *event) {
    const bool handled = QScrollArea::eventFilter(watched, event);
    if (watched == widget() && event->type() == QEvent::LayoutRequest) { // a card has grown or shrunk
        place();
        updateGeometry();
    }
    return handled;
}

void setForeground(QLabel *label, const QColor &colour) {
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, colour);
    label->setPalette(palette);
}

void setForegroundMuted(QLabel *label) {
    const auto apply = [label] { setForeground(label, theme().muted); };
    apply();
    QObject::connect(&themeNotifier(), &ThemeNotifier::changed, label, apply);
}

} // namespace tessera
