// Values that are not finite, or near the ends of float's range: what the contract of engines (app/engines/engine.h)
// says of them. Rows are engines with their variants.
#include "app/core/error.h"
#include "app/core/thread_pool.h"
#include "app/engines/cpu/cpu_engine.h"
#include "app/engines/engine_support.h"
#include "app/engines/reach.h"
#include "app/engines/reference.h"
#include "tests/app/engine_test_support.h"

#include <QTest>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();
constexpr std::array<float, 3> nonfinite{notANumber, infinity, -infinity};
constexpr std::array<Border, 7> borders{{{BorderMode::Zero, 0.0},
                                         {BorderMode::Constant, 0.5},
                                         {BorderMode::Constant, 0.0},
                                         {BorderMode::Replicate, 0.0},
                                         {BorderMode::Reflect, 0.0},
                                         {BorderMode::Reflect101, 0.0},
                                         {BorderMode::Wrap, 0.0}}};

std::vector<std::shared_ptr<Engine>> makeTestedEngines() {
    std::vector<std::shared_ptr<Engine>> engines;
    for (const std::shared_ptr<Engine> &engine : availableEngines()) {
#if defined(TESSERA_TEST_CUDA_ONLY)
        if (engine->deviceKind() == DeviceKind::Cuda)
#else
        if (engine->deviceKind() != DeviceKind::Cuda)
#endif
            engines.push_back(engine);
    }
#if !defined(TESSERA_TEST_CUDA_ONLY)
    for (const std::string &set : cpuInstructionSets()) // how a NaN is converted is each one's own affair
        engines.push_back(makeCpuEngine(ThreadPool::shared(), set));
#endif
    return engines;
}

const std::vector<std::shared_ptr<Engine>> &testedEngines() {
    static const std::vector<std::shared_ptr<Engine>> engines = makeTestedEngines();
    return engines;
}

ConvolutionKernel kernelOf(int width, int height, std::vector<double> taps) {
    return ConvolutionKernel::centred(width, height, std::move(taps));
}

ConvolutionKernel filled(int width, int height, double tap) {
    return kernelOf(width, height, std::vector<double>(std::size_t(width * height), tap));
}

ConvolutionKernel gaussian(int side) {
    ConvolutionKernel kernel = filled(side, side, 0);
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u)
            kernel.at(u, v) = std::exp(-18.0 * ((u - side / 2) * (u - side / 2) + (v - side / 2) * (v - side / 2)) /
                                       double(side * side));
    for (const double sum = kernel.sum(); double &tap : kernel.taps)
        tap /= sum;
    return kernel;
}

ConvolutionKernel sparse(int side) {
    ConvolutionKernel kernel = filled(side, side, 0);
    kernel.at(0, side - 1) = 0.5;
    kernel.at(side / 2, 0) = -0.75;
    return kernel;
}

// Zeros in every place where an engine may leave them out or not, taps that are 0 in float32, kernels that are taken
// apart or go through a transform, and even ones.
std::vector<ConvolutionKernel> kernelsWithZeros(Random &random) {
    return {filled(1, 1, 0.0),
            filled(1, 1, 1e-60),
            filled(1, 1, 1.0),
            kernelOf(3, 3, {0, 0, 0, 0, 1, 0, 0, 0, 0}),
            kernelOf(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}),
            kernelOf(3, 3, {0, 1, 0, 1, -4, 1, 0, 1, 0}),
            kernelOf(3, 1, {1, 1e-50, 1}),
            kernelOf(2, 4, {0, 1, 1, 0, 0.5, 0, 0, 2}),
            kernelOf(5, 3, {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1e-9, 0}),
            filled(7, 7, 1.0),
            gaussian(9),
            gaussian(17),
            sparse(13),
            randomKernel(15, 15, random),
            randomKernel(33, 33, random)};
}

// A job with its pictures and all that its outputs are held against.
struct Trial {
    GuardedPicture source, target;
    ConvolutionJob job;

    Trial(int width, int height, int channels, Depth depth, const ConvolutionKernel &kernel)
        : source(width, height, {Depth::F32, channels}, 1), target(width, height, {depth, channels}, 2) {
        job.source = std::as_const(source).view();
        job.target = target.view();
        job.region = job.source.bounds();
        job.kernel = &kernel;
    }
    void cut(const Rectangle &region) {
        job.region = region;
        job.target = target.view().part({0, 0, region.width, region.height});
    }
};

} // namespace

class EngineValuesTest : public QObject {
    Q_OBJECT

private:
    void addEngineRows() {
        QTest::addColumn<int>("engineIndex");
        QTest::addColumn<QString>("variant");
        const auto &engines = testedEngines();
        for (int i = 0; i < int(engines.size()); ++i) {
            const std::string device = engines[std::size_t(i)]->deviceId();
            if (engines[std::size_t(i)]->choosesByJob())
                QTest::addRow("%s auto", device.c_str()) << i << QString();
            for (const VariantInfo &variant : engines[std::size_t(i)]->variants())
                QTest::addRow("%d %s %s", i, device.c_str(), variant.name.c_str())
                    << i << QString::fromStdString(variant.name);
        }
    }
    Engine &engine() const {
        QFETCH(int, engineIndex);
        return *testedEngines()[std::size_t(engineIndex)];
    }

    // False where the variant does not take the job. Refusing a picture for its values is right too, in words.
    bool runs(Trial &trial) {
        QFETCH(QString, variant);
        name_ = variant.toStdString();
        trial.job.variant = name_;
        if (!engine().refusal(trial.job).empty())
            return false;
        try {
            engine().convolve(trial.job, {});
        } catch (const Error &error) {
            if (error.kind() != ErrorKind::Usage)
                throw;
            return false;
        }
        ++ran_;
        return true;
    }

    // Every output of the trial against the contract.
    QString complaint(const Trial &trial, double largest);
    QString complaintAt(const Trial &trial, int x, int y, int channel, bool reached, double bound) const;

    Random random_{20240501};
    std::string name_;
    int ran_ = 0;

private slots:
    void initTestCase();
    void init() { ran_ = 0; }
    void nonfiniteStaysInReach_data() { addEngineRows(); }
    void nonfiniteStaysInReach();
    void nonfiniteInIntegers_data() { addEngineRows(); }
    void nonfiniteInIntegers();
    void largestFloats_data() { addEngineRows(); }
    void largestFloats();
    void largestFloatsThatCancel_data() { addEngineRows(); }
    void largestFloatsThatCancel();
    void smallestFloats_data() { addEngineRows(); }
    void smallestFloats();
};

void EngineValuesTest::initTestCase() {
    if (!testedEngines().empty())
        return;
    std::puts("skipped: no CUDA device");
    std::fflush(stdout);
    QSKIP("no CUDA device");
}

QString EngineValuesTest::complaintAt(const Trial &trial, int x, int y, int channel, bool reached, double bound) const {
    const ConvolutionJob &job = trial.job;
    const double actual = trial.target.at(x - job.region.x, y - job.region.y, channel);
    const double wanted = referenceValue(job, x, y, channel);
    bool right = false;
    if (job.target.format.depth == Depth::F32) {
        right = std::fabs(actual - wanted) <= bound || (reached && !std::isfinite(actual));
    } else {
        const double maximum = nominalMaximum(job.target.format.depth);
        const double level = double(finishValue<std::uint16_t>(Finish{}, wanted));
        right = std::fabs(actual - std::min(level, maximum)) <= 1 + bound ||
                (reached && (actual == 0 || actual == maximum));
    }
    return right ? QString()
                 : QString("at (%1, %2) channel %3%4: %5 instead of %6")
                       .arg(x)
                       .arg(y)
                       .arg(channel)
                       .arg(reached ? ", reached" : "")
                       .arg(actual)
                       .arg(wanted);
}

QString EngineValuesTest::complaint(const Trial &trial, double largest) {
    const ConvolutionJob &job = trial.job;
    if (!trial.source.guardsIntact() || !trial.target.guardsIntact())
        return "wrote outside the picture";
    // What runs on the host keeps to the kernel's rectangle.
    const bool onGpu = engine().deviceKind() == DeviceKind::Cuda;
    const SampleMask reached =
        onGpu ? reachedOutputs(job)
              : reachedOutputs(nonfiniteSamples(job.source), rectangleOf(*job.kernel), job.border.mode, job.region);
    const double bound = engine().errorBound(job, largest) + double(std::numeric_limits<float>::min());
    for (int y = 0; y < job.region.height; ++y)
        for (int x = 0; x < job.region.width; ++x)
            for (int channel = 0; channel < job.source.format.channels; ++channel) {
                const bool isReached = !reached.empty() && (reached.row(y)[x] >> channel & 1) != 0;
                const QString failure =
                    complaintAt(trial, job.region.x + x, job.region.y + y, channel, isReached, bound);
                if (!failure.isEmpty())
                    return QString("kernel %1x%2 border %3, %4 channels: %5")
                        .arg(job.kernel->width)
                        .arg(job.kernel->height)
                        .arg(int(job.border.mode))
                        .arg(job.source.format.channels)
                        .arg(failure);
            }
    return {};
}

void EngineValuesTest::nonfiniteStaysInReach() {
    int count = 0;
    for (const ConvolutionKernel &kernel : kernelsWithZeros(random_)) {
        for (const Border &border : borders) {
            const bool isLarge = kernel.width > 9 && engine().deviceKind() != DeviceKind::Simulator;
            Trial trial(isLarge ? 150 : 37, isLarge ? 90 : 23, 1 + count % 4, Depth::F32, kernel);
            trial.source.fillRandom(random_);
            trial.job.border = border;
            trial.job.finish = {count % 3 == 0 ? 2.5f : 1.0f, 0.0f, Response::Clamp};
            const ConstPixelView &view = trial.job.source;
            for (int i = 0; i < 3; ++i) // in the corner, at an edge, and inside
                trial.source.set(i * (view.width - 1) / 2, i == 2 ? view.height / 3 : 0, count % view.format.channels,
                                 double(nonfinite[std::size_t(count + i) % 3]));
            if (count % 5 == 4)
                trial.cut({3, 2, view.width - 7, view.height - 4});
            ++count;
            if (runs(trial)) {
                const QString failure = complaint(trial, 1.25);
                QVERIFY2(failure.isEmpty(), qPrintable(failure));
            }
        }
    }
    const bool refusesAll = name_.starts_with("fft") || name_.starts_with("separable");
    QVERIFY(ran_ >= 60 || refusesAll);
}

// No level stands for a NaN: it becomes 0, whatever the response; infinities become the ends. They lie apart, and in no
// row that a border repeats, as kernels run in squares of 3x3 at least, where one may reach another's output.
void EngineValuesTest::nonfiniteInIntegers() {
    const ConvolutionKernel same = filled(1, 1, 1.0), mean = filled(3, 3, 1.0);
    for (const Depth depth : {Depth::U8, Depth::U16}) {
        for (const Response response : {Response::Clamp, Response::Absolute, Response::Signed}) {
            for (const float divisor : {1.0f, 7.0f}) {
                Trial trial(9, 4, 1, depth, same);
                for (int i = 0; i < 36; ++i)
                    trial.source.set(i % 9, i / 9, 0,
                                     i / 9 == 1 && i % 3 == 1 ? double(nonfinite[std::size_t(i % 9 / 3)]) : 1.0 * i);
                trial.job.finish = {divisor, 0.0f, response};
                if (!runs(trial))
                    continue;
                const double maximum = nominalMaximum(depth);
                QString row = QString("response %1, divisor %2:").arg(int(response)).arg(double(divisor));
                for (int x = 0; x < 9; ++x)
                    row += QString(" %1").arg(trial.target.at(x, 1, 0));
                QVERIFY2(trial.target.at(1, 1, 0) == 0.0, qPrintable(row));
                QVERIFY2(trial.target.at(4, 1, 0) == maximum, qPrintable(row));
                QVERIFY2(trial.target.at(7, 1, 0) == (response == Response::Absolute ? maximum : 0.0), qPrintable(row));
            }
        }
        Trial trial(40, 21, 3, depth, mean);
        trial.source.fillRandom(random_);
        trial.source.set(17, 9, 1, double(notANumber));
        trial.job.finish.divisor = float(9.0 / nominalMaximum(depth));
        if (runs(trial)) {
            const QString failure = complaint(trial, 1.25);
            QVERIFY2(failure.isEmpty(), qPrintable(failure));
            QCOMPARE(trial.target.at(16, 10, 1), 0.0);
        }
    }
}

// Means of floats near 3.4e38 are such floats, though their sums are beyond; transforms add up yet more.
void EngineValuesTest::largestFloats() {
    const bool isSlow = engine().deviceKind() == DeviceKind::Simulator;
    int count = 0;
    for (const ConvolutionKernel &kernel :
         {filled(3, 3, 1.0), filled(15, 15, 1.0), filled(5, 5, 0.04), filled(31, 31, 1.0 / 961), gaussian(9),
          gaussian(33), filled(2, 2, 3e38), sparse(13)}) {
        Trial trial(isSlow ? 40 : 150, isSlow ? 20 : 90, 1 + count++ % 3, Depth::F32, kernel);
        std::uniform_real_distribution<float> any(1e38f, 3.3e38f);
        for (int y = 0; y < trial.job.source.height; ++y)
            for (int i = 0; i < trial.job.source.width * trial.job.source.format.channels; ++i)
                trial.source.view().row<float>(y)[i] = any(random_);
        trial.job.border.mode = BorderMode::Replicate;
        trial.job.finish.divisor = float(std::max(1.0, kernel.magnitude()));
        if (runs(trial)) {
            const QString failure = complaint(trial, 3.3e38);
            QVERIFY2(failure.isEmpty(), qPrintable(failure));
        }
    }
    const bool mayRefuse =
        name_.find("half2") != std::string::npos || name_.starts_with("fft") || name_.starts_with("separable");
    QVERIFY(ran_ >= 6 || mayRefuse);
}

// Terms beyond floats whose sum is not: engines on the host hold to it. Only what is beyond them itself is infinite.
void EngineValuesTest::largestFloatsThatCancel() {
    if (engine().deviceKind() != DeviceKind::Cpu)
        return;
    const struct {
        ConvolutionKernel kernel;
        float divisor, level;
    } cases[] = {{kernelOf(3, 3, {0, 1, 0, 1, -4, 1, 0, 1, 0}), 1.0f, 3e38f},
                 {kernelOf(3, 1, {-1e8, 2e8, -1e8}), 1.0f, 1e31f},
                 {kernelOf(3, 1, {1e38, 1e38, -1e38}), 1e38f, 2e38f},
                 {randomKernel(21, 21, random_), 400.0f, 3e38f}};
    for (const auto &[kernel, divisor, level] : cases) {
        Trial trial(60, 40, 1, Depth::F32, kernel);
        for (int i = 0; i < 60 * 40; ++i)
            trial.source.set(i % 60, i / 60, 0, double(level * (1.0f + float(i % 7) * 0.01f)));
        trial.job.border.mode = BorderMode::Reflect101;
        trial.job.finish.divisor = divisor;
        QVERIFY(runs(trial));
        const QString failure = complaint(trial, 1.07 * double(level));
        QVERIFY2(failure.isEmpty(), qPrintable(failure));
    }
    const ConvolutionKernel same = filled(1, 1, 1.0);
    Trial trial(4, 1, 1, Depth::F32, same);
    for (int x = 0; x < 4; ++x)
        trial.source.set(x, 0, 0, x * 1e38);
    trial.job.finish.divisor = 0.3f;
    QVERIFY(runs(trial));
    QCOMPARE(trial.target.at(0, 0, 0), 0.0);
    QVERIFY(std::isfinite(trial.target.at(1, 0, 0)));
    QVERIFY(std::isinf(trial.target.at(2, 0, 0)));
}

void EngineValuesTest::smallestFloats() {
    int count = 0;
    for (const ConvolutionKernel &kernel : {filled(3, 3, 1.0), gaussian(9), gaussian(33), sparse(13)}) {
        for (const float scale : {1e-37f, 1e-41f}) {
            Trial trial(40, 20, 1 + count++ % 3, Depth::F32, kernel);
            trial.source.fillRandom(random_);
            for (int y = 0; y < 20; ++y)
                for (int i = 0; i < 40 * trial.job.source.format.channels; ++i)
                    trial.source.view().row<float>(y)[i] *= scale;
            trial.job.finish.divisor = float(kernel.magnitude());
            if (runs(trial)) {
                const QString failure = complaint(trial, 1.25 * double(scale));
                QVERIFY2(failure.isEmpty(), qPrintable(failure));
            }
        }
    }
}

QTEST_GUILESS_MAIN(EngineValuesTest)
#include "engine_values_test.moc"
