#include "ui/panels/drag_handle.h"

#include <QApplication>
#include <QDrag>
#include <QMimeData>
#include <QMouseEvent>
#include <QUrl>

namespace tessera {

DragHandle::DragHandle(QWidget *parent) : QToolButton(parent) {
    setText(tr("Drag out"));
    setToolTip(tr("Hold and drag the result into another program or folder; the keyboard copies it with Ctrl+C"));
    setAccessibleName(tr("Drag the result out"));
    setFocusPolicy(Qt::NoFocus);
    setCursor(Qt::OpenHandCursor);
}

QMimeData *DragHandle::dataFor(const QString &path) {
    auto *data = new QMimeData;
    data->setUrls({QUrl::fromLocalFile(path)});
    return data;
}

void DragHandle::mousePressEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton)
        return;
    start_ = event->pos();
    file_.clear();
    held_ = true;
    moved_ = false;
    emit fileWanted();
}

void DragHandle::mouseMoveEvent(QMouseEvent *event) {
    moved_ = moved_ || (event->pos() - start_).manhattanLength() >= QApplication::startDragDistance();
    begin();
}

void DragHandle::mouseReleaseEvent(QMouseEvent *) { held_ = false; }

void DragHandle::setFile(const QString &path) {
    file_ = path;
    begin();
}

void DragHandle::begin() {
    if (!held_ || !moved_ || file_.isEmpty())
        return;
    held_ = false; // the release goes to the drag
    auto *drag = new QDrag(this);
    drag->setMimeData(dataFor(file_));
    drag->exec(Qt::CopyAction);
}

} // namespace tessera
