// The real binary filters pictures: the numbers, the files, the reports.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <numeric>

using namespace tessera::test;

class CommandsBatchTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void workedExample_data();
    void workedExample();
    void optionsReachThePixels_data();
    void optionsReachThePixels();
    void chainsRunInOrder();
    void kernelFilesAreDividedByWhatTheyState();
    void depthsAndFormats();
    void whatAFormatCannotHoldFailsThatFile();
    void goodFilesAreDoneBesideBadOnes();
    void existingOutputsAreNeverTouchedUnasked();
    void aDryRunWritesNothing();
    void reportsHaveALineAFile();
    void aReportMayLieInTheOutputFolder();
    void jsonIsAllOfStandardOutput();
    void quietIsQuietAndProgressIsAsked();
    void maximumFailuresStop();
    void verificationComparesWithTheReference();
    void limitsFailTheLargeFileOnly();
    void shardsDoEveryFileOnce();
    void outputsThatCannotBeWritten();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    Run batch(const QStringList &arguments, const RunSettings &more = {}) const {
        RunSettings settings = more;
        settings.folder = temporary_->path();
        return runTessera(QStringList{"batch"} + arguments, settings);
    }
    // The single picture that a kernel makes of 1..16, or of `values`.
    std::vector<int> filtered(const QStringList &arguments);

    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsBatchTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    std::vector<int> values(16);
    std::iota(values.begin(), values.end(), 1);
    writePgm(path("ramp.pgm"), 4, 4, values);
}

std::vector<int> CommandsBatchTest::filtered(const QStringList &arguments) {
    const Run run = batch(QStringList{"ramp.pgm", "-o", "out", "--name", "result.pgm", "--overwrite"} + arguments);
    if (run.code != 0)
        qWarning("%s", qPrintable(run.text()));
    return readPgm(path("out/result.pgm"));
}

void CommandsBatchTest::workedExample_data() {
    QTest::addColumn<QString>("variant");
    QTest::addColumn<QString>("device");
    QTest::newRow("naive on sim") << "naive"
                                  << "sim";
    QTest::newRow("tiled on sim") << "tiled"
                                  << "sim";
    QTest::newRow("cpu") << "cpu"
                         << "cpu";
    QTest::newRow("auto") << "auto"
                          << "auto";
}

void CommandsBatchTest::workedExample() {
    QFETCH(QString, variant);
    QFETCH(QString, device);
    const std::vector<int> values = filtered(
        {"--kernel", "3x3: 1,0,1, 0,1,0, 1,0,1", "--border", "zero", "--variant", variant, "--device", device});
    // By hand, as the sum of the pixel and its four diagonal neighbours.
    QCOMPARE(values, (std::vector<int>{7, 14, 17, 11, 17, 30, 35, 22, 29, 50, 55, 34, 23, 34, 37, 27}));
    QCOMPARE(values[0 * 4 + 3], 11);
    QCOMPARE(values[1 * 4 + 1], 30);
}

void CommandsBatchTest::optionsReachThePixels_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<std::vector<int>>("firstRow");
    const auto row = [](const char *name, const QStringList &arguments, const std::vector<int> &expected) {
        QTest::newRow(name) << arguments << expected;
    };
    // The first row of the picture is 1 2 3 4.
    row("correlation, replicate", {"--kernel", "3x1: 1,2,3"}, {9, 14, 20, 23});
    row("flip", {"--kernel", "3x1: 1,2,3", "--flip"}, {7, 10, 16, 21});
    row("zero", {"--kernel", "3x1: 1,2,3", "--border", "zero"}, {8, 14, 20, 11});
    row("constant", {"--kernel", "3x1: 1,2,3", "--border", "constant:10"}, {18, 14, 20, 41});
    row("reflect", {"--kernel", "5x1: 1,0,0,0,0", "--border", "reflect"}, {2, 1, 1, 2});
    row("reflect101", {"--kernel", "5x1: 1,0,0,0,0", "--border", "reflect101"}, {3, 2, 1, 2});
    row("wrap", {"--kernel", "5x1: 1,0,0,0,0", "--border", "wrap"}, {3, 4, 1, 2});
    row("even kernel, anchor 1", {"--kernel", "2x1: 1,0", "--border", "zero"}, {0, 1, 2, 3});
    row("anchor 0", {"--kernel", "2x1: 1,0", "--border", "zero", "--anchor", "0,0"}, {1, 2, 3, 4});
    row("origin in the notation", {"--kernel", "2x1+0+0: 1,0", "--border", "zero"}, {1, 2, 3, 4});
    row("divisor", {"--kernel", "1x1: 10", "--divisor", "5"}, {2, 4, 6, 8});
    row("divisor auto", {"--kernel", "1x1: 10", "--divisor", "auto"}, {1, 2, 3, 4});
    row("divisor auto of a zero sum", {"--kernel", "2x1: -1,1", "--divisor", "auto"}, {0, 1, 1, 1});
    row("normalize", {"--kernel", "3x1: 1,1,2", "--normalize", "--border", "wrap"}, {2, 2, 3, 2}); // 9/4 9/4 13/4 9/4
    row("no divisor", {"--kernel", "1x1: 10"}, {10, 20, 30, 40});
    row("offset", {"--kernel", "1x1: 1", "--offset", "100"}, {101, 102, 103, 104});
    row("negative offset", {"--kernel", "1x1: 1", "--offset", "-2"}, {0, 0, 1, 2});
    row("clamp", {"--kernel", "1x1: -1"}, {0, 0, 0, 0});
    row("absolute", {"--kernel", "1x1: -1", "--response", "absolute"}, {1, 2, 3, 4});
    row("signed", {"--kernel", "1x1: -1", "--response", "signed"}, {127, 126, 125, 124});
    row("signed after the last filter alone", {"--kernel", "1x1: 60", "--kernel", "1x1: -1", "--response", "signed"},
        {68, 8, 0, 0});                                                           // 128 - 60, 128 - 120, ...
    row("range", {"--kernel", "1x1: 1", "--response", "range"}, {0, 17, 34, 51}); // 1..16 to 0..255
    row("ties to even", {"--kernel", "1x1: 0.5"}, {0, 1, 2, 2});
    row("identity", {"--filter", "identity"}, {1, 2, 3, 4});
    row("shift", {"--filter", "shift:dx=1,dy=0", "--border", "zero"}, {0, 1, 2, 3});
}

void CommandsBatchTest::optionsReachThePixels() {
    QFETCH(QStringList, arguments);
    QFETCH(std::vector<int>, firstRow);
    std::vector<int> values = filtered(arguments);
    QCOMPARE(values.size(), std::size_t(16));
    values.resize(4);
    QCOMPARE(values, firstRow);
}

void CommandsBatchTest::chainsRunInOrder() {
    // x * 10 then clipped at 255 is not the same as the other way round.
    const std::vector<int> up = filtered({"--kernel", "1x1: 100", "--kernel", "1x1: 0.1"});
    const std::vector<int> down = filtered({"--kernel", "1x1: 0.1", "--kernel", "1x1: 100"});
    QCOMPARE(up[3], 26); // 400 is limited to 255
    QCOMPARE(down[3], 40);
    const Run run =
        batch({"ramp.pgm", "-o", "chain", "--filter", "gaussian", "--kernel", "1x1: 1", "--filter", "sobel"});
    EXPECT_CODE(run, 0);
    QVERIFY(filesIn(path("chain")).contains("ramp-gaussian-kernel-sobel.pgm"));
}

void CommandsBatchTest::kernelFilesAreDividedByWhatTheyState() {
    writeFile(path("plain.txt"), "10\n");
    writeFile(path("vips.mat"), "1 1 5 3\n10\n"); // scale 5, offset 3
    QCOMPARE(filtered({"--kernel", "plain.txt"})[1], 20);
    QCOMPARE(filtered({"--kernel", "vips.mat"})[1], 7);
    QCOMPARE(filtered({"--kernel", "vips.mat", "--divisor", "1", "--offset", "0"})[1], 20);
    QCOMPARE(filtered({"--kernel", "vips.mat", "--divisor", "auto", "--offset", "0"})[1], 2);
    writeFile(path("edge.mat"), "2 1 5 0\n-1 1\n"); // auto of a sum of 0 is 1, not the 5 that the file states
    QCOMPARE(filtered({"--kernel", "edge.mat"})[1], 0);
    QCOMPARE(filtered({"--kernel", "edge.mat", "--divisor", "auto"})[1], 1);
    writeFile(path("auto.json"), R"({"taps": [[1, 3]], "divisor": "auto"})");
    QCOMPARE(filtered({"--kernel", "auto.json", "--border", "zero"})[1], 2); // (1 * 1 + 3 * 2) / 4
}

void CommandsBatchTest::depthsAndFormats() {
    EXPECT_CODE(batch({"ramp.pgm", "-o", "out", "--filter", "identity", "--depth", "16", "--format", "png"}), 0);
    EXPECT_CODE(batch({"ramp.pgm", "-o", "out", "--filter", "identity", "--depth", "32f", "--format", "pfm"}), 0);
    const QJsonArray images =
        runTessera({"stats", "--json", path("out/ramp-identity.png"), path("out/ramp-identity.pfm")})
            .json()["images"]
            .toArray();
    QCOMPARE(images[0]["depth"].toString(), QString("16"));
    QCOMPARE(images[0]["statistics"][0]["maximum"].toDouble(), 16 * 257.0);
    QCOMPARE(images[1]["depth"].toString(), QString("32f"));
    QVERIFY(qAbs(images[1]["statistics"][0]["maximum"].toDouble() - 16.0 / 255.0) < 1e-7);
}

void CommandsBatchTest::whatAFormatCannotHoldFailsThatFile() {
    EXPECT_CODE(batch({"ramp.pgm", "-o", "deep", "--filter", "identity", "--depth", "16", "--format", "png"}), 0);
    const Run run = batch({"deep/ramp-identity.png", "ramp.pgm", "-o", "out", "--filter", "identity", "--format", "jpg",
                           "--name", "{index}.{ext}"});
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.err, "deep/ramp-identity.png");
    EXPECT_IN(run.err, "--depth");
    QCOMPARE(filesIn(path("out")), (QStringList{".tessera-batch.jsonl", "2.jpg"}));
}

void CommandsBatchTest::goodFilesAreDoneBesideBadOnes() {
    QDir(temporary_->path()).mkdir("in");
    for (int i = 0; i < 5; ++i)
        writePpm(path(QString("in/good%1.ppm").arg(i)), 20 + i, 10);
    writeFile(path("in/empty.png"), "");
    writeFile(path("in/text.png"), "this is no picture");
    const QByteArray whole = readFile(path("in/good0.ppm"));
    writeFile(path("in/truncated.ppm"), whole.left(whole.size() / 2));
    writeFile(path("in/misnamed.png"), whole); // a PPM inside: content decides
    QFile::link("nowhere", path("in/dangling.png"));
    const Run run = batch({"in", "missing.png", "-o", "out", "--filter", "box", "--report", "report.jsonl"});
    EXPECT_CODE(run, 1);
    for (const char *name : {"empty.png", "text.png", "truncated.ppm", "dangling.png", "missing.png"})
        EXPECT_IN(run.err, name);
    EXPECT_IN(run.err, "6 of 11 files done, 5 failed");
    const QStringList made = filesIn(path("out"));
    QCOMPARE(made, (QStringList{".tessera-batch.jsonl", "good0-box.ppm", "good1-box.ppm", "good2-box.ppm",
                                "good3-box.ppm", "good4-box.ppm", "misnamed-box.png"}));
    QVERIFY(readFile(path("out/misnamed-box.png")).startsWith("\x89PNG"));
    const QByteArray report = readFile(path("report.jsonl"));
    QCOMPARE(report.count('\n'), 11);
    const QByteArray note = "by its content it is ppm, not png as its name says, and is written as png";
    EXPECT_IN(run.err, "in/misnamed.png: " + note);
    QCOMPARE(report.count("\"note\""), 1);
    EXPECT_IN(report, note);
    // Where --format decides, the name has promised nothing; a name of the whole family is true of each of it.
    const Run png = batch({"in/misnamed.png", "-o", "jpg", "--filter", "box", "--format", "jpg"});
    EXPECT_CODE(png, 0);
    EXPECT_IN(png.err, "by its content it is ppm, not png as its name says\n");
    writeFile(path("family.pnm"), whole);
    QVERIFY(!batch({"family.pnm", "-o", "jpg", "--filter", "box"}).err.contains("by its content"));
}

void CommandsBatchTest::existingOutputsAreNeverTouchedUnasked() {
    QDir(temporary_->path()).mkdir("out");
    writePpm(path("b.ppm"), 3, 3);
    writeFile(path("out/ramp-box.pgm"), "precious");
    const Run refused = batch({"b.ppm", "ramp.pgm", "-o", "out", "--filter", "box"});
    EXPECT_CODE(refused, 2);
    EXPECT_IN(refused.err, "ramp-box.pgm");
    EXPECT_IN(refused.err, "--overwrite");
    QCOMPARE(filesIn(path("out")), (QStringList{"ramp-box.pgm"})); // b was not begun either
    QCOMPARE(readFile(path("out/ramp-box.pgm")), QByteArray("precious"));
    EXPECT_CODE(batch({"b.ppm", "ramp.pgm", "-o", "out", "--filter", "box", "--overwrite"}), 0);
    QCOMPARE(readPgm(path("out/ramp-box.pgm")).size(), std::size_t(16));
    // A link is something that exists, too.
    QFile::link("nowhere", path("out/ramp-gaussian.pgm"));
    EXPECT_CODE(batch({"ramp.pgm", "-o", "out", "--filter", "gaussian"}), 2);
    // Reports are outputs as well.
    writeFile(path("report.jsonl"), "precious");
    EXPECT_CODE(batch({"ramp.pgm", "-o", "new", "--filter", "box", "--report", "report.jsonl"}), 2);
    QCOMPARE(readFile(path("report.jsonl")), QByteArray("precious"));
    QVERIFY(!QDir(path("new")).exists());
}

void CommandsBatchTest::aDryRunWritesNothing() {
    writePpm(path("b.ppm"), 3, 3);
    const QStringList before = filesIn(temporary_->path());
    const Run run = batch({"ramp.pgm", "b.ppm", "-o", "out", "--filter", "box", "--dry-run", "--report", "r.jsonl"});
    EXPECT_CODE(run, 0);
    QCOMPARE(run.out, QByteArray("'ramp.pgm' -> 'out/ramp-box.pgm'\n'b.ppm' -> 'out/b-box.ppm'\n"));
    QCOMPARE(filesIn(temporary_->path()), before);
    QVERIFY(!QDir(path("out")).exists());
    const QJsonObject plan = batch({"ramp.pgm", "b.ppm", "-o", "out", "--filter", "box", "--dry-run", "--json"}).json();
    QCOMPARE(plan["files"][1]["output"].toString(), QString("out/b-box.ppm"));
    QCOMPARE(plan["files"][1]["action"].toString(), QString("write"));
    // What a real run would refuse, a dry run refuses.
    EXPECT_CODE(batch({"ramp.pgm", "-o", ".", "--filter", "box", "--name", "ramp.pgm", "--dry-run"}), 2);
}

void CommandsBatchTest::reportsHaveALineAFile() {
    writeFile(path("bad.png"), "no");
    const Run run = batch(
        {"ramp.pgm", "bad.png", "-o", "out", "--filter", "gaussian:sigma=2", "--report", "r.jsonl", "--jobs", "1"});
    EXPECT_CODE(run, 1);
    QList<QByteArray> lines = readFile(path("r.jsonl")).split('\n');
    QCOMPARE(lines.size(), 3);               // the last is empty
    if (lines[0].startsWith("{\"index\":2")) // in the order of completion
        lines.swapItemsAt(0, 1);
    const QJsonObject good = QJsonDocument::fromJson(lines[0]).object();
    QCOMPARE(good["status"].toString(), QString("done"));
    QCOMPARE(good["input"].toString(), QString("ramp.pgm"));
    QCOMPARE(good["output"].toString(), QString("out/ramp-gaussian.pgm"));
    QCOMPARE(good["input_hash"].toString().size(), 32);
    QCOMPARE(good["output_hash"].toString().size(), 32);
    QCOMPARE(good["width"].toInt(), 4);
    QCOMPARE(good["depth"].toString(), QString("8"));
    QVERIFY(!good["variant"].toString().isEmpty() && !good["device"].toString().isEmpty());
    for (const char *stage : {"read", "decode", "filter", "statistics", "encode", "write", "wait", "total"})
        QVERIFY2(good["times_ms"].toObject().contains(stage), stage);
    QCOMPARE(good["statistics"][0]["count"].toInt(), 16);
    QVERIFY(good["parameters"].toString().contains("gaussian:sigma=2"));
    QVERIFY(good["error"].isNull());
    const QJsonObject bad = QJsonDocument::fromJson(lines[1]).object();
    QCOMPARE(bad["status"].toString(), QString("failed"));
    QCOMPARE(bad["error"]["kind"].toString(), QString("input"));
    QVERIFY(bad["error"]["what"].toString().contains("bad.png"));
}

void CommandsBatchTest::aReportMayLieInTheOutputFolder() {
    for (const char *folder : {"new", "newer/", "./new/est"}) {
        const QString report = QString(folder) + "/r.jsonl";
        EXPECT_CODE(batch({"ramp.pgm", "-o", folder, "--filter", "box", "--report", report}), 0);
        QCOMPARE(readFile(path(report)).count('\n'), 1);
    }
}

void CommandsBatchTest::jsonIsAllOfStandardOutput() {
    writeFile(path("bad.png"), "no");
    const Run run =
        batch({"ramp.pgm", "bad.png", "-o", "out", "--filter", "box", "--json", "-v", "--progress", "always"});
    EXPECT_CODE(run, 1);
    const QJsonObject result = run.json();
    QCOMPARE(result["files"].toArray().size(), 2);
    QCOMPARE(result["summary"]["done"].toInt(), 1);
    QCOMPARE(result["summary"]["failed"].toInt(), 1);
    QCOMPARE(result["summary"]["interrupted"].toBool(true), false);
}

void CommandsBatchTest::quietIsQuietAndProgressIsAsked() {
    const Run quiet = batch({"ramp.pgm", "-o", "a", "--filter", "box", "-q"});
    EXPECT_CODE(quiet, 0);
    QVERIFY2(quiet.err.isEmpty() && quiet.out.isEmpty(), qPrintable(quiet.text()));
    const Run normal = batch({"ramp.pgm", "-o", "b", "--filter", "box"});
    EXPECT_IN(normal.err, "1 of 1 file done");
    QVERIFY(!normal.err.contains("files/s")); // no terminal
    QVERIFY(!normal.err.contains('\x1b') && normal.out.isEmpty());
    const Run always = batch({"ramp.pgm", "-o", "c", "--filter", "box", "--progress", "always"});
    EXPECT_IN(always.err, "1/1 file, ");
    const Run verbose = batch({"ramp.pgm", "-o", "d", "--filter", "box", "-v"});
    EXPECT_IN(verbose.err, "'ramp.pgm' -> 'd/ramp-box.pgm'");
}

void CommandsBatchTest::maximumFailuresStop() {
    QStringList files;
    for (int i = 0; i < 6; ++i) {
        writeFile(path(QString("bad%1.png").arg(i)), "no");
        files << QString("bad%1.png").arg(i);
    }
    const Run run = batch(files + QStringList{"-o", "out", "--filter", "box", "--max-failures", "2", "--jobs", "1"});
    EXPECT_CODE(run, 1); // whether the others were usable nobody knows
    EXPECT_IN(run.err, "2 failed, 4 not started");
    QVERIFY(!run.err.contains("bad2.png"));
}

void CommandsBatchTest::verificationComparesWithTheReference() {
    QStringList files;
    for (int i = 0; i < 4; ++i) {
        writePpm(path(QString("p%1.ppm").arg(i)), 31, 17 + i);
        files << QString("p%1.ppm").arg(i);
    }
    const Run run = batch(files + QStringList{"-o", "out", "--filter", "gaussian:sigma=2", "--filter", "sobel-x",
                                              "--verify", "2", "--json"});
    EXPECT_CODE(run, 0);
    EXPECT_IN(run.err, "verified 2 outputs");
    const QJsonObject verified = run.json()["summary"].toObject()["verified"].toObject();
    QCOMPARE(verified["files"].toInt(), 2);
    QVERIFY(verified["max_error"].toDouble(-1) >= 0 && verified["max_error"].toDouble() <= 1);
    const Run cancelling = batch({"p0.ppm", "-o", "out", "--filter", "gaussian:sigma=3", "--filter", "laplacian",
                                  "--depth", "32f", "--format", "tiff", "--verify", "1"});
    EXPECT_CODE(cancelling, 0);
    // Within what float sums may err by, and still nothing to be content with in silence.
    writePgm(path("flat.pgm"), 8, 1, std::vector<int>(8, 100));
    const Run floats = batch({"flat.pgm", "-o", "floats", "--kernel", "3x1: 1e12,1,-1e12", "--variant", "cpu",
                              "--depth", "32f", "--format", "tiff", "--verify", "1"});
    EXPECT_CODE(floats, 0);
    EXPECT_IN(floats.err, "taps are so large");
    QVERIFY2(!cancelling.err.contains("taps are so large"), cancelling.err.constData());
    const Run coarse =
        batch({"flat.pgm", "-o", "coarse", "--kernel", "3x1: 1e12,0,-1e12", "--variant", "cpu", "--verify", "1"});
    EXPECT_CODE(coarse, 0);
    QVERIFY2(coarse.err.contains("verified 1 output: largest error 0,") == !coarse.err.contains("taps are so large"),
             coarse.err.constData());
}

void CommandsBatchTest::limitsFailTheLargeFileOnly() {
    writePpm(path("large.ppm"), 600, 500);
    const Run pixels = batch({"large.ppm", "ramp.pgm", "-o", "a", "--filter", "box", "--max-pixels", "1000"});
    EXPECT_CODE(pixels, 1);
    EXPECT_IN(pixels.err, "large.ppm");
    EXPECT_IN(pixels.err, "--max-pixels");
    const Run memory = batch({"large.ppm", "ramp.pgm", "-o", "b", "--filter", "box", "--response", "range", // no bands
                              "--max-memory", "2M"});
    EXPECT_CODE(memory, 1);
    EXPECT_IN(memory.err, "--max-memory");
    QCOMPARE(filesIn(path("b")), (QStringList{".tessera-batch.jsonl", "ramp-box.pgm"}));
    EXPECT_CODE(batch({"large.ppm", "-o", "c", "--filter", "box", "--max-pixels", "1000"}), 3);
}

void CommandsBatchTest::shardsDoEveryFileOnce() {
    QDir(temporary_->path()).mkdir("in");
    for (int i = 0; i < 7; ++i)
        writePpm(path(QString("in/%1.ppm").arg(i)), 4, 4);
    QStringList made;
    for (int shard = 0; shard < 3; ++shard) {
        const Run run = batch({"in", "-o", "out", "--filter", "box", "--shard", "auto", "--json"},
                              {{},
                               {{"SLURM_ARRAY_TASK_ID", QString::number(10 + 5 * shard)},
                                {"SLURM_ARRAY_TASK_COUNT", "3"},
                                {"SLURM_ARRAY_TASK_MIN", "10"},
                                {"SLURM_ARRAY_TASK_STEP", "5"}},
                               {},
                               60'000});
        EXPECT_CODE(run, 0);
        for (const QJsonValue &file : run.json()["files"].toArray())
            made << file["output"].toString();
    }
    made.sort();
    QCOMPARE(made.size(), 7);
    QCOMPARE(made.removeDuplicates(), 0);
    QVERIFY(filesIn(path("out")).contains(".tessera-batch.3-of-3.jsonl"));
    // More parts than files: an empty part is no failure.
    EXPECT_CODE(batch({"in", "-o", "few", "--filter", "box", "--shard", "9/9"}), 0);
}

void CommandsBatchTest::outputsThatCannotBeWritten() {
    const Run below = batch({"ramp.pgm", "-o", "ramp.pgm/out", "--filter", "box"});
    EXPECT_CODE(below, 2); // nothing was begun
    EXPECT_IN(below.err, "ramp.pgm/out");
    if (canDropPrivileges()) {
        QDir(temporary_->path()).mkdir("locked");
        QFile::setPermissions(path("locked"), QFile::ReadOwner | QFile::ExeOwner);
        const Run locked = batch({"ramp.pgm", "-o", "locked", "--filter", "box"}, {{}, {}, {}, 60'000, true});
        EXPECT_CODE(locked, 2);
        EXPECT_IN(locked.err, "locked");
        QCOMPARE(filesIn(path("locked")), QStringList());
    }
    writePpm(path("large.ppm"), 200, 200); // 120 kB
    const Run full =
        batch({"large.ppm", "ramp.pgm", "-o", "full", "--filter", "box"}, {{}, {}, {}, 60'000, false, 50'000});
    EXPECT_CODE(full, 1);
    EXPECT_IN(full.err, "large-box.ppm");
    QCOMPARE(filesIn(path("full")), (QStringList{".tessera-batch.jsonl", "ramp-box.pgm"})); // nothing half written
    const Run report = batch({"ramp.pgm", "-o", "out", "--filter", "box", "--report", "missing/r.jsonl"});
    EXPECT_CODE(report, 2);
    EXPECT_IN(report.err, "missing/r.jsonl");
    QVERIFY(!QDir(path("out")).exists());
}

QTEST_APPLESS_MAIN(CommandsBatchTest)
#include "commands_batch_cli_test.moc"
