// What the window says and proposes about files: what becomes of a picture that is saved, where to, by which curve it
// is seen again, and whether it is saved at all, also after a crash.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/window/save_dialog.h"

#include <QAction>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTabBar>
#include <QTest>
#include <QThread>

#include <cmath>
#include <limits>

using namespace tessera;

namespace {

class WindowSavingTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void whatIsNoNumberIsCounted();
    void valuesOfAResultAreCountedOnceTheyAreKnown();
    void muchThatIsLostIsSaidWhole();
    void theOtherCurveIsSaid_data();
    void theOtherCurveIsSaid();
    void aFloatPictureSaysItsCurve();
    void proposesThePicturesOwnFolder();
    void whatWasSavedComesBackAsSaved();
    void aFileThatIsGoneSavesNothing();
    void aReopenedPictureIsSavedAsItWas();
    void theMarkIsSeenInANarrowTab();
    void aPictureThatOpensMeanwhileIsNotTheOneSaved();
    void whoIsBusyNoMoreHasSaved();
    void theDialogGoesWithItsPicture();
    void browsingGivesThePath();

private:
    SaveDialog *dialog() { return find<SaveDialog>(); }
    QString note() { return find<QLabel>("save.note")->text(); }
    QString proposed() {
        window_->saveDialog();
        const QString path = find<QLineEdit>("save.path")->text();
        delete dialog();
        return path;
    }
    void save(const QString &path) {
        window_->session().save(path, {.format = {}, .overwrite = true}, OutputDepth::Keep);
        QVERIFY(QTest::qWaitFor([&] { return !document().needsSaving(); }, 20000));
    }
    QString kept() const { return folder_.path(QStringLiteral("kept-") + QLatin1String(QTest::currentTestFunction())); }
    // Until the session that is kept against a crash says so; then a new window takes it over.
    void crashOnce(const char *said, int pictures) {
        QVERIFY(
            QTest::qWaitFor([&] { return content(kept() + QStringLiteral("/0/session.json")).contains(said); }, 20000));
        makeWindow(); // the old window goes without being closed
        window_->startAutosave(kept());
        QVERIFY(QTest::qWaitFor(
            [&] { return window_->session().count() == pictures && !window_->session().restoring(); }, 20000));
        QVERIFY(waitUntilIdle(*window_));
    }
};

void WindowSavingTest::whatIsNoNumberIsCounted() {
    Image image = testScene(8, 4, {Depth::F32, 3});
    float *row = image.view().row<float>(0);
    row[0] = row[4] = row[8] = std::nanf("");
    row[1] = std::numeric_limits<float>::infinity();
    row[2] = -std::numeric_limits<float>::infinity();
    openFile(QStringLiteral("holes.tif"), image);
    window_->saveDialog();
    QVERIFY2(!note().contains(QStringLiteral("NaN")), qPrintable(note())); // floats keep them
    const QString target = folder_.path(QStringLiteral("holes.png"));
    find<QLineEdit>("save.path")->setText(target);
    find<QComboBox>("save.depth")->setCurrentIndex(int(OutputDepth::U16));
    QVERIFY2(note().contains(QStringLiteral("become 0 or 65535.")), qPrintable(note()));
    find<QComboBox>("save.depth")->setCurrentIndex(int(OutputDepth::U8));
    QVERIFY2(note().contains(QStringLiteral("3 values are no numbers (NaN) and become 0.")), qPrintable(note()));
    QVERIFY2(note().contains(QStringLiteral("2 values are infinite and become 0 or 255.")), qPrintable(note()));
    QVERIFY2(!note().contains(QStringLiteral("cut off")), qPrintable(note())); // no finite one is
    QTest::mouseClick(find<QPushButton>("save.accept"), Qt::LeftButton);
    QVERIFY(waitUntilIdle(*window_));
    const Image saved = loadImage(target.toStdString()); // and so they do
    const std::uint8_t *levels = saved.view().row<std::uint8_t>(0);
    QCOMPARE(int(levels[0]) + levels[4] + levels[8], 0);
    QCOMPARE(int(levels[1]), 255);
    QCOMPARE(int(levels[2]), 0);
}

void WindowSavingTest::valuesOfAResultAreCountedOnceTheyAreKnown() {
    Image image = testScene(8, 4, {Depth::F32, 1});
    image.view().row<float>(1)[3] = std::nanf("");
    openFile(QStringLiteral("hole.tif"), image);
    window_->session().edit([](Document &d) { d.setFilter(parseFilter("box:size=3")); });
    window_->saveDialog(); // the filter is still running
    find<QLineEdit>("save.path")->setText(folder_.path(QStringLiteral("hole.png")));
    find<QComboBox>("save.depth")->setCurrentIndex(int(OutputDepth::U8));
    QVERIFY(QTest::qWaitFor([&] { return note().contains(QStringLiteral("9 values are no numbers")); }, 20000));
    delete dialog();
}

void WindowSavingTest::muchThatIsLostIsSaidWhole() {
    SaveSubject subject;
    subject.formatFor = [](OutputDepth depth) {
        return PixelFormat{depth == OutputDepth::U8 ? Depth::U8 : Depth::F32, 3};
    };
    subject.linearLight = true;
    subject.unheld = [] { return FloatValues{300, 20, false, 2}; };
    SaveDialog large(folder_.path(QStringLiteral("x.png")), subject, window_.get());
    large.show();
    large.findChild<QComboBox *>(QStringLiteral("save.depth"))->setCurrentIndex(int(OutputDepth::U8));
    large.findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(folder_.path(QStringLiteral("x.webp")));
    const auto *label = large.findChild<QLabel *>(QStringLiteral("save.note"));
    QCOMPARE(label->text().count(QLatin1Char('\n')), 5); // six reasons
    QTRY_VERIFY(label->height() >= label->heightForWidth(label->width()));
    QVERIFY(large.rect().contains(label->geometry()));
}

void WindowSavingTest::theOtherCurveIsSaid_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<int>("depth");
    QTest::addColumn<QString>("to");
    QTest::addColumn<OutputDepth>("as");
    QTest::addColumn<QString>("looks"); // empty: nothing is said
    const QString same, darker = QStringLiteral("darker"), paler = QStringLiteral("paler");
    const auto row = [](const char *from, Depth depth, const char *to, OutputDepth as, const QString &looks) {
        QTest::addRow("%s to %s", from, to)
            << QString::fromLatin1(from) << int(depth) << QString::fromLatin1(to) << as << looks;
    };
    row("a.pfm", Depth::F32, "b.png", OutputDepth::U8, darker);
    row("a.pfm", Depth::F32, "b.tif", OutputDepth::Keep, darker);
    row("a.pfm", Depth::F32, "b.hdr", OutputDepth::Keep, same);
    row("a.png", Depth::U8, "b.pfm", OutputDepth::F32, paler);
    row("a.tif", Depth::F32, "b.pfm", OutputDepth::Keep, paler);
    row("a.tif", Depth::F32, "b.png", OutputDepth::U8, same);
    row("a.png", Depth::U8, "b.jpg", OutputDepth::Keep, same);
}

void WindowSavingTest::theOtherCurveIsSaid() {
    QFETCH(QString, from);
    QFETCH(int, depth);
    QFETCH(QString, to);
    QFETCH(OutputDepth, as);
    QFETCH(QString, looks);
    open(from, 20, 10, {Depth(depth), 3});
    window_->saveDialog();
    find<QLineEdit>("save.path")->setText(folder_.path(to));
    find<QComboBox>("save.depth")->setCurrentIndex(int(as));
    QVERIFY2(find<QPushButton>("save.accept")->isEnabled(), qPrintable(note()));
    for (const char *word : {"darker", "paler"})
        QVERIFY2(note().contains(QLatin1String(word)) == (looks == QLatin1String(word)), qPrintable(note()));
    QCOMPARE(note().contains(QStringLiteral("linear light")), !looks.isEmpty());
    delete dialog();
}

void WindowSavingTest::aFloatPictureSaysItsCurve() {
    const auto format = [&] {
        for (QLabel *label : window_->findChildren<QLabel *>())
            if (label->text().startsWith(QStringLiteral("20 × 10 · ")))
                return label;
        return static_cast<QLabel *>(nullptr);
    };
    open(QStringLiteral("c.pfm"), 20, 10, {Depth::F32, 3});
    QVERIFY(format());
    QVERIFY2(format()->text().endsWith(QStringLiteral("linear light")), qPrintable(format()->text()));
    QVERIFY(format()->toolTip().contains(QStringLiteral("through the sRGB curve")));
    open(QStringLiteral("c.tif"), 20, 10, {Depth::F32, 3});
    QVERIFY(!format()->text().contains(QStringLiteral("linear light")));
    QVERIFY(format()->toolTip().contains(QStringLiteral("as they are stored")));
    open(QStringLiteral("c.png"), 20, 10, {Depth::U8, 3});
    QVERIFY(format()->toolTip().isEmpty());
}

void WindowSavingTest::proposesThePicturesOwnFolder() {
    QVERIFY(QDir().mkpath(folder_.path(QStringLiteral("pics/folder"))));
    open(QStringLiteral("pics/one.png"));
    open(QStringLiteral("pics/folder/p03.jpg")); // the folder that was used last
    window_->session().setCurrentIndex(0);
    filter("emboss");
    QCOMPARE(proposed(), folder_.path(QStringLiteral("pics/one-emboss.png")));
    QVERIFY(QDir().mkpath(folder_.path(QStringLiteral("results"))));
    save(folder_.path(QStringLiteral("results/one.png")));
    filter("sobel");
    QCOMPARE(proposed(), folder_.path(QStringLiteral("results/one-sobel.png"))); // where it was saved before
    window_->session().setCurrentIndex(1);
    QCOMPARE(QFileInfo(proposed()).path(), folder_.path(QStringLiteral("pics/folder")));
    window_->session().openPicture(testScene(30, 20, {Depth::U8, 3}), QStringLiteral("pasted picture"));
    QTRY_COMPARE(window_->session().count(), 3);
    QCOMPARE(QFileInfo(proposed()).path(), folder_.path(QStringLiteral("results"))); // it has none of its own
}

void WindowSavingTest::whatWasSavedComesBackAsSaved() {
    window_->startAutosave(kept());
    open(QStringLiteral("saved.png"));
    filter("emboss");
    save(folder_.path(QStringLiteral("saved-emboss.png")));
    open(QStringLiteral("unsaved.png"));
    filter("sobel");
    for (int crash = 0; crash < 2; ++crash) {
        crashOnce("sobel", 2);
        QVERIFY(!window_->session().documentAt(0)->needsSaving());
        QVERIFY(window_->session().documentAt(1)->needsSaving());
        const auto *tabs = find<QTabBar>();
        QVERIFY(!tabs->tabText(0).contains(QStringLiteral("•")) && tabs->tabText(1).contains(QStringLiteral("•")));
    }
    window_->session().setCurrentIndex(0);
    QVERIFY(waitUntilIdle(*window_));
    filter("box"); // another result, which is in no file
    QVERIFY(document().needsSaving());
    crashOnce("box", 2);
    QVERIFY(window_->session().documentAt(0)->needsSaving());
}

void WindowSavingTest::aFileThatIsGoneSavesNothing() {
    window_->startAutosave(kept());
    open(QStringLiteral("gone.png"));
    filter("emboss");
    const QString result = folder_.path(QStringLiteral("gone-emboss.png"));
    save(result);
    QVERIFY(QFile::remove(result));
    crashOnce("saved_in", 1);
    QVERIFY(document().needsSaving());
}

void WindowSavingTest::aReopenedPictureIsSavedAsItWas() {
    open(QStringLiteral("again.png"));
    filter("emboss");
    const QString result = folder_.path(QStringLiteral("again-emboss.png"));
    save(result);
    const auto reopen = [&] {
        window_->session().closeDocument(0);
        window_->session().reopenClosed();
        return QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000) && waitUntilIdle(*window_);
    };
    QVERIFY(reopen());
    QVERIFY(!document().needsSaving());
    window_->session().closeDocument(0);
    window_->session().fileReplaced(result); // it holds something else now
    window_->session().reopenClosed();
    QTRY_COMPARE(window_->session().count(), 1);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().needsSaving());
}

void WindowSavingTest::theMarkIsSeenInANarrowTab() {
    open(QStringLiteral("a-picture-with-quite-a-long-name-that-no-tab-has-room-for.png"));
    filter("emboss");
    auto *tabs = find<QTabBar>();
    const QString cut = tabs->fontMetrics().elidedText(tabs->tabText(0), tabs->elideMode(), 60);
    QVERIFY2(cut != tabs->tabText(0) && cut.contains(QStringLiteral("•")), qPrintable(cut));
}

void WindowSavingTest::aPictureThatOpensMeanwhileIsNotTheOneSaved() {
    open(QStringLiteral("first.png"), 40, 30);
    filter("emboss");
    const Image first = expected();
    const QString target = folder_.path(QStringLiteral("of-the-first.png"));
    window_->saveDialog();
    find<QLineEdit>("save.path")->setText(target);
    open(QStringLiteral("second.png"), 60, 50); // named at the start, or dropped before the dialog came
    QCOMPARE(window_->session().currentIndex(), 1);
    QTest::mouseClick(find<QPushButton>("save.accept"), Qt::LeftButton);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(loadImage(target.toStdString()), first));
    QVERIFY(!window_->session().documentAt(0)->needsSaving());
    QCOMPARE(proposed(), folder_.path(QStringLiteral("second.png"))); // what was chosen is not proposed for it
    window_->session().setCurrentIndex(0);
    QCOMPARE(proposed(), target);
}

// The file is there a moment before the picture is told so: until then the session is busy.
void WindowSavingTest::whoIsBusyNoMoreHasSaved() {
    open(QStringLiteral("told.png"), 40, 30);
    filter("emboss");
    Session &session = window_->session();
    std::vector<bool> unsaved; // whenever the session says that it has come to rest
    const auto watch = connect(&session, &Session::runStateChanged, this, [&] {
        if (!session.busyWithFiles())
            unsaved.push_back(document().needsSaving());
    });
    const QString target = folder_.path(QStringLiteral("told-saved.png"));
    session.save(target, {}, OutputDepth::Keep);
    const QDeadlineTimer patience(20000);
    while (!QFile::exists(target) && !patience.hasExpired())
        QThread::msleep(5); // and no event comes through meanwhile
    QThread::msleep(100);
    QVERIFY(QFile::exists(target) && document().needsSaving());
    QVERIFY(session.busyWithFiles());
    QVERIFY(waitUntilIdle(*window_));
    disconnect(watch);
    QVERIFY(!document().needsSaving());
    QCOMPARE(unsaved, std::vector<bool>{false});
    // What is given up before its turn comes to an end as well.
    session.openFiles({target, target, target});
    session.cancel();
    QVERIFY(waitUntilIdle(*window_));
}

void WindowSavingTest::theDialogGoesWithItsPicture() {
    open(QStringLiteral("other.png"), 40, 30);
    open(QStringLiteral("mine.png"), 40, 30);
    filter("emboss");
    window_->saveDialog();
    const QPointer<SaveDialog> asked = dialog();
    window_->session().closeDocument(0);
    QVERIFY(asked && asked->isVisible()); // another one's place is not its own
    window_->session().closeDocument(0);
    QCOMPARE(window_->session().count(), 0);
    QVERIFY(QTest::qWaitFor([&] { return !asked; }));
}

void WindowSavingTest::browsingGivesThePath() {
    open(QStringLiteral("mine.png"), 40, 30);
    const QString there = writeScene(folder_, QStringLiteral("there.tif"), 40, 30, {Depth::U8, 3});
    window_->saveDialog();
    QTest::mouseClick(find<QPushButton>("save.browse"), Qt::LeftButton);
    auto *browser = dialog()->findChild<QFileDialog *>();
    QVERIFY(browser && browser->isVisible());
    QCOMPARE(browser->selectedFiles(), QStringList{folder_.path(QStringLiteral("mine.png"))});
    browser->selectFile(there);
    static_cast<QDialog *>(browser)->accept(); // that it exists is said in the dialog itself
    QCOMPARE(find<QLineEdit>("save.path")->text(), there);
    QCOMPARE(find<QComboBox>("save.format")->currentData().toString(), QStringLiteral("tiff"));
    QTest::mouseClick(find<QPushButton>("save.browse"), Qt::LeftButton);
    const QPointer<SaveDialog> asked = dialog();
    window_->session().closeDocument(0); // both go with the picture
    QVERIFY(QTest::qWaitFor([&] { return !asked; }));
}

} // namespace

QTEST_MAIN(WindowSavingTest)
#include "window_saving_test.moc"
