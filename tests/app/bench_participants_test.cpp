// Which devices take part, on machines of every kind; and what the standard sets hold.
#include "app/bench/bench_plan.h"
#include "app/bench/participants.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::bench;

namespace {

class NamedEngine final : public Engine {
public:
    NamedEngine(std::string name, DeviceKind kind, std::string device)
        : name_(std::move(name)), kind_(kind), device_(std::move(device)) {}

    std::string_view name() const override { return name_; }
    DeviceKind deviceKind() const override { return kind_; }
    std::string deviceId() const override { return device_; }
    std::string deviceName() const override { return name_; }
    std::vector<VariantInfo> variants() const override { return {{name_, name_, name_}}; }
    std::string refusal(const ConvolutionJob &) const override { return {}; }
    RunTimes convolve(const ConvolutionJob &, const RunControl &) override { return {}; }

private:
    std::string name_;
    DeviceKind kind_;
    std::string device_;
};

using Engines = std::vector<std::shared_ptr<Engine>>;

Engines machine(int gpus) {
    Engines engines;
    for (int i = 0; i < gpus; ++i)
        engines.push_back(std::make_shared<NamedEngine>("cuda", DeviceKind::Cuda, "cuda:" + std::to_string(i)));
    engines.push_back(std::make_shared<NamedEngine>("cpu", DeviceKind::Cpu, "cpu"));
    engines.push_back(std::make_shared<NamedEngine>("opencv", DeviceKind::Cpu, "cpu"));
    engines.push_back(std::make_shared<NamedEngine>("sim", DeviceKind::Simulator, "sim"));
    return engines;
}

QString names(const Engines &engines) {
    QStringList list;
    for (const auto &engine : engines)
        list << QString::fromStdString(engine->deviceKind() == DeviceKind::Cuda ? engine->deviceId()
                                                                                : std::string(engine->name()));
    return list.join(' ');
}

} // namespace

class BenchParticipantsTest : public QObject {
    Q_OBJECT

private slots:
    void takePart_data() {
        QTest::addColumn<int>("gpus");
        QTest::addColumn<QString>("device");
        QTest::addColumn<bool>("gpuOnly");
        QTest::addColumn<QString>("onGpu");
        QTest::addColumn<QString>("onHost");
        QTest::newRow("no GPU") << 0 << "auto" << false << ""
                                << "cpu opencv";
        QTest::newRow("no GPU, all") << 0 << "all" << false << ""
                                     << "cpu opencv";
        QTest::newRow("one GPU") << 1 << "auto" << false << "cuda:0"
                                 << "cpu opencv";
        QTest::newRow("two GPUs") << 2 << "auto" << false << "cuda:0"
                                  << "cpu opencv";
        QTest::newRow("all of two") << 2 << "all" << false << "cuda:0 cuda:1"
                                    << "cpu opencv";
        QTest::newRow("the second") << 2 << "cuda:1" << false << "cuda:1"
                                    << "";
        QTest::newRow("the CPU alone") << 2 << "cpu" << false << ""
                                       << "cpu opencv";
        QTest::newRow("GPU suite") << 1 << "auto" << true << "cuda:0"
                                   << "";
    }
    void takePart() {
        QFETCH(int, gpus);
        QFETCH(QString, device);
        QFETCH(bool, gpuOnly);
        const Engines engines = machine(gpus);
        const Participants participants = chooseParticipants(engines, device.toStdString(), gpuOnly);
        QTEST(names(participants.gpus), "onGpu");
        QTEST(names(participants.host), "onHost");
    }

    void refused_data() {
        QTest::addColumn<int>("gpus");
        QTest::addColumn<QString>("device");
        QTest::addColumn<bool>("gpuOnly");
        QTest::addColumn<int>("kind");
        QTest::newRow("GPU suite without one") << 0 << "auto" << true << int(ErrorKind::Device);
        QTest::newRow("GPU suite on the CPU") << 1 << "cpu" << true << int(ErrorKind::Device);
        QTest::newRow("a GPU that is not there") << 1 << "cuda:3" << false << int(ErrorKind::Device);
        QTest::newRow("the simulator") << 1 << "sim" << false << int(ErrorKind::Usage);
        QTest::newRow("no device") << 1 << "gpu" << false << int(ErrorKind::Usage);
    }
    void refused() {
        QFETCH(int, gpus);
        QFETCH(QString, device);
        QFETCH(bool, gpuOnly);
        QFETCH(int, kind);
        const Engines engines = machine(gpus);
        try {
            chooseParticipants(engines, device.toStdString(), gpuOnly);
            QFAIL("nothing was refused");
        } catch (const Error &error) {
            QCOMPARE(int(error.kind()), kind);
            QVERIFY(!error.remedy().empty());
        }
    }

    void everySuiteHoldsWorkOnEveryMachine() {
        QCOMPARE(suiteNames(), (std::vector<std::string>{"gpu", "cpu", "small", "histogram", "separable", "large"}));
        for (const std::string &name : suiteNames())
            for (const bool gpu : {false, true}) {
                BenchPlan plan;
                applySuite(plan, name, gpu);
                QCOMPARE(plan.suite, name);
                QVERIFY(!suiteDescription(name).empty());
                QCOMPARE(plan.gpuOnly, name == "gpu");
                QVERIFY(!plan.convolutions.empty() || !plan.statistics.empty());
                for (const ConvolutionPart &part : plan.convolutions) {
                    QVERIFY(!part.sizes.empty() && !part.kernels.empty() && !part.pixels.empty());
                    QVERIFY(!part.scopes.empty() && !part.caches.empty());
                }
            }
    }

    void gaussiansAreWholeAndSymmetric() {
        for (const int side : {3, 7, 31}) {
            const ConvolutionKernel kernel = KernelChoice::gaussian(side).kernel();
            QVERIFY(std::abs(kernel.sum() - 1) < 1e-12);
            QVERIFY(kernel.taps == kernel.rotated180().taps);
            QCOMPARE(kernel.anchorX, side / 2);
        }
    }

    void kernelsAreDividedAndKeepTheirAnchor() {
        ConvolutionKernel kernel = ConvolutionKernel::centred(2, 2, {1, 2, 3, 4}, "own");
        kernel.divisor = 10.0;
        kernel.anchorX = 0;
        const ConvolutionKernel made = KernelChoice::of(kernel, "own").kernel();
        QCOMPARE(made.taps, (std::vector<double>{0.1, 0.2, 0.3, 0.4}));
        QCOMPARE(made.effectiveDivisor(), 1.0);
        QCOMPARE(made.anchorX, 0);
        QCOMPARE(made.anchorY, 1);
    }
};

QTEST_APPLESS_MAIN(BenchParticipantsTest)
#include "bench_participants_test.moc"
