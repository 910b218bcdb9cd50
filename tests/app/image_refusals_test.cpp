// What is refused, and that the refusal says what, why and what to do.
#include "app/image/format_limits.h"
#include "tests/app/image_test_support.h"

#include <QtTest>

#include <cmath>

using namespace tessera;
using namespace tessera::test;

namespace {

bool mentions(const Failure &failure, std::string_view words) { return failure.text.find(words) != std::string::npos; }

Failure loadFailure(std::span<const std::byte> file, std::string_view name, const LoadLimits &limits = {}) {
    return failureOf([&] { decodeImage(file, name, limits); });
}

Failure saveFailure(const Image &image, const std::string &format) {
    return failureOf([&] { encoded(image, format); });
}

} // namespace

#define VERIFY_SAYS(failure, words) QVERIFY2(mentions(failure, words), (failure).text.c_str())

class ImageRefusalsTest : public QObject {
    Q_OBJECT

private slots:
    void emptyFiles() {
        const Failure failure = loadFailure({}, "nothing.png");
        VERIFY_SAYS(failure, "nothing.png: the file is empty");
        QCOMPARE(failure.kind, ErrorKind::Input);
    }

    void foreignContentIsNamed_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("words");
        QTest::newRow("gif") << QByteArray("GIF89a\1\0\1\0\0\0\0;", 14) << "a GIF";
        QTest::newRow("pdf") << QByteArray("%PDF-1.7 and so on") << "PDF";
        QTest::newRow("psd") << QByteArray("8BPS\0\1\0\0\0\0\0\0\0\0", 14) << "Photoshop";
        QTest::newRow("heic") << QByteArray("\0\0\0\x18"
                                            "ftypheic\0\0\0\0",
                                            16)
                              << "HEIC";
        QTest::newRow("jxl") << QByteArray("\xff\x0a\0\0\0\0", 6) << "JPEG XL";
        QTest::newRow("text") << QByteArray("Dear diary, today I saw a tessera.") << "holds text";
        QTest::newRow("noise") << QByteArray("\xfe\x01\x02\x03\x04\x05\x06\x07", 8) << "no picture format";
    }
    void foreignContentIsNamed() {
        QFETCH(QByteArray, content);
        QFETCH(QString, words);
        const Failure failure =
            loadFailure(std::as_bytes(std::span(content.constData(), std::size_t(content.size()))), "file.png");
        VERIFY_SAYS(failure, words.toStdString());
        QCOMPARE(failure.kind, ErrorKind::Input);
    }

    void contentDecidesNotTheName() {
        const TemporaryFolder folder;
        const Image picture = randomImage(9, 7, {Depth::U8, 3}, 2);
        writeFile(folder / "really-a-bmp.png", encoded(picture, "bmp"));
        const Image back = loadImage(folder / "really-a-bmp.png");
        QCOMPARE(difference(back, picture), std::string());
        QCOMPARE(back.metadata.sourceFormat, std::string("bmp"));
    }

    void missingFilesAndFolders() {
        const TemporaryFolder folder;
        VERIFY_SAYS(failureOf([&] { loadImage(folder / "absent.png"); }), "No such file");
        VERIFY_SAYS(failureOf([&] { loadImage(folder.path()); }), "is a folder");
        VERIFY_SAYS(failureOf([&] { loadImage("/dev/zero"); }), "neither a file nor a pipe");
    }

    // Hostile headers: a file of a few hundred bytes that asks for gigabytes.
    void limitsAreCheckedBeforeDecoding() {
        const ByteVector bomb =
            PngBuilder(60000, 20000, 8, 2).pixels(ByteVector(4'000'000)).finish(); // might hold them
        LoadLimits limits;
        limits.maximumPixels = 1'000'000'000;
        const Failure pixels = loadFailure(bomb, "bomb.png", limits);
        QCOMPARE(pixels.kind, ErrorKind::Limit);
        VERIFY_SAYS(pixels, "60000x20000");
        VERIFY_SAYS(pixels, "--max-pixels");
        limits.maximumPixels = 4'000'000'000;
        limits.maximumBytes = std::uint64_t(1) << 30;
        const Failure bytes = loadFailure(bomb, "bomb.png", limits);
        QCOMPARE(bytes.kind, ErrorKind::Limit);
        VERIFY_SAYS(bytes, "3434M"); // 3433.2, rounded up: as --max-memory it is enough
        VERIFY_SAYS(bytes, "--max-memory");
    }

    void limitsHoldForEveryFormat() {
        LoadLimits limits;
        limits.maximumPixels = 17 * 13 - 1;
        for (const Sample &sample : writableSamples(17, 13)) {
            const Failure failure = loadFailure(sample.file, sample.name, limits);
            QCOMPARE(failure.kind, ErrorKind::Limit);
            VERIFY_SAYS(failure, "17x13 is 221 pixels");
        }
        limits.maximumPixels = 17 * 13;
        for (const Sample &sample : writableSamples(17, 13))
            QVERIFY(!loadFailure(sample.file, sample.name, limits));
    }

    void filesLongerThanMemoryAreRefused() {
        const TemporaryFolder folder;
        writeFile(folder / "long.ppm", ByteVector(5000));
        LoadLimits limits;
        limits.maximumBytes = 4999;
        const Failure failure = failureOf([&] { loadImage(folder / "long.ppm", limits); });
        QCOMPARE(failure.kind, ErrorKind::Limit);
        VERIFY_SAYS(failure, "--max-memory");
    }

    void sizesThatOverflow() {
        LoadLimits limits;
        limits.maximumPixels = ~std::uint64_t(0);
        limits.maximumBytes = ~std::uint64_t(0);
        const std::string header = "P6\n2147483647 2147483647\n65535\n";
        VERIFY_SAYS(loadFailure(bytesOf(header), "wide.ppm", limits), "cut off");
        VERIFY_SAYS(loadFailure(bytesOf("P6\n2147483648 1\n255\n"), "wide.ppm"), "number was expected");
        VERIFY_SAYS(loadFailure(bytesOf("P6\n0 4\n255\n"), "flat.ppm"), "size of 0x4");
    }

    void animationsAreRefused() {
        ByteVector frames;
        ByteWriter(frames, std::endian::big).u32(3);
        ByteWriter(frames, std::endian::big).u32(0);
        const ByteVector apng = PngBuilder(1, 1, 8, 0).chunk("acTL", frames).pixels(ByteVector(2)).finish();
        VERIFY_SAYS(loadFailure(apng, "moving.png"), "animation of 3 pictures");
    }

    void picturesBehindTheFirstAreRefused() {
        for (const char *text : {"P5 1 1 255\naP5 1 1 255\nb", "P2 1 1 255\n7\nP2 1 1 255\n8\n"})
            VERIFY_SAYS(loadFailure(bytesOf(text), "two.pgm"), "several pictures");
        QCOMPARE(decodeImage(bytesOf("P5 1 1 255\nP5"), "p.pgm").width(), 1); // a pixel of 80, then no picture
    }

    void animatedWebpIsRefused() {
        if (!formatForExtension("webp")->canRead)
            QSKIP("this build has no libwebp");
        ByteVector file;
        ByteWriter writer(file, std::endian::little);
        writer.text("RIFF");
        writer.u32(4 + 18 + 14);
        writer.text("WEBPVP8X");
        writer.u32(10);
        writer.u8(2); // the flag of an animation
        writer.raw("\0\0\0\7\0\0\7\0\0", 9);
        writer.text("ANIM");
        writer.u32(6);
        writer.raw("\0\0\0\0\0\0", 6);
        VERIFY_SAYS(loadFailure(file, "moving.webp"), "animated WebP");
    }

    void nothingIsLostSilently_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("depth");
        QTest::addColumn<int>("channels");
        QTest::addColumn<QString>("words");
        QTest::newRow("16-bit JPEG") << "jpg" << int(Depth::U16) << 3 << "8-bit";
        QTest::newRow("float JPEG") << "jpg" << int(Depth::F32) << 3 << "32-bit float";
        QTest::newRow("alpha JPEG") << "jpg" << int(Depth::U8) << 4 << "transparency";
        QTest::newRow("grey + alpha JPEG") << "jpg" << int(Depth::U8) << 2 << "transparency";
        QTest::newRow("alpha BMP") << "bmp" << int(Depth::U8) << 4 << "transparency";
        QTest::newRow("16-bit BMP") << "bmp" << int(Depth::U16) << 1 << "8-bit";
        QTest::newRow("float PNG") << "png" << int(Depth::F32) << 1 << "32-bit float";
        QTest::newRow("16-bit WebP") << "webp" << int(Depth::U16) << 3 << "";
        QTest::newRow("8-bit PFM") << "pfm" << int(Depth::U8) << 3 << "32-bit float";
        QTest::newRow("colour PGM") << "pgm" << int(Depth::U8) << 3 << "grey";
        QTest::newRow("alpha PPM") << "ppm" << int(Depth::U16) << 4 << "transparency";
        QTest::newRow("PBM") << "pbm" << int(Depth::U8) << 1 << "cannot write";
    }
    void nothingIsLostSilently() {
        QFETCH(QString, format);
        QFETCH(int, depth);
        QFETCH(int, channels);
        QFETCH(QString, words);
        const std::string name = format.toStdString();
        const Image picture = randomImage(4, 4, {Depth(depth), channels}, 1);
        QVERIFY(!cannotHold(*formatForExtension(name), picture.format()).empty());
        const Failure failure = saveFailure(picture, name);
        QCOMPARE(failure.kind, ErrorKind::Output);
        VERIFY_SAYS(failure, words.toStdString());
        VERIFY_SAYS(failure, "choose a format that can: ");
        const TemporaryFolder folder;
        const auto path = folder / ("out." + name);
        VERIFY_SAYS(failureOf([&] { saveImage(picture, path); }), path.native());
        QVERIFY(folder.names().empty());
    }

    void hdrRefusesWhatItHasNoCodeFor() {
        for (const double value : {-1.0, double(NAN), double(INFINITY), 3e38}) {
            const Image picture =
                makeImage(2, 2, {Depth::F32, 3}, [&](int x, int, int) { return x == 1 ? value : 1.0; });
            QCOMPARE(saveFailure(picture, "hdr").kind, ErrorKind::Output);
        }
        // Up to the very float that the limit states.
        const auto below = std::nextafter(float(largestRgbe), 0.0f);
        for (const float value : {below, float(largestRgbe)}) {
            const Image picture = makeImage(2, 2, {Depth::F32, 3}, [&](int, int, int) { return double(value); });
            QCOMPARE(saveFailure(picture, "hdr").text.empty(), value == below);
        }
    }

    void unknownFormatsAndQualities() {
        const Image picture = randomImage(4, 4, {Depth::U8, 3}, 1);
        VERIFY_SAYS(saveFailure(picture, "xyz"), "'xyz'");
        VERIFY_SAYS(failureOf([&] { saveImage(picture, "/tmp/no-extension"); }), "no extension");
        VERIFY_SAYS(failureOf([&] { encoded(picture, "jpg", 0); }), "1 to 100");
        VERIFY_SAYS(failureOf([&] { encoded(picture, "jpg", 101); }), "1 to 100");
        VERIFY_SAYS(saveFailure(Image(), "png"), "no picture");
    }

    void sidesThatAFormatCannotState() {
        const Image wide = makeImage(70000, 1, {Depth::U8, 1}, [](int x, int, int) { return x & 255; });
        for (const char *name : {"jpg", "tga", "webp"})
            if (formatForExtension(name)->canWrite)
                VERIFY_SAYS(saveFailure(wide, name), "a side of more than");
        QCOMPARE(difference(decodeImage(encoded(wide, "png"), "wide.png"), wide), std::string());
    }

    void namesAreShownSafely() { // neither terminal codes nor bytes that are no UTF-8
        const Failure failure = loadFailure({}, "a\x1b[31m\xff\n\xc3\xa9.png");
        VERIFY_SAYS(failure, "a\\x1b[31m\\xff\\x0a\xc3\xa9.png: the file is empty");
        // What breaks a line or turns the text round; the letters beside it stay.
        VERIFY_SAYS(loadFailure({}, "a\u2028b\u202egnp.exe"), "a\\xe2\\x80\\xa8b\\xe2\\x80\\xaegnp.exe: the file");
        VERIFY_SAYS(loadFailure({}, "\u0085\u061c\u200e\u200f\u2029"),
                    "\\xc2\\x85\\xd8\\x9c\\xe2\\x80\\x8e\\xe2\\x80\\x8f\\xe2\\x80\\xa9: the file");
        VERIFY_SAYS(loadFailure({}, "\u2066\u2067\u2068\u2069"),
                    "\\xe2\\x81\\xa6\\xe2\\x81\\xa7\\xe2\\x81\\xa8\\xe2\\x81\\xa9: the file");
        for (const char *plain : {"\u2027\u202f\u2065\u206a", "\u05e9\u0628\u00e9\U0001f600"})
            VERIFY_SAYS(loadFailure({}, plain), std::string(plain) + ": the file");
    }

    void extensionsAreFound() {
        QCOMPARE(formatForExtension(".JPEG")->name, std::string("jpg"));
        QCOMPARE(formatForExtension("Tif")->name, std::string("tiff"));
        QVERIFY(formatForExtension("") == nullptr);
        QVERIFY(formatForExtension("gif") == nullptr);
    }
};

QTEST_APPLESS_MAIN(ImageRefusalsTest)
#include "image_refusals_test.moc"
