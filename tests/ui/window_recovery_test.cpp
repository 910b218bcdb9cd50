// Sessions and presets on disk, and what comes back after a program was killed: also what cannot come back.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/panels/chain_panel.h"
#include "ui/panels/message_bar.h"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QProcess>
#include <QTest>
#include <QToolButton>

#include <csignal>
#include <vector>

using namespace tessera;

namespace {

constexpr int patienceMs = 30000; // other programs may hold up the disk and every core

class WindowRecoveryTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void theRealProgramIsKilledTwice();
    void aPictureThatIsGoneIsPutAside();
    void aSessionThatBringsItDownIsTriedTwice();
    void aDamagedSessionIsPutAside();
    void allKilledWindowsComeBack();
    void aWindowThatRunsKeepsItsOwn();
    void aWindowThatBringsItDownSparesTheOther();
    void whatCannotBeKeptIsSaidOnce();
    void pictureIsKeptOnceThereIsRoom();
    void picturesThatWereClosedLeaveNoFile();
    void allIsOpenOnceTheLastPictureIs();
    void aLongDragIsSavedMeanwhile();
    void pathsAreKeptWhole();
    void aSavedSessionNeedsNoQuestion();
    void aSavedSessionHoldsPicturesWithoutAFile();
    void aSessionThatCannotBeWrittenLeavesNothing();
    void historyGoesToAnyState();
    void presetsAreListedAndApplied();
    void aStepIsDraggedToItsPlace();
    void parametersGoBackToTheirOwn();

private:
    MessageBar &bar() { return *find<MessageBar>(); }
    QString kept() const { return folder_.path(QStringLiteral("kept-") + QLatin1String(QTest::currentTestFunction())); }
    QByteArray savedSession() const { return fileIn(0, "session.json"); }
    QByteArray fileIn(int slot, const char *name) const {
        return content(QStringLiteral("%1/%2/%3").arg(kept()).arg(slot).arg(QLatin1String(name)));
    }
    void crashAndStartAgain() {
        makeWindow(); // the old window goes without being closed
        window_->startAutosave(kept());
    }
    QStringList aside() const {
        return QDir(kept() + QStringLiteral("/0")).entryList({QStringLiteral("aside-*.tessera")}, QDir::Files);
    }
    QString action(QMenu &menu, int index) {
        emit menu.aboutToShow();
        return menu.actions().value(index)->text().remove(QLatin1Char('&'));
    }
    QMenu *menuNamed(const QString &title) {
        for (QMenu *menu : window_->findChildren<QMenu *>())
            if (menu->title().remove(QLatin1Char('&')) == title)
                return menu;
        return nullptr;
    }
};

// Started with a session of two pictures and a chain, killed, started with nothing, killed again.
void WindowRecoveryTest::theRealProgramIsKilledTwice() {
    const QString program = QCoreApplication::applicationDirPath() + QStringLiteral("/tessera");
    if (!QFile::exists(program))
        QSKIP("the program itself was not built");
    open(QStringLiteral("first.png"));
    filter("unsharp:sigma=2.5,amount=1.5");
    window_->session().edit([](Document &d) { d.addStep(parseFilter("emboss:angle=30")); });
    open(QStringLiteral("second.png"), 64, 48, {Depth::U16, 1});
    const QString session = folder_.path(QStringLiteral("work.tessera"));
    window_->session().saveSession(session);
    QVERIFY(waitUntilIdle(*window_));
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), folder_.path(QStringLiteral("data")));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder_.path(QStringLiteral("config")));
    process.setProcessEnvironment(environment);
    const QString file = folder_.path(QStringLiteral("data/Tessera/Tessera/autosave/0/session.json"));
    QStringList arguments{QStringLiteral("-platform"), QStringLiteral("offscreen"), session};
    for (int start = 0; start < 3; ++start) {
        const QDateTime before = QFileInfo(file).lastModified();
        QTest::qWait(20);
        process.start(program, arguments);
        QVERIFY(process.waitForStarted());
        // Written anew by this very start, from what it has open.
        QVERIFY2(QTest::qWaitFor(
                     [&] {
                         const QByteArray text = content(file);
                         return QFileInfo(file).lastModified() != before && text.contains("first.png") &&
                                text.contains("second.png") && text.contains("sigma=2.5") && text.contains("emboss");
                     },
                     30000),
                 process.readAllStandardError().constData());
        ::kill(pid_t(process.processId()), SIGKILL);
        QVERIFY(process.waitForFinished());
        arguments.removeOne(session);
    }
    makeWindow();
    window_->startAutosave(folder_.path(QStringLiteral("data/Tessera/Tessera/autosave")));
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 2 && !window_->session().restoring(); },
                            patienceMs));
    window_->session().setCurrentIndex(0);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().chain().steps.size(), std::size_t(2));
    QVERIFY(samePixels(*shown(), expected()));
}

// A disk that is not plugged in loses nothing: the session as it was can be opened later.
void WindowRecoveryTest::aPictureThatIsGoneIsPutAside() {
    window_->startAutosave(kept());
    open(QStringLiteral("stays.png"));
    open(QStringLiteral("goes.png"));
    filter("emboss:angle=77");
    QVERIFY(QTest::qWaitFor([&] { return savedSession().contains("77"); }, patienceMs));
    QVERIFY(QFile::rename(folder_.path(QStringLiteral("goes.png")), folder_.path(QStringLiteral("elsewhere.png"))));
    crashAndStartAgain();
    QVERIFY(QTest::qWaitFor([&] { return !window_->session().restoring() && !aside().isEmpty(); }, patienceMs));
    QCOMPARE(window_->session().count(), 1);
    QVERIFY(bar().isShowing());
    QVERIFY(bar().message().remedy.contains(aside().first()));
    QVERIFY(QFile::rename(folder_.path(QStringLiteral("elsewhere.png")), folder_.path(QStringLiteral("goes.png"))));
    window_->session().openSession(kept() + QStringLiteral("/0/") + aside().first());
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 3; }, patienceMs));
    QCOMPARE(document().step()->filter.values.at("angle"), 77.0);
}

void WindowRecoveryTest::aSessionThatBringsItDownIsTriedTwice() {
    window_->startAutosave(kept());
    open();
    filter("emboss");
    QVERIFY(QTest::qWaitFor([&] { return savedSession().contains("emboss"); }, patienceMs));
    for (int attempt = 1; attempt <= 2; ++attempt) {
        crashAndStartAgain();
        window_.reset(); // down again before the picture is open
        QVERIFY(QFile::exists(QStringLiteral("%1/0/restoring-%2.json").arg(kept()).arg(attempt)));
    }
    crashAndStartAgain();
    QVERIFY(bar().isShowing());
    QVERIFY(bar().message().kind == Message::Kind::Warning);
    QCOMPARE(aside().size(), 1);
    QTest::qWait(200);
    QCOMPARE(window_->session().count(), 0);
    open(QStringLiteral("other.png")); // and the program works
    QVERIFY(QTest::qWaitFor([&] { return savedSession().contains("other.png"); }, patienceMs));
}

void WindowRecoveryTest::aDamagedSessionIsPutAside() {
    QVERIFY(QDir().mkpath(kept() + QStringLiteral("/0")));
    put(kept() + QStringLiteral("/0/session.json"), "{\"format\":");
    window_->startAutosave(kept());
    QVERIFY(bar().isShowing());
    QCOMPARE(aside().size(), 1);
}

// Two windows at once, one with a picture that no file holds; both killed, started once, killed, started again.
void WindowRecoveryTest::allKilledWindowsComeBack() {
    window_->startAutosave(kept());
    open(QStringLiteral("first.png"));
    filter("emboss:angle=11");
    QTRY_VERIFY_WITH_TIMEOUT(savedSession().contains("angle=11"), patienceMs);
    {
        MainWindow second;
        second.startAutosave(kept());
        second.session().openPicture(testScene(30, 20, {Depth::U16, 3}), QStringLiteral("pasted picture"));
        QTRY_COMPARE_WITH_TIMEOUT(second.session().count(), 1, patienceMs);
        second.session().edit([](Document &d) { d.setFilter(parseFilter("emboss:angle=22")); });
        QTRY_VERIFY_WITH_TIMEOUT(fileIn(1, "session.json").contains("angle=22"), patienceMs);
    }
    for (int start = 0; start < 2; ++start) {
        crashAndStartAgain();
        QVERIFY(bar().isShowing()); // at once, and for some seconds
        QCOMPARE(bar().message().what.contains(QStringLiteral("in 2 windows")), start == 0);
        QTRY_COMPARE_WITH_TIMEOUT(window_->session().count(), 2, patienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!window_->session().restoring(), patienceMs);
        Document &pasted = *window_->session().documentAt(1);
        QCOMPARE(window_->session().documentAt(0)->step()->filter.values.at("angle"), 11.0);
        QCOMPARE(pasted.step()->filter.values.at("angle"), 22.0);
        QVERIFY(pasted.path().empty());
        QVERIFY(samePixels(pasted.picture(), testScene(30, 20, {Depth::U16, 3})));
        QVERIFY(QDir(kept() + QStringLiteral("/1")).entryList(QDir::Files).isEmpty());
    }
}

void WindowRecoveryTest::aWindowThatRunsKeepsItsOwn() {
    window_->startAutosave(kept());
    open(QStringLiteral("first.png"));
    QTRY_VERIFY_WITH_TIMEOUT(savedSession().contains("first.png"), patienceMs);
    MainWindow second;
    second.startAutosave(kept());
    QVERIFY(!find<MessageBar>()->isShowing());
    QTest::qWait(50);
    QCOMPARE(second.session().count(), 0);
    QVERIFY(savedSession().contains("first.png"));
}

// What was tried twice is put aside where it lies, and what is damaged too; the rest is opened.
void WindowRecoveryTest::aWindowThatBringsItDownSparesTheOther() {
    window_->startAutosave(kept());
    open(QStringLiteral("first.png"));
    QTRY_VERIFY_WITH_TIMEOUT(savedSession().contains("first.png"), patienceMs);
    for (const auto &[slot, name] : {std::pair{1, "restoring-2.json"}, std::pair{2, "session.json"}}) {
        QVERIFY(QDir().mkpath(QStringLiteral("%1/%2").arg(kept()).arg(slot)));
        put(QStringLiteral("%1/%2/%3").arg(kept()).arg(slot).arg(QLatin1String(name)), "{");
    }
    crashAndStartAgain();
    QCOMPARE(bar().count(), std::size_t(3)); // both, and that the rest is open again
    QTRY_COMPARE_WITH_TIMEOUT(window_->session().count(), 1, patienceMs);
    for (const int slot : {1, 2}) {
        const QStringList files = QDir(QStringLiteral("%1/%2").arg(kept()).arg(slot)).entryList(QDir::Files);
        QCOMPARE(files.size(), 1);
        QVERIFY(files.first().startsWith(QStringLiteral("aside-")));
        QVERIFY(find<QLabel>(QStringLiteral("message.text"))->text().contains(files.first()));
    }
}

// A file stands where the folder should be: neither mkpath nor anything else can be done about it.
void WindowRecoveryTest::whatCannotBeKeptIsSaidOnce() {
    const auto block = [this] {
        QFile file(kept());
        return file.open(QFile::WriteOnly);
    };
    QVERIFY(block());
    window_->startAutosave(kept());
    QVERIFY(bar().isShowing());
    QVERIFY(bar().message().kind == Message::Kind::Warning);
    QVERIFY2(bar().message().what.contains(QStringLiteral("Not a directory")), qPrintable(bar().message().what));
    QVERIFY(bar().message().what.contains(kept() + QStringLiteral("/0 ")));
    QVERIFY(bar().message().remedy.contains(kept()));
    open(); // as the program does with a picture that was named at its start
    QVERIFY(bar().isShowing());
    bar().clear();
    filter("emboss:angle=1");
    QTest::qWait(1200); // longer than a save takes to come
    QVERIFY(!bar().isShowing());
    QVERIFY(QFile::remove(kept()));
    filter("emboss:angle=2");
    QTRY_VERIFY_WITH_TIMEOUT(savedSession().contains("angle=2"), patienceMs);
    for (int again = 0; again < 2; ++again) {
        QVERIFY(QDir(kept()).removeRecursively() && block());
        filter("emboss:angle=3");
        QTRY_VERIFY_WITH_TIMEOUT(bar().isShowing(), patienceMs);
        QVERIFY(bar().message().kind == Message::Kind::Warning);
        QVERIFY(QFile::remove(kept()) && QDir().mkpath(kept() + QStringLiteral("/0")));
        filter("emboss:angle=4");
        QTRY_VERIFY_WITH_TIMEOUT(savedSession().contains("angle=4"), patienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!bar().isShowing(), patienceMs); // the trouble is over
    }
}

void WindowRecoveryTest::pictureIsKeptOnceThereIsRoom() {
    window_->startAutosave(kept());
    const QString slot = kept() + QStringLiteral("/0");
    QVERIFY(QDir(slot).removeRecursively());
    window_->session().openPicture(testScene(30, 20, {Depth::U8, 3}), QStringLiteral("pasted picture"));
    QTRY_VERIFY_WITH_TIMEOUT(bar().isShowing(), patienceMs);
    QVERIFY(QDir().mkpath(slot));
    filter("emboss");
    QTRY_VERIFY_WITH_TIMEOUT(savedSession().contains("emboss"), patienceMs);
    crashAndStartAgain();
    QTRY_COMPARE_WITH_TIMEOUT(window_->session().count(), 1, patienceMs);
    QVERIFY(samePixels(document().picture(), testScene(30, 20, {Depth::U8, 3})));
}

void WindowRecoveryTest::picturesThatWereClosedLeaveNoFile() {
    window_->startAutosave(kept());
    const QDir folder(kept() + QStringLiteral("/0"));
    const auto pictures = [&] { return folder.entryList({QStringLiteral("picture-*")}, QDir::Files); };
    window_->session().openPicture(testScene(30, 20, {Depth::U8, 3}), QStringLiteral("one"));
    window_->session().openPicture(testScene(31, 21, {Depth::U16, 1}), QStringLiteral("two"));
    QVERIFY(QTest::qWaitFor([&] { return pictures().size() == 2; }, patienceMs));
    QTRY_VERIFY_WITH_TIMEOUT(savedSession().contains("\"two\""), patienceMs);
    window_->session().closeDocument(0);
    QVERIFY(QTest::qWaitFor([&] { return pictures().size() == 1; }, patienceMs));
    crashAndStartAgain();
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, patienceMs));
    QVERIFY(samePixels(document().picture(), testScene(31, 21, {Depth::U16, 1})));
    QVERIFY(window_->close());
    QCOMPARE(pictures().size(), 0);
}

// Not a moment later: closed in between, the window put the session aside as one that could not be opened.
void WindowRecoveryTest::allIsOpenOnceTheLastPictureIs() {
    window_->startAutosave(kept());
    window_->session().openPicture(testScene(30, 20, {Depth::U8, 3}), QStringLiteral("one"));
    window_->session().openPicture(testScene(31, 21, {Depth::U16, 1}), QStringLiteral("two"));
    QTRY_VERIFY_WITH_TIMEOUT(savedSession().contains("\"two\""), patienceMs);
    crashAndStartAgain();
    std::vector<bool> restoring; // with one picture, with two
    connect(&window_->session(), &Session::documentsChanged, this, [&] {
        if (window_->session().count() > int(restoring.size()))
            restoring.push_back(window_->session().restoring());
    });
    QTRY_COMPARE_WITH_TIMEOUT(window_->session().count(), 2, patienceMs);
    QCOMPARE(restoring, (std::vector<bool>{true, false}));
    window_->session().disconnect(this);
    QVERIFY(window_->close());
    QVERIFY(aside().isEmpty());
    QVERIFY(QDir(kept() + QStringLiteral("/0")).entryList({QStringLiteral("picture-*")}, QDir::Files).isEmpty());
}

void WindowRecoveryTest::aLongDragIsSavedMeanwhile() {
    window_->startAutosave(kept());
    open();
    filter("gaussian:sigma=1");
    for (int i = 0; i < 300 && !savedSession().contains("sigma=7.5"); ++i) { // never 700 ms without a change
        window_->session().edit([i](Document &d) {
            FilterStep step = *d.step();
            step.filter.values["sigma"] = i % 2 ? 7.5 : 7.51;
            d.changeStep(step, "sigma", "parameter:sigma");
        });
        QTest::qWait(20);
    }
    QVERIFY(savedSession().contains("sigma=7.5"));
}

void WindowRecoveryTest::pathsAreKeptWhole() {
    const QString folder = QDir::currentPath();
    writeScene(folder_, QStringLiteral("relative.png"), 20, 20, {Depth::U8, 3});
    QVERIFY(QDir::setCurrent(folder_.path(QString())));
    const bool opened = openAndWait(*window_, QStringLiteral("relative.png"));
    QVERIFY(QDir::setCurrent(folder));
    QVERIFY(opened);
    QVERIFY(document().path().is_absolute());
}

void WindowRecoveryTest::aSavedSessionNeedsNoQuestion() {
    open();
    filter("sobel");
    QVERIFY(window_->isWindowModified());
    const QString path = folder_.path(QStringLiteral("all.tessera"));
    window_->session().saveSession(path);
    QVERIFY(QTest::qWaitFor([&] { return !window_->isWindowModified(); }, patienceMs));
    window_->setAsksBeforeClosing(true);
    QVERIFY(window_->close()); // a question would hang here
    makeWindow();
    window_->open({path}); // as a dropped or recent file
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, patienceMs));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!document().needsSaving());
    filter("emboss");
    QVERIFY(document().needsSaving());
}

// It can be moved with its folder, and what else lies there stays as it is.
void WindowRecoveryTest::aSavedSessionHoldsPicturesWithoutAFile() {
    const QDir place(folder_.path(QStringLiteral("place")));
    QVERIFY(QDir().mkpath(place.filePath(QStringLiteral("all.tessera-pictures"))));
    const QString foreign = place.filePath(QStringLiteral("all.tessera-pictures/picture-1.png"));
    put(foreign, "of another");
    const Image whole = testScene(30, 20, {Depth::U16, 4}), exact = testScene(21, 31, {Depth::F32, 3});
    Session &session = window_->session();
    session.openPicture(testScene(30, 20, {Depth::U16, 4}), QStringLiteral("pasted picture"));
    QTRY_COMPARE_WITH_TIMEOUT(session.count(), 1, patienceMs);
    filter("emboss:angle=33");
    session.openPicture(testScene(21, 31, {Depth::F32, 3}), QStringLiteral("dropped picture"));
    QTRY_COMPARE_WITH_TIMEOUT(session.count(), 2, patienceMs);
    open();
    const QString path = place.filePath(QStringLiteral("all.tessera"));
    for (const int files : {3, 3}) { // again: they have a file now
        session.saveSession(path);
        QVERIFY(waitUntilIdle(*window_));
        QVERIFY(!window_->isWindowModified());
        QTRY_VERIFY_WITH_TIMEOUT(
            bar().isShowing() && bar().message().what == QStringLiteral("Saved the session %1").arg(path), patienceMs);
        QCOMPARE(QDir(place.filePath(QStringLiteral("all.tessera-pictures"))).entryList(QDir::Files).size(), files);
    }
    QCOMPARE(content(foreign), QByteArray("of another"));
    window_->setAsksBeforeClosing(true);
    QVERIFY(window_->close()); // a question would hang here
    QVERIFY(QDir().rename(place.path(), folder_.path(QStringLiteral("moved"))));
    makeWindow();
    window_->open({folder_.path(QStringLiteral("moved/all.tessera"))});
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 3; }, patienceMs));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(window_->session().documentAt(0)->picture(), whole));
    QVERIFY(samePixels(window_->session().documentAt(1)->picture(), exact));
    QCOMPARE(window_->session().documentAt(0)->title(), std::string("pasted picture"));
    QCOMPARE(window_->session().documentAt(0)->step()->filter.values.at("angle"), 33.0);
}

void WindowRecoveryTest::aSessionThatCannotBeWrittenLeavesNothing() {
    const QDir place(folder_.path(QStringLiteral("full")));
    QVERIFY(QDir().mkpath(place.filePath(QStringLiteral("all.tessera")))); // a folder has the session's name
    Session &session = window_->session();
    session.openPicture(testScene(30, 20, {Depth::U8, 3}), QStringLiteral("pasted picture"));
    QTRY_COMPARE_WITH_TIMEOUT(session.count(), 1, patienceMs);
    session.saveSession(place.filePath(QStringLiteral("all.tessera")));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, patienceMs));
    QVERIFY2(bar().message().what.startsWith(QStringLiteral("The session all.tessera was not saved: ")),
             qPrintable(bar().message().what));
    QVERIFY(!QFileInfo::exists(place.filePath(QStringLiteral("all.tessera-pictures"))));
    QVERIFY(document().needsSaving());
    // A file in the folder's place is said, and left alone.
    const QString inTheWay = place.filePath(QStringLiteral("b.tessera-pictures"));
    put(inTheWay, "mine");
    session.saveSession(place.filePath(QStringLiteral("b.tessera")));
    QVERIFY(QTest::qWaitFor([&] { return bar().message().what.contains(QStringLiteral("b.tessera-pictures")); },
                            patienceMs));
    QCOMPARE(QFileInfo(inTheWay).size(), qint64(4));
    QVERIFY(!QFileInfo::exists(place.filePath(QStringLiteral("b.tessera"))));
    session.saveSession(place.filePath(QStringLiteral("c.tessera")));
    QVERIFY(QTest::qWaitFor([&] { return !document().needsSaving(); }, patienceMs));
    QVERIFY(bar().message().kind == Message::Kind::Information); // the trouble is over
    QCOMPARE(bar().count(), std::size_t(1));
}

void WindowRecoveryTest::historyGoesToAnyState() {
    open();
    filter("gaussian:sigma=2");
    filter("emboss");
    window_->session().edit([](Document &d) { d.addStep(parseFilter("sobel")); });
    QVERIFY(waitUntilIdle(*window_));
    const Chain last = document().chain();
    QMenu *menu = menuNamed(QStringLiteral("History"));
    QVERIFY(menu);
    emit menu->aboutToShow();
    QCOMPARE(menu->actions().size(), 4);
    QVERIFY(menu->actions().first()->isChecked());
    menu->actions().last()->trigger(); // as opened
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().chain().steps.empty());
    QVERIFY(!shown());
    emit menu->aboutToShow();
    QVERIFY(menu->actions().last()->isChecked());
    menu->actions().first()->trigger(); // and all of it again
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().chain() == last);
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowRecoveryTest::presetsAreListedAndApplied() {
    QMenu *menu = menuNamed(QStringLiteral("Presets"));
    QVERIFY(menu);
    emit menu->aboutToShow();
    QVERIFY(!menu->actions().first()->isEnabled()); // says that there is none
    open();
    filter("motion-blur:length=9,angle=20");
    window_->session().edit([](Document &d) {
        FilterStep step = *d.step();
        step.border = {BorderMode::Wrap, 0};
        step.channels = {ChannelSelection::Kind::Luma, 0};
        d.changeStep(step, "options");
        d.setDepth(OutputDepth::U16);
    });
    const Chain chain = document().chain();
    put(window_->presetFolder() + QStringLiteral("/soft & wide.json"), QByteArray::fromStdString(formatChain(chain)));
    open(QStringLiteral("other.png"), 50, 40, {Depth::U8, 3});
    emit menu->aboutToShow();
    QCOMPARE(menu->actions().size(), 1);
    QVERIFY(menu->actions().first()->text().contains(QStringLiteral("&&")));
    menu->actions().first()->trigger();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().chain() == chain);
    QVERIFY(samePixels(*shown(), expected()));
    QVERIFY(document().history().undoText().find("soft & wide") != std::string::npos);
    window_->loadPresetFile(folder_.path(QStringLiteral("other.png"))); // no preset
    QVERIFY(bar().isShowing());
    QVERIFY(document().chain() == chain);
}

// As the list's own drag moves a row.
void WindowRecoveryTest::aStepIsDraggedToItsPlace() {
    open();
    filter("gaussian:sigma=2");
    for (const char *filter : {"sobel", "emboss"})
        window_->session().edit([&](Document &d) { d.addStep(parseFilter(filter)); });
    QListWidget *list = find<ChainPanel>()->list();
    QVERIFY(list->model()->moveRows({}, 0, 1, {}, 3)); // the first behind the last
    QTRY_COMPARE_WITH_TIMEOUT(document().chain().steps[2].filter.name, std::string("gaussian"), patienceMs);
    QCOMPARE(document().chain().steps[0].filter.name, std::string("sobel"));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(*shown(), expected()));
    QCOMPARE(list->item(2)->text().section(QLatin1Char(' '), 0, 0), QStringLiteral("Gaussian"));
    window_->session().undo();
    QCOMPARE(document().chain().steps[0].filter.name, std::string("gaussian"));
}

void WindowRecoveryTest::parametersGoBackToTheirOwn() {
    open();
    filter("gaussian:sigma=5");
    auto *reset = find<QToolButton>(QStringLiteral("parameters.reset"));
    QVERIFY(reset && reset->isEnabled());
    QTest::mouseClick(reset, Qt::LeftButton);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().step()->filter.values.empty());
    QVERIFY(!reset->isEnabled());
    QVERIFY(samePixels(*shown(), expected()));
    window_->session().undo();
    QCOMPARE(document().step()->filter.values.at("sigma"), 5.0);
}

} // namespace

QTEST_MAIN(WindowRecoveryTest)
#include "window_recovery_test.moc"
