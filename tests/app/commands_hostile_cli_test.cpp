// The real binary among files that mean it ill, and in folders that are not its own.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace tessera::test;

namespace {

QByteArray bigEndian(unsigned value) {
    QByteArray bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += char(value >> shift & 0xff);
    return bytes;
}

// A chunk whose check sum is wrong unless it is ancillary, for files that must be refused for another reason.
QByteArray chunk(const QByteArray &type, const QByteArray &content) {
    unsigned sum = 0xffffffffu;
    for (const char byte : type + content) {
        sum ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            sum = sum & 1 ? 0xedb88320u ^ (sum >> 1) : sum >> 1;
    }
    return bigEndian(unsigned(content.size())) + type + content + bigEndian(~sum);
}

// `kind`: depth and colour type.
QByteArray pngHeader(unsigned width, unsigned height, const char *kind = "\x08\x02") {
    return QByteArray("\x89PNG\r\n\x1a\n", 8) +
           chunk("IHDR", bigEndian(width) + bigEndian(height) + QByteArray(kind, 2) + QByteArray(3, '\0'));
}

} // namespace

class CommandsHostileTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void badFilesAmongGoodOnes();
    void unreadableFilesFailThemselvesOnly();
    void aFileThatChangesWhileItIsRead();
    void overwritingReplacesALinkItself();
    void picturesInAnOutputFolderAmongTheInputsStay();
    void whatKilledRunsLeaveIsRemoved();
    void nothingTemporaryStaysAfterAKill();
    void recordsThatAreNoFiles();
    void aRowIsNoWayRoundTheLimits();
    void claimsCostNoMemory();
    void openExrNeedsNoTemporaryFolder();
    void whatIsNoPictureIsSaidOfNamelessOutputs();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    Run batch(const QStringList &arguments) const {
        return runTessera(QStringList{"batch"} + arguments, {temporary_->path(), {}, {}, 240'000});
    }
    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsHostileTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    QDir(temporary_->path()).mkdir("in");
}

void CommandsHostileTest::badFilesAmongGoodOnes() {
    for (int i = 0; i < 20; ++i)
        writePpm(path(QString("in/good%1.ppm").arg(i, 2, 10, QChar('0'))), 60 + i, 40);
    for (const char *format : {"png", "jpg", "tif", "webp"})
        EXPECT_CODE(batch({"in/good00.ppm", "-o", "made", "--filter", "identity", "--format", format}), 0);
    QStringList bad;
    const auto add = [&](const QString &name, const QByteArray &content) {
        writeFile(path("in/" + name), content);
        bad << name;
    };
    add("zero.jpg", "");
    add("text.png", "this is no picture");
    add("gif-within.png", "GIF89a\x01\0\x01\0");
    for (const char *format : {"png", "jpg", "tif", "webp"}) {
        const QByteArray whole = readFile(path(QString("made/good00-identity.") + format));
        QVERIFY(whole.size() > 100);
        add(QString("truncated.") + format, whole.left(whole.size() * 2 / 3));
    }
    add("huge.png", pngHeader(2'000'000'000, 2'000'000'000) + chunk("IDAT", "") + chunk("IEND", ""));
    add("large-claim.png", pngHeader(60'000, 60'000) + chunk("IDAT", "x") + chunk("IEND", ""));
    add("animated.png",
        pngHeader(4, 4) + chunk("acTL", bigEndian(3) + bigEndian(0)) + chunk("IDAT", "x") + chunk("IEND", ""));
    QFile::link("nowhere", path("in/dangling.png"));
    bad << "dangling.png";
    // One of another kind than its name says is no bad file: content decides.
    writeFile(path("in/mislabelled.jpg"), readFile(path("made/good00-identity.png")));

    const Run run = batch({"in", "-o", "out", "--filter", "box", "--report", "r.jsonl", "--max-memory", "512M"});
    EXPECT_CODE(run, 1);
    for (const QString &name : bad)
        EXPECT_IN(run.err, name.toUtf8());
    EXPECT_IN(run.err, "21 of " + QByteArray::number(21 + bad.size()) + " files done, " +
                           QByteArray::number(bad.size()) + " failed");
    QCOMPARE(filesIn(path("out")).size(), 22); // the record, too
    QVERIFY(readFile(path("out/mislabelled-box.jpg")).startsWith("\xff\xd8\xff"));
    const QList<QByteArray> lines = readFile(path("r.jsonl")).trimmed().split('\n');
    QCOMPARE(lines.size(), 21 + bad.size());
    for (const QByteArray &line : lines) {
        const QJsonObject entry = QJsonDocument::fromJson(line).object();
        const bool isBad = bad.contains(entry["input"].toString().mid(3));
        QCOMPARE(entry["status"].toString(), QString(isBad ? "failed" : "done"));
        QCOMPARE(entry["error"].isNull(), !isBad);
    }
    // In a second run the good ones are up to date and the bad ones are named again.
    EXPECT_IN(batch({"in", "-o", "out", "--filter", "box", "--skip-existing", "--max-memory", "512M"}).err,
              "21 skipped as up to date");
}

void CommandsHostileTest::unreadableFilesFailThemselvesOnly() {
    if (!canDropPrivileges())
        QSKIP("this root cannot give its privileges up");
    writePpm(path("in/a.ppm"), 50, 50);
    writePpm(path("in/secret.ppm"), 50, 50);
    QVERIFY(QFile::setPermissions(path("in/secret.ppm"), QFile::Permissions()));
    const Run run =
        runTessera({"batch", "in", "-o", "out", "--filter", "box"}, {temporary_->path(), {}, {}, 60'000, true});
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.err, "in/secret.ppm: cannot be read: Permission denied");
    QCOMPARE(filesIn(path("out")), (QStringList{".tessera-batch.jsonl", "a-box.ppm"}));
}

void CommandsHostileTest::aFileThatChangesWhileItIsRead() {
    writePpm(path("in/a.ppm"), 50, 50);
    writePpm(path("in/moving.ppm"), 3000, 3000); // 27 MB: takes milliseconds to read
    std::atomic<bool> ending{false};
    std::thread writer([&] {
        const QByteArray name = path("in/moving.ppm").toUtf8();
        for (long i = 0; !ending; ++i) {
            const timespec times[2] = {{1'000'000 + i, 0}, {1'000'000 + i, 0}};
            ::utimensat(AT_FDCWD, name.constData(), times, 0);
        }
    });
    const Run run = batch({"in", "-o", "out", "--filter", "box"});
    ending = true;
    writer.join();
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.err, "moving.ppm: changed while it was being read");
    QCOMPARE(filesIn(path("out")), (QStringList{".tessera-batch.jsonl", "a-box.ppm"}));
}

void CommandsHostileTest::overwritingReplacesALinkItself() {
    writePpm(path("in/a.ppm"), 50, 50);
    writeFile(path("precious.ppm"), "precious");
    QDir(temporary_->path()).mkdir("out");
    QVERIFY(QFile::link(path("precious.ppm"), path("out/a-box.ppm")));
    EXPECT_CODE(batch({"in", "-o", "out", "--filter", "box", "--overwrite"}), 0);
    QCOMPARE(readFile(path("precious.ppm")), QByteArray("precious"));
    QVERIFY(!QFileInfo(path("out/a-box.ppm")).isSymLink());
    QVERIFY(readFile(path("out/a-box.ppm")).startsWith("P6\n50 50\n"));
}

void CommandsHostileTest::picturesInAnOutputFolderAmongTheInputsStay() {
    QDir(temporary_->path()).mkpath("in/out");
    writePpm(path("in/a.ppm"), 50, 50);
    writeFile(path("in/out/a-box.ppm"), "somebody's picture");
    for (const QStringList &more : {QStringList{"--recursive"}, QStringList{"--skip-existing"}, QStringList{}}) {
        const Run run = batch(QStringList{"in", "-o", "in/out", "--filter", "box", "--overwrite"} + more);
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, "in/out/a-box.ppm");
        QCOMPARE(readFile(path("in/out/a-box.ppm")), QByteArray("somebody's picture"));
    }
    // What an earlier batch made may be replaced.
    QVERIFY(QFile::remove(path("in/out/a-box.ppm")));
    for (int i = 0; i < 2; ++i)
        EXPECT_CODE(batch({"in", "-o", "in/out", "--filter", "box", "--overwrite", "--recursive"}), 0);
    // And so may everything in a folder that is no part of the inputs.
    QDir(temporary_->path()).mkdir("elsewhere");
    writeFile(path("elsewhere/a-box.ppm"), "old");
    EXPECT_CODE(batch({"in", "-o", "elsewhere", "--filter", "box", "--overwrite"}), 0);
}

void CommandsHostileTest::whatKilledRunsLeaveIsRemoved() {
    writePpm(path("in/a.ppm"), 50, 50);
    QDir(temporary_->path()).mkdir("out");
    const auto makeTemporary = [&](const char *name, int days) {
        writeFile(path(name), "half a picture");
        const timespec old{::time(nullptr) - days * 86400, 0};
        const timespec times[2] = {old, old};
        ::utimensat(AT_FDCWD, path(name).toUtf8().constData(), times, 0);
    };
    makeTemporary("out/.tessera-0badcafe-1.tmp", 3); // of another machine, long ago
    makeTemporary("out/.tessera-0badcafe-2.tmp", 0); // of another machine, now
    makeTemporary("out/.tessera-0badcafe-3.tmp", 3); // somebody writes it
    const int held = ::open(path("out/.tessera-0badcafe-3.tmp").toUtf8().constData(), O_RDWR | O_CLOEXEC);
    QVERIFY(::flock(held, LOCK_EX | LOCK_NB) == 0);
    const Run run = batch({"in", "-o", "out", "--filter", "box"});
    ::close(held);
    EXPECT_CODE(run, 0);
    EXPECT_IN(run.err, "removed 1 unfinished file");
    QCOMPARE(filesIn(path("out")),
             (QStringList{".tessera-0badcafe-2.tmp", ".tessera-0badcafe-3.tmp", ".tessera-batch.jsonl", "a-box.ppm"}));
}

void CommandsHostileTest::nothingTemporaryStaysAfterAKill() {
    for (int i = 0; i < 200; ++i)
        writePpm(path(QString("in/%1.ppm").arg(i)), 300, 200);
    const QStringList arguments{"batch", "in", "-o", "out", "--filter", "box", "--skip-existing"};
    for (int round = 0; round < 8; ++round) {
        QProcess process;
        prepare(process, arguments, {temporary_->path(), {}, {}, 60'000});
        process.start();
        QVERIFY(process.waitForStarted());
        const qsizetype before = filesIn(path("out")).size();
        // Killed as soon as it has written something, wherever it is then.
        while (process.state() == QProcess::Running && filesIn(path("out")).size() <= before + 1)
            process.waitForFinished(1);
        process.kill();
        process.waitForFinished();
        for (const QString &name : filesIn(path("out")))
            QVERIFY2(name == ".tessera-batch.jsonl" || readFile(path("out/" + name)).size() == 15 + 300 * 200 * 3,
                     qPrintable(name));
    }
    EXPECT_CODE(runTessera(arguments, {temporary_->path(), {}, {}, 60'000}), 0);
    QCOMPARE(filesIn(path("out")).size(), 201);
}

void CommandsHostileTest::recordsThatAreNoFiles() {
    writePpm(path("a.ppm"), 8, 8);
    writeFile(path("foreign"), "not ours\n");
    QVERIFY(QDir(temporary_->path()).mkpath("link") && QDir(temporary_->path()).mkpath("pipe"));
    QVERIFY(QFile::link(path("foreign"), path("link/.tessera-batch.jsonl")));
    QCOMPARE(::mkfifo(path("pipe/.tessera-batch.jsonl").toLocal8Bit().constData(), 0600), 0);
    for (const char *folder : {"link", "pipe"}) {
        const Run run = batch({"a.ppm", "-o", folder, "--filter", "box"});
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, "is no regular file");
    }
    QCOMPARE(readFile(path("foreign")), QByteArray("not ours\n"));
    // One that may not be read is no reason to take its outputs for somebody else's.
    if (!canDropPrivileges())
        return;
    EXPECT_CODE(batch({"a.ppm", "-o", "locked", "--filter", "box"}), 0);
    for (const auto &permissions : {QFile::Permissions(), QFile::Permissions(QFile::ReadOwner)}) {
        QVERIFY(QFile::setPermissions(path("locked/.tessera-batch.jsonl"), permissions));
        const Run run = runTessera({"batch", "a.ppm", "-o", "locked", "--filter", "box", "--skip-existing"},
                                   {temporary_->path(), {}, {}, 60'000, true});
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, "cannot be read and written: Permission denied");
    }
}

// A row of 8 GB, and bytes that might hold it: what reads by rows would take that memory before anything is known to be
// there.
void CommandsHostileTest::aRowIsNoWayRoundTheLimits() {
    writeFile(path("wide.png"), pngHeader(1u << 30, 1, "\x10\x06") +
                                    chunk("IDAT", QByteArray("\x78\x01") + QByteArray(9'000'000, '\0')) +
                                    chunk("IEND", ""));
    const Run wide = batch({"wide.png", "-o", "out", "--filter", "box", "--max-memory", "50M"});
    EXPECT_CODE(wide, 3);
    EXPECT_IN(wide.err, "a single row of it takes 8192M");
    const Run many = batch({"wide.png", "-o", "out", "--filter", "box", "--max-memory", "50M", "--max-pixels", "1M"});
    EXPECT_CODE(many, 3);
    EXPECT_IN(many.err, "raise --max-pixels");
}

// 69 bytes that claim gigabytes: each command names the file, goes on with the next, and never takes that memory.
void CommandsHostileTest::claimsCostNoMemory() {
    const QByteArray pixels = chunk("IDAT", QByteArray::fromHex("789c030000000001")) + chunk("IEND", "");
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
void CommandsHostileTest::openExrNeedsNoTemporaryFolder() {
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

void CommandsHostileTest::whatIsNoPictureIsSaidOfNamelessOutputs() {
    writeFile(path("clip.gif"), "GIF89a and more");
    writePpm(path("plain"), 8, 8);
    const Run gif = batch({"clip.gif", "-o", "out", "--filter", "box"});
    EXPECT_CODE(gif, 3); // no usable input: another format for the output would not help
    EXPECT_IN(gif.err, "GIF");
    EXPECT_IN(gif.err, "convert it");
    EXPECT_IN(batch({"plain", "-o", "out", "--filter", "box"}).err, "tells no format");
}

QTEST_APPLESS_MAIN(CommandsHostileTest)
#include "commands_hostile_cli_test.moc"
