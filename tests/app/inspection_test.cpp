// The computation behind `tessera inspect`.
#include "app/bench/inspection.h"
#include "app/engines/explanation.h"

#include <QtTest>

using namespace tessera;
using model::SiteKind;

namespace {

ConvolutionKernel ones(int width, int height) {
    return ConvolutionKernel::centred(width, height,
                                      std::vector<double>(std::size_t(width) * std::size_t(height), 1.0));
}

InspectionRequest requestOf(KernelVariant variant, int width, int height, int side, BorderMode border) {
    InspectionRequest request;
    request.variant = {variant, true};
    request.width = width;
    request.height = height;
    request.kernel = ones(side, side);
    request.border = {border, 0.0};
    request.device = inspectedDevice(9, 0);
    return request;
}

std::int64_t reads(const Inspection &inspection) {
    return inspection.model.total(SiteKind::GlobalLoad, &model::SiteCounts::accesses);
}

// Modelled and simulated totals; what differs, or nothing.
QString difference(const Inspection &inspection) {
    const auto &report = inspection.simulation->report;
    if (report.faultCount)
        return "faults";
    if (reads(inspection) != std::int64_t(report.total(sim::AccessKind::GlobalLoad, &sim::SiteCounts::accesses)))
        return "global reads";
    if (inspection.model.movedBytes() / 32 !=
        std::int64_t(report.total(sim::AccessKind::GlobalLoad, &sim::SiteCounts::sectors) +
                     report.total(sim::AccessKind::GlobalStore, &sim::SiteCounts::sectors)))
        return "sectors";
    if (inspection.model.divergentWarps != std::int64_t(report.divergentBranches))
        return "divergent warps";
    return {};
}

} // namespace

class InspectionTest : public QObject {
    Q_OBJECT

private slots:
    void theFourByFour_data() {
        QTest::addColumn<int>("variant");
        QTest::addColumn<bool>("insideOnly");
        QTest::addColumn<int>("reads");
        QTest::newRow("A-18.3.1 naive, inside only") << int(KernelVariant::Naive) << true << 36;
        QTest::newRow("A-18.3.2 tiled, inside only") << int(KernelVariant::Tiled) << true << 16;
        QTest::newRow("A-18.3.3 naive, zero border") << int(KernelVariant::Naive) << false << 100;
        QTest::newRow("A-18.3.3 tiled, zero border") << int(KernelVariant::Tiled) << false << 16;
    }
    void theFourByFour() {
        QFETCH(int, variant);
        QFETCH(bool, insideOnly);
        QFETCH(int, reads);
        InspectionRequest request = requestOf(KernelVariant(variant), 4, 4, 3, BorderMode::Zero);
        request.insideOnly = insideOnly;
        request.simulate = true;
        const Inspection inspection = inspectVariant(request);
        QCOMPARE(::reads(inspection), std::int64_t(reads));
        QCOMPARE(difference(inspection), QString());
        QVERIFY(!inspection.simulation->sampled());
        QCOMPARE(inspection.model.outputs, std::int64_t(insideOnly ? 4 : 16));
    }

    // Every variant and pixel, whole and by a sample: the simulator agrees.
    void simulationsAgree_data() {
        QTest::addColumn<int>("variant");
        for (const KernelVariant variant : kernelVariants)
            QTest::addRow("%s", kernelVariantName(variant).data()) << int(variant);
    }
    void simulationsAgree() {
        QFETCH(int, variant);
        for (const PixelKind &pixel : pixelKinds()) {
            InspectionRequest request = requestOf(KernelVariant(variant), 150, 50, 5, BorderMode::Reflect);
            request.pixel = pixel;
            request.simulate = true;
            QCOMPARE(difference(inspectVariant(request)), QString());
            request.simulationLimit = 200'000;
            const Inspection sampled = inspectVariant(request);
            QCOMPARE(difference(sampled), QString());
            if (sim::simulationCost(sampled.model) > request.simulationLimit)
                QVERIFY(sampled.simulation->sampled());
        }
    }

    // A picture of a quarter of a gigabyte is simulated by a handful of blocks.
    void largePicturesAreSampled() {
        InspectionRequest request = requestOf(KernelVariant::TiledFloat4, 8192, 8192, 7, BorderMode::Wrap);
        request.simulate = true;
        const Inspection inspection = inspectVariant(request);
        QVERIFY(inspection.simulation->sampled());
        QVERIFY(inspection.simulation->blocksRun < 100);
        QCOMPARE(difference(inspection), QString());
    }

    void refusalsAndLimits() {
        InspectionRequest request = requestOf(KernelVariant::Naive, 100, 100, 63, BorderMode::Zero);
        QVERIFY(inspectionRefusal(request).empty());
        request.kernel = ones(64, 3);
        QVERIFY(inspectionRefusal(request).find("64x3") != std::string::npos);
        QVERIFY_EXCEPTION_THROWN(inspectVariant(request), Error);
        request.kernel = ones(5, 5);
        request.width = 4;
        request.insideOnly = true;
        QVERIFY(inspectionRefusal(request).find("no window") != std::string::npos);
        request.insideOnly = false;
        request.width = 0;
        QVERIFY_EXCEPTION_THROWN(inspectVariant(request), Error);
        request.width = 100;
        request.simulate = true;
        request.simulationLimit = 10;
        try {
            inspectVariant(request);
            QFAIL("a limit that even a sample exceeds is refused");
        } catch (const Error &error) {
            QVERIFY(error.kind() == ErrorKind::Limit);
            QVERIFY(error.fullText().find("--simulate-limit") != std::string::npos);
        }
        // A tile of wide pixels under a large kernel does not fit a small device.
        request = requestOf(KernelVariant::Tiled, 100, 100, 63, BorderMode::Zero);
        request.pixel = *findPixelKind("rgba32f");
        request.device = inspectedDevice(7, 5);
        QVERIFY(inspectionRefusal(request).find("shared memory") != std::string::npos);
        QVERIFY_EXCEPTION_THROWN(inspectedDevice(3, 5), Error);
    }

    void cancels() {
        InspectionRequest request = requestOf(KernelVariant::Naive, 512, 512, 3, BorderMode::Zero);
        request.simulate = true;
        std::stop_source source;
        double last = 0;
        RunControl control{source.get_token(), [&](double fraction) {
                               last = fraction;
                               if (fraction > 0.1)
                                   source.request_stop();
                           }};
        QVERIFY_EXCEPTION_THROWN(inspectVariant(request, control), Error);
        QVERIFY(last > 0.1 && last < 0.2);
    }

    void occupancyAndRoofline() {
        InspectionRequest request = requestOf(KernelVariant::Tiled, 8192, 8192, 5, BorderMode::Replicate);
        request.device = defaultInspectedDevice();
        const Inspection inspection = inspectVariant(request);
        QVERIFY(inspection.occupancy && inspection.occupancy->blocks > 0);
        QVERIFY(!inspection.explanation.empty());
        QCOMPARE(inspection.model.work().intensity(), 50.0 / 8);
        if (!request.device.present) { // an H200's ceilings stand in, and say so
            QCOMPARE(request.device.ceilingsOf, std::string("NVIDIA H200"));
            QVERIFY(inspection.roofline && inspection.roofline->bound == model::Bound::Memory);
            QVERIFY(!inspection.loaded && !inspection.rounds());
            QVERIFY(inspection.explanation.find("at most") != std::string::npos);
        }
        request.kernel = ones(15, 15);
        request.device = defaultInspectedDevice();
        if (!request.device.present)
            QVERIFY(inspectVariant(request).roofline->bound == model::Bound::Arithmetic);
        request.device = inspectedDevice(8, 6); // nobody measured one
        QVERIFY(!inspectVariant(request).roofline);
        request.device.multiprocessors = 80;
        QVERIFY(inspectVariant(request).rounds().value() > 10);
    }

    void explainsAJob() {
        const ConvolutionKernel kernel = ones(5, 5);
        ConvolutionJob job;
        job.source = {nullptr, 640, 480, 0, {Depth::U8, 3}};
        job.target = {nullptr, 640, 480, 0, {Depth::U8, 3}};
        job.region = {0, 0, 640, 480};
        job.kernel = &kernel;
        job.variant = "naive";
        QVERIFY(explainJob(job).starts_with("Each input value is read 25 times"));
        job.variant = "tiled-half2:accumulate=half";
        QVERIFY(explainJob(job).starts_with("Each input value is read 1.69 times"));
        for (const char *other : {"opencv", "cpu", ""}) {
            job.variant = other;
            QVERIFY(explainJob(job).empty());
        }
        const ConvolutionKernel large = ones(99, 99);
        job.kernel = &large;
        job.variant = "tiled";
        QVERIFY(explainJob(job).empty()); // it cannot run
    }

    void pixelKindsByName() {
        QCOMPARE(findPixelKind("rgba8")->bytes(), 4);
        QCOMPARE(findPixelKind("f16")->bytes(), 2);
        QVERIFY(!findPixelKind("rgb8"));
        QCOMPARE(pixelKindOf(ScalarType::U8, 3).name, std::string_view("rgba8"));
        QCOMPARE(pixelKindOf(ScalarType::F32, 1).name, std::string_view("f32"));
    }
};

QTEST_APPLESS_MAIN(InspectionTest)
#include "inspection_test.moc"
