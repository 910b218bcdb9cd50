#include "app/race/race.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <map>

using namespace tessera;

namespace {

Image scene(int width, int height, PixelFormat format) {
    Image image(width, height, format);
    for (int y = 0; y < height; ++y)
        for (int i = 0; i < width * format.channels; ++i)
            image.view().row<std::uint8_t>(y)[i] = std::uint8_t((i * 53 + y * 31 + i * y % 7) % 256);
    return image;
}

FilterStep stepOf(const char *filter) {
    FilterStep step;
    step.filter = parseFilter(filter);
    return step;
}

std::vector<RaceRow> raced(const Image &image, const FilterStep &step, RaceOptions options = {.samples = 7}) {
    std::vector<RaceRow> rows = raceRows();
    static RaceMemory memory; // the ceilings of this machine are measured once
    RaceGate gate;
    RaceEvents events;
    events.row = [&](std::size_t index, const RaceRow &row) { rows[index] = row; };
    runRace(image, step, options, gate, memory, {}, events);
    return rows;
}

const RaceRow &rowOf(const std::vector<RaceRow> &rows, const std::string &variant) {
    return *std::ranges::find(rows, variant, &RaceRow::variant);
}

RaceRow timed(const char *variant, double low, double median, double high) {
    RaceRow row;
    row.variant = variant;
    row.state = RaceState::Done;
    row.medianMs = median;
    row.interval = {low, high};
    return row;
}

class RaceRunTest : public QObject {
    Q_OBJECT

private slots:
    void overlapsAreTies();
    void speedUpsAreOverNaiveOrTheSlowest();
    void ratesAreOfTheKernelsTime();
    void everyRowIsJudged();
    void nonfiniteValuesAreNoErrors();
    void simulatedRowsCountAndNeverTime();
    void separableWorkClaimsNoDenseOperations();
    void roundsGiveEachItsSamples();
    void anEndlessRaceGoesOnUntilStopped();
    void severalKernelsAreOneRow();
};

void RaceRunTest::overlapsAreTies() {
    std::vector<RaceRow> rows{timed("a", 1.0, 1.1, 1.2), timed("b", 1.15, 1.3, 1.4), timed("c", 1.5, 1.6, 1.7)};
    rows.push_back({}); // without a time
    markTies(rows);
    QCOMPARE(rows[0].tieWith, std::vector<std::string>{"b"});
    QCOMPARE(rows[1].tieWith, std::vector<std::string>{"a"});
    QVERIFY(rows[2].tieWith.empty());
    QVERIFY(rows[3].tieWith.empty());
    rows[1].interval = {1.3, 1.4};
    markTies(rows);
    QVERIFY(rows[0].tieWith.empty()); // what was a tie need not stay one
}

void RaceRunTest::speedUpsAreOverNaiveOrTheSlowest() {
    std::vector<RaceRow> rows{timed("a", 1, 1, 1), timed("b", 4, 4, 4)};
    QCOMPARE(raceBaseline(rows).name, std::string("slowest"));
    QCOMPARE(raceBaseline(rows).ms, 4.0);
    rows.push_back(timed("naive", 2, 2, 2));
    QCOMPARE(raceBaseline(rows).name, std::string("naive"));
    QCOMPARE(raceBaseline(rows).ms, 2.0);
}

void RaceRunTest::ratesAreOfTheKernelsTime() {
    RaceRow row = timed("a", 4, 4, 4);
    row.bytes = 8e6;
    row.operations = 2e9;
    row.floorMs = 1;
    QCOMPARE(*row.bytesPerSecond(), 2e9);
    row.kernelMs = 2; // the rest went into copies
    QCOMPARE(*row.bytesPerSecond(), 4e9);
    QCOMPARE(*row.operationsPerSecond(), 1e12);
    QCOMPARE(*row.share(), 0.5);
    QCOMPARE(*row.intensity(), 250.0);
    row.operations.reset();
    QVERIFY(!row.operationsPerSecond());
}

void RaceRunTest::everyRowIsJudged() {
    const Image image = scene(150, 90, {Depth::U8, 3});
    const std::vector<RaceRow> rows = raced(image, stepOf("disk:radius=2"));
    for (const RaceRow &row : rows) {
        if (row.state == RaceState::Refused)
            continue;
        QVERIFY2(row.state == RaceState::Done, row.note.c_str());
        QVERIFY2(!row.explanation.empty(), row.variant.c_str());
        QVERIFY(row.maximumError && row.relativeL2);
        QVERIFY(row.bytes > 0);
        if (row.simulated)
            continue;
        QVERIFY(row.interval && row.interval->low <= *row.medianMs && *row.medianMs <= row.interval->high);
        QVERIFY(*row.p5Ms <= *row.medianMs && *row.medianMs <= *row.p95Ms);
        QVERIFY(row.floorMs && *row.floorMs > 0);
        QVERIFY(row.share() && *row.share() > 0);
    }
    const RaceRow &cpu = rowOf(rows, "cpu");
    QCOMPARE(cpu.bytes, 2.0 * 150 * 90 * 3);
    QVERIFY(cpu.predictedMs && *cpu.predictedMs > 0);
    QVERIFY2(cpu.explanation.find("operations a byte") != std::string::npos, cpu.explanation.c_str());
}

// Zeros of the kernel on a NaN, which variants leave out or not: the contract allows both.
void RaceRunTest::nonfiniteValuesAreNoErrors() {
    Image image(64, 48, {Depth::F32, 1});
    for (int y = 0; y < 48; ++y)
        for (int x = 0; x < 64; ++x)
            image.view().row<float>(y)[x] = float((x * 53 + y * 31) % 256) / 255.0f;
    image.view().row<float>(20)[30] = std::numeric_limits<float>::quiet_NaN();
    image.view().row<float>(2)[3] = std::numeric_limits<float>::infinity();
    int judged = 0;
    for (const RaceRow &row : raced(image, stepOf("laplacian"), {.samples = 3})) {
        judged += row.maximumError ? 1 : 0;
        const bool half = row.variant.find("half") != std::string::npos;
        if (row.maximumError)
            QVERIFY2(*row.maximumError < (half ? 0.02 : 1e-5), row.variant.c_str());
    }
    QVERIFY(judged >= 6);
}

void RaceRunTest::simulatedRowsCountAndNeverTime() {
    const Image image = scene(70, 41, {Depth::U8, 1});
    const std::vector<RaceRow> rows = raced(image, stepOf("box:size=3"));
    const RaceRow *naive = nullptr;
    for (const RaceRow &row : rows)
        if (row.simulated) {
            QVERIFY2(row.counts.has_value(), row.variant.c_str());
            QVERIFY(row.counts->simulated);
            QCOMPARE(row.counts->races, 0);
            QVERIFY(!row.medianMs && !row.kernelMs && row.samples == 0 && !row.share());
            if (row.predictedMs)
                QVERIFY(!row.predictedOn.empty());
            if (row.variant == "naive")
                naive = &row;
        }
    QVERIFY(naive);
    QCOMPARE(naive->counts->globalReads, 70ll * 41 * 9); // every tap of every output, borders folded inside
    QCOMPARE(naive->counts->globalWrites, 70ll * 41);
    QVERIFY2(naive->explanation.find("Each input value is read 9 times") != std::string::npos,
             naive->explanation.c_str());
}

void RaceRunTest::separableWorkClaimsNoDenseOperations() {
    const Image image = scene(300, 200, {Depth::U8, 1});
    const std::vector<RaceRow> rows = raced(image, stepOf("gaussian:sigma=4"));
    const RaceRow &cpu = rowOf(rows, "cpu");
    const ConvolutionKernel kernel = buildFilter(parseFilter("gaussian:sigma=4")).kernels.front();
    const double dense = 2.0 * 300 * 200 * kernel.width * kernel.height;
    QVERIFY(!cpu.dense);
    QVERIFY(!cpu.operations || *cpu.operations < dense / 2);
}

void RaceRunTest::roundsGiveEachItsSamples() {
    const Image image = scene(64, 64, {Depth::U8, 1});
    for (const RaceRow &row : raced(image, stepOf("sharpen"), {.samples = 11, .secondsPerVariant = 60}))
        if (row.state == RaceState::Done && !row.simulated) {
            QCOMPARE(row.samples, 11);
            QCOMPARE(row.recent.size(), std::size_t(11));
            const auto [least, most] = std::ranges::minmax(row.recent);
            QCOMPARE(*row.fastestMs, least);
            QCOMPARE(*row.slowestMs, most);
        }
    // With no time at all each still gives one.
    for (const RaceRow &row : raced(image, stepOf("sharpen"), {.samples = 11, .secondsPerVariant = 0}))
        if (row.state == RaceState::Done && !row.simulated)
            QCOMPARE(row.samples, 1);
}

void RaceRunTest::anEndlessRaceGoesOnUntilStopped() {
    const Image image = scene(48, 48, {Depth::U8, 1});
    RaceGate gate;
    RaceMemory memory;
    std::stop_source stop;
    std::map<std::size_t, int> samples;
    RaceEvents events;
    events.row = [&](std::size_t index, const RaceRow &row) {
        samples[index] = row.samples;
        if (row.samples >= 40)
            stop.request_stop();
    };
    const RaceOptions options{.samples = 3, .endless = true, .ceilings = false, .counts = false, .reportMs = 0};
    bool cancelled = false;
    try {
        runRace(image, stepOf("sharpen"), options, gate, memory, {stop.get_token(), {}}, events);
    } catch (const Error &error) {
        cancelled = error.kind() == ErrorKind::Cancelled;
    }
    QVERIFY(cancelled);
    int most = 0, least = 1000;
    for (const auto &[index, count] : samples)
        if (count) {
            most = std::max(most, count);
            least = std::min(least, count);
        }
    QVERIFY(most >= 40);
    QVERIFY2(most - least <= 1, "they take turns");
    QVERIFY(memory.devices.empty());
}

void RaceRunTest::severalKernelsAreOneRow() {
    const Image image = scene(60, 50, {Depth::U8, 1});
    const std::vector<RaceRow> rows = raced(image, stepOf("sobel"));
    const RaceRow &cpu = rowOf(rows, "cpu");
    QCOMPARE(cpu.bytes, 2 * 2.0 * 60 * 50); // two kernels read and write once each
}

} // namespace

QTEST_GUILESS_MAIN(RaceRunTest)
#include "race_run_test.moc"
