// Opening and saving, off the interface thread.
#include "app/session/chain_run.h"
#include "ui/bridge/interruptible.h"
#include "ui/bridge/picture_conversion.h"
#include "ui/bridge/session.h"
#include "ui/bridge/shown_name.h"

#include <QFileInfo>

#include <algorithm>

namespace tessera {

namespace {

// Whether what is saved so is read back as it was. Doubtful cases count as no.
bool keepsAll(const Image &picture, const QString &path, const SaveOptions &options) {
    const FormatInfo *format =
        formatForExtension(options.format.empty() ? QFileInfo(path).suffix().toLower().toStdString() : options.format);
    const bool metadata = !picture.metadata.exif.empty() || !picture.metadata.iccProfile.empty();
    return format && !format->lossy && (format->metadata || !metadata) &&
           (format->grey || picture.format().colourChannels() > 1);
}

const QString filterTopic = QStringLiteral("filter/");

QString savingTopic(const Document *document) { return QStringLiteral("save-%1").arg(quintptr(document)); }

} // namespace

// A pipe or a device would hold up the thread for as long as nobody writes to it.
Image loadPictureFile(const std::filesystem::path &path, const RunControl &control) {
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    // Qt puts U+FFFD for bytes that are no UTF-8, and there is no way back to them.
    if (kind == std::filesystem::file_type::not_found && path.native().find("\xef\xbf\xbd") != std::string::npos)
        throw Error(ErrorKind::Input,
                    displayName(path) + " cannot be opened: its name is not valid UTF-8, which the window needs",
                    "rename the file, or filter it with 'tessera batch'");
    if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found &&
        kind != std::filesystem::file_type::none)
        throw Error(ErrorKind::Input, path.string() + " is not a file", "choose a picture file");
    return loadInterruptibly(path, control);
}

void Session::startFileJob(const QString &what, std::function<void(const RunControl &)> work,
                           std::shared_ptr<FileFailure> failure) {
    fileJob_ = what;
    fileClock_.start();
    progressTimer_.start();
    files_.submit([this, work = std::move(work), failure = std::move(failure)](const RunControl &control) {
        const auto fail = [&](const QString &why, const QString &remedy) {
            reportFromJob({Message::Kind::Error,
                           failure->notDone.isEmpty() ? why : tr("%1: %2").arg(failure->notDone, why), remedy,
                           failure->topic});
        };
        try {
            work(control);
        } catch (const Error &error) {
            const Message said = messageFrom(error);
            if (error.kind() != ErrorKind::Cancelled)
                fail(said.what, said.remedy);
        } catch (const std::bad_alloc &) {
            fail(tr("There is not enough memory for this picture"), tr("close other pictures or programs"));
        } catch (const std::exception &error) {
            fail(QString::fromUtf8(error.what()), {});
        }
        postTo(this, [this] {
            updateProgress();
            emit runStateChanged();
        });
    });
    emit runStateChanged();
}

void Session::reportFromJob(const Message &message) {
    postTo(this, [this, message] { emit messageWanted(message); });
}

void Session::makeThumbnails(const QStringList &paths, int side) {
    thumbnails_.submit([this, paths, side](const RunControl &control) {
        for (const QString &path : paths) {
            try {
                control.checkpoint();
                const auto picture = std::make_shared<const Image>(loadPictureFile(path.toStdString(), control));
                const PictureStack stack = PictureStack::build(picture, control, side);
                const QImage small = toQImage(stack.level(stack.levels() - 1));
                postTo(this, [this, path, small] { emit thumbnailReady(path, small); });
            } catch (const Error &) {
                continue; // it says why when it is opened
            }
        }
    });
}

void Session::openFiles(const QStringList &paths) {
    for (const QString &given : paths) {
        const QFileInfo file(given);
        const QString path = file.absoluteFilePath(); // what is kept must be found from any folder
        if (file.suffix() == QLatin1String("tessera")) {
            openSession(path);
            continue;
        }
        const QString title = shownName(file.fileName());
        startFileJob(tr("Opening %1").arg(title), [this, path, title](const RunControl &control) {
            auto picture = std::make_shared<const Image>(loadPictureFile(path.toStdString(), control));
            AnalysedPicture analysed = analysePicture(std::move(picture), control);
            auto document = std::make_shared<Document>(std::move(analysed), title.toStdString(), path.toStdString());
            postTo(this, [this, document = std::move(document), path] {
                addDocument(document);
                emit opened(path);
            });
        });
    }
}

void Session::openPicture(Image picture, const QString &title) {
    auto shared = std::make_shared<const Image>(std::move(picture));
    startFileJob(tr("Opening %1").arg(title), [this, shared, title](const RunControl &control) {
        auto document = std::make_shared<Document>(analysePicture(shared, control), title.toStdString());
        postTo(this, [this, document = std::move(document)] { addDocument(document); });
    });
}

PixelFormat Session::outputFormat(OutputDepth depth) const {
    const Document &now = *documents_[std::size_t(current_)];
    PixelFormat format = now.picture().format();
    format.depth = outputDepth(depth, outputDepth(now.chain().depth, format.depth));
    return format;
}

SharedImage Session::filteredPicture(const Document &document) const {
    if (document.chain().steps.empty())
        return document.source().stack.picture();
    return document.resultIsCurrent() && !document.result()->picture.stack.empty()
               ? document.result()->picture.stack.picture()
               : nullptr;
}

void Session::save(const QString &path, const SaveOptions &options, OutputDepth depth) {
    if (!document())
        return;
    const std::shared_ptr<Document> now = documents_[std::size_t(current_)];
    const Depth wanted = outputFormat(depth).depth;
    const int number = nextSave_++;
    saves_.insert(number);
    const auto ended = [this, number](bool well) {
        if (saves_.erase(number) && !well)
            emit saveFailed();
    };
    const QString topic = savingTopic(now.get());
    const QString name = shownFileName(path);
    const auto failure = std::make_shared<FileFailure>(tr("%1 was not saved").arg(name), topic);
    startFileJob(
        tr("Saving %1").arg(name),
        [=, this, chain = now->chain(), source = now->source().stack.picture(), ready = filteredPicture(*now),
         variant = variant_, device = device_, choose = choose_](const RunControl &control) {
            SharedImage picture = ready;
            try {
                if (!picture) {
                    failure->topic = filterTopic + topic; // settled by a filter that runs, too
                    picture =
                        std::make_shared<const Image>(filterPicture(*source, chain, choose(variant, device), control));
                    failure->topic = topic;
                }
                if (picture->format().depth != wanted)
                    picture = std::make_shared<const Image>(convertDepth(*picture, wanted));
                control.checkpoint();
                saveInterruptibly(picture, std::filesystem::path(path.toStdString()), options, control);
            } catch (...) {
                postTo(this, [ended] { ended(false); });
                throw;
            }
            const bool exact = picture == source && keepsAll(*picture, path, options);
            postTo(this, [=, this] {
                ended(true);
                fileReplaced(path);
                now->markSaved(chain, path.toStdString());
                if (exact)
                    now->takeFile(path.toStdString());
                settleSaving(now.get());
                emit saved(path);
            });
        },
        failure);
}

// What could not be saved is saved, or closed.
void Session::settleSaving(const Document *document) {
    emit messageSettled(savingTopic(document));
    emit messageSettled(filterTopic + savingTopic(document));
}

// Whoever had its picture or its result in this file has it in memory alone now: else closing it would lose it without
// a question, and a restored session, or a closed picture opened again, would filter the result once more.
void Session::fileReplaced(const QString &path) {
    const std::filesystem::path file = path.toStdString();
    bool changed = false;
    for (const auto &document : documents_)
        changed = document->leaveFile(file) || changed;
    if (std::erase_if(closed_, [&](const SessionEntry &entry) { return isSameFile(entry.path, file); }) || changed)
        emit documentsChanged();
}

void Session::exportTo(const QString &path) {
    if (!document())
        return;
    startFileJob(
        tr("Preparing %1").arg(shownFileName(path)),
        [this, path, picture = shownPicture()](const RunControl &) {
            saveImage(*picture, path.toStdString(), {.format = {}, .overwrite = true});
            postTo(this, [this, path] { emit exported(path); });
        },
        std::make_shared<FileFailure>(tr("No file was made to drag"), QString()));
}

void Session::copyShown() {
    if (!document())
        return;
    startFileJob(
        tr("Copying"),
        [this, picture = shownPicture()](const RunControl &) {
            const QImage copy = toDeepQImage(*picture);
            const bool exact = picture->format().depth != Depth::F32;
            postTo(this, [this, copy, exact] { emit copyReady(copy, exact); });
        },
        std::make_shared<FileFailure>(tr("The picture was not copied"), QString()));
}

} // namespace tessera
