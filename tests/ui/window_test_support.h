// A window with settings of its own, and pictures to open in it.
#pragma once

#include "app/image/image.h"
#include "ui/window/main_window.h"

#include <QString>
#include <QTemporaryDir>

#include <memory>

namespace tessera {

// Settings and files of the test go into a folder that vanishes with it: nothing of the user's is read or written.
class WindowTestFolder {
public:
    WindowTestFolder();
    QString path(const QString &name) const { return folder_.filePath(name); }

private:
    QTemporaryDir folder_;
};

// A scene with ramps, edges, fine stripes and a disc: something every filter changes. `channels` as in PixelFormat.
Image testScene(int width, int height, PixelFormat format);

// Writes the scene as a file and returns its path.
QString writeScene(const WindowTestFolder &folder, const QString &name, int width, int height, PixelFormat format);

// Waits until nothing runs any more: no loading, no filtering, statistics there. False after `timeoutMs`.
bool waitUntilIdle(MainWindow &window, int timeoutMs = 60000);

// Opens a file and waits until it is shown.
bool openAndWait(MainWindow &window, const QString &path);

} // namespace tessera
