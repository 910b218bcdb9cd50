// The choice of engine on machines of every kind, with engines that only have names.
#include "app/engines/registry.h"

#include <QTest>

using namespace tessera;

namespace {

class NamedEngine : public Engine {
public:
    NamedEngine(std::string name, DeviceKind kind, std::string device, std::vector<std::string> variants)
        : name_(std::move(name)), kind_(kind), device_(std::move(device)), variants_(std::move(variants)) {}

    std::string_view name() const override { return name_; }
    DeviceKind deviceKind() const override { return kind_; }
    std::string deviceId() const override { return device_; }
    std::string deviceName() const override { return "a " + name_; }
    std::vector<VariantInfo> variants() const override {
        std::vector<VariantInfo> infos;
        for (const std::string &variant : variants_)
            infos.push_back({variant, variant, variant});
        return infos;
    }
    std::string refusal(const ConvolutionJob &) const override { return {}; }
    RunTimes convolve(const ConvolutionJob &, const RunControl &) override { return {}; }

private:
    std::string name_;
    DeviceKind kind_;
    std::string device_;
    std::vector<std::string> variants_;
};

using Engines = std::vector<std::shared_ptr<Engine>>;

Engines withoutGpu() {
    return {
        std::make_shared<NamedEngine>("cpu", DeviceKind::Cpu, "cpu", std::vector<std::string>{"cpu"}),
        std::make_shared<NamedEngine>("opencv", DeviceKind::Cpu, "cpu", std::vector<std::string>{"opencv"}),
        std::make_shared<NamedEngine>("sim", DeviceKind::Simulator, "sim", std::vector<std::string>{"tiled", "naive"})};
}

Engines withTwoGpus() {
    Engines engines = withoutGpu();
    for (const char *device : {"cuda:1", "cuda:0"})
        engines.insert(engines.begin(), std::make_shared<NamedEngine>("cuda", DeviceKind::Cuda, device,
                                                                      std::vector<std::string>{"tiled", "naive"}));
    return engines;
}

} // namespace

class EngineRegistryTest : public QObject {
    Q_OBJECT

private slots:
    void chooses_data();
    void chooses();
    void refuses_data();
    void refuses();
    void offersAWorkingEngineHere();
    void takesThePrecisionAskedFor();
    void doesNotNameAVariantThatIsChosenLater();
};

void EngineRegistryTest::chooses_data() {
    QTest::addColumn<bool>("gpu");
    QTest::addColumn<QString>("variant");
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("expectedVariant");
    QTest::addColumn<QString>("expectedDevice");
    QTest::addColumn<QString>("reasonSays");
    QTest::newRow("auto, GPU") << true << "auto"
                               << "auto"
                               << "tiled"
                               << "cuda:0"
                               << "a CUDA device was found";
    QTest::newRow("auto, no GPU") << false << "auto"
                                  << "auto"
                                  << "cpu"
                                  << "cpu"
                                  << "no CUDA device was found";
    QTest::newRow("all is auto") << false << "auto"
                                 << "all"
                                 << "cpu"
                                 << "cpu"
                                 << "no CUDA device";
    QTest::newRow("empty is auto") << false << ""
                                   << ""
                                   << "cpu"
                                   << "cpu"
                                   << "";
    QTest::newRow("cpu beside a GPU") << true << "auto"
                                      << "cpu"
                                      << "cpu"
                                      << "cpu"
                                      << "the device asked for";
    QTest::newRow("second GPU") << true << "auto"
                                << "cuda:1"
                                << "tiled"
                                << "cuda:1"
                                << "asked for";
    QTest::newRow("any GPU") << true << "naive"
                             << "cuda"
                             << "naive"
                             << "cuda:0"
                             << "asked for";
    QTest::newRow("opencv") << true << "opencv"
                            << "auto"
                            << "opencv"
                            << "cpu"
                            << "as asked for";
    QTest::newRow("kernel without GPU") << false << "tiled"
                                        << "auto"
                                        << "tiled"
                                        << "sim"
                                        << "simulator runs the kernel";
    QTest::newRow("kernel with GPU") << true << "naive"
                                     << "auto"
                                     << "naive"
                                     << "cuda:0"
                                     << "";
    QTest::newRow("kernel on sim") << true << "naive"
                                   << "sim"
                                   << "naive"
                                   << "sim"
                                   << "asked for";
}

void EngineRegistryTest::chooses() {
    QFETCH(bool, gpu);
    QFETCH(QString, variant);
    QFETCH(QString, device);
    QFETCH(QString, expectedVariant);
    QFETCH(QString, expectedDevice);
    QFETCH(QString, reasonSays);
    const Engines engines = gpu ? withTwoGpus() : withoutGpu();
    const EngineChoice choice = chooseEngineFrom(engines, variant.toStdString(), device.toStdString());
    QCOMPARE(QString::fromStdString(choice.variant), expectedVariant);
    QCOMPARE(QString::fromStdString(choice.engine->deviceId()), expectedDevice);
    QVERIFY2(QString::fromStdString(choice.reason).contains(reasonSays), choice.reason.c_str());
    QCOMPARE(choice.automatic, variant.isEmpty() || variant == "auto");
}

void EngineRegistryTest::refuses_data() {
    QTest::addColumn<QString>("variant");
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("says");
    const int usage = int(ErrorKind::Usage), device = int(ErrorKind::Device);
    QTest::newRow("missing GPU") << "auto"
                                 << "cuda:0" << device << "there is no device 'cuda:0'";
    QTest::newRow("no GPU at all") << "auto"
                                   << "cuda" << device << "no CUDA device was found";
    QTest::newRow("missing GPU lists what is here") << "auto"
                                                    << "cuda:7" << device << "devices here: cpu, sim";
    QTest::newRow("unknown device") << "auto"
                                    << "gpu" << usage << "unknown device 'gpu'";
    QTest::newRow("malformed number") << "auto"
                                      << "cuda:x" << usage << "unknown device 'cuda:x'";
    QTest::newRow("no number") << "auto"
                               << "cuda:" << usage << "unknown device 'cuda:'";
    QTest::newRow("variant elsewhere") << "opencv"
                                       << "sim" << usage << "it runs on: cpu";
    QTest::newRow("kernel on cpu") << "tiled"
                                   << "cpu" << usage << "it runs on: sim";
    QTest::newRow("known, not here") << "npp"
                                     << "auto" << usage << "NVIDIA's NPP";
    QTest::newRow("known, lists what exists") << "npp"
                                              << "auto" << usage << "auto, cpu, opencv, tiled, naive";
    QTest::newRow("unknown variant") << "tilde"
                                     << "auto" << usage << "unknown variant 'tilde'";
}

void EngineRegistryTest::refuses() {
    QFETCH(QString, variant);
    QFETCH(QString, device);
    QFETCH(int, kind);
    QFETCH(QString, says);
    try {
        chooseEngineFrom(withoutGpu(), variant.toStdString(), device.toStdString());
    } catch (const Error &error) {
        QCOMPARE(int(error.kind()), kind);
        QVERIFY2(QString::fromStdString(error.fullText()).contains(says), error.fullText().c_str());
        return;
    }
    QFAIL("nothing was thrown");
}

void EngineRegistryTest::offersAWorkingEngineHere() {
    QVERIFY(!availableEngines().empty());
    QCOMPARE(&availableEngines(), &availableEngines());
    const EngineChoice choice = chooseEngine("auto", "cpu");
    QCOMPARE(choice.engine->name(), std::string_view("cpu"));
    QVERIFY(!choice.engine->deviceName().empty());
    for (const auto &engine : availableEngines())
        for (const VariantInfo &variant : engine->variants())
            QCOMPARE(chooseEngine(variant.name, engine->deviceId()).variant, variant.name);
}

void EngineRegistryTest::takesThePrecisionAskedFor() {
    const Engines engines = withTwoGpus();
    for (const char *variant : {"", "auto", "auto:precision=float32"}) {
        const EngineChoice choice = chooseEngineFrom(engines, variant, "auto");
        QVERIFY(choice.automatic);
        QCOMPARE(choice.precision, Precision::Float32);
    }
    const EngineChoice level = chooseEngineFrom(engines, "auto:precision=level", "cpu");
    QVERIFY(level.automatic);
    QCOMPARE(level.precision, Precision::Level);
    QCOMPARE(level.variant, std::string("cpu"));
    for (const char *variant : {"auto:", "auto:precision=", "auto:precision=half", "auto:level"})
        QVERIFY_EXCEPTION_THROWN(chooseEngineFrom(engines, variant, "auto"), Error);
}

void EngineRegistryTest::doesNotNameAVariantThatIsChosenLater() {
    class PlanningEngine final : public NamedEngine {
    public:
        PlanningEngine() : NamedEngine("cuda", DeviceKind::Cuda, "cuda:0", {"tiled"}) {}
        bool choosesByJob() const override { return true; }
    };
    const Engines engines{std::make_shared<PlanningEngine>()};
    QCOMPARE(chooseEngineFrom(engines, "auto", "auto").reason,
             std::string("the fastest variant for each filter on cuda:0 (a cuda): a CUDA device was found"));
    QCOMPARE(chooseEngineFrom(engines, "tiled", "auto").reason,
             std::string("tiled on cuda:0 (a cuda): the CUDA device found"));
}

QTEST_GUILESS_MAIN(EngineRegistryTest)
#include "engine_registry_test.moc"
