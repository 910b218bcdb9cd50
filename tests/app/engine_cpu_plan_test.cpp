// How the CPU engine decides: its planner, the factors of low-rank kernels, and when a quotient may be a product.
#include "app/engines/cpu/cpu_engine.h"
#include "app/engines/cpu/low_rank.h"
#include "app/engines/reference.h"
#include "tests/app/engine_cpu_support.h"

#include <QTest>

#include <cmath>
#include <utility>

using namespace tessera;
using namespace tessera::test;

class EngineCpuPlanTest : public QObject {
    Q_OBJECT

private:
    Random random_{20};

private slots:
    void choosesTheMethod_data();
    void choosesTheMethod();
    void costsDecide();
    void coreIsWhatHoldsTaps();
    void factorsAreExact();
    void finishesLikeTheReference();
    void integerFactorsKeepTies();

private:
    void checkFinish(const Finish &finish, Depth depth);
};

void EngineCpuPlanTest::choosesTheMethod_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < int(namedKernels().size()); ++i)
        QTest::addRow("%s", namedKernels()[std::size_t(i)].name) << i;
}

void EngineCpuPlanTest::choosesTheMethod() {
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
void EngineCpuPlanTest::costsDecide() {
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

void EngineCpuPlanTest::coreIsWhatHoldsTaps() {
    const ConvolutionKernel shifted = kernelOf(61, 61, [](int u, int v) { return u == 58 && v == 3 ? 2.0 : 0.0; });
    const cpu::ConvolutionPlan plan = planFor(shifted, 1);
    QVERIFY((plan.core == Rectangle{58, 3, 1, 1}));
    QCOMPARE(plan.taps, 1);
    const ConvolutionKernel core = cpu::coreOf(shifted, plan);
    QCOMPARE(core.anchorX, 30 - 58);
    QCOMPARE(core.anchorY, 30 - 3);
    QCOMPARE(core.taps, std::vector<double>{2.0});
}

void EngineCpuPlanTest::factorsAreExact() {
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

// Products with the reciprocal must store what quotients would: every sum of whole taps near every tie. Where a float
// has no room left for the fraction, 16 bits wide, both may be a level off: not asked for here.
void EngineCpuPlanTest::finishesLikeTheReference() {
    for (const Response response : {Response::Clamp, Response::Absolute, Response::Signed}) {
        for (const float divisor : {1.0f, 2.0f, 3.0f, 9.0f, 10.0f, 16.0f, 25.0f, 36.0f, 49.0f, 121.0f, 128.0f, -4.0f})
            for (const float offset : {0.0f, 3.0f, 0.5f, -7.25f})
                checkFinish({divisor, offset, response}, Depth::U8);
        for (const float divisor : {1.0f, 2.0f, 3.0f, 9.0f, 10.0f, 16.0f, -4.0f})
            for (const float offset : {0.0f, 3.0f})
                checkFinish({divisor, offset, response}, Depth::U16);
    }
}

void EngineCpuPlanTest::checkFinish(const Finish &finish, Depth depth) {
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

// Boxes and binomials in passes must round ties as all taps at once would.
void EngineCpuPlanTest::integerFactorsKeepTies() {
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

QTEST_GUILESS_MAIN(EngineCpuPlanTest)
#include "engine_cpu_plan_test.moc"
