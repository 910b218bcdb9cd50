// Pictures read and written a few rows at a time are those that are read and written whole.
#include "app/image/file_handle.h"
#include "app/image/row_io.h"
#include "tests/app/image_test_support.h"

#include <QtTest>

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <utility>

using namespace tessera;
using namespace tessera::test;

namespace {

// Our own writer gives TIFFs the orientation 1: the tag's value becomes another.
void turnTiff(ByteVector &file, std::uint16_t orientation) {
    const std::endian order = file[0] == std::byte('I') ? std::endian::little : std::endian::big;
    const codecs::ByteReader reader(file, order);
    const std::uint32_t directory = reader.u32(4).value();
    for (std::uint32_t i = 0; i < reader.u16(directory).value(); ++i) {
        const std::uint32_t entry = directory + 2 + 12 * i;
        if (reader.u16(entry) != 274)
            continue;
        ByteVector value;
        ByteWriter(value, order).u16(orientation);
        std::ranges::copy(value, file.begin() + entry + 8);
    }
}

ByteVector turnedFile(const Image &picture, const std::string &format, std::endian order, int orientation) {
    Image copy = picture.clone();
    copy.metadata.exif = exifBlock(order, orientation);
    ByteVector file = encoded(copy, format, 90);
    if (format == "tiff")
        turnTiff(file, std::uint16_t(orientation));
    return file;
}

Image readByRows(RowReader &reader, int rowsAtOnce) {
    const ImageInfo &info = reader.info();
    Image image(info.width, info.height, info.format);
    for (int y = 0; y < info.height; y += rowsAtOnce)
        reader.readRows(image.view().part({0, y, info.width, std::min(rowsAtOnce, info.height - y)}));
    return image;
}

ByteVector writtenByRows(const Image &image, const std::string &format, const std::filesystem::path &path) {
    const FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    const ImageInfo info{image.width(), image.height(), image.format(), {}};
    const auto writer = createRows(file.get(), format, 92, info, image.metadata);
    const ConstPixelView view = image.view();
    for (int y = 0; y < view.height; y += 10)
        writer->writeRows(view.part({0, y, view.width, std::min(10, view.height - y)}));
    writer->finish();
    return readFile(path);
}

} // namespace

class ImageRowsTest : public QObject {
    Q_OBJECT

private slots:
    void turnedPicturesComeUpright_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("channels");
        QTest::addColumn<int>("depth");
        QTest::newRow("png") << "png" << 4 << 16;
        QTest::newRow("jpg") << "jpg" << 3 << 8;
        QTest::newRow("jpg, grey") << "jpg" << 1 << 8;
        QTest::newRow("tiff") << "tiff" << 3 << 8;
        QTest::newRow("tiff, float") << "tiff" << 2 << 32;
    }

    void turnedPicturesComeUpright() {
        QFETCH(QString, format);
        QFETCH(int, channels);
        QFETCH(int, depth);
        const PixelFormat pixels{depth == 8 ? Depth::U8 : depth == 16 ? Depth::U16 : Depth::F32, channels};
        const TemporaryFolder folder;
        const Image picture = randomImage(411, 1603, pixels, 7); // put aside in several blocks
        for (int orientation = 1; orientation <= 8; ++orientation) {
            const std::endian order = orientation % 2 ? std::endian::little : std::endian::big;
            writeFile(folder / "in", turnedFile(picture, format.toStdString(), order, orientation));
            const Image whole = loadImage(folder / "in");
            const auto reader = openRows(folder / "in", {}, folder / "out", {});
            QVERIFY(reader != nullptr);
            QCOMPARE(difference(readByRows(*reader, 37), whole), std::string());
            reader->finish();
            QVERIFY(reader->metadata().exif == whole.metadata.exif);
            QVERIFY(!whole.metadata.exif.empty());
            QCOMPARE(reader->rewind(), orientation > 1);
            if (orientation > 1)
                QCOMPARE(difference(readByRows(*reader, 1603), whole), std::string());
        }
        QCOMPARE(folder.names(), std::vector<std::string>{"in"}); // what was put aside has no name
    }

    void noRoomToTurnNamesTheOutput() {
        const TemporaryFolder folder;
        writeFile(folder / "in", turnedFile(randomImage(9, 7, {Depth::U8, 3}, 1), "png", std::endian::little, 6));
        const auto reader = openRows(folder / "in", {}, folder / "missing/out.png", {});
        const Failure failure = failureOf([&] { readByRows(*reader, 1); });
        QVERIFY(failure);
        QCOMPARE(failure.kind, ErrorKind::Output);
        QVERIFY(failure.text.find("missing/out.png") != std::string::npos);
    }

    void turningCanBeCancelled() {
        const TemporaryFolder folder;
        writeFile(folder / "in", turnedFile(randomImage(9, 7, {Depth::U8, 3}, 1), "png", std::endian::little, 6));
        std::stop_source stop;
        RunControl control;
        control.stop = stop.get_token();
        const auto reader = openRows(folder / "in", {}, folder / "out", control);
        stop.request_stop();
        QCOMPARE(failureOf([&] { readByRows(*reader, 1); }).kind, ErrorKind::Cancelled);
    }

    void exifIsWrittenByRowsToo() {
        const TemporaryFolder folder;
        for (const std::endian order : {std::endian::little, std::endian::big})
            for (const char *format : {"tiff", "jpg"}) {
                Image picture = randomImage(101, 55, {Depth::U8, 3}, 5);
                picture.metadata.exif = exifBlock(order, 1);
                QVERIFY(writtenByRows(picture, format, folder / "out") == encoded(picture, format));
                QVERIFY(!loadImage(folder / "out").metadata.exif.empty());
            }
    }

    void whatWasWrittenIsReadAgain() {
        const TemporaryFolder folder;
        for (const char *format : {"tiff", "png", "pam"}) {
            const Image picture = randomImage(33, 21, {Depth::U16, 4}, 5);
            writtenByRows(picture, format, folder / "out");
            const FileHandle file(::open((folder / "out").c_str(), O_RDONLY | O_CLOEXEC));
            QCOMPARE(difference(readByRows(*openWrittenRows(file.get(), "out"), 4), picture), std::string());
        }
        writeFile(folder / "none", bytesOf("no picture"));
        const FileHandle file(::open((folder / "none").c_str(), O_RDONLY | O_CLOEXEC));
        QVERIFY(failureOf([&] { openWrittenRows(file.get(), "none"); }));
    }
};

QTEST_APPLESS_MAIN(ImageRowsTest)
#include "image_rows_test.moc"
