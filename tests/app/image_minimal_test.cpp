// The build without any of the formats' libraries: stb and our own readers.
#include "tests/app/image_test_support.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::test;

class ImageMinimalTest : public QObject {
    Q_OBJECT

private slots:
    // Before the first look for the module: as if it were not installed.
    void initTestCase() { qputenv("TESSERA_OPENCV_CODECS", "/nonexistent/module.so"); }

    void theTableTellsTheTruth() {
        for (const FormatInfo &format : imageFormats()) {
            const bool expected =
                format.name != "tiff" && format.name != "webp" && format.name != "exr" && format.name != "jp2";
            QVERIFY2(format.canRead == expected, format.name.c_str());
        }
        QCOMPARE(formatForExtension("png")->depths, std::vector<Depth>{Depth::U8});
        QVERIFY(!cannotHold(*formatForExtension("png"), {Depth::U16, 1}).empty());
        QVERIFY(!cannotHold(*formatForExtension("tiff"), {Depth::U8, 1}).empty());
    }

    void missingFormatsAreNamed() {
        const auto textFor = [](std::string_view start) {
            ByteVector file = bytesOf(start);
            file.resize(200);
            return failureOf([&] { decodeImage(file, "test"); }).text;
        };
        QVERIFY(textFor(std::string_view("II*\0", 4)).find("no libtiff") != std::string::npos);
        QVERIFY(textFor("RIFF\x10\x10\x10\x10WEBP").find("no libwebp") != std::string::npos);
        QVERIFY(textFor("\x76\x2f\x31\x01").find("no OpenCV") != std::string::npos);
        QVERIFY(textFor("\xff\x4f\xff\x51").find("no OpenCV") != std::string::npos);
        const Failure failure = failureOf([] { encoded(randomImage(2, 2, {Depth::F32, 3}, 1), "exr"); });
        QVERIFY2(failure.text.find("cannot write EXR") != std::string::npos, failure.text.c_str());
    }

    void profilesAreReadFromPng() { // iCCP is compressed: here with stb
        ByteVector chunk = bytesOf(std::string_view("name\0\0", 6));
        // zlib, one stored block of "profile!"
        const ByteVector zlib = bytesOf(std::string_view("\x78\x01\x01\x08\0\xf7\xff"
                                                         "profile!"
                                                         "\x0e\xf8\x03\x1a",
                                                         19));
        chunk.insert(chunk.end(), zlib.begin(), zlib.end());
        const ByteVector file = PngBuilder(1, 1, 8, 0).chunk("iCCP", chunk).pixels(ByteVector(2)).finish();
        const std::vector<std::uint8_t> profile = decodeImage(file, "profile.png").metadata.iccProfile;
        QCOMPARE(std::string(profile.begin(), profile.end()), std::string("profile!"));
    }

    void aJpegWithoutItsEndIsRefused() {
        ByteVector file = encoded(randomImage(40, 40, {Depth::U8, 3}, 1), "jpg");
        QVERIFY(!failureOf([&] { decodeImage(file, "whole.jpg"); }));
        file.resize(file.size() - 2);
        QVERIFY(failureOf([&] { decodeImage(file, "cut.jpg"); }).text.find("without its end") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(ImageMinimalTest)
#include "image_minimal_test.moc"
