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
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace tessera::test;

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
    add("huge.png", pngHeader(2'000'000'000, 2'000'000'000) + pngChunk("IDAT", "") + pngChunk("IEND", ""));
    add("large-claim.png", pngHeader(60'000, 60'000) + pngChunk("IDAT", "x") + pngChunk("IEND", ""));
    add("animated.png", pngHeader(4, 4) + pngChunk("acTL", QByteArray::fromHex("0000000300000000")) +
                            pngChunk("IDAT", "x") + pngChunk("IEND", ""));
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
    // On a busy machine the other thread may sleep for just as long as the reading takes.
    Run run = batch({"in", "-o", "out", "--filter", "box"});
    for (int again = 0; again < 9 && run.code == 0; ++again) {
        QDir(path("out")).removeRecursively();
        run = batch({"in", "-o", "out", "--filter", "box"});
    }
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
    // A folder that holds an input given by its name is as good.
    writeFile(path("in/a-box.ppm"), "somebody's picture");
    EXPECT_CODE(batch({"in/a.ppm", "-o", "in", "--filter", "box", "--overwrite"}), 2);
    QCOMPARE(readFile(path("in/a-box.ppm")), QByteArray("somebody's picture"));
    QVERIFY(QFile::remove(path("in/a-box.ppm")));
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
