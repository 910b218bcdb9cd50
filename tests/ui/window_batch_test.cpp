// What the batch tells besides failures: what it left out, and what is odd about files that went well.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/bridge/message.h"
#include "ui/panels/batch_dialog.h"

#include <QCheckBox>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>

#include <unistd.h>
#include <utility>

using namespace tessera;

namespace {

class WindowBatchTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { window_.reset(); }

    void everyNoteIsToldOnceWithItsFile();
    void aNameThatHoldsAPlaceIsToldAsItIs();
    void whatWasLeftOutIsTold();
    void aFolderOfOtherThingsSaysWhatItHolds();
    void aFolderThatCannotBeReadIsAFailure();
    void aStoppedRunGoesOn();
    void whatIsNotOfThisBatchIsNotSkipped();
    void anUnfinishedFolderIsRemembered();
    void manyNotesLeaveRoom();
    void advisesNoOption_data();
    void advisesNoOption();

private:
    QString inputs(const QString &name = {}) { return folder_.path(QStringLiteral("in/") + name); }
    QStringList run(const QStringList &paths); // the lines of the note
    void again() {                             // in the same dialog
        QTest::mouseClick(find<QPushButton>("batch.start"), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return !find<BatchDialog>()->runner().running(); }, 60000));
    }
};

void WindowBatchTest::init() {
    makeWindow();
    open();
    clickFilter(QStringLiteral("Emboss"));
    QDir(inputs()).removeRecursively();
    QDir(folder_.path(QStringLiteral("out"))).removeRecursively();
    QVERIFY(QDir().mkpath(inputs()));
}

QStringList WindowBatchTest::run(const QStringList &paths) {
    window_->openBatch();
    auto *dialog = find<BatchDialog>();
    dialog->setInputs(paths);
    find<QLineEdit>("batch.folder")->setText(folder_.path(QStringLiteral("out")));
    QTest::mouseClick(find<QPushButton>("batch.start"), Qt::LeftButton);
    if (!QTest::qWaitFor([&] { return !dialog->runner().running(); }, 60000))
        return {QStringLiteral("it did not end")};
    auto *note = find<QLabel>("batch.note");
    return note->isHidden() ? QStringList() : note->text().split(QLatin1Char('\n'));
}

void WindowBatchTest::everyNoteIsToldOnceWithItsFile() {
    writeWideFloats(folder_, QStringLiteral("in/f64.tif"));
    writeWideFloats(folder_, QStringLiteral("in/f64b.tif"));
    writeScene(folder_, QStringLiteral("in/p.png"), 40, 30, {Depth::U8, 3});
    writeScene(folder_, QStringLiteral("in/named.png"), 40, 30, {Depth::U8, 3});
    QVERIFY(QFile::rename(inputs(QStringLiteral("named.png")), inputs(QStringLiteral("named.jpg"))));
    const QStringList lines = run({inputs()});
    const QString all = lines.join(QLatin1Char('\n'));
    QVERIFY2(lines.size() == 2, qPrintable(all));
    const QRegularExpression floats(
        QStringLiteral("^f64b?\\.tif and 1 more: its 64-bit floats were read as 32-bit ones$"));
    QVERIFY2(lines.filter(floats).size() == 1, qPrintable(all));
    const QStringList named = lines.filter(QStringLiteral("named.jpg: by its content it is png"));
    QVERIFY2(named.size() == 1 && named.first().endsWith(QStringLiteral("the format png would lose nothing")),
             qPrintable(all));
    QVERIFY2(find<QLabel>("batch.state")->text().contains(QStringLiteral("4 of 4")),
             qPrintable(find<QLabel>("batch.state")->text()));
    QVERIFY(run({inputs(QStringLiteral("p.png"))}).isEmpty()); // nothing of the run before
}

// "%2" is where a text takes its second word, and no place in a name.
void WindowBatchTest::aNameThatHoldsAPlaceIsToldAsItIs() {
    for (const char *name : {"in/50%2a.tif", "in/50%2b.tif"})
        writeWideFloats(folder_, QString::fromLatin1(name));
    const QString line = run({inputs()}).join(QLatin1Char('\n'));
    const QRegularExpression whole(QStringLiteral("^50%2[ab]\\.tif and 1 more: "));
    QVERIFY2(whole.match(line).hasMatch(), qPrintable(line));
}

void WindowBatchTest::whatWasLeftOutIsTold() {
    writeScene(folder_, QStringLiteral("in/p.png"), 40, 30, {Depth::U8, 3});
    put(inputs(QStringLiteral("x.gif")), "GIF89a");
    put(inputs(QStringLiteral("notes.txt")), "dear diary");
    put(inputs(QStringLiteral(".hidden.png")), "x");
    QVERIFY(QDir().mkpath(inputs(QStringLiteral("sub"))));
    const QStringList lines = run({inputs()});
    QCOMPARE(lines,
             (QStringList{
                 QStringLiteral("1 left out (.hidden.png): hidden"),
                 QStringLiteral("2 left out (notes.txt and 1 more): not a picture that Tessera reads"),
                 QStringLiteral("1 left out (sub): a folder; choose “Folders within folders too” to look into it"),
             }));
    QVERIFY(find<QLabel>("batch.state")->text().contains(QStringLiteral("1 of 1")));
}

void WindowBatchTest::aFolderOfOtherThingsSaysWhatItHolds() {
    put(inputs(QStringLiteral("x.gif")), "GIF89a");
    const QStringList lines = run({inputs()});
    QCOMPARE(lines, QStringList{QStringLiteral("1 left out (x.gif): not a picture that Tessera reads")});
    QCOMPARE(find<QListWidget>("batch.failures")->count(), 1);
    QCOMPARE(find<QLabel>("batch.state")->text(), QStringLiteral("Nothing was done"));
}

void WindowBatchTest::aFolderThatCannotBeReadIsAFailure() {
    if (::geteuid() == 0)
        QSKIP("root may read everything here");
    writeScene(folder_, QStringLiteral("in/p.png"), 40, 30, {Depth::U8, 3});
    const QString locked = folder_.path(QStringLiteral("locked"));
    QVERIFY(QDir().mkpath(locked) && QFile::setPermissions(locked, {}));
    run({inputs(), locked});
    QFile::setPermissions(locked, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    auto *failures = find<QListWidget>("batch.failures");
    QCOMPARE(failures->count(), 1);
    QVERIFY(failures->item(0)->text().contains(QStringLiteral("locked")));
    QVERIFY(find<QLabel>("batch.state")->text().contains(QStringLiteral("1 of 1")));
}

// As with the mouse: Cancel after some files, then Start again.
void WindowBatchTest::aStoppedRunGoesOn() {
    constexpr int files = 24;
    for (int i = 0; i < files; ++i)
        writeScene(folder_, QStringLiteral("in/p%1.png").arg(i), 240, 180, {Depth::U8, 3});
    window_->openBatch();
    auto *dialog = find<BatchDialog>();
    dialog->setInputs({inputs()});
    find<QLineEdit>("batch.folder")->setText(folder_.path(QStringLiteral("out")));
    auto *start = find<QPushButton>("batch.start");
    auto *skip = find<QCheckBox>("batch.skip");
    QVERIFY(!skip->isChecked());
    connect(&dialog->runner(), &BatchRunner::fileFinished, dialog, [&, once = true]() mutable {
        if (std::exchange(once, false))
            QTest::mouseClick(start, Qt::LeftButton);
    });
    QTest::mouseClick(start, Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !dialog->runner().running(); }, 60000));
    auto *state = find<QLabel>("batch.state");
    QVERIFY2(state->text().startsWith(QStringLiteral("Cancelled.")), qPrintable(state->text()));
    const QDir out(folder_.path(QStringLiteral("out")));
    const auto made = out.entryList({QStringLiteral("*.png")}, QDir::Files).size();
    QVERIFY2(made > 0 && made < files, qPrintable(QString::number(made)));
    const QDateTime first = QFileInfo(out.filePath(out.entryList({QStringLiteral("*.png")}).first())).lastModified();
    QVERIFY(skip->isChecked()); // by itself
    again();
    QCOMPARE(find<QListWidget>("batch.failures")->count(), 0);
    QCOMPARE(state->text(), QStringLiteral("%1 of %1 files done, %2 of them by an earlier run").arg(files).arg(made));
    QCOMPARE(out.entryList({QStringLiteral("*.png")}, QDir::Files).size(), files);
    QCOMPARE(QFileInfo(out.filePath(out.entryList({QStringLiteral("*.png")}).first())).lastModified(), first);
}

void WindowBatchTest::whatIsNotOfThisBatchIsNotSkipped() {
    writeScene(folder_, QStringLiteral("in/a.png"), 40, 30, {Depth::U8, 3});
    writeScene(folder_, QStringLiteral("in/b.png"), 40, 30, {Depth::U8, 3});
    run({inputs()});
    writeScene(folder_, QStringLiteral("in/b.png"), 44, 30, {Depth::U8, 3}); // another picture by now
    run({inputs()});
    auto *failures = find<QListWidget>("batch.failures");
    QCOMPARE(failures->count(), 2);
    QVERIFY2(failures->item(0)->text().contains(QStringLiteral("choose to skip or to replace")),
             qPrintable(failures->item(0)->text()));
    find<QCheckBox>("batch.skip")->setChecked(true);
    again();
    QCOMPARE(failures->count(), 1);
    QVERIFY2(failures->item(0)->text().contains(QStringLiteral("b-emboss.png exists and is not what this batch")),
             qPrintable(failures->item(0)->text()));
    find<QCheckBox>("batch.overwrite")->setChecked(true); // both: the rest is replaced
    answerNext(QStringLiteral("Replace"));
    again();
    QVERIFY2(asked_.contains(QStringLiteral("b-emboss.png")) && !asked_.contains(QStringLiteral("a-emboss.png")),
             qPrintable(asked_));
    QCOMPARE(failures->count(), 0);
    QCOMPARE(find<QLabel>("batch.state")->text(), QStringLiteral("2 of 2 files done, 1 of them by an earlier run"));
    QCOMPARE(loadImage(folder_.path(QStringLiteral("out/b-emboss.png")).toStdString()).width(), 44);
}

// Closing the dialog stops the run, too; the next dialog offers to go on, until a run comes to its end.
void WindowBatchTest::anUnfinishedFolderIsRemembered() {
    for (int i = 0; i < 24; ++i)
        writeScene(folder_, QStringLiteral("in/p%1.png").arg(i), 240, 180, {Depth::U8, 3});
    const QString out = folder_.path(QStringLiteral("out"));
    window_->openBatch();
    QPointer<BatchDialog> dialog = find<BatchDialog>();
    dialog->setAsksBeforeClosing(false);
    dialog->setInputs({inputs()});
    find<QLineEdit>("batch.folder")->setText(out);
    QTest::mouseClick(find<QPushButton>("batch.start"), Qt::LeftButton);
    QVERIFY(dialog->runner().running());
    dialog->close();
    QVERIFY(QTest::qWaitFor([&] { return dialog.isNull(); }, 20000));
    run({inputs()}); // a new dialog
    QVERIFY(find<QCheckBox>("batch.skip")->isChecked());
    QCOMPARE(find<QListWidget>("batch.failures")->count(), 0);
    find<BatchDialog>()->close();
    QVERIFY(QTest::qWaitFor([&] { return !find<BatchDialog>(); }, 20000));
    window_->openBatch();
    find<QLineEdit>("batch.folder")->setText(out);
    QVERIFY(!find<QCheckBox>("batch.skip")->isChecked());
}

void WindowBatchTest::manyNotesLeaveRoom() {
    window_->openBatch();
    QStringList lines;
    for (int i = 0; i < 40; ++i)
        lines << QStringLiteral("%1.png: odd in a way of its own").arg(i);
    emit find<BatchDialog>()->runner().told(lines);
    auto *note = find<QLabel>("batch.note");
    QVERIFY(note->text().count(QLatin1Char('\n')) < 8);
    QVERIFY(note->text().endsWith(QStringLiteral("And 34 more.")));
    QVERIFY(note->toolTip().contains(QStringLiteral("39.png")));
}

void WindowBatchTest::advisesNoOption_data() {
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("shown");
    const auto row = [](const char *said, const char *shown) {
        QTest::newRow(said) << QString::fromUtf8(said) << QString::fromUtf8(shown);
    };
    row("by its content it is png, not jpg as its name says; --format png would lose nothing",
        "by its content it is png, not jpg as its name says; the format png would lose nothing");
    row("--name gives 'a.png', but --format is jpg", "the name gives 'a.png', but the format is jpg");
    row("choose one with --format, such as png", "choose a format, such as png");
    row("choose another with -o, or check the permissions", "choose another, or check the permissions");
    row("choose another output folder with -o, or another --name; nothing was done",
        "choose another output folder, or other names; nothing was done");
    row("tell them apart by --name with {parent}", "tell them apart by the name with {parent}");
    row("a -o in a name stays: photo-o.png", "a -o in a name stays: photo-o.png");
}

void WindowBatchTest::advisesNoOption() {
    QFETCH(QString, said);
    QFETCH(QString, shown);
    QCOMPARE(inWindowTerms(said.toStdString()), shown);
}

} // namespace

QTEST_MAIN(WindowBatchTest)
#include "window_batch_test.moc"
