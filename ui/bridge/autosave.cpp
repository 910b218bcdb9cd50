#include "ui/bridge/autosave.h"

#include "app/image/image_io.h"
#include "ui/bridge/session.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <set>

namespace tessera {

namespace {
constexpr int programsAtOnce = 16;
constexpr int delayMs = 700; // a drag of a slider is one save

std::span<const std::byte> bytesOf(const std::string &text) {
    return std::as_bytes(std::span(text.data(), text.size()));
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
            if (QFile::exists(folder + QStringLiteral("/session.json")) == withContent)
                takeFolder(folder);
        }
    timer_.setSingleShot(true);
    timer_.setInterval(delayMs);
    connect(&timer_, &QTimer::timeout, this, &Autosave::save);
    connect(&session_, &Session::documentsChanged, this, &Autosave::schedule);
    connect(&session_, &Session::chainChanged, this, &Autosave::schedule);
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
    return true;
}

QString Autosave::file() const { return folder_ + QStringLiteral("/session.json"); }

bool Autosave::restore() {
    QFile saved(file());
    if (folder_.isEmpty() || !saved.open(QFile::ReadOnly))
        return false;
    try {
        const SessionState state = parseSession(saved.readAll().toStdString(), "the session kept against a crash");
        if (state.entries.empty())
            return false;
        nextPicture_ = int(QDir(folder_).entryList({QStringLiteral("picture-*")}).size()) + 1;
        session_.restore(state, folder_.toStdString());
        return true;
    } catch (const Error &error) {
        emit problem(QString::fromStdString(error.what()));
        return false;
    }
}

void Autosave::schedule() {
    if (!folder_.isEmpty() && !ended_)
        timer_.start();
}

void Autosave::save() {
    if (session_.restoring()) // half a session must not replace the whole one
        return schedule();
    SessionState state = session_.state();
    std::vector<std::pair<SharedImage, std::filesystem::path>> pictures;
    std::set<const Document *> open;
    for (int i = 0; i < session_.count(); ++i) {
        const Document *document = session_.documentAt(i);
        open.insert(document);
        SessionEntry &entry = state.entries[std::size_t(i)];
        if (!entry.path.empty())
            continue;
        auto &path = kept_[document];
        if (path.empty()) {
            const Depth depth = document->picture().format().depth;
            path = (folder_ + QStringLiteral("/picture-%1.%2")
                                  .arg(nextPicture_++)
                                  .arg(depth == Depth::F32 ? QStringLiteral("tif") : QStringLiteral("png")))
                       .toStdString();
            pictures.emplace_back(document->source().stack.picture(), path);
        }
        entry.path = path;
    }
    std::erase_if(kept_, [&](const auto &entry) { return !open.contains(entry.first); });
    writer_.submit([this, text = formatSession(state), pictures = std::move(pictures),
                    target = file().toStdString()](const RunControl &) {
        try {
            for (const auto &[picture, path] : pictures)
                saveImage(*picture, path, {.format = {}, .overwrite = true});
            writeFileAtomically(target, bytesOf(text), true);
        } catch (const std::exception &error) {
            postTo(this, [this, what = QString::fromUtf8(error.what())] {
                if (!std::exchange(complained_, true))
                    emit problem(what);
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
        QDir kept(folder);
        for (const QString &name :
             kept.entryList({QStringLiteral("session.json"), QStringLiteral("picture-*")}, QDir::Files))
            kept.remove(name);
    });
    writer_.finish();
}

} // namespace tessera
