// Files: open and save.
#include "app/image/format_limits.h"
#include "ui/bridge/file_name.h"
#include "ui/bridge/lossless.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/message_bar.h"
#include "ui/window/main_window.h"
#include "ui/window/save_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>
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

// Of what would be saved, once its statistics are there.
std::optional<FloatValues> floatValues(const Document &document) {
    const AnalysedPicture *picture = document.chain().steps.empty() ? &document.source()
                                     : document.resultIsCurrent()   ? &document.result()->picture
                                                                    : nullptr;
    if (!picture || !picture->statistics)
        return std::nullopt;
    FloatValues values;
    for (const ChannelStatistics &channel : picture->statistics->channels) {
        if (channel.name == "Luminance") // which no file holds
            continue;
        values.notNumbers += channel.nan;
        values.infinite += channel.infinite;
        values.negative = values.negative || channel.minimum < 0;
        values.largest = std::max(values.largest, channel.maximum);
    }
    return values;
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
QString MainWindow::suggestedName(const Document &now) const {
    const QFileInfo source(shownName(now.path().filename())); // a new name need not take over what cannot be read
    const PixelFormat pixels = Session::outputFormat(now, OutputDepth::Keep);
    QString suffix = source.suffix().toLower();
    const FormatInfo *format = formatForExtension(suffix.toStdString());
    if (!format || !holds(*format, pixels, now.picture().width(), now.picture().height(),
                          floatValues(now).value_or(FloatValues())))
        suffix = QLatin1String(losslessExtension(pixels.depth));
    const QString stem = now.path().empty() ? tr("picture") : source.completeBaseName();
    const QString filter = now.step() ? QLatin1Char('-') + QString::fromStdString(now.step()->filter.name) : QString();
    return QStringLiteral("%1%2.%3").arg(stem, filter, suffix);
}

// Where the picture was saved last, or lies; where neither can be written to, or it came from no file, the folder that
// was used last.
QString MainWindow::suggestedFolder(const Document &now) const {
    const QString own = textFrom(now.saveFolder());
    if (!own.isEmpty() && own.isValidUtf16() && canHoldFiles(own))
        return own;
    return lastFolder_.isEmpty() || !canHoldFiles(lastFolder_) ? QDir::homePath() : lastFolder_;
}

// A name that was typed the last time stays; one that was proposed follows the filter, in the format chosen then. Also
// where that save failed.
QString MainWindow::suggestedPath(const Document &now) const {
    const QString name = suggestedName(now);
    const auto last = saveChoices_.find(&now);
    if (last == saveChoices_.end())
        return suggestedFolder(now) + QLatin1Char('/') + name;
    const QFileInfo file(last->second.path);
    const QString stem = file.completeBaseName() == last->second.proposedStem ? QFileInfo(name).completeBaseName()
                                                                              : file.completeBaseName();
    const QString folder = canHoldFiles(file.path()) ? file.path() : suggestedFolder(now);
    return QStringLiteral("%1/%2.%3").arg(folder, stem, file.suffix());
}

void MainWindow::forgetClosedChoices() {
    std::erase_if(saveChoices_, [this](const auto &choice) { return session_.indexOf(choice.first) < 0; });
}

SaveSubject MainWindow::saveSubject(const Document &document) const {
    const Document *now = &document; // asked of it only while it is open
    const ImageMetadata &metadata = document.picture().metadata;
    SaveSubject subject;
    subject.formatFor = [this, now, pixels = document.picture().format()](OutputDepth depth) {
        return session_.indexOf(now) >= 0 ? Session::outputFormat(*now, depth) : pixels;
    };
    subject.metadata = !metadata.exif.empty() || !metadata.iccProfile.empty();
    const Depth depth = Session::outputFormat(document, OutputDepth::Keep).depth;
    subject.linearLight = holdsLinearLight(metadata.sourceFormat, depth);
    if (depth == Depth::F32)
        subject.unheld = [this, now] { return session_.indexOf(now) >= 0 ? floatValues(*now) : std::nullopt; };
    subject.width = document.picture().width();
    subject.height = document.picture().height();
    subject.openedFrom = [this, now] { return session_.indexOf(now) >= 0 ? textFrom(now->path()) : QString(); };
    subject.filesOfOthers = [this, now] {
        QStringList files;
        for (int i = 0; i < session_.count(); ++i)
            if (const Document *other = session_.documentAt(i); other != now)
                for (const std::filesystem::path &file : other->files())
                    files << textFrom(file);
        return files;
    };
    return subject;
}

void MainWindow::saveAs(const Document *document, const SaveDialog &chosen) {
    lastFolder_ = QFileInfo(chosen.path()).absolutePath();
    keepSettings();
    saveChoices_[document] = {chosen.path(), QFileInfo(suggestedName(*document)).completeBaseName(), chosen.depth()};
    session_.save(document, chosen.path(), chosen.options(), chosen.depth());
}

// While the dialog is open a picture that was still being opened may come and be shown: the dialog stays with its own.
void MainWindow::saveDialog() {
    const Document *now = session_.document();
    if (!now)
        return;
    auto *dialog = new SaveDialog(suggestedPath(*now), saveSubject(*now), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (const auto last = saveChoices_.find(now); last != saveChoices_.end())
        dialog->setDepth(last->second.depth);
    connect(&session_, &Session::resultChanged, dialog, &SaveDialog::check); // statistics come later
    connect(&session_, &Session::documentsChanged, dialog, [this, now, dialog] {
        if (session_.indexOf(now) < 0)
            dialog->reject();
        else
            dialog->check(); // another picture's file may be the one that is replaced
    });
    connect(dialog, &QDialog::accepted, this, [this, now, dialog] { saveAs(now, *dialog); });
    connect(dialog, &QDialog::rejected, this, [this] { afterSave_ = {}; });
    dialog->open();
}

} // namespace tessera
