// What the tests of the canvas have in common: pictures whose every pixel says where it is, and what a pane paints.
#pragma once

#include "tests/ui/window_test_support.h"
#include "ui/canvas/canvas_pane.h"
#include "ui/window/theme.h"

#include <QApplication>
#include <QImage>

namespace tessera {

// An 8-bit picture in which a pixel's colour tells its column and row, neighbours' and those 256 apart too.
Image addressed(int width, int height);

// What the pixel looks like on the screen.
QColor colourOf(const Image &image, QPoint pixel);

class CanvasFixture : public WindowFixture {
    Q_OBJECT

protected:
    CanvasPane *pane(int index) { return window_->canvas().panes()[std::size_t(index)]; }
    ViewState &view() { return window_->canvas().view(); }
    void openMade(Image picture, const QString &title); // and waits until it is shown
    void filterWith(const char *text);                  // as filter, and what is shown is the result of it
    QStringList variantsOf(const QString &device);      // as the window offers them
    bool variantIsThere(const QString &key);            // the newest result of a variant that a pane shows
    static void moveMouse(CanvasPane *pane, QPointF to, Qt::MouseButtons buttons = Qt::NoButton);
    static QPoint paneMiddle(const CanvasPane *pane) { return {pane->width() / 2, pane->height() / 2}; }
    static QImage grabbed(CanvasPane *pane) { return pane->grab().toImage(); }
    static QColor paintedAt(CanvasPane *pane, QPoint pixel); // near the pixel's upper left corner, clear of numbers
};

} // namespace tessera
