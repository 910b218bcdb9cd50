// What the CPU engine promises beyond the contract: the same bits for any number of threads and any cut into regions,
// every algorithm right on every instruction set of the machine, and cancellation in the middle.
#include "app/engines/cpu/convolution_plan.h"
#include "app/engines/cpu/cpu_engine.h"
#include "app/engines/cpu/low_rank.h"
#include "app/engines/reference.h"
#include "app/stats/level_counts.h"
#include "tests/app/engine_test_support.h"

#include <QTest>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tessera;
using namespace tessera::test;

namespace {

struct Work {
    GuardedPicture source;
    ConvolutionKernel kernel;
    ConvolutionJob job;

    Work(int width, int height, PixelFormat format, ConvolutionKernel taps, BorderMode border, Random &random)
        : source(width, height, format, 3), kernel(std::move(taps)) {
        source.fillRandom(random);
        job.source = std::as_const(source).view();
        job.region = job.source.bounds();
        job.kernel = &kernel;
        job.border.mode = border;
        job.finish = averaging(kernel);
    }
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;
};

void convolveInto(Engine &engine, const Work &work, const Rectangle &region, const PixelView &whole,
                  const RunControl &control = {}) {
    ConvolutionJob job = work.job;
    job.region = region;
    job.target = whole.part(region);
    engine.convolve(job, control);
}

bool samePixels(const ConstPixelView &a, const ConstPixelView &b) {
    for (int y = 0; y < a.height; ++y)
        if (std::memcmp(a.row<std::byte>(y), b.row<std::byte>(y), std::size_t(a.width) * a.format.bytesPerPixel()) != 0)
            return false;
    return true;
}

struct Setting {
    PixelFormat format;
    int kernelWidth, kernelHeight;
    BorderMode border;
};
constexpr Setting settings[] = {
    {{Depth::U8, 3}, 5, 5, BorderMode::Replicate},     {{Depth::U8, 1}, 13, 9, BorderMode::Zero},
    {{Depth::U8, 4}, 3, 3, BorderMode::Wrap},          {{Depth::U16, 3}, 7, 7, BorderMode::Reflect},
    {{Depth::F32, 1}, 15, 15, BorderMode::Reflect101}, {{Depth::F32, 4}, 4, 6, BorderMode::Replicate},
    {{Depth::F32, 1}, 31, 31, BorderMode::Zero},       {{Depth::F32, 1}, 1, 63, BorderMode::Wrap},
    {{Depth::F32, 2}, 63, 1, BorderMode::Replicate},   {{Depth::F32, 1}, 41, 37, BorderMode::Reflect},
    {{Depth::U8, 3}, 31, 27, BorderMode::Constant},    {{Depth::U16, 4}, 25, 63, BorderMode::Wrap},
};

ConvolutionKernel kernelOf(int width, int height, const std::function<double(int, int)> &tap) {
    ConvolutionKernel kernel;
    kernel.width = width;
    kernel.height = height;
    kernel.anchorX = width / 2;
    kernel.anchorY = height / 2;
    kernel.taps.clear();
    for (int v = 0; v < height; ++v)
        for (int u = 0; u < width; ++u)
            kernel.taps.push_back(tap(u, v));
    return kernel;
}

// Not symmetric, so that passes in the wrong direction show.
double slope(int i, int size, double sigma) {
    const double x = i - 0.4 * size;
    return std::exp(-x * x / (2 * sigma * sigma));
}

struct Named {
    const char *name;
    cpu::Method method; // what a picture of 600 x 500 is to be filtered with
    ConvolutionKernel kernel;
};

const std::vector<Named> &namedKernels() {
    static const std::vector<Named> all = [] {
        Random random(77);
        const auto gaussian = [](int u, int v) { return slope(u, 13, 2.0) * slope(v, 9, 1.5); };
        const auto difference = [](int u, int v) {
            return slope(u, 15, 1.5) * slope(v, 15, 1.5) - 0.3 * slope(u, 15, 3.5) * slope(v, 15, 3.0);
        };
        ConvolutionKernel sparse = kernelOf(17, 17, [](int u, int v) { return u == v ? 1.0 + u : 0.0; });
        ConvolutionKernel shifted = kernelOf(61, 61, [](int u, int v) { return u == 58 && v == 3 ? 2.0 : 0.0; });
        ConvolutionKernel corner = randomKernel(6, 4, random);
        corner.anchorX = 5;
        corner.anchorY = 0;
        return std::vector<Named>{
            {"dense 5x5", cpu::Method::Dense, randomKernel(5, 5, random)},
            {"dense 9x7", cpu::Method::Dense, randomKernel(9, 7, random)},
            {"anchor in the corner", cpu::Method::Dense, corner},
            {"one column", cpu::Method::Dense, randomKernel(1, 23, random)},
            {"one row", cpu::Method::Listed, randomKernel(23, 1, random)},
            {"separable", cpu::Method::LowRank, kernelOf(13, 9, gaussian)},
            {"box of ones", cpu::Method::LowRank, kernelOf(9, 9, [](int, int) { return 1.0; })},
            {"two terms", cpu::Method::LowRank, kernelOf(15, 15, difference)},
            {"diagonal", cpu::Method::Listed, sparse},
            {"shift", cpu::Method::Listed, shifted},
            {"nothing", cpu::Method::Listed, kernelOf(3, 3, [](int, int) { return 0.0; })},
            {"transform, square", cpu::Method::Fourier, randomKernel(31, 31, random)},
            {"transform, wide", cpu::Method::Fourier, randomKernel(63, 12, random)},
            {"transform, large", cpu::Method::Fourier, randomKernel(127, 101, random)},
        };
    }();
    return all;
}

cpu::ConvolutionPlan planFor(const ConvolutionKernel &kernel, int channels) {
    return cpu::planConvolution(kernel, {600, 500, {Depth::U8, channels}});
}

} // namespace

class EngineCpuTest : public QObject {
    Q_OBJECT

private:
    Random random_;

private slots:
    void initTestCase() {
        const std::uint64_t seed = std::random_device{}();
        qInfo("seed %llu", static_cast<unsigned long long>(seed));
        random_.seed(seed);
    }
    void sameBitsForAnyThreads_data() { settingRows(); }
    void sameBitsForAnyThreads();
    void sameBitsForAnyRegions_data() { settingRows(); }
    void sameBitsForAnyRegions();
    void choosesTheMethod_data();
    void choosesTheMethod();
    void costsDecide();
    void coreIsWhatHoldsTaps();
    void finishesLikeTheReference();
    void factorsAreExact();
    void everyInstructionSet_data();
    void everyInstructionSet();
    void integerFactorsKeepTies();
    void valuesThatAreNotFiniteStayWhereTheyAre();
    void unknownInstructionSetIsAnError();
    void countsWhatItStores_data();
    void countsWhatItStores();
    void cancelsInTheMiddle();
    void progressRises();

private:
    void checkFinish(const Finish &finish, Depth depth);
    void settingRows() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(std::size(settings)); ++i)
            QTest::addRow("%d: %dx%d", i, settings[i].kernelWidth, settings[i].kernelHeight) << i;
    }
};

void EngineCpuTest::sameBitsForAnyThreads() {
    QFETCH(int, index);
    const Setting &setting = settings[index];
    Work work(211, 173, setting.format, randomKernel(setting.kernelWidth, setting.kernelHeight, random_),
              setting.border, random_);
    GuardedPicture one(211, 173, setting.format, 0), several(211, 173, setting.format, 1);
    ThreadPool single(1);
    convolveInto(*makeCpuEngine(single), work, work.job.region, one.view());
    for (const unsigned threads : {2u, 3u, 7u}) {
        ThreadPool pool(threads);
        several.poison();
        convolveInto(*makeCpuEngine(pool), work, work.job.region, several.view());
        QVERIFY(samePixels(one.view(), several.view()));
    }
}

void EngineCpuTest::sameBitsForAnyRegions() {
    QFETCH(int, index);
    const Setting &setting = settings[index];
    const int width = 157, height = 131;
    Work work(width, height, setting.format, randomKernel(setting.kernelWidth, setting.kernelHeight, random_),
              setting.border, random_);
    GuardedPicture whole(width, height, setting.format, 0), pieces(width, height, setting.format, 2);
    const auto engine = makeCpuEngine();
    convolveInto(*engine, work, work.job.region, whole.view());
    for (const auto &[stepX, stepY] : {std::pair{157, 1}, {1, 131}, {64, 64}, {37, 29}, {100, 8}}) {
        pieces.poison();
        for (int y = 0; y < height; y += stepY)
            for (int x = 0; x < width; x += stepX)
                convolveInto(*engine, work, {x, y, std::min(stepX, width - x), std::min(stepY, height - y)},
                             pieces.view());
        QVERIFY2(samePixels(whole.view(), pieces.view()), qPrintable(QString("pieces of %1x%2").arg(stepX).arg(stepY)));
    }
}

void EngineCpuTest::choosesTheMethod_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < int(namedKernels().size()); ++i)
        QTest::addRow("%s", namedKernels()[std::size_t(i)].name) << i;
}

void EngineCpuTest::choosesTheMethod() {
    QFETCH(int, index);
    const Named &named = namedKernels()[std::size_t(index)];
    for (const int channels : {1, 3}) {
        const cpu::ConvolutionPlan plan = planFor(named.kernel, channels);
        QCOMPARE(int(plan.method), int(named.method));
        QVERIFY(!plan.reason.empty());
        QVERIFY(plan.cost <= plan.denseCost || plan.core.height == 1);
        QVERIFY(plan == planFor(named.kernel, channels));
        const std::string text = cpu::toString(plan);
        QVERIFY2(text.starts_with(cpu::methodName(plan.method)) && text.ends_with(plan.reason), text.c_str());
    }
}

// The planner has no opinions of its own: it takes what the costs say is cheapest.
void EngineCpuTest::costsDecide() {
    const cpu::PictureShape picture{600, 500, {Depth::U8, 3}};
    const ConvolutionKernel dense = randomKernel(9, 9, random_);
    cpu::MethodCosts costs;
    QCOMPARE(int(cpu::planConvolution(dense, picture, costs).method), int(cpu::Method::Dense));
    costs.fourierSample = costs.halving = 0.1;
    const cpu::ConvolutionPlan fourier = cpu::planConvolution(dense, picture, costs);
    QCOMPARE(int(fourier.method), int(cpu::Method::Fourier));
    QVERIFY(fourier.cost < fourier.denseCost);
    QVERIFY(fourier != cpu::planConvolution(dense, picture));
    costs = {};
    costs.listedTap = 0.5;
    QCOMPARE(int(cpu::planConvolution(dense, picture, costs).method), int(cpu::Method::Listed));
    const ConvolutionKernel box = kernelOf(9, 9, [](int, int) { return 1.0; });
    costs = {};
    costs.term = 1000;
    QCOMPARE(int(cpu::planConvolution(box, picture).method), int(cpu::Method::LowRank));
    QCOMPARE(int(cpu::planConvolution(box, picture, costs).method), int(cpu::Method::Dense));
}

void EngineCpuTest::coreIsWhatHoldsTaps() {
    const ConvolutionKernel shifted = kernelOf(61, 61, [](int u, int v) { return u == 58 && v == 3 ? 2.0 : 0.0; });
    const cpu::ConvolutionPlan plan = planFor(shifted, 1);
    QVERIFY((plan.core == Rectangle{58, 3, 1, 1}));
    QCOMPARE(plan.taps, 1);
    const ConvolutionKernel core = cpu::coreOf(shifted, plan);
    QCOMPARE(core.anchorX, 30 - 58);
    QCOMPARE(core.anchorY, 30 - 3);
    QCOMPARE(core.taps, std::vector<double>{2.0});
}

void EngineCpuTest::factorsAreExact() {
    const auto binomial = [](int u, int v) {
        constexpr double row[] = {1, 4, 6, 4, 1};
        return row[u] * row[v];
    };
    const auto terms = cpu::factorize(kernelOf(5, 5, binomial), 3);
    QCOMPARE(terms.size(), std::size_t(1));
    QCOMPARE(terms[0].row, (std::vector<double>{1, 4, 6, 4, 1}));
    QCOMPARE(terms[0].column, (std::vector<double>{1, 4, 6, 4, 1}));

    const ConvolutionKernel &two = namedKernels()[7].kernel;
    const auto pair = cpu::factorize(two, 3);
    QCOMPARE(pair.size(), std::size_t(2));
    for (int v = 0; v < two.height; ++v)
        for (int u = 0; u < two.width; ++u) {
            double sum = 0;
            for (const auto &term : pair)
                sum += term.column[std::size_t(v)] * term.row[std::size_t(u)];
            QVERIFY(std::fabs(sum - two.at(u, v)) < 1e-7);
        }
    QVERIFY(cpu::factorize(two, 1).empty()); // one is not enough
    QVERIFY(cpu::factorize(randomKernel(9, 9, random_), 8).empty());
}

void EngineCpuTest::everyInstructionSet_data() {
    QTest::addColumn<QString>("set");
    QTest::addColumn<int>("index");
    for (const std::string &set : cpuInstructionSets())
        for (int i = 0; i < int(namedKernels().size()); ++i)
            QTest::addRow("%s %s", set.c_str(), namedKernels()[std::size_t(i)].name)
                << QString::fromStdString(set) << i;
}

void EngineCpuTest::everyInstructionSet() {
    QFETCH(QString, set);
    QFETCH(int, index);
    const auto engine = makeCpuEngine(ThreadPool::shared(), set.toStdString());
    const int width = 600, height = 500;
    const std::vector<Rectangle> checked{{0, 0, 30, 12},
                                         {width - 25, 0, 25, 9},
                                         {0, height - 10, 28, 10},
                                         {width - 30, height - 9, 30, 9},
                                         {290, 240, 40, 15}};
    for (int i = 0; i < 6; ++i) {
        Case what;
        what.width = width;
        what.height = height;
        what.channels = 1 + (i + index) % 4;
        what.source = Depth(i % 3);
        what.target = i < 3 ? what.source : Depth((i + 1) % 3);
        what.border = {BorderMode((i + index) % 6), 70.0};
        what.kernel = namedKernels()[std::size_t(index)].kernel;
        what.finish = averaging(what.kernel);
        if (what.finish.divisor == 0.0f)
            what.finish.divisor = 1.0f;
        what.channelMask = i == 4 ? 5u : ~0u;
        what.extraPitchSamples = i;
        const CaseResult result = runCase(*engine, "cpu", what, random_, checked);
        QVERIFY2(result.failure.empty(), (what.text() + ": " + result.failure).c_str());
        QVERIFY(!result.refused);
    }
}

// Boxes and binomials in passes must round ties as all taps at once would.
void EngineCpuTest::integerFactorsKeepTies() {
    const int width = 90, height = 70;
    Work work(width, height, {Depth::U8, 3}, kernelOf(7, 7, [](int u, int v) { return (1.0 + u % 4) * (3 - v / 3); }),
              BorderMode::Reflect, random_);
    work.job.finish.divisor = 64;
    QCOMPARE(int(planFor(work.kernel, 3).method), int(cpu::Method::LowRank));
    GuardedPicture expected(width, height, {Depth::U8, 3}, 0), actual(width, height, {Depth::U8, 3}, 0);
    ConvolutionJob job = work.job;
    job.target = expected.view();
    convolveReference(job);
    for (const std::string &set : cpuInstructionSets()) {
        actual.poison();
        convolveInto(*makeCpuEngine(ThreadPool::shared(), set), work, work.job.region, actual.view());
        QVERIFY2(samePixels(expected.view(), actual.view()), set.c_str());
    }
}

// Also where a transform would spread them over its whole tile.
void EngineCpuTest::valuesThatAreNotFiniteStayWhereTheyAre() {
    const int width = 600, height = 500;
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    Work work(width, height, {Depth::F32, 1}, randomKernel(31, 31, random_), BorderMode::Zero, random_);
    QCOMPARE(int(planFor(work.kernel, 1).method), int(cpu::Method::Fourier));
    work.source.set(100, 100, 0, double(infinity));
    work.source.set(400, 300, 0, double(nan));
    GuardedPicture target(width, height, {Depth::F32, 1}, 0);
    convolveInto(*makeCpuEngine(), work, work.job.region, target.view());
    ConvolutionJob job = work.job;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const auto reaches = [&](int px, int py) { return std::abs(x - px) <= 15 && std::abs(y - py) <= 15; };
            const double value = target.at(x, y, 0);
            QCOMPARE(std::isfinite(value), !reaches(100, 100) && !reaches(400, 300));
            if (std::isfinite(value) && (x + y) % 97 == 0)
                QVERIFY(std::fabs(value - referenceValue(job, x, y, 0)) < 1e-4);
        }
}

// Products with the reciprocal must store what quotients would: every sum of whole taps near every tie. Where a float
// has no room left for the fraction, 16 bits wide, both may be a level off: not asked for here.
void EngineCpuTest::finishesLikeTheReference() {
    for (const Response response : {Response::Clamp, Response::Absolute, Response::Signed}) {
        for (const float divisor : {1.0f, 2.0f, 3.0f, 9.0f, 10.0f, 16.0f, 25.0f, 36.0f, 49.0f, 121.0f, 128.0f, -4.0f})
            for (const float offset : {0.0f, 3.0f, 0.5f, -7.25f})
                checkFinish({divisor, offset, response}, Depth::U8);
        for (const float divisor : {1.0f, 2.0f, 3.0f, 9.0f, 10.0f, 16.0f, -4.0f})
            for (const float offset : {0.0f, 3.0f})
                checkFinish({divisor, offset, response}, Depth::U16);
    }
}

void EngineCpuTest::checkFinish(const Finish &finish, Depth depth) {
    // One row of a float picture whose values are the sums; a kernel of one tap leaves them as they are.
    const int highest = int(nominalMaximum(depth)), width = 3001;
    ConvolutionKernel kernel;
    GuardedPicture source(width, 1, {Depth::F32, 1}, 0), target(width, 1, {depth, 1}, 0);
    const double span = 1.2 * highest * std::fabs(double(finish.divisor));
    for (int x = 0; x < width; ++x) // whole numbers from below the range to above it, densely at its ends
        source.set(x, 0, 0, x < 1000 ? x - 500 : x < 2000 ? std::rint(span * (x - 1000) / 1000) : span - (x - 2000));
    ConvolutionJob job;
    job.source = std::as_const(source).view();
    job.target = target.view();
    job.region = job.source.bounds();
    job.kernel = &kernel;
    job.finish = finish;
    makeCpuEngine()->convolve(job, {});
    for (int x = 0; x < width; ++x) {
        const double sum = source.at(x, 0, 0);
        const double expected = depth == Depth::U8 ? double(finishValue<std::uint8_t>(finish, sum))
                                                   : double(finishValue<std::uint16_t>(finish, sum));
        QVERIFY2(target.at(x, 0, 0) == expected, qPrintable(QString("sum %1 / %2 + %3: %4 instead of %5")
                                                                .arg(sum)
                                                                .arg(double(finish.divisor))
                                                                .arg(double(finish.offset))
                                                                .arg(target.at(x, 0, 0))
                                                                .arg(expected)));
    }
}

void EngineCpuTest::unknownInstructionSetIsAnError() {
    QVERIFY_EXCEPTION_THROWN(makeCpuEngine(ThreadPool::shared(), "AVX9"), Error);
    QVERIFY(!cpuInstructionSets().empty());
}

void EngineCpuTest::countsWhatItStores_data() { choosesTheMethod_data(); }

void EngineCpuTest::countsWhatItStores() {
    QFETCH(int, index);
    const Named &named = namedKernels()[std::size_t(index)];
    const Rectangle region{41, 33, 517, 402};
    for (const Depth depth : {Depth::U8, Depth::U16}) {
        Work work(600, 500, {depth, 3}, named.kernel, BorderMode::Replicate, random_);
        if (work.job.finish.divisor == 0.0f)
            work.job.finish.divisor = 1.0f;
        GuardedPicture target(region.width, region.height, {depth, 3}, 1);
        LevelCounts counts;
        ConvolutionJob job = work.job;
        job.region = region;
        job.target = target.view();
        job.channelMask = 5u;
        job.counts = &counts;
        const auto engine = makeCpuEngine();
        QVERIFY(engine->countsLevels(job));
        engine->convolve(job, {});
        const ImageStatistics expected = computeStatistics(std::as_const(target).view());
        const ImageStatistics actual = counts.statistics();
        QCOMPARE(actual.pixels, expected.pixels);
        for (std::size_t c = 0; c < expected.channels.size(); ++c)
            QVERIFY(actual.channels.at(c).histogram == expected.channels[c].histogram);
    }
}

void EngineCpuTest::cancelsInTheMiddle() {
    Work work(1500, 1200, {Depth::F32, 1}, randomKernel(15, 15, random_), BorderMode::Replicate, random_);
    GuardedPicture target(1500, 1200, {Depth::F32, 1}, 0);
    std::stop_source stop;
    std::atomic<double> reached{0};
    RunControl control;
    control.stop = stop.get_token();
    control.progress = [&](double fraction) {
        reached = fraction;
        if (fraction > 0.1)
            stop.request_stop();
    };
    bool cancelled = false;
    try {
        convolveInto(*makeCpuEngine(), work, work.job.region, target.view(), control);
    } catch (const Error &error) {
        cancelled = error.kind() == ErrorKind::Cancelled;
    }
    QVERIFY(cancelled);
    QVERIFY2(reached < 0.9, qPrintable(QString::number(reached)));
}

void EngineCpuTest::progressRises() {
    Work work(700, 600, {Depth::U8, 3}, randomKernel(5, 5, random_), BorderMode::Replicate, random_);
    GuardedPicture target(700, 600, {Depth::U8, 3}, 0);
    std::vector<double> seen;
    RunControl control;
    control.progress = [&](double fraction) { seen.push_back(fraction); }; // one call at a time is part of the promise
    convolveInto(*makeCpuEngine(), work, work.job.region, target.view(), control);
    QVERIFY(seen.size() > 1);
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
    QCOMPARE(seen.back(), 1.0);
}

QTEST_GUILESS_MAIN(EngineCpuTest)
#include "engine_cpu_test.moc"
