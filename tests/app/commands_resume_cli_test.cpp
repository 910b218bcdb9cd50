// The real binary stops and goes on: --skip-existing, signals, a kill in the middle.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QElapsedTimer>
#include <QMap>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>

using namespace tessera::test;

class CommandsResumeTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void skipExistingDoesTheRestOnly();
    void idleParametersDoNotCount();
    void changedInputsAndParametersAreRefused();
    void foreignOutputsAreRefused();
    void aSignalFinishesWhatIsInHand_data();
    void aSignalFinishesWhatIsInHand();
    void aSecondSignalStopsAtOnce();
    void aSignalBeforeAnyWork();
    void aKillLosesNothing();
    void twoBatchesOnOneFolder();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    RunSettings here() const { return {temporary_->path(), {}, {}, 240'000}; }
    Run batch(const QStringList &arguments) const { return runTessera(QStringList{"batch"} + arguments, here()); }
    QStringList slowBatch(const QStringList &more) const;
    QMap<QString, QByteArray> pictures(const QString &folder) const;
    bool waitForOutputs(int count) const;

    static constexpr int files = 24;
    int code_ = 0;
    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsResumeTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    QDir(temporary_->path()).mkdir("in");
    for (int i = 0; i < files; ++i)
        writePpm(path(QString("in/%1.ppm").arg(i, 2, 10, QChar('0'))), 150, 100 + i);
}

// About a thousand taps a pixel: slow enough to be caught in the middle.
QStringList CommandsResumeTest::slowBatch(const QStringList &more) const {
    return QStringList{"batch", "in", "-o", "out", "--filter", "disk:radius=20", "--variant", "cpu", "--jobs", "2"} +
           more;
}

QMap<QString, QByteArray> CommandsResumeTest::pictures(const QString &folder) const {
    QMap<QString, QByteArray> result;
    for (const QString &name : filesIn(path(folder)))
        if (!name.startsWith('.'))
            result[name] = readFile(path(folder + "/" + name));
    return result;
}

bool CommandsResumeTest::waitForOutputs(int count) const {
    QElapsedTimer timer;
    for (timer.start(); timer.elapsed() < 120'000; QTest::qSleep(2))
        if (pictures("out").size() >= count)
            return true;
    return false;
}

void CommandsResumeTest::skipExistingDoesTheRestOnly() {
    const QStringList arguments{"in", "-o", "out", "--filter", "box", "--report", "r.jsonl"};
    EXPECT_CODE(batch(arguments), 0);
    const auto first = pictures("out");
    QCOMPARE(first.size(), files);
    QVERIFY(QFile::remove(path("out/03-box.ppm")) && QFile::remove(path("out/07-box.ppm")));
    const Run rest = batch(arguments + QStringList{"--skip-existing"});
    EXPECT_CODE(rest, 0);
    EXPECT_IN(rest.err, "2 of 24 files done, 22 skipped as up to date");
    QCOMPARE(pictures("out"), first);
    QCOMPARE(readFile(path("r.jsonl")).count('\n'), 2 * files); // appended, with a line a skipped file too
}

// What does not decide an output is no other way to make it: a quality where the format knows none, a format that the
// name tells anyway.
void CommandsResumeTest::idleParametersDoNotCount() {
    QDir(temporary_->path()).mkdir("few");
    writePpm(path("few/a.ppm"), 30, 20);
    const auto again = [&](const QStringList &first, const QStringList &second) {
        QDir(path("out")).removeRecursively();
        const QStringList arguments{"few", "-o", "out", "--filter", "box"};
        QCOMPARE(batch(arguments + first).code, 0);
        const Run run = batch(arguments + second + QStringList{"--skip-existing"});
        if (run.code == 0)
            EXPECT_IN(run.err, "1 skipped as up to date");
        else
            EXPECT_IN(run.err, "other parameters");
        code_ = run.code;
    };
    for (const char *format : {"png", "tiff", "ppm", "hdr"}) {
        if (QByteArray(format) == "hdr")
            again({"--format", format, "--depth", "32f", "--quality", "40"}, {"--format", format, "--depth", "32f"});
        else
            again({"--format", format, "--quality", "40"}, {"--format", format});
        QVERIFY2(code_ == 0, format);
    }
    again({}, {"--format", "ppm"});
    QCOMPARE(code_, 0);
    again({"--format", "png"}, {"--name", "{stem}-{filter}.png", "--quality", "3"});
    QCOMPARE(code_, 0);
    for (const char *format : {"jpg", "webp"}) {
        again({"--format", format, "--quality", "40"}, {"--format", format});
        QVERIFY2(code_ == 2, format);
        again({"--format", format, "--quality", "40"}, {"--format", format, "--quality", "40"});
        QVERIFY2(code_ == 0, format);
    }
    const QStringList plain{"--name", "{stem}", "--format"};
    again(plain + QStringList{"png"}, plain + QStringList{"jpg"});
    QCOMPARE(code_, 2);
    again(plain + QStringList{"png"}, plain + QStringList{"png", "--quality", "3"});
    QCOMPARE(code_, 0);
}

void CommandsResumeTest::changedInputsAndParametersAreRefused() {
    EXPECT_CODE(batch({"in", "-o", "out", "--filter", "box"}), 0);
    const auto first = pictures("out");
    const Run parameters = batch({"in", "-o", "out", "--filter", "box:width=5", "--skip-existing"});
    EXPECT_CODE(parameters, 2);
    EXPECT_IN(parameters.err, "other parameters");
    writePpm(path("in/05.ppm"), 33, 44);
    const Run input = batch({"in", "-o", "out", "--filter", "box", "--skip-existing"});
    EXPECT_CODE(input, 2);
    EXPECT_IN(input.err, "05-box.ppm");
    EXPECT_IN(input.err, "its input has changed");
    QCOMPARE(pictures("out"), first);
    const Run renewed = batch({"in", "-o", "out", "--filter", "box", "--skip-existing", "--overwrite"});
    EXPECT_CODE(renewed, 0);
    EXPECT_IN(renewed.err, "1 of 24 files done, 23 skipped as up to date");
    QVERIFY(pictures("out")["05-box.ppm"].startsWith("P6\n33 44\n"));
    // What does not decide the pixels does not count.
    EXPECT_IN(batch({"in", "-o", "out", "--filter", "box", "--skip-existing", "--jobs", "1"}).err, "24 skipped");
}

void CommandsResumeTest::foreignOutputsAreRefused() {
    QDir(temporary_->path()).mkdir("out");
    writeFile(path("out/03-box.ppm"), "somebody else's");
    const Run run = batch({"in", "-o", "out", "--filter", "box", "--skip-existing"});
    EXPECT_CODE(run, 2);
    EXPECT_IN(run.err, "no batch has recorded it");
    QCOMPARE(readFile(path("out/03-box.ppm")), QByteArray("somebody else's"));
}

void CommandsResumeTest::aSignalFinishesWhatIsInHand_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
}

void CommandsResumeTest::aSignalFinishesWhatIsInHand() {
    QFETCH(int, signal);
    QProcess process;
    prepare(process, slowBatch({"--report", "r.jsonl", "--json"}), here());
    process.start();
    QVERIFY(process.waitForStarted());
    QVERIFY(waitForOutputs(1));
    ::kill(pid_t(process.processId()), signal);
    QVERIFY(process.waitForFinished(120'000));
    const QByteArray err = process.readAllStandardError();
    QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 75, err.constData());
    EXPECT_IN(err, "--skip-existing");
    const qsizetype done = pictures("out").size();
    QVERIFY2(done >= 1 && done < files, "the signal came too late to test anything");
    QCOMPARE(filesIn(path("out")).size(), done + 1);       // the record, and nothing temporary
    QCOMPARE(readFile(path("r.jsonl")).count('\n'), done); // what was done was reported
    const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    QCOMPARE(json["summary"]["done"].toInt(), int(done));
    QCOMPARE(json["summary"]["interrupted"].toBool(), true);

    const Run rest = runTessera(slowBatch({"--skip-existing"}), here());
    EXPECT_CODE(rest, 0);
    EXPECT_IN(rest.err, QByteArray::number(done) + " skipped as up to date");
    QCOMPARE(pictures("out").size(), files);
}

void CommandsResumeTest::aSecondSignalStopsAtOnce() {
    writePpm(path("in/large.ppm"), 3000, 2500);
    QStringList arguments{"batch", "in/large.ppm", "-o", "out", "--variant", "cpu"};
    for (int i = 0; i < 40; ++i) // many seconds
        arguments << "--filter"
                  << "disk:radius=31";
    QProcess process;
    prepare(process, arguments, here());
    process.start();
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("out/.tessera-batch.jsonl")), 60'000); // work has begun
    QTest::qSleep(300); // and the picture is decoded: before that it would be given up at the first signal
    ::kill(pid_t(process.processId()), SIGINT);
    QVERIFY(!process.waitForFinished(300));
    ::kill(pid_t(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 75);
    QCOMPARE(filesIn(path("out")), (QStringList{".tessera-batch.jsonl"}));
}

void CommandsResumeTest::aSignalBeforeAnyWork() {
    QProcess process; // waits for its list
    prepare(process, {"batch", "--files-from", "-", "-o", "out", "--filter", "box"}, here());
    process.start();
    QVERIFY(process.waitForStarted());
    QByteArray err;
    QTRY_VERIFY_WITH_TIMEOUT(
        (process.waitForReadyRead(10), err += process.readAllStandardError(), err.contains("using")), 60'000);
    ::kill(pid_t(process.processId()), SIGTERM);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 75);
    QVERIFY(!QDir(path("out")).exists());
}

void CommandsResumeTest::aKillLosesNothing() {
    QProcess process;
    prepare(process, slowBatch({}), here());
    process.start();
    QVERIFY(process.waitForStarted());
    QVERIFY(waitForOutputs(2));
    process.kill();
    QVERIFY(process.waitForFinished());
    const auto survivors = pictures("out");
    QVERIFY2(survivors.size() < files, "the kill came too late to test anything");
    const Run rest = runTessera(slowBatch({"--skip-existing"}), here());
    EXPECT_CODE(rest, 0);
    const auto all = pictures("out");
    QCOMPARE(all.size(), files);
    // The same as in one go.
    QStringList whole = slowBatch({});
    whole[3] = "whole";
    EXPECT_CODE(runTessera(whole, here()), 0);
    QCOMPARE(all, pictures("whole"));
}

void CommandsResumeTest::twoBatchesOnOneFolder() {
    QProcess other;
    prepare(other, slowBatch({}), here());
    other.start();
    QVERIFY(other.waitForStarted());
    const Run run = runTessera(slowBatch({}), here());
    QVERIFY(other.waitForFinished(240'000));
    // Each output is made by one of the two; the other is refused it, before the work or at the end of it.
    QCOMPARE(pictures("out").size(), files);
    QVERIFY2(run.code == 0 || run.code == 1 || run.code == 2, qPrintable(run.text()));
    QVERIFY(other.exitCode() == 0 || other.exitCode() == 1 || other.exitCode() == 2);
    for (const QByteArray &picture : pictures("out"))
        QVERIFY(picture.startsWith("P6\n150 "));
    EXPECT_CODE(runTessera(slowBatch({"--skip-existing"}), here()), 0);
}

QTEST_APPLESS_MAIN(CommandsResumeTest)
#include "commands_resume_cli_test.moc"
