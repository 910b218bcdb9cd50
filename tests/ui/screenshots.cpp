// Renders the window as its users see it. One command makes all pictures, light and dark, at 1x and 2x, to look at:
//   TESSERA_SCREENSHOT_DIR=somewhere QT_QPA_PLATFORM=offscreen window_screenshots
// TESSERA_SCREENSHOT_PICTURE names a picture of one's own to show; QT_SCALE_FACTOR renders at one scale only.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/kernel_editor/kernel_window.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/command_palette.h"
#include "ui/panels/filter_list.h"
#include "ui/panels/shortcut_sheet.h"
#include "ui/panels/step_options.h"
#include "ui/race/race_panel.h"
#include "ui/window/save_dialog.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <cmath>
#include <functional>
#include <tuple>

using namespace tessera;

namespace {

class WindowScreenshots : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(ThemeChoice::Dark); }
    void everyThemeAndSize_data();
    void everyThemeAndSize();
    void canvas_data() { everyThemeAndSize_data(); }
    void canvas();
    void told();
    void readme();

private:
    void keep(QWidget &window, const QString &name);
    template <class Dialog> void keepChild(MainWindow &window, const QString &name) {
        auto *dialog = window.findChild<Dialog *>();
        QVERIFY(dialog);
        keep(*dialog, name);
        dialog->close();
        QTest::qWait(20);
    }
    void keepBatch(MainWindow &window, const QString &tag);
    void keepMenus(MainWindow &window, const QString &tag);
    void keepQuestion(MainWindow &window, const QString &tag);
    void keepAsked(MainWindow &window, const QString &name, const std::function<void()> &ask);
    void keepReplacing(BatchDialog &dialog, const QString &tag);
    void keepRefusals(MainWindow &window, const QString &tag);
    WindowTestFolder folder_;
};

void WindowScreenshots::keep(QWidget &window, const QString &name) {
    QTest::qWait(50);
    const QPixmap picture = window.grab();
    QVERIFY(!picture.isNull());
    const QString target = qEnvironmentVariable("TESSERA_SCREENSHOT_DIR");
    if (target.isEmpty())
        return;
    QVERIFY(QDir().mkpath(target));
    QVERIFY(picture.save(QStringLiteral("%1/%2@%3x.png").arg(target, name).arg(picture.devicePixelRatio())));
}

// With a failure in its list.
void WindowScreenshots::keepBatch(MainWindow &window, const QString &tag) {
    window.openBatch();
    auto *dialog = window.findChild<BatchDialog *>();
    QVERIFY(dialog);
    QFile broken(folder_.path(QStringLiteral("broken.png")));
    QVERIFY(broken.open(QFile::WriteOnly) && broken.write("no picture") > 0);
    broken.close();
    dialog->setInputs({writeScene(folder_, QStringLiteral("one.png"), 90, 60, {Depth::U8, 3}), broken.fileName()});
    dialog->findChild<QLineEdit *>(QStringLiteral("batch.folder"))->setText(folder_.path(tag));
    dialog->findChild<QPushButton *>(QStringLiteral("batch.start"))->click();
    QVERIFY(QTest::qWaitFor([&] { return !dialog->runner().running(); }, 30000));
    keepReplacing(*dialog, tag);
    keepChild<BatchDialog>(window, tag + QStringLiteral("-batch"));
}

// What was made and something foreign, asked for before either is replaced.
void WindowScreenshots::keepReplacing(BatchDialog &dialog, const QString &tag) {
    for (const char *name : {"two", "three"})
        writeScene(folder_, QStringLiteral("%1.png").arg(QLatin1String(name)), 90, 60, {Depth::U8, 3});
    dialog.setInputs({folder_.path(QStringLiteral("one.png")), folder_.path(QStringLiteral("two.png"))});
    auto *overwrite = dialog.findChild<QCheckBox *>(QStringLiteral("batch.overwrite"));
    overwrite->setChecked(true);
    const QStringList made = QDir(folder_.path(tag)).entryList({QStringLiteral("one-*.png")}, QDir::Files);
    QVERIFY(!made.isEmpty());
    QVERIFY(QFile::copy(folder_.path(QStringLiteral("two.png")),
                        folder_.path(tag + QStringLiteral("/two") + made.first().mid(3))));
    dialog.findChild<QPushButton *>(QStringLiteral("batch.start"))->click();
    QMessageBox *question = nullptr;
    QVERIFY(QTest::qWaitFor([&] { return (question = dialog.findChild<QMessageBox *>()); }, 20000));
    keep(*question, tag + QStringLiteral("-replacing"));
    question->button(QMessageBox::Cancel)->click();
    QVERIFY(QTest::qWaitFor([&] { return !dialog.runner().running(); }, 30000));
    dialog.findChild<QSpinBox *>(QStringLiteral("batch.quality"))
        ->findChild<QLineEdit *>()
        ->setText(QStringLiteral("150"));
    keep(dialog, tag + QStringLiteral("-batch-quality"));
    overwrite->setChecked(false);
}

// Values that a format has no code for, and a quality out of range.
void WindowScreenshots::keepRefusals(MainWindow &window, const QString &tag) {
    Image picture = testScene(90, 60, {Depth::F32, 3});
    picture.view().row<float>(3)[0] = std::nanf("");
    picture.view().row<float>(3)[1] = -1;
    QVERIFY(openAndWait(window, writeImage(folder_, QStringLiteral("light.tif"), picture)));
    for (const auto &[file, depth, name] :
         {std::tuple{"light.hdr", 0, "-save-values"}, {"light.jpg", 1, "-save-quality"}}) {
        window.saveDialog();
        auto *dialog = window.findChild<SaveDialog *>();
        window.findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(folder_.path(QLatin1String(file)));
        dialog->setDepth(OutputDepth(depth));
        window.findChild<QSpinBox *>(QStringLiteral("save.quality"))
            ->findChild<QLineEdit *>()
            ->setText(QStringLiteral("150"));
        keepChild<SaveDialog>(window, tag + QLatin1String(name));
    }
}

void WindowScreenshots::keepMenus(MainWindow &window, const QString &tag) {
    for (QAction *top : window.menuBar()->actions()) {
        QMenu *menu = top->menu();
        emit menu->aboutToShow();
        menu->adjustSize();
        keep(*menu, tag + QStringLiteral("-menu-") + top->text().remove(QLatin1Char('&')).toLower());
    }
}

// Two pictures in tabs, and what is asked before they are closed.
void WindowScreenshots::keepQuestion(MainWindow &window, const QString &tag) {
    window.session().openPicture(testScene(300, 200, {Depth::U16, 4}), QStringLiteral("pasted picture"));
    QVERIFY(QTest::qWaitFor([&] { return window.session().count() == 2; }));
    QVERIFY(waitUntilIdle(window));
    keep(window, tag + QStringLiteral("-tabs"));
    keepAsked(window, tag + QStringLiteral("-question"), [&] { QVERIFY(!window.close()); });
}

void WindowScreenshots::everyThemeAndSize_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    QTest::newRow("dark-1440x900") << true << QSize(1440, 900);
    QTest::newRow("light-1440x900") << false << QSize(1440, 900);
    QTest::newRow("dark-1024x700") << true << QSize(1024, 700);
    QTest::newRow("light-1024x700") << false << QSize(1024, 700);
    if (qEnvironmentVariableIsEmpty("QT_SCALE_FACTOR")) // at a scale of 2 it would be an 8K screen
        QTest::newRow("dark-3840x2160") << true << QSize(3840, 2160);
}

void WindowScreenshots::everyThemeAndSize() {
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    const QString tag = QString::fromLatin1(QTest::currentDataTag());
    MainWindow window;
    window.setAsksBeforeClosing(false);
    window.setThemeChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
    window.resize(size);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(waitUntilIdle(window));
    keep(window, tag + QStringLiteral("-empty"));

    QString picture = qEnvironmentVariable("TESSERA_SCREENSHOT_PICTURE");
    if (picture.isEmpty())
        picture = writeScene(folder_, QStringLiteral("scene.png"), 900, 600, {Depth::U8, 3});
    QVERIFY(openAndWait(window, picture));
    keep(window, tag + QStringLiteral("-opened"));
    window.session().edit([](Document &document) { document.setFilter(parseFilter("unsharp:sigma=3,amount=1.4")); });
    QVERIFY(waitUntilIdle(window));
    window.session().startRace();
    QVERIFY(QTest::qWaitFor([&] { return !window.session().race().running(); }, 120000));
    keep(window, tag + QStringLiteral("-filtered"));

    window.findChild<StepOptions *>()->setExpanded(true);
    window.setCanvasMode(CanvasMode::Split);
    window.canvas().view().zoomAt(QPointF(250, 130), 48 * window.devicePixelRatioF());
    window.canvas().view().setHover(QPoint(250, 130));
    keep(window, tag + QStringLiteral("-pixels"));
    window.findChild<StepOptions *>()->setExpanded(false);

    window.canvas().view().fit();
    window.setCanvasMode(CanvasMode::Four);
    window.session().edit([](Document &document) { document.setFilter(parseFilter("sobel")); });
    QVERIFY(waitUntilIdle(window));
    window.showMessage({Message::Kind::Error,
                        QStringLiteral("holiday.jpg is damaged: the file ends in the middle of the picture"),
                        QStringLiteral("copy the file again from where it came from")});
    keep(window, tag + QStringLiteral("-four"));

    window.setCanvasMode(CanvasMode::Two);
    window.session().edit([](Document &document) {
        document.replaceChain({}, "none");
        document.addStep(parseFilter("gaussian:sigma=1.5"));
        document.addStep(parseFilter("emboss:angle=30"));
        document.addStep(parseFilter("sharpen"));
        document.selectStep(1);
    });
    window.findChild<QToolButton *>(QStringLiteral("kernel.frequency"))->setChecked(true);
    QVERIFY(waitUntilIdle(window));
    keep(window, tag + QStringLiteral("-chain"));
    window.openPalette();
    keepChild<CommandPalette>(window, tag + QStringLiteral("-palette"));
    window.openShortcuts();
    keepChild<ShortcutSheet>(window, tag + QStringLiteral("-keys"));
    keepBatch(window, tag);
    window.saveDialog();
    window.findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(folder_.path(QStringLiteral("scene.jpg")));
    keepChild<SaveDialog>(window, tag + QStringLiteral("-save"));
    keepMenus(window, tag);
    keepQuestion(window, tag);
    keepRefusals(window, tag);
    QVERIFY(window.close());
}

// Panes of variants, the sum tap by tap, a region that alone is filtered, a preview.
void WindowScreenshots::canvas() {
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    const QString tag = QString::fromLatin1(QTest::currentDataTag());
    MainWindow window;
    window.setAsksBeforeClosing(false);
    window.setThemeChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
    window.resize(size);
    window.show();
    QVERIFY(openAndWait(window, writeScene(folder_, QStringLiteral("scene.png"), 900, 600, {Depth::U8, 3})));
    window.session().edit([](Document &document) { document.setFilter(parseFilter("emboss:angle=30")); });
    QVERIFY(waitUntilIdle(window));
    CanvasArea &canvas = window.canvas();
    window.setCanvasMode(CanvasMode::Three);
    canvas.setPaneView(0, {PaneKind::Variant, QStringLiteral("tiled@sim")});
    canvas.setPaneView(2, {PaneKind::Variant, QStringLiteral("nosuch@sim")});
    emit canvas.regionChanged(QRect(300, 100, 400, 300));
    window.findChild<QAction *>(QStringLiteral("filter.region"))->trigger();
    QVERIFY(waitUntilIdle(window));
    QVERIFY(QTest::qWaitFor([&] { return !window.session().variantRuns().running(); }, 60000));
    keep(window, tag + QStringLiteral("-variants"));
    window.setCanvasMode(CanvasMode::Difference);
    window.findChild<QAction *>(QStringLiteral("view.taps"))->trigger();
    canvas.view().zoomAt(QPointF(640, 130), 40 * window.devicePixelRatioF());
    canvas.view().centreOn(QPointF(640, 130));
    canvas.view().setHover(QPoint(640, 130));
    keep(window, tag + QStringLiteral("-taps"));
    window.setCanvasMode(CanvasMode::Four);
    canvas.view().setZoom(1);
    window.session().setEngine("naive", "sim");
    window.session().edit([](Document &document) { document.setFilter(parseFilter("gaussian:sigma=4")); });
    QVERIFY(QTest::qWaitFor([&] { return canvas.content().patch || !window.session().filtering(); }, 60000));
    keep(window, tag + QStringLiteral("-preview"));
    window.session().cancel();
    QVERIFY(window.close());
}

void WindowScreenshots::keepAsked(MainWindow &window, const QString &name, const std::function<void()> &ask) {
    window.setAsksBeforeClosing(true);
    QTimer::singleShot(50, this, [&] {
        auto *question = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
        QVERIFY(question);
        keep(*question, name);
        question->reject();
    });
    ask();
    window.setAsksBeforeClosing(false);
}

// What the window says of one picture of floats with alpha: its figures, messages, questions, the kernel's complaint.
void WindowScreenshots::told() {
    MainWindow window;
    window.setAsksBeforeClosing(false);
    window.resize(1024, 700);
    window.show();
    QVERIFY(openAndWait(window, writeScene(folder_, QStringLiteral("floats.tif"), 300, 200, {Depth::F32, 4})));
    window.session().edit([](Document &document) { document.setFilter(parseFilter("emboss")); });
    QVERIFY(waitUntilIdle(window));
    for (int i = 1; i <= 5; ++i)
        window.showMessage({Message::Kind::Warning,
                            QStringLiteral("The picture %1.png has changed since it was last open").arg(i),
                            QStringLiteral("its filters were kept and run on it as it is now")});
    keep(window, QStringLiteral("told-messages"));
    keepAsked(window, QStringLiteral("told-closing-picture"),
              [&] { window.findChild<QAction *>(QStringLiteral("file.close"))->trigger(); });
    auto *kernel = window.findChild<KernelPanel *>();
    kernel->enlarge();
    QWidget *editor = kernel->ownWindow();
    keep(*editor, QStringLiteral("told-kernel-quiet"));
    auto *divisor = editor->findChild<QLineEdit *>(QStringLiteral("kernel.divisor"));
    divisor->setText(QStringLiteral("abc"));
    QTest::keyClick(divisor, Qt::Key_Return);
    keep(*editor, QStringLiteral("told-kernel-complains"));
    editor->close();
    const QString target = folder_.path(QStringLiteral("appears.tif"));
    window.saveDialog();
    window.findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(target);
    QFile appears(target);
    QVERIFY(appears.open(QFile::WriteOnly) && appears.write("of another program") > 0);
    appears.close();
    window.findChild<QPushButton *>(QStringLiteral("save.accept"))->click();
    keepChild<SaveDialog>(window, QStringLiteral("told-save-appeared"));
    QVERIFY(window.close());
}

// The README's picture: one that every variant can take part in, all their rows in sight. Best on a machine with a GPU,
// with the sample picture: TESSERA_SCREENSHOT_PICTURE=.../samples/lake.jpg QT_SCALE_FACTOR=1 window_screenshots readme
void WindowScreenshots::readme() {
    MainWindow window;
    window.setAsksBeforeClosing(false);
    window.setThemeChoice(ThemeChoice::Dark);
    window.resize(1480, 1130);
    window.show();
    QString picture = qEnvironmentVariable("TESSERA_SCREENSHOT_PICTURE");
    if (picture.isEmpty())
        picture = writeScene(folder_, QStringLiteral("scene.png"), 900, 600, {Depth::U8, 3});
    QVERIFY(openAndWait(window, picture));
    window.session().edit([](Document &document) { document.setFilter(parseFilter("unsharp:sigma=1,amount=1.4")); });
    QVERIFY(waitUntilIdle(window));
    for (auto *splitter : window.findChildren<QSplitter *>())
        if (splitter->orientation() == Qt::Vertical)
            splitter->setSizes({480, 560});
    window.session().startRace();
    QVERIFY(QTest::qWaitFor([&] { return !window.session().race().running(); }, 120000));
    keep(window, QStringLiteral("readme"));
    QVERIFY(window.close());
}

} // namespace

// The scale is settled before a program begins, so that the second set is a second run of it.
int main(int argc, char **argv) {
    int status = 0;
    {
        QApplication application(argc, argv);
        WindowScreenshots screenshots;
        status = QTest::qExec(&screenshots, argc, argv);
    }
    if (status || qEnvironmentVariableIsEmpty("TESSERA_SCREENSHOT_DIR") ||
        !qEnvironmentVariableIsEmpty("QT_SCALE_FACTOR"))
        return status;
    qputenv("QT_SCALE_FACTOR", "2");
    QStringList arguments;
    for (int i = 1; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    return QProcess::execute(QString::fromLocal8Bit(argv[0]), arguments);
}
#include "screenshots.moc"
