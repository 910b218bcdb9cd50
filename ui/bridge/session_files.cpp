// Opening and saving, off the interface thread.
#include "app/session/chain_run.h"
#include "ui/bridge/interruptible.h"
#include "ui/bridge/picture_conversion.h"
#include "ui/bridge/session.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace tessera {

namespace {

Depth depthOf(OutputDepth wanted, Depth kept) {
    switch (wanted) {
    case OutputDepth::U8:
        return Depth::U8;
    case OutputDepth::U16:
        return Depth::U16;
    case OutputDepth::F32:
        return Depth::F32;
    default:
        return kept;
    }
}

} // namespace

void Session::startFileJob(const QString &what, std::function<void(const RunControl &)> work) {
    fileJob_ = what;
    fileClock_.start();
    progressTimer_.start();
    files_.submit([this, work = std::move(work)](const RunControl &control) {
        try {
            work(control);
        } catch (const Error &error) {
            if (error.kind() != ErrorKind::Cancelled)
                reportFromJob(messageFrom(error));
        } catch (const std::bad_alloc &) {
            reportFromJob({Message::Kind::Error, tr("There is not enough memory for this picture"),
                           tr("close other pictures or programs")});
        } catch (const std::exception &error) {
            reportFromJob({Message::Kind::Error, QString::fromUtf8(error.what()), {}});
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
                const auto picture =
                    std::make_shared<const Image>(loadImage(std::filesystem::path(path.toStdString())));
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
    for (const QString &path : paths) {
        const QFileInfo file(path);
        startFileJob(tr("Opening %1").arg(file.fileName()), [this, path,
                                                             title = file.fileName()](const RunControl &control) {
            auto picture =
                std::make_shared<const Image>(loadInterruptibly(std::filesystem::path(path.toStdString()), control));
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

SessionState Session::state() const {
    SessionState state;
    for (const auto &document : documents_)
        state.entries.push_back({document->path(), document->title(), document->chain(), document->currentStep()});
    state.current = current_;
    state.variant = variant_;
    state.device = device_;
    return state;
}

void Session::addRestored(std::shared_ptr<Document> document, bool current) {
    documents_.push_back(std::move(document));
    if (current || current_ < 0)
        setCurrentIndex(count() - 1);
    else
        emit documentsChanged();
}

void Session::restore(const SessionState &state, const std::filesystem::path &privateFolder) {
    variant_ = state.variant;
    device_ = state.device;
    emit engineChanged();
    for (std::size_t i = 0; i < state.entries.size(); ++i) {
        ++restoring_;
        const bool current = int(i) == state.current;
        const auto job = [this, entry = state.entries[i], privateFolder, current](const RunControl &control) {
            auto picture = std::make_shared<const Image>(loadInterruptibly(entry.path, control));
            const bool ownFile = privateFolder.empty() || entry.path.parent_path() != privateFolder;
            auto document = std::make_shared<Document>(analysePicture(std::move(picture), control), entry.title,
                                                       ownFile ? entry.path : std::filesystem::path());
            document->replaceChain(entry.chain, "restore");
            document->selectStep(entry.currentStep);
            postTo(this, [this, document = std::move(document), current] { addRestored(document, current); });
        };
        startFileJob(tr("Opening %1").arg(QString::fromStdString(state.entries[i].title)), job);
        files_.submit(
            [this](const RunControl &) { postTo(this, [this] { restoring_ = std::max(0, restoring_ - 1); }); });
    }
}

void Session::saveSession(const QString &path) {
    SessionState kept = state();
    const auto unsaved = std::erase_if(kept.entries, [](const SessionEntry &entry) { return entry.path.empty(); });
    if (unsaved)
        emit messageWanted({Message::Kind::Warning,
                            tr("Pictures that were pasted are not part of the saved session: they have no file"),
                            tr("save them first, then the session")});
    startFileJob(tr("Saving the session"), [path, text = formatSession(kept)](const RunControl &) {
        // The dialog has asked before replacing a file.
        writeFileAtomically(path.toStdString(), std::as_bytes(std::span(text.data(), text.size())), true);
    });
}

void Session::openSession(const QString &path) {
    startFileJob(tr("Opening the session"), [this, path](const RunControl &) {
        QFile file(path);
        if (!file.open(QFile::ReadOnly))
            throw Error(ErrorKind::Input, tr("%1 cannot be read: %2").arg(path, file.errorString()).toStdString());
        const SessionState state = parseSession(file.readAll().toStdString(), QFileInfo(path).fileName().toStdString());
        postTo(this, [this, state] { restore(state); });
    });
}

PixelFormat Session::outputFormat(OutputDepth depth) const {
    const Document &now = *documents_[std::size_t(current_)];
    PixelFormat format = now.picture().format();
    format.depth = depthOf(depth, depthOf(now.chain().depth, format.depth));
    return format;
}

void Session::save(const QString &path, const SaveOptions &options, OutputDepth depth) {
    if (!document())
        return;
    const std::shared_ptr<Document> now = documents_[std::size_t(current_)];
    const bool filtered = !now->chain().steps.empty();
    const SharedImage ready = !filtered                ? now->source().stack.picture()
                              : now->resultIsCurrent() ? shownPicture()
                                                       : nullptr;
    const Depth wanted = outputFormat(depth).depth;
    const QString name = QFileInfo(path).fileName();
    startFileJob(tr("Saving %1").arg(name), [=, this, chain = now->chain(), source = now->source().stack.picture(),
                                             variant = variant_, device = device_](const RunControl &control) {
        SharedImage picture = ready;
        if (!picture)
            picture =
                std::make_shared<const Image>(filterPicture(*source, chain, chooseEngine(variant, device), control));
        if (picture->format().depth != wanted)
            picture = std::make_shared<const Image>(convertDepth(*picture, wanted));
        control.checkpoint();
        saveInterruptibly(picture, std::filesystem::path(path.toStdString()), options, control);
        postTo(this, [this, path, now, chain] {
            if (now->chain() == chain)
                now->history().markSaved();
            emit saved(path);
        });
    });
}

} // namespace tessera
