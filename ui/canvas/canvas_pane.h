// One view of the pictures. Zoom and centre come from the shared ViewState; the pane draws visible tiles only.
#pragma once

#include "ui/canvas/canvas_content.h"
#include "ui/canvas/tile_painter.h"
#include "ui/canvas/view_state.h"

#include <QStringList>
#include <QWidget>

namespace tessera {

class CanvasPane : public QWidget {
    Q_OBJECT

public:
    CanvasPane(PaneKind kind, CanvasContent &content, ViewState &view, TilePainter &tiles, QWidget *parent = nullptr);

    PaneKind kind() const { return kind_; }
    const QString &variant() const { return variant_; } // of PaneKind::Variant: its name in CanvasContent::variants
    void setKind(PaneKind kind, const QString &variant = {});
    void setInspectorVisible(bool visible);
    bool dependsOnResult() const { return kind_ != PaneKind::Original || inspector_; }

    ScreenMapping mapping() const; // in screen (device) pixels
    QPointF toPicture(QPointF widgetPosition) const;
    QPointF toWidget(QPointF picturePosition) const;
    // The place in the picture that zooming there keeps in place. Not toPicture(): the picture is drawn on whole screen
    // pixels, and what that rounds off would add up from step to step.
    QPointF anchorAt(QPointF widgetPosition) const;

    // What the pane says: above left and right, and at the bottom where the picture is not yet the exact result.
    QString leftCaption() const;
    QString rightCaption() const;
    QString stateCaption() const;
    // The pixel under the cursor: its values in the picture's own depth and how the first of them came about.
    QStringList inspectorLines() const;
    void hoverAt(QPointF widgetPosition); // takes the pixel there as the one under the cursor
    bool isUnderCursor() const;           // by its place: where it was moved, underMouse() tells of the place before
    bool hoversByMouse() const { return mouseHover_ && mouseHover_ == view_.hover(); } // not by keys

signals:
    void resized(); // or shown, with the size it has
    void splitMoved();
    void regionDrawn(QRect pixels); // empty: a click that marks nothing
    void regionFinished();
    void flipRequested(bool flipped);
    void menuWanted(QPoint globalPosition);

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

    // The result that the pane shows: the chain's, or one variant's. `patch` may be null.
    struct Shown {
        const PictureStack *picture;
        std::uint64_t serial;
        const ResultPatch *patch;
        bool empty() const { return picture->empty() && !patch; }
    };
    Shown shown() const;
    bool showsOriginal() const;
    // Whose pixel is known exactly there: the patch's, else the result's while no patch lies above it; null: nobody's.
    const Image *exactImage(QPoint pixel, QPoint &offset) const;

    void paintPicture(QPainter &painter, const QRect &clip);
    void paintBefore(QPainter &painter, const QRect &clip);
    bool covers(const ResultPatch &patch, const QRect &clip) const;
    void paintAfter(QPainter &painter, const QRect &clip);
    void paintSplit(QPainter &painter, const QRect &clip);
    void paintDifference(QPainter &painter, const QRect &clip);
    void paintNumbers(QPainter &painter, const QRect &clip, bool original);
    void paintMark(QPainter &painter, const QRect &pixels, const QPen &pen);
    void paintCaptions(QPainter &painter);
    void paintInspector(QPainter &painter);
    const QStringList &keptInspectorLines();
    void updateHover();
    void followCursor();
    bool panByKey(const QKeyEvent &event);
    void moveHover(QPoint by);
    void moveSplit(double share);
    bool onSplitHandle(QPointF position) const;
    QRect captionArea() const;
    QRect pictureOnScreen() const;
    QRect pixelOnWidget(QPoint pixel) const;

    PaneKind kind_;
    QString variant_;
    CanvasContent &content_;
    ViewState &view_;
    TilePainter &tiles_;
    Drag drag_ = Drag::None;
    QPointF lastMouse_;
    QPointF regionStart_; // in the picture
    bool inspector_ = false;
    bool focusByKey_ = false;          // then a frame shows where the keys go
    std::optional<QPoint> mouseHover_; // where the mouse has put it; a key or a search may have put it elsewhere since
    std::optional<QPoint> paintedHover_;
    QRect paintedInspector_;
    QStringList inspectorLines_; // of that hover and revision: a kernel's sum is not worked out for every frame
    std::optional<QPoint> linesHover_;
    std::uint64_t linesRevision_ = 0;
};

} // namespace tessera
