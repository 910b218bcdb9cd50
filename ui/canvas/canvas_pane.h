// One view of the pictures. Zoom and centre come from the shared ViewState; the pane draws visible tiles only.
#pragma once

#include "ui/canvas/canvas_content.h"
#include "ui/canvas/tile_painter.h"
#include "ui/canvas/view_state.h"

#include <QWidget>

namespace tessera {

class CanvasPane : public QWidget {
    Q_OBJECT

public:
    CanvasPane(PaneKind kind, CanvasContent &content, ViewState &view, TilePainter &tiles, QWidget *parent = nullptr);

    PaneKind kind() const { return kind_; }
    void setKind(PaneKind kind);
    void setInspectorVisible(bool visible);

    ScreenMapping mapping() const; // in screen (device) pixels
    QPointF toPicture(QPointF widgetPosition) const;
    QPointF toWidget(QPointF picturePosition) const;

signals:
    void splitMoved();
    void regionDrawn(QRect pixels); // empty: a click that marks nothing
    void regionFinished();
    void flipRequested(bool flipped);
    void contextMenuWanted(QPoint globalPosition);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    bool event(QEvent *event) override;

private:
    enum class Drag { None, Pan, Split, Region };

    void paintPicture(QPainter &painter, const QRect &clip);
    void paintBefore(QPainter &painter, const QRect &clip);
    void paintAfter(QPainter &painter, const QRect &clip);
    void paintDifference(QPainter &painter, const QRect &clip);
    void paintNumbers(QPainter &painter, const QRect &clip, const PictureStack &stack);
    void paintRegion(QPainter &painter);
    void paintCaptions(QPainter &painter);
    void paintInspector(QPainter &painter);
    void reportViewport();
    bool onSplitHandle(QPointF position) const;
    QRect pictureOnScreen() const;

    PaneKind kind_;
    CanvasContent &content_;
    ViewState &view_;
    TilePainter &tiles_;
    Drag drag_ = Drag::None;
    QPointF lastMouse_;
    QPointF regionStart_; // in the picture
    bool inspector_ = false;
    bool focusByKey_ = false; // then a frame shows where the keys go
};

} // namespace tessera
