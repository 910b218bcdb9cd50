// Sessions: what is open as a file, and back.
#include "ui/bridge/pictures_beside.h"
#include "ui/bridge/session.h"
#include "ui/bridge/shown_name.h"

#include <QFile>
#include <QFileInfo>

#include <utility>

namespace tessera {

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

// A session may come from a machine with other devices: what this one lacks is said, and the filters run all the same.
void Session::checkEngine(const std::string &variant, const std::string &device) {
    files_.submit([this, variant, device, choose = choose_](const RunControl &) {
        try {
            choose(variant, device);
        } catch (const Error &error) {
            postTo(this, [this, variant, device, why = messageFrom(error).what] {
                if (variant_ != variant || device_ != device)
                    return; // the user has chosen meanwhile
                emit messageWanted({Message::Kind::Warning,
                                    tr("The session's choice of device is not to be had here: %1").arg(why),
                                    tr("the choice is left to the program now; the results are the same")});
                setEngine("auto", "auto");
            });
        }
    });
}

void Session::restoreEntry(const SessionEntry &entry, const std::filesystem::path &privateFolder, bool current,
                           bool asSaved) {
    ++restoring_;
    startFileJob(
        tr("Opening %1").arg(QString::fromStdString(displayText(entry.title))), [=, this](const RunControl &control) {
            try {
                auto picture = std::make_shared<const Image>(loadPictureFile(entry.path, control));
                const bool ownFile = privateFolder.empty() || entry.path.parent_path() != privateFolder;
                auto document =
                    std::make_shared<Document>(analysePicture(std::move(picture), control), displayText(entry.title),
                                               ownFile ? entry.path : std::filesystem::path());
                document->replaceChain(entry.chain, tr("restore").toStdString());
                document->selectStep(entry.currentStep);
                if (asSaved)
                    document->markSaved(document->chain(), document->path());
                postTo(this, [this, document = std::move(document), current] { addRestored(document, current); });
            } catch (...) {
                postTo(this, [this] { ++notRestored_; });
                throw;
            }
        });
    files_.submit([this](const RunControl &) {
        postTo(this, [this] {
            if (restoring_ > 0 && --restoring_ == 0)
                emit restored(std::exchange(notRestored_, 0));
        });
    });
}

void Session::restore(const SessionState &state, const std::filesystem::path &privateFolder, bool asSaved) {
    variant_ = state.variant;
    device_ = state.device;
    emit engineChanged();
    checkEngine(variant_, device_);
    for (std::size_t i = 0; i < state.entries.size(); ++i)
        restoreEntry(state.entries[i], privateFolder, int(i) == state.current, asSaved);
}

void Session::reopenClosed() {
    if (closed_.empty())
        return;
    const SessionEntry entry = std::move(closed_.back());
    closed_.pop_back();
    restoreEntry(entry, {}, true, false);
}

void Session::saveSession(const QString &path) {
    if (!saving())
        return writeSession(path);
    // Behind what is being saved: it may replace the file of a picture, and the session must not name that file then.
    startFileJob(tr("Saving the session"),
                 [this, path](const RunControl &) { postTo(this, [this, path] { writeSession(path); }); });
}

void Session::writeSession(const QString &given) {
    const QString path = QFileInfo(given).absoluteFilePath();
    std::vector<SharedImage> pictures;
    for (const auto &document : documents_)
        pictures.push_back(document->path().empty() ? document->source().stack.picture() : nullptr);
    auto work = [this, path, written = state(), pictures, open = documents_](const RunControl &control) mutable {
        const std::filesystem::path file = path.toStdString();
        std::vector<SessionEntry> entries = written.entries; // with the files as they lie, for the documents
        PicturesBeside beside(file);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (pictures[i])
                entries[i].path = beside.add(pictures[i], control);
            const std::filesystem::path &lies = entries[i].path;
            written.entries[i].path = lies.parent_path() == beside.folder() // so that both can be moved together
                                          ? beside.folder().filename() / lies.filename()
                                          : lies;
        }
        const std::string text = formatSession(written);
        // The dialog has asked before replacing a file.
        writeFileAtomically(file, std::as_bytes(std::span(text)), true);
        beside.keep();
        postTo(this, [=, this] {
            fileReplaced(path);
            for (std::size_t i = 0; i < open.size(); ++i) {
                open[i]->takeFile(entries[i].path);
                if (open[i]->path() == entries[i].path) {
                    open[i]->markSaved(entries[i].chain, entries[i].path);
                    settleSaving(open[i].get());
                }
            }
            emit messageSettled(QStringLiteral("session"));
            emit chainChanged();
            emit sessionSaved(path);
        });
    };
    startFileJob(tr("Saving the session"), std::move(work),
                 std::make_shared<FileFailure>(tr("The session %1 was not saved").arg(shownFileName(path)),
                                               QStringLiteral("session")));
}

void Session::openSession(const QString &path) {
    startFileJob(tr("Opening the session"), [this, path](const RunControl &) {
        QFile file(path);
        if (!file.open(QFile::ReadOnly))
            throw Error(ErrorKind::Input, tr("%1 cannot be read: %2").arg(path, file.errorString()).toStdString());
        SessionState state = parseSession(file.readAll().toStdString(), QFileInfo(path).fileName().toStdString());
        const std::filesystem::path folder = QFileInfo(path).absolutePath().toStdString();
        for (SessionEntry &entry : state.entries)
            if (entry.path.is_relative()) // in the folder beside the session
                entry.path = folder / entry.path;
        postTo(this, [this, state, path] {
            restore(state, {}, true);
            emit opened(path);
        });
    });
}

} // namespace tessera
