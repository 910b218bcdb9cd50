// Before something is lost, the window asks.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/panels/batch_dialog.h"
#include "ui/window/save_dialog.h"
#include "ui/window/theme.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <QTest>

using namespace tessera;

namespace {

class WindowClosingTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void asksOnlyWhereSomethingWouldBeLost();
    void keepsOpenOrDiscards();
    void savesAndCloses();
    void aPastedPictureIsAskedFor();
    void theWindowAsksOnceForAll();
    void manyAreAskedForInBrief();
    void waitsForAFileThatIsBeingSaved();
    void aBatchUnderWayIsAskedFor();
    void aClosedPictureComesBack();
    void savingOverItsOwnFile();
    void anOriginalThatWasReplacedIsAskedFor();
    void anotherPicturesFileIsReplaced();
    void aResultThatWasReplacedIsAskedFor();
    void aBatchReplacesTheFileOfAnOpenPicture();
    void aClosedPictureIsNotFilteredTwice();

private:
    // By the dialog; returns what it warned of, in the colour of warnings or not.
    QString saveAs(const QString &path, bool &warning);
};

void WindowClosingTest::init() {
    makeWindow();
    window_->setAsksBeforeClosing(true);
}

void WindowClosingTest::cleanup() { window_.reset(); }

void WindowClosingTest::asksOnlyWhereSomethingWouldBeLost() {
    open();
    filter("sobel");
    window_->session().undo(); // nothing is done to it any more
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!window_->isWindowModified());
    QVERIFY(window_->close()); // without a question, which would hang here
}

void WindowClosingTest::keepsOpenOrDiscards() {
    open();
    filter("sobel");
    QVERIFY(window_->isWindowModified());
    answerNext(QStringLiteral("Keep"));
    QVERIFY(!window_->close());
    QVERIFY2(asked_.contains(QStringLiteral("scene.png")), qPrintable(asked_));
    QCOMPARE(window_->session().count(), 1);
    answerNext(QStringLiteral("Close without"));
    find<QAction>(QStringLiteral("file.close"))->trigger();
    QVERIFY(!asked_.isEmpty());
    QCOMPARE(window_->session().count(), 0);
}

void WindowClosingTest::savesAndCloses() {
    open();
    filter("sobel");
    answerNext(QStringLiteral("Save"));
    QVERIFY(!window_->close());
    auto *dialog = find<SaveDialog>();
    QVERIFY(dialog);
    const QString target = folder_.path(QStringLiteral("before-closing.png"));
    dialog->findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(target);
    const Image wanted = expected();
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("save.accept")), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !window_->isVisible(); }, 20000));
    QVERIFY(samePixels(loadImage(target.toStdString()), wanted));
}

void WindowClosingTest::aPastedPictureIsAskedFor() {
    QImage picture(40, 30, QImage::Format_RGB888);
    picture.fill(QColor(200, 100, 50));
    QApplication::clipboard()->setImage(picture);
    window_->paste();
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }));
    QVERIFY(window_->isWindowModified());
    answerNext(QStringLiteral("Keep"));
    find<QAction>(QStringLiteral("file.close"))->trigger();
    QCOMPARE(window_->session().count(), 1);
    window_->session().save(folder_.path(QStringLiteral("pasted.png")), {}, OutputDepth::Keep);
    QVERIFY(QTest::qWaitFor([&] { return !window_->isWindowModified(); }));
    find<QAction>(QStringLiteral("file.close"))->trigger();
    QCOMPARE(window_->session().count(), 0);
}

void WindowClosingTest::theWindowAsksOnceForAll() {
    open(QStringLiteral("first.png"));
    filter("sobel");
    open(QStringLiteral("second.png"));
    open(QStringLiteral("third.png"));
    filter("emboss");
    auto *tabs = find<QTabBar>();
    QVERIFY(tabs->tabText(0).contains(QStringLiteral("•")) && !tabs->tabText(1).contains(QStringLiteral("•")));
    answerNext(QStringLiteral("Keep"));
    QVERIFY(!window_->close());
    QVERIFY(asked_.contains(QStringLiteral("first.png")) && asked_.contains(QStringLiteral("third.png")));
    QVERIFY(!asked_.contains(QStringLiteral("second.png")));
    answerNext(QStringLiteral("Close without"));
    QVERIFY(window_->close());
    QVERIFY(!asked_.isEmpty());
}

// "%2" is where a text takes its second word, and no place in a name.
void WindowClosingTest::manyAreAskedForInBrief() {
    for (const char *name : {"50%2.png", "b.png", "c.png", "d.png", "e.png"}) {
        open(QString::fromLatin1(name), 40, 30);
        filter("sobel");
    }
    answerNext(QStringLiteral("Keep"));
    QVERIFY(!window_->close());
    QCOMPARE(asked_, QStringLiteral("50%2.png, b.png, c.png and 2 more are not saved.\n"
                                    "What was done is lost when they are closed."));
}

void WindowClosingTest::waitsForAFileThatIsBeingSaved() {
    open(QStringLiteral("large.png"), 1500, 1100);
    filter("gaussian:sigma=2");
    const QString target = folder_.path(QStringLiteral("slow.png"));
    window_->session().save(target, {}, OutputDepth::U16);
    QVERIFY(window_->session().saving());
    QVERIFY(!window_->close()); // not yet
    QVERIFY(QTest::qWaitFor([&] { return !window_->isVisible(); }, 60000));
    QVERIFY(loadImage(target.toStdString()).format().depth == Depth::U16);
}

void WindowClosingTest::aBatchUnderWayIsAskedFor() {
    open();
    filter("disk:radius=15");
    QStringList inputs;
    for (int i = 0; i < 12; ++i)
        inputs << writeScene(folder_, QStringLiteral("in%1.png").arg(i), 1500, 1000, {Depth::U16, 3});
    window_->openBatch();
    auto *dialog = find<BatchDialog>();
    dialog->setInputs(inputs);
    const QString output = folder_.path(QStringLiteral("half"));
    dialog->findChild<QLineEdit *>(QStringLiteral("batch.folder"))->setText(output);
    auto *start = dialog->findChild<QPushButton *>(QStringLiteral("batch.start"));
    QTest::mouseClick(start, Qt::LeftButton);
    QVERIFY(dialog->runner().running());
    window_->openBatch(); // does not start another beside it
    QCOMPARE(window_->findChildren<BatchDialog *>().size(), 1);
    answerNext(QStringLiteral("Go on"));
    QVERIFY(!dialog->close());
    QVERIFY(dialog->isVisible());
    QTest::mouseClick(start, Qt::LeftButton); // now it says Cancel
    QVERIFY(QTest::qWaitFor([&] { return !dialog->runner().running(); }, 60000));
    const QString state = dialog->findChild<QLabel *>(QStringLiteral("batch.state"))->text();
    QVERIFY2(state.startsWith(QStringLiteral("Cancelled")), qPrintable(state));
    // What is there is whole.
    const QFileInfoList written = QDir(output).entryInfoList({QStringLiteral("*.png")}, QDir::Files);
    QVERIFY(written.size() < inputs.size());
    for (const QFileInfo &file : written)
        QCOMPARE(loadImage(file.filePath().toStdString()).width(), 1500);
    QVERIFY(dialog->close());
}

void WindowClosingTest::aClosedPictureComesBack() {
    auto *reopen = find<QAction>(QStringLiteral("file.reopen"));
    QVERIFY(!reopen->isEnabled());
    open();
    filter("gaussian:sigma=2.5");
    window_->session().closeDocument(0);
    QVERIFY(reopen->isEnabled());
    QTest::keyClick(window_.get(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().step()->filter.values.at("sigma"), 2.5);
    QVERIFY(samePixels(*shown(), expected()));
    QVERIFY(!reopen->isEnabled());
    window_->setAsksBeforeClosing(false);
}

// A restored session must not filter a result once more.
void WindowClosingTest::savingOverItsOwnFile() {
    open();
    filter("gaussian:sigma=2");
    const QString own = folder_.path(QStringLiteral("scene.png"));
    QTest::keyClick(window_.get(), Qt::Key_S, Qt::ControlModifier);
    auto *dialog = find<SaveDialog>();
    dialog->findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(own);
    QVERIFY(dialog->findChild<QLabel *>(QStringLiteral("save.note"))->text().contains(QStringLiteral("that is open")));
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("save.accept")), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !window_->isWindowModified(); }, 20000));
    QVERIFY(samePixels(loadImage(own.toStdString()), expected()));
    QVERIFY(document().path().empty()); // kept by its pixels from here on, not by its name
    QVERIFY(samePixels(document().picture(), testScene(160, 120, {Depth::U8, 3})));
}

QString WindowClosingTest::saveAs(const QString &path, bool &warning) {
    find<QAction>(QStringLiteral("file.save"))->trigger();
    auto *dialog = find<SaveDialog>();
    if (!dialog)
        return QStringLiteral("no dialog");
    dialog->findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(path);
    const auto *note = dialog->findChild<QLabel *>(QStringLiteral("save.note"));
    warning = note->palette().color(QPalette::WindowText) == theme().warning;
    const QString text = note->text();
    bool done = false;
    const auto watch = connect(&window_->session(), &Session::saved, this, [&] { done = true; });
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("save.accept")), Qt::LeftButton);
    const bool saved = QTest::qWaitFor([&] { return done && !find<SaveDialog>(); }, 20000);
    disconnect(watch);
    return saved ? text : QStringLiteral("not saved");
}

// Its file holds the result, and the picture itself is in memory alone.
void WindowClosingTest::anOriginalThatWasReplacedIsAskedFor() {
    open();
    filter("box");
    const QString own = folder_.path(QStringLiteral("scene.png"));
    bool warning = false;
    const QString note = saveAs(own, warning);
    QVERIFY2(note.contains(QStringLiteral("that is open")) && warning, qPrintable(note));
    QVERIFY(!document().needsSaving()); // what is shown is in the file
    window_->session().undo();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(window_->isWindowModified());
    QVERIFY(find<QTabBar>()->tabText(0).contains(QStringLiteral("•")));
    answerNext(QStringLiteral("Keep"));
    find<QAction>(QStringLiteral("file.close"))->trigger();
    QCOMPARE(window_->session().count(), 1);
    QVERIFY(asked_.contains(QStringLiteral("scene.png")));
    window_->session().redo();
    QVERIFY(!document().needsSaving());
    window_->session().undo();
    saveAs(own, warning); // the picture itself comes back into its file
    QVERIFY(!document().needsSaving());
    QVERIFY(samePixels(loadImage(own.toStdString()), testScene(160, 120, {Depth::U8, 3})));
    QVERIFY(window_->close());
}

void WindowClosingTest::anotherPicturesFileIsReplaced() {
    open(QStringLiteral("ch.png"), 50, 40);
    const QString other = folder_.path(QStringLiteral("ch.png"));
    const QString link = folder_.path(QStringLiteral("link.png"));
    QVERIFY(QFile::link(other, link));
    open(QStringLiteral("pa.png"));
    filter("sobel");
    bool warning = false;
    QString note = saveAs(folder_.path(QStringLiteral("free.png")), warning);
    QVERIFY2(!note.contains(QStringLiteral("open")) && !warning, qPrintable(note));
    filter("emboss");
    note = saveAs(link, warning);
    QVERIFY2(note.contains(QStringLiteral("another picture that is open")) && warning, qPrintable(note));
    QVERIFY(window_->session().documentAt(0)->needsSaving());
    QVERIFY(!window_->session().documentAt(1)->needsSaving());
    auto *tabs = find<QTabBar>();
    QVERIFY(tabs->tabText(0).contains(QStringLiteral("•")) && !tabs->tabText(1).contains(QStringLiteral("•")));
    answerNext(QStringLiteral("Keep"));
    emit tabs->tabCloseRequested(0);
    QCOMPARE(window_->session().count(), 2);
    QVERIFY2(asked_.contains(QStringLiteral("ch.png")), qPrintable(asked_));
    window_->setAsksBeforeClosing(false);
}

// One picture's result goes where another's was saved: that one is in no file any more.
void WindowClosingTest::aResultThatWasReplacedIsAskedFor() {
    const QString result = folder_.path(QStringLiteral("result.png"));
    open(QStringLiteral("first.png"));
    filter("sobel");
    bool warning = false;
    saveAs(result, warning);
    QVERIFY(!document().needsSaving());
    open(QStringLiteral("second.png"), 60, 40);
    filter("emboss");
    QVERIFY(saveAs(result, warning).contains(QStringLiteral("another picture")) && warning);
    QVERIFY(window_->session().documentAt(0)->needsSaving());
    QVERIFY(!window_->session().documentAt(1)->needsSaving());
    window_->setAsksBeforeClosing(false);
}

void WindowClosingTest::aBatchReplacesTheFileOfAnOpenPicture() {
    open(QStringLiteral("victim.png"));
    filter("sobel");
    window_->session().undo();
    QVERIFY(!document().needsSaving());
    const QString elsewhere = folder_.path(QStringLiteral("elsewhere"));
    QVERIFY(QDir().mkpath(elsewhere));
    window_->session().redo();
    const QString input = writeScene(folder_, QStringLiteral("elsewhere/victim.png"), 40, 30, {Depth::U8, 3});
    window_->openBatch();
    auto *dialog = find<BatchDialog>();
    dialog->setInputs({input});
    dialog->findChild<QLineEdit *>(QStringLiteral("batch.folder"))->setText(folder_.path(QString()));
    dialog->findChild<QLineEdit *>(QStringLiteral("batch.names"))->setText(QStringLiteral("{stem}.{ext}"));
    dialog->findChild<QCheckBox *>(QStringLiteral("batch.overwrite"))->setChecked(true);
    answerNext(QStringLiteral("Replace"));
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("batch.start")), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !dialog->runner().running(); }, 20000));
    QVERIFY2(asked_.contains(QStringLiteral("victim.png")), qPrintable(asked_));
    QCOMPARE(loadImage(folder_.path(QStringLiteral("victim.png")).toStdString()).width(), 40);
    window_->session().undo();
    QVERIFY(document().needsSaving());
    window_->setAsksBeforeClosing(false);
    dialog->close();
}

void WindowClosingTest::aClosedPictureIsNotFilteredTwice() {
    open(QStringLiteral("twice.png"));
    filter("sobel");
    bool warning = false;
    saveAs(folder_.path(QStringLiteral("safe.png")), warning);
    find<QAction>(QStringLiteral("file.close"))->trigger();
    QVERIFY(window_->session().canReopen());
    open(QStringLiteral("third.png"));
    filter("emboss");
    saveAs(folder_.path(QStringLiteral("twice.png")), warning);
    QVERIFY(!window_->session().canReopen());
    QVERIFY(!find<QAction>(QStringLiteral("file.reopen"))->isEnabled());
    window_->setAsksBeforeClosing(false);
}

} // namespace

QTEST_MAIN(WindowClosingTest)
#include "window_closing_test.moc"
