// Chains, sessions, what is kept against a crash, the palette and the batch: through the window, as a user would.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/chain_panel.h"
#include "ui/panels/command_palette.h"
#include "ui/panels/message_bar.h"
#include "ui/panels/shortcut_sheet.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include <csignal>
#include <cstring>
#include <memory>

using namespace tessera;

namespace {

class WindowSessionTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { window_.reset(); }

    void severalStepsRunInOrder();
    void aStepCanBeSwitchedOffMovedAndRemoved();
    void twoPassesGiveTheSamePicture();
    void severalPicturesKeepTheirOwnChains();
    void sessionsAreSavedAndOpened();
    void aBrokenSessionIsRefused();
    void whatWasOpenComesBackAfterACrash();
    void aCleanEndLeavesNothing();
    void theKilledProgramComesBack();
    void thePaletteFindsAndRuns();
    void keysAreListed();
    void batchRunsTheChain();

private:
    const Image &result() { return *document().result()->picture.stack.picture(); }
};

void WindowSessionTest::init() {
    makeWindow();
    open(QStringLiteral("scene.png"), 120, 90);
}

void WindowSessionTest::severalStepsRunInOrder() {
    filter("gaussian:sigma=2");
    window_->session().edit([](Document &d) { d.addStep(parseFilter("sobel")); });
    QVERIFY(waitUntilIdle(*window_));
    auto *list = window_->findChild<ChainPanel *>()->list();
    QCOMPARE(list->count(), 2);
    QVERIFY(list->isVisible());
    QCOMPARE(list->currentRow(), 1);
    QVERIFY(samePixels(result(), expected()));
    const Image forward = result().clone();
    window_->session().edit([](Document &d) { d.moveStep(0, 1); });
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(result(), expected()));
    QVERIFY(!samePixels(result(), forward));
}

void WindowSessionTest::aStepCanBeSwitchedOffMovedAndRemoved() {
    filter("gaussian:sigma=2");
    window_->session().edit([](Document &d) { d.addStep(parseFilter("sobel")); });
    auto *list = window_->findChild<ChainPanel *>()->list();
    list->item(1)->setCheckState(Qt::Unchecked);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!document().chain().steps[1].enabled);
    QVERIFY(samePixels(result(), expected()));
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(document().chain().steps[0].filter.name, std::string("sobel"));
    QTest::keyClick(list, Qt::Key_Delete);
    QCOMPARE(document().chain().steps.size(), std::size_t(1));
    QCOMPARE(document().chain().steps[0].filter.name, std::string("gaussian"));
    window_->session().undo();
    window_->session().undo();
    window_->session().undo();
    QVERIFY(document().chain().steps[1].enabled);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(result(), expected()));
}

void WindowSessionTest::twoPassesGiveTheSamePicture() {
    filter("gaussian:sigma=2");
    const Image whole = result().clone();
    QTest::mouseClick(window_->findChild<QToolButton *>(QStringLiteral("kernel.twoPasses")), Qt::LeftButton);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().chain().steps.size(), std::size_t(2));
    QCOMPARE(document().chain().steps[0].filter.kernel.height, 1);
    QCOMPARE(document().chain().steps[1].filter.kernel.width, 1);
    int largest = 0;
    for (int y = 0; y < whole.height(); ++y)
        for (int i = 0; i < whole.width() * 3; ++i)
            largest = std::max(largest, std::abs(int(whole.view().row<std::uint8_t>(y)[i]) -
                                                 int(result().view().row<std::uint8_t>(y)[i])));
    QVERIFY(largest <= 1);
    window_->session().undo();
    QCOMPARE(document().chain().steps.size(), std::size_t(1));
}

void WindowSessionTest::severalPicturesKeepTheirOwnChains() {
    filter("sobel");
    open(QStringLiteral("second.png"), 64, 64, {Depth::U16, 1});
    QCOMPARE(window_->session().count(), 2);
    QVERIFY(document().chain().steps.empty());
    filter("emboss");
    window_->session().setCurrentIndex(0);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().step()->filter.name, std::string("sobel"));
    QVERIFY(samePixels(result(), expected()));
    window_->session().closeDocument(0);
    QCOMPARE(window_->session().count(), 1);
    QCOMPARE(document().step()->filter.name, std::string("emboss"));
    window_->session().closeDocument(0);
    QCOMPARE(window_->session().count(), 0);
    QVERIFY(window_->findChild<QPushButton *>(QStringLiteral("start.open"))->isVisible());
}

void WindowSessionTest::sessionsAreSavedAndOpened() {
    filter("gaussian:sigma=2.5");
    open(QStringLiteral("second.png"), 64, 64, {Depth::U16, 1});
    filter("emboss:angle=30");
    const QString path = folder_.path(QStringLiteral("work.tessera"));
    window_->session().saveSession(path);
    QVERIFY(waitUntilIdle(*window_));
    makeWindow();
    window_->session().openSession(path);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 2 && !window_->session().restoring(); }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->session().currentIndex(), 1);
    QCOMPARE(document().step()->filter.values.at("angle"), 30.0);
    QVERIFY(samePixels(result(), expected()));
    QCOMPARE(window_->session().documentAt(0)->step()->filter.values.at("sigma"), 2.5);
}

void WindowSessionTest::aBrokenSessionIsRefused() {
    const QString path = folder_.path(QStringLiteral("broken.tessera"));
    put(path, "{\"format\": \"tessera-session\", \"pictures\": [");
    window_->session().openSession(path);
    QVERIFY(QTest::qWaitFor([&] { return window_->findChild<MessageBar *>()->isShowing(); }));
    QVERIFY(window_->findChild<MessageBar *>()->message().what.contains(QStringLiteral("broken.tessera")));
    QCOMPARE(window_->session().count(), 1);
}

void WindowSessionTest::whatWasOpenComesBackAfterACrash() {
    const QString kept = folder_.path(QStringLiteral("kept"));
    window_->startAutosave(kept);
    QImage pasted(30, 20, QImage::Format_RGB888);
    pasted.fill(QColor(10, 200, 90));
    filter("gaussian:sigma=3");
    Image picture(30, 20, {Depth::F32, 3});
    for (int y = 0; y < 20; ++y)
        for (int i = 0; i < 90; ++i)
            picture.view().row<float>(y)[i] = float(i * 20 + y) / 1800;
    const Image original = picture.clone();
    window_->session().openPicture(std::move(picture), QStringLiteral("pasted picture"));
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 2; }));
    filter("sharpen:amount=2");
    const QString file = kept + QStringLiteral("/0/session.json");
    QVERIFY(QTest::qWaitFor([&] { return content(file).contains("sharpen"); }));
    window_.reset(); // the window goes without being closed, as in a crash
    makeWindow();
    window_->startAutosave(kept);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 2 && !window_->session().restoring(); }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->session().documentAt(0)->step()->filter.values.at("sigma"), 3.0);
    QCOMPARE(QString::fromStdString(document().title()), QStringLiteral("pasted picture"));
    QVERIFY(document().path().empty());
    QVERIFY(samePixels(document().picture(), original));
    QCOMPARE(document().step()->filter.values.at("amount"), 2.0);
    QVERIFY(samePixels(result(), expected()));
    QVERIFY(window_->close());
}

void WindowSessionTest::aCleanEndLeavesNothing() {
    const QString kept = folder_.path(QStringLiteral("clean"));
    window_->startAutosave(kept);
    filter("sobel");
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(kept + QStringLiteral("/0/session.json")); }));
    QVERIFY(window_->close());
    QVERIFY(!QFile::exists(kept + QStringLiteral("/0/session.json")));
}

// The real program, killed so that nothing in it can run any more.
void WindowSessionTest::theKilledProgramComesBack() {
    const QString program = QCoreApplication::applicationDirPath() + QStringLiteral("/tessera");
    if (!QFile::exists(program))
        QSKIP("the program itself was not built");
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), folder_.path(QStringLiteral("data")));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder_.path(QStringLiteral("config")));
    process.setProcessEnvironment(environment);
    process.start(
        program, {QStringLiteral("-platform"), QStringLiteral("offscreen"), folder_.path(QStringLiteral("scene.png"))});
    QVERIFY(process.waitForStarted());
    const QDir kept(folder_.path(QStringLiteral("data/Tessera/Tessera/autosave/0")));
    QVERIFY2(QTest::qWaitFor(
                 [&] { return content(kept.filePath(QStringLiteral("session.json"))).contains("scene.png"); }, 30000),
             process.readAllStandardError().constData());
    ::kill(pid_t(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished());
    makeWindow();
    window_->startAutosave(folder_.path(QStringLiteral("data/Tessera/Tessera/autosave")));
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QCOMPARE(QString::fromStdString(document().title()), QStringLiteral("scene.png"));
}

void WindowSessionTest::thePaletteFindsAndRuns() {
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto *palette = window_->findChild<CommandPalette *>();
    QVERIFY(palette);
    const int all = palette->list()->count();
    auto *nothing = palette->findChild<QLabel *>(QStringLiteral("palette.nothing"));
    QVERIFY(palette->list()->isVisible() && !nothing->isVisible());
    palette->field()->setText(QStringLiteral("qqxqq"));
    QCOMPARE(palette->list()->count(), 0);
    QVERIFY(nothing->isVisible() && nothing->text() == QStringLiteral("nothing found"));
    palette->field()->clear();
    QVERIFY(palette->list()->isVisible() && !nothing->isVisible());
    QTest::keyClicks(palette->field(), QStringLiteral("laplac of"));
    QVERIFY(palette->list()->count() >= 1 && palette->list()->count() < all / 4);
    QCOMPARE(palette->list()->item(0)->text(), QStringLiteral("Laplacian of gaussian"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().step()->filter.name, std::string("log"));
    QVERIFY(!matchScore(QStringLiteral("xyz"), QStringLiteral("Zoom in")));
    QVERIFY(*matchScore(QStringLiteral("zoom"), QStringLiteral("View: Zoom in")) <
            *matchScore(QStringLiteral("zmn"), QStringLiteral("View: Zoom in")));
}

void WindowSessionTest::keysAreListed() {
    window_->openShortcuts();
    auto *sheet = window_->findChild<ShortcutSheet *>();
    QVERIFY(sheet);
    QStringList texts;
    for (const QLabel *label : sheet->findChildren<QLabel *>())
        texts << label->text();
    QVERIFY(texts.contains(QStringLiteral("Undo")) && texts.contains(QStringLiteral("Ctrl+Z")) &&
            texts.contains(QStringLiteral("Hold O")));
}

void WindowSessionTest::batchRunsTheChain() {
    filter("emboss");
    const QString folder = folder_.path(QStringLiteral("inputs"));
    QVERIFY(QDir().mkpath(folder));
    for (int i = 0; i < 3; ++i)
        writeScene(folder_, QStringLiteral("inputs/%1.png").arg(i), 50 + i, 40, {Depth::U8, 3});
    put(folder + QStringLiteral("/broken.png"), "no picture");
    window_->openBatch();
    auto *dialog = window_->findChild<BatchDialog *>();
    QVERIFY(dialog);
    dialog->setInputs({folder});
    const QString output = folder_.path(QStringLiteral("outputs"));
    dialog->findChild<QLineEdit *>(QStringLiteral("batch.folder"))->setText(output);
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("batch.start")), Qt::LeftButton);
    QVERIFY(dialog->runner().running());
    QVERIFY(QTest::qWaitFor([&] { return !dialog->runner().running(); }, 60000));
    auto *failures = dialog->findChild<QListWidget *>(QStringLiteral("batch.failures"));
    QVERIFY2(failures->count() == 1, qPrintable(failures->item(0)->text()));
    QVERIFY2(failures->item(0)->text().contains(QStringLiteral("broken.png")), qPrintable(failures->item(0)->text()));
    for (int i = 0; i < 3; ++i) {
        const Image written = loadImage(QStringLiteral("%1/%2-emboss.png").arg(output).arg(i).toStdString());
        const Image source = loadImage(QStringLiteral("%1/%2.png").arg(folder).arg(i).toStdString());
        QVERIFY(samePixels(
            written, runPipeline(source, document().chain().steps, chooseEngine("auto", "auto"), OutputDepth::Keep)));
    }
    // A second run replaces nothing unasked.
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("batch.start")), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !dialog->runner().running(); }, 60000));
    QCOMPARE(failures->count(), 4);
}

} // namespace

QTEST_MAIN(WindowSessionTest)
#include "window_session_test.moc"
