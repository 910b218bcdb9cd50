// A batch and others who work in its folders: other batches at the same time, and people.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <filesystem>
#include <memory>
#include <sys/stat.h>

using namespace tessera::test;
namespace fs = std::filesystem;

class CommandsNeighboursTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void twoResumedBatchesEndWell_data();
    void twoResumedBatchesEndWell();
    void theRecordIsTheWinners();
    void whatAnotherMakesMeanwhile_data();
    void whatAnotherMakesMeanwhile();
    void changedOutputsAmongInputsAreKept();
    void foldersThatHoldInputs_data();
    void foldersThatHoldInputs();
    void linksToInputsAreRefused();
    void namesOfOutputsThatAreLeftOutAreToldOf();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    RunSettings here() const { return {temporary_->path(), {}, {}, 240'000}; }
    Run batch(const QStringList &arguments) const { return runTessera(QStringList{"batch"} + arguments, here()); }

    std::array<Run, 2> together(const std::array<QStringList, 2> &arguments) const;

    std::unique_ptr<QTemporaryDir> temporary_;
};

// Two batches that have both planned their files before either begins: each waits until somebody reads its report.
std::array<Run, 2> CommandsNeighboursTest::together(const std::array<QStringList, 2> &arguments) const {
    std::array<Run, 2> runs;
    std::array<QProcess, 2> batches, readers;
    const auto pipe = [](std::size_t i) { return QString("pipes/%1").arg(i); };
    for (std::size_t i = 0; i < 2; ++i) {
        ::mkfifo(path(pipe(i)).toLocal8Bit().constData(), 0600);
        prepare(batches[i], arguments[i] + QStringList{"--report", pipe(i)}, here());
        batches[i].start();
        const auto waits = [&] {
            runs[i].err += batches[i].readAllStandardError();
            return runs[i].err.contains("when somebody reads it");
        };
        if (!QTest::qWaitFor(waits, 60'000))
            return runs;
    }
    for (std::size_t i = 0; i < 2; ++i)
        readers[i].start("cat", {path(pipe(i))});
    for (std::size_t i = 0; i < 2; ++i) {
        const bool ended = batches[i].waitForFinished(240'000) && readers[i].waitForFinished(240'000);
        runs[i].code = ended ? batches[i].exitCode() : -1;
        runs[i].err += batches[i].readAllStandardError();
    }
    return runs;
}

void CommandsNeighboursTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    for (const char *folder : {"in", "in/sub", "pipes"})
        QDir(temporary_->path()).mkpath(folder);
    for (int i = 0; i < 8; ++i)
        writePpm(path(QString("in/%1.ppm").arg(i)), 150, 100 + i);
    writePpm(path("in/sub/deep.ppm"), 30, 20);
}

void CommandsNeighboursTest::twoResumedBatchesEndWell_data() {
    QTest::addColumn<QStringList>("more");
    QTest::newRow("whole") << QStringList{};
    QTest::newRow("in bands") << QStringList{"--max-memory", "1100K"};
    QTest::newRow("or replace") << QStringList{"--overwrite"};
}

void CommandsNeighboursTest::twoResumedBatchesEndWell() {
    QFETCH(QStringList, more);
    const QStringList arguments =
        QStringList{"batch", "in", "-o", "out", "--filter", "disk:radius=20", "--variant", "cpu", "--skip-existing"} +
        more;
    const std::array<Run, 2> runs = together({arguments + QStringList{"-v"}, arguments + QStringList{"-v"}});
    for (const Run &run : runs)
        EXPECT_CODE(run, 0);
    if (!more.contains("--overwrite")) // each file is made by one of them, and met by the other
        QVERIFY2((runs[0].err + runs[1].err).count("' meanwhile") == 8, (runs[0].err + runs[1].err).constData());
    const Run again = runTessera(arguments, here());
    EXPECT_CODE(again, 0);
    EXPECT_IN(again.err, "8 skipped as up to date");
}

// Of two that make the same outputs in different ways, the lines of the one that comes too late do not stay the last.
void CommandsNeighboursTest::theRecordIsTheWinners() {
    // In bands an output is begun long before it gets its name: most of them both have begun.
    const QStringList where{"batch", "in", "-o", "out", "--name", "{stem}.{ext}", "--variant", "cpu"},
        bands{"--max-memory", "1100K"};
    const QStringList some = where + QStringList{"--filter", "disk:radius=20"},
                      others = where + QStringList{"--filter", "disk:radius=19"};
    const std::array<Run, 2> runs = together({some + bands, others + bands});
    const QByteArray err = runs[0].err + runs[1].err;
    QVERIFY2(err.count("it was made while the batch ran") == 8, err.constData());
    for (const QStringList &arguments : {some, others}) {
        const Run again = runTessera(arguments + QStringList{"--skip-existing", "--dry-run"}, here());
        QVERIFY2(!again.text().contains("changed afterwards"), qPrintable(again.text()));
    }
}

void CommandsNeighboursTest::whatAnotherMakesMeanwhile_data() {
    QTest::addColumn<QStringList>("first"); // its options; it waits until the second has ended
    QTest::addColumn<QStringList>("second");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("word");
    const QStringList box{"--filter", "box"}, wide{"--filter", "box:width=9"}, skip{"--skip-existing"};
    QTest::newRow("the same") << box + skip << box + skip << 0 << QByteArray("8 skipped as up to date");
    QTest::newRow("the same, in full") << box + skip << box << 0 << QByteArray("8 skipped as up to date");
    QTest::newRow("other parameters") << box + skip << wide + skip << 1 << QByteArray("with other parameters");
    QTest::newRow("not asked to go on") << box << box << 1 << QByteArray("it was made while the batch ran");
    QTest::newRow("to replace") << box + skip + QStringList{"--overwrite"} << wide + skip << 0
                                << QByteArray("8 of 8 files done");
}

void CommandsNeighboursTest::whatAnotherMakesMeanwhile() {
    QFETCH(QStringList, first);
    QFETCH(QStringList, second);
    QFETCH(int, code);
    QFETCH(QByteArray, word);
    // Outputs are decided before the report is opened, and a pipe opens when somebody reads it.
    QCOMPARE(::mkfifo(path("pipes/report").toLocal8Bit().constData(), 0600), 0);
    QDir(temporary_->path()).mkdir("out");
    const QStringList where{"in", "-o", "out", "--name", "{stem}.{ext}"};
    QProcess process;
    prepare(process, QStringList{"batch"} + where + first + QStringList{"--report", "pipes/report", "-v"}, here());
    process.start();
    QVERIFY(process.waitForStarted());
    QTest::qWait(500); // too short a wait would only try less
    EXPECT_CODE(batch(where + second), 0);
    const QByteArray made = readFile(path("out/3.ppm"));
    QProcess reader;
    reader.start("cat", {path("pipes/report")});
    QVERIFY(process.waitForFinished(120'000) && reader.waitForFinished(120'000));
    const QByteArray err = process.readAllStandardError();
    QVERIFY2(process.exitCode() == code, err.constData());
    EXPECT_IN(err, word);
    if (!first.contains("--overwrite"))
        QCOMPARE(readFile(path("out/3.ppm")), made);
    // The records are right again, whoever came last.
    const Run again = batch(where + (first.contains("--overwrite") ? first : second + QStringList{"--skip-existing"}));
    EXPECT_CODE(again, 0);
    EXPECT_IN(again.err, "8 skipped as up to date");
}

void CommandsNeighboursTest::changedOutputsAmongInputsAreKept() {
    const QStringList arguments{"in", "-o", "in", "--filter", "box", "--overwrite"};
    EXPECT_CODE(batch(arguments), 0);
    EXPECT_CODE(batch(arguments), 0); // its own, untouched: replaced
    writeFile(path("in/3-box.ppm"), readFile(path("in/5.ppm")));
    const QByteArray painted = readFile(path("in/3-box.ppm")), other = readFile(path("in/2-box.ppm"));
    for (const QStringList &more : {QStringList{}, QStringList{"--skip-existing"}}) {
        const Run run = batch(
            QStringList{"in", "-o", "in", "--filter", "box:width=5", "--name", "{stem}-box.{ext}", "--overwrite"} +
            more);
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, "'in/3-box.ppm'");
        EXPECT_IN(run.err, "1 output exists that somebody has changed since a batch made it");
        QCOMPARE(readFile(path("in/3-box.ppm")), painted);
        QCOMPARE(readFile(path("in/2-box.ppm")), other);
    }
    // No remedy is named that would be refused as well.
    for (const QStringList &more : {QStringList{}, QStringList{"--skip-existing"}}) {
        const Run run = batch(QStringList{"in", "-o", "in", "--filter", "box"} + more);
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, "move what is yours away");
    }
    writeFile(path("in/4-box.ppm"), painted);
    const Run two = batch(arguments);
    EXPECT_CODE(two, 2);
    EXPECT_IN(two.err, "2 outputs exist that somebody has changed since a batch made them");
    // In a folder of its own it is a result, which --overwrite is for.
    EXPECT_CODE(batch({"in", "-o", "out", "--filter", "box"}), 0);
    writeFile(path("out/3-box.ppm"), painted);
    EXPECT_CODE(batch({"in", "-o", "out", "--filter", "box", "--overwrite"}), 0);
    QVERIFY(readFile(path("out/3-box.ppm")) != painted);
}

void CommandsNeighboursTest::foldersThatHoldInputs_data() {
    QTest::addColumn<QStringList>("inputs");
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("output"); // of one of them
    QTest::newRow("a file") << QStringList{"in/3.ppm"} << "in"
                            << "in/3-box.ppm";
    QTest::newRow("a file one level down") << QStringList{"in/sub/deep.ppm"} << "in"
                                           << "in/deep-box.ppm";
    QTest::newRow("a folder one level down") << QStringList{"in/sub"} << "in"
                                             << "in/deep-box.ppm";
    QTest::newRow("two levels down") << QStringList{"in/sub/deep.ppm"} << "."
                                     << "deep-box.ppm";
    QTest::newRow("below the inputs") << QStringList{"in"} << "in/sub"
                                      << "in/sub/3-box.ppm";
    QTest::newRow("a list") << QStringList{"--files-from", "list"} << "in"
                            << "in/3-box.ppm";
    QTest::newRow("through a link") << QStringList{"link/3.ppm"} << "in"
                                    << "in/3-box.ppm";
}

void CommandsNeighboursTest::foldersThatHoldInputs() {
    QFETCH(QStringList, inputs);
    QFETCH(QString, folder);
    QFETCH(QString, output);
    fs::create_directory_symlink("in", path("link").toStdString());
    writeFile(path("list"), "in/3.ppm\n");
    writeFile(path(output), "somebody's");
    const Run run = batch(inputs + QStringList{"-o", folder, "--filter", "box", "--overwrite"});
    EXPECT_CODE(run, 2);
    EXPECT_IN(run.err, "1 output exists that no batch has made");
    QCOMPARE(readFile(path(output)), QByteArray("somebody's"));
    // Beside it, the same name is free to be replaced.
    QDir(temporary_->path()).mkdir("beside");
    const QString other = "beside/" + output.section('/', -1);
    writeFile(path(other), "somebody's");
    EXPECT_CODE(batch(inputs + QStringList{"-o", "beside", "--filter", "box", "--overwrite"}), 0);
    QVERIFY(readFile(path(other)).startsWith("P6"));
}

// Replacing the link would cost the picture nothing, but who has it there may think that it is the picture.
void CommandsNeighboursTest::linksToInputsAreRefused() {
    QDir(temporary_->path()).mkdir("out");
    const QByteArray before = readFile(path("in/3.ppm"));
    fs::create_symlink("../in/3.ppm", path("out/3-box.ppm").toStdString());
    for (const QStringList &more : {QStringList{}, QStringList{"--overwrite"}}) {
        const Run run = batch(QStringList{"in/3.ppm", "-o", "out", "--filter", "box"} + more);
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, "is itself an input");
        QVERIFY(fs::is_symlink(path("out/3-box.ppm").toStdString()));
    }
    // Of a picture that is no input the link gives way, and the picture stays.
    EXPECT_CODE(batch({"in/4.ppm", "-o", "out", "--filter", "box", "--name", "3-box.{ext}", "--overwrite"}), 0);
    QVERIFY(!fs::is_symlink(path("out/3-box.ppm").toStdString()));
    QCOMPARE(readFile(path("in/3.ppm")), before);
}

// Where a folder is its own output folder; nobody's picture is passed over in silence.
void CommandsNeighboursTest::namesOfOutputsThatAreLeftOutAreToldOf() {
    const QStringList again{"in", "-o", "in", "--filter", "box"};
    const Run first = batch(again);
    QCOMPARE(first.code, 0);
    QVERIFY2(!first.err.contains("left out"), first.err.constData());
    writePpm(path("in/3-box.ppm"), 40, 30); // somebody's own by now
    const Run second = batch(QStringList{"in", "-o", "in", "--filter", "sobel"});
    QCOMPARE(second.code, 0);
    QVERIFY2(second.err.contains("left out 7 pictures"), second.err.constData());
    QVERIFY2(
        second.err.contains("1 picture in the output folder that earlier batches made, and somebody changed since, "
                            "is filtered"),
        second.err.constData());
    QVERIFY(QFile::exists(path("in/3-box-sobel.ppm")) && !QFile::exists(path("in/4-box-sobel.ppm")));
    const Run named = batch(QStringList{"in", "in/4-box.ppm", "-o", "in", "--filter", "sobel", "--skip-existing"});
    QCOMPARE(named.code, 0);
    QVERIFY(QFile::exists(path("in/4-box-sobel.ppm")));
    // A content that a later batch has replaced was made by one all the same, as a copy from a backup may be.
    const QByteArray before = readFile(path("in/5-box.ppm"));
    EXPECT_CODE(batch({"in/5.ppm", "-o", "in", "--filter", "sobel", "--name", "5-box.{ext}", "--overwrite"}), 0);
    QVERIFY(readFile(path("in/5-box.ppm")) != before);
    writeFile(path("in/5-box.ppm"), before);
    EXPECT_CODE(batch({"in", "-o", "in", "--filter", "tent"}), 0);
    QVERIFY(!QFile::exists(path("in/5-box-tent.ppm")) && QFile::exists(path("in/3-box-tent.ppm")));
    QDir(path("only")).mkpath(".");
    QCOMPARE(batch({"in/1.ppm", "-o", "only", "--filter", "box"}).code, 0);
    const Run none = batch({"only", "-o", "only", "--filter", "box"});
    QCOMPARE(none.code, 3);
    QVERIFY2(none.err.contains("named themselves"), none.err.constData());
}

QTEST_GUILESS_MAIN(CommandsNeighboursTest)
#include "commands_neighbours_cli_test.moc"
