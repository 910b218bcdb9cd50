// The model's counts are the simulator's, line by line, and one block of each kind tells about all blocks.
#include "gpu/sim/convolution_simulation.h"

#include <QtTest>

#include <chrono>
#include <memory>
#include <new>

using namespace tessera;
using namespace tessera::sim;

namespace {

struct Size {
    int width, height;
};

struct Format {
    ScalarType source, target;
    int channels;
};

// Rows of `pitch` bytes on a 256-byte boundary, as the device's are.
struct Buffer {
    explicit Buffer(std::size_t bytes)
        : data(static_cast<std::byte *>(::operator new[](bytes + 1, std::align_val_t{256}))) {
        std::memset(data, 0, bytes);
    }
    ~Buffer() { ::operator delete[](data, std::align_val_t{256}); }
    Buffer(const Buffer &) = delete;
    std::byte *data;
};

struct Setup {
    Size source{1, 1};
    Size taps{1, 1};
    int anchorX = -1, anchorY = -1; // -1: the middle
    BorderMode border = BorderMode::Zero;
    Format format{ScalarType::F32, ScalarType::F32, 1};
    int gap = 0; // bytes after each row
    int originX = 0, originY = 0;
    Size target{0, 0}; // 0: the source's size
    unsigned channelMask = ~0u;
    DeviceLimits limits;
};

struct Compared {
    model::ConvolutionModel model;
    ConvolutionSimulation full, sample;
};

Compared compare(KernelVariant variant, const Setup &setup) {
    const Size target = setup.target.width ? setup.target : setup.source;
    const int sourceBytes = scalarBytes(setup.format.source) * setup.format.channels;
    const int targetBytes = scalarBytes(setup.format.target) * setup.format.channels;
    const std::ptrdiff_t sourcePitch = std::ptrdiff_t(setup.source.width) * sourceBytes + setup.gap;
    const std::ptrdiff_t targetPitch = std::ptrdiff_t(target.width) * targetBytes + setup.gap;
    Buffer source(std::size_t(sourcePitch) * std::size_t(setup.source.height));
    Buffer result(std::size_t(targetPitch) * std::size_t(target.height));
    auto taps = std::make_unique<Taps>();
    taps->width = setup.taps.width;
    taps->height = setup.taps.height;
    taps->anchorX = setup.anchorX < 0 ? taps->width / 2 : setup.anchorX;
    taps->anchorY = setup.anchorY < 0 ? taps->height / 2 : setup.anchorY;
    std::fill(taps->value, taps->value + taps->count(), 1.0f);

    ConvolutionRequest request;
    request.source = {source.data, setup.source.width,  setup.source.height,
                      sourcePitch, setup.format.source, setup.format.channels};
    request.target = {result.data, target.width,        target.height,
                      targetPitch, setup.format.target, setup.format.channels};
    request.originX = setup.originX;
    request.originY = setup.originY;
    request.border = {setup.border, 0.0};
    request.channelMask = setup.channelMask;
    request.taps = taps.get();
    const PlanResult planned = planConvolution(variant, shapeOf(request), setup.limits);
    if (!planned.refusal.empty())
        throw std::runtime_error(planned.refusal);
    return {model::modelOf(caseOf(planned.plan, request)), simulateConvolution(planned.plan, request),
            simulateSample(planned.plan, request)};
}

constexpr std::pair<model::SiteKind, AccessKind> kinds[] = {{model::SiteKind::GlobalLoad, AccessKind::GlobalLoad},
                                                            {model::SiteKind::GlobalStore, AccessKind::GlobalStore},
                                                            {model::SiteKind::SharedLoad, AccessKind::SharedLoad},
                                                            {model::SiteKind::SharedStore, AccessKind::SharedStore}};

model::SiteCounts countsOf(const SiteCounts &site) {
    return {std::int64_t(site.accesses), std::int64_t(site.bytes),      std::int64_t(site.requests),
            std::int64_t(site.sectors),  std::int64_t(site.wavefronts), std::int64_t(site.leastWavefronts)};
}

QString text(const model::SiteCounts &c) {
    return QString("%1 accesses, %2 bytes, %3 requests, %4 sectors, %5 passes, %6 at least")
        .arg(c.accesses)
        .arg(c.bytes)
        .arg(c.requests)
        .arg(c.sectors)
        .arg(c.passes)
        .arg(c.leastPasses);
}

// Lines with accesses, kind by kind: the model lists them in the order in which they stand in the kernel.
QStringList linesOf(const SimulationReport &report) {
    QStringList lines;
    for (const auto &[kind, simulated] : kinds) {
        QStringList ofKind;
        for (const SiteCounts &site : report.sites)
            if (site.kind == simulated)
                ofKind << QString("%1: ").arg(int(kind)) + text(countsOf(site));
        ofKind.sort();
        lines << ofKind;
    }
    return lines;
}

QStringList linesOf(const model::ConvolutionModel &model) {
    QStringList lines;
    for (const auto &[kind, simulated] : kinds) {
        QStringList ofKind;
        for (const model::SiteModel &site : model.sites)
            if (site.kind == kind && site.counts.accesses > 0)
                ofKind << QString("%1: ").arg(int(kind)) + text(site.counts);
        ofKind.sort();
        lines << ofKind;
    }
    return lines;
}

const Size sizes[] = {{1, 1}, {1, 40}, {41, 1}, {4, 4}, {33, 17}, {70, 19}, {128, 16}, {291, 9}};
const Size kernels[] = {{1, 1}, {1, 7}, {3, 3}, {4, 4}, {13, 9}};

// The first difference, or nothing.
QString difference(const Compared &compared, const QString &what) {
    if (compared.full.report.faultCount || compared.sample.report.faultCount)
        return what + ": the simulator found faults";
    const QStringList simulated = linesOf(compared.full.report);
    const std::pair<const char *, QStringList> claims[] = {{"the model says", linesOf(compared.model)},
                                                           {"the sample says", linesOf(compared.sample.report)}};
    for (const auto &[who, lines] : claims)
        if (lines != simulated)
            return what + "\nsimulated:\n  " + simulated.join("\n  ") + "\n" + who + "\n  " + lines.join("\n  ");
    const auto &full = compared.full.report;
    if (std::int64_t(full.divergentBranches) != compared.model.divergentWarps ||
        full.divergentBranches != compared.sample.report.divergentBranches)
        return what + QString(": %1 divergent warps, the model says %2, the sample %3")
                          .arg(full.divergentBranches)
                          .arg(compared.model.divergentWarps)
                          .arg(compared.sample.report.divergentBranches);
    if (std::int64_t(full.barriers) != compared.model.barriers || full.barriers != compared.sample.report.barriers)
        return what + ": barriers";
    if (std::int64_t(full.threads) != compared.model.launch.plan.threads())
        return what + ": threads";
    return {};
}

QString describe(KernelVariant variant, const Setup &setup) {
    return QString("%1, %2x%3 under %4x%5, %6, pixel %7 x %8, gap %9")
        .arg(QString::fromUtf8(kernelVariantName(variant).data()))
        .arg(setup.source.width)
        .arg(setup.source.height)
        .arg(setup.taps.width)
        .arg(setup.taps.height)
        .arg(QString::fromUtf8(borderName(setup.border).data()))
        .arg(scalarBytes(setup.format.source))
        .arg(setup.format.channels)
        .arg(setup.gap);
}

} // namespace

class ModelAgreementTest : public QObject {
    Q_OBJECT

private slots:
    void bordersAndShapes_data() {
        QTest::addColumn<int>("variant");
        QTest::addColumn<int>("border");
        for (const KernelVariant variant : kernelVariants)
            for (const BorderName &border : borderNames)
                QTest::addRow("%s, %s", kernelVariantName(variant).data(), border.name.data())
                    << int(variant) << int(border.mode);
    }
    void bordersAndShapes() {
        QFETCH(int, variant);
        QFETCH(int, border);
        for (const Size &size : sizes)
            for (const Size &kernel : kernels) {
                Setup setup;
                setup.source = size;
                setup.taps = kernel;
                setup.border = BorderMode(border);
                const QString differs =
                    difference(compare(KernelVariant(variant), setup), describe(KernelVariant(variant), setup));
                QVERIFY2(differs.isEmpty(), qPrintable(differs));
            }
    }

    // Pixels of 1 to 16 bytes, rows at any distance, and other types of output.
    void formatsAndPitches_data() {
        QTest::addColumn<int>("source");
        QTest::addColumn<int>("target");
        QTest::addColumn<int>("channels");
        for (const int channels : {1, 4}) {
            QTest::addRow("u8 x %d", channels) << int(ScalarType::U8) << int(ScalarType::U8) << channels;
            QTest::addRow("u16 x %d", channels) << int(ScalarType::U16) << int(ScalarType::U16) << channels;
            QTest::addRow("f16 x %d", channels) << int(ScalarType::F16) << int(ScalarType::F16) << channels;
            QTest::addRow("f16 to f32 x %d", channels) << int(ScalarType::F16) << int(ScalarType::F32) << channels;
            QTest::addRow("u8 to f32 x %d", channels) << int(ScalarType::U8) << int(ScalarType::F32) << channels;
            QTest::addRow("f32 to u8 x %d", channels) << int(ScalarType::F32) << int(ScalarType::U8) << channels;
            QTest::addRow("f32 x %d", channels) << int(ScalarType::F32) << int(ScalarType::F32) << channels;
        }
    }
    void formatsAndPitches() {
        QFETCH(int, source);
        QFETCH(int, target);
        QFETCH(int, channels);
        for (const KernelVariant variant : kernelVariants)
            for (const BorderMode border : {BorderMode::Zero, BorderMode::Reflect101})
                for (const Size &size : {Size{70, 19}, Size{131, 9}})
                    for (const int gap : {0, 16, 48}) {
                        Setup setup;
                        setup.source = size;
                        setup.taps = {5, 3};
                        setup.border = border;
                        setup.format = {ScalarType(source), ScalarType(target), channels};
                        setup.gap = gap;
                        const QString differs = difference(compare(variant, setup), describe(variant, setup));
                        QVERIFY2(differs.isEmpty(), qPrintable(differs));
                    }
    }

    // Blocks whose warps span two and four rows, as large kernels of wide pixels get on small devices.
    void narrowBlocks() {
        for (const BorderName &border : borderNames)
            for (const std::size_t shared : {std::size_t(12 * 1024), std::size_t(9 * 1024)}) {
                Setup setup;
                setup.source = {75, 37};
                setup.taps = {17, 13};
                setup.border = border.mode;
                setup.format = {ScalarType::F32, ScalarType::F32, 4};
                setup.limits.sharedBytesPerBlock = shared;
                const Compared compared = compare(KernelVariant::Tiled, setup);
                QVERIFY(compared.model.launch.plan.block.x < 32);
                const QString differs = difference(compared, describe(KernelVariant::Tiled, setup));
                QVERIFY2(differs.isEmpty(), qPrintable(differs));
            }
    }

    void regionsAnchorsAndKeptChannels() {
        for (const KernelVariant variant : kernelVariants)
            for (const BorderMode border : {BorderMode::Zero, BorderMode::Replicate, BorderMode::Wrap}) {
                Setup setup;
                setup.source = {97, 41};
                setup.taps = {6, 5};
                setup.anchorX = 0;
                setup.anchorY = 4;
                setup.border = border;
                setup.originX = 5;
                setup.originY = 3;
                setup.target = {71, 38};
                setup.format = {ScalarType::U8, ScalarType::U8, 4};
                setup.channelMask = 0b0111;
                const QString differs = difference(compare(variant, setup), describe(variant, setup));
                QVERIFY2(differs.isEmpty(), qPrintable(differs));
            }
    }

    // Larger than the picture on every side, every border.
    void kernelsLargerThanThePicture() {
        for (const KernelVariant variant : kernelVariants)
            for (const BorderName &border : borderNames)
                for (const Size &size : {Size{1, 1}, Size{2, 3}, Size{9, 1}}) {
                    Setup setup;
                    setup.source = size;
                    setup.taps = {31, 27};
                    setup.border = border.mode;
                    const QString differs = difference(compare(variant, setup), describe(variant, setup));
                    QVERIFY2(differs.isEmpty(), qPrintable(differs));
                }
    }

    // The sample must be a real saving, and still agree.
    void aSampleRunsFewBlocks() {
        for (const KernelVariant variant : kernelVariants) {
            Setup setup;
            setup.source = {700, 300};
            setup.taps = {5, 5};
            setup.border = BorderMode::Reflect;
            const Compared compared = compare(variant, setup);
            QVERIFY(compared.sample.sampled() && !compared.full.sampled());
            QVERIFY(compared.sample.blocksRun * 10 < compared.sample.blocks);
            const QString differs = difference(compared, describe(variant, setup));
            QVERIFY2(differs.isEmpty(), qPrintable(differs));
        }
    }
};

QTEST_APPLESS_MAIN(ModelAgreementTest)
#include "model_agreement_test.moc"
