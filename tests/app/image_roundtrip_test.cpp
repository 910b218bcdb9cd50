// Every writable format x depth x channels, on random pictures of odd sizes.
#include "tests/app/image_test_support.h"

#include <QtTest>

#include <cmath>

using namespace tessera;
using namespace tessera::test;

namespace {

// What reading back must give: grey=false formats deliver three channels.
Image expectedBack(const Image &picture, const FormatInfo &format) {
    const PixelFormat kind = picture.format();
    if (format.grey || kind.colourChannels() == 3)
        return picture.clone();
    return makeImage(picture.width(), picture.height(), {kind.depth, kind.hasAlpha() ? 4 : 3},
                     [&](int x, int y, int c) { return sampleAt(picture, x, y, c == 3 ? 1 : 0); });
}

const FormatInfo &formatNamed(const std::string &name) { return *formatForExtension(name); }

double largestDifference(const Image &a, const Image &b) {
    double largest = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            for (int c = 0; c < a.format().channels; ++c)
                largest = std::max(largest, std::abs(sampleAt(a, x, y, c) - sampleAt(b, x, y, c)));
    return largest;
}

// A smooth picture, which lossy formats keep closely.
Image ramp(int width, int height, int channels) {
    return makeImage(width, height, {Depth::U8, channels},
                     [&](int x, int y, int c) { return c == 3 ? 255 - x : 40 + 2 * x + y + 10 * c; });
}

} // namespace

class ImageRoundTripTest : public QObject {
    Q_OBJECT

private slots:
    void losslessFormatsKeepEveryBit_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::newRow("1x1") << 1 << 1;
        QTest::newRow("1x9") << 1 << 9;
        QTest::newRow("9x1") << 9 << 1;
        QTest::newRow("17x13") << 17 << 13;
        QTest::newRow("300x40") << 300 << 40;
    }
    void losslessFormatsKeepEveryBit() {
        QFETCH(int, width);
        QFETCH(int, height);
        int checked = 0;
        for (const Sample &sample : writableSamples(width, height)) {
            const FormatInfo &format = formatNamed(sample.format);
            const bool exrAlpha =
                sample.format == "exr" && sample.picture.format().hasAlpha(); // premultiplied in the file
            if (format.lossy || exrAlpha)
                continue;
            const Image back = decodeImage(sample.file, sample.name);
            QVERIFY2(difference(back, expectedBack(sample.picture, format)).empty(),
                     (sample.name + ": " + difference(back, expectedBack(sample.picture, format))).c_str());
            ++checked;
        }
        QVERIFY(checked >= 20);
    }

    void probeSaysWhatLoadingGives() {
        for (const Sample &sample : writableSamples(17, 13)) {
            const ImageInfo info = probeImage(sample.file, sample.name);
            const Image back = decodeImage(sample.file, sample.name);
            QCOMPARE(info.width, back.width());
            QCOMPARE(info.height, back.height());
            QVERIFY2(info.format == back.format(), sample.name.c_str());
            QCOMPARE(QString::fromStdString(info.fileFormat), QString::fromStdString(back.metadata.sourceFormat));
        }
    }

    void webpOfQuality100IsLossless() {
        if (!formatNamed("webp").canWrite)
            QSKIP("this build has no libwebp");
        for (int channels = 1; channels <= 4; ++channels) {
            const Image picture = randomImage(33, 21, {Depth::U8, channels}, unsigned(channels));
            const Image back = decodeImage(encoded(picture, "webp", 100), "lossless.webp");
            QCOMPARE(difference(back, expectedBack(picture, formatNamed("webp"))), std::string());
        }
    }

    void lossyFormatsStayClose() {
        for (const char *name : {"jpg", "webp"}) {
            const FormatInfo &format = formatNamed(name);
            for (int channels = 1; channels <= 4; ++channels) {
                if (!cannotHold(format, {Depth::U8, channels}).empty())
                    continue;
                const Image picture = ramp(64, 40, channels == 2 ? 1 : channels);
                const Image back = decodeImage(encoded(picture, name, 95), name);
                const double error = largestDifference(back, expectedBack(picture, format));
                QVERIFY2(error <= 6, (name + std::string(" is off by ") + std::to_string(error)).c_str());
            }
        }
    }

    void jpegQualityMatters() {
        const Image picture = randomImage(64, 64, {Depth::U8, 3}, 5);
        QVERIFY(encoded(picture, "jpg", 20).size() * 2 < encoded(picture, "jpg", 95).size());
    }

    // The mantissa of the largest channel has 8 bits, so that its error is below 1/256 of it, for every channel.
    void hdrKeepsEightBitsOfTheLargest() {
        const Image picture = makeImage(40, 9, {Depth::F32, 3}, [](int x, int y, int c) {
            return (c + 1) * std::pow(2.0, x - 20) * (1 + 0.1 * y);
        });
        const Image back = decodeImage(encoded(picture, "hdr"), "light.hdr");
        for (int y = 0; y < 9; ++y)
            for (int x = 0; x < 40; ++x)
                for (int c = 0; c < 3; ++c)
                    QVERIFY(std::abs(sampleAt(back, x, y, c) - sampleAt(picture, x, y, c)) <=
                            sampleAt(picture, x, y, 2) / 256);
        QCOMPARE(difference(decodeImage(encoded(back, "hdr"), "again.hdr"), back),
                 std::string()); // nothing more is lost
    }

    void exrAlphaComesBackStraight() {
        if (!formatNamed("exr").canWrite)
            QSKIP("this build has no OpenCV");
        const Image picture = makeImage(
            20, 10, {Depth::F32, 4}, [](int x, int y, int c) { return c == 3 ? (x + 1) / 20.0 : 0.1 * (c + 1) + y; });
        const Image back = decodeImage(encoded(picture, "exr"), "alpha.exr");
        QCOMPARE(back.format().channels, 4);
        QVERIFY(largestDifference(back, picture) <= 1e-5);
    }

    void floatsKeepSpecialValues() {
        const double values[] = {0.0, -0.0, INFINITY, -INFINITY, double(std::nanf("")), 1e-45, 3.4e38, -1.5};
        const Image picture = makeImage(8, 1, {Depth::F32, 1}, [&](int x, int, int) { return values[x]; });
        for (const char *name : {"pfm", "tiff", "exr"})
            if (formatNamed(name).canWrite)
                QCOMPARE(difference(decodeImage(encoded(picture, name), name), picture), std::string());
    }

    void filesKeepTheirName() { // through the disk, by extension
        const TemporaryFolder folder;
        for (const FormatInfo &format : imageFormats()) {
            if (!format.canWrite)
                continue;
            for (const std::string &extension : format.extensions) {
                const PixelFormat kind{format.depths.front(), format.grey ? 1 : 3};
                const Image picture = makeImage(5, 4, kind, [](int x, int y, int c) { return x + y + c; });
                const auto path = folder / ("picture." + extension);
                saveImage(picture, path);
                const Image back = loadImage(path);
                QCOMPARE(back.width(), 5);
                const std::string read = back.metadata.sourceFormat;
                QVERIFY2(read == format.name || format.name == "pnm", read.c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(ImageRoundTripTest)
#include "image_roundtrip_test.moc"
