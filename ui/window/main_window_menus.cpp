// Entries that change: recent files, the history, presets.
#include "app/image/image_io.h"
#include "app/session/session_file.h"
#include "ui/bridge/file_name.h"
#include "ui/panels/mnemonics.h"
#include "ui/panels/start_page.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>

namespace tessera {

namespace {
constexpr std::size_t historyShown = 25;
}

void MainWindow::fillRecent() {
    recentMenu_->clear();
    for (const QString &path : recent_) {
        QAction *action =
            recentMenu_->addAction(withoutMarks(shownFileName(path)), this, [this, path] { open({path}); });
        action->setStatusTip(shownName(path));
    }
    if (recent_.isEmpty()) {
        recentMenu_->addAction(tr("Nothing yet"))->setEnabled(false);
        return;
    }
    recentMenu_->addSeparator();
    recentMenu_->addAction(tr("Forget these"), this, [this] {
        recent_.clear();
        start_->setRecent(recent_);
        QSettings().setValue(QStringLiteral("files/recent"), settingFrom(recent_));
    });
}

// Every state that can be gone back or forward to, the newest first.
void MainWindow::fillHistory() {
    historyMenu_->clear();
    const Document *now = session_.document();
    if (!now || now->history().count() == 0) {
        historyMenu_->addAction(tr("Nothing was changed yet"))->setEnabled(false);
        return;
    }
    const History &history = now->history();
    const std::size_t first = history.count() > historyShown ? history.count() - historyShown : 0;
    for (std::size_t state = history.count() + 1; state-- > first;) {
        const QString text = state == 0 ? tr("as opened") : QString::fromStdString(history.textAt(state - 1));
        QAction *action = historyMenu_->addAction(withoutMarks(text), this, [this, state] {
            session_.edit([&](Document &document) { document.goToState(state); });
        });
        action->setCheckable(true);
        action->setChecked(state == history.position());
    }
}

QString MainWindow::presetFolder() const {
    const QString folder =
        QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/presets");
    QDir().mkpath(folder);
    return folder;
}

void MainWindow::fillPresets() {
    presetsMenu_->clear();
    for (const QFileInfo &file :
         QDir(presetFolder()).entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Name | QDir::IgnoreCase))
        presetsMenu_
            ->addAction(withoutMarks(shownName(file.completeBaseName())), this,
                        [this, path = file.absoluteFilePath()] { loadPresetFile(path); })
            ->setEnabled(session_.document());
    if (presetsMenu_->isEmpty())
        presetsMenu_->addAction(tr("None was saved yet"))->setEnabled(false);
}

void MainWindow::savePreset() {
    if (!session_.document() || session_.document()->chain().steps.empty())
        return showMessage({Message::Kind::Information, tr("There is no chain to save yet"),
                            tr("choose a filter first"), pictureTopic});
    QFileDialog dialog(this, tr("Save chain as preset"), presetFolder(), tr("Presets (*.json)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("json"));
    dialog.selectFile(!lastPreset_.isEmpty() ? lastPreset_
                      : currentFilterTitle().isEmpty()
                          ? tr("chain")
                          : currentFilterTitle().replace(QLatin1Char('/'), QLatin1Char('-')));
    if (!dialog.exec())
        return;
    const QString path = dialog.selectedFiles().value(0);
    lastPreset_ = path; // until it is saved: another preset has a name of its own
    try {
        Chain chain = session_.document()->chain();
        chain.area.reset(); // it is this picture's
        const std::string text = formatChain(chain);
        // The dialog has asked before replacing a file.
        writeFileAtomically(pathFrom(path), std::as_bytes(std::span(text.data(), text.size())), true);
        lastPreset_.clear();
        showMessage({Message::Kind::Information,
                     tr("Saved the preset %1").arg(shownName(QFileInfo(path).completeBaseName())),
                     {}});
    } catch (const Error &error) {
        showMessage(messageFrom(error));
    }
}

void MainWindow::loadPreset() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Load preset"), presetFolder(), tr("Presets (*.json);;All files (*)"));
    if (!path.isEmpty())
        loadPresetFile(path);
}

void MainWindow::loadPresetFile(const QString &path) {
    if (!session_.document())
        return showMessage(
            {Message::Kind::Information, tr("There is no picture to filter yet"), tr("open, drop or paste one")});
    QFile file(path);
    if (!file.open(QFile::ReadOnly))
        return showMessage({Message::Kind::Error,
                            tr("The preset %1 cannot be read: %2").arg(shownName(path), file.errorString()),
                            {}});
    try {
        Chain chain = parseChain(file.readAll().toStdString(), shownName(path).toStdString());
        const std::string text = tr("preset %1").arg(shownName(QFileInfo(path).completeBaseName())).toStdString();
        chain.area = session_.document()->chain().area;
        session_.edit([&](Document &document) { document.replaceChain(chain, text); });
    } catch (const Error &error) {
        showMessage(messageFrom(error));
    }
}

} // namespace tessera
