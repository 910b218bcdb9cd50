#include "gpu/launch/convolution.h"
#include "gpu/launch/plan_boxes.h"
#include "gpu/launch/plan_march.h"
#include "gpu/launch/plan_patches.h"
#include "gpu/launch/plan_tiles.h"
#include "tests/gpu/large_device.h"

#include <QtTest>

#include <memory>

using namespace tessera;

class PlanTest : public QObject {
    Q_OBJECT

private slots:
    // Worked examples and A-q1: ceiling division, and where the idle threads sit.
    void idleThreadsOfAnElementwiseLaunch_data() {
        QTest::addColumn<int>("elements");
        QTest::addColumn<int>("perBlock");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("idle");
        QTest::addColumn<int>("activeInLast");
        QTest::newRow("A-18.1.1") << 1'000'000 << 256 << 3907 << 1'000'192 << 192 << 64;
        QTest::newRow("A-18.1.2") << 10'000 << 128 << 79 << 10'112 << 112 << 16;
        QTest::newRow("A-q1") << 5'000 << 512 << 10 << 5'120 << 120 << 392;
        QTest::newRow("C-1") << 1'000 << 256 << 4 << 1'024 << 24 << 232;
    }
    void idleThreadsOfAnElementwiseLaunch() {
        QFETCH(int, elements);
        QFETCH(int, perBlock);
        QFETCH(int, blocks);
        QFETCH(int, threads);
        QFETCH(int, idle);
        QFETCH(int, activeInLast);
        const LaunchPlan plan = planElements(elements, perBlock);
        QCOMPARE(plan.grid.x, blocks);
        QCOMPARE(plan.threads(), std::int64_t(threads));
        QCOMPARE(plan.idleThreads(elements, 1), std::int64_t(idle));
        QCOMPARE(elements - (blocks - 1) * perBlock, activeInLast);
        QVERIFY(std::int64_t(plan.grid.x - 1) * perBlock < elements); // no block but the last has idle threads
    }

    void plansCoverThePictureAndFitTheDevice() {
        for (const std::size_t shared : {std::size_t(48 * 1024), std::size_t(99 * 1024), std::size_t(227 * 1024)})
            for (int side = 1; side <= maximumTapsSide; ++side)
                for (const auto &[scalar, channels] : {std::pair{1, 1}, {4, 1}, {4, 4}})
                    for (const int width : {1, 31, 32, 33, 4000}) {
                        DeviceLimits limits;
                        limits.sharedBytesPerBlock = shared;
                        const ConvolutionShape shape{width, 77, side, side, scalar, channels};
                        const PlanResult result = planConvolution(KernelVariant::Tiled, shape, limits);
                        if (!result.refusal.empty()) {
                            QVERIFY(scalar * channels == 16 &&
                                    side > 40); // only wide pixels under large kernels run out
                            continue;
                        }
                        const LaunchPlan &plan = result.plan;
                        QVERIFY(plan.sharedBytes <= shared);
                        QVERIFY(plan.block.area() <= limits.threadsPerBlock && plan.block.area() % 32 == 0);
                        QVERIFY(plan.grid.x * plan.block.x >= width && (plan.grid.x - 1) * plan.block.x < width);
                        QVERIFY(plan.grid.y * plan.block.y >= 77 && (plan.grid.y - 1) * plan.block.y < 77);
                    }
    }

    void refusalsNameTheReason() {
        const ConvolutionShape large{100, 100, 64, 3, 4, 1};
        QVERIFY(planConvolution(KernelVariant::Naive, large, {}).refusal.find("64x3") != std::string::npos);
        DeviceLimits tiny;
        tiny.sharedBytesPerBlock = 1024;
        const ConvolutionShape wide{100, 100, 31, 31, 4, 4};
        QVERIFY(planConvolution(KernelVariant::Tiled, wide, tiny).refusal.find("shared memory") != std::string::npos);
        const ConvolutionShape tall{1, 2'000'000, 3, 3, 4, 1};
        QVERIFY(planConvolution(KernelVariant::Naive, tall, {}).refusal.find("rows") != std::string::npos);
    }

    // blocked, floats: 128 floats of a row a warp.
    void tilesOverFloats() {
        const DeviceLimits limits = test::largeDevice();
        const auto planned = [&](int width, int height, int side, int channels) {
            return planConvolution(KernelVariant::Blocked, {width, height, side, side, 4, channels}, limits).plan;
        };
        const LaunchPlan plan = planned(8192, 8192, 7, 1);
        QCOMPARE(toString(plan), std::string("blocked: grid 64x256, block 128x1, shared 20680 bytes"));
        QVERIFY(plan.form == BlockedForm::Tiles && plan.outputsPerThread == 4 && plan.rowsPerThread == 8);
        QVERIFY(planned(1920, 1080, 7, 1).grid == (Extent{15, 68})); // smaller ones
        QVERIFY(planned(1920, 1080, 5, 4).grid == (Extent{60, 34}));
    }

    // blocked, 8-bit and half pictures: a box of each warp.
    void tilesOverLevelsAndHalves() {
        const DeviceLimits limits = test::largeDevice();
        ConvolutionShape shape{8192, 8192, 3, 3, 1, 1};
        shape.eightBit = true;
        const LaunchPlan plan = planConvolution(KernelVariant::Blocked, shape, limits).plan;
        QCOMPARE(toString(plan), std::string("blocked: grid 8x512, block 128x1, shared 21344 bytes"));
        QVERIFY(plan.form == BlockedForm::LevelTiles && plan.outputsPerThread == 8 && plan.rowsPerThread == 16);
        shape = {8192, 8192, 9, 9, 2, 1};
        shape.half = true;
        QCOMPARE(toString(planConvolution(KernelVariant::Blocked, shape, limits).plan),
                 std::string("blocked: grid 16x304, block 128x1, shared 41632 bytes"));
        QVERIFY(!planConvolution(KernelVariant::Blocked, shape, {}).refusal.empty());
    }

    // The forms of blocked, of pictures around the sizes that part them. The launch asks nothing but the plan.
    void formsOfBlocked_data() {
        QTest::addColumn<int>("source");
        QTest::addColumn<int>("target");
        QTest::addColumn<int>("channels");
        QTest::addColumn<int>("side"); // of picture and kernel
        QTest::addColumn<int>("taps");
        QTest::addColumn<int>("form");
        QTest::addColumn<int>("formBefore90"); // of compute capability
        const auto add = [](const char *name, ScalarType source, ScalarType target, int channels, int side, int taps,
                            BlockedForm form, BlockedForm before) {
            QTest::addRow("%s x %d, %dx%d, %dx%d taps", name, channels, side, side, taps, taps)
                << int(source) << int(target) << channels << side << taps << int(form) << int(before);
        };
        using enum BlockedForm;
        constexpr ScalarType u8 = ScalarType::U8, u16 = ScalarType::U16, f16 = ScalarType::F16, f32 = ScalarType::F32;
        for (const int side : {1, 1024, 2048, 6000})
            for (const int taps : {1, 3, 5, 7}) {
                const bool small = side <= (taps <= 3 ? 2048 : 1024);
                const BlockedForm patches = small ? SmallPatches : Patches;
                add("u8", u8, u8, 1, side, taps, LevelTiles, patches);
                add("f32", f32, f32, 1, side, taps, taps <= 3 && side == 6000 ? Patches : Tiles, patches);
                add("u8 to f32", u8, f32, 1, side, taps, Patches, Patches);
                add("f32 to u8", f32, u8, 1, side, taps, Patches, Patches);
                add("u16", u16, u16, 1, side, taps, Patches, Patches);
                add("u8", u8, u8, 4, side, taps, taps <= 5 ? LevelTiles : Patches, Patches);
                add("f32", f32, f32, 4, side, taps, Tiles, Patches);
                add("f32 to u16", f32, u16, 4, side, taps, Patches, Patches);
                add("f16", f16, f16, 1, side, taps, HalfTiles, Patches);
                add("f16", f16, f16, 4, side, taps, Patches, Patches);
            }
        for (const int side : {1, 1024, 4096}) { // refused before 9.0
            add("f32", f32, f32, 1, side, 9, Tiles, Patches);
            add("f32", f32, f32, 1, side, 17, March, Patches);
            add("f32", f32, f32, 4, side, 15, March, Patches);
        }
    }
    void formsOfBlocked() {
        QFETCH(int, source);
        QFETCH(int, target);
        QFETCH(int, channels);
        QFETCH(int, side);
        QFETCH(int, taps);
        QFETCH(int, form);
        QFETCH(int, formBefore90);
        const auto kernel = std::make_unique<Taps>();
        kernel->width = kernel->height = taps;
        kernel->anchorX = kernel->anchorY = taps / 2;
        ConvolutionRequest request;
        request.source = {nullptr, side, side, 16, ScalarType(source), channels};
        request.target = {nullptr, side, side, 16, ScalarType(target), channels};
        request.taps = kernel.get();
        const ConvolutionShape shape = shapeOf(request);
        DeviceLimits limits;
        for (const int capability : {80, 90, 100}) {
            limits.computeCapability = capability;
            const PlanResult planned = planConvolution(KernelVariant::Blocked, shape, limits);
            QCOMPARE(int(planned.plan.form), capability < 90 ? formBefore90 : form);
            QCOMPARE(planned.refusal.empty(), capability >= 90 || taps <= 7);
            // As it is laid out, too.
            if (planned.plan.form == BlockedForm::Patches)
                QVERIFY(planned.plan == planPatches(shape).plan);
            else if (planned.plan.form == BlockedForm::SmallPatches)
                QVERIFY(planned.plan == planSmallPatches(shape).plan);
        }
    }

    // What tensor copies ask for: boxes of at most 256 values a row and 256 rows, in whole 16 bytes, and windows that
    // lie in them; and of a block's shared memory, that as many as are to share a multiprocessor find room.
    void boxesOfBlocks() {
        for (const int channels : {1, 4})
            for (int side = 3; side <= largestTileSide(channels); side += 2)
                for (const bool small : {false, true}) {
                    const FetchShape shape = fetchShape(side, channels, small);
                    const FetchLayout layout = FetchLayout::of(side, channels, shape);
                    QVERIFY(layout.pitch % 4 == 0 && layout.pitch <= 256 && layout.height <= 256);
                    QVERIFY(layout.lead % 4 == 0 && layout.lead >= side / 2 * channels &&
                            layout.lead < side / 2 * channels + 4);
                    QVERIFY(layout.stageBytes % 16 == 0);                              // before the barrier
                    QVERIFY((layout.sharedBytes + 1024) * shape.blocks <= 228 * 1024); // 1 KB is the system's
                    QCOMPARE(withTileSide<15>(side, [](auto constant) { return constant(); }), side);
                    QCOMPARE(withTileSide<15>(side - 1, [](auto constant) { return constant(); }), side);
                }
    }
    void boxesOfWarps() {
        for (const int side : {3, 5, 7})
            for (const auto &[channels, small] : {std::pair{1, false}, {1, true}, {4, false}}) {
                if (channels == 4 && side > 5)
                    continue;
                const LevelShape shape = levelShape(side, channels, small);
                const BoxLayout box = BoxLayout::of(shape.columns(), shape.boxRows(), channels);
                QVERIFY(box.pitch % 16 == 0 && box.pitch <= 1024 && shape.boxRows() <= 256 && box.bytes % 128 == 0);
                QVERIFY((LevelLayout::of(shape).sharedBytes + 1024) * shape.blocks <= 228 * 1024);
                QCOMPARE(shape.side(), side);
                const Extent grid = gridOf(shape, 3000, 1001);
                QVERIFY(grid.y * shape.outputRows() >= 1001 && (grid.y - 1) * shape.outputRows() < 1001);
            }
        for (const int side : {3, 5, 7, 9}) {
            const HalfShape shape = halfShape(side);
            const BoxLayout box = BoxLayout::of(halfColumns, shape.boxRows(), 2);
            QVERIFY(box.pitch % 16 == 0 && shape.boxRows() <= 256);
            QVERIFY((HalfLayout::of(shape).sharedBytes + 1024) * shape.blocks <= 228 * 1024);
        }
    }

    // Tiles of 128x32 pixels, of 128x64 for 7x7; a row of totals each; then as many rows as a thread each of them
    // takes.
    void statisticsOfTiles() {
        DeviceLimits limits;
        limits.computeCapability = 90;
        const auto planned = [&](const ConvolutionShape &shape, KernelVariant variant = KernelVariant::Blocked) {
            return planWithStatistics(variant, shape, 0, limits);
        };
        for (const int side : {3, 5, 7}) {
            const FusedPlan plan = planned({1000, 200, side, side, 4, 1});
            QVERIFY(plan.refusal.empty());
            const int rows = side == 7 ? 4 : 7; // of blocks
            QVERIFY(plan.plan.grid == (Extent{8, rows}) && plan.plan.form == BlockedForm::Tiles);
            QCOMPARE(plan.partialRows, 1);
            QCOMPARE(plan.scratchBytes, std::size_t(8 * rows * 48));
        }
        QCOMPARE(planned({8192, 8192, 3, 3, 4, 1}).partialRows, 128);
        QCOMPARE(planned({65536, 65536, 3, 3, 4, 1}).partialRows, 128);
        QVERIFY(planned({1000, 200, 9, 9, 4, 1}).refusal.find("reaches 4 pixels") != std::string::npos);
        QVERIFY(planned({1000, 200, 3, 3, 4, 4}).refusal.find("one channel") != std::string::npos);
        QVERIFY(planned({1000, 200, 3, 3, 1, 1}).refusal.find("float") != std::string::npos);
        QVERIFY(!planned({1000, 200, 3, 3, 4, 1}, KernelVariant::Tensor).refusal.empty());
        limits.computeCapability = 89;
        QVERIFY(planned({1000, 200, 3, 3, 4, 1}).refusal.find("9.0") != std::string::npos);
    }

    void plansPrintAndCompare() {
        const ConvolutionShape shape{64, 16, 3, 3, 4, 1};
        const LaunchPlan plan = planConvolution(KernelVariant::Tiled, shape, {}).plan;
        QCOMPARE(toString(plan), std::string("tiled: grid 2x2, block 32x8, shared 1360 bytes"));
        QVERIFY(plan == planConvolution(KernelVariant::Tiled, shape, {}).plan);
        QVERIFY(!(plan == planConvolution(KernelVariant::Naive, shape, {}).plan));
    }
};

QTEST_APPLESS_MAIN(PlanTest)
#include "plan_test.moc"
