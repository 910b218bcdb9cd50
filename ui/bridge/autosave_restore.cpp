// The folders of the autosave, and what programs that were killed have left in them.
#include "app/image/display_name.h"
#include "app/image/image_io.h"
#include "ui/bridge/autosave.h"
#include "ui/bridge/autosave_folder.h"
#include "ui/bridge/file_name.h"
#include "ui/bridge/session.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryFile>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tessera {

namespace {

constexpr int programsAtOnce = 16;
constexpr int attempts = 2;

bool holdsSession(const QString &folder) { return !sessionsIn(folder).isEmpty(); }

// What the system says to a file there: a lock that cannot be made tells nothing of the reason.
QString whyNotWritable(const QString &folder) {
    QTemporaryFile probe(folder + QStringLiteral("/probe-XXXXXX"));
    const bool written = probe.open() && probe.write("0") == 1 && probe.flush();
    return written ? Autosave::tr("no lock can be made there") : probe.errorString();
}

// The same bytes under another name; never a second copy where a link does.
void linkOrCopy(const std::filesystem::path &from, const std::filesystem::path &to) {
    std::error_code failure;
    std::filesystem::create_hard_link(from, to, failure);
    if (failure)
        std::filesystem::copy_file(from, to, failure);
    if (failure)
        throw Error(ErrorKind::Output, displayName(to) + ": " + failure.message());
}

} // namespace

bool Autosave::findFolder(bool withSession) {
    whyNone_.clear();
    for (int slot = 0; slot < programsAtOnce && folder_.isEmpty(); ++slot)
        if (holdsSession(folderOf(slot)) == withSession)
            takeFolder(folderOf(slot));
    return !folder_.isEmpty();
}

bool Autosave::takeFolder(const QString &folder) {
    std::error_code failure;
    std::filesystem::create_directories(pathFrom(folder), failure);
    if (failure) {
        if (whyNone_.isEmpty())
            whyNone_ = tr("%1 cannot be made: %2").arg(shownName(folder), QString::fromStdString(failure.message()));
        return false;
    }
    auto lock = std::make_unique<QLockFile>(lockOf(folder));
    lock->setStaleLockTime(0); // only a lock whose process is gone is stale
    if (!lock->tryLock(0)) {
        if (whyNone_.isEmpty()) // the first tells most
            whyNone_ =
                tr("%1 cannot be used: %2")
                    .arg(shownName(folder), lock->error() == QLockFile::LockFailedError ? tr("another window uses it")
                                                                                        : whyNotWritable(folder));
        return false;
    }
    lock_ = std::move(lock);
    folder_ = folder;
    for (const QString &name : picturesIn(folder_))
        nextPicture_ = // never a name that some session may still refer to
            std::max(nextPicture_, name.section(QLatin1Char('-'), 1).section(QLatin1Char('.'), 0, 0).toInt() + 1);
    return true;
}

QString Autosave::file() const { return sessionFile(folder_); }

// The newest there is; no file where there is none, or where it was put aside. A session.json is newer than an attempt
// that was under way: the program writes it only once all of that is open.
Autosave::Found Autosave::findSession(const QString &folder) {
    Found found{sessionFile(folder), 0, {}};
    for (int attempt = attempts; !QFile::exists(found.file) && attempt > 0; --attempt)
        found = {restoringFile(folder, attempt), attempt, {}};
    QFile saved(found.file);
    if (!saved.exists())
        return {};
    if (found.attempt >= attempts) {
        putAside(found.file, tr("Tessera ended twice while it opened again what was open before"));
        return {};
    }
    if (!saved.open(QFile::ReadOnly)) {
        warn(tr("What was open cannot be opened again: %1").arg(saved.errorString()), {});
        return {};
    }
    try {
        found.state = parseSession(saved.readAll().toStdString(), tr("the session kept against a crash").toStdString());
    } catch (const Error &error) {
        putAside(found.file, messageFrom(error).what);
        return {};
    }
    if (!found.state.entries.empty())
        return found;
    saved.remove();
    return {};
}

int Autosave::restore() {
    if (folder_.isEmpty()) {
        complain(whyNone_);
        return 0;
    }
    Found own = findSession(folder_);
    const int windows = int(!own.file.isEmpty()) + gatherOthers(own);
    if (own.file.isEmpty())
        return 0;
    from_ = restoringFile(folder_, own.attempt + 1);
    QFile::remove(from_);
    QFile saved(own.file);
    if (!saved.rename(from_)) {
        warn(tr("What was open cannot be opened again: %1").arg(saved.errorString()), {});
        from_.clear();
        return 0;
    }
    session_.restore(own.state, pathFrom(folder_));
    return windows;
}

// Adds what other programs had open that were killed as well; returns how many.
int Autosave::gatherOthers(Found &own) {
    int gathered = 0;
    for (int slot = 0; slot < programsAtOnce; ++slot) {
        const QString folder = folderOf(slot);
        if (folder == folder_ || !holdsSession(folder))
            continue;
        QLockFile lock(lockOf(folder));
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0)) // it runs
            continue;
        const Found other = findSession(folder);
        if (other.file.isEmpty())
            continue;
        try {
            takeOver(own, other);
            ++gathered;
        } catch (...) {
            putAside(other.file, tr("What another window had open cannot be opened again with the rest: %1")
                                     .arg(messageOfFailure().what));
        }
    }
    return gathered;
}

// The other's pictures stand behind our own from here on, in our file; only then is the other's file removed, so that a
// program that is killed meanwhile loses nothing.
void Autosave::takeOver(Found &own, const Found &other) {
    const std::filesystem::path theirs = pathFrom(QFileInfo(other.file).path());
    SessionState both = own.state.entries.empty() ? other.state : own.state;
    if (!own.state.entries.empty())
        both.entries.insert(both.entries.end(), other.state.entries.begin(), other.state.entries.end());
    std::error_code ignored;
    for (SessionEntry &entry : both.entries) {
        if (entry.path.parent_path() != theirs)
            continue;
        const std::filesystem::path moved =
            pathFrom(folder_) / ("picture-" + std::to_string(nextPicture_++) + entry.path.extension().string());
        if (std::filesystem::exists(entry.path, ignored)) // else restoring says that it is gone
            linkOrCopy(entry.path, moved);
        entry.path = moved;
    }
    const std::string text = formatSession(both);
    writeFileAtomically(pathFrom(file()), std::as_bytes(std::span(text)), true);
    if (own.file != file())
        QFile::remove(own.file);
    QFile::remove(other.file);
    if (QDir(QFileInfo(other.file).path()).entryList({QStringLiteral("aside-*")}, QDir::Files).isEmpty())
        for (const SessionEntry &entry : other.state.entries) // a session that was put aside may need them
            if (entry.path.parent_path() == theirs)
                std::filesystem::remove(entry.path, ignored);
    own = {file(), 0, std::move(both)};
}

void Autosave::putAside(const QString &kept, const QString &why) {
    const QString aside =
        QStringLiteral("%1/aside-%2.tessera")
            .arg(QFileInfo(kept).path(), QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-hhmmss-zzz")));
    QFile::rename(kept, aside);
    warn(why, tr("the session is kept as %1; File, Open session opens it").arg(shownName(aside)));
}

} // namespace tessera
