// Windows that lie on their screen as a whole, whatever size they were made for or remembered at.
#pragma once

#include <QMargins>
#include <QObject>
#include <QRect>

class QWidget;

namespace tessera {

// `wanted` (without its frame) made smaller and moved so that it lies in `room` with a frame of these margins around
// it. Not smaller than `least`: such a window begins at the room's top left corner, where its title bar is in reach.
QRect fittedTo(const QRect &room, const QRect &wanted, const QMargins &frame, const QSize &least = {});

// Makes a window that is neither maximised nor full screen lie on its screen. Before it is shown its frame is unknown,
// and room for a usual one is left.
void fitToScreen(QWidget &window);

// Puts every dialog of the program over its window and fits it to the screen at the moment it is shown, Qt's own among
// them.
class DialogFitter : public QObject {
public:
    explicit DialogFitter(QObject *parent);
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace tessera
