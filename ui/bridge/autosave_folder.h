// How a folder of the autosave is laid out: the lock, the session, attempts to open it again, and pictures.
#pragma once

#include <QDir>
#include <QString>
#include <QStringList>

namespace tessera {

inline QString lockOf(const QString &folder) { return folder + QStringLiteral("/lock"); }

inline QString sessionFile(const QString &folder) { return folder + QStringLiteral("/session.json"); }

// The session while it is being opened again, for the `attempt`-th time.
inline QString restoringFile(const QString &folder, int attempt) {
    return QStringLiteral("%1/restoring-%2.json").arg(folder, QString::number(attempt));
}

// Names in the folder, not paths.
inline QStringList sessionsIn(const QString &folder) {
    return QDir(folder).entryList({QStringLiteral("session.json"), QStringLiteral("restoring-*.json")}, QDir::Files);
}

inline QStringList picturesIn(const QString &folder) {
    return QDir(folder).entryList({QStringLiteral("picture-*")}, QDir::Files);
}

} // namespace tessera
