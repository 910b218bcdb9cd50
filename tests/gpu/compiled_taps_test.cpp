// The source of kernels that are compiled for a filter's taps: that the run-time compiler takes it, and makes of it
// what was meant. No GPU is needed.
#include "gpu/jit/compiler.h"
#include "gpu/launch/compiled_taps.h"
#include "gpu/launch/plan_tiles.h"

#include <QtTest>

#include <string>
#include <vector>

using namespace tessera;
using namespace tessera::jit;

class CompiledTapsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (!compiler_.available())
            QSKIP(("skipped: no run-time compiler (" + compiler_.reason() + ")").c_str());
    }

    void tilesCompile_data() {
        QTest::addColumn<int>("side");
        QTest::addColumn<int>("width"); // of the taps, in a corner of the square
        for (int side = smallestCompiledTile; side <= largestTileSide(1); side += 2)
            for (const int width : {side, side - 2})
                QTest::addRow("%d of %d", width, side) << side << width;
    }
    void tilesCompile() {
        QFETCH(int, side);
        QFETCH(int, width);
        const FetchShape shape = fetchShape(side, 1, false);
        const std::string type = "tessera::FetchedTile<1, " + std::to_string(side) + ", tessera::FetchShape{" +
                                 std::to_string(shape.rows) + ", " + std::to_string(shape.warps) + ", " +
                                 std::to_string(shape.blocks) + ", " + std::to_string(shape.parts) + "}";
        const std::vector<float> taps = tapsOf(side * side);
        const std::size_t bytes = compiled({"gpu/kernels/fetched_tile.h", type, "tile(tessera::NoFetchSink{})"},
                                           {taps, side, 0, 0, width, width});
        // Straight-line code: an instruction of 16 bytes for each product. What is no tap has none.
        const auto products = std::size_t(shape.rows * fetchedRun * 16);
        QVERIFY(bytes > products * std::size_t(width * width));
        if (width < side)
            QVERIFY(bytes < compiled({"gpu/kernels/fetched_tile.h", type, "tile(tessera::NoFetchSink{})"}, {taps}));
    }

    void marchesCompile() {
        const std::vector<float> taps = tapsOf(17 * 17);
        const std::string pixels = "tessera::Pixel<float, 1>, tessera::Pixel<float, 1>, ";
        const std::string shape = "tessera::MarchShape{17, 17, 8, 8, 4, 8, 3, 128, 4, 1, true}";
        compiled({"gpu/kernels/blocked_march.h", "tessera::BlockedMarch<" + pixels + shape, "march()"}, {taps});
    }

private:
    static std::vector<float> tapsOf(int count) {
        std::vector<float> taps;
        for (int i = 0; i < count; ++i)
            taps.push_back(0.001f * float(i * 7 % 101 + 1));
        return taps;
    }

    std::size_t compiled(const cuda::KernelText &text, const cuda::TapText &taps) {
        try {
            return compiler_.compile(cuda::kernelSource(text, taps), {9, 0, false}).size();
        } catch (const CompileError &error) {
            QTest::qFail(error.log().c_str(), __FILE__, __LINE__);
            return 0;
        }
    }

    const Compiler &compiler_ = Compiler::shared();
};

QTEST_APPLESS_MAIN(CompiledTapsTest)
#include "compiled_taps_test.moc"
