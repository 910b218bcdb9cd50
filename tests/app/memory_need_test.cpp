// What a file of a batch asks for before it is begun is at least what filtering it takes, and not much more.
#include "app/commands/batch/memory_need.h"
#include "app/session/pipeline.h"

#include <QTest>

#include <fstream>
#include <malloc.h>
#include <string>

using namespace tessera;

namespace {

constexpr int width = 1200, height = 800;

std::uint64_t statusBytes(const std::string &key) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key + ":"))
            return std::stoull(line.substr(key.size() + 1)) * 1024;
    return 0;
}

// Forgets the most that the process has had in memory so far.
bool resetPeak() {
    std::ofstream file("/proc/self/clear_refs");
    file << '5' << std::flush;
    return bool(file);
}

// Flat but for a little: what is stretched of it is computed twice, around a centre.
Image picture(PixelFormat format) {
    Image image(width, height, format);
    const double maximum = nominalMaximum(format.depth);
    for (int y = 0; y < height; ++y)
        for (int i = 0; i < width * format.channels; ++i) {
            const bool isAlpha = format.hasAlpha() && i % format.channels == format.channels - 1;
            const double value = maximum * (isAlpha ? 0.25 + 0.5 * (i % 64) / 64 : 0.5 + (i % 97 == 0 ? 1e-6 : 0.0));
            if (format.depth == Depth::F32)
                image.view().row<float>(y)[i] = float(value);
            else if (format.depth == Depth::U16)
                image.view().row<std::uint16_t>(y)[i] = std::uint16_t(value);
            else
                image.view().row<std::uint8_t>(y)[i] = std::uint8_t(value);
        }
    return image;
}

using Chain = std::vector<FilterStep>;

FilterStep step(const char *name, AlphaMode alpha = AlphaMode::Automatic) {
    FilterStep one;
    one.filter.name = name;
    one.alpha = alpha;
    return one;
}

FilterStep stretched(FilterStep one) {
    one.response = ResponseMode::Range;
    return one;
}

FilterStep lightness(FilterStep one) {
    one.channels.kind = ChannelSelection::Kind::Luma;
    return one;
}

FilterStep linear(FilterStep one) {
    one.linear = true;
    return one;
}

} // namespace

class MemoryNeedTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { ::mallopt(M_MMAP_THRESHOLD, 256 << 10); } // what is freed is gone at once
    void filteringStaysWithinIt_data();
    void filteringStaysWithinIt();
};

void MemoryNeedTest::filteringStaysWithinIt_data() {
    QTest::addColumn<Chain>("chain");
    QTest::newRow("box") << Chain{step("box")};
    QTest::newRow("box, linear") << Chain{linear(step("box"))};
    QTest::newRow("box, stretched") << Chain{stretched(step("box"))};
    QTest::newRow("sobel") << Chain{step("sobel")};
    QTest::newRow("sobel, lightness") << Chain{lightness(step("sobel"))};
    QTest::newRow("kirsch, linear and stretched") << Chain{stretched(linear(step("kirsch")))};
    QTest::newRow("box, box") << Chain{step("box"), step("box")};
    const FilterStep weighted = step("sobel", AlphaMode::Premultiplied);
    QTest::newRow("sobel three times, weighted") << Chain{weighted, weighted, weighted};
    QTest::newRow("sobel three times, weighted and stretched")
        << Chain{stretched(weighted), stretched(weighted), stretched(weighted)};
    QTest::newRow("unsharp, laplacian") << Chain{step("unsharp"), step("laplacian", AlphaMode::Independent)};
    FilterStep disk = step("disk"); // by Fourier transforms
    disk.filter.values = {{"radius", 20}};
    QTest::newRow("disk") << Chain{disk};
    FilterStep off = step("kirsch");
    off.enabled = false;
    QTest::newRow("one of two") << Chain{off, step("box")};
}

void MemoryNeedTest::filteringStaysWithinIt() {
    QFETCH(Chain, chain);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer keeps what is freed");
#endif
    if (!resetPeak() || statusBytes("VmHWM") == 0)
        QSKIP("this system does not tell what a process has had in memory");
    std::vector<EngineChoice> choices{chooseEngine("auto", "cpu")};
    for (const auto &engine : availableEngines())
        if (engine->name() == "opencv")
            choices.push_back(chooseEngine("opencv", "auto"));
    for (const EngineChoice &choice : choices)
        for (const PixelFormat format :
             {PixelFormat{Depth::U8, 4}, PixelFormat{Depth::U16, 2}, PixelFormat{Depth::F32, 3}})
            for (const OutputDepth depth : {OutputDepth::Keep, OutputDepth::U8, OutputDepth::F32}) {
                const Image source = picture(format);
                runPipeline(source.clone(), chain, choice, depth); // what is kept for good is there from now on
                ::malloc_trim(0);
                resetPeak();
                const std::uint64_t before = statusBytes("VmRSS");
                const Image result = runPipeline(source, chain, choice, depth);
                const std::uint64_t peak = statusBytes("VmHWM") - before;
                const std::uint64_t ofResult = imageBytes(width, height, result.format());
                const std::uint64_t need =
                    ofResult + temporaryBytes(chain, depth, choice.engine->workingCopies(), format, width, height);
                const std::uint64_t copy = imageBytes(width, height, {Depth::F32, format.channels});
                constexpr std::uint64_t tiles = std::uint64_t{3} << 20; // what the engines' threads compute in
                const QString where = QString("%1, %2 channels of depth %3 to %4: %5 copies, planned %6")
                                          .arg(QString::fromStdString(choice.variant))
                                          .arg(format.channels)
                                          .arg(int(format.depth))
                                          .arg(int(depth))
                                          .arg((double(peak) - double(ofResult)) / double(copy))
                                          .arg((double(need) - double(ofResult)) / double(copy));
                QVERIFY2(peak <= need + tiles, qPrintable(where));
                // Of what is laid out beforehand some is touched last, when the rest is gone.
                const auto engines = std::uint64_t(choice.engine->workingCopies());
                QVERIFY2(need <= peak + tiles + (2 + engines) * copy, qPrintable(where));
                qInfo("%s", qPrintable(where));
            }
}

QTEST_APPLESS_MAIN(MemoryNeedTest)
#include "memory_need_test.moc"
