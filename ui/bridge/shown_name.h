// Names of files in the window: on one line, whatever they hold.
#pragma once

#include "app/image/display_name.h"

#include <QFileInfo>
#include <QString>

namespace tessera {

// As the command line shows it: a line break is \x0a.
inline QString shownName(const QString &name) { return QString::fromStdString(displayText(name.toStdString())); }

// The name alone of the file at `path`.
inline QString shownFileName(const QString &path) { return shownName(QFileInfo(path).fileName()); }

} // namespace tessera
