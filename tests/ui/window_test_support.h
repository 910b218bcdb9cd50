// A window with settings of its own, and pictures to open in it.
#pragma once

#include "app/image/image.h"
#include "ui/window/main_window.h"

#include <QString>
#include <QTemporaryDir>
#include <QTimer>

#include <memory>
#include <string>

class QAbstractSpinBox;
class QLineEdit;

namespace tessera {

// Settings and files of the test go into a folder that vanishes with it: nothing of the user's is read or written.
class WindowTestFolder {
public:
    WindowTestFolder();
    ~WindowTestFolder(); // Qt leaves behind what it cannot name
    QString path(const QString &name) const { return folder_.filePath(name); }

private:
    QTemporaryDir folder_;
};

// A scene with ramps, edges, fine stripes and a disc: something every filter changes. `channels` as in PixelFormat.
Image testScene(int width, int height, PixelFormat format);

// Writes the picture as a file, in place of what was there, and returns its path.
QString writeImage(const WindowTestFolder &folder, const QString &name, const Image &image);

// The same with the scene.
QString writeScene(const WindowTestFolder &folder, const QString &name, int width, int height, PixelFormat format);

// A grey TIFF of 64-bit floats, 3 x 2, each 0.5.
QString writeWideFloats(const WindowTestFolder &folder, const QString &name);

// Waits until nothing runs any more: no loading, no filtering, statistics there. False after `timeoutMs`.
bool waitUntilIdle(MainWindow &window, int timeoutMs = 60000);

// Opens a file and waits until it is shown.
bool openAndWait(MainWindow &window, const QString &path);

// The same size, kind and pixels.
bool samePixels(const Image &a, const Image &b);

// What the tests of the window have in common: a window of its own for each, and hands to work it.
class WindowFixture : public QObject {
    Q_OBJECT

protected:
    WindowFixture();
    void makeWindow();
    void openFile(const QString &name, const Image &image); // as a file of that name, and waits until it is shown
    // The same with the scene.
    void open(const QString &name = QStringLiteral("scene.png"), int width = 160, int height = 120,
              PixelFormat format = {Depth::U8, 3});
    // Writes the file anew and returns its path; empty where that failed, and the test with it.
    static QString put(const QString &path, const QByteArray &bytes);
    static QByteArray content(const QString &path); // of a file; empty where it cannot be read
    void clickFilter(const QString &title);         // in the list, as the mouse does
    void filter(const std::string &text);           // in place of the current step, and waits until it has run
    // As a user does: all of it chosen, and typed over.
    static void type(QWidget *box, const QString &text, bool enter = true);
    QAbstractSpinBox *sigma();            // of the current filter
    static QLineEdit *line(QWidget *box); // that a field is typed into
    // Presses the button that begins so in the next question, whenever it comes in this test; asked_ is what it said
    // then, a line of its text and one of what it adds. A question without such a button fails.
    void answerNext(const QString &button);
    Document &document() { return *window_->session().document(); }
    Image expected();          // what the pipeline makes of the chain
    SharedImage shown() const; // the result that the canvas has; null: none
    template <class T> T *find(const QString &name = {}) { return window_->findChild<T *>(name); }
    template <class T> T *find(const char *name) { return find<T>(QString::fromLatin1(name)); }

    WindowTestFolder folder_;
    std::unique_ptr<MainWindow> window_;
    QString asked_;

private:
    void answer();

    QString answer_;
    QTimer answering_; // runs while a question is waited for
};

} // namespace tessera
