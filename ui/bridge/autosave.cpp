#include "ui/bridge/autosave.h"

#include "app/image/image_io.h"
#include "ui/bridge/autosave_folder.h"
#include "ui/bridge/file_name.h"
#include "ui/bridge/lossless.h"
#include "ui/bridge/session.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <set>
#include <utility>

namespace tessera {

namespace {

constexpr int delayMs = 700; // a drag of a slider is a save or two
const QString topic = QStringLiteral("autosave");

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

} // namespace

Autosave::Autosave(Session &session, const QString &root, QObject *parent)
    : QObject(parent), session_(session),
      root_(root.isEmpty()
                ? QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/autosave")
                : root) {
    // A folder that holds something to restore is taken before an empty one.
    if (!findFolder(true))
        findFolder(false);
    timer_.setSingleShot(true);
    timer_.setInterval(delayMs);
    connect(&timer_, &QTimer::timeout, this, &Autosave::save);
    connect(&session_, &Session::documentsChanged, this, &Autosave::schedule);
    connect(&session_, &Session::chainChanged, this, &Autosave::schedule);
    connect(&session_, &Session::engineChanged, this, &Autosave::schedule);
    connect(&session_, &Session::regionChanged, this, &Autosave::schedule);
    connect(&session_, &Session::saved, this, &Autosave::schedule); // the picture may have lost its file
    connect(&session_, &Session::restored, this, &Autosave::onRestored);
}

Autosave::~Autosave() = default;

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
    if (!ended_ && !timer_.isActive()) // not put off by every change of a long drag
        timer_.start();
}

// Gives every picture without a file a place in the folder.
void Autosave::placePictures(SessionState &state) {
    std::set<SharedImage> open;
    for (int i = 0; i < session_.count(); ++i) {
        SessionEntry &entry = state.entries[std::size_t(i)];
        if (!entry.path.empty())
            continue;
        const SharedImage picture = session_.documentAt(i)->source().stack.picture();
        open.insert(picture);
        auto &path = kept_[picture];
        if (path.empty()) {
            path = pathFrom(QStringLiteral("%1/picture-%2.%3")
                                .arg(folder_, QString::number(nextPicture_++),
                                     QLatin1String(losslessExtension(picture->format().depth))));
        }
        entry.path = path;
    }
    std::erase_if(kept_, [&](const auto &entry) { return !open.contains(entry.first); });
}

void Autosave::save() {
    if (session_.restoring()) // half a session must not replace the whole one
        return schedule();
    if (folder_.isEmpty() && !findFolder(false)) // there may be room by now
        return complain(whyNone_);
    SessionState state = session_.state();
    placePictures(state);
    writer_.submit([this, text = formatSession(state), pictures = kept_, target = pathFrom(file()),
                    folder = folder_](const RunControl &) {
        try {
            std::set<QString> needed;
            for (const auto &[picture, path] : pictures) {
                if (!std::filesystem::exists(path)) // new, or it could not be written before
                    saveImage(*picture, path, {.format = {}, .overwrite = true});
                needed.insert(textFrom(path.filename()));
            }
            writeFileAtomically(target, std::as_bytes(std::span(text)), true);
            const QStringList aside = picturesAside(folder);
            for (const QString &name : picturesIn(folder)) // of pictures that were closed
                if (!needed.contains(name) && !aside.contains(name))
                    QFile::remove(folder + QLatin1Char('/') + name);
            postTo(this, [this] {
                if (std::exchange(complained_, false))
                    emit settled(topic);
            });
        } catch (...) {
            postTo(this, [this, what = messageOfFailure().what] { complain(what); });
        }
    });
}

// Once, however often it fails; again only where it worked meanwhile.
void Autosave::complain(const QString &why) {
    if (std::exchange(complained_, true))
        return;
    warn(tr("What is open cannot be kept against a crash: %1").arg(why),
         tr("make room in %1 or make it writable; until then, save what must not be lost").arg(shownName(root_)),
         topic);
}

// A picture that is named at the start opens at the same moment, and must not clear it.
void Autosave::warn(const QString &what, const QString &remedy, const QString &about) {
    emit notice({Message::Kind::Warning, what, remedy, about, true});
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
        for (const QString &name : sessionsIn(folder) + picturesIn(folder))
            if (!aside.contains(name))
                kept.remove(name);
    });
    writer_.finish();
}

} // namespace tessera
