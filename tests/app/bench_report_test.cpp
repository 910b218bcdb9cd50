// Reports as files: the JSON's names, what comes back of it, CSV, Markdown; and what a comparison marks.
#include "app/bench/baseline.h"
#include "app/bench/measured_speeds.h"
#include "app/bench/report.h"
#include "app/core/error.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace tessera;
using namespace tessera::bench;

namespace {

Row rowWith(const std::string &variant, double low, double median, double high) {
    Row row;
    row.key.width = 640;
    row.key.height = 480;
    row.key.kernelWidth = 5;
    row.key.kernelHeight = 3;
    row.key.kernel = "random";
    row.key.pixel = "f32";
    row.key.border = "zero";
    row.key.scope = Scope::Call;
    row.variant = variant;
    row.device = "cpu";
    row.time = {123, median, low - 0.5, high + 0.5, {low, high}};
    row.warmups = 20;
    row.work.bytes = 2457600;
    row.work.operations = 9216000;
    row.floor = Floor{1, 1, 0.5, 0};
    row.check = {1e-7, 2e-8, 3e-7, 1000, 307200, true, {}};
    return row;
}

Report sample() {
    Report report;
    report.version = "1.2.3";
    report.started = "2030-01-02T03:04:05Z";
    report.suite = "cpu";
    report.seed = 42;
    report.device.id = "cpu";
    report.device.name = "A processor";
    report.device.detail = "4 threads";
    report.device.ceilings.cold = {{1e6, 1e10}, {1e8, 2e10}};
    report.device.ceilings.fp32 = 3e11;
    report.rows = {rowWith("cpu", 1.9, 2, 2.1), rowWith("opencv", 3.9, 4, 4.1)};
    report.rows[1].key.cache = CacheState::Hot;
    report.rows[1].work.dense = false;
    report.rows[1].fp32FloorMs = 3.5;
    report.rows[1].tieWith = {"cpu"};
    report.rows[1].clocks.highestMhz = report.rows[1].clocks.lowestMhz = 1980;
    report.rows[1].clocks.throttling = {"power cap"};
    report.rows.push_back(rowWith("broken", 0, 0, 0));
    report.rows.back().time = {};
    report.rows.back().failure = "wrong: at (0, 0)";
    report.leftOut = {{"tiled", "cuda:0", "63x63 u8", "too large, \"by far\""}};
    report.notes = {"The machine was busy."};
    return report;
}

Report withOnly(Row row) {
    Report report = sample();
    report.rows = {std::move(row)};
    return report;
}

ChangeKind changeBetween(Row before, Row now) {
    const Report old = withOnly(std::move(before)), fresh = withOnly(std::move(now));
    return compareWithBaseline(old, fresh).changes.at(0).kind;
}

} // namespace

class BenchReportTest : public QObject {
    Q_OBJECT

private slots:
    void theJsonHoldsWhatTheContractNames() {
        const auto json = nlohmann::json::parse(jsonReport(sample()));
        for (const char *key : {"device", "ceilings", "rows"})
            QVERIFY2(json.contains(key), key);
        const auto &row = json["rows"][0];
        for (const char *key :
             {"variant",    "width",    "height",    "kernel_width", "kernel_height", "pixel",   "border",
              "cache",      "scope",    "median_ms", "p5_ms",        "p95_ms",        "samples", "bytes",
              "operations", "floor_ms", "share",     "max_error",    "relative_l2",   "tie_with"})
            QVERIFY2(row.contains(key), key);
        QCOMPARE(row["kernel_height"].get<int>(), 3);
        QCOMPARE(row["scope"].get<std::string>(), std::string("call"));
        QCOMPARE(row["share"].get<double>(), 0.5);
        QCOMPARE(json["rows"][1]["cache"].get<std::string>(), std::string("hot"));
        QCOMPARE(json["rows"][1]["share_of"].get<std::string>(), std::string("memory"));
        QVERIFY(json["rows"][2]["median_ms"].is_null());
        QVERIFY(json["rows"][2]["share"].is_null());
        QCOMPARE(json["rows"][2]["failure"].get<std::string>(), std::string("wrong: at (0, 0)"));
    }

    void speedsComeFromRowsThatCount() {
        Report report;
        const auto add = [&](std::string variant, std::string kernel, std::string pixel = "f32",
                             std::string device = "cuda:0") -> Row & {
            Row row;
            row.key.width = row.key.height = 4000;
            row.key.kernelWidth = row.key.kernelHeight = 5;
            row.key.kernel = std::move(kernel);
            row.key.pixel = std::move(pixel);
            row.variant = std::move(variant);
            row.device = std::move(device);
            row.time.samples = 9;
            row.time.median = 0.8;
            return report.rows.emplace_back(row);
        };
        add("tiled", "random");
        add("separable", "gaussian", "rgba8");
        add("fft", "random", "rgba8");
        add("blocked", "gaussian", "u8"); // alone: nothing is compiled for its taps
        add("blocked", "random");         // beside the general one: compiled
        add("blocked:specialise=never", "random").time.median = 1.6;
        const std::size_t counted = report.rows.size() - 1;
        add("separable", "random"); // of unknown rank
        add("auto", "random");
        add("npp", "random");
        add("tiled", "random", "f32", "cpu");
        add("naive", "random").check.failure = "wrong";
        add("naive", "random").key.cache = CacheState::Hot;
        add("naive", "random").key.scope = Scope::Call;
        add("naive", "random").key.width = 100;
        const std::vector<SpeedPoint> speeds = speedsOf(report, "cuda:0");
        QCOMPARE(speeds.size(), counted);
        const SpeedTable table{"a card", speeds};
        // What a launch takes by itself is told apart from what grows with the picture.
        const auto expect = [&](const SpeedKey &key, double work, double total) {
            QCOMPARE(launchMilliseconds(key.variant) + 16 * *table.predict(key, work), total);
        };
        expect({KernelVariant::Tiled, ScalarType::F32, 1, 0}, 25, 0.8);
        expect({KernelVariant::Separable, ScalarType::U8, 4, 1}, 5, 0.8);
        expect({KernelVariant::Blocked, ScalarType::U8, 1, 0}, 25, 0.8);
        expect({KernelVariant::Blocked, ScalarType::F32, 1, 0}, 25, 1.6);
        const ConvolutionShape shape{4000, 4000, 5, 5, 1, 4};
        QCOMPARE(launchMilliseconds(KernelVariant::Fft) +
                     *table.predict({KernelVariant::Fft, ScalarType::U8, 1, 0}, 0) *
                         megapixelsOf(KernelVariant::Fft, shape),
                 0.8);
        QVERIFY(!table.predict({KernelVariant::Naive, ScalarType::F32, 1, 0}, 25));
    }

    void whatIsWrittenIsRead() {
        const std::string text = jsonReport(sample());
        const Report report = parseJsonReport(text, "sample");
        QCOMPARE(jsonReport(report), text);
        QCOMPARE(report.rows[0].time.interval, (Interval{1.9, 2.1}));
        QVERIFY(report.rows[0].key == sample().rows[0].key);
    }

    void reportsOfOthersNeedTheContractAlone() {
        const Report report = parseJsonReport(
            R"({"device": "a card", "ceilings": {}, "rows": [{"variant": "torch", "width": 8, "height": 8,
                "kernel_width": 3, "kernel_height": 3, "pixel": "f32", "border": "zero", "cache": "cold",
                "scope": "kernel", "median_ms": 2.0, "p5_ms": 1.5, "p95_ms": 2.5, "samples": 9, "tie_with": []}]})",
            "other");
        QCOMPARE(report.device.name, std::string("a card"));
        QCOMPARE(report.rows.at(0).key.kernel, std::string("random"));
        QCOMPARE(report.rows.at(0).time.interval, (Interval{1.5, 2.5})); // the samples' spread
    }

    void notAReport_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut off") << QByteArray("{\"device\": {}, \"rows\": [");
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("no rows") << QByteArray("{\"device\": {}, \"ceilings\": {}}");
        QTest::newRow("rows are no list") << QByteArray("{\"device\": {}, \"ceilings\": {}, \"rows\": 3}");
        QTest::newRow("a row is no object") << QByteArray("{\"device\": {}, \"ceilings\": {}, \"rows\": [3]}");
        QTest::newRow("no such scope") << QByteArray(
            "{\"device\": {}, \"ceilings\": {}, \"rows\": [{\"scope\": \"fast\"}]}");
    }
    void notAReport() {
        QFETCH(QByteArray, text);
        try {
            parseJsonReport(text.toStdString(), "file.json");
            QFAIL("it was taken for a report");
        } catch (const Error &error) {
            QCOMPARE(int(error.kind()), int(ErrorKind::Input));
            QVERIFY(QByteArray(error.what()).contains("file.json"));
            QVERIFY(!error.remedy().empty());
        }
    }

    void csvHasALineARow() {
        Report report = sample();
        report.rows[0].note = "slow, \"very\"";
        const QByteArray csv = QByteArray::fromStdString(csvReport(report));
        const QList<QByteArray> lines = csv.trimmed().split('\n');
        QCOMPARE(lines.size(), 4);
        QVERIFY(
            lines[0].startsWith("variant,width,height,kernel_width,kernel_height,pixel,border,cache,scope,median_ms"));
        QVERIFY(lines[1].startsWith("cpu,640,480,5,3,f32,zero,cold,call,2,1.4,2.6,123,2457600,9216000,1,0.5,"));
        QVERIFY(lines[1].contains("\"slow, \"\"very\"\"\""));
        QCOMPARE(lines[2].count(','), lines[0].count(','));
        QVERIFY(lines[3].contains("\"wrong: at (0, 0)\""));
    }

    void markdownNamesEverythingThatCounts() {
        Report report = sample();
        report.rows[0].tieWith = {"opencv"};
        const QByteArray text = QByteArray::fromStdString(markdownReport(report));
        for (const char *word : {"A processor", "640x480 f32", "call, cold", "call, hot", "5x3", "tie with opencv",
                                 "wrong: at (0, 0)", "The machine was busy.", "63x63 u8", "300.0 GFLOP/s", "0.250 *",
                                 "memory floor alone", "whole border band"})
            QVERIFY2(text.contains(word), word);
    }

    // Of a row whose clock fell, and of none whose clock is the driver's but for little.
    void clocksThatFellAreTold() {
        Report report = sample();
        report.device.clocks.highestMhz = 2000;
        report.rows[0].clockMhz = 1971;
        QVERIFY(!QByteArray::fromStdString(markdownReport(report)).contains("MHz: what"));
        report.rows[0].clockMhz = 1777.4;
        const QByteArray text = QByteArray::fromStdString(markdownReport(report));
        QVERIFY(text.contains("at 1777 MHz") && text.contains("MHz: what"));
        const Report again = parseJsonReport(jsonReport(report), "file.json");
        QCOMPARE(again.rows[0].clockMhz, std::optional<double>(1777));
        QVERIFY(!again.rows[1].clockMhz);
        const QList<QByteArray> lines = QByteArray::fromStdString(csvReport(report)).trimmed().split('\n');
        QVERIFY(lines[0].trimmed().endsWith(",clock_mhz") && lines[1].trimmed().endsWith(",1777"));
        QVERIFY(lines[2].trimmed().endsWith(","));
    }

    void onlyRealChangesAreMarked_data() {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("median");
        QTest::addColumn<double>("high");
        QTest::addColumn<int>("kind");
        QTest::newRow("the same") << 9.9 << 10.0 << 10.1 << int(ChangeKind::Same);
        QTest::newRow("overlapping") << 9.0 << 9.5 << 9.95 << int(ChangeKind::Same);
        QTest::newRow("faster") << 8.9 << 9.0 << 9.1 << int(ChangeKind::Faster);
        QTest::newRow("slower") << 10.9 << 11.0 << 11.1 << int(ChangeKind::Slower);
    }
    void onlyRealChangesAreMarked() {
        QFETCH(double, low);
        QFETCH(double, median);
        QFETCH(double, high);
        QFETCH(int, kind);
        QCOMPARE(int(changeBetween(rowWith("cpu", 9.9, 10, 10.1), rowWith("cpu", low, median, high))), kind);
    }

    void aHundredthIsNoChange() {
        QCOMPARE(int(changeBetween(rowWith("cpu", 9.999, 10, 10.001), rowWith("cpu", 10.08, 10.09, 10.1))),
                 int(ChangeKind::Same));
    }

    void failuresAndNewRowsAreTold() {
        Row broken = rowWith("cpu", 1, 1, 1);
        broken.failure = "wrong";
        QCOMPARE(int(changeBetween(rowWith("cpu", 1, 1, 1), broken)), int(ChangeKind::Failed));
        QCOMPARE(int(changeBetween(broken, rowWith("cpu", 1, 1, 1))), int(ChangeKind::Mended));
        const Report before = withOnly(rowWith("old", 1, 1, 1)), now = withOnly(rowWith("new", 1, 1, 1));
        const BaselineComparison comparison = compareWithBaseline(before, now);
        QCOMPARE(comparison.changes.size(), std::size_t(2));
        QCOMPARE(int(comparison.changes[0].kind), int(ChangeKind::New));
        QCOMPARE(int(comparison.changes[1].kind), int(ChangeKind::Gone));
        QVERIFY(QByteArray::fromStdString(markdownComparison(comparison)).contains("No row changed for certain"));
    }

    void rowsAreFoundByEverythingThatTellsThemApart() {
        Row other = rowWith("cpu", 1, 1, 1);
        other.key.cache = CacheState::Hot;
        QCOMPARE(int(changeBetween(rowWith("cpu", 2, 2, 2), other)), int(ChangeKind::New));
        Row first = rowWith("tiled", 2, 2, 2), second = rowWith("tiled", 1, 1, 1);
        first.device = "cuda:0";
        second.device = "cuda:1"; // the same card may have another number
        QCOMPARE(int(changeBetween(first, second)), int(ChangeKind::Faster));
    }

    void anotherDeviceIsSaid() {
        Report before = withOnly(rowWith("cpu", 1, 1, 1));
        const Report now = before;
        QVERIFY(compareWithBaseline(before, now).remarks.empty());
        before.device.name = "Another processor";
        const BaselineComparison comparison = compareWithBaseline(before, now);
        QVERIFY(QByteArray::fromStdString(comparison.remarks.at(0)).contains("Another processor"));
        QVERIFY(QByteArray::fromStdString(markdownComparison(comparison)).contains("Another processor"));
    }

    void clockRecordsAreMerged() {
        ClockRecord all;
        all.merge({1500, 1980, 2600, 50, {"power cap"}});
        all.merge({1400, 1700, 2600, 61, {"power cap", "thermal (software)"}});
        all.merge({});
        QCOMPARE(*all.lowestMhz, 1400);
        QCOMPARE(*all.highestMhz, 1980);
        QCOMPARE(*all.temperature, 61);
        QCOMPARE(all.throttling, (std::vector<std::string>{"power cap", "thermal (software)"}));
    }
};

QTEST_APPLESS_MAIN(BenchReportTest)
#include "bench_report_test.moc"
