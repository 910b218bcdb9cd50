// Mouse, wheel and keys of a pane.
#include "ui/canvas/canvas_pane.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tessera {

void CanvasPane::resizeEvent(QResizeEvent *) { emit resized(); }

bool CanvasPane::event(QEvent *event) {
    if (event->type() == QEvent::Show)
        emit resized();
    // Arrow keys and letters belong to the pane while it has the focus, whatever shortcuts say.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool arrow = key->key() >= Qt::Key_Left && key->key() <= Qt::Key_Down;
        if (arrow || (key->modifiers() == Qt::NoModifier && key->key() == Qt::Key_O))
            event->accept();
    }
    return QWidget::event(event);
}

void CanvasPane::wheelEvent(QWheelEvent *event) {
    if (view_.pictureSize().isEmpty())
        return;
    const QPointF anchor = anchorAt(event->position());
    // A touch pad tells pixels: two fingers pan, as everywhere else; with Ctrl, or a real wheel, it zooms.
    if (!event->pixelDelta().isNull() && !(event->modifiers() & Qt::ControlModifier) &&
        event->phase() != Qt::NoScrollPhase) {
        view_.panBy(-QPointF(event->pixelDelta()) * devicePixelRatioF() / view_.zoom());
    } else {
        const int delta = event->angleDelta().y() ? event->angleDelta().y() : event->angleDelta().x();
        view_.zoomStep(anchor, delta / 120.0);
    }
    event->accept();
}

bool CanvasPane::onSplitHandle(QPointF position) const {
    return kind_ == PaneKind::Split && std::abs(position.x() - content_.splitPosition * width()) <= 6;
}

void CanvasPane::mousePressEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    lastMouse_ = event->position();
    const bool left = event->button() == Qt::LeftButton;
    // The caption says what the pane shows, and changes it.
    if (left && captionArea().contains(event->position().toPoint()))
        return emit menuWanted(mapToGlobal(captionArea().bottomLeft()));
    drag_ = left && event->modifiers() & Qt::ShiftModifier ? Drag::Region
            : left && onSplitHandle(event->position())     ? Drag::Split
                                                           : Drag::Pan;
    regionStart_ = toPicture(event->position());
    if (drag_ == Drag::Pan)
        setCursor(Qt::ClosedHandCursor);
}

void CanvasPane::mouseMoveEvent(QMouseEvent *event) {
    const QPointF place = toPicture(event->position());
    hoverAt(event->position());
    if (drag_ == Drag::Split) {
        content_.splitPosition = std::clamp(event->position().x() / std::max(1, width()), 0.0, 1.0);
        emit splitMoved();
        update();
    } else if (drag_ == Drag::Region) {
        const QRectF dragged = QRectF(regionStart_, place).normalized();
        emit regionDrawn(dragged.toAlignedRect() & QRect(QPoint(), view_.pictureSize()));
    } else if (drag_ == Drag::Pan) {
        view_.panBy((lastMouse_ - event->position()) * devicePixelRatioF() / view_.zoom());
        lastMouse_ = event->position();
    } else {
        setCursor(captionArea().contains(event->position().toPoint()) ? Qt::PointingHandCursor
                  : onSplitHandle(event->position())                  ? Qt::SplitHCursor
                                                                      : Qt::CrossCursor);
    }
}

void CanvasPane::mouseReleaseEvent(QMouseEvent *event) {
    if (drag_ == Drag::Region && (toPicture(event->position()) - regionStart_).manhattanLength() * view_.zoom() < 4)
        emit regionDrawn({}); // a click takes the mark away
    if (drag_ == Drag::Region)
        emit regionFinished();
    drag_ = Drag::None;
    setCursor(Qt::CrossCursor);
}

void CanvasPane::mouseDoubleClickEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton || captionArea().contains(event->position().toPoint()))
        return;
    if (view_.fitted())
        view_.zoomAt(anchorAt(event->position()), 1);
    else
        view_.fit();
}

void CanvasPane::focusInEvent(QFocusEvent *event) {
    focusByKey_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void CanvasPane::focusOutEvent(QFocusEvent *) {
    focusByKey_ = false;
    emit flipRequested(false); // the key's release would go elsewhere
    update();
}

void CanvasPane::leaveEvent(QEvent *) { view_.setHover(std::nullopt); }

void CanvasPane::moveSplit(double share) {
    content_.splitPosition = std::clamp(content_.splitPosition + share, 0.0, 1.0);
    emit splitMoved();
}

// The inspector without a mouse: the first press takes the pixel in the middle, the view follows the pixel.
void CanvasPane::moveHover(QPoint by) {
    const QSize size = view_.pictureSize();
    if (size.isEmpty())
        return;
    const auto last = view_.hover();
    QPoint pixel = last ? *last + by : QPoint(int(view_.centre().x()), int(view_.centre().y()));
    pixel = {std::clamp(pixel.x(), 0, size.width() - 1), std::clamp(pixel.y(), 0, size.height() - 1)};
    if (!view_.visibleRect().contains(QRectF(pixel, QSizeF(1, 1))))
        view_.centreOn(QPointF(pixel) + QPointF(0.5, 0.5));
    view_.setHover(pixel);
}

bool CanvasPane::panByKey(const QKeyEvent &event) {
    QPoint direction;
    switch (event.key()) {
    case Qt::Key_Left:
        direction = {-1, 0};
        break;
    case Qt::Key_Right:
        direction = {1, 0};
        break;
    case Qt::Key_Up:
        direction = {0, -1};
        break;
    case Qt::Key_Down:
        direction = {0, 1};
        break;
    default:
        return false;
    }
    const Qt::KeyboardModifiers with = event.modifiers() & ~Qt::KeypadModifier;
    if (with & Qt::ControlModifier) {
        moveHover(direction * (with & Qt::ShiftModifier ? 10 : 1));
    } else if (with & Qt::AltModifier) {
        moveSplit(direction.x() * 0.02);
    } else {
        const QPointF page = QPointF(width(), height()) * devicePixelRatioF() / view_.zoom();
        const double share = with & Qt::ShiftModifier ? 0.5 : 0.1;
        view_.panBy({direction.x() * page.x() * share, direction.y() * page.y() * share});
    }
    return true;
}

void CanvasPane::keyPressEvent(QKeyEvent *event) {
    if (panByKey(*event))
        return;
    if (event->key() != Qt::Key_O || event->modifiers() != Qt::NoModifier)
        return QWidget::keyPressEvent(event);
    if (!event->isAutoRepeat())
        emit flipRequested(true);
}

void CanvasPane::keyReleaseEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_O && !event->isAutoRepeat())
        emit flipRequested(false);
    else
        QWidget::keyReleaseEvent(event);
}

void CanvasPane::contextMenuEvent(QContextMenuEvent *event) {
    // From the keyboard it belongs to the caption, wherever the mouse is.
    emit menuWanted(event->reason() == QContextMenuEvent::Keyboard ? mapToGlobal(captionArea().bottomLeft())
                                                                   : event->globalPos());
}

} // namespace tessera
