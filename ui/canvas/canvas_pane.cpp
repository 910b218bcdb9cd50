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
    connect(&view_, &ViewState::changed, this, qOverload<>(&QWidget::update));
    connect(&view_, &ViewState::hoverChanged, this, qOverload<>(&QWidget::update));
}

void CanvasPane::setKind(PaneKind kind) {
    kind_ = kind;
    static const char *const names[] = {QT_TR_NOOP("Original picture"), QT_TR_NOOP("Result"),
                                        QT_TR_NOOP("Original and result, split"), QT_TR_NOOP("Difference")};
    setAccessibleName(tr(names[int(kind)]));
    setAccessibleDescription(tr("Wheel zooms at the cursor, dragging pans, arrow keys pan, plus and minus zoom"));
    update();
}

void CanvasPane::setInspectorVisible(bool visible) {
    inspector_ = visible;
    update();
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

QRect CanvasPane::pictureOnScreen() const {
    const ScreenMapping map = mapping();
    const QRectF whole(0, 0, width() * devicePixelRatioF(), height() * devicePixelRatioF());
    const QRectF picture(map.origin, QSizeF(view_.pictureSize()) * map.zoom);
    return (picture & whole).toAlignedRect();
}

// The values that belong to what is drawn there; while a preview lies above an older result, there are none.
void CanvasPane::paintNumbers(QPainter &painter, const QRect &clip, const PictureStack &stack) {
    const PictureStack &shown = stack.empty() ? content_.before : stack;
    if (!clip.isEmpty() && (&shown == &content_.before || !content_.patch))
        paintPixelGrid(painter, *shown.picture(), mapping(), clip, devicePixelRatioF(), view_.hover());
}

void CanvasPane::paintEvent(QPaintEvent *event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), theme().canvas);
    if (content_.before.empty())
        return;
    const double ratio = devicePixelRatioF();
    painter.save();
    painter.scale(1 / ratio, 1 / ratio); // from here on in screen pixels
    const QRect dirty =
        QRectF(QPointF(event->rect().topLeft()) * ratio, QSizeF(event->rect().size()) * ratio).toAlignedRect();
    paintPicture(painter, dirty & pictureOnScreen());
    painter.restore();
    paintRegion(painter);
    paintCaptions(painter);
    if (inspector_)
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
    if (content_.before.picture()->format().hasAlpha())
        paintCheckerboard(painter, clip, devicePixelRatioF());
    const bool original = kind_ == PaneKind::Original || (content_.flipped && kind_ != PaneKind::Difference);
    if (original || (content_.after.empty() && !content_.patch)) {
        paintBefore(painter, clip);
    } else if (kind_ == PaneKind::Result) {
        paintAfter(painter, clip);
    } else if (kind_ == PaneKind::Difference) {
        paintDifference(painter, clip);
    } else {
        const int edge = int(std::lround(content_.splitPosition * width() * devicePixelRatioF()));
        const QRect left = clip & QRect(0, clip.top(), edge, clip.height());
        const QRect right = clip & QRect(edge, clip.top(), clip.right() + 1, clip.height());
        painter.setClipRect(left);
        paintBefore(painter, left);
        paintNumbers(painter, left, content_.before);
        painter.setClipRect(right);
        paintAfter(painter, right);
        paintNumbers(painter, right, content_.after);
        return painter.setClipRect(clip);
    }
    if (kind_ != PaneKind::Difference)
        paintNumbers(painter, clip, original ? content_.before : content_.after);
}

void CanvasPane::paintBefore(QPainter &painter, const QRect &clip) {
    if (!clip.isEmpty())
        tiles_.draw(painter, pictureLayer(content_.before, content_.beforeSerial, view_.zoom()), mapping(), clip);
}

void CanvasPane::paintAfter(QPainter &painter, const QRect &clip) {
    if (clip.isEmpty())
        return;
    if (content_.after.empty())
        paintBefore(painter, clip); // the first result is on its way, its visible part is there already
    else
        tiles_.draw(painter, pictureLayer(content_.after, content_.afterSerial, view_.zoom()), mapping(), clip);
    if (content_.patch) {
        const TileLayer layer = patchLayer(*content_.patch);
        // The patch replaces what lies under it, transparency included.
        painter.setCompositionMode(layer.opaque ? QPainter::CompositionMode_Source
                                                : QPainter::CompositionMode_SourceOver);
        tiles_.draw(painter, layer, mapping(), clip);
        painter.setCompositionMode(QPainter::CompositionMode_SourceOver);
    }
}

void CanvasPane::paintDifference(QPainter &painter, const QRect &clip) {
    if (content_.after.empty())
        return;
    const Image &a = *content_.before.picture(), &b = *content_.after.picture();
    if (a.width() == b.width() && a.height() == b.height() && a.format().channels == b.format().channels)
        tiles_.draw(painter, differenceLayer(content_, view_.zoom()), mapping(), clip);
}

void CanvasPane::paintRegion(QPainter &painter) {
    if (content_.region.isEmpty())
        return;
    const QRectF marked(
        toWidget(content_.region.topLeft()),
        toWidget(QPointF(content_.region.topLeft()) + QPointF(content_.region.width(), content_.region.height())));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0, 160), 1));
    painter.drawRect(marked);
    painter.setPen(QPen(QColor(255, 255, 255, 220), 1, Qt::DashLine));
    painter.drawRect(marked);
}

void CanvasPane::paintCaptions(QPainter &painter) {
    const QString result = content_.resultCaption.isEmpty() ? tr("Result") : content_.resultCaption;
    const QString original = tr("Original");
    QString left = result, right;
    if (kind_ == PaneKind::Original || content_.flipped) {
        left = original;
    } else if (kind_ == PaneKind::Difference) {
        static const char *const modes[] = {QT_TR_NOOP("Difference, signed"), QT_TR_NOOP("Difference, absolute"),
                                            QT_TR_NOOP("Difference × %1"), QT_TR_NOOP("Difference × %1, false colour")};
        left = tr(modes[int(content_.difference)]);
        if (left.contains(QLatin1String("%1")))
            left = left.arg(content_.gain);
    } else {
        right = content_.timeCaption;
    }
    if (kind_ == PaneKind::Split && !content_.flipped) {
        paintCaption(painter, original, rect(), Qt::AlignLeft | Qt::AlignTop);
        paintCaption(painter, result, rect(), Qt::AlignRight | Qt::AlignTop);
        paintSplitHandle(painter, rect(), content_.splitPosition);
        return;
    }
    paintCaption(painter, left, rect(), Qt::AlignLeft | Qt::AlignTop);
    const int leftWidth = painter.fontMetrics().horizontalAdvance(left) + 60;
    if (!right.isEmpty() && leftWidth + painter.fontMetrics().horizontalAdvance(right) < width())
        paintCaption(painter, right, rect(), Qt::AlignRight | Qt::AlignTop);
}

void CanvasPane::paintInspector(QPainter &painter) {
    const auto pixel = view_.hover();
    if (!pixel)
        return;
    QStringList lines;
    const Image &before = *content_.before.picture();
    if (content_.after.empty()) {
        lines << describePixel(tr("x %1  y %2").arg(pixel->x()).arg(pixel->y()), before, *pixel);
    } else {
        lines << describePixel(tr("x %1  y %2").arg(pixel->x()).arg(pixel->y()), *content_.after.picture(), *pixel);
        lines << describePixel(tr("before"), before, *pixel);
        if (content_.explained && !content_.patch)
            lines << describeSum(before, *content_.explained, *pixel);
    }
    paintCaption(painter, lines.join(QLatin1Char('\n')), rect(), Qt::AlignRight | Qt::AlignBottom);
}

} // namespace tessera
