#include "ui/canvas/view_state.h"

#include <algorithm>
#include <cmath>

namespace tessera {

QRectF ViewState::visibleRect() const {
    const QSizeF size = viewport_ / zoom_;
    const QRectF view(centre_.x() - size.width() / 2, centre_.y() - size.height() / 2, size.width(), size.height());
    return view & QRectF(QPointF(), QSizeF(picture_));
}

double ViewState::fitZoom() const {
    if (picture_.isEmpty() || viewport_.isEmpty())
        return 1;
    const double wanted = std::min(viewport_.width() / picture_.width(), viewport_.height() / picture_.height());
    // A thumbnail blown up to the window says nothing; small pictures are shown at most eightfold.
    return std::clamp(wanted, minimumZoom, 8.0);
}

void ViewState::setPictureSize(QSize size) {
    if (size == picture_)
        return;
    picture_ = size;
    setHover(std::nullopt);
    fit();
    emit changed();
}

void ViewState::setViewport(QSizeF screenPixels) {
    if (screenPixels == viewport_ || screenPixels.isEmpty())
        return;
    viewport_ = screenPixels;
    if (fitted_)
        fit();
    emit changed();
}

void ViewState::fit() { set(fitZoom(), QRectF(QPointF(), QSizeF(picture_)).center(), true); }

void ViewState::zoomAt(QPointF anchor, double zoom) {
    const double next = std::clamp(zoom, minimumZoom, maximumZoom);
    set(next, anchor + (centre_ - anchor) * (zoom_ / next), false);
}

void ViewState::zoomStep(QPointF anchor, double steps) {
    double next = zoom_ * std::pow(2.0, steps / 2);
    // Land on 100 % when passing it, so that it can be found with the wheel.
    if ((zoom_ < 1 && next > 1) || (zoom_ > 1 && next < 1))
        next = 1;
    zoomAt(anchor, next);
}

void ViewState::panBy(QPointF pictureDelta) { set(zoom_, centre_ + pictureDelta, false); }

void ViewState::centreOn(QPointF place) { set(zoom_, place, false); }

void ViewState::lookAt(QPointF centre, double zoom) { set(std::clamp(zoom, minimumZoom, maximumZoom), centre, false); }

void ViewState::set(double zoom, QPointF centre, bool fitted) {
    // The centre stays inside the picture: one can look past an edge, but not lose the picture.
    const QPointF kept(std::clamp(centre.x(), 0.0, double(picture_.width())),
                       std::clamp(centre.y(), 0.0, double(picture_.height())));
    if (zoom == zoom_ && kept == centre_ && fitted == fitted_)
        return;
    zoom_ = zoom;
    centre_ = kept;
    fitted_ = fitted;
    emit changed();
}

void ViewState::setHover(std::optional<QPoint> pixel) {
    if (pixel && !QRect(QPoint(), picture_).contains(*pixel))
        pixel.reset();
    if (pixel == hover_)
        return;
    hover_ = pixel;
    emit hoverChanged();
}

} // namespace tessera
