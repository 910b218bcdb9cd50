// Kernel files that are right: what each notation means, how it is recognised, and that writing reads back.
#include "app/core/error.h"
#include "app/filters/kernel_file.h"

#include <QTemporaryDir>
#include <QtTest>

#include <clocale>
#include <fstream>
#include <locale>
#include <random>

using namespace tessera;

namespace {

using Taps = std::vector<double>;

const Taps cross{0, 1, 0, 1, 2, 1, 0, 1, 0};

// Three digits grouped by dots, decimals by commas, as much of Europe writes.
struct CommaNumbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

} // namespace

class KernelFileTest : public QObject {
    Q_OBJECT

private slots:
    void textsMeanTheSameKernel_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("blanks") << QByteArray("0 1 0\n1 2 1\n0 1 0\n");
        QTest::newRow("no last line end") << QByteArray("0 1 0\n1 2 1\n0 1 0");
        QTest::newRow("tabs") << QByteArray("0\t1\t0\n1\t2\t1\n0\t1\t0\n");
        QTest::newRow("commas") << QByteArray("0,1,0\n1,2,1\n0,1,0\n");
        QTest::newRow("commas and blanks around them") << QByteArray("0, 1 ,0\n1 ,2, 1\n0,1,0\n");
        QTest::newRow("commas at line ends") << QByteArray("0,1,0,\n1,2,1,\n0,1,0,\n");
        QTest::newRow("blanks before and behind") << QByteArray("   0   1 0  \n\t1 2 1\t\n0 1 0 \n\n\n");
        QTest::newRow("empty lines between") << QByteArray("\n\n0 1 0\n\n1 2 1\n \n0 1 0\n");
        QTest::newRow("DOS line ends") << QByteArray("0 1 0\r\n1 2 1\r\n0 1 0\r\n");
        QTest::newRow("old Mac line ends") << QByteArray("0 1 0\r1 2 1\r0 1 0\r");
        QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF"
                                                       "0 1 0\n1 2 1\n0 1 0\n");
        QTest::newRow("comments") << QByteArray("# a cross: plus\n0 1 0 # first\n1 2 1\n#\n0 1 0");
        QTest::newRow("signs, points, exponents") << QByteArray("-0 +1 0.\n1.0 2e0 10e-1\n.0 100E-2 0\n");
        QTest::newRow("libvips, short header") << QByteArray("3 3\n0 1 0\n1 2 1\n0 1 0\n");
        QTest::newRow("libvips, long header") << QByteArray("3 3 1 0\n0 1 0\n1 2 1\n0 1 0\n");
        QTest::newRow("libvips, tabs") << QByteArray("3\t3\t1\t0\r\n0\t1\t0\r\n1\t2\t1\r\n0\t1\t0\r\n");
        QTest::newRow("ImageMagick") << QByteArray("3x3: 0,1,0 1,2,1 0,1,0");
        QTest::newRow("ImageMagick, square") << QByteArray("3: 0,1,0,1,2,1,0,1,0");
        QTest::newRow("ImageMagick, origin") << QByteArray("3x3+1+1:0 1 0 1 2 1 0 1 0");
        QTest::newRow("ImageMagick, lines") << QByteArray("3x3:\n0, 1, 0,\n1, 2, 1,\n0, 1, 0\n");
        QTest::newRow("ImageMagick, cells left out") << QByteArray("3x3: -,1,nan 1,2,1 NaN,1,-");
        QTest::newRow("JSON") << QByteArray("{\"taps\": [[0, 1, 0], [1, 2, 1], [0, 1, 0]]}");
        QTest::newRow("JSON, flat") << QByteArray("{\"width\":3,\"height\":3,\"taps\":[0,1,0,1,2,1,0,1,0]}");
        QTest::newRow("JSON, everything")
            << QByteArray(" {\"format\":\"tessera-kernel\",\"version\":1,\"width\":3,\"height\":3,\"anchor\":[1,1],\r\n"
                          "\"divisor\":1,\"offset\":0.0,\"taps\":[[0,1,0],[1,2e0,1.0],[0,1,0]]}\n");
    }
    void textsMeanTheSameKernel() {
        QFETCH(QByteArray, text);
        const ConvolutionKernel kernel = parseKernel(std::string_view(text.data(), std::size_t(text.size())), "text");
        QCOMPARE(kernel.width, 3);
        QCOMPARE(kernel.height, 3);
        QCOMPARE(kernel.anchorX, 1);
        QCOMPARE(kernel.anchorY, 1);
        QCOMPARE(kernel.taps, cross);
        QCOMPARE(kernel.divisor.value(), 1.0); // what a notation does not state is --divisor's default
        QCOMPARE(kernel.offset, 0.0);
    }

    void notationsSayMore() {
        const ConvolutionKernel vips = parseKernel("3 1 4 128\n1 2 1\n", "k");
        QCOMPARE(vips.width, 3);
        QCOMPARE(vips.height, 1);
        QCOMPARE(vips.divisor.value(), 4.0);
        QCOMPARE(vips.offset, 128.0);
        const ConvolutionKernel magick = parseKernel("4x2+3+0: 1,2,3,4 5,6,7,8", "k");
        QCOMPARE(magick.anchorX, 3);
        QCOMPARE(magick.anchorY, 0);
        const ConvolutionKernel even = parseKernel("4x2: 1,2,3,4 5,6,7,8", "k");
        QCOMPARE(even.anchorX, 2); // width / 2, where ImageMagick itself takes (width - 1) / 2
        QCOMPARE(even.anchorY, 1);
        const ConvolutionKernel json =
            parseKernel("{\"name\":\"Gr\\u00fc\\u00dfe "
                        "\\\"x\\\"\",\"taps\":[[1,2]],\"divisor\":\"auto\",\"offset\":-0.5,\"anchor\":[0,0]}",
                        "k");
        QCOMPARE(json.name, std::string("Gr\xC3\xBC\xC3\x9F"
                                        "e \"x\""));
        QVERIFY(!json.divisor.has_value());
        QCOMPARE(json.effectiveDivisor(), 3.0);
        QCOMPARE(json.offset, -0.5);
        QCOMPARE(json.anchorX, 0);
    }

    void notationsAreRecognised_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("notation");
        const auto plain = int(KernelNotation::Plain), vips = int(KernelNotation::Vips);
        QTest::newRow("rows") << QByteArray("1 2\n3 4\n") << plain;
        QTest::newRow("header, but too few rows") << QByteArray("2 2\n1 1\n") << plain;
        QTest::newRow("header, but too many rows") << QByteArray("2 1\n1 1\n1 1\n") << plain;
        QTest::newRow("header fits") << QByteArray("2 1\n1 1\n") << vips;
        QTest::newRow("header with comments") << QByteArray("# c: d\n2 1 # e\n\n1 1\n") << vips;
        QTest::newRow("header of commas is none") << QByteArray("2, 1\n1, 1\n") << plain;
        QTest::newRow("header of fractions is none") << QByteArray("1.5 1\n1 1\n") << plain;
        QTest::newRow("header of zero is none") << QByteArray("0 1\n1 1\n") << plain;
        QTest::newRow("three numbers are no header") << QByteArray("3 1 1\n1 1 1\n") << plain;
        QTest::newRow("four numbers, four columns") << QByteArray("4 1 1 0\n1 1 1 1\n") << vips;
        QTest::newRow("one number") << QByteArray("5") << plain;
        QTest::newRow("colon") << QByteArray("3: whatever") << int(KernelNotation::ImageMagick);
        QTest::newRow("brace") << QByteArray(" \n{") << int(KernelNotation::Json);
        QTest::newRow("brace after a mark") << QByteArray("\xEF\xBB\xBF{") << int(KernelNotation::Json);
        QTest::newRow("malformed") << QByteArray("1 x") << plain;
        QTest::newRow("nothing") << QByteArray("") << plain;
    }
    void notationsAreRecognised() {
        QFETCH(QByteArray, text);
        QFETCH(int, notation);
        QCOMPARE(int(recognizeNotation(std::string_view(text.data(), std::size_t(text.size())))), notation);
    }

    // Kernels of any size and any double read back to the last bit.
    void writingReadsBack() {
        std::mt19937_64 random(7);
        std::uniform_int_distribution<int> side(1, 9), kind(0, 3);
        std::normal_distribution<double> normal(0.0, 10.0);
        for (int round = 0; round < 400; ++round) {
            const int width = round == 0 ? 255 : side(random), height = round == 0 ? 255 : side(random);
            Taps taps(std::size_t(width) * std::size_t(height));
            const int shape = kind(random);
            for (double &tap : taps)
                tap = shape == 0   ? std::rint(normal(random))
                      : shape == 1 ? std::exp(20.0 * normal(random))
                                   : normal(random);
            ConvolutionKernel kernel = ConvolutionKernel::centred(width, height, taps);
            kernel.divisor = 1.0;
            checkReadsBack(kernel, KernelNotation::Plain);
            kernel.divisor = normal(random);
            kernel.offset = normal(random);
            checkReadsBack(kernel, KernelNotation::Vips);
            kernel.anchorX = int(random() % unsigned(width));
            kernel.anchorY = int(random() % unsigned(height));
            kernel.name = "n\xC3\xA4me \"quoted\" \\ \n";
            if (round % 2 == 0)
                kernel.divisor.reset();
            QCOMPARE(parseKernel(formatKernel(kernel, KernelNotation::Json), "k"), kernel);
            kernel.divisor = 1.0;
            kernel.offset = 0.0;
            kernel.name.clear();
            checkReadsBack(kernel, KernelNotation::ImageMagick);
        }
    }

    // Small whole numbers make plain text that could be a libvips matrix: every 2x2 kernel of 1..3 and more.
    void plainTextIsNeverTakenForAHeader() {
        for (int code = 0; code < 81; ++code) {
            ConvolutionKernel kernel = ConvolutionKernel::centred(
                2, 2, {1.0 + code % 3, 1.0 + code / 3 % 3, 1.0 + code / 9 % 3, 1.0 + code / 27 % 3});
            kernel.divisor = 1.0;
            checkReadsBack(kernel, KernelNotation::Plain);
        }
        QCOMPARE(parseKernel(formatKernel(withDivisorOne(4, 2, {4, 1, 9, 9, 1, 1, 1, 1}), KernelNotation::Plain), "k")
                     .height,
                 2);
    }

    void notationsRefuseWhatTheyCannotSay() {
        ConvolutionKernel kernel = withDivisorOne(3, 1, {1, 2, 1});
        kernel.divisor = 4.0;
        expectRefused(kernel, {KernelNotation::Plain, KernelNotation::ImageMagick});
        kernel.divisor.reset(); // automatic, and 4 as well
        expectRefused(kernel, {KernelNotation::Plain, KernelNotation::ImageMagick});
        QCOMPARE(parseKernel(formatKernel(kernel, KernelNotation::Vips), "k").effectiveDivisor(), 4.0);
        kernel.divisor = 1.0;
        kernel.offset = 0.5;
        expectRefused(kernel, {KernelNotation::Plain, KernelNotation::ImageMagick});
        kernel.offset = 0.0;
        kernel.anchorX = 0;
        expectRefused(kernel, {KernelNotation::Plain, KernelNotation::Vips});
        kernel = withDivisorOne(3, 1, {-1, 0, 1});
        kernel.divisor.reset(); // automatic, and 1: nothing is lost
        QCOMPARE(formatKernel(kernel, KernelNotation::Plain), std::string("-1 0 1\n"));
    }

    void textLooksAsExpected() {
        const ConvolutionKernel kernel = withDivisorOne(3, 2, {-1, 0, 0.5, 1000000, 1e-7, 1e20});
        QCOMPARE(formatKernel(kernel, KernelNotation::Plain), std::string("-1 0 0.5\n1000000 1e-07 1e+20\n"));
        QCOMPARE(formatKernel(kernel, KernelNotation::Vips), std::string("3 2\n-1 0 0.5\n1000000 1e-07 1e+20\n"));
        QCOMPARE(formatKernel(kernel, KernelNotation::ImageMagick),
                 std::string("3x2+1+1: -1,0,0.5 1000000,1e-07,1e+20"));
    }

    // Neither the C++ locale nor the C locale may change what 0.5 means or how it is written.
    void localesChangeNothing() {
        const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaNumbers));
        for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
            std::setlocale(LC_ALL, name); // where the system has it
            const ConvolutionKernel kernel = withDivisorOne(2, 1, {0.5, 12345.25});
            for (KernelNotation notation :
                 {KernelNotation::Plain, KernelNotation::Vips, KernelNotation::ImageMagick, KernelNotation::Json})
                checkReadsBack(kernel, notation);
            QCOMPARE(formatKernel(kernel, KernelNotation::Plain), std::string("0.5 12345.25\n"));
            QCOMPARE(parseKernel("{\"taps\":[[0.5]]}", "k").taps.front(), 0.5);
        }
        std::locale::global(before);
        std::setlocale(LC_ALL, "C.UTF-8");
    }

    void filesAndArguments() {
        QTemporaryDir folder;
        const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "my cross.txt";
        std::ofstream(path, std::ios::binary) << "0 1 0\n1 2 1\n0 1 0\n";
        const ConvolutionKernel kernel = loadKernelFile(path);
        QCOMPARE(kernel.taps, cross);
        QCOMPARE(kernel.name, std::string("my cross"));
        QCOMPARE(kernelFromArgument(path.string()), kernel);
        QCOMPARE(kernelFromArgument("3x3: 0,1,0 1,2,1 0,1,0").taps, cross);
        // A file wins over its name's look.
        const std::filesystem::path odd = std::filesystem::path(folder.path().toStdString()) / "3x3: 0";
        std::ofstream(odd) << "7";
        QCOMPARE(kernelFromArgument(odd.string()).taps, Taps{7});
        // Longer than any file name may be.
        std::string taps = "255x255:";
        for (int i = 0; i < 255 * 255; ++i)
            taps += " 0.12345";
        QCOMPARE(kernelFromArgument(taps).width, 255);
    }

private:
    static ConvolutionKernel withDivisorOne(int width, int height, Taps taps) {
        ConvolutionKernel kernel = ConvolutionKernel::centred(width, height, std::move(taps));
        kernel.divisor = 1.0;
        return kernel;
    }

    void checkReadsBack(const ConvolutionKernel &kernel, KernelNotation notation) {
        const std::string text = formatKernel(kernel, notation);
        QCOMPARE(int(recognizeNotation(text)), int(notation));
        QCOMPARE(parseKernel(text, "k"), kernel);
    }

    void expectRefused(const ConvolutionKernel &kernel, const std::vector<KernelNotation> &notations) {
        for (KernelNotation notation : notations) {
            try {
                formatKernel(kernel, notation);
                QFAIL("written, though something is lost");
            } catch (const Error &error) {
                QVERIFY(error.kind() == ErrorKind::Output);
                QVERIFY(error.remedy().find("JSON") != std::string::npos);
            }
        }
    }
};

QTEST_APPLESS_MAIN(KernelFileTest)
#include "kernel_file_test.moc"
