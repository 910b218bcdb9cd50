// The real binary and what is no file: pipes without a reader or writer, descriptors that a shell has opened, outputs
// whose names are taken by folders. Nothing of it may keep a batch from ending when it is told to.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace tessera::test;

class CommandsStreamsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void aSignalEndsTheWaitForTheOtherEnd_data();
    void aSignalEndsTheWaitForTheOtherEnd();
    void aSignalEndsTheWaitForASleepingReader();
    void aPipeTakesTheReport();
    void descriptorsOfTheShellTakeTheReport();
    void twoStreamsDoNotMix_data();
    void twoStreamsDoNotMix();
    void closedDescriptorsAreNobodysFile();
    void pipesAmongTheInputsAreNotWaitedFor();
    void readersThatGoAwayAreToldOf();
    void outputsWhoseNamesAreTaken_data();
    void outputsWhoseNamesAreTaken();
    void aCurrentFolderThatIsGone();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    QByteArray bytes(const QString &name) const { return QFile::encodeName(path(name)); }
    Run batch(const QStringList &arguments) const {
        return runTessera(QStringList{"batch", "--filter", "box"} + arguments, {temporary_->path(), {}, {}, 60'000});
    }
    Run shell(const QString &script) const {
        QProcess process;
        process.setWorkingDirectory(temporary_->path());
        process.start("/bin/sh", {"-c", script, executable()});
        process.waitForFinished(60'000);
        Run run;
        run.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        run.out = process.readAllStandardOutput();
        run.err = process.readAllStandardError();
        return run;
    }
    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsStreamsTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    QDir(temporary_->path()).mkdir("in");
    for (int i = 0; i < 3; ++i)
        writePpm(path(QString("in/%1.ppm").arg(i)), 8, 8);
    QCOMPARE(::mkfifo(bytes("pipe").constData(), 0600), 0);
}

void CommandsStreamsTest::aCurrentFolderThatIsGone() {
    const Run run = shell("mkdir gone && cd gone && rmdir ../gone && \"$0\" batch ../in -o out --filter box");
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("current folder is gone"), run.err.constData());
}

void CommandsStreamsTest::aSignalEndsTheWaitForTheOtherEnd_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("signal");
    const QStringList all{"in", "-o", "out"};
    for (const auto &[name, signal] : {std::pair{"TERM", SIGTERM}, {"INT", SIGINT}}) {
        const auto row = [&, signal = signal, name = name](const char *what, const QStringList &arguments) {
            QTest::addRow("%s, %s", what, name) << arguments << signal;
        };
        row("report", all + QStringList{"--report", "pipe"});
        row("report, resumed", all + QStringList{"--report", "pipe", "--skip-existing"});
        row("report, replaced", all + QStringList{"--report", "pipe", "--overwrite"});
        row("list", {"--files-from", "pipe", "-o", "out"});
    }
}

void CommandsStreamsTest::aSignalEndsTheWaitForTheOtherEnd() {
    QFETCH(QStringList, arguments);
    QFETCH(int, signal);
    QProcess process;
    prepare(process, QStringList{"batch", "--filter", "box"} + arguments, {temporary_->path(), {}, {}, 60'000});
    process.start();
    QVERIFY(process.waitForStarted());
    QVERIFY2(!process.waitForFinished(500), "it ended by itself");
    ::kill(pid_t(process.processId()), signal);
    const bool ended = process.waitForFinished(20'000);
    process.kill();
    QVERIFY2(ended, "it goes on after the first signal");
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 75);
    QVERIFY(!QDir(path("out")).exists());
}

// A reader that opens the pipe and then does nothing: the files are done, and what is asked for is the end.
void CommandsStreamsTest::aSignalEndsTheWaitForASleepingReader() {
    for (int i = 0; i < 60; ++i)
        writePpm(path(QString("in/more-%1.ppm").arg(i)), 8, 8);
    const int reader = ::open(bytes("pipe").constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    QVERIFY(reader >= 0);
    ::fcntl(reader, F_SETPIPE_SZ, 4096);
    QProcess process;
    prepare(process, {"batch", "in", "-o", "out", "--filter", "box", "--report", "pipe"},
            {temporary_->path(), {}, {}, 60'000});
    process.start();
    QVERIFY(process.waitForStarted());
    QVERIFY(QTest::qWaitFor([&] { return filesIn(path("out")).size() > 2; }, 60'000));
    QVERIFY2(!process.waitForFinished(300), "the pipe was not full");
    ::kill(pid_t(process.processId()), SIGTERM);
    const bool ended = process.waitForFinished(30'000);
    process.kill();
    ::close(reader);
    QVERIFY2(ended, "it goes on after the first signal");
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 75);
    EXPECT_IN(process.readAllStandardError(), "nobody reads it");
    const Run resumed = batch({"in", "-o", "out", "--skip-existing"});
    EXPECT_CODE(resumed, 0);
    QCOMPARE(filesIn(path("out")).size(), 64); // and the record
}

void CommandsStreamsTest::aPipeTakesTheReport() {
    for (const QString &more : {QString(), QString("--skip-existing"), QString("--overwrite")}) {
        const Run run = shell("cat pipe > got & \"$0\" batch in -o out --filter box --report pipe " + more + "; wait");
        EXPECT_CODE(run, 0);
        EXPECT_IN(run.err, "when somebody reads it");
        QCOMPARE(readFile(path("got")).count('\n'), 3);
    }
}

void CommandsStreamsTest::descriptorsOfTheShellTakeTheReport() {
    const QByteArray begin = "{\"index\":";
    const Run output = batch({"in", "-o", "a", "--report", "/dev/stdout"}); // a pipe of QProcess
    EXPECT_CODE(output, 0);
    QVERIFY2(output.out.startsWith(begin) && output.out.count('\n') == 3, output.out.constData());
    int folder = 0;
    for (const char *script : {"--report /dev/stdout > r", "--report /dev/fd/3 3> r", "--report /proc/self/fd/3 3>> r",
                               "--report /dev/fd/3 --skip-existing 3>> r", "--report /dev/stdout --overwrite > r",
                               "--report /dev/fd/3 3>&1 | cat > r"}) {
        QFile::remove(path("r"));
        const Run run = shell(QString("\"$0\" batch in -o b%1 --filter box %2").arg(folder++).arg(script));
        EXPECT_CODE(run, 0);
        QVERIFY2(readFile(path("r")).startsWith(begin) && readFile(path("r")).count('\n') == 3, script);
    }
    for (const char *script :
         {"--report /dev/fd/9", "--report /dev/fd/3 3< in/0.ppm", "--report /dev/stdin < in/0.ppm"})
        EXPECT_CODE(shell(QString("\"$0\" batch in -o never --filter box %1").arg(script)), 2);
    QVERIFY(!QDir(path("never")).exists());
}

void CommandsStreamsTest::twoStreamsDoNotMix_data() {
    QTest::addColumn<QString>("script");
    QTest::newRow("standard output") << "--report /dev/stdout | cat";
    QTest::newRow("its descriptor") << "--report /dev/fd/1";
    QTest::newRow("its descriptor's link") << "--report /proc/self/fd/1 > r";
    QTest::newRow("the file that it goes to") << "--report r --overwrite > r";
    QTest::newRow("the same, resumed") << "--report r --skip-existing > r";
    QTest::newRow("the same, tried dry") << "--report r --skip-existing --dry-run > r";
}

void CommandsStreamsTest::twoStreamsDoNotMix() {
    QFETCH(QString, script);
    const Run run = shell("\"$0\" batch in -o out --json --filter box " + script);
    EXPECT_IN(run.err, "would both go to standard output");
    QVERIFY(script.endsWith("cat") || run.code == 2);
    QVERIFY(run.out.isEmpty() && readFile(path("r")).isEmpty());
    QVERIFY(!QDir(path("out")).exists());
    EXPECT_CODE(shell("\"$0\" batch in -o out --json --filter box --report /dev/null > /dev/null"), 0);
}

// Messages must not land in whatever file gets the number of a closed standard error.
void CommandsStreamsTest::closedDescriptorsAreNobodysFile() {
    const Run open = batch({"in", "missing.ppm", "-o", "open", "--report", "open.jsonl"});
    EXPECT_CODE(open, 1);
    const Run closed = shell("\"$0\" batch in missing.ppm -o closed --filter box --report closed.jsonl <&- >&- 2>&-");
    EXPECT_CODE(closed, 1);
    for (const QString &name : filesIn(path("open")))
        if (name.endsWith(".ppm"))
            QCOMPARE(readFile(path("closed/" + name)), readFile(path("open/" + name)));
    for (const char *name : {"closed.jsonl", "closed/.tessera-batch.jsonl"})
        for (const QByteArray &line : readFile(path(name)).trimmed().split('\n'))
            QVERIFY2(QJsonDocument::fromJson(line).isObject(), line.constData());
    const Run json = shell("\"$0\" stats --json in/0.ppm >&-"); // what cannot be written is a failure still
    EXPECT_CODE(json, 1);
    EXPECT_IN(json.err, "standard output could not be written");
    const Run list = shell("\"$0\" batch --files-from - -o list --filter box <&-");
    EXPECT_CODE(list, 3);
}

void CommandsStreamsTest::pipesAmongTheInputsAreNotWaitedFor() {
    QCOMPARE(::mkfifo(bytes("in/pipe.ppm").constData(), 0600), 0);
    EXPECT_CODE(batch({"in", "-o", "out"}), 0); // left out, as -v says
    const Run named = batch({"in/pipe.ppm", "in/0.ppm", "/dev/zero", "-o", "named", "--format", "png"});
    EXPECT_CODE(named, 1);
    EXPECT_IN(named.err, "in/pipe.ppm: is not a regular file");
    EXPECT_IN(named.err, "/dev/zero: is not a regular file");
}

void CommandsStreamsTest::readersThatGoAwayAreToldOf() {
    const Run run = shell("exec 3>&1; { \"$0\" batch in -o out --filter box --jobs 1 --report /dev/fd/4 4>&1 >&3; "
                          "echo code $? >&2; } | true");
    EXPECT_IN(run.err, "code 1");
    EXPECT_IN(run.err, "let its reader read to the end; the same command with --skip-existing does the rest");
}

void CommandsStreamsTest::outputsWhoseNamesAreTaken_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QStringList>("options");
    for (const QString &kind : {QString("folder"), QString("pipe")})
        for (const char *option : {"", "--overwrite", "--skip-existing", "--dry-run"})
            QTest::addRow("%s %s", qPrintable(kind), option) << kind << (*option ? QStringList{option} : QStringList());
}

void CommandsStreamsTest::outputsWhoseNamesAreTaken() {
    QFETCH(QString, kind);
    QFETCH(QStringList, options);
    QDir(temporary_->path()).mkdir("out");
    if (kind == "folder")
        QVERIFY(QDir(temporary_->path()).mkdir("out/1-box.ppm"));
    else
        QCOMPARE(::mkfifo(bytes("out/1-box.ppm").constData(), 0600), 0);
    const Run run = batch(QStringList{"in", "-o", "out"} + options);
    EXPECT_CODE(run, 2);
    EXPECT_IN(run.err, "out/1-box.ppm");
    EXPECT_IN(run.err, kind.toUtf8());
    EXPECT_IN(run.err, "move what is there away");
    QVERIFY2(!run.err.contains("--overwrite"), run.err.constData()); // which would not help
    QVERIFY(!QFile::exists(path("out/0-box.ppm")));
}

QTEST_APPLESS_MAIN(CommandsStreamsTest)
#include "commands_streams_cli_test.moc"
