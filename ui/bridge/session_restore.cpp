// Sessions: what is open as a file, and back.
#include "ui/bridge/session.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
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
            postTo(this, [this, variant, device, why = QString::fromStdString(error.what())] {
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
    startFileJob(tr("Opening %1").arg(QString::fromStdString(entry.title)), [=, this](const RunControl &control) {
        try {
            auto picture = std::make_shared<const Image>(loadPictureFile(entry.path, control));
            const bool ownFile = privateFolder.empty() || entry.path.parent_path() != privateFolder;
            auto document = std::make_shared<Document>(analysePicture(std::move(picture), control), entry.title,
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
    SessionState kept = state();
    const auto unsaved = std::erase_if(kept.entries, [](const SessionEntry &entry) { return entry.path.empty(); });
    if (unsaved)
        emit messageWanted({Message::Kind::Warning,
                            unsaved == 1
                                ? tr("A picture that has no file is not part of the saved session")
                                : tr("%1 pictures that have no file are not part of the saved session").arg(unsaved),
                            tr("save them first, then the session")});
    // The pictures before the current one that are left out shift it.
    kept.current = int(std::count_if(documents_.begin(), documents_.begin() + std::max(0, current_),
                                     [](const auto &document) { return !document->path().empty(); }));
    startFileJob(tr("Saving the session"), [this, path, kept, open = documents_](const RunControl &) {
        const std::string text = formatSession(kept);
        // The dialog has asked before replacing a file.
        writeFileAtomically(path.toStdString(), std::as_bytes(std::span(text.data(), text.size())), true);
        postTo(this, [this, path, kept, open] {
            std::size_t entry = 0; // in the order of the documents, those without a file left out
            for (const auto &document : open)
                if (entry < kept.entries.size() && document->path() == kept.entries[entry].path &&
                    document->chain() == kept.entries[entry++].chain)
                    document->markSaved(document->chain(), document->path());
            emit chainChanged();
            emit sessionSaved(path);
        });
    });
}

void Session::openSession(const QString &path) {
    startFileJob(tr("Opening the session"), [this, path](const RunControl &) {
        QFile file(path);
        if (!file.open(QFile::ReadOnly))
            throw Error(ErrorKind::Input, tr("%1 cannot be read: %2").arg(path, file.errorString()).toStdString());
        const SessionState state = parseSession(file.readAll().toStdString(), QFileInfo(path).fileName().toStdString());
        postTo(this, [this, state, path] {
            restore(state, {}, true);
            emit opened(path);
        });
    });
}

} // namespace tessera
