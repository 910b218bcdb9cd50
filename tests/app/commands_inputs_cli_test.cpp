// The real binary and names: spaces, line breaks, bytes that are no UTF-8, lists, links, folders in folders.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace tessera::test;

namespace {

// A picture whose name is any bytes: QFile would encode it.
void writePictureNamed(const QByteArray &name) {
    const int handle = ::open(name.constData(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    QVERIFY(handle >= 0);
    const QByteArray content("P5\n2 2\n255\n\x01\x02\x03\x04");
    QCOMPARE(::write(handle, content.constData(), size_t(content.size())), ssize_t(content.size()));
    ::close(handle);
}

bool exists(const QByteArray &name) { return ::access(name.constData(), F_OK) == 0; }

} // namespace

class CommandsInputsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { std::filesystem::remove_all(temporary_->path().toStdString()); } // Qt cannot remove every name
    void oddNames_data();
    void oddNames();
    void namesThatBecomeTooLong();
    void aListOnStandardInput();
    void aListWithNulBytes();
    void listsThatNameNothing();
    void dashesAndBracketsAreNames();
    void outputInsideInput();
    void outputIsTheInputFolder();
    void recursiveKeepsFolders();
    void symbolicLoops();
    void skippedFilesAreToldWithV();
    void unreadableFoldersFailThemselvesOnly();
    void unreadableFoldersStandInTheReport();
    void whatCannotBeLookedAtIsNotPassedOver();

private:
    QByteArray path(const QByteArray &name) const { return temporary_->path().toUtf8() + "/" + name; }
    Run batch(const QStringList &arguments, const QByteArray &input = {}) const {
        return runTessera(QStringList{"batch"} + arguments, {temporary_->path(), {}, input, 60'000});
    }
    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsInputsTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    QDir(temporary_->path()).mkdir("in");
}

void CommandsInputsTest::oddNames_data() {
    QTest::addColumn<QByteArray>("stem");
    QTest::newRow("spaces") << QByteArray(" two  words ");
    QTest::newRow("line break") << QByteArray("line\nbreak");
    QTest::newRow("quotes") << QByteArray("it's \"quoted\" \\ {stem}");
    QTest::newRow("unicode") << QByteArray("Brücke 橋 🌉");
    QTest::newRow("latin-1") << QByteArray("Br\xfc"
                                           "cke");
    QTest::newRow("cut off") << QByteArray("\xe6\xa9");
    QTest::newRow("escape") << QByteArray("\x1b[31mred");
}

void CommandsInputsTest::oddNames() {
    QFETCH(QByteArray, stem);
    writePictureNamed(path("in/" + stem + ".pgm"));
    const Run run = batch({"in", "-o", "out", "--filter", "identity", "--json", "-v", "--report", "r.jsonl"});
    EXPECT_CODE(run, 0);
    QVERIFY(exists(path("out/" + stem + "-identity.pgm")));
    const QJsonObject file = run.json()["files"][0].toObject();
    const QByteArray name = "in/" + stem + ".pgm";
    if (QString::fromUtf8(name).toUtf8() == name) {
        QCOMPARE(file["input"].toString().toUtf8(), name);
        QVERIFY(!file.contains("input_bytes_hex"));
    } else {
        QCOMPARE(QByteArray::fromHex(file["input_bytes_hex"].toString().toLatin1()), name);
        QVERIFY(file["input"].toString().contains("\\x"));
    }
    QVERIFY(!run.err.contains('\x1b'));
    const QList<QByteArray> report = readFile(QString::fromUtf8(path("r.jsonl"))).split('\n');
    QCOMPARE(report.size(), 2);
    QVERIFY(QJsonDocument::fromJson(report[0]).isObject());
    // And it can be resumed: the record knows the name.
    const Run again = batch({"in", "-o", "out", "--filter", "identity", "--skip-existing"});
    EXPECT_CODE(again, 0);
    EXPECT_IN(again.err, "1 skipped as up to date");
}

// Told before any work: it would else be done for nothing.
void CommandsInputsTest::namesThatBecomeTooLong() {
    const QByteArray longest(251, 'n');
    writePictureNamed(path("in/" + longest + ".pgm"));
    const QStringList arguments{"in", "-o", "made/out", "--filter", "identity"};
    const Run dry = batch(arguments + QStringList{"--dry-run"});
    EXPECT_CODE(dry, 1);
    EXPECT_IN(dry.out, "fails: ");
    EXPECT_IN(dry.out, "is longer than the 255 bytes");
    const Run run = batch(arguments + QStringList{"--json"});
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.err, "--name");
    QVERIFY(!run.json()["files"][0].toObject().contains("width")); // it was not even opened
    EXPECT_CODE(batch(arguments + QStringList{"--name", "{stem}.{ext}"}), 0);
}

void CommandsInputsTest::aListOnStandardInput() {
    for (const char *name : {"in/a.pgm", "in/b b.pgm"})
        writePictureNamed(path(name));
    const Run run = batch({"--files-from", "-", "-o", "out", "--filter", "identity"}, "in/a.pgm\r\n\nin/b b.pgm");
    EXPECT_CODE(run, 0);
    QVERIFY(exists(path("out/a-identity.pgm")) && exists(path("out/b b-identity.pgm")));
}

void CommandsInputsTest::aListWithNulBytes() {
    writePictureNamed(path("in/line\nbreak.pgm"));
    writePictureNamed(path("in/x.pgm"));
    const Run run = batch({"--files-from=-", "-o", "out", "--filter", "identity"},
                          QByteArray("in/line\nbreak.pgm\0in/x.pgm\0", 27));
    EXPECT_CODE(run, 0);
    QVERIFY(exists(path("out/line\nbreak-identity.pgm")) && exists(path("out/x-identity.pgm")));
}

void CommandsInputsTest::listsThatNameNothing() {
    writePictureNamed(path("a.pgm"));
    const auto from = [&](const QByteArray &list) {
        return batch({"--files-from", "-", "-o", "out", "--filter", "box"}, list);
    };
    for (const QByteArray &list :
         {QByteArray(), QByteArray("\n\r\n\n"), QByteArray(3, '\0'), QByteArray("\xef\xbb\xbf")}) {
        const Run run = from(list);
        EXPECT_CODE(run, 3);
        EXPECT_IN(run.err, "names no picture");
    }
    // Letters and zeros: read as bytes it would name ".", and with it everything that lies here.
    for (const QByteArray &list : {QByteArray("\xff\xfe"
                                              "a\0.\0p\0g\0m\0\n\0",
                                              14),
                                   QByteArray("\xfe\xff\0a\0.\0p\0g\0m\0\n", 14)}) {
        const Run run = from(list);
        EXPECT_CODE(run, 3);
        EXPECT_IN(run.err, "UTF-16");
    }
    const Run endless = batch({"--files-from", "/dev/zero", "-o", "out", "--filter", "box"});
    EXPECT_CODE(endless, 3);
    EXPECT_IN(endless.err, "far too long");
    const Run missing = batch({"--files-from", "missing.txt", "-o", "out", "--filter", "box"});
    EXPECT_CODE(missing, 3);
    EXPECT_IN(missing.err, "No such file or directory");
    const Run folder = batch({"--files-from", ".", "-o", "out", "--filter", "box"});
    EXPECT_CODE(folder, 3);
    EXPECT_IN(folder.err, "Is a directory");
    QVERIFY(!exists(path("out")));
}

void CommandsInputsTest::dashesAndBracketsAreNames() {
    for (const char *name : {"-x.pgm", "[1].pgm"})
        writePictureNamed(path(name));
    QDir(temporary_->path()).mkdir("[a,b]");
    writePictureNamed(path("[a,b]/y.pgm"));
    EXPECT_CODE(batch({"-o", "[out]", "--filter", "identity", "--", "-x.pgm", "[1].pgm", "[a,b]"}), 0);
    for (const char *name : {"[out]/-x-identity.pgm", "[out]/[1]-identity.pgm", "[out]/y-identity.pgm"})
        QVERIFY2(exists(path(name)), name);
}

void CommandsInputsTest::outputInsideInput() {
    writePictureNamed(path("in/a.pgm"));
    EXPECT_CODE(batch({"in", "--recursive", "-o", "in/out", "--filter", "identity"}), 0);
    const Run again = batch({"in", "--recursive", "-o", "in/out", "--filter", "identity", "--skip-existing"});
    EXPECT_CODE(again, 0);
    EXPECT_IN(again.err, "0 of 1 file done, 1 skipped");
}

void CommandsInputsTest::outputIsTheInputFolder() {
    writePictureNamed(path("in/a.pgm"));
    EXPECT_CODE(batch({"in", "-o", "in", "--filter", "identity"}), 0);
    // What it made is not an input of the next run.
    EXPECT_CODE(batch({"in", "-o", "in", "--filter", "identity", "--skip-existing"}), 0);
    QCOMPARE(filesIn(temporary_->filePath("in")), (QStringList{".tessera-batch.jsonl", "a-identity.pgm", "a.pgm"}));
}

void CommandsInputsTest::recursiveKeepsFolders() {
    QDir(temporary_->path()).mkpath("in/x/y");
    QDir(temporary_->path()).mkpath("in/z");
    for (const char *name : {"in/a.pgm", "in/x/y/a.pgm", "in/z/a.pgm"})
        writePictureNamed(path(name));
    EXPECT_CODE(batch({"in", "--recursive", "-o", "out", "--filter", "identity"}), 2); // one name for three
    EXPECT_CODE(batch({"in", "--recursive", "-o", "out", "--filter", "identity", "--name", "{folder}/{stem}.{ext}"}),
                0);
    QCOMPARE(filesIn(temporary_->filePath("out")),
             (QStringList{".tessera-batch.jsonl", "a.pgm", "x/y/a.pgm", "z/a.pgm"}));
    EXPECT_CODE(
        batch({"in", "--recursive", "-o", "flat", "--filter", "identity", "--name", "{parent}-{index:2}.{ext}"}), 0);
    QCOMPARE(filesIn(temporary_->filePath("flat")),
             (QStringList{".tessera-batch.jsonl", "in-01.pgm", "y-02.pgm", "z-03.pgm"}));
}

void CommandsInputsTest::symbolicLoops() {
    writePictureNamed(path("in/a.pgm"));
    QVERIFY(::symlink(".", path("in/loop").constData()) == 0);
    EXPECT_CODE(batch({"in", "--recursive", "-o", "out", "--filter", "identity"}), 0);
    QCOMPARE(filesIn(temporary_->filePath("out")), (QStringList{".tessera-batch.jsonl", "a-identity.pgm"}));
}

void CommandsInputsTest::skippedFilesAreToldWithV() {
    for (const char *name : {"in/a.pgm", "in/.hidden.pgm", "in/notes.txt"})
        writePictureNamed(path(name));
    const Run run = batch({"in", "-o", "out", "--filter", "identity", "-v"});
    EXPECT_CODE(run, 0);
    EXPECT_IN(run.err, "skipped 'in/notes.txt': not a picture");
    EXPECT_IN(run.err, "skipped 'in/.hidden.pgm': hidden");
    const Run brief = batch({"in", "-o", "out2", "--filter", "identity"});
    QVERIFY(!brief.err.contains("skipped") && !brief.err.contains("left out"));
    // What its owner takes for a picture is not passed over in silence.
    writePictureNamed(path("in/moving.GIF"));
    EXPECT_IN(batch({"in", "-o", "out3", "--filter", "identity"}).err, "left out 1 file of picture formats");
    std::filesystem::remove(path("in/a.pgm").toStdString());
    const Run none = batch({"in", "-o", "out4", "--filter", "identity"});
    EXPECT_CODE(none, 3);
    EXPECT_IN(none.err, "save them as PNG or TIFF first");
}

void CommandsInputsTest::unreadableFoldersFailThemselvesOnly() {
    if (!canDropPrivileges())
        QSKIP("root may read everything here");
    writePictureNamed(path("in/a.pgm"));
    QDir(temporary_->path()).mkdir("in/locked");
    ::chmod(path("in/locked").constData(), 0);
    writePictureNamed(path("in/secret.pgm"));
    ::chmod(path("in/secret.pgm").constData(), 0);
    const Run run = runTessera({"batch", "in", "--recursive", "-o", "out", "--filter", "identity"},
                               {temporary_->path(), {}, {}, 60'000, true});
    ::chmod(path("in/locked").constData(), 0700);
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.err, "in/locked");
    EXPECT_IN(run.err, "in/secret.pgm");
    QVERIFY(exists(path("out/a-identity.pgm")));
}

// A folder that cannot be read is one entry of the list, of one part, until it can be read.
void CommandsInputsTest::unreadableFoldersStandInTheReport() {
    if (!canDropPrivileges())
        QSKIP("root may read everything here");
    for (const char *name : {"in/a.pgm", "in/z.pgm"})
        writePictureNamed(path(name));
    QDir(temporary_->path()).mkdir("in/locked");
    writePictureNamed(path("in/locked/b.pgm"));
    ::chmod(path("in/locked").constData(), 0);
    const auto run = [&](const QStringList &more) {
        return runTessera(QStringList{"batch", "in", "--recursive", "--filter", "identity"} + more,
                          {temporary_->path(), {}, {}, 60'000, true});
    };
    const Run whole = run({"-o", "out", "--report", "r.jsonl", "--json"});
    EXPECT_CODE(whole, 1);
    QCOMPARE(whole.err.count("in/locked"), 1); // told once
    const QJsonObject summary = whole.json()["summary"].toObject();
    QCOMPARE(summary["files"].toInt(), 3);
    QCOMPARE(summary["failed"].toInt(), 1);
    int failed = 0;
    for (const QByteArray &line : readFile(temporary_->filePath("r.jsonl")).trimmed().split('\n')) {
        const QJsonObject entry = QJsonDocument::fromJson(line).object();
        QCOMPARE(entry["list_length"].toInt(), 3);
        if (entry["status"] != "failed")
            continue;
        ++failed;
        QCOMPARE(entry["index"].toInt(), 2);
        QCOMPARE(entry["input"].toString(), QString("in/locked"));
        QVERIFY(entry["output"].isNull());
        QVERIFY(entry["error"]["what"].toString().contains("Permission denied"));
    }
    QCOMPARE(failed, 1);
    // Of three parts one fails with it; the others say that their list may lack something.
    const QList<int> codes{0, 3, 0};
    for (int part = 1; part <= 3; ++part) {
        const Run one =
            run({"-o", "parts", "--shard", QString("%1/3").arg(part), "--report", QString("%1.jsonl").arg(part)});
        EXPECT_CODE(one, codes[part - 1]);
        EXPECT_IN(one.err, "in/locked");
    }
    const Run merged = runTessera({"report", "merge", "1.jsonl", "2.jsonl", "3.jsonl", "-o", "all.jsonl"},
                                  {temporary_->path(), {}, {}, 60'000});
    EXPECT_CODE(merged, 1);
    EXPECT_IN(merged.err, "3 files: 2 done, 1 failed");
    const Run stopped = run({"-o", "few", "--max-failures", "1", "--jobs", "1", "--json"});
    EXPECT_CODE(stopped, 1);
    EXPECT_IN(stopped.err, "stopped after 1 failure");
    const Run dry = run({"-o", "dry", "--dry-run"});
    EXPECT_CODE(dry, 1);
    EXPECT_IN(dry.out, "'in/locked': fails: ");
    EXPECT_CODE(run({"-o", "out", "--report", "r.jsonl", "--skip-existing"}), 1);
    ::chmod(path("in/locked").constData(), 0700);
    EXPECT_CODE(run({"-o", "out", "--report", "r.jsonl", "--skip-existing"}), 0);
    const Run mended =
        runTessera({"report", "merge", "r.jsonl", "-o", "mended.jsonl"}, {temporary_->path(), {}, {}, 60'000});
    EXPECT_CODE(mended, 0);
    EXPECT_IN(mended.err, "3 files: 1 done, 2 skipped");
}

// A folder that may be listed and not entered: what is in it may be folders of pictures.
void CommandsInputsTest::whatCannotBeLookedAtIsNotPassedOver() {
    if (!canDropPrivileges())
        QSKIP("root may read everything here");
    writePictureNamed(path("in/a.pgm"));
    QDir(temporary_->path()).mkpath("in/listed/deep");
    writePictureNamed(path("in/listed/deep/b.pgm"));
    ::chmod(path("in/listed").constData(), 0400);
    const Run run = runTessera({"batch", "in", "--recursive", "-o", "out", "--filter", "identity"},
                               {temporary_->path(), {}, {}, 60'000, true});
    ::chmod(path("in/listed").constData(), 0700);
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.err, "folder 'in/listed/deep' cannot be read: Permission denied");
}

QTEST_APPLESS_MAIN(CommandsInputsTest)
#include "commands_inputs_cli_test.moc"
