// PNG's kinds of pixels and the chunks around them, on files built chunk by chunk. Runs with libpng and with stb.
#include "tests/app/image_test_support.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::test;

namespace {

using Values = std::vector<double>;

std::vector<double> samples(const Image &image) {
    Values values;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            for (int c = 0; c < image.format().channels; ++c)
                values.push_back(sampleAt(image, x, y, c));
    return values;
}

ByteVector bytes(std::initializer_list<int> values) {
    ByteVector result;
    for (const int value : values)
        result.push_back(std::byte(value));
    return result;
}

Image decode(ByteVector file) { return decodeImage(file, "test.png"); }

std::string failureText(const ByteVector &file) {
    return failureOf([&] { decodeImage(file, "test.png"); }).text;
}

} // namespace

class ImagePngTest : public QObject {
    Q_OBJECT

private slots:
    void greyOfEveryDepth() {
        QCOMPARE(samples(decode(PngBuilder(3, 1, 1, 0).pixels(bytes({0, 0xa0})).finish())), (Values{255, 0, 255}));
        QCOMPARE(samples(decode(PngBuilder(2, 1, 2, 0).pixels(bytes({0, 0x60})).finish())), (Values{85, 170}));
        QCOMPARE(samples(decode(PngBuilder(2, 1, 4, 0).pixels(bytes({0, 0x3f})).finish())), (Values{51, 255}));
        QCOMPARE(samples(decode(PngBuilder(2, 1, 8, 0).pixels(bytes({0, 7, 255})).finish())), (Values{7, 255}));
        const Image deep = decode(PngBuilder(2, 1, 16, 0).pixels(bytes({0, 1, 2, 0xff, 0xfe})).finish());
        QCOMPARE(deep.format().depth, Depth::U16);
        QCOMPARE(samples(deep), (Values{0x102, 0xfffe}));
    }

    void coloursAndAlpha() {
        QCOMPARE(samples(decode(PngBuilder(1, 1, 8, 2).pixels(bytes({0, 1, 2, 3})).finish())), (Values{1, 2, 3}));
        QCOMPARE(samples(decode(PngBuilder(1, 1, 8, 4).pixels(bytes({0, 9, 8})).finish())), (Values{9, 8}));
        QCOMPARE(samples(decode(PngBuilder(1, 1, 8, 6).pixels(bytes({0, 1, 2, 3, 4})).finish())), (Values{1, 2, 3, 4}));
        QCOMPARE(samples(decode(PngBuilder(1, 1, 16, 6).pixels(bytes({0, 0, 1, 0, 2, 0, 3, 0, 4})).finish())),
                 (Values{1, 2, 3, 4}));
    }

    void palettesAreExpanded() {
        const ByteVector colours = bytes({1, 2, 3, 4, 5, 6, 7, 8, 9});
        QCOMPARE(samples(decode(PngBuilder(2, 1, 2, 3).chunk("PLTE", colours).pixels(bytes({0, 0x60})).finish())),
                 (Values{4, 5, 6, 7, 8, 9}));
        const Image clear = decode(PngBuilder(2, 1, 8, 3)
                                       .chunk("PLTE", colours)
                                       .chunk("tRNS", bytes({0, 128}))
                                       .pixels(bytes({0, 1, 2}))
                                       .finish());
        QCOMPARE(samples(clear), (Values{4, 5, 6, 128, 7, 8, 9, 255}));
    }

    void aTransparentColourBecomesAlpha() {
        const Image grey =
            decode(PngBuilder(2, 1, 8, 0).chunk("tRNS", bytes({0, 7})).pixels(bytes({0, 7, 8})).finish());
        QCOMPARE(samples(grey), (Values{7, 0, 8, 255}));
        const Image deep =
            decode(PngBuilder(2, 1, 16, 0).chunk("tRNS", bytes({1, 7})).pixels(bytes({0, 1, 7, 0, 7})).finish());
        QCOMPARE(samples(deep), (Values{0x107, 0, 7, 65535}));
    }

    void exifBehindThePixelsCounts() {
        const std::vector<std::uint8_t> exif = exifBlock(std::endian::big, 6);
        const Image image = decode(
            PngBuilder(2, 1, 8, 0).pixels(bytes({0, 1, 2})).chunk("eXIf", std::as_bytes(std::span(exif))).finish());
        QCOMPARE(image.width(), 1);
        QCOMPARE(samples(image), (Values{1, 2}));
    }

    void damage() {
        const ByteVector good = PngBuilder(2, 1, 8, 0).pixels(bytes({0, 1, 2})).finish();
        ByteVector altered = good;
        altered[good.size() - 18] ^= std::byte(1); // within the pixels: a wrong sum
        QVERIFY(!failureText(altered).empty());
        QVERIFY(!failureText(PngBuilder(2, 2, 8, 0).pixels(bytes({0, 1, 2})).finish()).empty()); // a row is missing
        QVERIFY(failureText(PngBuilder(2, 1, 8, 0).finish()).find("no pixels") != std::string::npos);
        QVERIFY(failureText(PngBuilder(2, 1, 7, 0).pixels(bytes({0, 1, 2})).finish()).find("7 bits") !=
                std::string::npos);
        QVERIFY(failureText(PngBuilder(2, 1, 8, 5).pixels(bytes({0, 1, 2})).finish()).find("colour type 5") !=
                std::string::npos);
        QVERIFY(failureText(PngBuilder(0, 1, 8, 0).pixels(bytes({0})).finish()).find("size of 0x1") !=
                std::string::npos);
    }

    void manyPixelsInALittleFile() { // the stated size decides, not the file's
        LoadLimits limits;
        limits.maximumBytes = 1 << 20;
        const ByteVector file = PngBuilder(30000, 30000, 16, 6).pixels(ByteVector(8'000'000)).finish();
        QCOMPARE(failureOf([&] { decodeImage(file, "bomb.png", limits); }).kind, ErrorKind::Limit);
    }
};

QTEST_APPLESS_MAIN(ImagePngTest)
#include "image_png_test.moc"
