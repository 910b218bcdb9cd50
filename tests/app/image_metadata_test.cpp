// Orientation, EXIF and ICC profiles on their way from file to file.
#include "app/image/exif.h"
#include "app/image/orientation.h"
#include "tests/app/image_test_support.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::test;

namespace {

// 3x2, every pixel different:  0 1 2
//                              3 4 5
Image numbered(Depth depth, int channels) {
    return makeImage(3, 2, {depth, channels}, [](int x, int y, int c) { return x + 3 * y + 10 * c; });
}

// The upright picture for each orientation, row by row, as EXIF's table of row and column sides says.
struct Upright {
    int width, height;
    std::vector<int> numbers;
};
const Upright &upright(int orientation) {
    static const Upright table[] = {
        {3, 2, {0, 1, 2, 3, 4, 5}}, {3, 2, {2, 1, 0, 5, 4, 3}}, {3, 2, {5, 4, 3, 2, 1, 0}}, {3, 2, {3, 4, 5, 0, 1, 2}},
        {2, 3, {0, 3, 1, 4, 2, 5}}, {2, 3, {3, 0, 4, 1, 5, 2}}, {2, 3, {5, 2, 4, 1, 3, 0}}, {2, 3, {2, 5, 1, 4, 0, 3}},
    };
    return table[orientation - 1];
}

std::string wrongNumber(const Image &image, int orientation, int tolerance = 0, int step = 1) {
    const Upright &expected = upright(orientation);
    if (image.width() != expected.width || image.height() != expected.height)
        return "size " + std::to_string(image.width()) + "x" + std::to_string(image.height());
    for (int i = 0; i < 6; ++i) {
        const double value = sampleAt(image, i % expected.width, i / expected.width, 0);
        if (std::abs(value - step * expected.numbers[std::size_t(i)]) > tolerance)
            return "number " + std::to_string(i) + " is " + std::to_string(value);
    }
    return {};
}

// The smallest profile that names its colour space.
std::vector<std::uint8_t> profile(std::string_view space) {
    std::vector<std::uint8_t> data(132 + 12 + 40, 0);
    data[3] = std::uint8_t(data.size());
    data[8] = 4;
    const auto put = [&](std::size_t offset, std::string_view text) {
        std::ranges::copy(text, data.begin() + std::ptrdiff_t(offset));
    };
    put(12, "mntr");
    put(16, space);
    put(20, "XYZ ");
    put(36, "acsp");
    const std::uint8_t d50[] = {0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d}; // the illuminant that libpng checks
    std::ranges::copy(d50, data.begin() + 68);
    data[131] = 1; // one tag: cprt at 144
    put(132, "cprt");
    data[139] = 144;
    data[143] = 40;
    put(144, "text");
    put(152, "no rights reserved");
    return data;
}

std::vector<std::string> formatsWithMetadata() {
    std::vector<std::string> names;
    for (const char *name : {"png", "jpg", "webp", "tiff"})
        if (formatForExtension(name)->canWrite)
            names.push_back(name);
    return names;
}

// The block as a file of `format` carries it; JPEG and WebP get it at the picture's true orientation.
ByteVector fileWithExif(const Image &picture, const std::string &format, const std::vector<std::uint8_t> &exif) {
    Image copy = picture.clone();
    copy.metadata.exif = exif;
    return encoded(copy, format, 100);
}

} // namespace

class ImageMetadataTest : public QObject {
    Q_OBJECT

private slots:
    void orientationsTurnTheRightWay() {
        for (int orientation = 1; orientation <= 8; ++orientation)
            for (const Depth depth : {Depth::U8, Depth::U16, Depth::F32})
                for (int channels = 1; channels <= 4; ++channels) {
                    const Image turned = applyOrientation(numbered(depth, channels), orientation);
                    QCOMPARE(wrongNumber(turned, orientation), std::string());
                    for (int c = 0; c < channels; ++c)
                        QCOMPARE(sampleAt(turned, 0, 0, c), sampleAt(turned, 0, 0, 0) + 10 * c);
                }
    }

    void largePicturesTurnToo() { // over the edges of the blocks
        const Image picture = randomImage(200, 131, {Depth::U8, 3}, 3);
        const Image turned = applyOrientation(picture.clone(), 6);
        for (int y = 0; y < 131; ++y)
            for (int x = 0; x < 200; ++x)
                QCOMPARE(sampleAt(turned, 130 - y, x, 1), sampleAt(picture, x, y, 1));
        QCOMPARE(difference(applyOrientation(turned.clone(), 8), picture), std::string());
    }

    void exifIsReadInBothByteOrders() {
        for (const std::endian order : {std::endian::little, std::endian::big})
            for (int orientation = 1; orientation <= 8; ++orientation) {
                std::vector<std::uint8_t> exif = exifBlock(order, orientation);
                QCOMPARE(exifOrientation(exif), orientation);
                const std::vector<std::uint8_t> before = exif;
                resetExif(exif);
                QCOMPARE(exifOrientation(exif), 1);
                QCOMPARE(exif.size(), before.size());
                std::size_t changed = 0;
                for (std::size_t i = 0; i < exif.size(); ++i)
                    changed += exif[i] != before[i];
                QCOMPARE(changed,
                         std::size_t(orientation == 1 ? 1 : 2)); // the orientation and the link to the thumbnail
            }
    }

    void damagedExifIsHarmless() {
        const std::vector<std::uint8_t> whole = exifBlock(std::endian::little, 6);
        for (std::size_t size = 0; size < whole.size(); ++size) {
            std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + std::ptrdiff_t(size));
            resetExif(cut);
            QCOMPARE(exifOrientation(cut), 1);
            QCOMPARE(cut.size(), size);
        }
        std::vector<std::uint8_t> wild = whole;
        for (std::size_t i = 4; i < 10; ++i)
            wild[i] = 0xff;
        QCOMPARE(exifOrientation(wild), 1);
        QCOMPARE(exifOrientation(exifBlock(std::endian::big, 9)), 1);
    }

    void loadingAppliesTheOrientationOnce() {
        const Image picture = makeImage(3, 2, {Depth::U8, 3}, [](int x, int y, int) { return 40 * (x + 3 * y); });
        for (const std::string &format : formatsWithMetadata()) {
            if (format == "tiff" || format == "jpg")
                continue; // TIFF has a tag of its own; JPEG blurs such a small picture
            for (int orientation = 1; orientation <= 8; ++orientation) {
                const ByteVector file = fileWithExif(picture, format, exifBlock(std::endian::big, orientation));
                const Image loaded = decodeImage(file, format);
                QVERIFY2(
                    wrongNumber(loaded, orientation, 0, 40).empty(),
                    (format + std::to_string(orientation) + ": " + wrongNumber(loaded, orientation, 0, 40)).c_str());
                QCOMPARE(exifOrientation(loaded.metadata.exif), 1);
                QCOMPARE(probeImage(file, format).width, loaded.width());
                const Image again = decodeImage(encoded(loaded, format, 100), format);
                QCOMPARE(difference(again, loaded), std::string());
            }
        }
    }

    void jpegOrientation() { // flat 16x16 blocks survive the coding
        const Image picture =
            makeImage(48, 32, {Depth::U8, 3}, [](int x, int y, int) { return 40 * (x / 16 + 3 * (y / 16)); });
        for (int orientation = 1; orientation <= 8; ++orientation) {
            const Image loaded =
                decodeImage(fileWithExif(picture, "jpg", exifBlock(std::endian::little, orientation)), "jpg");
            const Upright &expected = upright(orientation);
            QCOMPARE(loaded.width(), 16 * expected.width);
            for (int i = 0; i < 6; ++i) {
                const double value = sampleAt(loaded, 16 * (i % expected.width) + 8, 16 * (i / expected.width) + 8, 0);
                QVERIFY(std::abs(value - 40 * expected.numbers[std::size_t(i)]) <= 2);
            }
        }
    }

    void tiffOrientation() {
        if (!formatForExtension("tiff")->canRead)
            QSKIP("this build has no libtiff");
        for (std::uint16_t orientation = 1; orientation <= 8; ++orientation) {
            TiffBuilder builder(std::endian::big);
            builder.longs(256, {3}).longs(257, {2}).shorts(258, {8}).shorts(262, {1}).shorts(274, {orientation});
            builder.strip(bytesOf(std::string_view("\0\1\2\3\4\5", 6)));
            const Image loaded = decodeImage(builder.finish(), "turned.tif");
            QCOMPARE(wrongNumber(loaded, orientation), std::string());
        }
    }

    void exifTravelsWithItsNotes() {
        const Image picture = randomImage(16, 16, {Depth::U8, 3}, 1);
        std::vector<std::uint8_t> expected = exifBlock(std::endian::little, 3);
        const std::vector<std::uint8_t> original = expected;
        resetExif(expected);
        for (const std::string &from : formatsWithMetadata())
            for (const std::string &to : formatsWithMetadata()) {
                if (from == "tiff" || to == "tiff")
                    continue;
                const Image first = decodeImage(fileWithExif(picture, from, original), from);
                QVERIFY2(first.metadata.exif == expected, from.c_str());
                const Image second = decodeImage(encoded(first, to), to);
                QVERIFY2(second.metadata.exif == expected, (from + " to " + to).c_str());
            }
    }

    // Through TIFF the directories are laid out anew: the values stay, their places change.
    void exifTravelsThroughTiff() {
        if (!formatForExtension("tiff")->canWrite)
            QSKIP("this build has no libtiff");
        const auto holds = [](const std::vector<std::uint8_t> &exif, std::string_view words) {
            return std::string_view(reinterpret_cast<const char *>(exif.data()), exif.size()).find(words) !=
                   std::string_view::npos;
        };
        for (const std::endian order : {std::endian::little, std::endian::big}) {
            for (const PixelFormat format :
                 {PixelFormat{Depth::U8, 3}, PixelFormat{Depth::U16, 2}, PixelFormat{Depth::F32, 4}}) {
                Image picture = randomImage(33, 20, format, 1);
                picture.metadata.exif = exifBlock(order, 1);
                const ByteVector file = encoded(picture, "tiff");
                QVERIFY(codecs::startsWith(file, order == std::endian::big ? "MM" : "II"));
                const Image back = decodeImage(file, "exif.tif");
                QCOMPARE(difference(back, picture), std::string());
                QVERIFY(holds(back.metadata.exif, "Camera") && holds(back.metadata.exif, "NOTES!"));
                const Image again = decodeImage(encoded(back, "tiff"), "again.tif");
                QVERIFY(again.metadata.exif == back.metadata.exif);
                if (format.depth == Depth::U8)
                    QVERIFY(decodeImage(encoded(back, "jpg"), "jpg").metadata.exif == back.metadata.exif);
            }
        }
        Image picture = randomImage(3, 3, {Depth::U8, 3}, 1);
        picture.metadata.exif = {'I',  'I',  '*',  0,
                                 0xff, 0xff, 0xff, 0xff}; // damaged: the picture is written without it
        QCOMPARE(difference(decodeImage(encoded(picture, "tiff"), "tif"), picture), std::string());
    }

    void profilesTravel() {
        for (const std::string &format : formatsWithMetadata()) {
            for (const int channels : {1, 3}) {
                if (channels == 1 && format == "webp")
                    continue; // becomes colour
                Image picture = randomImage(16, 16, {Depth::U8, channels}, 1);
                picture.metadata.iccProfile = profile(channels == 1 ? "GRAY" : "RGB ");
                const Image back = decodeImage(encoded(picture, format), format);
                QVERIFY2(back.metadata.iccProfile == picture.metadata.iccProfile, format.c_str());
            }
        }
    }

    void profilesOfOtherColoursStayBehind() { // a grey result of a colour picture
        for (const std::string &format : formatsWithMetadata()) {
            Image picture = randomImage(16, 16, {Depth::U8, 1}, 1);
            picture.metadata.iccProfile = profile("RGB ");
            QVERIFY2(decodeImage(encoded(picture, format), format).metadata.iccProfile.empty(), format.c_str());
        }
    }

    void longProfilesTakeSeveralJpegSegments() {
        Image picture = randomImage(16, 16, {Depth::U8, 3}, 1);
        picture.metadata.iccProfile = profile("RGB ");
        picture.metadata.iccProfile.resize(200000, 7);
        const Image back = decodeImage(encoded(picture, "jpg"), "jpg");
        QVERIFY(back.metadata.iccProfile == picture.metadata.iccProfile);
    }

    void exifTooLongForJpegIsLeftOut() {
        Image picture = randomImage(16, 16, {Depth::U8, 3}, 1);
        picture.metadata.exif = exifBlock(std::endian::little, 1);
        picture.metadata.exif.resize(70000);
        QVERIFY(decodeImage(encoded(picture, "jpg"), "jpg").metadata.exif.empty());
        QCOMPARE(decodeImage(encoded(picture, "png"), "png").metadata.exif.size(), std::size_t(70000));
    }
};

QTEST_APPLESS_MAIN(ImageMetadataTest)
#include "image_metadata_test.moc"
