#include "ui/canvas/canvas_area.h"

#include <QCursor>
#include <QGridLayout>

#include <cmath>

namespace tessera {

CanvasArea::CanvasArea(QWidget *parent) : QWidget(parent), layout_(new QGridLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(2);
    for (int i = 0; i < 4; ++i) {
        auto *pane = new CanvasPane(PaneKind::Original, content_, view_, tiles_, this);
        pane->setObjectName(QStringLiteral("pane%1").arg(i));
        connect(pane, &CanvasPane::splitMoved, this, &CanvasArea::updatePanes);
        connect(pane, &CanvasPane::regionDrawn, this, &CanvasArea::setRegion);
        connect(pane, &CanvasPane::regionFinished, this, [this] { emit regionChanged(content_.region); });
        connect(pane, &CanvasPane::flipRequested, this, &CanvasArea::setFlipped);
        connect(pane, &CanvasPane::contextMenuWanted, this, &CanvasArea::contextMenuWanted);
        panes_.push_back(pane);
    }
    connect(&view_, &ViewState::changed, this, &CanvasArea::viewChanged);
    connect(&view_, &ViewState::hoverChanged, this, &CanvasArea::hoverChanged);
    setMode(CanvasMode::Two);
}

void CanvasArea::setMode(CanvasMode mode) {
    mode_ = mode;
    using Kinds = std::vector<PaneKind>;
    const Kinds kinds = mode == CanvasMode::One     ? Kinds{PaneKind::Result}
                        : mode == CanvasMode::Two   ? Kinds{PaneKind::Original, PaneKind::Result}
                        : mode == CanvasMode::Split ? Kinds{PaneKind::Split}
                        : mode == CanvasMode::Difference
                            ? Kinds{PaneKind::Result, PaneKind::Difference}
                            : Kinds{PaneKind::Original, PaneKind::Result, PaneKind::Split, PaneKind::Difference};
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        layout_->removeWidget(panes_[i]);
        panes_[i]->setVisible(i < kinds.size());
        if (i >= kinds.size())
            continue;
        layout_->addWidget(panes_[i], int(i / 2), int(i % 2));
        panes_[i]->setKind(kinds[i]);
        panes_[i]->setInspectorVisible(i ==
                                       std::min<std::size_t>(kinds.size() - 1, mode == CanvasMode::Difference ? 0 : 1));
    }
    layout_->setRowStretch(0, 1);
    layout_->setRowStretch(1, kinds.size() > 2 ? 1 : 0);
    layout_->setColumnStretch(0, 1);
    layout_->setColumnStretch(1, kinds.size() > 1 ? 1 : 0);
}

void CanvasArea::setBefore(const PictureStack &stack) {
    content_.before = stack;
    content_.beforeSerial = TilePainter::nextSerial();
    content_.region = {};
    clearAfter();
    view_.setPictureSize(stack.empty() ? QSize() : QSize(stack.picture()->width(), stack.picture()->height()));
}

void CanvasArea::setAfter(const PictureStack &stack) {
    content_.after = stack;
    content_.afterSerial = TilePainter::nextSerial();
    content_.patch.reset();
    updatePanes();
}

void CanvasArea::clearAfter() { setAfter({}); }

void CanvasArea::setPatch(std::optional<ResultPatch> patch) {
    content_.patch = std::move(patch);
    if (content_.patch)
        content_.patch->serial = TilePainter::nextSerial();
    updatePanes();
}

void CanvasArea::setCaptions(const QString &result, const QString &time) {
    content_.resultCaption = result;
    content_.timeCaption = time;
    updatePanes();
}

void CanvasArea::setExplained(std::optional<FilterStep> step) {
    content_.explained = std::move(step);
    updatePanes();
}

void CanvasArea::setDifference(DifferenceMode mode, double gain) {
    content_.difference = mode;
    content_.gain = gain;
    updatePanes();
}

void CanvasArea::setRegion(const QRect &region) {
    content_.region = region;
    updatePanes();
}

void CanvasArea::setFlipped(bool flipped) {
    if (content_.flipped == flipped)
        return;
    content_.flipped = flipped;
    updatePanes();
}

Rectangle CanvasArea::visibleRegion() const {
    const QRectF visible = view_.visibleRect();
    const int left = int(std::floor(visible.left())), top = int(std::floor(visible.top()));
    return {left, top, int(std::ceil(visible.right())) - left, int(std::ceil(visible.bottom())) - top};
}

// Zooming by key goes to the cursor where it is over a pane, else to the middle.
QPointF CanvasArea::anchor() const {
    for (const CanvasPane *pane : panes_)
        if (pane->isVisible() && pane->underMouse())
            return pane->toPicture(pane->mapFromGlobal(QCursor::pos()));
    return view_.centre();
}

void CanvasArea::updatePanes() {
    for (CanvasPane *pane : panes_)
        pane->update();
}

} // namespace tessera
