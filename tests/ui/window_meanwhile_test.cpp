// What happens behind the window's back, and what it says of it: pictures that change or go between two sessions, files
// that appear while a dialog is open, openings that fail; and what is not lost where one might think so.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/bridge/file_name.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/message_bar.h"
#include "ui/window/save_dialog.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>

using namespace tessera;

namespace {

constexpr int patienceMs = 30000;

class WindowMeanwhileTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aChangedPictureOfASessionIsTold();
    void sessionsThatKnowNoDigestOpen();
    void aMissingPictureOfASessionIsTold();
    void aPictureThatChangesBehindACrashIsTold();
    void aClosedPictureThatIsGoneCanBeReopenedLater();
    void aFileThatAppearsIsNotReplacedUnasked();
    void aPictureThatOpensMeanwhileIsNamed();
    void aTildeIsTheUsersFolder();
    void noFolderThatTakesNothingIsProposed();
    void aBatchKeepsItsFailuresForAnotherChain();
    void aNoteOutlivesAnOpeningThatFails();
    void noMessageIsHiddenForOne();
    void closingSaysWhatComesBack();

private:
    MessageBar &bar() { return *find<MessageBar>(); }
    QString text() { return bar().isShowing() ? bar().accessibleDescription() : QString(); }
    QString path(const char *name) { return folder_.path(QLatin1String(name)); }
    SaveDialog *dialog() { return find<SaveDialog>(); }
    QString note() { return find<QLabel>("save.note")->text(); }
    QPushButton *accept() { return find<QPushButton>("save.accept"); }
    QString saveSession() {
        const QString file = path("work.tessera");
        window_->session().saveSession(file);
        [&] { QVERIFY(waitUntilIdle(*window_)); }();
        return file;
    }
    void openSession(const QString &file, int pictures) {
        makeWindow();
        window_->session().openSession(file);
        QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == pictures; }, patienceMs));
        QVERIFY(waitUntilIdle(*window_));
    }
};

// Of two pictures the one that is another now, by its pixels: a file that was only written anew is the same.
void WindowMeanwhileTest::aChangedPictureOfASessionIsTold() {
    open(QStringLiteral("same.png"));
    open(QStringLiteral("other.png"));
    filter("gaussian:sigma=2");
    window_->session().edit([](Document &d) { d.setArea(Rectangle{100, 80, 60, 40}); });
    const QString file = saveSession();
    writeScene(folder_, QStringLiteral("same.png"), 160, 120, {Depth::U8, 3});
    writeScene(folder_, QStringLiteral("other.png"), 110, 90, {Depth::U8, 3});
    openSession(file, 2);
    QVERIFY2(text().contains(QStringLiteral("other.png has changed since")), qPrintable(text()));
    QVERIFY2(text().contains(QStringLiteral("filters were kept")), qPrintable(text()));
    QVERIFY2(!text().contains(QStringLiteral("same.png")), qPrintable(text()));
    QCOMPARE(document().picture().width(), 110);
    QCOMPARE(document().step()->filter.values.at("sigma"), 2.0);
    window_->session().edit([](Document &d) { d.setArea(std::nullopt); });
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowMeanwhileTest::sessionsThatKnowNoDigestOpen() {
    open(QStringLiteral("old.png"));
    filter("emboss");
    const QString file = saveSession();
    QByteArray written = content(file);
    QVERIFY(written.contains("\"digest\""));
    put(file,
        QString::fromUtf8(written).remove(QRegularExpression(QStringLiteral("\\s*\"digest\": \"[^\"]*\","))).toUtf8());
    QVERIFY(!content(file).contains("digest"));
    writeScene(folder_, QStringLiteral("old.png"), 50, 40, {Depth::U8, 3});
    openSession(file, 1);
    QVERIFY2(!bar().isShowing(), qPrintable(text()));
    QCOMPARE(document().step()->filter.name, std::string("emboss"));
    put(file, QByteArray(written).replace("\"digest\": \"", "\"digest\": \"x")); // damaged: refused, and no crash
    makeWindow();
    window_->session().openSession(file);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(text().contains(QStringLiteral("digest")), qPrintable(text()));
}

void WindowMeanwhileTest::aMissingPictureOfASessionIsTold() {
    open(QStringLiteral("gone.png"));
    open(QStringLiteral("also gone.png"));
    open(QStringLiteral("there.png"));
    filter("sobel");
    const QString file = saveSession();
    QVERIFY(QFile::remove(path("gone.png")) && QFile::remove(path("also gone.png")));
    openSession(file, 1);
    QVERIFY(waitUntilIdle(*window_));
    for (const char *name : {"gone.png", "also gone.png"})
        QVERIFY2(text().contains(QStringLiteral("The picture %1 was not opened").arg(QLatin1String(name))) ||
                     text().contains(QLatin1String(name)),
                 qPrintable(text()));
    QCOMPARE(text().count(QStringLiteral("he session's file still has its filters")), 2);
    QVERIFY(content(file).contains("also gone.png")); // and so it has
}

// The saved result belongs to the picture as it was: nothing holds what is shown now.
void WindowMeanwhileTest::aPictureThatChangesBehindACrashIsTold() {
    const QString kept = path("kept");
    window_->startAutosave(kept);
    open(QStringLiteral("behind.png"));
    filter("emboss");
    window_->session().save(path("result.png"), {}, OutputDepth::Keep);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return content(kept + QStringLiteral("/0/session.json")).contains("result.png"); },
                            patienceMs));
    writeScene(folder_, QStringLiteral("behind.png"), 70, 50, {Depth::U8, 3});
    makeWindow();
    window_->startAutosave(kept);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, patienceMs));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(text().contains(QStringLiteral("behind.png has changed since")), qPrintable(text()));
    QVERIFY2(text().contains(QStringLiteral("result.png still has the result")), qPrintable(text()));
    QVERIFY(document().needsSaving());
    QVERIFY(window_->close());
}

void WindowMeanwhileTest::aClosedPictureThatIsGoneCanBeReopenedLater() {
    auto *reopen = find<QAction>("file.reopen");
    open(QStringLiteral("first.png"));
    open(QStringLiteral("last.png"));
    filter("emboss");
    window_->session().closeDocument(0);
    window_->session().closeDocument(0);
    const QByteArray bytes = content(path("last.png"));
    QVERIFY(QFile::remove(path("last.png")));
    reopen->trigger();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(text().contains(QStringLiteral("last.png")) && text().contains(QStringLiteral("filters are kept")),
             qPrintable(text()));
    QVERIFY(reopen->isEnabled());
    reopen->trigger(); // the other one first
    QTRY_COMPARE(window_->session().count(), 1);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(QString::fromStdString(document().title()), QStringLiteral("first.png"));
    put(path("last.png"), bytes);
    reopen->trigger();
    QTRY_COMPARE(window_->session().count(), 2);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().step()->filter.name, std::string("emboss"));
    QVERIFY(!reopen->isEnabled());
}

void WindowMeanwhileTest::aFileThatAppearsIsNotReplacedUnasked() {
    open();
    filter("sobel");
    window_->saveDialog();
    const QString target = path("appears.png");
    find<QLineEdit>("save.path")->setText(target);
    QCOMPARE(accept()->text().remove(QLatin1Char('&')), QStringLiteral("Save"));
    put(target, "of another program");
    QTest::mouseClick(accept(), Qt::LeftButton);
    QVERIFY(dialog() && dialog()->isVisible() && !window_->session().saving());
    QVERIFY2(note().contains(QStringLiteral("has come meanwhile")), qPrintable(note()));
    QCOMPARE(accept()->text().remove(QLatin1Char('&')), QStringLiteral("Replace"));
    QCOMPARE(content(target), QByteArray("of another program"));
    find<QLineEdit>("save.path")->setText(target + QLatin1Char('x')); // another name, and this one again
    find<QLineEdit>("save.path")->setText(target);
    QVERIFY2(note().contains(QStringLiteral("exists and will be replaced")), qPrintable(note()));
    QTest::mouseClick(accept(), Qt::LeftButton); // now it was said
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(loadImage(target.toStdString()), expected()));
    // What comes once the button was pressed is not replaced either.
    const QString late = path("late.png");
    put(late, "later still");
    window_->session().save(late, {}, OutputDepth::Keep);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(content(late), QByteArray("later still"));
    QVERIFY2(text().contains(QStringLiteral("late.png")), qPrintable(text()));
}

void WindowMeanwhileTest::aPictureThatOpensMeanwhileIsNamed() {
    open();
    filter("sobel");
    const QString target = writeScene(folder_, QStringLiteral("victim.png"), 50, 40, {Depth::U8, 3});
    window_->saveDialog();
    find<QLineEdit>("save.path")->setText(target);
    QVERIFY2(!note().contains(QStringLiteral("that is open")), qPrintable(note()));
    QVERIFY(openAndWait(*window_, target)); // dropped, or named by a second start
    QVERIFY2(note().contains(QStringLiteral("another picture that is open")), qPrintable(note()));
    // The same where it comes through a link that the dialog does not hear of.
    const QString link = path("link.png");
    find<QLineEdit>("save.path")->setText(link);
    QVERIFY(QFile::link(target, link));
    QTest::mouseClick(accept(), Qt::LeftButton);
    QVERIFY(dialog()->isVisible() && !window_->session().saving());
    QVERIFY2(note().contains(QStringLiteral("another picture that is open")), qPrintable(note()));
    dialog()->reject();
}

void WindowMeanwhileTest::aTildeIsTheUsersFolder() {
    const QByteArray home = qgetenv("HOME");
    QVERIFY(QDir().mkpath(path("home")));
    qputenv("HOME", path("home").toLocal8Bit());
    const auto back = qScopeGuard([&] { qputenv("HOME", home); });
    QCOMPARE(typedPath(QStringLiteral(" ~ ")), path("home"));
    QCOMPARE(typedPath(QStringLiteral("~/a b.png")), path("home/a b.png"));
    for (const char *name : {"~a.png", "/~/a.png", "a/~", ""}) // names of their own
        QCOMPARE(typedPath(QLatin1String(name)), QLatin1String(name));
    open();
    filter("sobel");
    window_->saveDialog();
    find<QLineEdit>("save.path")->setText(QStringLiteral("~/mine.png"));
    QVERIFY2(accept()->isEnabled(), qPrintable(note()));
    QTest::mouseClick(accept(), Qt::LeftButton);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(loadImage(path("home/mine.png").toStdString()), expected()));
    window_->openBatch();
    auto *batch = find<BatchDialog>();
    batch->setInputs({path("scene.png")});
    batch->findChild<QLineEdit *>(QStringLiteral("batch.folder"))->setText(QStringLiteral("~/batch"));
    QTest::mouseClick(batch->findChild<QPushButton *>(QStringLiteral("batch.start")), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !batch->runner().running(); }, patienceMs));
    QVERIFY(QFile::exists(path("home/batch/scene-sobel.png")));
}

// Where all may write and nothing can be.
void WindowMeanwhileTest::noFolderThatTakesNothingIsProposed() {
    if (!QFileInfo(QStringLiteral("/proc/self")).isDir())
        QSKIP("no /proc here");
    QVERIFY(canHoldFiles(path("not there yet")));
    QVERIFY(!canHoldFiles(QStringLiteral("/proc")));
    QVERIFY(!canHoldFiles(QStringLiteral("/proc/filtered")));
    open();
    filter("sobel");
    window_->openBatch();
    find<BatchDialog>()->setInputs({QStringLiteral("/proc/self")});
    const QString proposed = find<QLineEdit>("batch.folder")->text();
    QVERIFY2(!proposed.startsWith(QStringLiteral("/proc")), qPrintable(proposed));
    window_->saveDialog();
    find<QLineEdit>("save.path")->setText(QStringLiteral("/proc/x.png"));
    if (accept()->isEnabled()) // who may write everywhere is let, and fails
        QTest::mouseClick(accept(), Qt::LeftButton);
    else
        dialog()->reject();
    QVERIFY(waitUntilIdle(*window_));
    QTRY_VERIFY(!dialog());
    window_->saveDialog();
    const QString next = find<QLineEdit>("save.path")->text();
    QVERIFY2(!next.startsWith(QStringLiteral("/proc")), qPrintable(next));
    dialog()->reject();
}

void WindowMeanwhileTest::aBatchKeepsItsFailuresForAnotherChain() {
    open();
    filter("sobel");
    put(path("broken.png"), "no picture");
    window_->openBatch();
    auto *batch = find<BatchDialog>();
    batch->setInputs({path("broken.png"), path("scene.png")});
    batch->findChild<QLineEdit *>(QStringLiteral("batch.folder"))->setText(path("out"));
    auto *start = batch->findChild<QPushButton *>(QStringLiteral("batch.start"));
    const auto run = [&] {
        QTest::mouseClick(start, Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return !batch->runner().running(); }, patienceMs));
    };
    run();
    auto *failures = batch->findChild<QListWidget *>(QStringLiteral("batch.failures"));
    QCOMPARE(failures->count(), 1);
    filter("emboss");
    window_->openBatch();
    QCOMPARE(window_->findChildren<BatchDialog *>(), QList<BatchDialog *>{batch});
    QVERIFY(batch->isVisible() && failures->isVisible());
    QCOMPARE(failures->count(), 1);
    QVERIFY(batch->findChild<QLabel *>(QStringLiteral("batch.what"))->text().endsWith(QStringLiteral("Emboss")));
    const auto *state = batch->findChild<QLabel *>(QStringLiteral("batch.state"));
    QCOMPARE(state->text(), QStringLiteral("With another chain: 1 of 2 files done, 1 failed: see below"));
    run(); // the chain as it is now, and the list of this run
    QCOMPARE(failures->count(), 1);
    QCOMPARE(state->text(), QStringLiteral("1 of 2 files done, 1 failed: see below"));
    QVERIFY(QFile::exists(path("out/scene-emboss.png")) && QFile::exists(path("out/scene-sobel.png")));
}

void WindowMeanwhileTest::aNoteOutlivesAnOpeningThatFails() {
    const QString note = QStringLiteral("leave the range of 32-bit floats");
    open();
    window_->session().edit([&](Document &d) {
        FilterInstance filter = parseFilter("custom");
        filter.kernel = ConvolutionKernel::centred(3, 1, {1e38, 1e38, -1e38});
        filter.kernel.divisor = 1.0;
        d.setFilter(filter);
    });
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return text().contains(note); }));
    window_->open({path("missing.png")});
    QVERIFY2(text().contains(note), qPrintable(text())); // nothing has opened so far
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(text().contains(note) && text().contains(QStringLiteral("missing.png")), qPrintable(text()));
    open(QStringLiteral("fine.png"));
    QVERIFY2(!text().contains(note), qPrintable(text()));
}

void WindowMeanwhileTest::noMessageIsHiddenForOne() {
    auto *all = bar().findChild<QWidget *>(QStringLiteral("message.all"));
    auto *label = bar().findChild<QLabel *>(QStringLiteral("message.text"));
    for (int i = 1; i <= 5; ++i)
        bar().show({Message::Kind::Warning, QStringLiteral("warning %1 <b>").arg(i), {}});
    QVERIFY2(text().contains(QStringLiteral("arning 1 <b>")) && !text().contains(QStringLiteral("more")),
             qPrintable(text()));
    QVERIFY(!all->isVisible() && label->toolTip().isEmpty());
    bar().show({Message::Kind::Warning, QStringLiteral("warning 6"), {}});
    QVERIFY2(text().contains(QStringLiteral("And 2 more")), qPrintable(text()));
    QVERIFY(all->isVisible()); // the whole list, to read and to copy
    QVERIFY2(label->toolTip().contains(QStringLiteral("arning 1 &lt;b&gt;")), qPrintable(label->toolTip()));
}

void WindowMeanwhileTest::closingSaysWhatComesBack() {
    window_->setAsksBeforeClosing(true);
    open();
    filter("sobel");
    const auto closeOne = [&](const char *answer) {
        answerNext(QLatin1String(answer));
        find<QAction>("file.close")->trigger();
        return asked_;
    };
    QString said = closeOne("Keep");
    QVERIFY2(said.contains(QStringLiteral("Ctrl+Shift+T")) && !said.contains(QStringLiteral("is lost")),
             qPrintable(said));
    closeOne("Close without");
    find<QAction>("file.reopen")->trigger(); // and so it is
    QTRY_COMPARE(window_->session().count(), 1);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().step()->filter.name, std::string("sobel"));
    answerNext(QStringLiteral("Keep")); // with the window all of it goes
    QVERIFY(!window_->close());
    QVERIFY2(asked_.contains(QStringLiteral("is lost")), qPrintable(asked_));
    QImage pasted(40, 30, QImage::Format_RGB888);
    pasted.fill(Qt::red);
    QApplication::clipboard()->setImage(pasted);
    window_->paste();
    QTRY_COMPARE(window_->session().count(), 2);
    said = closeOne("Keep");
    QVERIFY2(said.contains(QStringLiteral("is lost")) && !said.contains(QStringLiteral("Ctrl+Shift+T")),
             qPrintable(said));
    window_->setAsksBeforeClosing(false);
}

} // namespace

QTEST_MAIN(WindowMeanwhileTest)
#include "window_meanwhile_test.moc"
