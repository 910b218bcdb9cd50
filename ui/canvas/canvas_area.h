// The panes side by side, linked: one zoom, one centre, one cursor.
#pragma once

#include "ui/canvas/canvas_pane.h"

#include <QWidget>

#include <vector>

class QGridLayout;

namespace tessera {

enum class CanvasMode { One, Two, Four, Split, Difference };

class CanvasArea : public QWidget {
    Q_OBJECT

public:
    explicit CanvasArea(QWidget *parent = nullptr);

    ViewState &view() { return view_; }
    const CanvasContent &content() const { return content_; }
    const std::vector<CanvasPane *> &panes() const { return panes_; }

    CanvasMode mode() const { return mode_; }
    void setMode(CanvasMode mode);

    void setBefore(const PictureStack &stack); // forgets the result; fits where the size is new
    void setAfter(const PictureStack &stack);  // and forgets the patch
    void clearAfter();
    void setPatch(std::optional<ResultPatch> patch);
    void setCaptions(const QString &result, const QString &time);
    void setExplained(std::optional<FilterStep> step);
    void setDifference(DifferenceMode mode, double gain);
    void setFlipped(bool flipped);

    void zoomIn() { view_.zoomStep(anchor(), 1); }
    void zoomOut() { view_.zoomStep(anchor(), -1); }

    // The visible part of the picture, in whole pixels.
    Rectangle visibleRegion() const;

    void setRegion(const QRect &region);

signals:
    void regionChanged(const QRect &region); // once the mouse is let go
    void viewChanged();
    void hoverChanged();
    void contextMenuWanted(QPoint globalPosition);

private:
    QPointF anchor() const;
    void updatePanes();

    CanvasContent content_;
    ViewState view_;
    TilePainter tiles_;
    CanvasMode mode_ = CanvasMode::Two;
    QGridLayout *layout_;
    std::vector<CanvasPane *> panes_;
};

} // namespace tessera
