#include "ui/canvas/canvas_area.h"

#include <QCursor>
#include <QGridLayout>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

std::vector<PaneKind> kindsOf(CanvasMode mode) {
    switch (mode) {
    case CanvasMode::One:
        return {PaneKind::Result};
    case CanvasMode::Two:
        return {PaneKind::Original, PaneKind::Result};
    case CanvasMode::Three:
        return {PaneKind::Original, PaneKind::Result, PaneKind::Difference};
    case CanvasMode::Four:
        return {PaneKind::Original, PaneKind::Result, PaneKind::Split, PaneKind::Difference};
    case CanvasMode::Split:
        return {PaneKind::Split};
    case CanvasMode::Difference:
        return {PaneKind::Result, PaneKind::Difference};
    }
    return {PaneKind::Result};
}

} // namespace

CanvasArea::CanvasArea(QWidget *parent) : QWidget(parent), layout_(new QGridLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(2);
    for (int i = 0; i < 4; ++i) {
        panes_.push_back(new CanvasPane(PaneKind::Original, content_, view_, tiles_, this));
        connectPane(i);
    }
    connect(&view_, &ViewState::changed, this, &CanvasArea::viewChanged);
    connect(&view_, &ViewState::hoverChanged, this, &CanvasArea::hoverChanged);
    setMode(CanvasMode::Two);
}

void CanvasArea::connectPane(int index) {
    CanvasPane *pane = panes_[std::size_t(index)];
    pane->setObjectName(QStringLiteral("pane%1").arg(index));
    // All panes in sight are of one size; the first is always there, the others may have one of their own while hidden.
    if (index == 0)
        connect(pane, &CanvasPane::resized, this,
                [this, pane] { view_.setViewport(QSizeF(pane->size()) * pane->devicePixelRatioF()); });
    connect(pane, &CanvasPane::splitMoved, this, &CanvasArea::updatePanes);
    connect(pane, &CanvasPane::regionDrawn, this, &CanvasArea::setRegion);
    connect(pane, &CanvasPane::regionFinished, this, [this] { emit regionChanged(content_.region); });
    connect(pane, &CanvasPane::flipRequested, this, &CanvasArea::setFlipped);
    connect(pane, &CanvasPane::menuWanted, this, [this, index](QPoint place) { emit menuWanted(index, place); });
}

bool CanvasArea::hoverIsOfTheMouse() const {
    return view_.hover() ? std::ranges::any_of(panes_, &CanvasPane::hoversByMouse) : underMouse();
}

// The panes have moved under a cursor that stands still.
void CanvasArea::hoverAtCursor() {
    layout_->activate();
    for (CanvasPane *pane : panes_)
        if (pane->isUnderCursor())
            return pane->hoverAt(pane->mapFromGlobal(QPointF(QCursor::pos())));
    view_.setHover(std::nullopt);
}

void CanvasArea::setMode(CanvasMode mode) {
    const bool byMouse = hoverIsOfTheMouse();
    mode_ = mode;
    const std::vector<PaneKind> kinds = kindsOf(mode);
    paneCount_ = int(kinds.size());
    const int columns = paneCount_ == 4 ? 2 : paneCount_;
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        layout_->removeWidget(panes_[i]);
        panes_[i]->setVisible(i < kinds.size());
        if (i >= kinds.size())
            continue;
        layout_->addWidget(panes_[i], int(i) / columns, int(i) % columns);
        panes_[i]->setKind(kinds[i]);
    }
    for (int i = 0; i < 4; ++i) {
        layout_->setRowStretch(i, i * columns < paneCount_ ? 1 : 0);
        layout_->setColumnStretch(i, i < columns ? 1 : 0);
    }
    placeInspector();
    if (byMouse)
        hoverAtCursor();
    emit paneViewsChanged();
}

// The full inspector stands in one pane: the first that shows the result, else the last.
void CanvasArea::placeInspector() {
    int chosen = paneCount_ - 1;
    for (int i = paneCount_ - 1; i >= 0; --i)
        if (const PaneKind kind = panes_[std::size_t(i)]->kind(); kind == PaneKind::Result || kind == PaneKind::Split)
            chosen = i;
    for (int i = 0; i < int(panes_.size()); ++i)
        panes_[std::size_t(i)]->setInspectorVisible(i == chosen);
}

PaneView CanvasArea::paneView(int index) const {
    const CanvasPane *pane = panes_[std::size_t(index)];
    return {pane->kind(), pane->variant()};
}

void CanvasArea::setPaneView(int index, const PaneView &view) {
    if (index < 0 || index >= paneCount_ || paneView(index) == view)
        return;
    panes_[std::size_t(index)]->setKind(view.kind, view.variant);
    const QStringList wanted = shownVariants();
    std::erase_if(content_.variants, [&](const auto &entry) { return !wanted.contains(entry.first); });
    placeInspector();
    updatePanes();
    emit paneViewsChanged();
}

int CanvasArea::activePane() const {
    int active = paneCount_ - 1;
    for (int i = 0; i < paneCount_; ++i)
        if (panes_[std::size_t(i)]->hasFocus())
            return i;
        else if (panes_[std::size_t(i)]->kind() == PaneKind::Result)
            active = i;
    return active;
}

QStringList CanvasArea::shownVariants() const {
    QStringList variants;
    for (int i = 0; i < paneCount_; ++i)
        if (const PaneView view = paneView(i); view.kind == PaneKind::Variant && !variants.contains(view.variant))
            variants << view.variant;
    return variants;
}

void CanvasArea::setBefore(const PictureStack &stack) {
    content_.before = stack;
    content_.beforeSerial = TilePainter::nextSerial();
    content_.region = {};
    content_.area = {};
    content_.flipped = false;
    clearVariants();
    clearAfter();
    view_.setHover(std::nullopt); // a place in the picture from before
    view_.setPictureSize(stack.empty() ? QSize() : QSize(stack.picture()->width(), stack.picture()->height()));
    if (!stack.empty() && underMouse())
        hoverAtCursor();
}

void CanvasArea::setAfter(const PictureStack &stack) {
    content_.after = stack;
    content_.afterSerial = TilePainter::nextSerial();
    content_.patch.reset();
    content_.pending = false;
    updateResults();
}

void CanvasArea::clearAfter() { setAfter({}); }

void CanvasArea::setPatch(std::optional<ResultPatch> patch) {
    content_.patch = std::move(patch);
    if (content_.patch) {
        content_.patch->serial = TilePainter::nextSerial();
        content_.pending = false;
    }
    updateResults();
}

void CanvasArea::setPending(bool pending) {
    if (content_.pending == pending)
        return;
    content_.pending = pending;
    updateResults();
}

void CanvasArea::setVariantPicture(const QString &variant, const PictureStack &stack, const QString &time) {
    VariantPicture &made = content_.variants[variant];
    made.picture = stack;
    made.serial = TilePainter::nextSerial();
    made.patch.reset();
    made.outdated = false;
    made.time = time;
    updateResults();
}

void CanvasArea::setVariantPatch(const QString &variant, std::optional<ResultPatch> patch) {
    VariantPicture &made = content_.variants[variant];
    made.patch = std::move(patch);
    made.outdated = false;
    if (made.patch)
        made.patch->serial = TilePainter::nextSerial();
    updateResults();
}

void CanvasArea::setVariantCaption(const QString &variant, const QString &caption, bool failed) {
    VariantPicture &made = content_.variants[variant];
    if (made.caption == caption && made.failed == failed)
        return;
    made.caption = caption;
    made.failed = failed;
    updateResults();
}

void CanvasArea::setVariantsOutdated() {
    if (content_.variants.empty())
        return;
    for (auto &[name, made] : content_.variants)
        made.outdated = !made.picture.empty() || made.patch;
    updateResults();
}

void CanvasArea::clearVariants() {
    content_.variants.clear();
    updatePanes();
}

void CanvasArea::setCaptions(const QString &result, const QString &time) {
    if (content_.resultCaption == result && content_.timeCaption == time)
        return;
    content_.resultCaption = result;
    content_.timeCaption = time;
    updateResults();
}

void CanvasArea::setExplained(std::optional<FilterStep> step) {
    if (content_.explained == step)
        return;
    content_.explained = std::move(step);
    if (view_.hover())
        updateResults();
    else
        ++content_.revision; // nobody reads it yet
}

void CanvasArea::setDifference(DifferenceMode mode, double gain) {
    content_.difference = mode;
    content_.gain = gain;
    updatePanes();
}

void CanvasArea::setRegion(const QRect &region) {
    if (content_.region == region)
        return;
    content_.region = region;
    updatePanes();
}

void CanvasArea::setArea(const QRect &area) {
    if (content_.area == area)
        return;
    content_.area = area;
    updatePanes();
}

void CanvasArea::setTapTable(bool shown) {
    content_.tapTable = shown;
    updatePanes();
}

void CanvasArea::setTapChannel(int channel) {
    content_.tapChannel = channel;
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
            return pane->anchorAt(pane->mapFromGlobal(QPointF(QCursor::pos())));
    return view_.centre();
}

void CanvasArea::updatePanes() {
    ++content_.revision;
    for (CanvasPane *pane : panes_)
        pane->update();
}

// The original stays as it is: painting it again is most of what a change would cost.
void CanvasArea::updateResults() {
    ++content_.revision;
    for (CanvasPane *pane : panes_)
        if (pane->dependsOnResult())
            pane->update();
}

} // namespace tessera
