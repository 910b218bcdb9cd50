// Kernel files that are wrong: refused with the place, never misread, never a crash.
#include "app/core/error.h"
#include "app/filters/kernel_file.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fstream>
#include <random>

using namespace tessera;

class KernelFileErrorsTest : public QObject {
    Q_OBJECT

private slots:
    void placesAreNamed_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("mention");
        const auto row = [](const char *name, const QByteArray &text, const char *place, const char *mention) {
            QTest::newRow(name) << text << QString(place) << QString(mention);
        };
        row("a word", "1 2 3\n4 x 6\n", "2:3", "found 'x'");
        row("after DOS line ends", "1 2 3\r\n4 5 6\r\n7 8 nine\r\n", "3:5", "'nine'");
        row("after Mac line ends", "1 2\r3 x\r", "2:3", "'x'");
        row("after a mark", "\xEF\xBB\xBFx", "1:1", "'x'");
        row("columns are characters", "# \xC3\xA4\xC3\xB6\n\xC3\xA4 1", "2:1", "\xC3\xA4");
        row("a character is one column",
            "1 2\n\xE2\x88\x92"
            "1 ?",
            "2:1", "expected a number");
        row("half a number", "1 2.5.1 3", "1:3", "'2.5.1'");
        row("hexadecimal", "0x10", "1:1", "'0x10'");
        row("two signs", "+-1", "1:1", "'+-1'");
        row("fraction", "1/9 1/9", "1:1", "'1/9'");
        row("semicolons", "1;2;3", "1:1", "'1;2;3'");
        row("nan in rows", "1 nan", "1:3", "no finite number");
        row("inf in rows", "1\n-inf", "2:1", "no finite number");
        row("too large", "1 1e400", "1:3", "too large");
        row("short row", "1 2 3\n4 5\n7 8 9\n", "2:3", "2 numbers, the first row has 3");
        row("long row", "1 2\n4 5 6\n", "2:5", "3 numbers, the first row has 2");
        row("almost a libvips header", "3 3\n1 2 3\n4 5 6\n", "2:5", "announces 3 rows of 3");
        row("libvips scale 0", "2 1 0 0\n1 1\n", "1:5", "scale");
        row("number missing", "1,,2", "1:3", "missing");
        row("comma first", ",1,2", "1:1", "missing");
        row("decimal commas", "0,5 1,0", "1:4", "commas and blanks");
        row("decimal commas, tabs", "1,5\t2", "1:4", "decimals are written with a point");
        row("blanks, then a comma", "1 2, 3", "1:4", "commas and blanks");
        row("nothing", "", "1:1", "no numbers");
        row("only comments", "# a\n# b\n", "3:1", "no numbers");
        row("zeros", QByteArray("1 2\n\0", 5), "2:1", "no text");
        row("UTF-16",
            QByteArray("\xFF\xFE"
                       "1\0",
                       4),
            "1:1", "UTF-16");

        row("ImageMagick: too few", "3x3: 1,2,3 4,5", "1:15", "needs 9 taps, only 5");
        row("ImageMagick: too many", "2x1: 1,2,3", "1:10", "more than the 2");
        row("ImageMagick: a word", "2x1: 1,zwei", "1:8", "'zwei'");
        row("ImageMagick: infinite", "2x1: 1,inf", "1:8", "no finite number");
        row("ImageMagick: missing", "2x1: 1,,2", "1:8", "missing");
        row("ImageMagick: named", "Gaussian:0x2", "1:1", "named kernels");
        row("ImageMagick: rotations", "3x3>: 1", "1:4", "rotated");
        row("ImageMagick: list", "1x1: 1; 1x1: 2", "1:7", "lists");
        row("ImageMagick: width 0", "0x3: 1", "1:1", "1 to 255");
        row("ImageMagick: too wide", "256x1: 1", "1:1", "1 to 255, not 256");
        row("ImageMagick: beyond int", "99999999999x1: 1", "1:1", "1 to 255");
        row("ImageMagick: no height", "3x: 1", "1:3", "height");
        row("ImageMagick: origin outside", "3x3+3+0: 1", "1:5", "0 to 2, not 3");
        row("ImageMagick: half an origin", "3x3+1: 1", "1:6", "Y");
        row("ImageMagick: no size", ": 1", "1:1", "width");
        row("ImageMagick: a blank for the x", "3 3: 1", "1:3", "expected ':'");

        row("JSON: a word", "{\"taps\": [[1, x]]}", "1:15", "'x'");
        row("JSON: cut off", "{\"taps\": [[1, 2]", "1:17", "ends too early");
        row("JSON: quote open", "{\"taps", "1:7", "ends too early");
        row("JSON: wrong bracket", "{\"taps\": [[1, 2}\n", "1:16", "'}'");
        row("JSON: more behind", "{\"taps\": [[1]]}\n{", "2:1", "'{'");
        row("JSON: comma at the end", "{\"taps\": [[1,\n]]}", "2:1", "']'");
        row("JSON: number too large", "{\"taps\": [[1, -1e999]]}", "1:15", "too large");
        row("JSON: no object", "[[1, 2]]", "1:1", "object");
        row("JSON: no taps", "{\"name\": \"x\"}", "1:1", "'taps' is missing");
        row("JSON: unknown member", "{\"taps\": [[1]],\n  \"devisor\": 2}", "2:3", "did you mean 'divisor'");
        row("JSON: twice", "{\"taps\": [[1]], \"taps\": [[2]]}", "1:17", "twice");
        row("JSON: text for a tap", "{\"taps\": [[1, \"2\"]]}", "1:15", "a tap must be a number");
        row("JSON: null for a tap", "{\"taps\": [[1, null]]}", "1:15", "a tap must be a number");
        row("JSON: true for a tap", "{\"taps\": [[true]]}", "1:12", "a tap must be a number");
        row("JSON: short row", "{\"taps\": [[1, 2],\n [3]]}", "2:2", "1 taps, the first row has 2");
        row("JSON: a row that is none", "{\"taps\": [[1, 2], 3]}", "1:19", "list of numbers");
        row("JSON: empty taps", "{\"taps\": []}", "1:10", "list of rows");
        row("JSON: empty rows", "{\"taps\": [[], []]}", "1:11", "1 to 255");
        row("JSON: flat without a size", "{\"taps\": [1, 2]}", "1:10", "'width' and 'height'");
        row("JSON: flat of another size", "{\"width\":2,\"height\":2,\"taps\":[1,2,3]}", "1:30", "needs 4");
        row("JSON: rows of another size", "{\"height\":1,\"taps\":[[1],[2]]}", "1:20", "2 rows, 'height' says 1");
        row("JSON: divisor 0", "{\"taps\":[[1]],\"divisor\":0}", "1:25", "other than 0");
        row("JSON: divisor of words", "{\"taps\":[[1]],\"divisor\":\"sum\"}", "1:25", "\"auto\"");
        row("JSON: anchor outside", "{\"taps\":[[1]],\"anchor\":[0,1]}", "1:27", "0 to 0, not 1");
        row("JSON: anchor between", "{\"taps\":[[1,2]],\"anchor\":[0.5,0]}", "1:27", "whole number");
        row("JSON: half an anchor", "{\"taps\":[[1]],\"anchor\":[0]}", "1:24", "[x, y]");
        row("JSON: another format", "{\"format\":\"gimp\",\"taps\":[[1]]}", "1:11", "no kernel preset");
        row("JSON: a later version", "{\"version\":2,\"taps\":[[1]]}", "1:12", "version 2");
        row("JSON: too deep", "[[[[[[[[[[[[1]]]]]]]]]]]]", "1:9", "too deep");
        row("JSON: escapes before", "{\"na\\\"me\\\\\": 1}", "1:2", "no member");
    }
    void placesAreNamed() {
        QFETCH(QByteArray, text);
        QFETCH(QString, place);
        QFETCH(QString, mention);
        try {
            parseKernel(std::string_view(text.data(), std::size_t(text.size())), "folder/kernel.txt");
            QFAIL("was read");
        } catch (const Error &error) {
            const QString said = QString::fromStdString(error.fullText());
            QVERIFY(error.kind() == ErrorKind::Usage);
            QVERIFY2(said.startsWith("folder/kernel.txt:" + place + ": "), qPrintable(said));
            QVERIFY2(said.contains(mention), qPrintable(said));
        }
    }

    void largeKernelsAreRefusedEarly() {
        const auto refused = [](const std::string &text) { return !complaint(text).empty(); };
        std::string row = "1";
        for (int i = 1; i < 255; ++i)
            row += " 1";
        std::string rows;
        for (int i = 0; i < 255; ++i)
            rows += row + "\n";
        QVERIFY(!refused(rows));
        QVERIFY(!refused("255 255\n" + rows));
        QVERIFY(refused(rows + row));
        QVERIFY(refused(row + " 1"));
        std::string millions = "{\"taps\":[[";
        for (int i = 0; i < 2'000'000; ++i)
            millions += "1,";
        QVERIFY(complaint(millions + "1]]}").find("more values") != std::string::npos);
    }

    void longTokensAreCutInMessages() {
        const std::string said = complaint(std::string(1'000'000, 'x'));
        QVERIFY(said.size() < 200);
        // Not through the middle of a character.
        std::string umlauts;
        for (int i = 0; i < 100; ++i)
            umlauts += "\xC3\xA4";
        const std::string cut = complaint("1" + umlauts);
        QVERIFY(QString::fromStdString(cut).toStdString() == cut);
        QVERIFY(!QString::fromStdString(cut).contains(QChar::ReplacementCharacter));
    }

    void filesThatCannotBeRead() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        expectFile(path / "missing.txt", ErrorKind::Input, "No such file");
        expectFile(path, ErrorKind::Input, "folder");
        std::ofstream(path / "large.txt") << std::string((16u << 20) + 1, '1');
        expectFile(path / "large.txt", ErrorKind::Input, "16 MiB");
        std::ofstream(path / "bad.txt") << "1 2\n3 x\n";
        expectFile(path / "bad.txt", ErrorKind::Usage, "bad.txt:2:3: ");
    }

    void argumentsThatAreNothing() {
        for (const std::string argument : {"no-such-file.txt", "", "1,0,1", "{\"taps\":[[1]]}"}) {
            try {
                kernelFromArgument(argument);
                QFAIL("was read");
            } catch (const Error &error) {
                QVERIFY(error.kind() == ErrorKind::Usage);
                QVERIFY(error.fullText().find("WxH: a,b,c") != std::string::npos);
            }
        }
        try {
            kernelFromArgument("3x3: 1,2");
            QFAIL("was read");
        } catch (const Error &error) {
            QVERIFY(std::string(error.what()).starts_with("--kernel:1:9: "));
        }
    }

    // Anything else than Error, or a kernel with taps that are not finite, is a fault.
    void damagedTextsAreReadOrRefused() {
        const std::vector<std::string> seeds{"0 1 0\n1 2 1\n0 1 0\n", "3 3 16 0\n1 2 1\n2 4 2\n1 2 1\n",
                                             "3x3+1+1: 0,-,0 1,2,1 nan,1,0",
                                             "{\"name\":\"\\u00e4\",\"taps\":[[1,2.5],[3,-4e2]],\"divisor\":\"auto\"}"};
        const std::string letters = "0123456789 .,:;x+-eE\n\r\t#\"{}[]\\nai\xEF\xBB\xBF\xC3";
        std::mt19937 random(11);
        int read = 0, refused = 0;
        for (int round = 0; round < 20'000; ++round) {
            std::string text = seeds[random() % seeds.size()];
            for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
                const std::size_t at = random() % (text.size() + 1);
                const char letter = letters[random() % letters.size()];
                if (random() % 3 == 0)
                    text.insert(at, 1, letter);
                else if (random() % 2 == 0)
                    text.resize(at);
                else if (at < text.size())
                    text[at] = letter;
            }
            try {
                const ConvolutionKernel kernel = parseKernel(text, "k");
                for (double tap : kernel.taps)
                    QVERIFY(std::isfinite(tap));
                QCOMPARE(kernel.taps.size(), std::size_t(kernel.width) * std::size_t(kernel.height));
                QVERIFY(kernel.anchorX < kernel.width && kernel.anchorY < kernel.height);
                ++read;
            } catch (const Error &error) {
                QVERIFY2(std::string(error.what()).starts_with("k:"), error.what());
                ++refused;
            }
        }
        QVERIFY(read > 1000 && refused > 1000); // both ways are walked
    }

private:
    static std::string complaint(const std::string &text) {
        try {
            parseKernel(text, "k");
            return {};
        } catch (const Error &error) {
            return error.fullText();
        }
    }

    void expectFile(const std::filesystem::path &path, ErrorKind kind, const std::string &mention) {
        try {
            loadKernelFile(path);
            QFAIL("was read");
        } catch (const Error &error) {
            QVERIFY(error.kind() == kind);
            QVERIFY2(error.fullText().find(mention) != std::string::npos, error.what());
            QVERIFY2(error.fullText().find(path.filename().string()) != std::string::npos, error.what());
        }
    }
};

QTEST_APPLESS_MAIN(KernelFileErrorsTest)
#include "kernel_file_errors_test.moc"
