// JPEG beyond the round trip: inks, what is tolerated, what is refused. Runs with libjpeg-turbo and with stb.
#include "tests/app/image_test_support.h"

#include <QtTest>

#include <algorithm>

using namespace tessera;
using namespace tessera::test;

namespace {

// 2x2 pixels of pure magenta ink, stored inverted as Adobe's marker tells.
const char *const magentaInk = "ffd8ffee000e41646f626500640000000000ffdb004300100b0c0e0c0a100e0d0e1211101318281a1816161"
                               "83123251d283a333d3c3933383740"
                               "485c4e404457453738506d51575f626768673e4d71797064785c656763ffc000140800020002044311004d1"
                               "1005911004b1100ffc40014000100"
                               "000000000000000000000000000007ffc40014100100000000000000000000000000000000ffda000e04430"
                               "04d0059004b00003f00401f90080f"
                               "ffd9";

ByteVector fromHex(const char *hex) {
    const QByteArray bytes = QByteArray::fromHex(hex);
    return bytesOf({bytes.constData(), std::size_t(bytes.size())});
}

ByteVector smallJpeg() {
    return encoded(makeImage(16, 16, {Depth::U8, 3}, [](int x, int y, int c) { return 8 * x + y + 20 * c; }), "jpg");
}

std::ptrdiff_t placeOf(const ByteVector &file, std::string_view bytes) {
    return std::ranges::search(file, bytesOf(bytes)).begin() - file.begin();
}

Failure failureFor(const ByteVector &file) {
    return failureOf([&] { decodeImage(file, "test.jpg"); });
}

} // namespace

class ImageJpegTest : public QObject {
    Q_OBJECT

private slots:
    void inksBecomeColours() {
        const Image image = decodeImage(fromHex(magentaInk), "inks.jpg");
        QCOMPARE(image.format().channels, 3);
        const double expected[] = {255, 0, 255};
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 2; ++x)
                for (int c = 0; c < 3; ++c)
                    QVERIFY(std::abs(sampleAt(image, x, y, c) - expected[c]) <= 2);
    }

    void bytesThatNoPixelNeedsAreTolerated() {
        const ByteVector file = smallJpeg();
        const Image picture = decodeImage(file, "plain.jpg");
        ByteVector longer = file; // phones append videos
        longer.resize(longer.size() + 1000);
        QCOMPARE(difference(decodeImage(longer, "longer.jpg"), picture), std::string());
        ByteVector filled = file; // fill bytes in front of a marker
        filled.insert(filled.begin() + placeOf(filled, "\xff\xdb"), 3, std::byte(0xff));
        QCOMPARE(difference(decodeImage(filled, "filled.jpg"), picture), std::string());
    }

    void whatCannotBeDecodedIsNamed() {
        const ByteVector file = smallJpeg();
        const std::ptrdiff_t frame = placeOf(file, "\xff\xc0");
        ByteVector altered = file;
        altered[std::size_t(frame) + 4] = std::byte(12);
        QVERIFY2(failureFor(altered).text.find("12 bits") != std::string::npos, failureFor(altered).text.c_str());
        altered = file;
        altered[std::size_t(frame) + 1] = std::byte(0xc3);
        QVERIFY2(failureFor(altered).text.find("lossless") != std::string::npos, failureFor(altered).text.c_str());
        altered = file;
        altered[std::size_t(frame) + 5] = altered[std::size_t(frame) + 6] = std::byte(0); // a height to be told later
        QVERIFY2(failureFor(altered).text.find("size of 16x0") != std::string::npos, failureFor(altered).text.c_str());
    }

    void aMissingEndIsAnError() {
        ByteVector file = smallJpeg();
        file.resize(file.size() - 2);
        const Failure failure = failureFor(file);
        QCOMPARE(failure.kind, ErrorKind::Input);
        QVERIFY2(failure.text.find("cut off") != std::string::npos, failure.text.c_str());
    }

    // A progressive JPEG may repeat its passes over the picture without end; so may, falsely, a sequential one.
    void endlessPassesAreRefused() {
        ByteVector file = smallJpeg();
        const std::ptrdiff_t scan = placeOf(file, "\xff\xda");
        const ByteVector pass(file.begin() + scan, file.end() - 2);
        file.resize(file.size() - 2);
        for (int i = 0; i < 600; ++i)
            file.insert(file.end(), pass.begin(), pass.end());
        const ByteVector end = bytesOf("\xff\xd9");
        file.insert(file.end(), end.begin(), end.end());
        QCOMPARE(failureFor(file).kind, ErrorKind::Input);
    }
};

QTEST_APPLESS_MAIN(ImageJpegTest)
#include "image_jpeg_test.moc"
