#include "ui/canvas/canvas_pane.h"

#include "ui/canvas/pane_layers.h"
#include "ui/canvas/pixel_overlay.h"
#include "ui/window/theme.h"

#include <QPaintEvent>
#include <QPainter>

#include <cmath>

namespace tessera {

CanvasPane::CanvasPane(PaneKind kind, CanvasContent &content, ViewState &view, TilePainter &tiles, QWidget *parent)
    : QWidget(parent), kind_(kind), content_(content), view_(view), tiles_(tiles) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(80, 80);
    setKind(kind);
    connect(&view_, &ViewState::changed, this, &CanvasPane::followCursor);
    connect(&view_, &ViewState::changed, this, qOverload<>(&QWidget::update));
    connect(&view_, &ViewState::hoverChanged, this, &CanvasPane::updateHover);
}

void CanvasPane::setKind(PaneKind kind, const QString &variant) {
    kind_ = kind;
    variant_ = variant;
    linesHover_.reset();
    static const char *const names[] = {QT_TR_NOOP("Original picture"), QT_TR_NOOP("Result"),
                                        QT_TR_NOOP("Original and result, split"), QT_TR_NOOP("Difference"),
                                        QT_TR_NOOP("Result of the variant %1")};
    const QString name = tr(names[int(kind)]);
    setAccessibleName(kind == PaneKind::Variant ? name.arg(variant) : name);
    setAccessibleDescription(tr("Wheel zooms at the cursor, dragging pans, arrow keys pan, plus and minus zoom, the "
                                "menu key chooses what is shown"));
    update();
}

void CanvasPane::setInspectorVisible(bool visible) {
    inspector_ = visible;
    update();
}

CanvasPane::Shown CanvasPane::shown() const {
    if (kind_ != PaneKind::Variant)
        return {&content_.after, content_.afterSerial, content_.patch ? &*content_.patch : nullptr};
    static const PictureStack nothing;
    const auto found = content_.variants.find(variant_);
    if (found == content_.variants.end())
        return {&nothing, 0, nullptr};
    const VariantPicture &made = found->second;
    return {&made.picture, made.serial, made.patch ? &*made.patch : nullptr};
}

bool CanvasPane::showsOriginal() const {
    return kind_ == PaneKind::Original || (content_.flipped && kind_ != PaneKind::Difference);
}

ScreenMapping CanvasPane::mapping() const {
    const double ratio = devicePixelRatioF(), zoom = view_.zoom();
    const QPointF middle(width() * ratio / 2, height() * ratio / 2);
    // A whole origin keeps picture pixels on screen pixels at 100 % and above.
    const QPointF origin = middle - view_.centre() * zoom;
    return {QPointF(std::round(origin.x()), std::round(origin.y())), zoom};
}

QPointF CanvasPane::toPicture(QPointF widgetPosition) const {
    return mapping().toPicture(widgetPosition * devicePixelRatioF());
}

QPointF CanvasPane::toWidget(QPointF place) const {
    const ScreenMapping map = mapping();
    return QPointF(map.screenX(place.x()), map.screenY(place.y())) / devicePixelRatioF();
}

QPointF CanvasPane::anchorAt(QPointF widgetPosition) const {
    const QPointF fromMiddle = widgetPosition - QPointF(width() / 2.0, height() / 2.0);
    return view_.centre() + fromMiddle * devicePixelRatioF() / view_.zoom();
}

QRect CanvasPane::pictureOnScreen() const {
    const ScreenMapping map = mapping();
    const QRectF whole(0, 0, width() * devicePixelRatioF(), height() * devicePixelRatioF());
    const QRectF picture(map.origin, QSizeF(view_.pictureSize()) * map.zoom);
    return (picture & whole).toAlignedRect();
}

void CanvasPane::paintEvent(QPaintEvent *event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), theme().canvas);
    if (content_.before.empty())
        return;
    const double ratio = devicePixelRatioF();
    painter.save();
    painter.scale(1 / ratio, 1 / ratio); // from here on in screen pixels
    for (const QRect &part : event->region()) {
        const QRect dirty = QRectF(QPointF(part.topLeft()) * ratio, QSizeF(part.size()) * ratio).toAlignedRect();
        paintPicture(painter, dirty & pictureOnScreen());
    }
    painter.restore();
    paintMark(painter, content_.area, QPen(theme().focus, 2));
    paintMark(painter, content_.region, QPen(QColor(255, 255, 255, 220), 1, Qt::DashLine));
    paintCaptions(painter);
    paintInspector(painter);
    if (focusByKey_) {
        painter.setPen(theme().focus);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void CanvasPane::paintPicture(QPainter &painter, const QRect &clip) {
    if (clip.isEmpty())
        return;
    painter.setClipRect(clip);
    if (kind_ == PaneKind::Difference)
        return paintDifference(painter, clip);
    if (content_.before.picture()->format().hasAlpha())
        paintCheckerboard(painter, clip, devicePixelRatioF());
    const bool original = showsOriginal() || shown().empty();
    if (kind_ == PaneKind::Split && !original)
        return paintSplit(painter, clip);
    if (original)
        paintBefore(painter, clip);
    else
        paintAfter(painter, clip);
    paintNumbers(painter, clip, original);
}

void CanvasPane::paintSplit(QPainter &painter, const QRect &clip) {
    const int edge = int(std::lround(content_.splitPosition * width() * devicePixelRatioF()));
    const QRect left = clip & QRect(0, clip.top(), edge, clip.height());
    const QRect right = clip & QRect(edge, clip.top(), clip.right() + 1, clip.height());
    painter.setClipRect(left);
    paintBefore(painter, left);
    paintNumbers(painter, left, true);
    painter.setClipRect(right);
    paintAfter(painter, right);
    paintNumbers(painter, right, false);
}

void CanvasPane::paintBefore(QPainter &painter, const QRect &clip) {
    if (!clip.isEmpty())
        tiles_.draw(painter, pictureLayer(content_.before, content_.beforeSerial, view_.zoom()), mapping(), clip);
}

bool CanvasPane::covers(const ResultPatch &patch, const QRect &clip) const {
    const ScreenMapping map = mapping();
    const double scale = map.zoom * std::ldexp(1.0, patch.level);
    const QRectF there(map.origin + QPointF(patch.region.x, patch.region.y) * scale,
                       QSizeF(patch.region.width, patch.region.height) * scale);
    return there.contains(QRectF(clip));
}

void CanvasPane::paintAfter(QPainter &painter, const QRect &clip) {
    if (clip.isEmpty())
        return;
    const Shown result = shown();
    const bool hidden = result.patch && covers(*result.patch, clip);
    if (result.picture->empty() && !hidden)
        paintBefore(painter, clip); // the first result is on its way, its visible part is there already
    else if (!hidden)
        tiles_.draw(painter, pictureLayer(*result.picture, result.serial, view_.zoom()), mapping(), clip);
    if (result.patch) {
        const TileLayer layer = patchLayer(*result.patch);
        // The patch replaces what lies under it, transparency included.
        painter.setCompositionMode(layer.opaque ? QPainter::CompositionMode_Source
                                                : QPainter::CompositionMode_SourceOver);
        tiles_.draw(painter, layer, mapping(), clip);
        painter.setCompositionMode(QPainter::CompositionMode_SourceOver);
    }
}

void CanvasPane::paintDifference(QPainter &painter, const QRect &clip) {
    const Shown result = shown();
    if (result.empty())
        return; // the caption says that there is none
    if (!result.picture->empty() && !(result.patch && covers(*result.patch, clip)))
        tiles_.draw(painter, differenceLayer(content_, view_.zoom()), mapping(), clip);
    if (result.patch)
        tiles_.draw(painter, patchDifferenceLayer(content_), mapping(), clip);
    paintNumbers(painter, clip, false);
}

// The values that belong to what is drawn there; where a preview is no more than that, there are none.
void CanvasPane::paintNumbers(QPainter &painter, const QRect &clip, bool original) {
    if (clip.isEmpty())
        return;
    GridPicture grid;
    if (original) {
        grid.image = content_.before.picture().get();
    } else {
        const Shown result = shown();
        grid.image =
            result.patch ? result.patch->exact ? result.patch->pixels.get() : nullptr : result.picture->picture().get();
        if (result.patch)
            grid.offset = {result.patch->region.x, result.patch->region.y};
    }
    if (kind_ == PaneKind::Difference) {
        grid.subtract = content_.before.picture().get();
        grid.difference = content_.difference;
        grid.gain = content_.gain;
    }
    if (grid.image)
        paintPixelGrid(painter, grid, mapping(), clip, devicePixelRatioF(), view_.hover());
}

// Only what can be seen of it: at 6400 % the far edges lie beyond what a painter draws well.
void CanvasPane::paintMark(QPainter &painter, const QRect &pixels, const QPen &pen) {
    if (pixels.isEmpty())
        return;
    const QPointF from = toWidget(pixels.topLeft()), to = toWidget(QPointF(pixels.right() + 1, pixels.bottom() + 1));
    const QRectF seen = QRectF(rect()).adjusted(-8, -8, 8, 8);
    const QRectF marked = QRectF(from, to) & seen;
    if (marked.isEmpty())
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0, 160), pen.width() + 0.5));
    painter.drawRect(marked);
    painter.setPen(pen);
    painter.drawRect(marked);
}

} // namespace tessera
