// Files of a few bytes whose headers claim pictures of gigabytes: told by their length, before anything is allocated.
#include "tests/app/image_test_support.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint32_t largestSide = 2'147'483'647;

void write16(ByteVector &file, std::initializer_list<int> values, std::endian order) {
    ByteWriter writer(file, order);
    for (const int value : values)
        writer.u16(std::uint16_t(value));
}

// Frame and scan headers, no tables: enough to be told by.
ByteVector jpeg(int process, int side) {
    ByteVector file;
    write16(file, {0xffd8, process, 17}, std::endian::big);
    ByteWriter writer(file, std::endian::big);
    writer.u8(8);
    write16(file, {side, side}, std::endian::big);
    for (const int value : {3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0})
        writer.u8(std::uint8_t(value));
    write16(file, {0xffda, 12}, std::endian::big);
    for (const int value : {3, 1, 0, 2, 0, 3, 0, 0, 63, 0, 1, 2, 0xff, 0xd9})
        writer.u8(std::uint8_t(value));
    return file;
}

ByteVector tiff(int compression, std::uint32_t side) {
    return TiffBuilder(std::endian::little)
        .longs(256, {side})
        .longs(257, {side})
        .shorts(258, {8})
        .shorts(259, {std::uint16_t(compression)})
        .shorts(262, {1})
        .shorts(277, {1})
        .longs(278, {side})
        .strip(ByteVector(100))
        .finish();
}

// BigTIFF of one strip, which is said to lie so far on that its end is beyond what 64 bits count.
ByteVector bigTiff(std::uint64_t side) {
    const std::uint64_t stripBytes = side * side;
    ByteVector file;
    ByteWriter writer(file, std::endian::little);
    const auto u64 = [&](std::uint64_t value) {
        writer.u32(std::uint32_t(value));
        writer.u32(std::uint32_t(value >> 32));
    };
    const auto entry = [&](int tag, int type, std::uint64_t value) {
        writer.u16(std::uint16_t(tag));
        writer.u16(std::uint16_t(type));
        u64(1);
        u64(value);
    };
    writer.text(std::string_view("II+\0\x08\0\0\0", 8));
    u64(16); // the directory
    u64(9);
    constexpr int shortType = 3, longType = 4, long8Type = 16;
    entry(256, longType, side);
    entry(257, longType, side);
    entry(258, shortType, 8);
    entry(259, shortType, 1);
    entry(262, shortType, 1);
    entry(273, long8Type, 0 - (stripBytes - 50));
    entry(277, shortType, 1);
    entry(278, longType, side);
    entry(279, long8Type, stripBytes);
    u64(0);
    return file;
}

ByteVector tgaInRuns() {
    ByteVector file(100, std::byte(0xff));
    std::fill_n(file.begin(), 18, std::byte(0));
    file[2] = std::byte(11); // grey, run lengths
    for (const std::size_t i : {12, 13, 14, 15})
        file[i] = std::byte(0xff);
    file[16] = std::byte(8);
    return file;
}

ByteVector exr(int compression, std::int32_t side) {
    ByteVector file;
    ByteWriter writer(file, std::endian::little);
    const auto attribute = [&](std::string_view name, std::string_view type, std::uint32_t size) {
        writer.text(name);
        writer.u8(0);
        writer.text(type);
        writer.u8(0);
        writer.u32(size);
    };
    writer.text("\x76\x2f\x31\x01");
    writer.u32(2);
    attribute("channels", "chlist", 19);
    writer.text(std::string_view("Y\0", 2));
    for (const std::uint32_t value : {2, 0, 1, 1}) // float, not linear, no subsampling
        writer.u32(value);
    writer.u8(0);
    attribute("compression", "compression", 1);
    writer.u8(std::uint8_t(compression));
    for (const char *window : {"dataWindow", "displayWindow"}) {
        attribute(window, "box2i", 16);
        for (const std::int32_t value : {0, 0, side - 1, side - 1})
            writer.u32(std::uint32_t(value));
    }
    writer.u8(0);
    file.resize(file.size() + 100);
    return file;
}

} // namespace

class ImageClaimsTest : public QObject {
    Q_OBJECT
private slots:
    void tooShortForWhatItClaims_data();
    void tooShortForWhatItClaims();
    void whatMightHoldItIsHeldAgainstTheMachine();
    void littleFilesThatHoldMuchAreRead();
    void blocksMayShareTheirPlace_data();
    void blocksMayShareTheirPlace();
    void paddingOfRowsCounts();
};

void ImageClaimsTest::tooShortForWhatItClaims_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("name");
    const auto row = [](const char *what, const ByteVector &file, const char *name) {
        QTest::newRow(what) << QByteArray(reinterpret_cast<const char *>(file.data()), qsizetype(file.size())) << name;
    };
    const auto png = [](std::uint32_t width, std::uint32_t height, int depth, int colours) {
        return PngBuilder(width, height, depth, colours).pixels(ByteVector(2)).finish();
    };
    row("PNG, wide", png(largestSide, 1, 8, 0), "wide.png");
    row("PNG, wide, 16 bit with alpha", png(largestSide, 1, 16, 6), "wide.png");
    row("PNG, wide, bits", png(largestSide, 1, 1, 0), "wide.png");
    row("PNG, tall", png(1, largestSide, 8, 0), "tall.png");
    row("PNG, large", png(60000, 60000, 8, 2), "large.png");
    row("PNG, largest", png(largestSide, largestSide, 16, 6), "largest.png");
    row("JPEG, baseline", jpeg(0xffc0, 65000), "large.jpg");
    row("JPEG, progressive", jpeg(0xffc2, 65000), "large.jpg");
    row("TGA, run lengths", tgaInRuns(), "large.tga");
    const std::string hdr = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2147483647 +X 1\n";
    row("Radiance, tall", bytesOf(hdr), "tall.hdr");
    if (formatForExtension("tiff")->canRead) {
        for (const auto &[what, compression] : {std::pair{"TIFF", 1},
                                                {"TIFF, LZW", 5},
                                                {"TIFF, Deflate", 8},
                                                {"TIFF, older Deflate", 32946},
                                                {"TIFF, PackBits", 32773}})
            row(what, tiff(compression, 60000), "large.tif");
        row("BigTIFF, beyond all offsets", bigTiff(60000), "large.tif");
    }
    if (formatForExtension("exr")->canRead)
        for (const auto &[what, compression] :
             {std::pair{"OpenEXR", 0}, {"OpenEXR, run lengths", 1}, {"OpenEXR, lines", 2}, {"OpenEXR, Deflate", 3}})
            row(what, exr(compression, 60000), "large.exr");
}

void ImageClaimsTest::tooShortForWhatItClaims() {
    QFETCH(QByteArray, file);
    QFETCH(QString, name);
    const auto content = std::as_bytes(std::span(file.constData(), std::size_t(file.size())));
    LoadLimits limits;
    limits.maximumPixels = ~std::uint64_t(0);
    for (const Failure &failure : {failureOf([&] { decodeImage(content, name.toStdString(), limits); }),
                                   failureOf([&] { probeImage(content, name.toStdString()); }), failureOf([&] {
                                       probeImageHead(content, name.toStdString(), std::uint64_t(content.size()));
                                   })}) {
        QVERIFY2(failure.text.starts_with(name.toStdString() + ": the file is far too short for the size it states"),
                 failure.text.c_str());
        QVERIFY2(failure.text.find("copy or download it again") != std::string::npos, failure.text.c_str());
        QCOMPARE(failure.kind, ErrorKind::Input);
    }
}

// A narrow picture takes its rows' padding: 64 bytes for each pixel.
void ImageClaimsTest::whatMightHoldItIsHeldAgainstTheMachine() {
    const ByteVector tall = PngBuilder(1, largestSide, 8, 0).pixels(ByteVector(5'000'000)).finish();
    const Failure failure = failureOf([&] { decodeImage(tall, "tall.png", {}); });
    QVERIFY2(failure.text.starts_with("tall.png: "), failure.text.c_str());
    LoadLimits limits;
    limits.maximumBytes = std::uint64_t(100) << 30;
    const Failure limited = failureOf([&] { decodeImage(tall, "tall.png", limits); });
    QCOMPARE(limited.kind, ErrorKind::Limit);
    QVERIFY2(limited.text.starts_with("tall.png: 1x2147483647 needs 131072M of memory decoded"), limited.text.c_str());
}

// The bounds are those of the codings: what is as dense as they allow is no fault.
void ImageClaimsTest::littleFilesThatHoldMuchAreRead() {
    const Image flat = makeImage(9000, 3000, {Depth::U8, 1}, [](int, int, int) { return 0; });
    for (const char *name : {"png", "jpg", "tiff", "webp", "exr"}) {
        const FormatInfo &format = *formatForExtension(name);
        if (!format.canWrite)
            continue;
        const Image picture = format.depths.front() == Depth::F32
                                  ? makeImage(3000, 2000, {Depth::F32, 1}, [](int, int, int) { return 0; })
                                  : flat.clone();
        const ByteVector file = encoded(picture, name);
        const Image back = decodeImage(file, std::string("flat.") + name);
        QCOMPARE(back.width(), picture.width());
    }
}

void ImageClaimsTest::blocksMayShareTheirPlace_data() {
    QTest::addColumn<int>("compression");
    QTest::addColumn<int>("step"); // from one strip's place to the next
    QTest::addColumn<int>("count");
    QTest::newRow("shared") << 1 << 0 << 300;
    QTest::newRow("overlapping") << 1 << 64 << 300;
    QTest::newRow("one by one") << 1 << 60000 << 300;
    QTest::newRow("shared, PackBits") << 32773 << 0 << 1000;
}

// A blank page is often written so that each of its strips is the same bytes of the file.
void ImageClaimsTest::blocksMayShareTheirPlace() {
    if (!formatForExtension("tiff")->canRead)
        QSKIP("this build reads no TIFF");
    QFETCH(int, compression);
    QFETCH(int, step);
    QFETCH(int, count);
    constexpr int width = 6000, rows = 10, stripBytes = width * rows;
    ByteVector data;
    if (compression == 1)
        data = ByteVector(std::size_t(stripBytes + step * (count - 1)), std::byte(9));
    else
        for (int row = 0; row < rows; ++row)
            for (int left = width; left > 0; left -= std::min(left, 128)) { // a run of them
                data.push_back(std::byte(257 - std::min(left, 128)));
                data.push_back(std::byte(9));
            }
    const std::uint32_t stored = compression == 1 ? stripBytes : std::uint32_t(data.size());
    std::vector<std::uint32_t> places;
    for (int i = 0; i < count; ++i)
        places.push_back(std::uint32_t(8 + step * i));
    const auto file = [&](std::uint32_t beyond) {
        places.back() += beyond;
        return TiffBuilder(std::endian::little)
            .longs(256, {width})
            .longs(257, {std::uint32_t(rows * count)})
            .shorts(258, {8})
            .shorts(259, {std::uint16_t(compression)})
            .shorts(262, {1})
            .shorts(277, {1})
            .longs(278, {rows})
            .longs(273, places)
            .longs(279, std::vector<std::uint32_t>(places.size(), stored))
            .data(data)
            .finish();
    };
    const ByteVector whole = file(0);
    QCOMPARE(probeImageHead(whole, "page.tif", whole.size()).height, rows * count);
    const Image page = decodeImage(whole, "page.tif");
    QCOMPARE(page.height(), rows * count);
    for (const int y : {0, rows * count / 2, rows * count - 1})
        for (const int x : {0, width - 1})
            QCOMPARE(int(page.view().row<std::uint8_t>(y)[x]), 9);
    // The last of them may not lie where the file has ended.
    const ByteVector shortened = file(20'000'000);
    const Failure failure = failureOf([&] { decodeImage(shortened, "page.tif"); });
    QCOMPARE(failure.kind, ErrorKind::Input);
    QVERIFY2(!failure.text.empty(), "it was read");
    if (compression == 1 && step < stripBytes)
        QVERIFY2(failure.text.starts_with("page.tif: the file is far too short for the size it states"),
                 failure.text.c_str());
}

void ImageClaimsTest::paddingOfRowsCounts() {
    QCOMPARE(imageBytes(1, 10, {Depth::U8, 1}), std::uint64_t(640));
    QCOMPARE(imageBytes(100, 3, {Depth::U16, 3}), std::uint64_t(640 * 3));
    QCOMPARE(imageBytes(100, 3, {Depth::U16, 3}), std::uint64_t(Image(100, 3, {Depth::U16, 3}).bytes()));
    QCOMPARE(imageBytes(2147483647, 2147483647, {Depth::F32, 4}), ~std::uint64_t(0));
}

QTEST_APPLESS_MAIN(ImageClaimsTest)
#include "image_claims_test.moc"
