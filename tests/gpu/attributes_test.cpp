// What the compiler made of the kernels, on a real GPU: nothing spilled, and the occupancy model agrees with the
// runtime's own reckoning.
#include "gpu/device/properties.h"
#include "gpu/launch/attributes.h"
#include "gpu/model/occupancy.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

using namespace tessera;

namespace {

constexpr std::pair<ScalarType, ScalarType> types[] = {
    {ScalarType::U8, ScalarType::U8},   {ScalarType::U8, ScalarType::F32},  {ScalarType::U16, ScalarType::U16},
    {ScalarType::U16, ScalarType::F32}, {ScalarType::F16, ScalarType::F16}, {ScalarType::F16, ScalarType::F32},
    {ScalarType::F32, ScalarType::U8},  {ScalarType::F32, ScalarType::U16}, {ScalarType::F32, ScalarType::F32}};

const char *typeName(ScalarType type) {
    return type == ScalarType::U8 ? "u8" : type == ScalarType::U16 ? "u16" : type == ScalarType::F16 ? "f16" : "f32";
}

} // namespace

class AttributesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(); !why.empty())
            QSKIP(why.c_str());
    }

    void kernelsAsLoaded_data() {
        QTest::addColumn<int>("variant");
        QTest::addColumn<int>("source");
        QTest::addColumn<int>("target");
        QTest::addColumn<int>("channels");
        for (const KernelVariant variant : kernelVariants)
            for (const auto &[source, target] : types)
                for (const int channels : {1, 4})
                    QTest::addRow("%s, %s to %s x %d", kernelVariantName(variant).data(), typeName(source),
                                  typeName(target), channels)
                        << int(variant) << int(source) << int(target) << channels;
    }
    void kernelsAsLoaded() {
        QFETCH(int, variant);
        QFETCH(int, source);
        QFETCH(int, target);
        QFETCH(int, channels);
        const cuda::DeviceProperties device = cuda::findDevices().devices.front();
        const auto loaded =
            cuda::kernelAttributes(KernelVariant(variant), ScalarType(source), ScalarType(target), channels);
        QVERIFY(loaded.registers > 0 && loaded.registers <= 255);
        QCOMPARE(loaded.localBytes, std::size_t(0)); // no spills, no arrays in local memory
        QVERIFY(loaded.maximumThreads >= 256);
        const auto limits = model::multiprocessorLimits(device.computeMajor, device.computeMinor);
        if (!limits)
            return; // a capability that the model does not know
        const ConvolutionShape shape{1, 1, 1, 1, scalarBytes(ScalarType(source)), channels};
        const LaunchPlan plan = planConvolution(KernelVariant(variant), shape, {}).plan;
        const auto occupancy = model::occupancyOf(
            {plan.block.area(), loaded.registers, plan.sharedBytes + loaded.staticSharedBytes}, *limits);
        QCOMPARE(occupancy.blocks, loaded.blocksPerMultiprocessor);
    }
};

QTEST_APPLESS_MAIN(AttributesTest)
#include "attributes_test.moc"
