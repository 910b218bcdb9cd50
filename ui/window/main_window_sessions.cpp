// Chains, presets, sessions, and what is kept against a crash.
#include "app/image/image_io.h"
#include "app/session/kernel_analysis.h"
#include "ui/bridge/autosave.h"
#include "ui/bridge/file_name.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/chain_panel.h"
#include "ui/panels/message_bar.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>

namespace tessera {

void MainWindow::connectChain() {
    connectSteps();
    connectKernelActions();
    connect(chain_, &ChainPanel::presetSaveWanted, this, &MainWindow::savePreset);
    connect(chain_, &ChainPanel::presetLoadWanted, this, &MainWindow::loadPreset);
    connect(&session_, &Session::sessionSaved, this, [this](const QString &path) {
        remember(path);
        showMessage({Message::Kind::Information, tr("Saved the session %1").arg(shownName(path)), {}});
    });
    connect(&session_, &Session::engineChanged, this, &MainWindow::showChosenEngine);
}

void MainWindow::connectSteps() {
    connect(chain_, &ChainPanel::stepSelected, this,
            [this](std::size_t index) { session_.edit([&](Document &document) { document.selectStep(index); }); });
    connect(chain_, &ChainPanel::stepToggled, this, [this](std::size_t index, bool enabled) {
        session_.edit([&](Document &document) {
            FilterStep step = document.chain().steps[index];
            step.enabled = enabled;
            document.changeStepAt(index, step, (enabled ? tr("switch on") : tr("switch off")).toStdString());
        });
    });
    connect(chain_, &ChainPanel::stepMoved, this, [this](std::size_t from, std::size_t to) {
        session_.edit([&](Document &document) { document.moveStep(from, to); });
    });
    connect(chain_, &ChainPanel::stepRemoved, this,
            [this](std::size_t index) { session_.edit([&](Document &document) { document.removeStep(index); }); });
    connect(chain_, &ChainPanel::stepAdded, this, [this](const QString &name) {
        session_.edit([&](Document &document) { document.addStep({name.toStdString(), {}, {}}); });
    });
}

void MainWindow::connectKernelActions() {
    connect(kernel_, &KernelPanel::twoPassesWanted, this, &MainWindow::replaceByTwoPasses);
    connect(kernel_, &KernelPanel::copied, this, [this](const QString &what) {
        showMessage({Message::Kind::Information, what, {}, pictureTopic});
    });
    connect(kernel_, &KernelPanel::codeWanted, this, [this](CodeTarget target) {
        const Document *now = session_.document();
        if (!now || !now->step())
            return;
        try {
            QApplication::clipboard()->setText(QString::fromStdString(
                kernelCode(*now->step(), target, now->picture().format(), now->path().string())));
            showMessage({Message::Kind::Information, tr("The code is on the clipboard"), {}, pictureTopic});
        } catch (const Error &error) {
            showMessage(messageFrom(error, pictureTopic));
        }
    });
}

void MainWindow::replaceByTwoPasses() {
    try {
        session_.edit([&](Document &document) {
            if (!document.step())
                return;
            const double white = nominalMaximum(document.picture().format().depth);
            const auto [first, second] = inTwoPasses(*document.step(), white);
            Chain chain = document.chain();
            const auto at = chain.steps.begin() + std::ptrdiff_t(document.currentStep());
            *at = first;
            chain.steps.insert(at + 1, second);
            document.replaceChain(chain, tr("two passes").toStdString());
        });
    } catch (const Error &error) {
        showMessage(messageFrom(error, pictureTopic));
    }
}

// What is in no list is shown all the same: the engines are still being looked for, or this one is gone, and a message
// follows.
void MainWindow::showChosenEngine() {
    for (const auto &[box, value] : {std::pair{variant_, session_.variant()}, std::pair{device_, session_.device()}}) {
        const QString name = QString::fromStdString(value);
        if (box->findData(name) < 0)
            box->addItem(name, name);
        box->setCurrentIndex(box->findData(name));
    }
}

void MainWindow::openBatch() {
    const Document *now = session_.document();
    if (!now || currentFilterTitle().isEmpty())
        return showMessage({Message::Kind::Information, tr("There is no chain to run yet"), tr("choose a filter first"),
                            pictureTopic});
    BatchRequest request;
    request.chain = now->chain();
    request.chain.area.reset(); // the other pictures are filtered whole
    request.variant = session_.variant();
    request.device = session_.device();
    if (auto *open = findChild<BatchDialog *>()) { // one at a time: two would share the cores, and perhaps the folder
        if (!open->runner().running())
            open->setChain(request, currentFilterTitle());
        open->raise();
        return open->activateWindow();
    }
    auto *dialog = new BatchDialog(request, currentFilterTitle(), this);
    dialog->setAsksBeforeClosing(asks_);
    connect(&dialog->runner(), &BatchRunner::written, &session_, &Session::fileReplaced);
    dialog->show();
}

void MainWindow::saveSessionDialog() {
    QFileDialog dialog(this, tr("Save session"), lastFolder_, tr("Sessions (*.tessera)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("tessera"));
    dialog.selectFile(lastSession_.isEmpty() ? tr("session") : lastSession_);
    if (!dialog.exec())
        return;
    lastSession_ = dialog.selectedFiles().value(0);
    session_.saveSession(lastSession_);
}

void MainWindow::openSessionDialog() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open session"), lastFolder_, tr("Sessions (*.tessera);;All files (*)"));
    if (!path.isEmpty())
        session_.openSession(path);
}

void MainWindow::startAutosave(const QString &folder) {
    autosave_ = std::make_unique<Autosave>(session_, folder);
    connect(autosave_.get(), &Autosave::notice, this, &MainWindow::showMessage);
    connect(autosave_.get(), &Autosave::settled, messages_, &MessageBar::settle);
    if (const int windows = autosave_->restore())
        showMessage({Message::Kind::Information,
                     windows == 1
                         ? tr("Tessera did not end by itself last time: what was open then is open again")
                         : tr("Tessera did not end by itself last time: what was open then in %1 windows is open "
                              "again in this one")
                               .arg(windows),
                     {},
                     {},
                     true}); // a picture that is named at the start opens at the same moment
}

} // namespace tessera
