#include "ui/panels/angle_dial.h"

#include "ui/window/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera {

AngleDial::AngleDial(QWidget *parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setFixedSize(sizeHint());
    setToolTip(tr("Drag to turn; Shift snaps to 15°"));
}

void AngleDial::setRange(double minimum, double maximum) {
    minimum_ = minimum;
    maximum_ = maximum;
}

void AngleDial::setValue(double degrees) {
    value_ = degrees;
    update();
}

void AngleDial::change(double degrees) {
    // The same direction has many angles: take the one within the range, else the nearest end.
    while (degrees < minimum_ - 1e-9)
        degrees += 360;
    while (degrees > maximum_ + 1e-9)
        degrees -= 360;
    degrees = std::clamp(degrees, minimum_, maximum_);
    if (degrees == value_)
        return;
    setValue(degrees);
    emit valueChanged(degrees);
}

void AngleDial::turnTo(QPointF position, bool coarse) {
    const QPointF arm = position - QRectF(rect()).center();
    double degrees = std::atan2(-arm.y(), arm.x()) * 180 / std::numbers::pi;
    degrees = coarse ? std::round(degrees / 15) * 15 : std::round(degrees);
    change(degrees);
}

void AngleDial::paintEvent(QPaintEvent *) {
    const Theme &t = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF circle = QRectF(rect()).adjusted(2, 2, -2, -2);
    painter.setPen(QPen(hasFocus() ? t.focus : t.buttonBorder, hasFocus() ? 1.6 : 1));
    painter.setBrush(t.button);
    painter.drawEllipse(circle);
    const double angle = value_ * std::numbers::pi / 180, radius = circle.width() / 2 - 2;
    const QPointF tip = circle.center() + QPointF(std::cos(angle), -std::sin(angle)) * radius;
    painter.setPen(QPen(isEnabled() ? t.focus : t.muted, 2, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(circle.center(), tip);
}

void AngleDial::mousePressEvent(QMouseEvent *event) {
    turnTo(event->position(), event->modifiers() & Qt::ShiftModifier);
}
void AngleDial::mouseMoveEvent(QMouseEvent *event) {
    if (event->buttons() & Qt::LeftButton)
        turnTo(event->position(), event->modifiers() & Qt::ShiftModifier);
}
void AngleDial::mouseReleaseEvent(QMouseEvent *) { emit released(); }

void AngleDial::wheelEvent(QWheelEvent *event) {
    change(value_ + (event->angleDelta().y() > 0 ? 1 : -1));
    event->accept();
}

void AngleDial::keyPressEvent(QKeyEvent *event) {
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Right:
        return change(value_ + 1);
    case Qt::Key_Down:
    case Qt::Key_Left:
        return change(value_ - 1);
    case Qt::Key_PageUp:
        return change(value_ + 15);
    case Qt::Key_PageDown:
        return change(value_ - 15);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace tessera
