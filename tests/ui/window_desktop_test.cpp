// The window on a real X server with a window manager, and the program as it is started: what the offscreen platform
// cannot show. Starts both itself, on a display of their own.
#include "app/session/session_file.h"
#include "tests/ui/window_test_support.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/kernel_editor/kernel_window.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/command_palette.h"
#include "ui/panels/shortcut_sheet.h"
#include "ui/window/save_dialog.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QScreen>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>
#include <QWindow>

#include <csignal>
#include <cstdio>
#include <sys/prctl.h>

using namespace tessera;

namespace {

// Ends with the test, however that ends.
void tieToUs(QProcess &process) {
    process.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
}

class Desktop {
public:
    // Empty where all runs; else what is missing.
    QString start() {
        for (const char *program : {"Xvfb", "openbox"})
            if (QStandardPaths::findExecutable(QLatin1String(program)).isEmpty())
                return QStringLiteral("no %1 here").arg(QLatin1String(program));
        tieToUs(server_);
        server_.start(QStringLiteral("Xvfb"),
                      {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"),
                       QStringLiteral("0"), QStringLiteral("1024x768x24"), QStringLiteral("-nolisten"),
                       QStringLiteral("tcp")});
        if (!server_.waitForReadyRead(20000))
            return QStringLiteral("no Xvfb that starts: ") + QString::fromLocal8Bit(server_.readAllStandardError());
        qputenv("DISPLAY", ':' + server_.readAllStandardOutput().trimmed());
        qputenv("QT_QPA_PLATFORM", "xcb");
        qunsetenv("WAYLAND_DISPLAY");
        tieToUs(manager_);
        manager_.start(QStringLiteral("openbox"), QStringList());
        return manager_.waitForStarted() ? QString() : QStringLiteral("no openbox that starts");
    }
    ~Desktop() {
        for (QProcess *process : {&manager_, &server_}) {
            process->terminate(); // the server then removes its socket
            if (!process->waitForFinished(5000))
                process->kill();
            process->waitForFinished();
        }
    }

private:
    QProcess server_, manager_;
};

constexpr int patienceMs = 30000; // server, manager and test take turns with whatever else runs on the machine

template <class Condition> bool comesTrue(const Condition &condition) { return QTest::qWaitFor(condition, patienceMs); }

// Qt counts a dialog as active while its parent is; the keys go to one of them.
bool hasKeyboard(QWidget *window) {
    return comesTrue(
        [window] { return QApplication::activeWindow() == window || QApplication::activePopupWidget() == window; });
}

// A request of the test's own for another window may reach the manager after a dialog was shown, and take the keyboard
// from it again; the last request counts.
bool takesKeyboard(QWidget *window) {
    window->activateWindow();
    return hasKeyboard(window);
}

// Which comes by a message of its own, before the manager gives it the keyboard or after; then it has its place, too.
bool hasFrame(const QWidget *window) {
    return comesTrue([window] { return window->frameGeometry().height() > window->height(); });
}

bool isActiveInFrame(QWidget *window) { return QTest::qWaitForWindowActive(window, patienceMs) && hasFrame(window); }

QString placeOf(const QWidget &window) {
    const QRect frame = window.frameGeometry();
    return QStringLiteral("%1x%2 at %3,%4").arg(frame.width()).arg(frame.height()).arg(frame.x()).arg(frame.y());
}

class WindowDesktopTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup() { window_.reset(); }

    void aNewWindowFitsTheScreen();
    void keysGoWhereTheManagerSays();
    void dialogsStayOnTheScreen();
    void dialogsOpenOverTheWindow();
    void fullScreenAndBack();
    void placeAndSizeAreRemembered();
    void aWindowOfALargerScreenFits();
    void theKilledProgramComesBack();

private:
    QRect screen() const { return QGuiApplication::primaryScreen()->availableGeometry(); }
    void open();
    template <class Dialog> void checkDialog();
    QString titles() const;

    WindowTestFolder folder_;
    std::unique_ptr<MainWindow> window_;
};

// The manager takes a moment to begin. Before, a window may well become active, but it has no frame.
void WindowDesktopTest::initTestCase() {
    QVERIFY(comesTrue([] {
        QWidget probe;
        probe.show();
        return QTest::qWaitForWindowActive(&probe, 500) && probe.frameGeometry().height() > probe.height();
    }));
}

void WindowDesktopTest::init() {
    QSettings().clear();
    applyTheme(ThemeChoice::Dark);
    window_ = std::make_unique<MainWindow>();
    window_->setAsksBeforeClosing(false);
    window_->show();
    QVERIFY(isActiveInFrame(window_.get()));
}

void WindowDesktopTest::open() {
    QVERIFY(openAndWait(*window_, writeScene(folder_, QStringLiteral("scene.png"), 300, 200, {Depth::U8, 3})));
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("gaussian:sigma=2")); });
    QVERIFY(waitUntilIdle(*window_));
}

void WindowDesktopTest::aNewWindowFitsTheScreen() {
    QVERIFY2(comesTrue([&] { return screen().contains(window_->frameGeometry()); }), qPrintable(placeOf(*window_)));
    open();
    QVERIFY(screen().contains(window_->frameGeometry())); // what a picture brings along makes it no larger
}

void WindowDesktopTest::keysGoWhereTheManagerSays() {
    open();
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto *palette = window_->findChild<CommandPalette *>();
    QVERIFY(palette);
    QVERIFY(hasKeyboard(palette));
    QTest::keyClicks(palette->field(), QStringLiteral("sobel x"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->session().document()->step()->filter.name, std::string("sobel-x"));
    QVERIFY(hasKeyboard(window_.get())); // and the keyboard comes back
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(window_->session().document()->step()->filter.name, std::string("gaussian"));
}

template <class Dialog> void WindowDesktopTest::checkDialog() {
    auto *dialog = window_->findChild<Dialog *>();
    QVERIFY(dialog);
    QVERIFY(hasFrame(dialog));
    QVERIFY(takesKeyboard(dialog));
    QVERIFY2(comesTrue([&] { return screen().contains(dialog->frameGeometry()); }),
             qPrintable(QLatin1String(dialog->metaObject()->className()) + QLatin1Char(' ') + placeOf(*dialog)));
    QCOMPARE(dialog->windowHandle()->transientParent(), window_->windowHandle());
    const QByteArray name = dialog->metaObject()->className();
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY2(comesTrue([&] { return !window_->findChild<Dialog *>(); }), name.constData());
    window_->activateWindow(); // whom the manager takes next is its own affair
    QVERIFY(hasKeyboard(window_.get()));
}

void WindowDesktopTest::dialogsStayOnTheScreen() {
    open();
    window_->saveDialog();
    checkDialog<SaveDialog>();
    window_->openBatch();
    checkDialog<BatchDialog>();
    window_->openShortcuts();
    checkDialog<ShortcutSheet>();
    window_->findChild<KernelPanel *>()->enlarge(); // made for 1120 x 800
    QWidget *editor = window_->findChild<KernelPanel *>()->ownWindow();
    QVERIFY(hasFrame(editor));
    QVERIFY(takesKeyboard(editor));
    QVERIFY2(comesTrue([&] { return screen().contains(editor->frameGeometry()); }), qPrintable(placeOf(*editor)));
}

// Of every kind: modal and not, with a size of its own and without. Not in a corner of the screen.
void WindowDesktopTest::dialogsOpenOverTheWindow() {
    open();
    window_->resize(860, 540);
    window_->move(140, 170);
    QVERIFY(comesTrue([&] { return window_->x() == 140 && window_->width() == 860; }));
    const auto isOver = [&](const QWidget *dialog) {
        const QPoint apart = dialog->frameGeometry().center() - window_->frameGeometry().center();
        return apart.manhattanLength() <= 40; // of the frame, which Qt does not know beforehand
    };
    const auto check = [&](const char *name, QWidget *dialog) {
        QVERIFY2(dialog, name);
        // The manager shows it where it has placed it. The keyboard may go elsewhere, as another dialog has just gone.
        QVERIFY2(QTest::qWaitForWindowExposed(dialog, patienceMs) && hasFrame(dialog), name);
        QVERIFY2(isOver(dialog), qPrintable(QLatin1String(name) + QLatin1Char(' ') + placeOf(*dialog)));
    };
    window_->saveDialog();
    check("save", window_->findChild<SaveDialog *>());
    delete window_->findChild<SaveDialog *>();
    window_->openBatch();
    check("batch", window_->findChild<BatchDialog *>());
    delete window_->findChild<BatchDialog *>();
    window_->setAsksBeforeClosing(true);
    bool asked = false;
    QTimer::singleShot(0, this, [&] { // the loop of the question runs by then
        QWidget *question = QApplication::activeModalWidget();
        check("question", question);
        asked = true;
        if (question)
            question->close();
    });
    QVERIFY(!window_->close());
    QVERIFY(asked);
    window_->setAsksBeforeClosing(false);
}

void WindowDesktopTest::fullScreenAndBack() {
    open();
    const QSize before = window_->size();
    QTest::keyClick(window_.get(), Qt::Key_F11);
    QVERIFY(comesTrue([&] { return window_->size() == QGuiApplication::primaryScreen()->size(); }));
    QTest::keyClick(window_.get(), Qt::Key_F11);
    QVERIFY(comesTrue([&] { return window_->size() == before; }));
}

void WindowDesktopTest::placeAndSizeAreRemembered() {
    window_->resize(860, 610);
    window_->move(60, 50);
    QVERIFY2(comesTrue([&] { return window_->pos() == QPoint(60, 50) && window_->size() == QSize(860, 610); }),
             qPrintable(placeOf(*window_)));
    const QRect place = window_->geometry();
    QVERIFY(window_->close());
    window_ = std::make_unique<MainWindow>();
    window_->setAsksBeforeClosing(false);
    window_->show();
    QVERIFY(isActiveInFrame(window_.get()));
    QVERIFY2(comesTrue([&] { return window_->geometry() == place; }), qPrintable(placeOf(*window_)));
}

void WindowDesktopTest::aWindowOfALargerScreenFits() {
    QByteArray larger;
    {
        QWidget elsewhere; // as if it had been remembered there
        elsewhere.setGeometry(700, 400, 1700, 1000);
        larger = elsewhere.saveGeometry();
    }
    window_.reset();
    QSettings().setValue(QStringLiteral("window/geometry"), larger);
    window_ = std::make_unique<MainWindow>();
    window_->setAsksBeforeClosing(false);
    window_->show();
    QVERIFY(isActiveInFrame(window_.get()));
    QVERIFY2(comesTrue([&] { return screen().contains(window_->frameGeometry()); }), qPrintable(placeOf(*window_)));
}

QString WindowDesktopTest::titles() const {
    QProcess list;
    list.start(QStringLiteral("xwininfo"), {QStringLiteral("-root"), QStringLiteral("-tree")});
    list.waitForFinished(5000);
    return QString::fromUtf8(list.readAllStandardOutput());
}

// Started with a session, killed so that nothing in it can run any more, started again with nothing.
void WindowDesktopTest::theKilledProgramComesBack() {
    const QString program = QCoreApplication::applicationDirPath() + QStringLiteral("/tessera");
    if (!QFile::exists(program))
        QSKIP("the program itself was not built");
    if (QStandardPaths::findExecutable(QStringLiteral("xwininfo")).isEmpty())
        QSKIP("no xwininfo here to read titles with");
    window_.reset();
    const QString picture = writeScene(folder_, QStringLiteral("killed picture.png"), 200, 150, {Depth::U8, 3});
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), folder_.path(QStringLiteral("killed-data")));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder_.path(QStringLiteral("killed-config")));
    process.setProcessEnvironment(environment);
    tieToUs(process);
    QStringList arguments{picture};
    for (int start = 0; start < 3; ++start) {
        process.start(program, arguments);
        QVERIFY(process.waitForStarted());
        QVERIFY2(comesTrue([&] { return titles().contains(QStringLiteral("killed picture.png")); }),
                 process.readAllStandardError().constData());
        QFile kept(folder_.path(QStringLiteral("killed-data/Tessera/Tessera/autosave/0/session.json")));
        QVERIFY(comesTrue([&] { return kept.exists(); }));
        QTest::qWait(1500); // past the next save
        ::kill(pid_t(process.processId()), SIGKILL);
        QVERIFY(process.waitForFinished());
        QVERIFY(comesTrue([&] { return !titles().contains(QStringLiteral("killed picture.png")); }));
        arguments.clear();
    }
}

} // namespace

int main(int argc, char **argv) {
    Desktop desktop;
    if (const QString missing = desktop.start(); !missing.isEmpty()) {
        std::printf("skipped: %s\n", qPrintable(missing));
        return 0;
    }
    QApplication application(argc, argv);
    WindowDesktopTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "window_desktop_test.moc"
