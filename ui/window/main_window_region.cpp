// The marked region, and where each picture is looked at.
#include "ui/panels/message_bar.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QLabel>
#include <QMenu>

namespace tessera {

namespace {

QString percent(double zoom) {
    const double value = zoom * 100;
    return MainWindow::tr("%1 %").arg(value, 0, 'f', value < 10 ? 1 : 0);
}

} // namespace

void MainWindow::makeRegionActions(QMenu *menu) {
    QAction *mark = addAction(
        menu, tr("&Mark what is visible"), QKeySequence(QStringLiteral("Ctrl+M")), [this] { markVisible(); },
        QStringLiteral("region.visible"));
    QAction *remove = addAction(
        menu, tr("Remove the re&gion mark"), QKeySequence(QStringLiteral("Ctrl+Shift+M")), [this] { takeRegion({}); },
        QStringLiteral("region.remove"));
    filterRegion_ = addAction(
        menu, tr("Filter the marked region onl&y"), QKeySequence(QStringLiteral("Ctrl+Shift+R")),
        [this] { filterRegionOnly(filterRegion_->isChecked()); }, QStringLiteral("filter.region"));
    filterRegion_->setCheckable(true);
    needPicture_.insert(needPicture_.end(), {mark, remove, filterRegion_});
}

void MainWindow::markVisible() {
    const Rectangle visible = canvas_->visibleRegion();
    takeRegion({visible.x, visible.y, visible.width, visible.height});
}

// Statistics follow the mark, and so does the filter where it is limited to it.
void MainWindow::takeRegion(const QRect &region) {
    messages_->settle(pictureTopic); // that there was none, or of the one before
    canvas_->setRegion(region);
    session_.setRegion({region.x(), region.y(), region.width(), region.height()});
    if (region.isEmpty())
        showResult();
    if (const Document *now = session_.document(); now && now->chain().area)
        filterRegionOnly(!region.isEmpty());
}

void MainWindow::filterRegionOnly(bool only) {
    const QRect region = canvas_->content().region;
    if (only && region.isEmpty()) {
        filterRegion_->setChecked(false);
        return showMessage({Message::Kind::Information, tr("There is no region to filter yet"),
                            tr("mark one with Shift and the mouse, or what is visible with Ctrl+M"), pictureTopic});
    }
    session_.edit([&](Document &document) {
        document.setArea(only ? std::optional(Rectangle{region.x(), region.y(), region.width(), region.height()})
                              : std::nullopt);
    });
}

void MainWindow::showArea() {
    const Document *now = session_.document();
    const std::optional<Rectangle> area = now ? now->chain().area : std::nullopt;
    filterRegion_->setChecked(area.has_value());
    canvas_->setArea(area ? QRect(area->x, area->y, area->width, area->height) : QRect());
}

// It comes back as it was left. One of the same size is looked at where the one before was, so that the two can be
// compared by turns.
void MainWindow::showPicture() {
    const Document *now = session_.document();
    const DocumentView was = now ? now->view() : DocumentView();
    const QSize sizeBefore = canvas_->view().pictureSize();
    canvas_->setBefore(now ? now->source().stack : PictureStack());
    canvas_->setRegion({was.region.x, was.region.y, was.region.width, was.region.height});
    if (now && !was.fitted && canvas_->view().pictureSize() != sizeBefore)
        canvas_->view().lookAt({was.centreX, was.centreY}, was.zoom);
    if (was.pixel && !canvas_->view().hover())
        canvas_->view().setHover(QPoint(was.pixel->first, was.pixel->second));
}

// The canvas may still show the one before.
void MainWindow::keepLook() {
    Document *now = session_.document();
    if (!now || now != shownDocument_)
        return;
    const ViewState &look = canvas_->view();
    DocumentView view = now->view();
    view.fitted = look.fitted();
    view.zoom = look.zoom();
    view.centreX = look.centre().x();
    view.centreY = look.centre().y();
    now->setView(view);
}

void MainWindow::showView() {
    keepLook();
    const double zoom = canvas_->view().zoom();
    zoomLabel_->setText(tr("Zoom %1").arg(percent(zoom)));
    if (session_.document())
        session_.setView(canvas_->visibleRegion(), zoom);
}

void MainWindow::showHover() {
    const auto pixel = canvas_->view().hover();
    if (Document *now = session_.document(); now && now == shownDocument_) {
        DocumentView view = now->view();
        view.pixel.reset();
        if (pixel && !canvas_->hoverIsOfTheMouse())
            view.pixel = {pixel->x(), pixel->y()};
        now->setView(view);
    }
    hoverLabel_->setText(pixel ? QStringLiteral("x %1  y %2").arg(pixel->x()).arg(pixel->y()) : QString());
}

} // namespace tessera
