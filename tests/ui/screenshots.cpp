// Renders the window as its users see it. Run with TESSERA_SCREENSHOT_DIR=somewhere to keep the pictures and look at
// them; TESSERA_SCREENSHOT_PICTURE names a picture of one's own to show. QT_SCALE_FACTOR=2 gives the high-DPI set.
#include "tests/ui/window_test_support.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/command_palette.h"
#include "ui/panels/filter_list.h"
#include "ui/panels/shortcut_sheet.h"
#include "ui/panels/step_options.h"
#include "ui/race/race_panel.h"
#include "ui/window/save_dialog.h"

#include <QAction>
#include <QDir>
#include <QTest>
#include <QToolButton>

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

private:
    void keep(QWidget &window, const QString &name);
    template <class Dialog> void keepChild(MainWindow &window, const QString &name) {
        auto *dialog = window.findChild<Dialog *>();
        QVERIFY(dialog);
        keep(*dialog, name);
        dialog->close();
        QTest::qWait(20);
    }
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

void WindowScreenshots::everyThemeAndSize_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    QTest::newRow("dark-1440x900") << true << QSize(1440, 900);
    QTest::newRow("light-1440x900") << false << QSize(1440, 900);
    QTest::newRow("dark-1024x700") << true << QSize(1024, 700);
    QTest::newRow("light-1024x700") << false << QSize(1024, 700);
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
    window.openBatch();
    keepChild<BatchDialog>(window, tag + QStringLiteral("-batch"));
    window.saveDialog();
    keepChild<SaveDialog>(window, tag + QStringLiteral("-save"));
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

} // namespace

QTEST_MAIN(WindowScreenshots)
#include "screenshots.moc"
