// The panes side by side, linked: one zoom, one centre, one cursor.
#pragma once

#include "ui/canvas/canvas_pane.h"

#include <QWidget>

#include <vector>

class QGridLayout;

namespace tessera {

enum class CanvasMode { One, Two, Four, Split, Difference, Three };

// What one pane shows.
struct PaneView {
    PaneKind kind = PaneKind::Result;
    QString variant; // of PaneKind::Variant

    friend bool operator==(const PaneView &, const PaneView &) = default;
};

class CanvasArea : public QWidget {
    Q_OBJECT

public:
    explicit CanvasArea(QWidget *parent = nullptr);

    ViewState &view() { return view_; }
    const CanvasContent &content() const { return content_; }
    const std::vector<CanvasPane *> &panes() const { return panes_; }

    // A mode lays the panes out and says what each shows; after that any pane can be given something else to show.
    CanvasMode mode() const { return mode_; }
    void setMode(CanvasMode mode);
    int paneCount() const { return paneCount_; }
    PaneView paneView(int index) const;
    void setPaneView(int index, const PaneView &view);
    int activePane() const; // the one that has the keyboard, else the last that shows a result
    QStringList shownVariants() const;

    void setBefore(const PictureStack &stack); // forgets the result; fits where the size is new
    void setAfter(const PictureStack &stack);  // and forgets the patch
    void clearAfter();
    void setPatch(std::optional<ResultPatch> patch);
    void setPending(bool pending);
    void setVariantPicture(const QString &variant, const PictureStack &stack, const QString &time);
    void setVariantPatch(const QString &variant, std::optional<ResultPatch> patch);
    void setVariantCaption(const QString &variant, const QString &caption, bool failed = false);
    void setVariantsOutdated();
    void clearVariants(); // their pictures; the panes stay
    void setCaptions(const QString &result, const QString &time);
    void setExplained(std::optional<FilterStep> step);
    void setDifference(DifferenceMode mode, double gain);
    void setTapTable(bool shown);
    void setTapChannel(int channel);
    void setFlipped(bool flipped);

    bool hoverIsOfTheMouse() const; // else keys have put it there

    void zoomIn() { view_.zoomStep(anchor(), 1); }
    void zoomOut() { view_.zoomStep(anchor(), -1); }

    // The visible part of the picture, in whole pixels.
    Rectangle visibleRegion() const;

    void setRegion(const QRect &region);
    void setArea(const QRect &area);

signals:
    void regionChanged(const QRect &region); // once the mouse is let go
    void viewChanged();
    void hoverChanged();
    void paneViewsChanged();
    void menuWanted(int pane, QPoint globalPosition);

private:
    QPointF anchor() const;
    void connectPane(int index);
    void placeInspector();
    void hoverAtCursor();
    void updatePanes();
    void updateResults();

    CanvasContent content_;
    ViewState view_;
    TilePainter tiles_;
    CanvasMode mode_ = CanvasMode::Two;
    int paneCount_ = 0;
    QGridLayout *layout_;
    std::vector<CanvasPane *> panes_;
};

} // namespace tessera
