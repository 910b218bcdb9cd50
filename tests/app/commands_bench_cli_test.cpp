// `tessera bench` as it is typed. No time is judged here.
#include "tests/app/commands_support.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

using namespace tessera::test;

namespace {

QStringList bench(const QStringList &more) { return QStringList{"bench"} + more; }

const QStringList tiny =
    bench({"--device", "cpu", "--size", "71x53", "--kernel-sizes", "3,4x2", "--samples", "6", "--cache", "cold"});

QJsonObject objectIn(const QString &path) { return QJsonDocument::fromJson(readFile(path)).object(); }

} // namespace

class CommandsBenchCliTest : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsTheContract() {
        const Run run = runTessera(tiny + QStringList{"--pixel", "f32,rgba8", "--json", "-"});
        EXPECT_CODE(run, 0);
        const QJsonObject report = run.json();
        QVERIFY(!report["device"]["name"].toString().isEmpty());
        QVERIFY(report["ceilings"]["fp32_operations_per_second"].toDouble() > 0);
        QVERIFY(!report["ceilings"]["copy_cold"].toArray().isEmpty());
        const QJsonArray rows = report["rows"].toArray();
        QSet<QString> variants, work;
        for (const QJsonValue &value : rows) {
            const QJsonObject row = value.toObject();
            for (const char *key :
                 {"variant",    "width",    "height",    "kernel_width", "kernel_height", "pixel",   "border",
                  "cache",      "scope",    "median_ms", "p5_ms",        "p95_ms",        "samples", "bytes",
                  "operations", "floor_ms", "share",     "max_error",    "relative_l2",   "tie_with"})
                QVERIFY2(row.contains(key), key);
            QCOMPARE(row["width"].toInt(), 71);
            QCOMPARE(row["border"].toString(), QString("zero"));
            QCOMPARE(row["cache"].toString(), QString("cold"));
            QCOMPARE(row["scope"].toString(), QString("call"));
            QVERIFY(row["samples"].toInt() >= 6);
            QVERIFY(row["median_ms"].toDouble() > 0);
            QVERIFY(row["p5_ms"].toDouble() <= row["median_ms"].toDouble());
            QVERIFY(row["median_ms"].toDouble() <= row["p95_ms"].toDouble());
            const int channels = row["pixel"].toString() == "f32" ? 4 : 4; // bytes a pixel, either way
            QCOMPARE(row["bytes"].toInt(), 2 * 71 * 53 * channels);
            QVERIFY(row["max_error"].toDouble() <= (row["pixel"].toString() == "f32" ? 1e-5 : 1));
            QCOMPARE(row["checked_pixels"].toInt(), 71 * 53);
            variants << row["variant"].toString();
            work << row["pixel"].toString() +
                        QString(" %1x%2").arg(row["kernel_width"].toInt()).arg(row["kernel_height"].toInt());
        }
        QVERIFY(variants.contains("cpu"));
        QCOMPARE(work, (QSet<QString>{"f32 3x3", "f32 4x2", "rgba8 3x3", "rgba8 4x2"}));
        QCOMPARE(rows.size(), 4 * variants.size());
    }

    void tableFilesAndBaseline() {
        QTemporaryDir folder;
        const QString json = folder.filePath("a.json"), csv = folder.filePath("a.csv");
        const Run first = runTessera(tiny + QStringList{"--json", json, "--csv", csv});
        EXPECT_CODE(first, 0);
        for (const char *word : {"# tessera bench", "71x53 f32, border zero: call, cold", "| 3x3", "| 4x2", "share"})
            EXPECT_IN(first.out, word);
        const int rows = int(objectIn(json).value("rows").toArray().size());
        QVERIFY(rows >= 2);
        QCOMPARE(readFile(csv).trimmed().count('\n'), rows);

        const QByteArray before = readFile(json);
        const Run again = runTessera(tiny + QStringList{"--json", json});
        EXPECT_CODE(again, 2); // nothing is overwritten unasked
        EXPECT_IN(again.err, "--overwrite");
        QCOMPARE(readFile(json), before);

        const Run compared = runTessera(tiny + QStringList{"--baseline", json, "--json", json, "--overwrite"});
        EXPECT_CODE(compared, 0);
        EXPECT_IN(compared.out, "Against the baseline");
        QVERIFY(!compared.out.contains("another device"));
        QVERIFY(readFile(json) != before);

        for (const char *option : {"--json", "--csv"}) { // what is no report was not meant
            const QString precious = folder.filePath("precious.png");
            writeFile(precious, "my picture");
            const Run refused = runTessera(tiny + QStringList{option, precious, "--overwrite"});
            EXPECT_CODE(refused, 2);
            EXPECT_IN(refused.err, "exists and is no report");
            QCOMPARE(readFile(precious), QByteArray("my picture"));
        }
        EXPECT_CODE(runTessera(tiny + QStringList{"--csv", csv, "--overwrite"}), 0);

        QByteArray foreign = before;
        foreign.replace(objectIn(json).value("device").toObject().value("name").toString().toUtf8(),
                        QByteArray("Some other chip"));
        writeFile(folder.filePath("foreign.json"), foreign);
        const Run other = runTessera(tiny + QStringList{"--baseline", folder.filePath("foreign.json")});
        EXPECT_CODE(other, 0);
        EXPECT_IN(other.out, "another device: Some other chip");
    }

    void aFilterOnAPicture() {
        QTemporaryDir folder;
        writePpm(folder.filePath("in.ppm"), 60, 40);
        const Run run = runTessera(
            bench({"--device", "cpu", "--image", folder.filePath("in.ppm"), "--filter", "gaussian:sigma=1", "--border",
                   "reflect101", "--samples", "5", "--variants", "cpu", "--cache", "hot", "--json", "-"}));
        EXPECT_CODE(run, 0);
        const QJsonArray rows = run.json()["rows"].toArray();
        QCOMPARE(rows.size(), 1);
        const QJsonObject row = rows[0].toObject();
        QCOMPARE(row["pixel"].toString(), QString("rgb8"));
        QCOMPARE(row["border"].toString(), QString("reflect101"));
        QCOMPARE(row["kernel"].toString(), QString("gaussian"));
        QCOMPARE(row["share_of"].toString(), QString("memory")); // the engine takes it apart
    }

    void theHistogramSuite() {
        const Run run = runTessera(
            bench({"--suite", "histogram", "--device", "cpu", "--size", "90x70", "--samples", "5", "--json", "-"}));
        EXPECT_CODE(run, 0);
        QSet<QString> distributions;
        for (const QJsonValue &row : run.json()["rows"].toArray()) {
            QCOMPARE(row["max_error"].toDouble(-1), 0.0);
            distributions << row["distribution"].toString();
        }
        QCOMPARE(distributions, (QSet<QString>{"uniform", "constant", "two-values", "photograph", "ramp"}));
    }

    void theGpuSuiteNeedsAGpu() {
        const Run devices = runTessera({"devices", "--json"});
        for (const QJsonValue &device : devices.json()["devices"].toArray())
            if (device["kind"].toString() == "cuda")
                QSKIP("a CUDA device is there");
        const Run run = runTessera(bench({"--suite", "gpu"}));
        EXPECT_CODE(run, 4);
        EXPECT_IN(run.err, "CUDA device");
        EXPECT_IN(run.err, "--suite cpu");
        EXPECT_CODE(runTessera(bench({"--device", "cuda:0"})), 4);
        EXPECT_CODE(runTessera(bench({"--scope", "kernel", "--size", "32x32"})), 2);
    }

    void wrongUsage_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("word");
        const auto row = [](const char *name, const QStringList &arguments, const char *word) {
            QTest::newRow(name) << arguments << QByteArray(word);
        };
        row("no size", {"--size", "12"}, "1920x1080");
        row("an empty item", {"--size", "8x8,,9x9"}, "single commas");
        row("kernel of zero", {"--kernel-sizes", "0"}, "--kernel-sizes");
        row("kernel too large", {"--kernel-sizes", "3,256"}, "--kernel-sizes");
        row("no such pixel", {"--pixel", "rgba9"}, "rgba8");
        row("no such suite", {"--suite", "gpus"}, "gpu");
        row("no such variant", {"--size", "9x9", "--variants", "nave"}, "nave");
        row("the simulator's times", {"--device", "sim"}, "simulator");
        row("no such device", {"--device", "card"}, "devices are");
        row("no such scope", {"--scope", "finished"}, "end_to_end");
        row("no such cache", {"--cache", "warm"}, "hot");
        row("no samples", {"--samples", "0"}, "--samples");
        row("no budget", {"--budget", "0"}, "--budget");
        row("suite and kernel", {"--suite", "cpu", "--kernel-sizes", "3"}, "contradict");
        row("suite and filter", {"--suite", "cpu", "--filter", "box"}, "contradict");
        row("size and image", {"--size", "9x9", "--image", "x.png"}, "contradict");
        row("two kinds of kernel", {"--kernel-sizes", "3", "--filter", "box"}, "contradict");
        row("an anchor of nothing", {"--anchor", "1,1"}, "--anchor");
        row("no file for JSON", {"--json"}, "--json");
        row("CSV to nowhere", {"--csv", "-"}, "--csv");
        row("a folder", {"--json", "."}, "folder");
        row("no such folder", {"--json", "nowhere/a.json"}, "nowhere");
        row("a positional", {"photo.png"}, "photo.png");
    }
    void wrongUsage() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, word);
        const Run run = runTessera(bench(arguments));
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, word);
        QVERIFY(run.out.isEmpty());
    }

    void unusableInput() {
        QTemporaryDir folder;
        writeFile(folder.filePath("half.json"), "{\"device\": {}, ");
        const Run run = runTessera(tiny + QStringList{"--baseline", folder.filePath("half.json")});
        EXPECT_CODE(run, 3);
        EXPECT_IN(run.err, "half.json");
        EXPECT_CODE(runTessera(tiny + QStringList{"--baseline", folder.filePath("none.json")}), 3);
        EXPECT_CODE(runTessera(bench({"--image", folder.filePath("none.png")})), 3);
        const Run huge = runTessera(bench({"--size", "1000000x1000000", "--device", "cpu"}));
        EXPECT_CODE(huge, 3);
        EXPECT_IN(huge.err, "--size");
    }

    void nothingToMeasureIsAnError() {
        const Run run = runTessera(bench({"--device", "cpu", "--size", "9x9", "--pixel", "f16"}));
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, "half");
    }

    // Interrupted it says what it has, writes it, and ends with 75.
    void interruption() {
        QTemporaryDir folder;
        const QString json = folder.filePath("a.json");
        QProcess process;
        prepare(process,
                bench({"--device", "cpu", "--size", "64x64", "--kernel-sizes", "3,5", "--samples", "1000000",
                       "--budget", "600", "--progress", "always", "--json", json}),
                {});
        process.start();
        QVERIFY(process.waitForStarted());
        QElapsedTimer timer;
        timer.start();
        QByteArray err;
        while (!err.contains("samples") && timer.elapsed() < 60'000) {
            process.waitForReadyRead(500);
            err += process.readAllStandardError();
        }
        QVERIFY2(err.contains("samples"), err.constData());
        ::kill(pid_t(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 75);
        const QJsonObject report = objectIn(json);
        QVERIFY(report["interrupted"].toBool());
        QVERIFY(!report["rows"].toArray().isEmpty());
        QVERIFY(report["rows"].toArray()[0].toObject()["note"].toString().contains("interrupted"));
        QVERIFY(process.readAllStandardOutput().contains("Interrupted"));
    }

    void helpNamesEverything() {
        const Run run = runTessera(bench({"--help"}));
        EXPECT_CODE(run, 0);
        for (const char *word :
             {"--size", "--image", "--kernel-sizes", "--filter", "--kernel", "--pixel", "--variants", "--peers",
              "--suite", "--samples", "--json FILE", "--csv", "--baseline", "--border", "--device", "histogram:", "75"})
            EXPECT_IN(run.out, word);
        QCOMPARE(run.out.count("--json "), run.out.count("--json FILE") + run.out.count("--json today.json"));
    }
};

QTEST_GUILESS_MAIN(CommandsBenchCliTest)
#include "commands_bench_cli_test.moc"
