#include "ui/bridge/autosave.h"

#include "app/image/image_io.h"
#include "ui/bridge/session.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <algorithm>
#include <set>
#include <utility>

namespace tessera {

namespace {

constexpr int programsAtOnce = 16;
constexpr int delayMs = 700; // a drag of a slider is a save or two
constexpr int attempts = 2;

std::span<const std::byte> bytesOf(const std::string &text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

QStringList picturesIn(const QString &folder) {
    return QDir(folder).entryList({QStringLiteral("picture-*")}, QDir::Files);
}

// What a session that was put aside may refer to.
QStringList picturesAside(const QString &path) {
    QStringList names;
    const QDir folder(path);
    const QStringList pictures = picturesIn(path);
    for (const QString &aside : folder.entryList({QStringLiteral("aside-*.tessera")}, QDir::Files)) {
        QFile file(folder.filePath(aside));
        const QByteArray text = file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
        for (const QString &name : pictures)
            if (text.contains(name.toUtf8()))
                names << name;
    }
    return names;
}

bool holdsSession(const QString &folder) {
    return !QDir(folder)
                .entryList({QStringLiteral("session.json"), QStringLiteral("restoring-*.json")}, QDir::Files)
                .isEmpty();
}

} // namespace

Autosave::Autosave(Session &session, const QString &root, QObject *parent) : QObject(parent), session_(session) {
    const QString base =
        root.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/autosave")
                       : root;
    // A folder that holds something to restore is taken before an empty one.
    for (const bool withContent : {true, false})
        for (int slot = 0; slot < programsAtOnce && folder_.isEmpty(); ++slot) {
            const QString folder = QStringLiteral("%1/%2").arg(base).arg(slot);
            if (holdsSession(folder) == withContent)
                takeFolder(folder);
        }
    timer_.setSingleShot(true);
    timer_.setInterval(delayMs);
    connect(&timer_, &QTimer::timeout, this, &Autosave::save);
    connect(&session_, &Session::documentsChanged, this, &Autosave::schedule);
    connect(&session_, &Session::chainChanged, this, &Autosave::schedule);
    connect(&session_, &Session::engineChanged, this, &Autosave::schedule);
    connect(&session_, &Session::saved, this, &Autosave::schedule); // the picture may have lost its file
    connect(&session_, &Session::restored, this, &Autosave::onRestored);
}

Autosave::~Autosave() = default;

bool Autosave::takeFolder(const QString &folder) {
    if (!QDir().mkpath(folder))
        return false;
    auto lock = std::make_unique<QLockFile>(folder + QStringLiteral("/lock"));
    lock->setStaleLockTime(0); // only a lock whose process is gone is stale
    if (!lock->tryLock(0))
        return false;
    lock_ = std::move(lock);
    folder_ = folder;
    for (const QString &name : picturesIn(folder_)) // never a name that some session may still refer to
        nextPicture_ =
            std::max(nextPicture_, name.section(QLatin1Char('-'), 1).section(QLatin1Char('.'), 0, 0).toInt() + 1);
    return true;
}

QString Autosave::file() const { return folder_ + QStringLiteral("/session.json"); }

QString Autosave::restoringFile(int attempt) const {
    return QStringLiteral("%1/restoring-%2.json").arg(folder_).arg(attempt);
}

// The newest there is; `attempt`: how often it was tried before. A session.json is newer than an attempt that was under
// way: the program writes it only once all of that is open.
QString Autosave::fileToRestore(int &attempt) {
    attempt = 0;
    if (QFile::exists(file()))
        return file();
    for (attempt = attempts; attempt > 0; --attempt)
        if (QFile::exists(restoringFile(attempt)))
            return restoringFile(attempt);
    return {};
}

bool Autosave::restore() {
    int attempt = 0;
    const QString found = folder_.isEmpty() ? QString() : fileToRestore(attempt);
    if (found.isEmpty())
        return false;
    if (attempt >= attempts) {
        putAside(found, tr("Tessera ended twice while it opened again what was open before"));
        return false;
    }
    from_ = restoringFile(attempt + 1);
    QFile::remove(from_);
    QFile saved(found);
    if (!saved.rename(from_) || !saved.open(QFile::ReadOnly)) {
        emit notice(
            {Message::Kind::Warning, tr("What was open cannot be opened again: %1").arg(saved.errorString()), {}});
        from_.clear();
        return false;
    }
    try {
        const SessionState state =
            parseSession(saved.readAll().toStdString(), tr("the session kept against a crash").toStdString());
        if (state.entries.empty()) {
            QFile::remove(from_);
            from_.clear();
            return false;
        }
        session_.restore(state, folder_.toStdString());
        return true;
    } catch (const Error &error) {
        putAside(std::exchange(from_, {}), QString::fromStdString(error.what()));
        return false;
    }
}

void Autosave::putAside(const QString &kept, const QString &why) {
    const QString aside =
        QStringLiteral("%1/aside-%2.tessera")
            .arg(folder_, QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-hhmmss-zzz")));
    QFile::rename(kept, aside);
    emit notice({Message::Kind::Warning, why, tr("the session is kept as %1; File, Open session opens it").arg(aside)});
}

void Autosave::onRestored(int failures) {
    if (from_.isEmpty())
        return;
    if (failures)
        putAside(from_, failures == 1 ? tr("A picture of last time could not be opened")
                                      : tr("%1 pictures of last time could not be opened").arg(failures));
    else
        QFile::rename(from_, file()); // as good as new, until the next save
    from_.clear();
    schedule();
}

void Autosave::schedule() {
    if (!folder_.isEmpty() && !ended_ && !timer_.isActive()) // not put off by every change of a long drag
        timer_.start();
}

// Gives every picture without a file a place in the folder; returns those that are not there yet.
std::vector<std::pair<SharedImage, std::filesystem::path>> Autosave::placePictures(SessionState &state) {
    std::vector<std::pair<SharedImage, std::filesystem::path>> fresh;
    std::set<SharedImage> open;
    for (int i = 0; i < session_.count(); ++i) {
        SessionEntry &entry = state.entries[std::size_t(i)];
        if (!entry.path.empty())
            continue;
        const SharedImage picture = session_.documentAt(i)->source().stack.picture();
        open.insert(picture);
        auto &path = kept_[picture];
        if (path.empty()) {
            const bool isFloat = picture->format().depth == Depth::F32;
            path = QStringLiteral("%1/picture-%2.%3")
                       .arg(folder_)
                       .arg(nextPicture_++)
                       .arg(isFloat ? QStringLiteral("tif") : QStringLiteral("png"))
                       .toStdString();
            fresh.emplace_back(picture, path);
        }
        entry.path = path;
    }
    std::erase_if(kept_, [&](const auto &entry) { return !open.contains(entry.first); });
    return fresh;
}

void Autosave::save() {
    if (session_.restoring()) // half a session must not replace the whole one
        return schedule();
    SessionState state = session_.state();
    auto pictures = placePictures(state);
    std::set<QString> needed;
    for (const auto &[picture, path] : kept_)
        needed.insert(QString::fromStdString(path.filename().string()));
    writer_.submit([this, text = formatSession(state), pictures = std::move(pictures), target = file().toStdString(),
                    folder = folder_, needed = std::move(needed)](const RunControl &) {
        try {
            for (const auto &[picture, path] : pictures)
                saveImage(*picture, path, {.format = {}, .overwrite = true});
            writeFileAtomically(target, bytesOf(text), true);
            const QStringList aside = picturesAside(folder);
            for (const QString &name : picturesIn(folder)) // of pictures that were closed
                if (!needed.contains(name) && !aside.contains(name))
                    QFile::remove(folder + QLatin1Char('/') + name);
        } catch (const std::exception &error) {
            postTo(this, [this, what = QString::fromUtf8(error.what())] {
                if (!std::exchange(complained_, true))
                    emit notice({Message::Kind::Warning,
                                 tr("What is open cannot be kept against a crash: %1").arg(what),
                                 tr("save what must not be lost")});
            });
        }
    });
}

void Autosave::discard() {
    ended_ = true;
    timer_.stop();
    if (folder_.isEmpty())
        return;
    writer_.cancel();
    writer_.submit([folder = folder_](const RunControl &) { // behind a save that may be running
        const QStringList aside = picturesAside(folder);
        QDir kept(folder);
        for (const QString &name : kept.entryList(
                 {QStringLiteral("session.json"), QStringLiteral("restoring-*.json"), QStringLiteral("picture-*")},
                 QDir::Files))
            if (!aside.contains(name))
                kept.remove(name);
    });
    writer_.finish();
}

} // namespace tessera
