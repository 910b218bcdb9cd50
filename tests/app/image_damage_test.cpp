// Cut and altered files: an error or, where nothing that matters is touched, the picture. Never a crash, never a
// picture with made-up parts passed off as whole.
#include "tests/app/image_test_support.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::test;

namespace {

LoadLimits smallLimits() {
    LoadLimits limits;
    limits.maximumPixels = 1 << 20; // altered sizes shall not cost time
    limits.maximumBytes = 32 << 20;
    return limits;
}

struct Outcome {
    int errors = 0, pictures = 0;
    std::string problem;
};

// Anything but an Error (std::bad_alloc, a libraries' exception) is a fault.
Outcome &tryDecode(Outcome &outcome, std::span<const std::byte> file, const std::string &name, const Image *expected) {
    try {
        const Image image = decodeImage(file, name, smallLimits());
        ++outcome.pictures;
        if (expected && !difference(image, *expected).empty())
            outcome.problem = name + ", " + std::to_string(file.size()) + " bytes: a wrong picture without an error";
    } catch (const Error &error) {
        ++outcome.errors;
        if (error.kind() == ErrorKind::Internal || std::string(error.what()).find(name) == std::string::npos)
            outcome.problem = name + ": " + error.what();
    } catch (const std::exception &error) {
        outcome.problem = name + " threw " + error.what();
    }
    return outcome;
}

} // namespace

class ImageDamageTest : public QObject {
    Q_OBJECT

private slots:
    void cutFilesAreErrors_data() {
        QTest::addColumn<int>("index");
        const auto samples = writableSamples(17, 13);
        for (std::size_t i = 0; i < samples.size(); ++i)
            QTest::newRow(samples[i].name.c_str()) << int(i);
    }
    void cutFilesAreErrors() {
        QFETCH(int, index);
        static const std::vector<Sample> samples = writableSamples(17, 13);
        const Sample &sample = samples[std::size_t(index)];
        const Image whole = decodeImage(sample.file, sample.name);
        Outcome outcome;
        const std::size_t step = sample.format == "exr" ? 7 : 1; // OpenEXR takes its time
        for (std::size_t size = 0; size < sample.file.size(); size += step)
            tryDecode(outcome, std::span(sample.file).first(size), sample.name, &whole);
        QVERIFY2(outcome.problem.empty(), outcome.problem.c_str());
        QVERIFY2(outcome.pictures <= 30, "cut files were taken for whole"); // TGA's footer may go missing
    }

    void alteredFilesDoNotCrash_data() { cutFilesAreErrors_data(); }
    void alteredFilesDoNotCrash() {
        QFETCH(int, index);
        static const std::vector<Sample> samples = writableSamples(17, 13);
        const Sample &sample = samples[std::size_t(index)];
        std::mt19937 engine{unsigned(index)};
        Outcome outcome;
        const int rounds = sample.format == "exr" ? 40 : 150;
        for (int round = 0; round < rounds; ++round) {
            ByteVector file = sample.file;
            const unsigned changes = 1 + engine() % 6;
            for (unsigned i = 0; i < changes; ++i) {
                // Headers decide most: every second change hits the first 64 bytes.
                const std::size_t range = i % 2 == 0 ? file.size() : std::min<std::size_t>(file.size(), 64);
                file[engine() % range] ^= std::byte(1u << engine() % 8);
            }
            tryDecode(outcome, file, sample.name, nullptr);
        }
        QVERIFY2(outcome.problem.empty(), outcome.problem.c_str());
        QCOMPARE(outcome.errors + outcome.pictures, rounds);
    }

    void noiseBehindASignatureDoesNotCrash() {
        std::mt19937 engine(7);
        Outcome outcome;
        for (const Sample &sample : writableSamples(3, 3)) {
            if (sample.format == "exr")
                continue;
            for (int round = 0; round < 40; ++round) {
                ByteVector file(sample.file.begin(),
                                sample.file.begin() + std::min<std::ptrdiff_t>(16, std::ptrdiff_t(sample.file.size())));
                const std::size_t size = file.size() + engine() % 300;
                while (file.size() < size)
                    file.push_back(std::byte(engine() & 0xff));
                tryDecode(outcome, file, sample.name, nullptr);
            }
        }
        QVERIFY2(outcome.problem.empty(), outcome.problem.c_str());
        QVERIFY(outcome.errors > 0);
    }

    void aCutJpegIsNoHalfGreyPicture() {
        const Image picture = randomImage(200, 200, {Depth::U8, 3}, 1);
        const ByteVector file = encoded(picture, "jpg");
        const Failure failure = failureOf([&] { decodeImage(std::span(file).first(file.size() / 2), "half.jpg"); });
        QVERIFY(failure);
        QCOMPARE(failure.kind, ErrorKind::Input);
        QVERIFY2(failure.text.find("cut off") != std::string::npos, failure.text.c_str());
        QVERIFY2(failure.text.find("half.jpg") == 0, failure.text.c_str());
    }

    // A header may ask for any size: of a file of a few bytes the truth is that it is cut off, and not that it is
    // larger than a limit which more memory or an option would lift.
    void pixelsThatAreNotThereAreNoLargePicture_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("file");
        QTest::newRow("PFM") << "a.pfm" << QByteArray("PF\n60000 60000\n-1.0\nabcd");
        QTest::newRow("PGM") << "a.pgm" << QByteArray("P5\n60000 60000\n255\nabcd");
        QByteArray bmp("BM", 2); // a header of 54 bytes: 60000 x 60000 pixels of 24 bits
        for (const quint32 word : {54u, 0u, 54u, 40u, 60000u, 60000u, 1u | 24u << 16, 0u, 0u, 2835u, 2835u, 0u, 0u})
            for (int byte = 0; byte < 4; ++byte)
                bmp.append(char(word >> 8 * byte));
        QTest::newRow("BMP") << "a.bmp" << bmp;
        QByteArray tga(18, '\0'); // 65000 x 65000 pixels of 24 bits, plain
        tga[2] = 2;
        tga[12] = tga[14] = char(65000 & 0xff);
        tga[13] = tga[15] = char(65000 >> 8);
        tga[16] = 24;
        QTest::newRow("TGA") << "a.tga" << tga;
    }
    void pixelsThatAreNotThereAreNoLargePicture() {
        QFETCH(QString, name);
        QFETCH(QByteArray, file);
        const ByteVector bytes = bytesOf(std::string_view(file.constData(), std::size_t(file.size())));
        for (const Failure &failure : {failureOf([&] { decodeImage(bytes, name.toStdString()); }),
                                       failureOf([&] { probeImageHead(bytes, name.toStdString(), bytes.size()); })}) {
            QCOMPARE(failure.kind, ErrorKind::Input);
            QVERIFY2(failure.text.find("cut off") != std::string::npos, failure.text.c_str());
        }
        // The head of a file that is long enough is whole, as far as a head can tell.
        probeImageHead(bytes, name.toStdString(), std::uint64_t(1) << 40);
    }
};

QTEST_APPLESS_MAIN(ImageDamageTest)
#include "image_damage_test.moc"
