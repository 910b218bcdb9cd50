// Where all linked panes look: zoom and centre, shared. Picture coordinates: pixel (x, y) covers [x, x + 1) x [y, y +
// 1).
#pragma once

#include <QObject>
#include <QPointF>
#include <QRectF>
#include <QSize>

#include <optional>

namespace tessera {

class ViewState : public QObject {
    Q_OBJECT

public:
    static constexpr double minimumZoom = 0.01; // screen pixels a picture pixel: 1 %
    static constexpr double maximumZoom = 64;   // 6400 %

    explicit ViewState(QObject *parent = nullptr) : QObject(parent) {}

    double zoom() const { return zoom_; }
    QPointF centre() const { return centre_; }
    QSize pictureSize() const { return picture_; }
    bool fitted() const { return fitted_; }
    QRectF visibleRect() const; // in the picture, clipped to it

    void setPictureSize(QSize size);       // fits; the same size again keeps the view
    void setViewport(QSizeF screenPixels); // of one pane

    void fit();
    void setZoom(double zoom) { zoomAt(centre_, zoom); }
    // `anchor`, a place in the picture, stays where it is on the screen.
    void zoomAt(QPointF anchor, double zoom);
    void zoomStep(QPointF anchor, double steps); // a step is a factor of sqrt(2)
    void panBy(QPointF pictureDelta);
    void centreOn(QPointF place);
    void lookAt(QPointF centre, double zoom);

    // The pixel under the cursor, in whichever pane it is.
    std::optional<QPoint> hover() const { return hover_; }
    void setHover(std::optional<QPoint> pixel);

signals:
    void changed();
    void hoverChanged();

private:
    void set(double zoom, QPointF centre, bool fitted);
    double fitZoom() const;

    QSize picture_;
    QSizeF viewport_{1, 1};
    double zoom_ = 1;
    QPointF centre_;
    bool fitted_ = true;
    std::optional<QPoint> hover_;
};

} // namespace tessera
