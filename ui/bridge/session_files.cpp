// Opening and saving, off the interface thread.
#include "ui/bridge/session.h"

#include <QFileInfo>


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
            reportFromJob({Message::Kind::Error, tr("There is not enough memory for this picture"), tr("close other pictures or programs")});
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

void Session::openFiles(const QStringList &paths) {
    for (const QString &path : paths) {
        const QFileInfo file(path);
        startFileJob(tr("Opening %1").arg(file.fileName()), [this, path, title = file.fileName()](const RunControl &control) {
            auto picture = std::make_shared<const Image>(loadImage(std::filesystem::path(path.toStdString())));
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
    format.depth = depthOf(depth, depthOf(now.chain().depth, format.depth));
    return format;
}

void Session::save(const QString &path, const SaveOptions &options, OutputDepth depth) {
    if (!document())
        return;
    const std::shared_ptr<Document> now = documents_[std::size_t(current_)];
    const bool filtered = !now->chain().steps.empty();
    const SharedImage ready = !filtered                 ? now->source().stack.picture()
                              : now->resultIsCurrent() ? shownPicture()
                                                       : nullptr;
    const Depth wanted = outputFormat(depth).depth;
    const QString name = QFileInfo(path).fileName();
    startFileJob(tr("Saving %1").arg(name), [=, this, chain = now->chain(), source = now->source().stack.picture(), variant = variant_,
                                             device = device_](const RunControl &control) {
        SharedImage picture = ready;
        if (!picture)
            picture = std::make_shared<const Image>(
                runPipeline(*source, chain.steps, chooseEngine(variant, device), chain.depth, control));
        if (picture->format().depth != wanted)
            picture = std::make_shared<const Image>(convertDepth(*picture, wanted));
        control.checkpoint();
        saveImage(*picture, std::filesystem::path(path.toStdString()), options);
        postTo(this, [this, path, now, chain] {
            if (now->chain() == chain)
                now->history().markSaved();
            emit saved(path);
        });
    });
}

} // namespace tessera
