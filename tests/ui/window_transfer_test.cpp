// What is saved, copied and handed out is what is shown, and a warning comes only where something would be lost.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/drag_handle.h"
#include "ui/panels/message_bar.h"
#include "ui/window/save_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

#include <unistd.h>

using namespace tessera;

namespace {

class WindowTransferTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void warnsOnlyOfRealLosses();
    void remembersTheQuality();
    void copiesAndPastesTheSamePixels_data();
    void copiesAndPastesTheSamePixels();
    void dragsTheResultOut();
    void aDroppedFolderGoesToTheBatch();
    void theBatchWritesBesideItsFirstInput();
    void startIsTheDefaultAfterTheFolderDialog();
};

void WindowTransferTest::warnsOnlyOfRealLosses() {
    PixelFormat format{Depth::F32, 3};
    SaveSubject subject;
    subject.formatFor = [&format](OutputDepth depth) {
        PixelFormat chosen = format;
        if (depth == OutputDepth::U8)
            chosen.depth = Depth::U8;
        return chosen;
    };
    subject.metadata = true;
    subject.unheld = [] { return FloatValues{0, 0, false, 2}; };
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
    QVERIFY2(note().contains(QStringLiteral("Choose another format.")), qPrintable(note())); // no depth would help
    format.channels = 3;
    format.depth = Depth::U16;
    path->setText(folder_.path(QStringLiteral("z.jpg")));
    QVERIFY2(note().contains(QStringLiteral("Choose another depth or format.")), qPrintable(note()));
    path->setText(folder_.path(QStringLiteral("no/such/y.png")));
    QVERIFY(!save->isEnabled() && note().contains(QStringLiteral("does not exist")));
}

void WindowTransferTest::remembersTheQuality() {
    open();
    filter("sobel");
    window_->saveDialog();
    auto *dialog = find<SaveDialog>();
    dialog->findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(folder_.path(QStringLiteral("q.jpg")));
    dialog->findChild<QSpinBox *>(QStringLiteral("save.quality"))->setValue(71);
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("save.accept")), Qt::LeftButton);
    QVERIFY(waitUntilIdle(*window_));
    QTRY_VERIFY(!find<SaveDialog>());
    window_->saveDialog();
    QCOMPARE(find<SaveDialog>()->findChild<QSpinBox *>(QStringLiteral("save.quality"))->value(), 71);
    find<SaveDialog>()->reject();
}

void WindowTransferTest::copiesAndPastesTheSamePixels_data() {
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("channels");
    for (const int channels : {1, 3, 4})
        for (const int depth : {8, 16})
            QTest::addRow("%d channels of %d bits", channels, depth) << depth << channels;
}

void WindowTransferTest::copiesAndPastesTheSamePixels() {
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
void WindowTransferTest::dragsTheResultOut() {
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
    window_.reset();
    QVERIFY(!QFileInfo::exists(path)); // nothing is left behind
}

void WindowTransferTest::aDroppedFolderGoesToTheBatch() {
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
}

void WindowTransferTest::theBatchWritesBesideItsFirstInput() {
    open();
    filter("sobel");
    window_->openBatch();
    auto *dialog = find<BatchDialog>();
    auto *output = dialog->findChild<QLineEdit *>(QStringLiteral("batch.folder"));
    QVERIFY2(output->text().isEmpty(), qPrintable(output->text())); // the picture that is open says nothing
    for (const char *name : {"one", "two", "locked"})
        QVERIFY(QDir().mkpath(folder_.path(QLatin1String(name))));
    dialog->setInputs({folder_.path(QStringLiteral("one/a.png")), folder_.path(QStringLiteral("two"))});
    QCOMPARE(output->text(), folder_.path(QStringLiteral("one/filtered")));
    dialog->setInputs({folder_.path(QStringLiteral("two"))});
    QCOMPARE(output->text(), folder_.path(QStringLiteral("two/filtered")));
    QStringList closed{put(folder_.path(QStringLiteral("plain")), {})}; // no folder can be made in it
    if (::geteuid() != 0) {                                             // nothing is closed to root
        QVERIFY(QFile::setPermissions(folder_.path(QStringLiteral("locked")), QFile::ReadOwner | QFile::ExeOwner));
        closed << folder_.path(QStringLiteral("locked"));
    }
    for (const QString &folder : closed) {
        dialog->setInputs({folder + QStringLiteral("/a.png")});
        QVERIFY2(!output->text().startsWith(folder), qPrintable(output->text()));
    }
    QTest::keyClick(output, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(output, QStringLiteral("/mine"));
    dialog->setInputs({folder_.path(QStringLiteral("one"))});
    QCOMPARE(output->text(), QStringLiteral("/mine"));
    dialog->close();
}

void WindowTransferTest::startIsTheDefaultAfterTheFolderDialog() {
    open();
    filter("sobel");
    window_->openBatch();
    auto *dialog = find<BatchDialog>();
    auto *start = dialog->findChild<QPushButton *>(QStringLiteral("batch.start"));
    QPushButton *add = nullptr;
    for (auto *button : dialog->findChildren<QPushButton *>())
        if (button->text().contains(QStringLiteral("older")))
            add = button;
    QVERIFY(add);
    const QString folder = folder_.path(QStringLiteral("given"));
    QVERIFY(QDir().mkpath(folder));
    QTimer::singleShot(100, this, [folder] {
        QWidget *chooser = QApplication::activeModalWidget();
        QVERIFY(chooser);
        chooser->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))->setText(folder);
        QMetaObject::invokeMethod(chooser, "accept");
    });
    add->setFocus();
    QTest::keyClick(add, Qt::Key_Space);
    QCOMPARE(dialog->findChild<QListWidget *>(QStringLiteral("batch.inputs"))->count(), 1);
    QVERIFY(start->isEnabled() && start->isDefault());
    QTest::keyClick(add, Qt::Key_Return);
    QTRY_VERIFY(!dialog->findChild<QLabel *>(QStringLiteral("batch.state"))->text().isEmpty()); // it has begun
    QTRY_VERIFY(!dialog->runner().running());
    dialog->close();
}

} // namespace

QTEST_MAIN(WindowTransferTest)
#include "window_transfer_test.moc"
