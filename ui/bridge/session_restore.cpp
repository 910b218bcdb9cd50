// Sessions: what is open as a file, and back.
#include "app/image/display_name.h"
#include "app/image/file_read.h"
#include "ui/bridge/file_name.h"
#include "ui/bridge/pictures_beside.h"
#include "ui/bridge/session.h"

#include <utility>

namespace tessera {

namespace {
constexpr std::uint64_t longestSession = 1 << 28; // bytes; a picture that is taken for one must not fill the memory
}

SessionEntry Session::entryOf(const Document &document) {
    return {document.path(),        document.title(), document.chain(), document.currentStep(),
            document.savedAsItIs(), document.view(),  document.digest()};
}

SessionState Session::state() const {
    SessionState state;
    for (const auto &document : documents_)
        state.entries.push_back(entryOf(*document));
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
    files_.submit([this, variant, device, choose = choose_, held = fileWork()](const RunControl &) {
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

// The result that was saved is that of the picture as it was.
void Session::takeSaved(Document &document, const SessionEntry &entry, Origin origin, bool changed) {
    std::error_code ignored;
    if (origin == Origin::SessionFile) {
        document.markSaved(document.chain(), document.path());
    } else if (!changed && std::filesystem::is_regular_file(entry.savedIn, ignored)) { // it may be gone by now
        document.markSaved(document.chain(), entry.savedIn);
        document.setSaveFolder(entry.savedIn.parent_path());
    }
}

void Session::tellChanged(const QString &title, const SessionEntry &entry) {
    const QString kept = entry.chain.steps.empty() ? tr("it is shown as it is now")
                         : entry.savedIn.empty()
                             ? tr("its filters were kept and run on it as it is now")
                             : tr("its filters were kept and run on it as it is now; %1 still has the result of the "
                                  "picture as it was")
                                   .arg(shownName(entry.savedIn));
    reportFromJob({Message::Kind::Warning, tr("The picture %1 has changed since it was last open").arg(title), kept});
}

void Session::restoreEntry(const SessionEntry &entry, const std::filesystem::path &privateFolder, bool current,
                           Origin origin) {
    ++restoring_;
    const QString title = QString::fromStdString(displayText(entry.title));
    const auto opened = std::make_shared<bool>(false); // in the jobs' thread alone
    const auto load = [=, this](const RunControl &control) {
        try {
            auto picture = std::make_shared<const Image>(loadPictureFile(entry.path, control));
            const bool ownFile = privateFolder.empty() || entry.path.parent_path() != privateFolder;
            auto document = std::make_shared<Document>(analysePicture(picture, control), title.toStdString(),
                                                       ownFile ? entry.path : std::filesystem::path());
            document->replaceChain(entry.chain, tr("restore").toStdString());
            document->selectStep(entry.currentStep);
            document->setView(entry.view);
            const bool changed = ownFile && entry.digest && *entry.digest != document->digest();
            takeSaved(*document, entry, origin, changed);
            *opened = true;
            postTo(this, [this, document = std::move(document), current] {
                // At once: who closes the window the moment after has all of it open.
                const bool last = restoring_ > 0 && --restoring_ == 0;
                addRestored(document, current);
                if (last)
                    emit restored(std::exchange(notRestored_, 0));
            });
            tellNarrowed(*picture, entry.path);
            if (changed)
                tellChanged(title, entry);
        } catch (...) {
            postTo(this, [this, entry, origin] {
                ++notRestored_;
                if (origin == Origin::Closed) { // the others are opened first, should this one stay away
                    closed_.insert(closed_.begin(), entry);
                    emit documentsChanged();
                }
            });
            throw;
        }
    };
    const QString kept = origin == Origin::SessionFile
                             ? tr("the session's file still has its filters: bring the picture back and open the "
                                  "session again")
                         : origin == Origin::Closed ? tr("its filters are kept: bring it back and reopen it")
                                                    : QString();
    startFileJob(tr("Opening %1").arg(title), load, notOpened(title, kept));
    files_.submit([this, opened, held = fileWork()](const RunControl &) { // behind what is said of a failure
        if (*opened)
            return;
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
        restoreEntry(state.entries[i], privateFolder, int(i) == state.current,
                     asSaved ? Origin::SessionFile : Origin::Crash);
}

void Session::reopenClosed() {
    if (closed_.empty())
        return;
    const SessionEntry entry = std::move(closed_.back());
    closed_.pop_back();
    restoreEntry(entry, {}, true, Origin::Closed);
}

void Session::saveSession(const QString &path) {
    if (!saving())
        return writeSession(path);
    // Behind what is being saved: it may replace the file of a picture, and the session must not name that file then.
    startFileJob(
        tr("Saving the session"),
        [this, path](const RunControl &) { postTo(this, [this, path] { writeSession(path); }); }, sessionFailure(path));
}

void Session::writeSession(const QString &given) {
    const QString path = absoluteName(given);
    std::vector<SharedImage> pictures;
    for (const auto &document : documents_)
        pictures.push_back(document->path().empty() ? document->source().stack.picture() : nullptr);
    auto work = [this, path, written = state(), pictures, open = documents_](const RunControl &control) mutable {
        const std::filesystem::path file = pathFrom(path);
        std::vector<SessionEntry> entries = written.entries; // with the files as they lie, for the documents
        PicturesBeside beside(file);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            written.entries[i].savedIn.clear(); // it is saved in the session's own file, which may go elsewhere
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
    startFileJob(tr("Saving the session"), std::move(work), sessionFailure(path));
}

std::shared_ptr<Session::FileFailure> Session::sessionFailure(const QString &path) {
    return std::make_shared<FileFailure>(
        FileFailure{tr("The session %1 was not saved").arg(shownFileName(path)), QStringLiteral("session")});
}

void Session::openSession(const QString &path) {
    const auto read = [this, path](const RunControl &) {
        const std::filesystem::path file = pathFrom(path);
        const std::vector<std::byte> text = readWholeFile(file, longestSession);
        SessionState state =
            parseSession({reinterpret_cast<const char *>(text.data()), text.size()}, displayName(file));
        for (SessionEntry &entry : state.entries)
            if (entry.path.is_relative()) // in the folder beside the session
                entry.path = file.parent_path() / entry.path;
        postTo(this, [this, state, path] {
            restore(state, {}, true);
            emit opened(path);
        });
    };
    const QString name = shownFileName(path);
    startFileJob(tr("Opening the session"), read,
                 std::make_shared<FileFailure>(FileFailure{tr("The session %1 was not opened").arg(name), {}, name}));
}

} // namespace tessera
