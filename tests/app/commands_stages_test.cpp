// The stages of a batch with devices made for the purpose: work spreads, and survives a device that fails.
#include "app/commands/batch/batch_run.h"
#include "app/commands/batch/batch_stages.h"
#include "app/image/image_io.h"
#include "tests/app/commands_support.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

using namespace tessera;
namespace fs = std::filesystem;

namespace {

// A GPU as far as the batch can tell; the CPU engine computes. It fails after `lasts` pictures, for good.
class FakeGpu : public Engine {
public:
    FakeGpu(std::string id, int lasts, std::chrono::milliseconds takes = {})
        : id_(std::move(id)), lasts_(lasts), takes_(takes), cpu_(chooseEngine("cpu", "cpu").engine) {}

    std::string_view name() const override { return "fake"; }
    DeviceKind deviceKind() const override { return DeviceKind::Cuda; }
    std::string deviceId() const override { return id_; }
    std::string deviceName() const override { return "made for a test"; }
    std::vector<VariantInfo> variants() const override { return {{"tiled", "", ""}}; }
    bool isLost() const override { return lost_; }
    std::string refusal(const ConvolutionJob &) const override { return lost_ ? id_ + " stopped working earlier" : ""; }
    void prepare(int threads) noexcept override { prepared_ += threads; }
    RunTimes convolve(const ConvolutionJob &job, const RunControl &control) override {
        most_ = std::max<int>(most_, ++inside_);
        std::this_thread::sleep_for(takes_);
        const bool fails = lasts_-- <= 0;
        --inside_;
        if (fails) {
            lost_ = true;
            throw Error(ErrorKind::Device, id_ + " (made for a test) failed: an illegal address");
        }
        ConvolutionJob passed = job;
        passed.variant = {};
        RunTimes times = cpu_->convolve(passed, control);
        times.variant = "tiled";
        ++done_;
        return times;
    }

    int done() const { return done_; }
    int most() const { return most_; }
    int prepared() const { return prepared_; }

private:
    const std::string id_;
    std::atomic<int> lasts_;
    const std::chrono::milliseconds takes_;
    const std::shared_ptr<Engine> cpu_;
    std::atomic<bool> lost_{false};
    std::atomic<int> inside_{0}, most_{0}, done_{0}, prepared_{0};
};

} // namespace

class CommandsStagesTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void aFailingGpuGivesItsWorkToTheOther_data();
    void aFailingGpuGivesItsWorkToTheOther();
    void theLastGpuGivesItsWorkToTheProcessor();
    void aFasterGpuDoesMore();
    void theSlowestStageIsNamed();

private:
    BatchSummary run(const std::vector<std::shared_ptr<FakeGpu>> &gpus, bool automatic = true);
    bool allAreRight() const;

    static constexpr int files = 60;
    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path root_;
    std::vector<FileOutcome> outcomes_;
};

void CommandsStagesTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    root_ = temporary_->path().toStdString();
    fs::create_directories(root_ / "in");
    fs::create_directories(root_ / "out");
    for (int i = 0; i < files; ++i)
        test::writePpm(QString::fromStdString((root_ / "in" / (std::to_string(i) + ".ppm")).string()), 40 + i, 30);
    outcomes_.clear();
}

BatchSummary CommandsStagesTest::run(const std::vector<std::shared_ptr<FakeGpu>> &gpus, bool automatic) {
    std::vector<PlannedFile> planned;
    for (int i = 0; i < files; ++i) {
        PlannedFile file;
        file.index = std::size_t(i) + 1;
        file.outputName = std::to_string(i) + ".ppm";
        file.input = root_ / "in" / file.outputName;
        file.output = root_ / "out" / file.outputName;
        file.format = "ppm";
        planned.push_back(std::move(file));
    }
    BatchTask task;
    FilterStep step;
    step.filter = parseFilter("box");
    task.steps = {step};
    for (const auto &gpu : gpus)
        task.engines.push_back({gpu, "tiled", "for a test", automatic});
    if (gpus.empty())
        task.engines.push_back(chooseEngine("cpu", "cpu"));
    task.jobs = 4;
    MemoryGate memory(std::uint64_t{1} << 30, [] { return false; });
    LineFile record(root_ / "record.jsonl", LineFile::Existing::Append);
    task.memory = &memory;
    task.limits.maximumBytes = memory.limit();
    task.record = &record;
    Console console;
    console.options.verbosity = Verbosity::Quiet;
    const Interruption interruption(console);
    BatchSummary summary;
    const BatchRunSettings settings{4, std::nullopt, 0};
    runBatch(
        planned, task, settings, interruption, console,
        [this](const FileOutcome &outcome) { outcomes_.push_back(outcome); }, summary);
    return summary;
}

bool CommandsStagesTest::allAreRight() const {
    FilterStep step;
    step.filter = parseFilter("box");
    const std::vector<FilterStep> steps{step};
    for (int i = 0; i < files; ++i) {
        const std::string name = std::to_string(i) + ".ppm";
        const Image expected =
            runPipeline(loadImage(root_ / "in" / name), steps, chooseEngine("cpu", "cpu"), OutputDepth::Keep);
        SaveOptions options;
        options.format = "ppm";
        const QByteArray made = test::readFile(QString::fromStdString((root_ / "out" / name).string()));
        const std::vector<std::byte> wanted = encodeImage(expected, options);
        if (made != QByteArray(reinterpret_cast<const char *>(wanted.data()), qsizetype(wanted.size())))
            return false;
    }
    return true;
}

void CommandsStagesTest::aFailingGpuGivesItsWorkToTheOther_data() {
    QTest::addColumn<bool>("automatic");
    QTest::addColumn<int>("lasts");
    QTest::newRow("at once") << true << 0;
    QTest::newRow("in the middle") << true << 7;
    QTest::newRow("a variant that was named") << false << 7;
}

void CommandsStagesTest::aFailingGpuGivesItsWorkToTheOther() {
    QFETCH(bool, automatic);
    QFETCH(int, lasts);
    const auto good = std::make_shared<FakeGpu>("cuda:0", 1 << 30), bad = std::make_shared<FakeGpu>("cuda:1", lasts);
    const BatchSummary summary = run({bad, good}, automatic);
    QCOMPARE(summary.tally.done, std::size_t(files));
    QCOMPARE(summary.tally.failed, std::size_t(0));
    QVERIFY(allAreRight());
    QCOMPARE(bad->done(), lasts);
    QCOMPARE(good->done(), files - lasts);
    QVERIFY(QString::fromStdString(summary.loads.devices[0].failed).contains("cuda:1"));
    QVERIFY(summary.loads.devices[1].failed.empty());
    const Json json = summaryJson(summary);
    QVERIFY(json["loads"]["cuda:1"]["failed"].is_string());
    const auto noted = std::ranges::count_if(outcomes_, [](const FileOutcome &outcome) {
        return outcome.pipeline.note.find("cuda:1 failed") != std::string::npos;
    });
    QVERIFY(noted >= 1 && noted <= 3); // the pictures that were there
}

void CommandsStagesTest::theLastGpuGivesItsWorkToTheProcessor() {
    const auto first = std::make_shared<FakeGpu>("cuda:0", 5), second = std::make_shared<FakeGpu>("cuda:1", 9);
    const BatchSummary summary = run({first, second});
    QCOMPARE(summary.tally.done, std::size_t(files));
    QVERIFY(allAreRight());
    const auto byCpu =
        std::ranges::count_if(outcomes_, [](const FileOutcome &outcome) { return outcome.pipeline.device == "cpu"; });
    QCOMPARE(byCpu, std::ptrdiff_t(files - 5 - 9));
}

void CommandsStagesTest::aFasterGpuDoesMore() {
    using namespace std::chrono_literals;
    const auto slow = std::make_shared<FakeGpu>("cuda:0", 1 << 30, 40ms),
               fast = std::make_shared<FakeGpu>("cuda:1", 1 << 30, 5ms);
    run({slow, fast});
    QVERIFY(allAreRight());
    QCOMPARE(slow->done() + fast->done(), files);
    QVERIFY2(fast->done() > 2 * slow->done(), qPrintable(QString("%1 and %2").arg(fast->done()).arg(slow->done())));
    QVERIFY(slow->done() >= 3);
    QCOMPARE(slow->most(), 3); // one comes, one is computed, one goes
    QCOMPARE(slow->prepared(), 3);
}

void CommandsStagesTest::theSlowestStageIsNamed() {
    using namespace std::chrono_literals;
    const auto slow = std::make_shared<FakeGpu>("cuda:0", 1 << 30, 20ms);
    const BatchSummary summary = run({slow});
    const BatchSummary::Bottleneck slowest = summary.bottleneck();
    QCOMPARE(slowest.stage, std::string("filter"));
    QCOMPARE(slowest.where, std::string("cuda:0"));
    QVERIFY(slowest.share > 0.5 && slowest.share <= 1.0);
    QVERIFY(QString::fromStdString(summaryText(summary)).contains("slowest stage: filter (cuda:0 busy"));
}

QTEST_APPLESS_MAIN(CommandsStagesTest)
#include "commands_stages_test.moc"
