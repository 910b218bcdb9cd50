// Opening and saving, off the interface thread.
#include "app/image/display_name.h"
#include "app/session/chain_run.h"
#include "ui/bridge/file_name.h"
#include "ui/bridge/interruptible.h"
#include "ui/bridge/lossless.h"
#include "ui/bridge/picture_conversion.h"
#include "ui/bridge/session.h"

#include <QFileInfo>

#include <algorithm>

namespace tessera {

namespace {

QString savingTopic(const Document *document) { return QStringLiteral("save-%1").arg(quintptr(document)); }

} // namespace

// A pipe or a device would hold up the thread for as long as nobody writes to it.
Image loadPictureFile(const std::filesystem::path &path, const RunControl &control) {
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    // Qt's dialogs put U+FFFD for bytes that are no UTF-8, and there is no way back to them.
    if (kind == std::filesystem::file_type::not_found && path.native().find("\xef\xbf\xbd") != std::string::npos)
        throw Error(ErrorKind::Input,
                    "a file whose name is not valid UTF-8 cannot be chosen in a dialog: " + displayName(path),
                    "drop it on the window, name it behind 'tessera', or rename it");
    if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found &&
        kind != std::filesystem::file_type::none)
        throw Error(ErrorKind::Input, displayName(path) + " is not a file", "choose a picture file");
    return loadInterruptibly(path, control);
}

// To be held by a job for `files_`: it ends with the job, whether that has run or was dropped, and behind all that the
// job has posted.
std::shared_ptr<void> Session::fileWork() {
    ++fileJobs_;
    const auto ended = [](Session *session) {
        postTo(session, [session] {
            --session->fileJobs_;
            session->updateProgress();
            emit session->runStateChanged();
        });
    };
    return std::shared_ptr<Session>(this, ended);
}

void Session::startFileJob(const QString &what, std::function<void(const RunControl &)> work,
                           std::shared_ptr<FileFailure> failure) {
    fileJob_ = what;
    fileClock_.start();
    progressTimer_.start();
    files_.submit(
        [this, work = std::move(work), failure = std::move(failure), held = fileWork()](const RunControl &control) {
            const auto fail = [&](Message said) {
                if (failure->name.isEmpty() || !said.what.contains(failure->name))
                    said.what = tr("%1: %2").arg(failure->notDone, said.what);
                if (!failure->kept.isEmpty())
                    said.remedy = said.remedy.isEmpty() ? failure->kept : tr("%1; %2").arg(said.remedy, failure->kept);
                said.topic = failure->topic;
                reportFromJob(said);
            };
            try {
                work(control);
            } catch (const Error &error) {
                if (error.kind() != ErrorKind::Cancelled)
                    fail(messageFrom(error));
            } catch (...) {
                fail(messageOfFailure());
            }
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
                const auto picture = std::make_shared<const Image>(loadPictureFile(pathFrom(path), control));
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
        const QString path = absoluteName(given); // what is kept must be found from any folder
        const QFileInfo file(path);
        if (file.suffix() == QLatin1String("tessera")) {
            openSession(path);
            continue;
        }
        const QString title = shownName(file.fileName());
        const auto load = [this, path, title](const RunControl &control) {
            const std::filesystem::path whole = pathFrom(path);
            auto picture = std::make_shared<const Image>(loadPictureFile(whole, control));
            AnalysedPicture analysed = analysePicture(picture, control);
            auto document = std::make_shared<Document>(std::move(analysed), title.toStdString(), whole);
            postTo(this, [this, document = std::move(document), path] {
                addDocument(document);
                emit opened(path);
            });
            tellNarrowed(*picture, whole);
        };
        startFileJob(tr("Opening %1").arg(title), load, notOpened(title));
    }
}

void Session::openPicture(Image picture, const QString &title) {
    auto shared = std::make_shared<const Image>(std::move(picture));
    const auto analyse = [this, shared, title](const RunControl &control) {
        auto document = std::make_shared<Document>(analysePicture(shared, control), title.toStdString());
        postTo(this, [this, document = std::move(document)] { addDocument(document); });
    };
    startFileJob(tr("Opening %1").arg(title), analyse,
                 std::make_shared<FileFailure>(FileFailure{tr("The %1 was not opened").arg(title)}));
}

std::shared_ptr<Session::FileFailure> Session::notOpened(const QString &name, const QString &kept) {
    return std::make_shared<FileFailure>(FileFailure{tr("The picture %1 was not opened").arg(name), {}, name, kept});
}

// Else the pixels would pass for those of the file.
void Session::tellNarrowed(const Image &picture, const std::filesystem::path &path) {
    if (!picture.metadata.narrowed.empty())
        reportFromJob(
            {Message::Kind::Warning,
             tr("%1: %2").arg(shownName(path), QString::fromStdString(narrowingNote(picture.metadata.narrowed))),
             {}});
}

PixelFormat Session::outputFormat(const Document &document, OutputDepth depth) {
    PixelFormat format = document.picture().format();
    format.depth = outputDepth(depth, outputDepth(document.chain().depth, format.depth));
    return format;
}

SharedImage Session::filteredPicture(const Document &document) const {
    if (document.chain().steps.empty())
        return document.source().stack.picture();
    return document.resultIsCurrent() && !document.result()->picture.stack.empty()
               ? document.result()->picture.stack.picture()
               : nullptr;
}

// What the document's chain makes of its picture, as both are now: to be asked in a job.
std::function<SharedImage(const RunControl &)> Session::resultOf(const Document &document, Depth wanted,
                                                                 std::shared_ptr<FileFailure> failure) const {
    return [chain = document.chain(), source = document.source().stack.picture(), ready = filteredPicture(document),
            wanted, failure = std::move(failure), topic = savingTopic(&document), variant = variant_, device = device_,
            choose = choose_](const RunControl &control) {
        SharedImage picture = ready;
        if (!picture) {
            failure->topic = filterTopic + QLatin1Char('/') + topic; // settled by a filter that runs, too
            picture = std::make_shared<const Image>(filterPicture(*source, chain, choose(variant, device), control));
            failure->topic = topic;
        }
        if (picture->format().depth != wanted)
            picture = std::make_shared<const Image>(convertDepth(*picture, wanted));
        control.checkpoint();
        return picture;
    };
}

void Session::save(const Document *which, const QString &path, const SaveOptions &options, OutputDepth depth) {
    const int index = indexOf(which);
    if (index < 0)
        return;
    const std::shared_ptr<Document> now = documents_[std::size_t(index)];
    const int number = nextSave_++;
    saves_.insert(number);
    const QString name = shownFileName(path);
    const auto failure = std::make_shared<FileFailure>(
        FileFailure{tr("The picture %1 was not saved").arg(name), savingTopic(now.get())});
    const auto work = [=, this, chain = now->chain(), source = now->source().stack.picture(), file = pathFrom(path),
                       result = resultOf(*now, outputFormat(*now, depth).depth, failure)](const RunControl &control) {
        SharedImage picture;
        try {
            picture = result(control);
            saveInterruptibly(picture, file, options, control);
        } catch (...) {
            postTo(this, [this, number] {
                if (saves_.erase(number))
                    emit saveFailed();
            });
            throw;
        }
        const bool exact = picture == source && keepsAll(*picture, file, options);
        postTo(this, [=, this] {
            saves_.erase(number);
            fileReplaced(path);
            now->markSaved(chain, file);
            now->setSaveFolder(file.parent_path());
            if (exact)
                now->takeFile(file);
            settleSaving(now.get());
            emit saved(path);
        });
    };
    startFileJob(tr("Saving %1").arg(name), work, failure);
}

// What could not be saved is saved, or closed.
void Session::settleSaving(const Document *document) {
    emit messageSettled(savingTopic(document));
    emit messageSettled(filterTopic + QLatin1Char('/') + savingTopic(document));
}

// Whoever had its picture or its result in this file has it in memory alone now: else closing it would lose it without
// a question, and a restored session, or a closed picture opened again, would filter the result once more.
void Session::fileReplaced(const QString &path) {
    const std::filesystem::path file = pathFrom(path);
    bool changed = false;
    for (const auto &document : documents_)
        changed = document->leaveFile(file) || changed;
    for (SessionEntry &entry : closed_)
        if (isSameFile(entry.savedIn, file))
            entry.savedIn.clear();
    if (std::erase_if(closed_, [&](const SessionEntry &entry) { return isSameFile(entry.path, file); }) || changed)
        emit documentsChanged();
}

void Session::exportTo(const QString &path) {
    if (!document())
        return;
    startFileJob(
        tr("Preparing %1").arg(shownFileName(path)),
        [this, path, picture = shownPicture()](const RunControl &) {
            saveImage(*picture, pathFrom(path), {.format = {}, .overwrite = true});
            postTo(this, [this, path] { emit exported(path); });
        },
        std::make_shared<FileFailure>(FileFailure{tr("No file was made to drag")}));
}

void Session::copyShown() {
    if (!document())
        return;
    if (runner_.running() && !document()->resultIsCurrent()) {
        copyAgain_ = true;
        emit messageWanted({Message::Kind::Information,
                            tr("The result goes to the clipboard once the filter has run"),
                            {},
                            pictureTopic});
        return;
    }
    startFileJob(
        tr("Copying"),
        [this, picture = shownPicture()](const RunControl &) {
            const QImage copy = toDeepQImage(*picture);
            const bool exact = picture->format().depth != Depth::F32;
            postTo(this, [this, copy, exact] { emit copyReady(copy, exact); });
        },
        std::make_shared<FileFailure>(FileFailure{tr("The picture was not copied")}));
}

} // namespace tessera
