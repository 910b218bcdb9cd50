// Chains, presets, sessions, and what is kept against a crash.
#include "app/image/image_io.h"
#include "app/session/kernel_analysis.h"
#include "app/session/session_file.h"
#include "ui/bridge/autosave.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/chain_panel.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>

namespace tessera {

void MainWindow::connectChain() {
    connect(chain_, &ChainPanel::stepSelected, this,
            [this](std::size_t index) { session_.edit([&](Document &document) { document.selectStep(index); }); });
    connect(chain_, &ChainPanel::stepToggled, this, [this](std::size_t index, bool enabled) {
        session_.edit([&](Document &document) {
            FilterStep step = document.chain().steps[index];
            step.enabled = enabled;
            document.changeStepAt(index, step, enabled ? "switch on" : "switch off");
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
    connect(kernel_, &KernelPanel::twoPassesWanted, this, [this] {
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
                document.replaceChain(chain, "two passes");
            });
        } catch (const Error &error) {
            showMessage(messageFrom(error));
        }
    });
    connect(kernel_, &KernelPanel::codeWanted, this, [this](CodeTarget target) {
        const Document *now = session_.document();
        if (!now || !now->step())
            return;
        try {
            QApplication::clipboard()->setText(
                QString::fromStdString(kernelCode(*now->step(), target, now->picture().format())));
            showMessage({Message::Kind::Information, tr("The code is on the clipboard"), {}});
        } catch (const Error &error) {
            showMessage(messageFrom(error));
        }
    });
    connect(chain_, &ChainPanel::presetSaveWanted, this, &MainWindow::savePreset);
    connect(chain_, &ChainPanel::presetLoadWanted, this, &MainWindow::loadPreset);
    connect(&session_, &Session::engineChanged, this, [this] {
        for (const auto &[box, value] :
             {std::pair{variant_, session_.variant()}, std::pair{device_, session_.device()}}) {
            const QString name = QString::fromStdString(value);
            if (box->findData(name) < 0)
                box->addItem(name,
                             name); // the engines are still being looked for, or this one is gone: a message follows
            box->setCurrentIndex(box->findData(name));
        }
    });
}

namespace {

QString presetFolder() {
    const QString folder =
        QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/presets");
    QDir().mkpath(folder);
    return folder;
}

} // namespace

void MainWindow::savePreset() {
    if (!session_.document() || session_.document()->chain().steps.empty())
        return showMessage(
            {Message::Kind::Information, tr("There is no chain to save yet"), tr("choose a filter first")});
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save chain as preset"), presetFolder() + QStringLiteral("/chain.json"), tr("Presets (*.json)"));
    if (path.isEmpty())
        return;
    try {
        const std::string text = formatChain(session_.document()->chain());
        // The dialog has asked before replacing a file.
        writeFileAtomically(path.toStdString(), std::as_bytes(std::span(text.data(), text.size())), true);
    } catch (const Error &error) {
        showMessage(messageFrom(error));
    }
}

void MainWindow::loadPreset() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Load preset"), presetFolder(), tr("Presets (*.json);;All files (*)"));
    if (path.isEmpty() || !session_.document())
        return;
    QFile file(path);
    if (!file.open(QFile::ReadOnly))
        return showMessage({Message::Kind::Error, tr("%1 cannot be read: %2").arg(path, file.errorString()), {}});
    try {
        const Chain chain = parseChain(file.readAll().toStdString(), QFileInfo(path).fileName().toStdString());
        session_.edit([&](Document &document) { document.replaceChain(chain, "load preset"); });
    } catch (const Error &error) {
        showMessage(messageFrom(error));
    }
}

void MainWindow::openBatch() {
    const Document *now = session_.document();
    if (!now || currentFilterTitle().isEmpty())
        return showMessage(
            {Message::Kind::Information, tr("There is no chain to run yet"), tr("choose a filter first")});
    BatchRequest request;
    request.chain = now->chain();
    request.variant = session_.variant();
    request.device = session_.device();
    request.outputFolder = lastFolder_.isEmpty() ? QString() : lastFolder_ + QStringLiteral("/filtered");
    (new BatchDialog(request, currentFilterTitle(), this))->show();
}

void MainWindow::saveSessionDialog() {
    QString path = QFileDialog::getSaveFileName(
        this, tr("Save session"), lastFolder_ + QStringLiteral("/session.tessera"), tr("Sessions (*.tessera)"));
    if (!path.isEmpty())
        session_.saveSession(path);
}

void MainWindow::openSessionDialog() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open session"), lastFolder_, tr("Sessions (*.tessera);;All files (*)"));
    if (!path.isEmpty())
        session_.openSession(path);
}

void MainWindow::startAutosave(const QString &folder) {
    autosave_ = std::make_unique<Autosave>(session_, folder);
    connect(autosave_.get(), &Autosave::problem, this, [this](const QString &what) {
        showMessage({Message::Kind::Warning, tr("What is open cannot be kept against a crash: %1").arg(what), {}});
    });
    if (autosave_->restore())
        showMessage({Message::Kind::Information,
                     tr("Tessera did not end by itself last time: what was open then is open again"),
                     {}});
}

} // namespace tessera
