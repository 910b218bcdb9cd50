// Files and the clipboard: in, out, and what is refused.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/histogram/analysis_panels.h"
#include "ui/panels/message_bar.h"
#include "ui/panels/start_page.h"
#include "ui/panels/step_options.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QToolButton>

#include <sys/stat.h>

using namespace tessera;

namespace {

class WindowFilesTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void pastesAPicture();
    void dropsAFile();
    void savesWhatIsShown();
    void saveDialogRefusesWhatWouldBeLost();
    void aDamagedFileLeavesWhatWasOpen();
    void aFailedSaveIsSaidAndSettled();
    void aSaveThatTheFilterPreventsIsSettledWithIt();
    void everyMessageCanBeReadAndCopied();
    void theRaceAsksForWhatIsMissing();
    void choicesAreKeptAtOnce();
};

void WindowFilesTest::pastesAPicture() {
    QImage picture(40, 30, QImage::Format_ARGB32);
    picture.fill(QColor(200, 100, 50, 128));
    QApplication::clipboard()->setImage(picture);
    QTest::keyClick(window_.get(), Qt::Key_V, Qt::ControlModifier);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }));
    const Image &opened = window_->session().document()->picture();
    QCOMPARE(opened.width(), 40);
    QCOMPARE(opened.format().channels, 4);
    const PixelValues pixel = pixelAt(opened.view(), 20, 15);
    QCOMPARE(pixel.value[0], 200.0);
    QCOMPARE(pixel.value[3], 128.0);
    // Text is no picture: a message says so, and nothing is lost.
    QApplication::clipboard()->setText(QStringLiteral("words"));
    QTest::keyClick(window_.get(), Qt::Key_V, Qt::ControlModifier);
    QVERIFY(find<MessageBar>()->isShowing());
    QCOMPARE(window_->session().count(), 1);
}

void WindowFilesTest::dropsAFile() {
    const QString path = writeScene(folder_, QStringLiteral("dropped.png"), 64, 48, {Depth::U16, 1});
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &drop);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }));
    QVERIFY(samePixels(window_->session().document()->picture(), testScene(64, 48, {Depth::U16, 1})));
}

void WindowFilesTest::savesWhatIsShown() {
    open();
    clickFilter(QStringLiteral("Unsharp mask"));
    const QString target = folder_.path(QStringLiteral("saved.png"));
    QTest::keyClick(window_.get(), Qt::Key_S, Qt::ControlModifier);
    auto *path = find<QLineEdit>(QStringLiteral("save.path"));
    QVERIFY(path);
    path->setText(target);
    auto *save = find<QPushButton>(QStringLiteral("save.accept"));
    QVERIFY(save->isEnabled());
    QTest::mouseClick(save, Qt::LeftButton);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(loadImage(target.toStdString()), expected()));
    QVERIFY(QTest::qWaitFor([&] { return !window_->isWindowModified(); }));
}

void WindowFilesTest::saveDialogRefusesWhatWouldBeLost() {
    open(QStringLiteral("deep.png"), 80, 60, {Depth::U16, 3});
    QTest::keyClick(window_.get(), Qt::Key_S, Qt::ControlModifier);
    auto *path = find<QLineEdit>(QStringLiteral("save.path"));
    auto *save = find<QPushButton>(QStringLiteral("save.accept"));
    path->setText(folder_.path(QStringLiteral("deep.jpg")));
    QVERIFY(!save->isEnabled()); // 16 bits do not fit into a JPEG
    find<QComboBox>(QStringLiteral("save.depth"))->setCurrentIndex(1);
    QVERIFY(save->isEnabled());
    QTest::mouseClick(save, Qt::LeftButton);
    const QString target = folder_.path(QStringLiteral("deep.jpg"));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(loadImage(target.toStdString()).format().depth == Depth::U8);
}

void WindowFilesTest::aDamagedFileLeavesWhatWasOpen() {
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    const Chain chain = window_->session().document()->chain();
    const QByteArray whole = content(folder_.path(QStringLiteral("scene.png")));
    QVERIFY(whole.size() > 1000);
    const QString broken = put(folder_.path(QStringLiteral("broken.png")), whole.left(1000));
    window_->open({broken, folder_.path(QStringLiteral("missing.png"))});
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(find<MessageBar>()->isShowing());
    QVERIFY2(find<MessageBar>()->message().kind == Message::Kind::Error,
             qPrintable(find<MessageBar>()->message().what));
    QVERIFY(!find<MessageBar>()->message().what.isEmpty());
    QCOMPARE(window_->session().count(), 1);
    QVERIFY(window_->session().document()->chain() == chain);
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowFilesTest::aFailedSaveIsSaidAndSettled() {
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    Session &session = window_->session();
    session.save(folder_.path(QStringLiteral("no/such/out.png")), {}, OutputDepth::Keep);
    auto *bar = find<MessageBar>();
    QVERIFY(QTest::qWaitFor([&] { return bar->isShowing(); }, 20000));
    QVERIFY2(bar->message().what.startsWith(QStringLiteral("The picture out.png was not saved: ")),
             qPrintable(bar->message().what));
    QVERIFY(document().needsSaving());
    session.save(folder_.path(QStringLiteral("settled.png")), {}, OutputDepth::Keep);
    QVERIFY(QTest::qWaitFor([&] { return !document().needsSaving(); }, 20000));
    QCOMPARE(bar->count(), std::size_t(1)); // that it was saved
    QVERIFY(bar->message().kind == Message::Kind::Information);
    session.save(folder_.path(QStringLiteral("no/such/out.png")), {}, OutputDepth::Keep);
    QVERIFY(QTest::qWaitFor([&] { return bar->message().kind == Message::Kind::Error; }, 20000));
    session.closeDocument(0); // nothing is left to save
    QVERIFY(!bar->isShowing());
}

// Twice the same reason, of two things: what was not filtered, and what was not saved.
void WindowFilesTest::aSaveThatTheFilterPreventsIsSettledWithIt() {
    open();
    Session &session = window_->session();
    session.setEngine("naive", "cpu"); // the CPU has no such variant
    session.edit([](Document &d) { d.setFilter(parseFilter("box")); });
    auto *bar = find<MessageBar>();
    QVERIFY(QTest::qWaitFor([&] { return bar->isShowing(); }, 20000));
    const QString why = bar->message().what;
    const QString target = folder_.path(QStringLiteral("prevented.png"));
    session.save(target, {}, OutputDepth::Keep);
    QVERIFY(QTest::qWaitFor([&] { return bar->count() == 2; }, 20000));
    QCOMPARE(bar->message().what, QStringLiteral("The picture prevented.png was not saved: ") + why);
    QVERIFY(!QFileInfo::exists(target));
    session.setEngine("auto", "auto");
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return !bar->isShowing(); }, 20000));
    QVERIFY(document().needsSaving());
    // The same words on two topics are shown once and go with the second.
    bar->show({Message::Kind::Error, QStringLiteral("it failed"), {}, QStringLiteral("one")});
    bar->show({Message::Kind::Error, QStringLiteral("it failed"), {}, QStringLiteral("two")});
    QCOMPARE(bar->accessibleDescription(), QStringLiteral("It failed."));
    bar->settle(QStringLiteral("one"));
    QVERIFY(bar->isShowing());
    bar->settle(QStringLiteral("two"));
    QVERIFY(!bar->isShowing());
}

void WindowFilesTest::everyMessageCanBeReadAndCopied() {
    QStringList paths;
    for (int i = 0; i < 6; ++i)
        paths << folder_.path(QStringLiteral("lacking-%1.png").arg(i));
    window_->open(paths);
    auto *bar = find<MessageBar>();
    QVERIFY(QTest::qWaitFor([&] { return bar->count() == 6; }, 20000));
    auto *all = find<QToolButton>(QStringLiteral("message.all"));
    QVERIFY(all && all->isVisible());
    QTest::mouseClick(all, Qt::LeftButton);
    QTRY_VERIFY(find<QPushButton>(QStringLiteral("message.copy")));
    QTest::mouseClick(find<QPushButton>(QStringLiteral("message.copy")), Qt::LeftButton);
    const QString copied = QApplication::clipboard()->text();
    for (const QString &path : paths)
        QVERIFY2(copied.contains(QFileInfo(path).fileName()), qPrintable(copied));
    find<QPlainTextEdit>(QStringLiteral("message.list"))->window()->close();
    window_->open({put(folder_.path(QStringLiteral("session.tessera")), "garbage")});
    QVERIFY(QTest::qWaitFor([&] { return bar->isShowing(); }, 20000));
    QVERIFY2(bar->message().what.contains(QStringLiteral("is no session")), qPrintable(bar->message().what));
    QVERIFY(!all->isVisible());
    const QString fifo = folder_.path(QStringLiteral("fifo.png"));
    QCOMPARE(::mkfifo(fifo.toLocal8Bit().constData(), 0600), 0);
    window_->open({fifo});
    QVERIFY(QTest::qWaitFor([&] { return bar->isShowing() && bar->message().what.contains(fifo); }, 20000));
}

void WindowFilesTest::theRaceAsksForWhatIsMissing() {
    const auto asks = [&](const QString &words) {
        for (const QLabel *label : window_->findChildren<QLabel *>())
            if (label->text().contains(words + QStringLiteral(": then every implementation")))
                return true;
        return false;
    };
    QVERIFY(asks(QStringLiteral("Open a picture and choose a filter")));
    open();
    QVERIFY(asks(QStringLiteral("Choose a filter")));
    QVERIFY(!asks(QStringLiteral("Open a picture and choose a filter")));
    window_->session().startRace();
    QCOMPARE(find<MessageBar>()->message().remedy, QStringLiteral("choose a filter"));
}

// Without closing: a program that is killed has them all the same.
void WindowFilesTest::choicesAreKeptAtOnce() {
    const auto kept = [](const char *name) { // by the file: another program's view
        return QSettings(QSettings().fileName(), QSettings::IniFormat).value(QLatin1String(name));
    };
    QTRY_VERIFY(kept("window/geometry").isValid());
    find<QAction>(QStringLiteral("view.race"))->setChecked(false);
    QTRY_COMPARE(kept("window/view.race").toBool(), false);
    find<QAction>(QStringLiteral("view.race"))->setChecked(true);
    QTRY_COMPARE(kept("window/view.race").toBool(), true);
    window_->setThemeChoice(ThemeChoice::Light);
    QTRY_COMPARE(kept("window/theme").toInt(), int(ThemeChoice::Light));
    // And it is on the disk, not in this program's memory alone.
    QVERIFY(content(QSettings().fileName()).contains("theme=1"));
    window_->setThemeChoice(ThemeChoice::Dark);
    QTRY_COMPARE(kept("window/theme").toInt(), int(ThemeChoice::Dark));
    find<StepOptions>()->setExpanded(true);
    QTRY_COMPARE(kept("panels/options").toBool(), true);
    find<StepOptions>()->setExpanded(false);
    find<HistogramPanel>()->setScale(HistogramScale(2));
    QTRY_COMPARE(kept("histogram/scale").toInt(), 2);
    find<HistogramPanel>()->setScale(HistogramScale(1));
    open();
    QTRY_COMPARE(kept("files/folder").toString(), QFileInfo(folder_.path(QStringLiteral("scene.png"))).absolutePath());
    window_->resize(1100, 780);
    const QByteArray geometry = window_->saveGeometry();
    QTRY_COMPARE(kept("window/geometry").toByteArray(), geometry);
}

} // namespace

QTEST_MAIN(WindowFilesTest)
#include "window_files_test.moc"
