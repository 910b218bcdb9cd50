// The real binary and --max-memory: pictures larger than it go through in bands, to the same bits; the process stays
// within it.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <memory>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <utility>

using namespace tessera::test;

extern char **environ;

class CommandsLargeTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void bandsGiveTheSameBits_data();
    void bandsGiveTheSameBits();
    void statisticsOfBandsAreThoseOfTheWhole();
    void transparencyIsJudgedByTheWhole();
    void damageIsFoundInBandsToo();
    void whatCannotGoInBandsSaysWhy();
    void moreMemoryNeverFails();
    void theNeedThatIsStatedIsEnough_data();
    void theNeedThatIsStatedIsEnough();
    void bandsAreVerifiedToo_data();
    void bandsAreVerifiedToo();
    void memoryStaysWithinItsLimit_data();
    void memoryStaysWithinItsLimit();

private:
    QString path(const QString &name) const { return temporary_.filePath(name); }
    Run batch(const QStringList &arguments) const {
        return runTessera(QStringList{"batch", "--device", "cpu"} + arguments, {temporary_.path(), {}, {}, 240'000});
    }
    QTemporaryDir temporary_;
};

namespace {

QByteArray noise(qsizetype count) {
    QByteArray bytes(count, '\0');
    unsigned state = 1;
    for (char &byte : bytes) {
        state = state * 1664525u + 1013904223u;
        byte = char(state >> 24);
    }
    return bytes;
}

// "II" EXIF: make, orientation, a sensitivity in the directory of the exposure, and a thumbnail's directory.
QByteArray exif(int orientation) {
    const auto entry = [](int tag, int type, int count, int value) {
        QByteArray bytes;
        for (const auto &[number, size] : {std::pair{tag, 2}, {type, 2}, {count, 4}, {value, 4}})
            for (int i = 0; i < size; ++i)
                bytes += char(number >> 8 * i & 0xff);
        return bytes;
    };
    return QByteArray("II*\0\x08\0\0\0\x03\0", 10) + entry(271, 2, 8, 68) + entry(274, 3, 1, orientation) +
           entry(34665, 4, 1, 50) + QByteArray("\x4c\0\0\0\x01\0", 6) + entry(34855, 3, 1, 400) +
           QByteArray("\0\0\0\0Tessera\0\0\0\0\0\0\0", 18);
}

QByteArray jpegWithExif(const QByteArray &jpeg, int orientation) {
    const QByteArray content = QByteArray("Exif\0\0", 6) + exif(orientation);
    return jpeg.left(2) + "\xff\xe1" + char(0) + char(content.size() + 2) + content + jpeg.mid(2);
}

// Our own TIFFs are little-endian and state the orientation 1.
QByteArray turned(QByteArray tiff, int orientation) {
    return tiff.replace(QByteArray("\x12\x01\x03\0\x01\0\0\0\x01", 9),
                        QByteArray("\x12\x01\x03\0\x01\0\0\0", 8) + char(orientation));
}

QByteArray pam(int width, int height, int channels, int maximum, const QByteArray &type, const QByteArray &samples) {
    return "P7\nWIDTH " + QByteArray::number(width) + "\nHEIGHT " + QByteArray::number(height) + "\nDEPTH " +
           QByteArray::number(channels) + "\nMAXVAL " + QByteArray::number(maximum) + "\nTUPLTYPE " + type +
           "\nENDHDR\n" + samples;
}

} // namespace

void CommandsLargeTest::initTestCase() {
    constexpr int width = 701, height = 1500;
    QDir(temporary_.path()).mkdir("in");
    writeFile(path("in/rgb.ppm"), "P6\n701 1500\n255\n" + noise(width * height * 3));
    writeFile(path("in/grey16.pgm"), "P5\n701 1500\n65535\n" + noise(width * height * 2));
    writeFile(path("in/tall.pgm"), "P5\n200 4001\n65535\n" + noise(200 * 4001 * 2));
    writeFile(path("in/tall.pam"), pam(200, 4001, 4, 255, "RGB_ALPHA", noise(200 * 4001 * 4)));
    QByteArray rgba = noise(width * height * 4);
    writeFile(path("in/rgba.pam"), pam(width, height, 4, 255, "RGB_ALPHA", rgba));
    for (qsizetype i = 3; i < rgba.size(); i += 4)
        rgba[i] = char(255);
    writeFile(path("in/opaque.pam"), pam(width, height, 4, 255, "RGB_ALPHA", rgba));
    // Transparent in its last pixel only, so that no band but the last knows.
    rgba[rgba.size() - 1] = 0;
    writeFile(path("in/almost.pam"), pam(width, height, 4, 255, "RGB_ALPHA", rgba));
    for (const char *format : {"png", "jpg", "tiff"})
        EXPECT_CODE(
            batch({"in/rgb.ppm", "-o", "in", "--filter", "identity", "--format", format, "--name", "rgb.{ext}"}), 0);
    for (const char *format : {"png", "tiff"})
        EXPECT_CODE(
            batch({"in/rgba.pam", "-o", "in", "--filter", "identity", "--format", format, "--name", "rgba.{ext}"}), 0);
    EXPECT_CODE(batch({"in/rgb.ppm", "-o", "in", "--filter", "identity", "--format", "tiff", "--depth", "32f", "--name",
                       "float.{ext}"}),
                0);
    EXPECT_CODE(batch({"in/tall.pgm", "-o", "in", "--filter", "identity", "--format", "tiff", "--depth", "32f",
                       "--name", "tall.tif"}),
                0);
    const QByteArray jpeg = readFile(path("in/rgb.jpg"));
    writeFile(path("in/exif.jpg"), jpegWithExif(jpeg, 1));
    EXPECT_CODE(batch({"in/exif.jpg", "-o", "in", "--filter", "identity", "--format", "tiff", "--name", "exif.{ext}"}),
                0);
    QVERIFY(readFile(path("in/exif.tif")).contains("Tessera"));
    writeFile(path("in/turned.jpg"), jpegWithExif(jpeg, 8));
    EXPECT_CODE(batch({"in/turned.jpg", "-o", "in", "--filter", "identity", "--format", "png", "--name", "t.png"}), 0);
    for (int orientation = 2; orientation <= 8; ++orientation)
        writeFile(path(QString("in/turned%1.tif").arg(orientation)),
                  turned(readFile(path("in/exif.tif")), orientation));
}

void CommandsLargeTest::bandsGiveTheSameBits_data() {
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("limit");
    const QStringList gaussian{"--filter", "gaussian:sigma=2"};
    const QStringList chain{"--filter", "gaussian:sigma=1", "--filter", "sobel", "--border", "reflect101"};
    QTest::newRow("ppm") << "rgb.ppm"
                         << "ppm" << gaussian << "9M";
    QTest::newRow("ppm, one thread") << "rgb.ppm"
                                     << "ppm" << (gaussian + QStringList{"--jobs", "1"}) << "9M";
    QTest::newRow("png to png") << "rgb.png"
                                << "png" << gaussian << "9M";
    QTest::newRow("jpg to png") << "rgb.jpg"
                                << "png" << chain << "20M";
    QTest::newRow("jpg to jpg") << "rgb.jpg"
                                << "jpg" << gaussian << "9M";
    QTest::newRow("tiff to tiff") << "rgb.tif"
                                  << "tiff" << chain << "20M";
    QTest::newRow("16 bit") << "grey16.pgm"
                            << "pgm" << (gaussian + QStringList{"--border", "zero"}) << "6M";
    QTest::newRow("16 bit to 8") << "grey16.pgm"
                                 << "png" << (gaussian + QStringList{"--depth", "8"}) << "6M";
    QTest::newRow("rgba") << "rgba.pam"
                          << "pam" << gaussian << "25M";
    QTest::newRow("rgba png") << "rgba.png"
                              << "tiff" << gaussian << "25M";
    QTest::newRow("rgba tiff") << "rgba.tif"
                               << "png" << QStringList{"--filter", "sharpen"} << "12M";
    QTest::newRow("opaque") << "opaque.pam"
                            << "pam" << gaussian << "25M";
    QTest::newRow("almost opaque") << "almost.pam"
                                   << "pam" << gaussian << "25M";
    QTest::newRow("linear") << "rgb.ppm"
                            << "ppm" << (gaussian + QStringList{"--linear"}) << "20M";
    const QStringList wrap{"--border", "wrap"};
    QTest::newRow("wrap") << "rgb.ppm"
                          << "ppm" << (gaussian + wrap) << "9M";
    QTest::newRow("wrap, png") << "rgb.png"
                               << "png" << (gaussian + wrap) << "9M";
    QTest::newRow("wrap, chain") << "rgb.tif"
                                 << "tiff"
                                 << QStringList{"--filter", "box:width=9,height=9", "--filter", "sobel"} + wrap
                                 << "20M";
    QTest::newRow("wrap, far up") << "grey16.pgm"
                                  << "pgm" << QStringList{"--filter", "shift:dx=0,dy=25"} + wrap << "6M";
    QTest::newRow("wrap, own anchor")
        << "rgb.ppm"
        << "ppm" << QStringList{"--kernel", "1x4: 1,2,3,4", "--anchor", "0,3", "--divisor", "auto"} + wrap << "9M";
    QTest::newRow("wrap, almost opaque") << "almost.pam"
                                         << "pam" << (gaussian + wrap) << "25M";
    QTest::newRow("float") << "float.tif"
                           << "tiff" << gaussian << "30M";
    // Computed in tiles that are taller than these kernels; the bands must be cut where the tiles are.
    const QStringList tiles{"--filter", "disk:radius=12"};
    QTest::newRow("tiles") << "tall.pgm"
                           << "pgm" << tiles << "6M";
    QTest::newRow("tiles, float") << "tall.tif"
                                  << "tiff" << (tiles + QStringList{"--border", "reflect"}) << "8M";
    QTest::newRow("tiles, wrap") << "tall.pgm"
                                 << "pgm" << (tiles + wrap) << "6M";
    QTest::newRow("tiles, rgba") << "tall.pam"
                                 << "pam" << tiles << "30M";
    QTest::newRow("tiles, chain") << "tall.pgm"
                                  << "pgm" << (tiles + QStringList{"--filter", "sharpen"} + tiles) << "10M";
    QTest::newRow("exif, jpg") << "exif.jpg"
                               << "jpg" << gaussian << "9M";
    QTest::newRow("exif, jpg to tiff") << "exif.jpg"
                                       << "tiff" << gaussian << "9M";
    QTest::newRow("exif, tiff") << "exif.tif"
                                << "tiff" << gaussian << "9M";
    QTest::newRow("turned jpg") << "turned.jpg"
                                << "jpg" << gaussian << "9M";
    QTest::newRow("turned jpg, wrap") << "turned.jpg"
                                      << "tiff" << (gaussian + wrap) << "9M";
    for (int orientation = 2; orientation <= 8; ++orientation)
        QTest::addRow("turned tiff %d", orientation)
            << QString("turned%1.tif").arg(orientation) << "tiff" << gaussian << "9M";
    QTest::newRow("even kernel, own anchor")
        << "rgb.ppm"
        << "ppm"
        << QStringList{"--kernel", "2x6: 1,2 3,4 5,6 7,8 9,1 2,3", "--anchor", "0,5", "--divisor", "auto", "--border",
                       "reflect"}
        << "9M";
}

void CommandsLargeTest::bandsGiveTheSameBits() {
    QFETCH(QString, input);
    QFETCH(QString, format);
    QFETCH(QStringList, options);
    QFETCH(QString, limit);
    QTemporaryDir out;
    const QStringList common = QStringList{"in/" + input, "--format", format, "--name", "x.{ext}"} + options;
    EXPECT_CODE(batch(common + QStringList{"-o", out.filePath("whole")}), 0);
    const Run bands = batch(common + QStringList{"-o", out.filePath("bands"), "--max-memory", limit});
    EXPECT_CODE(bands, 0);
    EXPECT_IN(bands.err, "in bands"); // else the test compares the whole with itself
    QVERIFY2(!bands.err.contains("within rounding"), qPrintable(bands.text()));
    const QString name = "x." + (format == "tiff" ? QString("tif") : format);
    const Run comparison =
        runTessera({"compare", "--json", out.filePath("whole/" + name), out.filePath("bands/" + name)});
    EXPECT_CODE(comparison, 0);
    QCOMPARE(comparison.json()["max_error"].toDouble(-1), 0.0);
    if (format != "png") // whose bands are compressed by another library
        QCOMPARE(readFile(out.filePath("bands/" + name)), readFile(out.filePath("whole/" + name)));
}

void CommandsLargeTest::statisticsOfBandsAreThoseOfTheWhole() {
    const QStringList common{"in/rgb.ppm", "--filter", "box", "--json"};
    const auto statistics = [&](const QStringList &more) {
        return batch(common + more).json()["files"][0].toObject()["statistics"].toArray();
    };
    const QJsonArray whole = statistics({"-o", "s1"}), bands = statistics({"-o", "s2", "--max-memory", "9M"});
    QVERIFY(whole.size() == 4);
    QCOMPARE(bands, whole);
}

// A weighted average of colours and a plain one differ wherever a pixel is transparent, and only there.
void CommandsLargeTest::transparencyIsJudgedByTheWhole() {
    const QStringList common{"--filter", "box", "--max-memory", "25M", "--name", "x.{ext}"};
    EXPECT_CODE(batch(QStringList{"in/opaque.pam", "-o", "t1"} + common), 0);
    EXPECT_CODE(batch(QStringList{"in/almost.pam", "-o", "t2"} + common), 0);
    const Run comparison = runTessera({"compare", "--json", path("t1/x.pam"), path("t2/x.pam")});
    EXPECT_CODE(comparison, 1);
}

void CommandsLargeTest::damageIsFoundInBandsToo() {
    for (const char *name : {"rgb.ppm", "rgb.png", "rgb.jpg", "rgb.tif"}) {
        const QByteArray whole = readFile(path(QString("in/") + name));
        const QString cut = QString("cut-") + name;
        writeFile(path(cut), whole.left(whole.size() * 3 / 4));
        const Run run = batch({cut, "-o", "damaged", "--filter", "box", "--max-memory", "9M"});
        QVERIFY2(run.code == 1 || run.code == 3, qPrintable(run.text()));
        EXPECT_IN(run.err, name);
    }
    for (const QString &name : filesIn(path("damaged")))
        QCOMPARE(name, QString(".tessera-batch.jsonl"));
}

void CommandsLargeTest::whatCannotGoInBandsSaysWhy() {
    const Run range = batch({"in/rgb.ppm", "-o", "no", "--filter", "box", "--response", "range", "--max-memory", "9M"});
    EXPECT_CODE(range, 3);
    EXPECT_IN(range.err, "stretched to the picture's range");
    const Run webp = batch({"in/rgb.ppm", "-o", "no", "--filter", "box", "--format", "webp", "--max-memory", "9M"});
    EXPECT_CODE(webp, 3);
    EXPECT_IN(webp.err, "webp cannot be written by rows");
    const Run rounded = batch({"in/grey16.pgm", "-o", "no", "--filter", "disk:radius=20", "--max-memory", "6M"});
    EXPECT_CODE(rounded, 0);
    EXPECT_IN(rounded.err, "only to within rounding"); // too little memory for the tiles
    const Run tiny = batch({"in/rgb.ppm", "-o", "no", "--filter", "disk:radius=31", "--max-memory", "1M"});
    EXPECT_CODE(tiny, 3);
    EXPECT_IN(tiny.err, "--max-memory");
}

// 34 rows of 192 kB are the least; 84 MiB are enough without bands. Some limits lie about what the codecs may take.
void CommandsLargeTest::moreMemoryNeverFails() {
    writePpm(path("wide.ppm"), 16000, 600);
    const QStringList common{"wide.ppm", "--filter", "gaussian:sigma=5", "--name", "x.{ext}", "--overwrite"};
    bool fits = false;
    QByteArray whole;
    for (const int limit : {4, 8, 12, 13, 16, 18, 19, 20, 21, 22, 26, 39, 40, 41, 42, 60, 76, 80, 85, 90, 300}) {
        const Run run = batch(common + QStringList{"-o", "wide", "--max-memory", QString("%1M").arg(limit)});
        QVERIFY2(run.code == 0 || (run.code == 3 && !fits), qPrintable(QString::number(limit) + run.text()));
        fits = fits || run.code == 0;
        QCOMPARE(fits, limit >= 13);
        if (fits && whole.isEmpty())
            whole = readFile(path("wide/x.ppm"));
        if (fits)
            QVERIFY(readFile(path("wide/x.ppm")) == whole);
    }
}

void CommandsLargeTest::theNeedThatIsStatedIsEnough_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("tooLittle");
    const QStringList batch{"batch", "--device", "cpu", "--overwrite", "-o", "need"};
    QTest::newRow("bands") << batch + QStringList{"in/rgb.ppm", "--filter", "gaussian:sigma=5"} << "400K";
    QTest::newRow("bands, least") << batch + QStringList{"in/rgb.ppm", "--filter", "gaussian:sigma=5"} << "1K";
    QTest::newRow("bands, large") << batch + QStringList{"wide.ppm", "--filter", "gaussian:sigma=15"} << "2M";
    QTest::newRow("bands, chain") << batch + QStringList{"in/rgb.tif", "--filter", "box:width=41,height=41",
                                                         "--filter",   "sobel",    "--depth",
                                                         "32f"}
                                  << "3M";
    QTest::newRow("whole") << batch + QStringList{"in/rgb.ppm", "--filter", "box", "--response", "range"} << "9M";
    QTest::newRow("stats") << QStringList{"stats", "in/rgb.ppm"} << "1K";
    QTest::newRow("stats, compressed") << QStringList{"stats", "in/rgb.png"} << "1K";
    QTest::newRow("stats, decoded") << QStringList{"stats", "in/rgb.jpg"} << "2M";
}

void CommandsLargeTest::theNeedThatIsStatedIsEnough() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, tooLittle);
    writePpm(path("wide.ppm"), 16000, 600);
    const auto runWith = [&](const QString &limit) {
        return runTessera(arguments + QStringList{"--max-memory", limit}, {temporary_.path(), {}, {}, 240'000});
    };
    const Run refused = runWith(tooLittle);
    EXPECT_CODE(refused, 3);
    QVERIFY2(!refused.err.contains(" 0 MiB") && !refused.err.contains(" 0M") && !refused.err.contains(" 0K"),
             refused.err.constData());
    static const QRegularExpression stated("raise --max-memory to ([0-9]+)([KM])");
    const QRegularExpressionMatch match = stated.match(QString::fromUtf8(refused.err));
    QVERIFY2(match.hasMatch(), refused.err.constData());
    EXPECT_CODE(runWith(match.captured(1) + match.captured(2)), 0);
    EXPECT_CODE(runWith(QString::number(match.captured(1).toInt() - 1) + match.captured(2)),
                3); // and no more than that
}

void CommandsLargeTest::bandsAreVerifiedToo_data() {
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("format");
    QTest::addColumn<bool>("lossless");
    QTest::addColumn<QString>("limit");
    QTest::newRow("ppm") << "rgb.ppm"
                         << "ppm" << true << "9M";
    QTest::newRow("png") << "almost.pam"
                         << "png" << true << "30M";
    QTest::newRow("tiff") << "float.tif"
                          << "tiff" << true << "30M";
    QTest::newRow("jpg") << "turned.jpg"
                         << "jpg" << false << "9M";
}

void CommandsLargeTest::bandsAreVerifiedToo() {
    QFETCH(QString, input);
    QFETCH(QString, format);
    QFETCH(bool, lossless);
    QFETCH(QString, limit);
    QTemporaryDir out;
    const QStringList common{"in/" + input, "--filter", "gaussian:sigma=1", "--format", format, "--verify",
                             "1",           "--json"};
    const auto entryOf = [&](const QStringList &more) {
        const Run run = batch(common + more);
        const QJsonObject result = run.json();
        return std::pair(run, result["files"][0].toObject());
    };
    const auto [whole, wholeEntry] = entryOf({"-o", out.filePath("whole")});
    const auto [bands, entry] = entryOf({"-o", out.filePath("bands"), "--max-memory", limit});
    EXPECT_CODE(whole, 0);
    EXPECT_CODE(bands, 0);
    EXPECT_IN(bands.err, "in bands");
    EXPECT_IN(bands.err, "verified 1 output");
    const QJsonObject expected = wholeEntry["verification"].toObject(), verified = entry["verification"].toObject();
    QCOMPARE(verified["file_checked"].toBool(), lossless);
    QCOMPARE(verified["max_error"], expected["max_error"]);
    const double ratio = verified["relative_l2"].toDouble(-1) - expected["relative_l2"].toDouble(-2);
    QVERIFY2(std::abs(ratio) <= 1e-9 * expected["relative_l2"].toDouble(), qPrintable(bands.text()));
}

void CommandsLargeTest::memoryStaysWithinItsLimit_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("files");
    QTest::addColumn<QString>("format");
    QTest::addColumn<int>("limitMiB");
    QTest::addColumn<int>("leastMiB");
    QTest::newRow("many") << 1500 << 1200 << 24 << "png" << 96 << 0;
    QTest::newRow("one in bands") << 6000 << 12000 << 1 << "ppm" << 96 << 80;
    QTest::newRow("one in bands, tiff") << 6000 << 12000 << 1 << "tiff" << 96 << 80;
    // Bands so small that an allocator may take them for small change and keep them, a few for each thread there was.
    QTest::newRow("several in short bands") << 8000 << 6000 << 4 << "jpg" << 48 << 0;
}

void CommandsLargeTest::memoryStaysWithinItsLimit() {
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, files);
    QFETCH(QString, format);
    QFETCH(int, limitMiB);
    QFETCH(int, leastMiB);
    constexpr long allowanceMiB = 150;
    QTemporaryDir folder;
    QDir(folder.path()).mkdir("in");
    // Row by row: what this process has in memory when it starts another one counts as that one's peak, too.
    const QByteArray row = noise(width * 3);
    for (int i = 0; i < files; ++i) {
        QFile file(folder.filePath(QString("in/%1.ppm").arg(i)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("P6\n" + QByteArray::number(width) + " " + QByteArray::number(height) + "\n255\n");
        for (int y = 0; y < height; ++y)
            QCOMPARE(file.write(row), row.size());
    }
    const QList<QByteArray> words{executable().toUtf8(),
                                  "batch",
                                  folder.filePath("in").toUtf8(),
                                  "-o",
                                  folder.filePath("out").toUtf8(),
                                  "--filter",
                                  "sharpen",
                                  "--format",
                                  format.toUtf8(),
                                  "--max-memory",
                                  QByteArray::number(limitMiB) + "M",
                                  "--jobs",
                                  "8",
                                  "--device",
                                  "cpu",
                                  "-q"};
    std::vector<char *> argv;
    for (const QByteArray &word : words)
        argv.push_back(const_cast<char *>(word.constData()));
    argv.push_back(nullptr);
    pid_t child = 0;
    QCOMPARE(::posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ), 0);
    int status = 0;
    rusage usage{};
    QCOMPARE(::wait4(child, &status, 0, &usage), child);
    QCOMPARE(WEXITSTATUS(status), 0);
    const long peak = usage.ru_maxrss / 1024;
    QVERIFY2(peak <= limitMiB + allowanceMiB, qPrintable(QString("peak of %1 MiB").arg(peak)));
    // Bands are as long as the limit allows: each row around them is computed twice.
    QVERIFY2(peak >= leastMiB, qPrintable(QString("peak of %1 MiB").arg(peak)));
}

QTEST_APPLESS_MAIN(CommandsLargeTest)
#include "commands_large_cli_test.moc"
