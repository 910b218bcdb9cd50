// What a pane writes above the picture: captions, the inspector, the table of taps.
#include "ui/canvas/canvas_pane.h"
#include "ui/canvas/pixel_overlay.h"
#include "ui/canvas/tap_table.h"
#include "ui/window/theme.h"

#include <QCursor>
#include <QPainter>

#include <cmath>

namespace tessera {

namespace {

bool inside(const Image &image, QPoint offset, QPoint pixel) {
    return QRect(offset, QSize(image.width(), image.height())).contains(pixel);
}

} // namespace

QString CanvasPane::leftCaption() const {
    if (showsOriginal() || kind_ == PaneKind::Split)
        return tr("Original");
    if (kind_ == PaneKind::Variant) {
        const auto found = content_.variants.find(variant_);
        return found == content_.variants.end() ? variant_ : found->second.caption;
    }
    if (kind_ == PaneKind::Result)
        return content_.resultCaption.isEmpty() ? tr("Result") : content_.resultCaption;
    if (shown().empty())
        return tr("Difference: nothing is filtered yet");
    static const char *const modes[] = {QT_TR_NOOP("Difference, signed"), QT_TR_NOOP("Difference, absolute"),
                                        QT_TR_NOOP("Difference × %1"), QT_TR_NOOP("Difference × %1, false colour")};
    const QString mode = tr(modes[int(content_.difference)]);
    return mode.contains(QLatin1String("%1")) ? mode.arg(content_.gain) : mode;
}

QString CanvasPane::rightCaption() const {
    if (showsOriginal() || kind_ == PaneKind::Difference)
        return {};
    if (kind_ == PaneKind::Split)
        return content_.resultCaption.isEmpty() ? tr("Result") : content_.resultCaption;
    if (kind_ == PaneKind::Variant) {
        const auto found = content_.variants.find(variant_);
        return found == content_.variants.end() ? QString() : found->second.time;
    }
    return content_.timeCaption;
}

QString CanvasPane::stateCaption() const {
    if (showsOriginal())
        return {};
    if (kind_ == PaneKind::Variant)
        if (const auto found = content_.variants.find(variant_); found != content_.variants.end())
            if (found->second.outdated)
                return tr("Earlier picture; the new one follows…");
    if (const ResultPatch *patch = shown().patch) {
        const QRectF there(patch->region.x, patch->region.y, patch->region.width, patch->region.height);
        if (!patch->exact)
            return tr("Preview, not exact yet…");
        return there.contains(view_.visibleRect()) ? tr("Exact here; the rest follows…")
                                                   : tr("Partly filtered; the rest follows…");
    }
    return content_.pending && kind_ != PaneKind::Variant ? tr("Earlier picture; the new one follows…") : QString();
}

// The one on the right only where both have room; of a split picture it names the other half, so always.
void CanvasPane::paintCaptions(QPainter &painter) {
    const QString left = leftCaption(), right = rightCaption(), state = stateCaption();
    paintCaption(painter, left, rect(), Qt::AlignLeft | Qt::AlignTop);
    const QFontMetrics metrics(smallFont());
    const bool bothFit = metrics.horizontalAdvance(left) + metrics.horizontalAdvance(right) + 60 < width();
    if (!right.isEmpty() && (bothFit || kind_ == PaneKind::Split))
        paintCaption(painter, right, rect(), Qt::AlignRight | Qt::AlignTop);
    if (kind_ == PaneKind::Split && !showsOriginal())
        paintSplitHandle(painter, rect(), content_.splitPosition);
    if (!state.isEmpty())
        paintCaption(painter, state, rect().adjusted(0, captionArea().height() + 4, 0, 0),
                     Qt::AlignLeft | Qt::AlignTop);
}

QRect CanvasPane::captionArea() const { return captionRect(leftCaption(), rect(), Qt::AlignLeft | Qt::AlignTop); }

const Image *CanvasPane::exactImage(QPoint pixel, QPoint &offset) const {
    const Shown result = shown();
    offset = {};
    if (!result.patch)
        return result.picture->empty() ? nullptr : result.picture->picture().get();
    offset = {result.patch->region.x, result.patch->region.y};
    return result.patch->exact && inside(*result.patch->pixels, offset, pixel) ? result.patch->pixels.get() : nullptr;
}

QStringList CanvasPane::inspectorLines() const {
    const auto pixel = view_.hover();
    if (!pixel || content_.before.empty())
        return {};
    const Image &before = *content_.before.picture();
    const QString place = tr("x %1  y %2").arg(pixel->x()).arg(pixel->y());
    if (shown().empty())
        return {describePixel(place, before, *pixel)};
    QPoint offset;
    const Image *after = exactImage(*pixel, offset);
    QStringList lines;
    lines << (after ? describePixel(place, *after, *pixel - offset) : tr("%1   not yet exact").arg(place));
    if (kind_ == PaneKind::Variant && !inspector_)
        return lines;
    lines << describePixel(tr("before"), before, *pixel);
    const bool filtered = content_.area.isEmpty() || content_.area.contains(*pixel);
    if (!filtered)
        lines << tr("outside the part that is filtered");
    else if (content_.explained && after && !content_.tapTable)
        lines << describeSum(before, *content_.explained, *pixel, content_.tapChannel);
    return lines;
}

const QStringList &CanvasPane::keptInspectorLines() {
    if (linesHover_ != view_.hover() || linesRevision_ != content_.revision) {
        inspectorLines_ = inspector_ || kind_ == PaneKind::Variant ? inspectorLines() : QStringList();
        linesHover_ = view_.hover();
        linesRevision_ = content_.revision;
    }
    return inspectorLines_;
}

void CanvasPane::paintInspector(QPainter &painter) {
    paintedHover_ = view_.hover();
    paintedInspector_ = {};
    const QStringList &lines = keptInspectorLines();
    if (lines.isEmpty())
        return;
    const QString text = lines.join(QLatin1Char('\n'));
    paintCaption(painter, text, rect(), Qt::AlignRight | Qt::AlignBottom);
    paintedInspector_ = captionRect(text, rect(), Qt::AlignRight | Qt::AlignBottom);
    QPoint offset;
    const bool filtered = content_.area.isEmpty() || content_.area.contains(*view_.hover());
    if (!inspector_ || !content_.tapTable || !content_.explained || !filtered || !exactImage(*view_.hover(), offset))
        return;
    const int top = captionArea().bottom() * (stateCaption().isEmpty() ? 1 : 2); // below what else is said
    const QRect above(QPoint(0, top), QPoint(rect().right(), paintedInspector_.top() - 1));
    paintedInspector_ |= paintTapTable(painter, *content_.before.picture(), *content_.explained, *view_.hover(),
                                       content_.tapChannel, above);
}

QRect CanvasPane::pixelOnWidget(QPoint pixel) const {
    return QRectF(toWidget(pixel), toWidget(pixel + QPoint(1, 1))).toAlignedRect().adjusted(-2, -2, 2, 2) & rect();
}

// The cursor moves far more often than anything else changes: only what depends on it is painted again.
void CanvasPane::updateHover() {
    const QRect before = paintedInspector_;
    const QStringList &lines = keptInspectorLines();
    QRegion changed(before);
    if (!lines.isEmpty())
        changed |= captionRect(lines.join(QLatin1Char('\n')), rect(), Qt::AlignRight | Qt::AlignBottom);
    if (inspector_ && content_.tapTable)
        changed |= rect(); // its size follows the kernel
    if (view_.zoom() >= gridZoom * devicePixelRatioF())
        for (const auto &pixel : {paintedHover_, view_.hover()})
            if (pixel)
                changed |= pixelOnWidget(*pixel);
    update(changed);
}

void CanvasPane::hoverAt(QPointF position) {
    const QPointF place = toPicture(position);
    view_.setHover(QPoint(int(std::floor(place.x())), int(std::floor(place.y()))));
    mouseHover_ = view_.hover();
}

bool CanvasPane::isUnderCursor() const { return isVisible() && rect().contains(mapFromGlobal(QCursor::pos())); }

// Zooming and panning put another pixel under a cursor that stands still.
void CanvasPane::followCursor() {
    if (drag_ == Drag::None && hoversByMouse() && isUnderCursor())
        hoverAt(mapFromGlobal(QPointF(QCursor::pos())));
}

} // namespace tessera
