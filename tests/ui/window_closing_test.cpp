// Before something is lost, the window asks; what it saves, copies and hands out is what it shows.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/bridge/picture_conversion.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/drag_handle.h"
#include "ui/panels/message_bar.h"
#include "ui/window/save_dialog.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTabBar>
#include <QTest>
#include <QTimer>

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
    void waitsForAFileThatIsBeingSaved();
    void aBatchUnderWayIsAskedFor();
    void aClosedPictureComesBack();
    void savingOverItsOwnFile();
    void warnsOnlyOfRealLosses();
    void remembersTheQuality();
    void copiesAndPastesTheSamePixels_data();
    void copiesAndPastesTheSamePixels();
    void dragsTheResultOut();
    void aDroppedFolderGoesToTheBatch();

private:
    // Answers the next question with the button of this text; returns through `asked` what it said.
    void answer(const QString &button);
    void filter(const std::string &text) {
        window_->session().edit([&](Document &d) { d.setFilter(parseFilter(text)); });
        QVERIFY(waitUntilIdle(*window_));
    }
    QString asked_;
};

void WindowClosingTest::init() {
    asked_.clear();
    makeWindow();
    window_->setAsksBeforeClosing(true);
}

void WindowClosingTest::cleanup() { window_.reset(); }

void WindowClosingTest::answer(const QString &button) {
    QTimer::singleShot(50, this, [this, button] {
        auto *question = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
        QVERIFY(question);
        asked_ = question->text();
        for (QAbstractButton *choice : question->buttons())
            if (QString(choice->text()).remove(QLatin1Char('&')).startsWith(button))
                return choice->click();
        question->reject();
        QFAIL("the question has no such answer");
    });
}

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
    answer(QStringLiteral("Keep"));
    QVERIFY(!window_->close());
    QVERIFY2(asked_.contains(QStringLiteral("scene.png")), qPrintable(asked_));
    QCOMPARE(window_->session().count(), 1);
    answer(QStringLiteral("Close without"));
    find<QAction>(QStringLiteral("file.close"))->trigger();
    QCOMPARE(window_->session().count(), 0);
}

void WindowClosingTest::savesAndCloses() {
    open();
    filter("sobel");
    answer(QStringLiteral("Save"));
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
    answer(QStringLiteral("Keep"));
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
    answer(QStringLiteral("Keep"));
    QVERIFY(!window_->close());
    QVERIFY(asked_.contains(QStringLiteral("first.png")) && asked_.contains(QStringLiteral("third.png")));
    QVERIFY(!asked_.contains(QStringLiteral("second.png")));
    answer(QStringLiteral("Close without"));
    QVERIFY(window_->close());
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
    answer(QStringLiteral("Go on"));
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

void WindowClosingTest::warnsOnlyOfRealLosses() {
    PixelFormat format{Depth::F32, 3};
    SaveSubject subject;
    subject.formatFor = [&format](OutputDepth depth) {
        PixelFormat chosen = format;
        if (depth == OutputDepth::U8)
            chosen.depth = Depth::U8;
        return chosen;
    };
    subject.metadata = true;
    subject.beyondRange = true;
    SaveDialog dialog(folder_.path(QStringLiteral("x.tif")), subject, window_.get());
    auto *path = dialog.findChild<QLineEdit *>(QStringLiteral("save.path"));
    auto *depth = dialog.findChild<QComboBox *>(QStringLiteral("save.depth"));
    auto *quality = dialog.findChild<QSpinBox *>(QStringLiteral("save.quality"));
    auto *save = dialog.findChild<QPushButton *>(QStringLiteral("save.accept"));
    const auto note = [&] { return dialog.findChild<QLabel *>(QStringLiteral("save.note"))->text(); };
    QVERIFY2(note().isEmpty(), qPrintable(note())); // TIFF keeps it all
    path->setText(folder_.path(QStringLiteral("x.pfm")));
    QVERIFY2(note().contains(QStringLiteral("camera")), qPrintable(note()));
    path->setText(folder_.path(QStringLiteral("x.png")));
    QVERIFY(!save->isEnabled());
    depth->setCurrentIndex(1);
    QVERIFY(save->isEnabled());
    QVERIFY2(note().contains(QStringLiteral("cut off")) && note().contains(QStringLiteral("rounded")) &&
                 !note().contains(QStringLiteral("camera")),
             qPrintable(note()));
    format = {Depth::U8, 3};
    path->setText(folder_.path(QStringLiteral("y.png")));
    depth->setCurrentIndex(0);
    path->setText(folder_.path(QStringLiteral("y.webp")));
    quality->setValue(90);
    QVERIFY(note().contains(QStringLiteral("slightly")));
    quality->setValue(100); // lossless
    QVERIFY2(!note().contains(QStringLiteral("slightly")), qPrintable(note()));
    format.channels = 4;
    path->setText(folder_.path(QStringLiteral("y.jpg")));
    QVERIFY(!save->isEnabled() && note().contains(QStringLiteral("alpha")));
    path->setText(folder_.path(QStringLiteral("no/such/y.png")));
    QVERIFY(!save->isEnabled() && note().contains(QStringLiteral("does not exist")));
}

void WindowClosingTest::remembersTheQuality() {
    open();
    filter("sobel");
    window_->saveDialog();
    auto *dialog = find<SaveDialog>();
    dialog->findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(folder_.path(QStringLiteral("q.jpg")));
    dialog->findChild<QSpinBox *>(QStringLiteral("save.quality"))->setValue(71);
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("save.accept")), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !window_->session().busyWithFiles() && !find<SaveDialog>(); }, 20000));
    window_->saveDialog();
    QCOMPARE(find<SaveDialog>()->findChild<QSpinBox *>(QStringLiteral("save.quality"))->value(), 71);
    find<SaveDialog>()->reject();
}

void WindowClosingTest::copiesAndPastesTheSamePixels_data() {
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("channels");
    for (const int channels : {1, 3, 4})
        for (const int depth : {8, 16})
            QTest::addRow("%d channels of %d bits", channels, depth) << depth << channels;
}

void WindowClosingTest::copiesAndPastesTheSamePixels() {
    QFETCH(int, depth);
    QFETCH(int, channels);
    const PixelFormat format{depth == 8 ? Depth::U8 : Depth::U16, channels};
    open(QStringLiteral("scene.png"), 61, 47, format);
    QApplication::clipboard()->clear();
    QTest::keyClick(window_.get(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QTest::qWaitFor(
        [] {
            const QMimeData *held = QApplication::clipboard()->mimeData();
            return held && held->hasImage();
        },
        20000));
    QTest::keyClick(window_.get(), Qt::Key_V, Qt::ControlModifier);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 2; }, 20000));
    QVERIFY(document().path().empty());
    QVERIFY(samePixels(document().picture(), testScene(61, 47, format)));
}

// The file that another program would get has the result's pixels.
void WindowClosingTest::dragsTheResultOut() {
    auto *handle = find<DragHandle>();
    QVERIFY(!handle->isVisible());
    open();
    filter("emboss");
    QVERIFY(handle->isVisible());
    QString path;
    connect(&window_->session(), &Session::exported, this, [&](const QString &file) { path = file; });
    QTest::mousePress(handle, Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !path.isEmpty(); }, 20000));
    QTest::mouseRelease(handle, Qt::LeftButton);
    QVERIFY(!handle->held());
    QCOMPARE(QFileInfo(path).fileName(), QStringLiteral("scene-emboss.png"));
    const std::unique_ptr<QMimeData> data(DragHandle::dataFor(path));
    QCOMPARE(data->urls(), QList<QUrl>{QUrl::fromLocalFile(path)});
    QVERIFY(samePixels(loadImage(path.toStdString()), expected()));
    window_->setAsksBeforeClosing(false);
    window_.reset();
    QVERIFY(!QFileInfo::exists(path)); // nothing is left behind
}

void WindowClosingTest::aDroppedFolderGoesToTheBatch() {
    const QString inputs = folder_.path(QStringLiteral("inputs"));
    QVERIFY(QDir().mkpath(inputs));
    window_->open({inputs});
    QVERIFY(find<MessageBar>()->isShowing()); // no chain to run yet: it says what to do
    open();
    filter("sobel");
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(inputs)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &drop);
    auto *dialog = find<BatchDialog>();
    QVERIFY(dialog);
    QCOMPARE(dialog->findChild<QListWidget *>(QStringLiteral("batch.inputs"))->item(0)->text(), inputs);
    dialog->reject(); // as Escape does
    QTRY_VERIFY(!find<BatchDialog>());
    window_->setAsksBeforeClosing(false);
}

} // namespace

QTEST_MAIN(WindowClosingTest)
#include "window_closing_test.moc"
