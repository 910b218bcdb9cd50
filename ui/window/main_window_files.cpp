// Files: open, save, paste, drop; what is remembered between starts.
#include "ui/bridge/autosave.h"
#include "ui/bridge/picture_conversion.h"
#include "ui/histogram/analysis_panels.h"
#include "ui/panels/message_bar.h"
#include "ui/panels/start_page.h"
#include "ui/panels/step_options.h"
#include "ui/race/race_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/save_dialog.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>

namespace tessera {

namespace {

constexpr int recentLimit = 12;

QString openFilter() {
    QStringList patterns;
    for (const FormatInfo &format : imageFormats())
        if (format.canRead)
            for (const std::string &extension : format.extensions)
                patterns << QStringLiteral("*.%1").arg(QString::fromStdString(extension));
    return MainWindow::tr("Pictures (%1);;All files (*)").arg(patterns.join(QLatin1Char(' ')));
}

QStringList localFiles(const QMimeData &data) {
    QStringList paths;
    for (const QUrl &url : data.urls())
        if (url.isLocalFile())
            paths << url.toLocalFile();
    return paths;
}

} // namespace

void MainWindow::openDialog() {
    const QStringList paths = QFileDialog::getOpenFileNames(this, tr("Open pictures"), lastFolder_, openFilter());
    if (!paths.isEmpty())
        open(paths);
}

void MainWindow::saveDialog() {
    Document *now = session_.document();
    if (!now)
        return;
    const QFileInfo source(QString::fromStdString(now->path().string()));
    const QString suffix = source.suffix().isEmpty() ? QStringLiteral("png") : source.suffix();
    const QString stem = now->path().empty() ? tr("picture") : source.completeBaseName();
    const QString filter =
        now->step() ? QLatin1Char('-') + QString::fromStdString(now->step()->filter.name) : QString();
    const QString folder = lastFolder_.isEmpty() ? QDir::homePath() : lastFolder_;
    auto *dialog = new SaveDialog(
        QStringLiteral("%1/%2%3.%4").arg(folder, stem, filter, suffix),
        [this](OutputDepth depth) { return session_.outputFormat(depth); }, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        lastFolder_ = QFileInfo(dialog->path()).absolutePath();
        session_.save(dialog->path(), dialog->options(), dialog->depth());
    });
    dialog->open();
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
        Message message = messageFrom(error);
        message.kind = Message::Kind::Warning;
        showMessage(message);
    }
}

void MainWindow::copyResult() {
    try {
        if (const SharedImage picture = session_.shownPicture())
            QApplication::clipboard()->setImage(toQImage(*picture));
    } catch (const Error &error) {
        showMessage(messageFrom(error));
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event) {
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

bool MainWindow::mayClose(int index) {
    const Document *document = session_.documentAt(index);
    if (!document || !asks_ || !document->history().modified() || document->chain().steps.empty())
        return true;
    QMessageBox question(this);
    question.setWindowTitle(tr("Unsaved result"));
    question.setText(tr("The filtered picture of %1 was not saved.").arg(QString::fromStdString(document->title())));
    question.setInformativeText(tr("Its filters are lost when it is closed."));
    const QPushButton *discard = question.addButton(tr("&Close without saving"), QMessageBox::DestructiveRole);
    QPushButton *keep = question.addButton(tr("&Keep open"), QMessageBox::RejectRole);
    question.setDefaultButton(keep);
    question.setEscapeButton(keep);
    question.exec();
    return question.clickedButton() == discard;
}

void MainWindow::closeEvent(QCloseEvent *event) {
    for (int i = 0; i < session_.count(); ++i)
        if (!mayClose(i))
            return event->ignore();
    saveSettings();
    session_.cancel();
    if (autosave_)
        autosave_->discard();
    event->accept();
}

void MainWindow::remember(const QString &path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    recent_.removeAll(absolute);
    recent_.prepend(absolute);
    recent_ = recent_.mid(0, recentLimit);
    lastFolder_ = QFileInfo(absolute).absolutePath();
    start_->setRecent(recent_);
    QSettings().setValue(QStringLiteral("files/recent"), recent_);
}

// Where the samples lie: beside the program in a build, under share in an installation.
QStringList MainWindow::samplePictures() const {
    const QString program = QApplication::applicationDirPath();
    for (const QString &folder :
         {program + QStringLiteral("/../share/tessera/samples"), program + QStringLiteral("/../samples"),
          program + QStringLiteral("/../assets/samples")}) {
        QStringList paths;
        for (const QFileInfo &file : QDir(folder).entryInfoList(
                 {QStringLiteral("*.png"), QStringLiteral("*.jpg"), QStringLiteral("*.tif*"), QStringLiteral("*.pfm")},
                 QDir::Files, QDir::Name | QDir::Reversed)) // photographs before charts
            paths << file.absoluteFilePath();
        if (!paths.isEmpty())
            return paths;
    }
    return {};
}

void MainWindow::loadSettings() {
    const QSettings settings;
    if (settings.contains(QStringLiteral("window/geometry")))
        restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    if (settings.contains(QStringLiteral("window/columns")))
        columns_->restoreState(settings.value(QStringLiteral("window/columns")).toByteArray());
    if (settings.contains(QStringLiteral("window/rows")))
        rows_->restoreState(settings.value(QStringLiteral("window/rows")).toByteArray());
    for (const char *name : {"view.left", "view.right", "view.race"})
        findChild<QAction *>(QLatin1String(name))
            ->setChecked(settings.value(QStringLiteral("window/") + QLatin1String(name), true).toBool());
    const int mode = settings.value(QStringLiteral("canvas/mode"), int(CanvasMode::Two)).toInt();
    setCanvasMode(CanvasMode(std::clamp(mode, int(CanvasMode::One), int(CanvasMode::Three))));
    restorePanes(settings.value(QStringLiteral("canvas/panes")).toStringList());
    setThemeChoice(ThemeChoice(std::clamp(settings.value(QStringLiteral("window/theme"), 0).toInt(), 0, 2)));
    options_->setExpanded(settings.value(QStringLiteral("panels/options"), false).toBool());
    histogram_->setScale(
        HistogramScale(std::clamp(settings.value(QStringLiteral("histogram/scale"), 1).toInt(), 0, 2)));
    histogram_->setChannels(settings.value(QStringLiteral("histogram/channels"), 7u).toUInt());
    for (const QString &path : settings.value(QStringLiteral("files/recent")).toStringList())
        if (QFileInfo::exists(path))
            recent_ << path;
    lastFolder_ = settings.value(QStringLiteral("files/folder")).toString();
    start_->setRecent(recent_);
    const QStringList samples = samplePictures();
    start_->setSamples(samples);
    session_.makeThumbnails(samples, 256);
}

void MainWindow::saveSettings() {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/columns"), columns_->saveState());
    settings.setValue(QStringLiteral("window/rows"), rows_->saveState());
    for (const char *name : {"view.left", "view.right", "view.race"})
        settings.setValue(QStringLiteral("window/") + QLatin1String(name),
                          findChild<QAction *>(QLatin1String(name))->isChecked());
    settings.setValue(QStringLiteral("canvas/mode"), int(canvas_->mode()));
    settings.setValue(QStringLiteral("canvas/panes"), paneNames());
    settings.setValue(QStringLiteral("window/theme"), int(themeChoice_));
    settings.setValue(QStringLiteral("panels/options"), options_->expanded());
    settings.setValue(QStringLiteral("histogram/scale"), int(histogram_->scale()));
    settings.setValue(QStringLiteral("histogram/channels"), histogram_->channels());
    settings.setValue(QStringLiteral("files/recent"), recent_);
    settings.setValue(QStringLiteral("files/folder"), lastFolder_);
}

} // namespace tessera
