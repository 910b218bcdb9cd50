// Clipboard, drag and drop, in both directions.
#include "ui/bridge/file_name.h"
#include "ui/bridge/picture_conversion.h"
#include "ui/panels/drag_handle.h"
#include "ui/panels/start_page.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QStatusBar>
#include <QTemporaryDir>

namespace tessera {

void MainWindow::connectTransfer() {
    connect(&session_, &Session::copyReady, this, [this](const QImage &picture, bool exact) {
        QApplication::clipboard()->setImage(picture);
        const Document *now = session_.document();
        if (now && now->result() && !now->result()->picture.stack.empty() && !now->resultIsCurrent())
            return showMessage(
                {Message::Kind::Information,
                 tr("The earlier result is on the clipboard, as it is shown: the filter has not run to its "
                    "end since"),
                 {},
                 pictureTopic});
        showMessage({Message::Kind::Information,
                     exact ? tr("The picture is on the clipboard")
                           : tr("The picture is on the clipboard as the screen shows it, with 8 bits"),
                     exact ? QString() : tr("save it as TIFF to keep its floating-point values"), pictureTopic});
    });
    connect(dragHandle_, &DragHandle::fileWanted, this, [this] {
        const Document *now = session_.document();
        if (!now)
            return;
        if (!dragged_)
            dragged_ = std::make_unique<QTemporaryDir>();
        const QString folder = dragged_->filePath(QString::number(++draggedCount_)); // so that each keeps its name
        if (!dragged_->isValid() || !QDir().mkpath(folder))
            return showMessage({Message::Kind::Error,
                                tr("No file can be made to drag: %1").arg(dragged_->errorString()),
                                tr("copy the picture instead")});
        session_.exportTo(folder + QLatin1Char('/') + suggestedName(*now));
    });
    connect(&session_, &Session::exported, dragHandle_, &DragHandle::setFile);
}

void MainWindow::paste() {
    const QMimeData *held = QApplication::clipboard()->mimeData();
    if (!held)
        return;
    if (const QStringList files = localFiles(*held); !files.isEmpty())
        return open(files);
    try {
        session_.openPicture(fromQImage(QApplication::clipboard()->image()), tr("pasted picture"));
    } catch (const Error &error) {
        statusBar()->clearMessage(); // what it says of the clipboard is older
        Message message = messageFrom(error, pictureTopic);
        message.kind = Message::Kind::Warning;
        showMessage(message);
    }
}

void MainWindow::copyResult() { session_.copyShown(); }

void MainWindow::dragEnterEvent(QDragEnterEvent *event) {
    if (event->source() == dragHandle_) // what is open already
        return;
    if (!localFiles(*event->mimeData()).isEmpty() || event->mimeData()->hasImage()) {
        event->acceptProposedAction();
        start_->setDropHighlight(true);
    }
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent *) { start_->setDropHighlight(false); }

void MainWindow::dropEvent(QDropEvent *event) {
    start_->setDropHighlight(false);
    if (const QStringList files = localFiles(*event->mimeData()); !files.isEmpty()) {
        open(files);
    } else if (event->mimeData()->hasImage()) {
        try {
            session_.openPicture(fromQImage(qvariant_cast<QImage>(event->mimeData()->imageData())),
                                 tr("dropped picture"));
        } catch (const Error &error) {
            showMessage(messageFrom(error));
        }
    }
    event->acceptProposedAction();
}

} // namespace tessera
