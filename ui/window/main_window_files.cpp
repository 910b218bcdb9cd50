// Files: open and save.
#include "ui/bridge/file_name.h"
#include "ui/bridge/lossless.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/message_bar.h"
#include "ui/window/main_window.h"
#include "ui/window/save_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <utility>

namespace tessera {

namespace {

QString openFilter() {
    QStringList patterns;
    for (const FormatInfo &format : imageFormats())
        if (format.canRead)
            for (const std::string &extension : format.extensions)
                patterns << QStringLiteral("*.%1").arg(QString::fromStdString(extension));
    return MainWindow::tr("Pictures (%1);;All files (*)").arg(patterns.join(QLatin1Char(' ')));
}

bool isFolder(const QString &path) {
    std::error_code ignored;
    return std::filesystem::is_directory(pathFrom(path), ignored);
}

bool hasValuesBeyondRange(const Document &document) {
    if (!document.result() || !document.result()->picture.statistics)
        return false;
    const ImageStatistics &statistics = *document.result()->picture.statistics;
    for (const ChannelStatistics &channel : statistics.channels)
        if (channel.minimum < 0 || channel.maximum > 1)
            return true;
    return false;
}

} // namespace

void MainWindow::open(const QStringList &paths) {
    messages_->clearPassing(); // what was wrong before is of no interest any more
    QStringList files, folders;
    for (const QString &path : paths)
        (isFolder(path) ? folders : files) << path;
    session_.openFiles(files);
    if (folders.isEmpty())
        return;
    if (currentFilterTitle().isEmpty())
        return showMessage(
            {Message::Kind::Warning, tr("The folder %1 is no picture").arg(shownName(folders.first())),
             tr("open a picture and choose a filter; then open the folder again, and the batch takes it")});
    openBatch();
    findChild<BatchDialog *>()->setInputs(folders);
}

void MainWindow::openDialog() {
    const QStringList paths = QFileDialog::getOpenFileNames(this, tr("Open pictures"), lastFolder_, openFilter());
    if (!paths.isEmpty())
        open(paths);
}

// The picture's own name with the filter's, in a format that holds the result.
QString MainWindow::suggestedName() const {
    const Document &now = *const_cast<Session &>(session_).document();
    const QFileInfo source(shownName(now.path().filename())); // a new name need not take over what cannot be read
    const PixelFormat pixels = session_.outputFormat(OutputDepth::Keep);
    QString suffix = source.suffix().toLower();
    const FormatInfo *format = formatForExtension(suffix.toStdString());
    if (!format || !cannotHold(*format, pixels).empty())
        suffix = QLatin1String(losslessExtension(pixels.depth));
    const QString stem = now.path().empty() ? tr("picture") : source.completeBaseName();
    const QString filter = now.step() ? QLatin1Char('-') + QString::fromStdString(now.step()->filter.name) : QString();
    return QStringLiteral("%1%2.%3").arg(stem, filter, suffix);
}

void MainWindow::saveDialog() {
    const Document *now = session_.document();
    if (!now)
        return;
    const QString folder = lastFolder_.isEmpty() ? QDir::homePath() : lastFolder_;
    const ImageMetadata &metadata = now->picture().metadata;
    SaveSubject subject;
    subject.formatFor = [this, shared = session_.shownPicture()](OutputDepth depth) {
        return session_.document() ? session_.outputFormat(depth) : shared->format();
    };
    subject.metadata = !metadata.exif.empty() || !metadata.iccProfile.empty();
    subject.beyondRange = session_.outputFormat(OutputDepth::Keep).depth == Depth::F32 && hasValuesBeyondRange(*now);
    subject.openedFrom = textFrom(now->path());
    for (int i = 0; i < session_.count(); ++i)
        if (const Document *other = session_.documentAt(i); other != now)
            for (const std::filesystem::path &file : other->files())
                subject.filesOfOthers << textFrom(file);
    auto *dialog = new SaveDialog(folder + QLatin1Char('/') + suggestedName(), std::move(subject), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        lastFolder_ = QFileInfo(dialog->path()).absolutePath();
        keepSettings();
        session_.save(dialog->path(), dialog->options(), dialog->depth());
    });
    connect(dialog, &QDialog::rejected, this, [this] { afterSave_ = {}; });
    dialog->open();
}

} // namespace tessera
