// Closing, and what is asked before something is lost.
#include "ui/bridge/autosave.h"
#include "ui/bridge/listing.h"
#include "ui/panels/batch_dialog.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera {

QStringList MainWindow::unsavedOf(const std::vector<int> &indices) {
    QStringList names;
    for (const int index : indices)
        if (const Document *document = session_.documentAt(index); document && document->needsSaving())
            names << QString::fromStdString(document->title());
    return names;
}

// A picture with a file can be reopened with its filters; what came from no file is gone.
QString MainWindow::lostWith(const Document &document) const {
    return document.path().empty()
               ? tr("It is in no file: all of it is lost when it is closed.")
               : tr("No file has the result. Until Tessera ends, %1 opens the picture with its filters again.")
                     .arg(reopen_->shortcut().toString(QKeySequence::NativeText));
}

// Asks about those of `indices` that need saving, `lost` being what closing them loses. To save takes the first of them
// and comes back to `closeAgain`.
bool MainWindow::mayClose(const std::vector<int> &indices, const QString &lost,
                          const std::function<void()> &closeAgain) {
    const QStringList names = unsavedOf(indices);
    if (names.isEmpty() || !asks_)
        return true;
    QMessageBox question(this);
    question.setWindowTitle(tr("Unsaved pictures"));
    question.setTextFormat(Qt::PlainText);
    question.setText(names.size() == 1 ? tr("%1 is not saved.").arg(names.first())
                                       : tr("%1 are not saved.").arg(listedInBrief(names)));
    question.setInformativeText(lost);
    const QPushButton *save = question.addButton(tr("&Save…"), QMessageBox::AcceptRole);
    const QPushButton *discard = question.addButton(tr("&Close without saving"), QMessageBox::DestructiveRole);
    QPushButton *keep = question.addButton(tr("&Keep open"), QMessageBox::RejectRole);
    question.setDefaultButton(keep);
    question.setEscapeButton(keep);
    // A file that was being written is there meanwhile: nothing is left to ask.
    connect(&session_, &Session::saved, &question, [&] {
        if (unsavedOf(indices).isEmpty())
            question.reject();
    });
    question.exec();
    if (question.clickedButton() == save) {
        const auto first = std::ranges::find_if(indices, [this](int index) { return !unsavedOf({index}).isEmpty(); });
        if (first == indices.end())
            return true;
        session_.setCurrentIndex(*first);
        afterSave_ = closeAgain;
        saveDialog();
    }
    return question.clickedButton() == discard || unsavedOf(indices).isEmpty();
}

void MainWindow::closePicture(int index) {
    const Document *document = session_.documentAt(index);
    // After saving it may stand elsewhere, or be closed already.
    const auto again = [this, document] {
        if (const int at = session_.indexOf(document); at >= 0)
            closePicture(at);
    };
    if (document && mayClose({index}, lostWith(*document), again))
        session_.closeDocument(index);
}

void MainWindow::stepThroughPictures(int step) {
    if (session_.count() > 1)
        session_.setCurrentIndex((session_.currentIndex() + step + session_.count()) % session_.count());
}

void MainWindow::closeEvent(QCloseEvent *event) {
    event->ignore();
    for (BatchDialog *batch : findChildren<BatchDialog *>())
        if (!batch->close())
            return;
    if (session_.saving()) {
        afterSave_ = [this] { close(); };
        return showMessage({Message::Kind::Information, tr("Tessera closes once the file is saved"), {}});
    }
    std::vector<int> all(std::size_t(session_.count()));
    std::iota(all.begin(), all.end(), 0);
    const QString lost = unsavedOf(all).size() == 1 ? tr("What was done is lost when it is closed.")
                                                    : tr("What was done is lost when they are closed.");
    if (!mayClose(all, lost, [this] { close(); }))
        return;
    saveSettings();
    session_.cancel();
    if (autosave_)
        autosave_->discard();
    event->accept();
}

} // namespace tessera
