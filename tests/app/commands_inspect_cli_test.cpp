// `tessera inspect` as it is typed.
#include "tests/app/commands_support.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace tessera::test;

namespace {

const QString checkers = "3x3: 1,0,1, 0,1,0, 1,0,1";

QStringList inspect(const QStringList &more) { return QStringList{"inspect"} + more; }

} // namespace

class CommandsInspectCliTest : public QObject {
    Q_OBJECT

private slots:
    void countsOfTheFourByFour_data() {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<bool>("inside");
        QTest::addColumn<int>("reads");
        QTest::newRow("naive, inside") << "naive" << true << 36;
        QTest::newRow("tiled, inside") << "tiled" << true << 16;
        QTest::newRow("naive, zero border") << "naive" << false << 100;
        QTest::newRow("tiled, zero border") << "tiled" << false << 16;
    }
    void countsOfTheFourByFour() {
        QFETCH(QString, variant);
        QFETCH(bool, inside);
        QFETCH(int, reads);
        QStringList arguments = inspect(
            {"--variant", variant, "--size", "4x4", "--kernel", checkers, "--border", "zero", "--simulate", "--json"});
        if (inside)
            arguments << "--inside";
        const Run run = runTessera(arguments);
        EXPECT_CODE(run, 0);
        const QJsonObject object = run.json();
        QCOMPARE(object["variant"].toString(), variant);
        QCOMPARE(object["model"]["global_reads"].toInt(), reads);
        QCOMPARE(object["simulated"]["global_reads"].toInt(), reads);
        QCOMPARE(object["simulated"]["global_writes"].toInt(), inside ? 4 : 16);
        QCOMPARE(object["simulated"]["races"].toInt(-1), 0);
        QCOMPARE(object["simulated"]["sampled"].toBool(true), false);
        for (const char *key : {"sectors", "bank_conflicts", "divergent_warps"})
            QCOMPARE(object["simulated"][key].toInt(-1), object["model"][key].toInt(-2));
    }

    // Variants without a source that the simulator runs; what there is is named.
    void variantsThatAreNotModelled() {
        for (const char *variant : {"blocked", "tensor", "separable", "fft", "cpu", "npp"}) {
            const Run run = runTessera(inspect({"--variant", variant, "--size", "64x64", "--filter", "box"}));
            EXPECT_CODE(run, 2);
            EXPECT_IN(run.err,
                      "the variant '" + QByteArray(variant) + "' is none of the GPU kernels that are modelled");
            EXPECT_IN(run.err, "inspect takes naive, naive-float4, naive-half2, tiled, tiled-float4 and tiled-half2");
        }
        const Run unknown = runTessera(inspect({"--variant", "tyled", "--size", "64x64", "--filter", "box"}));
        EXPECT_CODE(unknown, 2);
        EXPECT_IN(unknown.err, "inspect knows no variant 'tyled'");
        EXPECT_IN(unknown.err, "did you mean 'tiled'?");
        const Run option = runTessera(inspect({"--variant", "tiled:x=1", "--size", "64x64", "--filter", "box"}));
        EXPECT_CODE(option, 2);
        EXPECT_IN(option.err, "has no option 'x=1'");
    }

    void jsonHoldsThePlan() {
        const Run run = runTessera(inspect({"--variant", "tiled-float4", "--size", "1000x701", "--filter", "box:size=5",
                                            "--pixel", "rgba8", "--arch", "8.6", "--json"}));
        EXPECT_CODE(run, 0);
        const QJsonObject object = run.json();
        const QJsonObject plan = object["plan"].toObject();
        QCOMPARE(plan["block"].toArray(), (QJsonArray{32, 8}));
        QCOMPARE(plan["grid"].toArray(), (QJsonArray{8, 88}));
        QCOMPARE(plan["threads"].toInt(), 8 * 88 * 256);
        QCOMPARE(plan["idle"].toInt(), 8 * 88 * 256 - 250 * 701);
        QVERIFY(plan["shared_bytes"].toInt() > 0);
        QVERIFY(!object.contains("simulated"));
        QCOMPARE(object["pixel"].toString(), QString("rgba8"));
        QVERIFY(object["model"]["occupancy"]["blocks"].toInt() > 0);
        QVERIFY(object["model"]["roofline"].isNull()); // nobody measured an 8.6
        QVERIFY(!object["model"]["explanation"].toString().isEmpty());
    }

    void withoutAVariantAllSix() {
        const Run run = runTessera(inspect({"--size", "640x480", "--filter", "gaussian:sigma=1", "--json"}));
        EXPECT_CODE(run, 0);
        QCOMPARE(run.json()["variants"].toArray().size(), 6);
        QVERIFY(run.json()["refused"].toArray().isEmpty());
        const Run table = runTessera(inspect({"--size", "640x480", "--filter", "gaussian:sigma=1"}));
        EXPECT_CODE(table, 0);
        for (const char *name : {"naive", "naive-float4", "naive-half2", "tiled", "tiled-float4", "tiled-half2", "WHY"})
            EXPECT_IN(table.out, name);
    }

    void textNamesWhatItShows() {
        const Run run =
            runTessera(inspect({"--variant", "tiled", "--size", "4096x4096", "--filter", "box:size=5", "--simulate"}));
        EXPECT_CODE(run, 0);
        for (const char *word : {"128x512 blocks of 32x8 threads", "footprint from the source", "SIMULATED",
                                 "one block of each kind", "must move", "operations a byte that must"})
            EXPECT_IN(run.out, word);
    }

    void takesSizeAndPixelsFromAPicture() {
        QTemporaryDir folder;
        writePpm(folder.filePath("colour.ppm"), 37, 21);
        const Run run = runTessera(
            inspect({"--variant", "naive", "--image", folder.filePath("colour.ppm"), "--filter", "sobel", "--json"}));
        EXPECT_CODE(run, 0);
        QCOMPARE(run.json()["width"].toInt(), 37);
        QCOMPARE(run.json()["height"].toInt(), 21);
        QCOMPARE(run.json()["pixel"].toString(), QString("rgba8"));
        EXPECT_IN(run.err, "2 kernels");
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("word");
        QTest::newRow("no size") << QStringList{"--filter", "box"} << "--size";
        QTest::newRow("no kernel") << QStringList{"--size", "64x64"} << "--kernel";
        QTest::newRow("a chain") << QStringList{"--size", "64x64", "--filter", "box", "--kernel", "1x1: 1"}
                                 << "one filter";
        QTest::newRow("a filter twice") << QStringList{"--size", "64x64", "--filter", "box", "--filter", "box"}
                                        << "more than once";
        QTest::newRow("a size that is none") << QStringList{"--size", "64", "--filter", "box"} << "1920x1080";
        QTest::newRow("an empty size") << QStringList{"--size", "0x64", "--filter", "box"} << "1920x1080";
        QTest::newRow("a pixel that is none")
            << QStringList{"--size", "64x64", "--filter", "box", "--pixel", "rgba9"} << "rgba8";
        QTest::newRow("a variant that is none")
            << QStringList{"--size", "64x64", "--filter", "box", "--variant", "tild"} << "tiled";
        QTest::newRow("a variant without a model")
            << QStringList{"--size", "64x64", "--filter", "box", "--variant", "opencv"} << "opencv";
        QTest::newRow("an architecture that is none")
            << QStringList{"--size", "64x64", "--filter", "box", "--arch", "9"} << "8.6";
        QTest::newRow("an architecture that nobody knows")
            << QStringList{"--size", "64x64", "--filter", "box", "--arch", "1.0"} << "12.0";
        QTest::newRow("a window larger than the picture")
            << QStringList{"--size", "4x4", "--filter", "box:size=5", "--inside", "--variant", "tiled"} << "no window";
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, word);
        const Run run = runTessera(inspect(arguments));
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, word.toUtf8().constData());
        QVERIFY(run.out.isEmpty());
    }

    void aLimitThatIsTooSmall() {
        const Run run = runTessera(inspect(
            {"--variant", "naive", "--size", "64x64", "--filter", "box", "--simulate", "--simulate-limit", "10"}));
        EXPECT_CODE(run, 3);
        EXPECT_IN(run.err, "--simulate-limit");
    }
};

QTEST_APPLESS_MAIN(CommandsInspectCliTest)
#include "commands_inspect_cli_test.moc"
