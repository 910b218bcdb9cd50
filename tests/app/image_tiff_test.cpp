// The many ways in which a TIFF stores samples, on files built tag by tag.
#include "app/image/row_io.h"
#include "tests/app/image_test_support.h"

#include <QtTest>

#include <cmath>
#include <cstring>

using namespace tessera;
using namespace tessera::test;

namespace {

struct Kind {
    std::vector<std::uint16_t> bits{8};
    std::uint16_t photometric = 1, sampleFormat = 1;
    std::vector<std::uint16_t> extra{};
    bool planes = false;
    std::endian order = std::endian::little;
};

TiffBuilder builderFor(int width, int height, const Kind &kind, ByteVector data) {
    TiffBuilder builder(kind.order);
    builder.longs(256, {std::uint32_t(width)}).longs(257, {std::uint32_t(height)}).shorts(258, kind.bits);
    builder.shorts(259, {1}).shorts(262, {kind.photometric}).shorts(277, {std::uint16_t(kind.bits.size())});
    builder.longs(278, {std::uint32_t(height)}).shorts(284, {std::uint16_t(kind.planes ? 2 : 1)});
    builder.shorts(339, std::vector<std::uint16_t>(kind.bits.size(), kind.sampleFormat));
    if (!kind.extra.empty())
        builder.shorts(338, kind.extra);
    return builder.strip(std::move(data));
}

Image decode(int width, int height, const Kind &kind, const ByteVector &data) {
    return decodeImage(builderFor(width, height, kind, data).finish(), "test.tif");
}

std::vector<double> samples(const Image &image) {
    std::vector<double> values;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            for (int c = 0; c < image.format().channels; ++c)
                values.push_back(sampleAt(image, x, y, c));
    return values;
}

template <class T> ByteVector words(std::initializer_list<T> values, std::endian order = std::endian::little) {
    ByteVector data;
    for (T value : values) {
        std::byte bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        if (order != std::endian::native)
            std::reverse(std::begin(bytes), std::end(bytes));
        data.insert(data.end(), std::begin(bytes), std::end(bytes));
    }
    return data;
}

using Values = std::vector<double>;

std::string refusal(const Kind &kind, std::size_t bytes) {
    return failureOf([&] { decode(1, 1, kind, ByteVector(bytes)); }).text;
}

bool contains(const std::string &text, std::string_view words) { return text.find(words) != std::string::npos; }

} // namespace

class ImageTiffTest : public QObject {
    Q_OBJECT

private slots:
    void descriptionsOfStructureStayBehind_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("stays");
        const auto row = [](const char *name, const char *text, bool stays) {
            QTest::newRow(name) << QByteArray(text) << stays;
        };
        row("words", "The lake at dawn, 100x100 metres", true);
        row("short words", "Sea", true);
        row("JSON of one's own", "{\"place\": \"lake\", \"of\": \"shape\"}", true);
        row("a shape that is no size", "{\"shape\": \"round\"}", true);
        row("markup of one's own", "<place>lake</place>", true);
        row("talk of ImageJ", "Counted with ImageJ=1.53", true);
        row("tifffile", "{\"shape\": [3, 100, 100], \"axes\": \"ZYX\"}", false);
        row("tifffile, the shape last", "  {\"axes\": \"ZYX\", \"shape\" : [3, 100, 100]}", false);
        row("tifffile of old", "shape=(3, 100, 100)", false);
        row("OME-XML", "<?xml version=\"1.0\"?><!-- Warning --><OME xmlns=\"http://x\"><Image/></OME>", false);
        row("OME-XML with a prefix", "<ome:OME xmlns:ome=\"http://x\"><Image/></ome:OME>", false);
        row("ImageJ", "ImageJ=1.53\nimages=12\nslices=12\nloop=false\n", false);
        row("Aperio", "Aperio Image Library v10\n46000x32914 [0,100 46000x32814] (256x256)", false);
        row("cut off", "<!-- OME", true);
        row("nothing", "", true);
    }

    // tifffile, ImageJ and others would lay out the result's pixels as those of the file that it was made of.
    void descriptionsOfStructureStayBehind() {
        QFETCH(QByteArray, text);
        QFETCH(bool, stays);
        const std::string_view words(text.constData(), std::size_t(text.size()));
        for (const std::endian order : {std::endian::little, std::endian::big}) {
            const ByteVector file =
                builderFor(2, 1, {.order = order}, ByteVector(2)).text(270, words).text(305, "Scanner").finish();
            const Image picture = decodeImage(file, "described.tif");
            const auto count = [&](const auto &bytes, std::string_view searched) {
                return std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()).find(searched) !=
                       std::string_view::npos;
            };
            QVERIFY(count(picture.metadata.exif, "Scanner"));
            QCOMPARE(count(picture.metadata.exif, words), stays);
            const ByteVector again = encodeImage(picture, {.format = "tiff"});
            QVERIFY(count(again, "Scanner"));
            QCOMPARE(count(again, words), stays);
        }
    }

    // libtiff tells such a read by numbers that the file made up.
    void pixelsBeyondTheEndOfTheFile() {
        for (const std::uint32_t offset : {8u, 0x7fffff00u, 0xfffffff0u}) {
            TiffBuilder builder(std::endian::little);
            builder.longs(256, {64}).longs(257, {64}).shorts(258, {8}).shorts(259, {1}).shorts(262, {1});
            builder.shorts(277, {1}).longs(278, {64}).longs(273, {offset}).longs(279, {64 * 64});
            const ByteVector file = builder.data(ByteVector(100)).finish();
            const Failure failure = failureOf([&] { decodeImage(file, "cut.tif"); });
            QCOMPARE(failure.kind, ErrorKind::Input);
            QVERIFY2(contains(failure.text, "the file ends before its pixels do"), failure.text.c_str());
        }
    }

    void depths() {
        QCOMPARE(samples(decode(2, 1, {{8}}, bytesOf("\x07\xff"))), (Values{7, 255}));
        for (const std::endian order : {std::endian::little, std::endian::big}) {
            Kind kind{{16}};
            kind.order = order;
            QCOMPARE(samples(decode(2, 1, kind, words<std::uint16_t>({1, 65535}, order))), (Values{1, 65535}));
            kind.bits = {32};
            kind.sampleFormat = 3;
            QCOMPARE(samples(decode(2, 1, kind, words<float>({-1.5f, 3e38f}, order))), (Values{-1.5, double(3e38f)}));
            kind.bits = {64};
            QCOMPARE(samples(decode(2, 1, kind, words<double>({0.1, -4}, order))), (Values{double(0.1f), -4}));
            const ByteVector wide = builderFor(2, 1, kind, words<double>({0.1, -4}, order)).finish();
            QCOMPARE(probeImage(wide, "wide.tif").narrowed, std::string("64-bit floats"));
            kind.bits = {16}; // half: 1, -2, the smallest subnormal, infinity
            const Image half = decode(4, 1, kind, words<std::uint16_t>({0x3c00, 0xc000, 0x0001, 0x7c00}, order));
            QCOMPARE(half.format().depth, Depth::F32);
            QCOMPARE(samples(half), (Values{1, -2, std::ldexp(1.0, -24), INFINITY}));
        }
    }

    void signedSamplesKeepTheirValues() {
        Kind kind{{16}};
        kind.sampleFormat = 2;
        const Image image = decode(3, 1, kind, words<std::int16_t>({-32768, -1, 300}));
        QCOMPARE(image.format().depth, Depth::F32);
        QCOMPARE(samples(image), (Values{-32768, -1, 300}));
        kind.bits = {8};
        QCOMPARE(samples(decode(2, 1, kind, words<std::int8_t>({-128, 5}))), (Values{-128, 5}));
    }

    void fewBitsAreStretched() {
        QCOMPARE(samples(decode(3, 1, {{1}}, bytesOf("\xa0"))), (Values{255, 0, 255}));
        QCOMPARE(samples(decode(3, 1, {{1}, 0}, bytesOf("\xa0"))), (Values{0, 255, 0})); // white is zero
        QCOMPARE(samples(decode(2, 1, {{2}}, bytesOf("\x60"))), (Values{85, 170}));
        QCOMPARE(samples(decode(2, 1, {{4}}, bytesOf("\x3f"))), (Values{51, 255}));
        const Image twelve = decode(2, 1, {{12}}, bytesOf(std::string_view("\x80\x0f\xff", 3)));
        QCOMPARE(twelve.format().depth, Depth::U16);
        QCOMPARE(samples(twelve), (Values{32776, 65535})); // 2048 * 65535 / 4095 = 32775.5
    }

    // What follows in the file is no picture, however the rows are read.
    void blocksThatStateTooFewBytes() {
        TiffBuilder builder(std::endian::little); // two strips of four rows, the second of which states two
        builder.longs(256, {5}).longs(257, {8}).shorts(258, {8}).shorts(259, {1}).shorts(262, {1}).longs(273, {8, 28});
        builder.shorts(277, {1}).longs(278, {4}).longs(279, {20, 10}).data(ByteVector(30));
        ByteVector file = builder.finish();
        file.resize(file.size() + 100);
        QVERIFY(failureOf([&] { decodeImage(file, "short.tif"); }));
        const TemporaryFolder folder;
        writeFile(folder / "short.tif", file);
        const auto reader = openRows(folder / "short.tif", {}, folder / "out", {});
        QVERIFY(reader);
        Image rows(5, 8, {Depth::U8, 1});
        const Failure failure = failureOf([&] { reader->readRows(rows.view()); });
        QVERIFY(failure);
        QVERIFY2(contains(failure.text, "holds 10 of 20 bytes"), failure.text.c_str());
    }

    void palettes() {
        std::vector<std::uint16_t> map(3 * 4, 0);
        const std::uint16_t levels[4][3] = {{0, 0, 0}, {1, 2, 3}, {255, 128, 64}, {7, 7, 7}};
        const auto fill = [&](int factor) {
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t c = 0; c < 3; ++c)
                    map[c * 4 + i] = std::uint16_t(levels[i][c] * factor);
        };
        for (const int factor : {257, 256, 1}) { // the right way and the two usual wrong ones
            fill(factor);
            const ByteVector file = builderFor(2, 1, {{2}, 3}, bytesOf("\x60")).shorts(320, map).finish();
            const Image image = decodeImage(file, "palette.tif");
            QCOMPARE(image.format().depth, Depth::U8);
            QCOMPARE(samples(image), (Values{1, 2, 3, 255, 128, 64}));
        }
        map[1] = 0x1234; // a level that 8 bits cannot say
        const Image deep =
            decodeImage(builderFor(2, 1, {{2}, 3}, bytesOf("\x60")).shorts(320, map).finish(), "deep.tif");
        QCOMPARE(deep.format().depth, Depth::U16);
        QCOMPARE(sampleAt(deep, 0, 0, 0), 0x1234);
    }

    void alpha() {
        Kind kind{{8, 8, 8, 8}, 2};
        kind.extra = {2}; // not premultiplied
        QCOMPARE(samples(decode(1, 1, kind, words<std::uint8_t>({10, 20, 30, 128}))), (Values{10, 20, 30, 128}));
        kind.extra = {1}; // premultiplied
        QCOMPARE(samples(decode(2, 1, kind, words<std::uint8_t>({10, 64, 128, 128, 5, 5, 5, 0}))),
                 (Values{20, 128, 255, 128, 5, 5, 5, 0}));
        Kind grey{{16, 16}, 1};
        grey.extra = {2};
        QCOMPARE(samples(decode(1, 1, grey, words<std::uint16_t>({500, 65535}))), (Values{500, 65535}));
    }

    void cmykBecomesRgb() {
        const Image image = decode(2, 1, {{8, 8, 8, 8}, 5}, words<std::uint8_t>({0, 255, 0, 0, 0, 0, 0, 255}));
        QCOMPARE(samples(image), (Values{255, 0, 255, 0, 0, 0})); // magenta; black
    }

    void planes() { // a strip for each channel
        TiffBuilder builder(std::endian::little);
        builder.longs(256, {2}).longs(257, {1}).shorts(258, {8, 8, 8}).shorts(259, {1}).shorts(262, {2});
        builder.shorts(277, {3}).longs(278, {1}).shorts(284, {2}).longs(273, {8, 10, 12}).longs(279, {2, 2, 2});
        const ByteVector file = builder.data(words<std::uint8_t>({1, 2, 10, 20, 100, 200})).finish();
        QCOMPARE(samples(decodeImage(file, "planes.tif")), (Values{1, 10, 100, 2, 20, 200}));
    }

    void tiles() { // two 16x16 tiles, the second reaching over the edge
        ByteVector data(512);
        for (std::size_t i = 0; i < 512; ++i)
            data[i] = std::byte(i / 256 * 100 + i % 16);
        TiffBuilder builder(std::endian::little);
        builder.longs(256, {20}).longs(257, {3}).shorts(258, {8}).shorts(259, {1}).shorts(262, {1}).shorts(277, {1});
        builder.longs(322, {16}).longs(323, {16}).longs(324, {8, 264}).longs(325, {256, 256}).data(data);
        const Image image = decodeImage(builder.finish(), "tiles.tif");
        QCOMPARE(image.width(), 20);
        for (int x = 0; x < 20; ++x)
            QCOMPARE(sampleAt(image, x, 2, 0), double(x < 16 ? x : 100 + x - 16));
    }

    void refusals() {
        QVERIFY(contains(refusal({{32}}, 4), "32-bit unsigned samples"));
        Kind complex{{64}};
        complex.sampleFormat = 6;
        QVERIFY(contains(refusal(complex, 8), "complex"));
        QVERIFY(contains(refusal({{8, 8, 8, 8, 8}, 2}, 5), "5 channels"));
        QVERIFY(contains(refusal({{8}, 32844}, 1), "photometric 32844"));
        QVERIFY(contains(refusal({{8, 8, 8}, 8}, 3), "photometric 8")); // L*a*b*
        TiffBuilder newer(std::endian::little);
        newer.longs(256, {1}).longs(257, {1}).shorts(258, {8}).shorts(259, {50002}).shorts(262, {1}).shorts(277, {1});
        newer.longs(273, {8}).longs(278, {1}).longs(279, {1}).data(bytesOf("a")); // JPEG XL
        const ByteVector file = newer.finish();
        const std::string unread = failureOf([&] { decodeImage(file, "newer.tif"); }).text;
        QVERIFY2(contains(unread, "compression cannot be read (number 50002)"), unread.c_str());
        const ByteVector pages = builderFor(1, 1, {{8}}, bytesOf("a")).nextPageAtStart().finish();
        QVERIFY(contains(failureOf([&] { decodeImage(pages, "two.tif"); }).text, "holds 2 pages"));
        const ByteVector raw = builderFor(1, 1, {{8}}, bytesOf("a")).longs(254, {1}).finish();
        QVERIFY(contains(failureOf([&] { decodeImage(raw, "preview.tif"); }).text, "raw photograph"));
    }

    void blocksLargerThanThePictureCostNothing() {
        TiffBuilder builder(std::endian::little);
        builder.longs(256, {4}).longs(257, {4}).shorts(258, {8}).shorts(259, {8}).shorts(262, {1}).shorts(277, {1});
        builder.longs(322, {1 << 20}).longs(323, {1 << 16}).longs(324, {8}).longs(325, {16}).data(ByteVector(16));
        QVERIFY(
            contains(failureOf([&] { decodeImage(builder.finish(), "huge.tif"); }).text, "larger than the picture"));
    }
};

QTEST_APPLESS_MAIN(ImageTiffTest)
#include "image_tiff_test.moc"
