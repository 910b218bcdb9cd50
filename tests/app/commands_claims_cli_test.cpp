// The real binary and files of a few bytes that claim pictures of gigabytes, holes that were meant to become pictures,
// and OpenEXR without a temporary folder.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <sys/resource.h>

using namespace tessera::test;

class CommandsClaimsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void aRowIsNoWayRoundTheLimits();
    void claimsCostNoMemory();
    void openExrNeedsNoTemporaryFolder();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    Run batch(const QStringList &arguments) const {
        return runTessera(QStringList{"batch"} + arguments, {temporary_->path(), {}, {}, 240'000});
    }
    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsClaimsTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    QDir(temporary_->path()).mkdir("in");
}

// A row of 8 GB, and bytes that might hold it: what reads by rows would take that memory before anything is known to be
// there.
void CommandsClaimsTest::aRowIsNoWayRoundTheLimits() {
    writeFile(path("wide.png"), pngHeader(1u << 30, 1, "\x10\x06") +
                                    pngChunk("IDAT", QByteArray("\x78\x01") + QByteArray(9'000'000, '\0')) +
                                    pngChunk("IEND", ""));
    const Run wide = batch({"wide.png", "-o", "out", "--filter", "box", "--max-memory", "50M"});
    EXPECT_CODE(wide, 3);
    EXPECT_IN(wide.err, "a single row of it takes 8192M");
    const Run many = batch({"wide.png", "-o", "out", "--filter", "box", "--max-memory", "50M", "--max-pixels", "1M"});
    EXPECT_CODE(many, 3);
    EXPECT_IN(many.err, "raise --max-pixels");
}

// 69 bytes that claim gigabytes: each command names the file, goes on with the next, and never takes that memory.
void CommandsClaimsTest::claimsCostNoMemory() {
    const QByteArray pixels = pngChunk("IDAT", QByteArray::fromHex("789c030000000001")) + pngChunk("IEND", "");
    constexpr unsigned largest = 0x7fffffff;
    writeFile(path("in/wide.png"), pngHeader(largest, 1, "\x10\x06") + pixels);
    writeFile(path("in/tall.png"), pngHeader(1, largest, QByteArray("\x08\0", 2).constData()) + pixels);
    writeFile(path("in/hole.png"), ""); // as a download that was made room for
    QVERIFY(QFile::resize(path("in/hole.png"), qint64{3} << 30));
    writePpm(path("in/good.ppm"), 8, 8);
    const RunSettings settings{temporary_->path(), {}, {}, 60'000};
    const QStringList all{"in/wide.png", "in/tall.png", "in/hole.png", "in/good.ppm"};
    for (const QStringList &command :
         {QStringList{"stats"} + all, QStringList{"batch", "-o", "out", "--filter", "box", "--jobs", "1"} + all}) {
        const Run run = runTessera(command, settings);
        EXPECT_CODE(run, 1);
        for (const char *name : {"in/wide.png", "in/tall.png"})
            EXPECT_IN(run.err, QByteArray(name) + ": the file is far too short for the size it states");
        EXPECT_IN(run.err, "in/hole.png: its content is no picture format that Tessera knows");
        QVERIFY2(!run.err.contains("memory"), run.err.constData());
    }
    const Run compare = runTessera({"compare", "in/tall.png", "in/good.ppm"}, settings);
    EXPECT_CODE(compare, 3);
    EXPECT_IN(compare.err, "in/tall.png: the file is far too short");
    rusage used{};
    QCOMPARE(::getrusage(RUSAGE_CHILDREN, &used), 0); // of the largest so far
    constexpr long mebibytes = 1024;                  // in its KiB
    QVERIFY2(used.ru_maxrss < 1000 * mebibytes, qPrintable(QString::number(used.ru_maxrss)));
}

// Reading goes without a copy there, and writing names the folder; what OpenCV says to the terminal is left out.
void CommandsClaimsTest::openExrNeedsNoTemporaryFolder() {
    writePpm(path("in/a.ppm"), 8, 8);
    const QStringList toExr{"batch",   "in",  "-o",       "exr", "--filter", "identity",
                            "--depth", "32f", "--format", "exr", "-q"};
    const Run made = runTessera(toExr, {temporary_->path(), {}, {}, 60'000});
    if (made.err.contains("cannot write"))
        QSKIP("skipped: no OpenCV in this build");
    EXPECT_CODE(made, 0);
    QCOMPARE(made.err, QByteArray());
    for (const char *variable : {"TMPDIR", "OPENCV_TEMP_PATH"}) {
        const RunSettings nowhere{temporary_->path(), {{variable, "/nowhere/at/all"}}, {}, 60'000};
        const Run read = runTessera({"stats", "exr/a-identity.exr"}, nowhere);
        EXPECT_CODE(read, 0);
        QCOMPARE(read.err, QByteArray());
        const Run write = runTessera(toExr + QStringList{"--overwrite"}, nowhere);
        EXPECT_CODE(write, 1);
        EXPECT_IN(write.err, "the temporary folder '/nowhere/at/all' cannot take its copy: No such file or directory");
        EXPECT_IN(write.err, "TMPDIR");
        QCOMPARE(write.err.count('\n'), 1); // one message, and nothing of OpenCV's own
    }
    writeFile(path("cut.exr"), readFile(path("exr/a-identity.exr")).left(400));
    const Run cut = runTessera({"stats", "-q", "cut.exr"}, {temporary_->path(), {}, {}, 60'000});
    EXPECT_CODE(cut, 3);
    EXPECT_IN(cut.err, "cut.exr: the file is ");
    QCOMPARE(cut.err.count('\n'), 1);
}

QTEST_APPLESS_MAIN(CommandsClaimsTest)
#include "commands_claims_cli_test.moc"
