// The real binary on float pictures whose values are not finite, near the ends of float's range, or finer than floats:
// what batch, compare and stats say of them.
#include "tests/app/commands_support.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tessera::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

template <class T> QByteArray bytesOf(const std::vector<T> &values) {
    return {reinterpret_cast<const char *>(values.data()), qsizetype(values.size() * sizeof(T))};
}

// Rows from the bottom, as the format has them.
void writePfm(const QString &path, int width, int height, const std::vector<float> &values) {
    writeFile(path, "Pf\n" + QByteArray::number(width) + " " + QByteArray::number(height) + "\n-1\n" + bytesOf(values));
}

// One strip of 64-bit floats, grey.
void writeDoubles(const QString &path, int width, int height, const std::vector<double> &values) {
    const quint32 size = quint32(values.size() * sizeof(double));
    QByteArray file("II*\0", 4);
    const auto add = [&](auto value) { file.append(reinterpret_cast<const char *>(&value), sizeof value); };
    add(8 + size);
    file += bytesOf(values);
    const std::vector<std::pair<quint16, quint32>> tags{{256, width}, {257, height}, {258, 64}, {259, 1},
                                                        {262, 1},     {273, 8},      {277, 1},  {278, height},
                                                        {279, size},  {339, 3}};
    add(quint16(tags.size()));
    for (const auto &[tag, value] : tags) {
        add(tag);
        add(quint16(4)); // 32 bits each
        add(quint32(1));
        add(value);
    }
    add(quint32(0));
    writeFile(path, file);
}

std::vector<float> ramp(int count, float scale) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i)
        values.push_back(scale * (0.1f + float(i * 37 % 101) / 101.0f));
    return values;
}

QString notesOf(const QJsonObject &result) {
    QStringList notes;
    for (const QJsonValue note : result["notes"].toArray())
        notes += note.toString();
    return notes.join('\n');
}

} // namespace

class CommandsFloatsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY(temporary_.isValid()); }
    void nonfinitePicturesAreVerified_data();
    void nonfinitePicturesAreVerified();
    void meansOfTheLargestFloatsAreSuch();
    void sumsBeyondFloatsAreTold();
    void resultsBeyondFloatsAreTold();
    void notesOfBandsAreToldOnce();
    void compareTellsWhatWasNarrowed();
    void compareTellsInfinitiesApart();
    void channelsWithoutAValueHaveNoFigures();
    void statisticsOfTheLargestFloats();

private:
    QString path(const QString &name) const { return temporary_.filePath(name); }
    Run batch(const QString &input, const QStringList &arguments) const {
        return runTessera(QStringList{"batch", path(input), "-o", path("out"), "--overwrite"} + arguments);
    }
    QTemporaryDir temporary_;
};

void CommandsFloatsTest::nonfinitePicturesAreVerified_data() {
    QTest::addColumn<QStringList>("options");
    for (const char *variant : {"cpu", "naive", "tiled", "naive-float4", "tiled-float4", "naive-half2"})
        for (const char *filter : {"laplacian", "sobel", "shift", "gaussian:sigma=2"})
            QTest::addRow("%s, %s", variant, filter)
                << QStringList{"--variant", variant, "--filter", filter, "--border", "wrap"};
    QTest::newRow("taps that floats do not hold") << QStringList{"--kernel", "3x1: 1e-50,0,1"};
    QTest::newRow("no tap at all") << QStringList{"--kernel", "1x1: 0"};
    QTest::newRow("to levels") << QStringList{"--filter", "laplacian", "--depth", "8", "--format", "png"};
    QTest::newRow("stretched") << QStringList{"--filter",   "laplacian", "--depth",  "16",
                                              "--response", "range",     "--format", "png"};
    QTest::newRow("a chain") << QStringList{"--filter", "unsharp", "--filter", "laplacian"};
}

void CommandsFloatsTest::nonfinitePicturesAreVerified() {
    QFETCH(QStringList, options);
    std::vector<float> values = ramp(41 * 29, 1.0f);
    values[3] = infinity;
    values[500] = notANumber;
    values[41 * 29 - 1] = -infinity;
    writePfm(path("strange.pfm"), 41, 29, values);
    const Run run = batch("strange.pfm", options + QStringList{"--verify", "1"});
    EXPECT_CODE(run, 0);
    EXPECT_IN(run.err, "verified 1 output");
}

void CommandsFloatsTest::meansOfTheLargestFloatsAreSuch() {
    writePfm(path("large.pfm"), 20, 20, ramp(400, 3e38f));
    for (const char *filter : {"box:width=3,height=3", "box:width=13,height=13", "gaussian:sigma=6"}) {
        EXPECT_CODE(batch("large.pfm", {"--filter", filter, "--verify", "1"}), 0);
        const QStringList names = filesIn(path("out")).filter(QString(filter).section(':', 0, 0));
        QVERIFY(!names.isEmpty());
        const QJsonObject channel = runTessera({"stats", "--json", path("out/" + names.first())})
                                        .json()["images"][0]["statistics"][0]
                                        .toObject();
        QCOMPARE(channel["infinite"].toInt(-1), 0);
        QVERIFY(channel["mean"].toDouble() > 1e38 && channel["maximum"].toDouble() < 3.4e38);
    }
}

void CommandsFloatsTest::sumsBeyondFloatsAreTold() {
    writePgm(path("a.pgm"), 2, 2, {1, 2, 3, 4});
    EXPECT_IN(batch("a.pgm", {"--kernel", "3x1: 1e38,1e38,-1e38"}).err, "leave the range of 32-bit floats");
    const Run chain = batch("a.pgm", {"--depth", "32f", "--format", "pfm", "--kernel", "3x1: 1e30,0,0", "--kernel",
                                      "1x1: 1e20", "--divisor", "1"});
    EXPECT_CODE(chain, 0);
    EXPECT_IN(chain.err, "leave the range of 32-bit floats");
    const Run harmless = batch("a.pgm", {"--kernel", "3x1: 1e35,1e35,-1e35"});
    EXPECT_CODE(harmless, 0);
    QVERIFY(!harmless.err.contains("leave the range"));
}

void CommandsFloatsTest::resultsBeyondFloatsAreTold() {
    writePfm(path("large.pfm"), 20, 20, ramp(400, 3e38f));
    EXPECT_IN(batch("large.pfm", {"--kernel", "1x1: 5", "--divisor", "1"}).err, "left the range of 32-bit floats");
    const Run held = batch("large.pfm", {"--kernel", "1x1: 0.5", "--divisor", "1"});
    EXPECT_CODE(held, 0);
    QVERIFY(!held.err.contains("left the range"));
    std::vector<float> values = ramp(400, 1.0f);
    values[7] = infinity; // was so before
    writePfm(path("infinite.pfm"), 20, 20, values);
    QVERIFY(!batch("infinite.pfm", {"--kernel", "1x1: 5", "--divisor", "1"}).err.contains("left the range"));
}

// The first bands have one thing to say, the others two.
void CommandsFloatsTest::notesOfBandsAreToldOnce() {
    std::vector<float> values(std::size_t(400) * 6000, 1.0f);
    std::fill_n(values.begin(), 400 * 1500, 3e38f); // of the last rows
    writePfm(path("tall.pfm"), 400, 6000, values);
    EXPECT_CODE(batch("tall.pfm", {"--filter", "identity", "--format", "tif"}), 0);
    const Run run = batch("out/tall-identity.tif",
                          {"--kernel", "1x1: 5", "--divisor", "1", "--response", "signed", "--max-memory", "10M"});
    EXPECT_CODE(run, 0);
    for (const char *note : {"the response is for integer output", "left the range of 32-bit floats", "in bands"})
        QCOMPARE(run.err.count(note), 1);
}

void CommandsFloatsTest::compareTellsWhatWasNarrowed() {
    writeDoubles(path("a.tif"), 2, 1, {0.1, 0.2});
    writeDoubles(path("b.tif"), 2, 1, {0.1, 0.2 + 1e-12});
    const Run text = runTessera({"compare", path("a.tif"), path("b.tif")});
    EXPECT_CODE(text, 0);
    QCOMPARE(text.out.count("64-bit floats were read as 32-bit ones"), 2);
    const Run json = runTessera({"compare", "--json", path("a.tif"), path("b.tif")});
    EXPECT_CODE(json, 0);
    QCOMPARE(notesOf(json.json()).count("64-bit floats were read as 32-bit ones"), 2);
    writePgm(path("a.pgm"), 2, 1, {1, 2});
    writePgm(path("b.pgm"), 2, 1, {1, 3});
    const QJsonObject plain = runTessera({"compare", "--json", path("a.pgm"), path("b.pgm")}).json();
    QVERIFY(plain["notes"].isArray() && plain["notes"].toArray().isEmpty());
    writePgm(path("other.pgm"), 3, 1, {1, 2, 3});
    QCOMPARE(runTessera({"compare", "--json", path("a.tif"), path("other.pgm")}).json()["notes"].toArray().size(), 1);
}

void CommandsFloatsTest::compareTellsInfinitiesApart() {
    writePfm(path("nan.pfm"), 3, 1, {0.5f, notANumber, infinity});
    writePfm(path("numbers.pfm"), 3, 1, {0.5f, 0.25f, 0.75f});
    const Run same = runTessera({"compare", path("nan.pfm"), path("nan.pfm")});
    EXPECT_CODE(same, 0);
    QVERIFY(same.out.contains("infinite") && !same.out.contains("-infinite"));
    const Run apart = runTessera({"compare", path("nan.pfm"), path("numbers.pfm")});
    EXPECT_CODE(apart, 1);
    EXPECT_IN(apart.out, "-infinite");
    EXPECT_IN(apart.out, "NaN or infinite");

    const QJsonObject equal = runTessera({"compare", "--json", path("nan.pfm"), path("nan.pfm")}).json();
    const QJsonObject unequal = runTessera({"compare", "--json", path("nan.pfm"), path("numbers.pfm")}).json();
    QVERIFY(equal["psnr"].isNull() && unequal["psnr"].isNull());
    QCOMPARE(equal["max_error"].toDouble(-1), 0.0);
    QVERIFY(unequal["max_error"].isNull());
    QVERIFY(notesOf(equal).contains("PSNR is infinite"));
    QVERIFY(notesOf(unequal).contains("minus infinity"));
}

void CommandsFloatsTest::channelsWithoutAValueHaveNoFigures() {
    writePfm(path("nothing.pfm"), 2, 2, std::vector<float>(4, notANumber));
    const Run text = runTessera({"stats", path("nothing.pfm")});
    EXPECT_CODE(text, 0);
    EXPECT_IN(text.out, "none");
    const QJsonObject channel =
        runTessera({"stats", "--json", path("nothing.pfm")}).json()["images"][0]["statistics"][0].toObject();
    QCOMPARE(channel["nan"].toInt(), 4);
    for (const char *figure : {"minimum", "maximum", "mean", "standard_deviation", "median", "entropy"})
        QVERIFY2(channel.contains(figure) && channel[figure].isNull(), figure);
    QVERIFY(channel["percentiles"]["50"].isNull());
}

void CommandsFloatsTest::statisticsOfTheLargestFloats() {
    writePfm(path("ends.pfm"), 200, 100, [] {
        std::vector<float> values(20'000, 3e38f);
        for (std::size_t i = 0; i < values.size(); i += 2)
            values[i] = 1e38f;
        return values;
    }());
    const QJsonObject channel =
        runTessera({"stats", "--json", path("ends.pfm")}).json()["images"][0]["statistics"][0].toObject();
    QVERIFY(std::fabs(channel["mean"].toDouble() / 2e38 - 1) < 1e-6);
    QVERIFY(std::fabs(channel["standard_deviation"].toDouble() / 1e38 - 1) < 1e-6);
}

QTEST_GUILESS_MAIN(CommandsFloatsTest)
#include "commands_floats_cli_test.moc"
