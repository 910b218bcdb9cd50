// The real binary: help, version, the lists, stats and compare.
#include "tests/app/commands_support.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace tessera::test;

namespace {

QJsonObject entryNamed(const QJsonArray &entries, const QString &key, const QString &name) {
    for (const QJsonValue &entry : entries)
        if (entry[key].toString() == name)
            return entry.toObject();
    return {};
}

} // namespace

class CommandsListsTest : public QObject {
    Q_OBJECT
private slots:
    void init() { temporary_ = std::make_unique<QTemporaryDir>(); }

    void helpOfEveryCommand_data();
    void helpOfEveryCommand();
    void helpIsAWordToo();
    void rootHelpNamesEverything();
    void version();
    void filtersAsTableAndJson();
    void devicesAsTableAndJson();
    void variantsNameAllOfTheContract();
    void statsAsTable();
    void statsAsJson();
    void statsOfSeveralWithABadOne();
    void compareEqualAndWithinTolerance();
    void compareShapes();
    void compareJson();
    void fullStandardOutputIsAnError();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsListsTest::helpOfEveryCommand_data() {
    QTest::addColumn<QString>("command");
    for (const char *command : {"batch", "report", "compare", "stats", "filters", "devices", "variants"})
        QTest::newRow(command) << command;
}

void CommandsListsTest::helpOfEveryCommand() {
    QFETCH(QString, command);
    const Run run = runTessera({command, "--help"});
    EXPECT_CODE(run, 0);
    QVERIFY(run.err.isEmpty());
    for (const QByteArray &word : {QByteArray("Usage: tessera ") + command.toUtf8(), QByteArray("Examples:"),
                                   QByteArray("--json"), QByteArray("--progress")})
        EXPECT_IN(run.out, word);
    for (const QByteArray &line : run.out.split('\n'))
        QVERIFY2(QString::fromUtf8(line).size() <= 120, line.constData());
    QCOMPARE(runTessera({command, "-h"}).out, run.out);
    const Run asked = runTessera({"help", command});
    EXPECT_CODE(asked, 0);
    QCOMPARE(asked.out, run.out);
}

void CommandsListsTest::helpIsAWordToo() {
    const Run run = runTessera({"help"});
    EXPECT_CODE(run, 0);
    QCOMPARE(run.out, runTessera({"--help"}).out);
    for (const QStringList &wrong : {QStringList{"help", "bacth"}, QStringList{"help", "batch", "bench"},
                                     QStringList{"help", "--verbose"}, QStringList{"hlep"}})
        EXPECT_CODE(runTessera(wrong), 2);
    EXPECT_IN(runTessera({"help", "bacth"}).err, "did you mean 'tessera help batch'?");
    EXPECT_IN(runTessera({"hlep"}).err, "did you mean 'tessera help'?");
}

void CommandsListsTest::rootHelpNamesEverything() {
    const Run run = runTessera({"--help"});
    EXPECT_CODE(run, 0);
    for (const char *word :
         {"batch", "report", "compare", "stats", "filters", "devices", "variants", "[IMAGE...]", "75"})
        EXPECT_IN(run.out, word);
}

void CommandsListsTest::version() {
    const Run run = runTessera({"--version"});
    EXPECT_CODE(run, 0);
    QVERIFY(QRegularExpression("^tessera \\d+\\.\\d+\\.\\d+\\n$").match(run.out).hasMatch());
}

void CommandsListsTest::filtersAsTableAndJson() {
    const Run table = runTessera({"filters"});
    EXPECT_CODE(table, 0);
    const Run run = runTessera({"filters", "--json"});
    EXPECT_CODE(run, 0);
    const QJsonArray filters = run.json()["filters"].toArray();
    QVERIFY(filters.size() >= 20);
    for (const QJsonValue &filter : filters)
        EXPECT_IN(table.out, filter["name"].toString().toUtf8());
    const QJsonObject gaussian = entryNamed(filters, "name", "gaussian");
    const QJsonObject sigma = entryNamed(gaussian["parameters"].toArray(), "name", "sigma");
    QVERIFY(sigma["minimum"].toDouble() < sigma["default"].toDouble());
    QVERIFY(sigma["default"].toDouble() < sigma["maximum"].toDouble());
    QVERIFY(!gaussian["description"].toString().isEmpty());
}

void CommandsListsTest::devicesAsTableAndJson() {
    const Run table = runTessera({"devices"});
    EXPECT_CODE(table, 0);
    EXPECT_IN(table.out, "cpu");
    const Run run = runTessera({"devices", "--json"});
    EXPECT_CODE(run, 0);
    const QJsonObject cpu = entryNamed(run.json()["devices"].toArray(), "id", "cpu");
    QVERIFY(cpu["cores"].toInt() >= 1);
    QVERIFY(cpu["variants"].toArray().contains("cpu"));
}

void CommandsListsTest::variantsNameAllOfTheContract() {
    const Run table = runTessera({"variants"});
    EXPECT_CODE(table, 0);
    const Run run = runTessera({"variants", "--json"});
    EXPECT_CODE(run, 0);
    const QJsonArray variants = run.json()["variants"].toArray();
    for (const char *name : {"naive", "naive-float4", "naive-half2", "tiled", "tiled-float4", "tiled-half2", "blocked",
                             "separable", "tensor", "fft", "cpu", "opencv", "npp", "cudnn"}) {
        const QJsonObject variant = entryNamed(variants, "name", name);
        QVERIFY2(!variant.isEmpty(), name);
        const bool available = variant["available"].toBool();
        QCOMPARE(available, !variant["devices"].toArray().isEmpty());
        QCOMPARE(available, variant["reason"].isNull()); // what is missing has a reason
        EXPECT_IN(table.out, name);
    }
    QVERIFY(entryNamed(variants, "name", "cpu")["available"].toBool());
}

void CommandsListsTest::statsAsTable() {
    writePgm(path("a.pgm"), 4, 1, {0, 10, 20, 255});
    const Run run = runTessera({"stats", path("a.pgm")});
    EXPECT_CODE(run, 0);
    EXPECT_IN(run.out, "4x1, 1 channel, 8 bit");
    EXPECT_IN(run.out, "71.25"); // the mean
    EXPECT_IN(run.out, "HISTOGRAM");
}

void CommandsListsTest::statsAsJson() {
    writePgm(path("a.pgm"), 4, 1, {0, 10, 20, 255});
    writePpm(path("b.ppm"), 6, 5);
    const Run run = runTessera({"stats", "--json", path("a.pgm"), path("b.ppm")});
    EXPECT_CODE(run, 0);
    const QJsonArray images = run.json()["images"].toArray();
    QCOMPARE(images.size(), 2);
    QCOMPARE(images[0]["file"].toString(), path("a.pgm"));
    QCOMPARE(images[0]["width"].toInt(), 4);
    QCOMPARE(images[0]["depth"].toString(), QString("8"));
    const QJsonObject grey = images[0]["statistics"].toArray()[0].toObject();
    QCOMPARE(grey["mean"].toDouble(), 71.25);
    QCOMPARE(grey["clipped_low"].toInt(), 1);
    QCOMPARE(grey["clipped_high"].toInt(), 1);
    const QJsonArray counts = grey["histogram"]["counts"].toArray();
    QCOMPARE(counts.size(), 256);
    double sum = 0;
    for (const QJsonValue &count : counts)
        sum += count.toDouble();
    QCOMPARE(sum, 4.0);
    QCOMPARE(counts[20].toInt(), 1);
    QCOMPARE(images[1]["statistics"].toArray().size(), 4); // R, G, B, luminance
}

void CommandsListsTest::statsOfSeveralWithABadOne() {
    writePgm(path("a.pgm"), 1, 1, {7});
    writeFile(path("bad.png"), "no picture");
    const Run some = runTessera({"stats", path("bad.png"), path("a.pgm")});
    EXPECT_CODE(some, 1);
    EXPECT_IN(some.err, "bad.png");
    EXPECT_IN(some.out, "a.pgm");
    const Run none = runTessera({"stats", "--json", path("bad.png"), path("missing.png")});
    EXPECT_CODE(none, 3);
    QCOMPARE(none.json()["images"].toArray().size(), 0);
    EXPECT_IN(none.err, "missing.png");
    const Run large = runTessera({"stats", "--max-pixels", "1", path("a.pgm")});
    EXPECT_CODE(large, 0);
    writePgm(path("b.pgm"), 2, 1, {7, 8});
    EXPECT_CODE(runTessera({"stats", "--max-pixels", "1", path("b.pgm")}), 3);
}

void CommandsListsTest::compareEqualAndWithinTolerance() {
    writePgm(path("a.pgm"), 2, 2, {1, 2, 3, 4});
    writePgm(path("b.pgm"), 2, 2, {1, 2, 5, 4});
    EXPECT_CODE(runTessera({"compare", path("a.pgm"), path("a.pgm")}), 0);
    const Run run = runTessera({"compare", path("a.pgm"), path("b.pgm")});
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.out, "2 at (0, 1)");
    EXPECT_CODE(runTessera({"compare", path("a.pgm"), path("b.pgm"), "--tolerance", "1.5"}), 1);
    EXPECT_CODE(runTessera({"compare", path("a.pgm"), path("b.pgm"), "--tolerance=2"}), 0);
    EXPECT_CODE(runTessera({"compare", path("a.pgm"), path("missing.pgm")}), 3);
    EXPECT_CODE(runTessera({"compare", path("a.pgm")}), 2);
    EXPECT_CODE(runTessera({"compare", path("a.pgm"), path("a.pgm"), path("b.pgm")}), 2);
    EXPECT_CODE(runTessera({"compare", path("a.pgm"), path("b.pgm"), "--tolerance", "-1"}), 2);
}

void CommandsListsTest::compareShapes() {
    writePgm(path("a.pgm"), 2, 2, {1, 2, 3, 4});
    writePgm(path("b.pgm"), 4, 1, {1, 2, 3, 4});
    const Run run = runTessera({"compare", path("a.pgm"), path("b.pgm"), "--tolerance", "1000"});
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.out, "2x2");
    EXPECT_IN(run.out, "4x1");
    QCOMPARE(runTessera({"compare", "--json", path("a.pgm"), path("b.pgm")}).json()["equal"].toBool(true), false);
}

void CommandsListsTest::compareJson() {
    writePgm(path("a.pgm"), 2, 2, {1, 2, 3, 4});
    writePgm(path("b.pgm"), 2, 2, {1, 2, 5, 4});
    const QJsonObject result = runTessera({"compare", "--json", path("a.pgm"), path("b.pgm")}).json();
    QCOMPARE(result["equal"].toBool(true), false);
    QCOMPARE(result["max_error"].toDouble(), 2.0);
    QCOMPARE(result["x"].toInt(), 0);
    QCOMPARE(result["y"].toInt(), 1);
    QCOMPARE(result["differing_pixels"].toInt(), 1);
    QCOMPARE(result["differing_share"].toDouble(), 0.25);
    QCOMPARE(result["rms"].toDouble(), 1.0);
    const QJsonObject same = runTessera({"compare", "--json", path("a.pgm"), path("a.pgm")}).json();
    QCOMPARE(same["equal"].toBool(), true);
    QVERIFY(same.contains("psnr") && same["psnr"].isNull()); // infinite: no JSON number
}

void CommandsListsTest::fullStandardOutputIsAnError() {
    QProcess process;
    prepare(process, {"filters"}, {});
    process.setStandardOutputFile("/dev/full");
    process.start();
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 1);
    EXPECT_IN(process.readAllStandardError(), "standard output could not be written");
}

QTEST_APPLESS_MAIN(CommandsListsTest)
#include "commands_lists_cli_test.moc"
