#include "ui/panels/screen_fit.h"

#include <QApplication>
#include <QDialog>
#include <QEvent>
#include <QScreen>

#include <algorithm>

namespace tessera {

namespace {

constexpr QMargins usualFrame(8, 40, 8, 8); // what a window manager adds, mostly above

QMargins frameOf(const QWidget &window) {
    if (window.windowFlags() & Qt::FramelessWindowHint)
        return {};
    const QRect outer = window.frameGeometry(), inner = window.geometry();
    if (outer == inner)
        return usualFrame;
    return {inner.left() - outer.left(), inner.top() - outer.top(), outer.right() - inner.right(),
            outer.bottom() - inner.bottom()};
}

} // namespace

QRect fittedTo(const QRect &room, const QRect &wanted, const QMargins &frame, const QSize &least) {
    const QRect inner = room.marginsRemoved(frame);
    const QSize size = wanted.size().boundedTo(inner.size()).expandedTo(least);
    const auto within = [](int place, int from, int to) { return std::max(from, std::min(place, to)); };
    return {QPoint(within(wanted.x(), inner.x(), inner.x() + inner.width() - size.width()),
                   within(wanted.y(), inner.y(), inner.y() + inner.height() - size.height())),
            size};
}

void fitToScreen(QWidget &window) {
    const QScreen *screen = window.screen();
    if (!screen || window.windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen))
        return;
    const QSize least = window.minimumSizeHint().expandedTo(window.minimumSize());
    const QRect fitted = fittedTo(screen->availableGeometry(), window.geometry(), frameOf(window), least);
    if (fitted.size() != window.size())
        window.resize(fitted.size());
    // Where nobody gave it a place, the window manager chooses one.
    const bool placed = window.testAttribute(Qt::WA_Moved) || qobject_cast<QDialog *>(&window);
    if (placed && fitted.topLeft() != window.geometry().topLeft())
        window.move(fitted.topLeft() - QPoint(frameOf(window).left(), frameOf(window).top()));
}

namespace {

// Else Qt would: but only after the event by which it is fitted to the screen, and then only where that has not moved
// it out of the corner that it stands in until then.
void centreOverParent(QDialog &dialog) {
    if (dialog.testAttribute(Qt::WA_Moved) || !dialog.parentWidget())
        return;
    QRect place({}, dialog.size());
    place.moveCenter(dialog.parentWidget()->window()->geometry().center());
    dialog.move(place.topLeft() - QPoint(0, (usualFrame.top() - usualFrame.bottom()) / 2));
}

} // namespace

DialogFitter::DialogFitter(QObject *parent) : QObject(parent) { qApp->installEventFilter(this); }

// The event comes before the window appears.
bool DialogFitter::eventFilter(QObject *watched, QEvent *event) {
    if (event->type() == QEvent::Show && !event->spontaneous())
        if (auto *dialog = qobject_cast<QDialog *>(watched); dialog && dialog->isWindow()) {
            centreOverParent(*dialog);
            fitToScreen(*dialog);
        }
    return false;
}

} // namespace tessera
