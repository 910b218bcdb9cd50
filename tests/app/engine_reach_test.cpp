// What a NaN or an infinity reaches (app/engines/reach.h), and the reference, which leaves zeros out of its sums.
#include "app/engines/engine_support.h"
#include "app/engines/reach.h"
#include "app/engines/reference.h"
#include "tests/app/engine_test_support.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();
constexpr BorderMode modes[] = {BorderMode::Zero,    BorderMode::Constant,   BorderMode::Replicate,
                                BorderMode::Reflect, BorderMode::Reflect101, BorderMode::Wrap};

ConvolutionKernel filled(int width, int height, double tap) {
    return ConvolutionKernel::centred(width, height, std::vector<double>(std::size_t(width * height), tap));
}

ConvolutionJob jobOf(const GuardedPicture &source, GuardedPicture &target, const ConvolutionKernel &kernel) {
    ConvolutionJob job;
    job.source = source.view();
    job.target = target.view();
    job.region = job.source.bounds();
    job.kernel = &kernel;
    return job;
}

} // namespace

class EngineReachTest : public QObject {
    Q_OBJECT
private slots:
    void reachIsTheWindow_data();
    void reachIsTheWindow();
    void reachOfAJob();
    void referenceLeavesZerosOut();

private:
    Random random_{20260712};
};

void EngineReachTest::reachIsTheWindow_data() {
    QTest::addColumn<int>("mode");
    for (const BorderMode mode : modes)
        QTest::newRow(std::string(borderName(mode)).c_str()) << int(mode);
}

// Held against the plain question of each output's window.
void EngineReachTest::reachIsTheWindow() {
    QFETCH(int, mode);
    for (const KernelWindow &window :
         {KernelWindow{1, 1, 0, 0}, {3, 5, 1, 2}, {4, 2, 1, 0}, {11, 9, 3, 4}, {40, 30, 13, 15}}) {
        GuardedPicture picture(23, 17, {Depth::F32, 2}, 1);
        picture.fillRandom(random_);
        picture.set(0, 16, 0, double(notANumber));
        picture.set(13, 5, 1, double(infinity));
        const SampleMask samples = nonfiniteSamples(std::as_const(picture).view());
        const SampleMask reached = reachedOutputs(samples, window, BorderMode(mode), {2, 1, 19, 15});
        QCOMPARE(reached.width, 19);
        QCOMPARE(reached.height, 15);
        for (int y = 0; y < 15; ++y)
            for (int x = 0; x < 19; ++x) {
                unsigned bits = 0;
                for (int v = 0; v < window.height; ++v)
                    for (int u = 0; u < window.width; ++u) {
                        const int column = borderIndex(BorderMode(mode), 2 + x + u - window.anchorX, 23);
                        const int row = borderIndex(BorderMode(mode), 1 + y + v - window.anchorY, 17);
                        bits |= column == 0 && row == 16 ? 1u : column == 13 && row == 5 ? 2u : 0u;
                    }
                QCOMPARE(unsigned(reached.row(y)[x]), bits);
            }
    }
}

// The square of the contract, and the channels that a job filters.
void EngineReachTest::reachOfAJob() {
    ConvolutionKernel kernel = filled(5, 1, 1.0);
    kernel.anchorX = 0;
    GuardedPicture source(23, 17, {Depth::F32, 2}, 1), target(23, 17, {Depth::F32, 2}, 2);
    source.fillRandom(random_);
    ConvolutionJob job = jobOf(source, target, kernel);
    QVERIFY(reachedOutputs(job).empty());
    source.set(10, 8, 0, double(notANumber));
    source.set(10, 8, 1, double(infinity));
    job.channelMask = 2u;
    const SampleMask reached = reachedOutputs(job);
    for (int y = 0; y < 17; ++y)
        for (int x = 0; x < 23; ++x)
            QCOMPARE(int(reached.row(y)[x]), std::max(std::abs(x - 10), std::abs(y - 8)) <= 4 ? 2 : 0);
    QCOMPARE(squareOf(filled(1, 1, 1.0)).width, 3);
    QCOMPARE(squareOf(filled(2, 2, 1.0)).width, 3);
    QCOMPARE(squareOf(filled(9, 7, 1.0)).width, 9);
}

void EngineReachTest::referenceLeavesZerosOut() {
    const ConvolutionKernel kernel = ConvolutionKernel::centred(3, 1, {0, 1, 1e-50});
    GuardedPicture source(5, 1, {Depth::F32, 1}, 1), target(5, 1, {Depth::F32, 1}, 2);
    for (int x = 0; x < 5; ++x)
        source.set(x, 0, 0, x == 2 ? double(notANumber) : x);
    convolveReference(jobOf(source, target, kernel));
    QCOMPARE(target.at(1, 0, 0), 1.0);
    QVERIFY(std::isnan(target.at(2, 0, 0)));
    QCOMPARE(target.at(3, 0, 0), 3.0);
}

QTEST_APPLESS_MAIN(EngineReachTest)
#include "engine_reach_test.moc"
