// Names of files between Qt's text and the bytes that they are, and as they are shown.
//
// A name is any bytes but '/' and NUL. Text holds what of it is UTF-8; any other byte b is the lone surrogate
// U+DC00 + b, which no UTF-8 gives, so that the way there and back loses nothing. Qt's own functions on files know
// nothing of it: what opens, asks for or removes such a file takes pathFrom().
#pragma once

#include <QString>
#include <QVariant>

#include <filesystem>

class QMimeData;

namespace tessera {

std::filesystem::path pathFrom(const QString &name);
QString textFrom(const std::filesystem::path &path);
QString typedPath(const QString &typed);   // without spaces around it; "~" and "~/..." lie in the user's folder
QString absoluteName(const QString &name); // whatever the working folder is called

// Whether the folder is there, or can be made, and takes files: not in /proc, where all may write and nothing can be.
bool canHoldFiles(const QString &folder);

// The local files among what is dropped or pasted, as text.
QStringList localFiles(const QMimeData &data);

// As a setting, which keeps text or bytes, and no lone surrogates.
QVariant settingFrom(const QStringList &names);
QStringList namesFrom(const QVariant &setting);

// For people, on one line, whatever it holds: a line break is \x0a, as on the command line.
QString shownName(const QString &name);
QString shownName(const std::filesystem::path &path);
QString shownFileName(const QString &path); // the name alone of the file at `path`

} // namespace tessera
