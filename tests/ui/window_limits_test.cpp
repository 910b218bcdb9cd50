// What a format cannot hold of the picture, said before it is saved, by the dialog as by the encoder; and what becomes
// of a save that fails all the same.
#include "app/core/error.h"
#include "app/image/format_limits.h"
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/panels/drag_handle.h"
#include "ui/panels/message_bar.h"
#include "ui/window/save_dialog.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

#include <cmath>
#include <limits>

using namespace tessera;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

class WindowLimitsTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void valuesThatAFormatHasNoCodeFor_data();
    void valuesThatAFormatHasNoCodeFor();
    void aResultIsAskedOnceItIsThere();
    void aNameIsProposedThatHoldsTheValues();
    void sidesThatAFormatCannotCount_data();
    void sidesThatAFormatCannotCount();
    void qualityOnlyWhereTheFormatUsesIt();
    void aFailedSaveLosesNothing();
    void theNameSavedLastIsProposed();
    void aFileThatIsBeingSavedIsNotAskedFor();
    void otherFilesAreProposedAsNamedLast();

private:
    SaveDialog *dialog() { return find<SaveDialog>(); }
    QString note() { return find<QLabel>("save.note")->text(); }
    bool maySave() { return find<QPushButton>("save.accept")->isEnabled(); }
    QString proposed() { return find<QLineEdit>("save.path")->text(); }
    void openFloats(const std::vector<float> &values) {
        Image image = testScene(8, 4, {Depth::F32, 3});
        std::copy(values.begin(), values.end(), image.view().row<float>(1));
        openFile(QStringLiteral("floats.tif"), image);
    }
    // Whether the encoder takes it, and in the same words or others.
    static bool encodes(const Image &image, const char *format) {
        try {
            encodeImage(image, {.format = format, .overwrite = false});
            return true;
        } catch (const Error &) {
            return false;
        }
    }
};

void WindowLimitsTest::valuesThatAFormatHasNoCodeFor_data() {
    QTest::addColumn<std::vector<float>>("values");
    QTest::addColumn<QString>("said"); // empty: all is held
    QTest::newRow("ordinary") << std::vector<float>{0, 0.5f, 7} << QString();
    QTest::newRow("negative") << std::vector<float>{-0.001f} << QStringLiteral("negative values");
    QTest::newRow("one NaN") << std::vector<float>{std::nanf("")} << QStringLiteral("1 NaN value");
    QTest::newRow("infinite") << std::vector<float>{infinity, 1, infinity} << QStringLiteral("2 infinite values");
    QTest::newRow("all") << std::vector<float>{std::nanf(""), infinity, -1}
                         << QStringLiteral("negative values, 1 NaN value and 1 infinite value");
    QTest::newRow("too large") << std::vector<float>{1.7e38f} << QStringLiteral("values above 1.7e38");
    QTest::newRow("large") << std::vector<float>{1.69e38f} << QString();
}

// In every format of floats the dialog says what the encoder says, and what it advises holds the values.
void WindowLimitsTest::valuesThatAFormatHasNoCodeFor() {
    QFETCH(std::vector<float>, values);
    QFETCH(QString, said);
    openFloats(values);
    window_->saveDialog();
    int formats = 0;
    for (const FormatInfo &info : imageFormats()) {
        if (!info.canWrite || !cannotHold(info, {Depth::F32, 3}).empty())
            continue;
        ++formats;
        const QString name = QString::fromStdString(info.name);
        find<QLineEdit>("save.path")->setText(folder_.path(QStringLiteral("x.") + name));
        QVERIFY2(maySave() == encodes(document().picture(), info.name.c_str()), qPrintable(name + note()));
        if (info.name == "hdr") {
            QCOMPARE(maySave(), said.isEmpty());
            QVERIFY2(note().contains(said), qPrintable(note()));
            const qsizetype advised = note().indexOf(QStringLiteral("Choose "));
            QCOMPARE(advised >= 0, !said.isEmpty());
            QVERIFY2(said.isEmpty() || note().mid(advised).contains(QStringLiteral("TIFF, EXR or PFM")) ||
                         !formatForExtension("exr")->canWrite,
                     qPrintable(note()));
        }
    }
    QVERIFY(formats >= 3);
    dialog()->reject();
}

void WindowLimitsTest::aResultIsAskedOnceItIsThere() {
    openFloats({1});
    window_->session().edit([](Document &d) { d.setFilter(parseFilter("laplacian")); });
    window_->saveDialog(); // the filter is still running
    find<QLineEdit>("save.path")->setText(folder_.path(QStringLiteral("x.hdr")));
    QVERIFY2(maySave() && note().contains(QStringLiteral("is known once the filter has run")), qPrintable(note()));
    QVERIFY(QTest::qWaitFor([&] { return !maySave(); }, 20000));
    QVERIFY2(note().contains(QStringLiteral("negative values")), qPrintable(note()));
    find<QLineEdit>("save.path")->setText(folder_.path(QStringLiteral("x.pfm")));
    QVERIFY(maySave());
    dialog()->reject();
}

// Also for what is dragged out, which nobody is asked about.
void WindowLimitsTest::aNameIsProposedThatHoldsTheValues() {
    open(QStringLiteral("light.hdr"), 40, 30, {Depth::F32, 3});
    filter("box");
    window_->saveDialog();
    QVERIFY2(proposed().endsWith(QStringLiteral("light-box.hdr")), qPrintable(proposed()));
    dialog()->reject();
    QTRY_VERIFY(!dialog());
    filter("laplacian");
    window_->saveDialog();
    QVERIFY2(proposed().endsWith(QStringLiteral("light-laplacian.tif")), qPrintable(proposed()));
    QVERIFY2(maySave(), qPrintable(note()));
    dialog()->reject();
    QSignalSpy exported(&window_->session(), &Session::exported);
    emit find<DragHandle>()->fileWanted();
    QVERIFY(exported.wait(20000));
    QVERIFY2(exported.first().first().toString().endsWith(QStringLiteral(".tif")), "what is dragged");
}

void WindowLimitsTest::sidesThatAFormatCannotCount_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<int>("longest");
    for (const auto &[format, longest] : {std::pair{"jpg", 65500}, {"webp", 16383}, {"tga", 65535}})
        QTest::newRow(format) << QString::fromLatin1(format) << longest;
}

void WindowLimitsTest::sidesThatAFormatCannotCount() {
    QFETCH(QString, format);
    QFETCH(int, longest);
    const FormatInfo *info = formatForExtension(format.toStdString());
    if (!info->canWrite)
        QSKIP("this build does not write it");
    for (const int side : {longest, longest + 1})
        for (const bool wide : {true, false}) {
            const int width = wide ? side : 1, height = wide ? 1 : side;
            const Image image(width, height, {Depth::U8, 3});
            SaveSubject subject;
            subject.formatFor = [](OutputDepth) { return PixelFormat{Depth::U8, 3}; };
            subject.width = width;
            subject.height = height;
            SaveDialog save(folder_.path(QStringLiteral("x.") + format), subject, window_.get());
            const bool enabled = save.findChild<QPushButton *>(QStringLiteral("save.accept"))->isEnabled();
            const QString said = save.findChild<QLabel *>(QStringLiteral("save.note"))->text();
            QCOMPARE(enabled, side == longest);
            QCOMPARE(encodes(image, info->name.c_str()), enabled); // as the encoder has it
            QVERIFY2(enabled || said.contains(QString::number(longest)), qPrintable(said));
        }
}

void WindowLimitsTest::qualityOnlyWhereTheFormatUsesIt() {
    open(QStringLiteral("a.tif"), 20, 10, {Depth::F32, 3});
    window_->saveDialog();
    const Image bytes = testScene(40, 30, {Depth::U8, 3}), floats = testScene(40, 30, {Depth::F32, 3});
    for (const FormatInfo &info : imageFormats()) {
        if (!info.canWrite)
            continue;
        find<QLineEdit>("save.path")
            ->setText(folder_.path(QStringLiteral("x.") + QString::fromStdString(info.extensions.front())));
        const Image &picture = cannotHold(info, bytes.format()).empty() ? bytes : floats;
        if (!cannotHold(info, picture.format()).empty())
            continue; // grey pictures only
        const bool differs = encodeImage(picture, {.format = info.name, .quality = 20, .overwrite = false}) !=
                             encodeImage(picture, {.format = info.name, .quality = 80, .overwrite = false});
        for (const QWidget *widget : {static_cast<QWidget *>(find<QSpinBox>("save.quality")),
                                      static_cast<QWidget *>(dialog()->findChild<QSlider *>())})
            QVERIFY2(widget->isVisible() == differs, info.name.c_str());
    }
    dialog()->reject();
}

// The disk says no: the picture stays, and the next dialog has what was chosen.
void WindowLimitsTest::aFailedSaveLosesNothing() {
    open();
    filter("emboss");
    window_->setAsksBeforeClosing(true);
    answerNext(QStringLiteral("Save"));
    QVERIFY(!window_->close()); // to be closed once it is saved
    const QString place = folder_.path(QStringLiteral("gone"));
    QVERIFY(QDir().mkpath(place));
    const QString target = place + QStringLiteral("/My picture.jpg");
    find<QLineEdit>("save.path")->setText(target);
    find<QComboBox>("save.depth")->setCurrentIndex(int(OutputDepth::U8));
    find<QSpinBox>("save.quality")->setValue(77);
    const Image wanted = expected();
    QVERIFY(QDir(place).removeRecursively()); // since the dialog looked
    QTest::mouseClick(find<QPushButton>("save.accept"), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return find<MessageBar>()->isShowing(); }, 20000));
    QCOMPARE(find<MessageBar>()->message().kind, Message::Kind::Error);
    QVERIFY(window_->isVisible());
    QVERIFY(document().needsSaving());
    QVERIFY(samePixels(*shown(), wanted));
    QVERIFY(QDir().mkpath(place));
    QTRY_VERIFY(!dialog());
    window_->saveDialog();
    QCOMPARE(proposed(), target);
    QCOMPARE(find<QComboBox>("save.format")->currentData().toString(), QStringLiteral("jpg"));
    QCOMPARE(find<QComboBox>("save.depth")->currentIndex(), int(OutputDepth::U8));
    QCOMPARE(find<QSpinBox>("save.quality")->value(), 77);
    QTest::mouseClick(find<QPushButton>("save.accept"), Qt::LeftButton);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(window_->isVisible()); // closing was given up with the save that failed
    window_->setAsksBeforeClosing(false);
}

void WindowLimitsTest::theNameSavedLastIsProposed() {
    open(QStringLiteral("one.png"));
    filter("emboss");
    const auto saveAs = [&](const QString &name) {
        window_->saveDialog();
        if (!name.isEmpty())
            find<QLineEdit>("save.path")->setText(folder_.path(name));
        QTest::mouseClick(find<QPushButton>("save.accept"), Qt::LeftButton);
        return QTest::qWaitFor([&] { return !dialog() && !document().needsSaving(); }, 20000);
    };
    const auto isProposed = [&](const QString &name) {
        window_->saveDialog();
        const QString path = proposed();
        delete dialog();
        return path == folder_.path(name) ? QByteArray() : path.toUtf8();
    };
    QVERIFY(saveAs(QStringLiteral("final.tif")));
    QCOMPARE(isProposed(QStringLiteral("final.tif")), QByteArray());
    filter("sobel"); // a name of the user's own stays
    QCOMPARE(isProposed(QStringLiteral("final.tif")), QByteArray());
    open(QStringLiteral("two.png")); // each picture has its own
    filter("emboss");
    QCOMPARE(isProposed(QStringLiteral("two-emboss.png")), QByteArray());
    QVERIFY(saveAs(QStringLiteral("two-emboss.webp"))); // the window's name in another format
    filter("sobel");
    QCOMPARE(isProposed(QStringLiteral("two-sobel.webp")), QByteArray());
    window_->session().setCurrentIndex(0);
    QCOMPARE(isProposed(QStringLiteral("final.tif")), QByteArray());
}

// Closing it just after it was saved: once the file is there, nothing is left to ask.
void WindowLimitsTest::aFileThatIsBeingSavedIsNotAskedFor() {
    open(QStringLiteral("large.png"), 1500, 1100);
    filter("gaussian:sigma=2");
    window_->setAsksBeforeClosing(true);
    window_->session().save(folder_.path(QStringLiteral("slow.png")), {}, OutputDepth::U16);
    QVERIFY(window_->session().saving());
    find<QAction>(QStringLiteral("file.close"))->trigger(); // would hang at a question that stays
    QCOMPARE(window_->session().count(), 0);
    QVERIFY(QFile::exists(folder_.path(QStringLiteral("slow.png"))));
}

// What the system's dialog for files proposes, after one name was chosen and could not be written to.
void WindowLimitsTest::otherFilesAreProposedAsNamedLast() {
    open();
    filter("emboss");
    const auto inDialog = [&](const QString &entry, const QString &choose) {
        QString found;
        QTimer::singleShot(100, this, [&] {
            auto *chooser = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            QVERIFY(chooser);
            auto *name = chooser->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
            found = name->text();
            if (choose.isEmpty())
                return chooser->reject();
            name->setText(choose);
            QMetaObject::invokeMethod(chooser, "accept");
        });
        for (QAction *action : window_->findChildren<QAction *>())
            if (QString(action->text()).remove(QLatin1Char('&')) == entry) {
                action->trigger();
                break; // the chain's card has one of them, too
            }
        return QFileInfo(found).completeBaseName();
    };
    for (const QString &entry : {QStringLiteral("Save session…"), QStringLiteral("Save chain as preset…")}) {
        const QString refused = folder_.path(entry == QStringLiteral("Save session…") ? QStringLiteral("mine.tessera")
                                                                                      : QStringLiteral("mine.json"));
        QVERIFY(inDialog(entry, refused) != QStringLiteral("mine"));
        QVERIFY(waitUntilIdle(*window_));
        QVERIFY(QFile::remove(refused));
    }
    QCOMPARE(inDialog(QStringLiteral("Save session…"), {}), QStringLiteral("mine"));
    QCOMPARE(inDialog(QStringLiteral("Save chain as preset…"), {}), QStringLiteral("Emboss")); // it was saved
}

} // namespace

QTEST_MAIN(WindowLimitsTest)
#include "window_limits_test.moc"
