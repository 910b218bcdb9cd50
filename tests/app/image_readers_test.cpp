// Our own readers (Netpbm, BMP, TGA, Radiance) on files built from the formats' specifications.
#include "tests/app/image_test_support.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::test;

namespace {

std::vector<double> samples(const Image &image) {
    std::vector<double> values;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            for (int c = 0; c < image.format().channels; ++c)
                values.push_back(sampleAt(image, x, y, c));
    return values;
}

std::vector<double> decode(std::span<const std::byte> file) { return samples(decodeImage(file, "test")); }
std::vector<double> decode(std::string_view file) { return decode(bytesOf(file)); }

using Values = std::vector<double>;

std::string failureText(std::string_view file) {
    return failureOf([&] { decodeImage(bytesOf(file), "test"); }).text;
}

ByteVector bmp(int width, int height, int bits, std::uint32_t compression, std::string_view palette,
               std::string_view pixels) {
    ByteVector file;
    ByteWriter writer(file, std::endian::little);
    writer.text("BM");
    writer.u32(0);
    writer.u32(0);
    writer.u32(std::uint32_t(54 + palette.size()));
    writer.u32(40);
    writer.u32(std::uint32_t(width));
    writer.u32(std::uint32_t(height));
    writer.u16(1);
    writer.u16(std::uint16_t(bits));
    writer.u32(compression);
    writer.u32(0);
    writer.u32(0);
    writer.u32(0);
    writer.u32(bits <= 8 ? std::uint32_t(palette.size() / 4) : 0);
    writer.u32(0);
    writer.text(palette);
    writer.text(pixels);
    return file;
}

ByteVector tga(int type, int width, int height, int bits, int descriptor, std::string_view palette, int firstColour,
               std::string_view data) {
    ByteVector file;
    ByteWriter writer(file, std::endian::little);
    writer.u8(3); // a comment of three bytes
    writer.u8(palette.empty() ? 0 : 1);
    writer.u8(std::uint8_t(type));
    writer.u16(std::uint16_t(firstColour));
    writer.u16(std::uint16_t(palette.size() / 3));
    writer.u8(palette.empty() ? 0 : 24);
    writer.u32(0);
    writer.u16(std::uint16_t(width));
    writer.u16(std::uint16_t(height));
    writer.u8(std::uint8_t(bits));
    writer.u8(std::uint8_t(descriptor));
    writer.text("...");
    writer.text(palette);
    writer.text(data);
    return file;
}

constexpr std::string_view colours("\1\2\3\0\4\5\6\0\7\10\11\0", 12); // BGR0 of three colours

std::string_view text(const char *bytes, std::size_t size) { return {bytes, size}; }

} // namespace

class ImageReadersTest : public QObject {
    Q_OBJECT

private slots:
    // ---- Netpbm ----
    void asciiPictures() {
        QCOMPARE(decode("P1\n# a comment\n3 2\n101\n0 1 0\n"), (Values{0, 255, 0, 255, 0, 255}));
        QCOMPARE(decode("P2 2 2 255\n0 1\n254 255"), (Values{0, 1, 254, 255}));
        QCOMPARE(decode("P3\n1 1\n65535\n1 2 65535\n"), (Values{1, 2, 65535}));
    }
    void binaryPictures() {
        QCOMPARE(decode(text("P4\n10 1\n\xa0\x40", 10)), (Values{0, 255, 0, 255, 255, 255, 255, 255, 255, 0}));
        QCOMPARE(decode(text("P5 2 1 255\n\x07\xff", 13)), (Values{7, 255}));
        QCOMPARE(decode(text("P6\n1 1\n65535\n\x01\x02\x03\x04\xff\xff", 20)), (Values{0x102, 0x304, 65535}));
        QCOMPARE(
            decode(text("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\x05\x06", 73)),
            (Values{5, 6}));
    }
    void otherLargestValuesAreStretched() {
        QCOMPARE(decode("P2 4 1 3\n0 1 2 3"), (Values{0, 85, 170, 255}));
        QCOMPARE(decode("P2 3 1 1023\n0 512 1023"), (Values{0, 32800, 65535})); // 512 * 65535 / 1023 = 32799.53
        QVERIFY(failureText("P2 2 1 3\n0 4").find("above the stated largest") != std::string::npos);
    }
    void floatsInBothByteOrders() { // the bottom row comes first
        QCOMPARE(decode(text("Pf\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\xc0", 20)), (Values{-2, 1}));
        QCOMPARE(decode(text("PF\n1 1\n1.0\n\x3f\x80\0\0\xc0\0\0\0\x40\x49\x0f\xdb", 23)),
                 (Values{1, -2, double(3.14159274f)}));
        QVERIFY(failureText(text("Pf\n1 1\n0\n\0\0\0\0", 13)).find("scale") != std::string::npos);
    }
    void brokenHeaders() {
        QVERIFY(failureText("P5 x 2 255\n").find("number was expected") != std::string::npos);
        QVERIFY(failureText("P5 2 2 70000\n").find("70000") != std::string::npos);
        QVERIFY(failureText("P5 2 2").find("ends too early") != std::string::npos);
        QVERIFY(failureText("P5 2 2 255\nabc").find("4 bytes and 3 are there") != std::string::npos);
    }

    // ---- BMP ----
    void bmpPalettes() { // two rows, the bottom one first, each filled to four bytes
        QCOMPARE(decode(bmp(2, 2, 8, 0, colours, text("\0\1\0\0\2\0\0\0", 8))),
                 (Values{9, 8, 7, 3, 2, 1, 3, 2, 1, 6, 5, 4}));
        QCOMPARE(decode(bmp(3, 1, 4, 0, colours, text("\x01\x20\0\0", 4))), (Values{3, 2, 1, 6, 5, 4, 9, 8, 7}));
        QCOMPARE(decode(bmp(2, 1, 1, 0, colours.substr(0, 8), text("\x40\0\0\0", 4))), (Values{3, 2, 1, 6, 5, 4}));
        QVERIFY(failureOf([] {
                    decodeImage(bmp(1, 1, 8, 0, colours, text("\x03\0\0\0", 4)), "x");
                }).text.find("outside the palette") != std::string::npos);
    }
    void greyPalettesGiveGrey() {
        const Image image = decodeImage(bmp(2, 1, 8, 0, text("\5\5\5\0\11\11\11\0", 8), text("\1\0\0\0", 4)), "grey");
        QCOMPARE(image.format().channels, 1);
        QCOMPARE(samples(image), (Values{9, 5}));
    }
    void bmpDirectColours() {
        QCOMPARE(decode(bmp(1, 2, 24, 0, {}, text("\1\2\3\0\4\5\6\0", 8))), (Values{6, 5, 4, 3, 2, 1}));
        QCOMPARE(decode(bmp(1, -2, 24, 0, {}, text("\1\2\3\0\4\5\6\0", 8))),
                 (Values{3, 2, 1, 6, 5, 4}));                                                   // from the top
        QCOMPARE(decode(bmp(1, 1, 32, 0, {}, text("\1\2\3\0", 4))), (Values{3, 2, 1}));         // no alpha
        QCOMPARE(decode(bmp(1, 1, 16, 0, {}, text("\x1f\x7c\0\0", 4))), (Values{255, 0, 255})); // 5-5-5
    }
    void bmpBitFields() { // the masks stand where a palette would: 5-6-5
        const std::string_view masks = text("\0\xf8\0\0\xe0\x07\0\0\x1f\0\0\0", 12);
        QCOMPARE(decode(bmp(2, 1, 16, 3, masks, text("\x00\x04\xe0\xff", 4))), (Values{0, 130, 0, 255, 255, 0}));
        const std::string_view alpha = text("\xff\0\0\0\0\xff\0\0\0\0\xff\0\0\0\0\xff", 16); // RGBA in memory order
        QCOMPARE(decode(bmp(1, 1, 32, 6, alpha, text("\1\2\3\4", 4))), (Values{1, 2, 3, 4}));
        const std::string_view holes = text("\5\0\0\0\0\xff\0\0\0\0\xff\0", 12);
        QVERIFY(failureOf([&] {
                    decodeImage(bmp(1, 1, 32, 3, holes, text("\1\2\3\4", 4)), "x");
                }).text.find("bit fields") != std::string::npos);
    }
    void bmpRunLengths() {
        // 4x2: bottom row a run of 2 and a literal of 3 cut at the end of the row, then the upper row with a jump.
        const std::string_view code = text("\2\1\0\3\2\0\1\0\0\0\0\2\1\0\2\2\0\1", 18);
        const ByteVector file = bmp(5, 2, 8, 1, text("\0\0\0\0\1\1\1\0\2\2\2\0", 12), code);
        QCOMPARE(decode(file), (Values{0, 2, 2, 0, 0, 1, 1, 2, 0, 1}));
        const ByteVector nibbles = bmp(5, 1, 4, 2, text("\0\0\0\0\1\1\1\0\2\2\2\0", 12), text("\5\x12\0\1", 4));
        QCOMPARE(decode(nibbles), (Values{1, 2, 1, 2, 1}));
        const ByteVector wild = bmp(2, 1, 8, 1, colours, text("\0\2\5\5\0\1", 6));
        QVERIFY(failureOf([&] { decodeImage(wild, "x"); }).text.find("leaves the picture") != std::string::npos);
    }

    // ---- TGA ----
    void tgaOrigins_data() {
        QTest::addColumn<int>("descriptor");
        QTest::addColumn<QVector<int>>("expected");
        QTest::newRow("bottom left") << 0x00 << QVector<int>{3, 4, 1, 2};
        QTest::newRow("bottom right") << 0x10 << QVector<int>{4, 3, 2, 1};
        QTest::newRow("top left") << 0x20 << QVector<int>{1, 2, 3, 4};
        QTest::newRow("top right") << 0x30 << QVector<int>{2, 1, 4, 3};
    }
    void tgaOrigins() {
        QFETCH(int, descriptor);
        QFETCH(QVector<int>, expected);
        QCOMPARE(decode(tga(3, 2, 2, 8, descriptor, {}, 0, "\1\2\3\4")), Values(expected.begin(), expected.end()));
    }
    void tgaColours() {
        QCOMPARE(decode(tga(2, 1, 1, 24, 0, {}, 0, "\1\2\3")), (Values{3, 2, 1}));
        QCOMPARE(decode(tga(2, 1, 1, 32, 8, {}, 0, "\1\2\3\4")), (Values{3, 2, 1, 4}));
        QCOMPARE(decode(tga(2, 1, 1, 16, 0, {}, 0, text("\x1f\x7c", 2))), (Values{255, 0, 255}));
        QCOMPARE(decode(tga(3, 1, 1, 16, 8, {}, 0, "\5\6")), (Values{5, 6}));
        QCOMPARE(decode(tga(1, 2, 1, 8, 0, "\1\2\3\4\5\6", 10, "\13\12")),
                 (Values{6, 5, 4, 3, 2, 1})); // indices from 10 on
        QVERIFY(failureOf([] {
                    decodeImage(tga(1, 1, 1, 8, 0, "\1\2\3", 10, "\11"), "x");
                }).text.find("outside the palette") != std::string::npos);
    }
    void tgaRunLengths() { // a run over the end of a row
        QCOMPARE(decode(tga(11, 2, 2, 8, 0x20, {}, 0, text("\x82\x09\0\5", 4))), (Values{9, 9, 9, 5}));
        QCOMPARE(decode(tga(10, 3, 1, 24, 0, {}, 0, text("\x81\1\2\3\0\4\5\6", 8))),
                 (Values{3, 2, 1, 3, 2, 1, 6, 5, 4}));
    }

    // ---- Radiance ----
    void radianceCodings() {
        const std::string head = "#?RADIANCE\n# made by hand\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=2\n\n";
        // 0x80 at exponent 129 is 1; the mantissas count in 1/128.
        const std::string flat = head + "-Y 1 +X 2\n" + std::string("\x80\x40\x20\x81\x00\x00\x00\x00", 8);
        QCOMPARE(decode(flat), (Values{1, 0.5, 0.25, 0, 0, 0}));
        const std::string repeats = head + "-Y 1 +X 3\n" + std::string("\x80\x40\x20\x81\x01\x01\x01\x02", 8);
        QCOMPARE(decode(repeats), (Values{1, 0.5, 0.25, 1, 0.5, 0.25, 1, 0.5, 0.25}));
        const std::string runs =
            head + "-Y 1 +X 8\n" +
            std::string("\x02\x02\x00\x08\x88\x80\x88\x40\x04\x20\x20\x20\x20\x84\x20\x88\x81", 17);
        Values expected;
        for (int i = 0; i < 8; ++i)
            expected.insert(expected.end(), {1, 0.5, 0.25});
        QCOMPARE(decode(runs), expected);
    }
    void radianceOrders() {
        const std::string head = "#?RGBE\nFORMAT=32-bit_rle_rgbe\n\n";
        const std::string pixels("\x80\x80\x80\x81\x40\x40\x40\x81", 8); // 1 and 1/2
        QCOMPARE(decode(head + "-Y 1 +X 2\n" + pixels), (Values{1, 1, 1, .5, .5, .5}));
        QCOMPARE(decode(head + "-Y 1 -X 2\n" + pixels), (Values{.5, .5, .5, 1, 1, 1}));
        QCOMPARE(decode(head + "+Y 2 +X 1\n" + pixels), (Values{.5, .5, .5, 1, 1, 1}));
        const Image turned =
            decodeImage(bytesOf(head + "+X 1 +Y 2\n" + pixels), "turned"); // one column, from the bottom
        QCOMPARE(turned.height(), 2);
        QCOMPARE(samples(turned), (Values{.5, .5, .5, 1, 1, 1}));
    }
    void radianceFaults() {
        const std::string head = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 8\n";
        QVERIFY(failureText(head + std::string("\x02\x02\x00\x08\x89\x80", 6)).find("longer than its row") !=
                std::string::npos);
        QVERIFY(failureText(head + std::string("\x02\x02\x00\x08\x00", 5)).find("longer than its row") !=
                std::string::npos);
        QVERIFY(failureText(head + std::string("\x02\x02\x00\x08\x88", 5)).find("end too early") != std::string::npos);
        QVERIFY(failureText("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n0000").find("XYZ") != std::string::npos);
        QVERIFY(failureText("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y one +X 1\n").find("states no size") !=
                std::string::npos);
    }
};

QTEST_APPLESS_MAIN(ImageReadersTest)
#include "image_readers_test.moc"
