// One contract for all engines: the same picture for the same job. Rows are engines with their variants, so that a new
// engine joins by being available.
#include "app/engines/reference.h"
#include "gpu/launch/plan.h"
#include "tests/app/engine_test_support.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>
#include <tuple>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr double simulatorWork = 60'000; // taps x pixels a case: well under 0.1 s
constexpr std::array<std::pair<int, int>, 4> sizes{{{1, 1}, {1, 37}, {41, 1}, {33, 17}}};
constexpr std::array<Border, 7> borders{{{BorderMode::Zero, 0.0},
                                         {BorderMode::Constant, 200.0},
                                         {BorderMode::Constant, -0.375},
                                         {BorderMode::Replicate, 0.0},
                                         {BorderMode::Reflect, 0.0},
                                         {BorderMode::Reflect101, 0.0},
                                         {BorderMode::Wrap, 0.0}}};
constexpr std::array<Depth, 3> depths{Depth::U8, Depth::U16, Depth::F32};

struct Shape {
    int width, height, anchorX, anchorY;
};
// The last one is larger than every picture of the list.
constexpr std::array<Shape, 11> shapes{{{1, 1, 0, 0},
                                        {7, 1, 3, 0},
                                        {1, 7, 0, 3},
                                        {3, 3, 1, 1},
                                        {5, 5, 2, 2},
                                        {4, 4, 1, 1},
                                        {4, 4, 2, 2},
                                        {13, 9, 6, 4},
                                        {3, 5, 0, 4},
                                        {31, 31, 15, 15},
                                        {45, 39, 22, 19}}};

ConvolutionKernel kernelOf(const Shape &shape, Random &random) {
    ConvolutionKernel kernel = randomKernel(shape.width, shape.height, random);
    kernel.anchorX = shape.anchorX;
    kernel.anchorY = shape.anchorY;
    return kernel;
}

bool isSlow(const Engine &engine) { return engine.deviceKind() == DeviceKind::Simulator; }

std::vector<std::shared_ptr<Engine>> testedEngines() {
    std::vector<std::shared_ptr<Engine>> engines;
    for (const std::shared_ptr<Engine> &engine : availableEngines()) {
#if defined(TESSERA_TEST_CUDA_ONLY)
        if (engine->deviceKind() == DeviceKind::Cuda)
            engines.push_back(engine);
#else
        if (engine->deviceKind() != DeviceKind::Cuda)
            engines.push_back(engine);
#endif
    }
    return engines;
}

// Whether sums of small whole numbers come out whole: not where the kernel is taken apart or goes through a transform.
bool isExact(const std::string &variant) { return !variant.starts_with("separable") && !variant.starts_with("fft"); }

// The sums, not the quotients, of a picture whose values are small numbers.
std::vector<double> convolveNumbers(Engine &engine, const std::string &variant, int width, int height,
                                    const std::vector<double> &values, const ConvolutionKernel &kernel, Border border,
                                    Depth depth) {
    GuardedPicture source(width, height, {depth, 1}, 0), target(width, height, {depth, 1}, 0);
    for (int i = 0; i < width * height; ++i)
        source.set(i % width, i / width, 0, values[std::size_t(i)]);
    ConvolutionJob job;
    job.source = std::as_const(source).view();
    job.target = target.view();
    job.region = {0, 0, width, height};
    job.kernel = &kernel;
    job.border = border;
    job.variant = variant;
    engine.convolve(job, {});
    std::vector<double> result;
    for (int i = 0; i < width * height; ++i)
        result.push_back(target.at(i % width, i / width, 0));
    if (!isExact(variant))
        for (double &value : result)
            value = std::round(value * 1024.0) / 1024.0;
    return result;
}

ConvolutionKernel kernelFromTaps(int width, int height, std::vector<double> taps) {
    ConvolutionKernel kernel;
    kernel.width = width;
    kernel.height = height;
    kernel.anchorX = width / 2;
    kernel.anchorY = height / 2;
    kernel.taps = std::move(taps);
    return kernel;
}

} // namespace

class EngineContractTest : public QObject {
    Q_OBJECT

private:
    void addEngineRows() {
        QTest::addColumn<int>("engineIndex");
        QTest::addColumn<QString>("variant");
        const auto engines = testedEngines();
        for (int i = 0; i < int(engines.size()); ++i) {
            if (engines[std::size_t(i)]->choosesByJob())
                QTest::addRow("%s auto", engines[std::size_t(i)]->deviceId().c_str()) << i << QString();
            for (const VariantInfo &variant : engines[std::size_t(i)]->variants()) {
                const std::string device = engines[std::size_t(i)]->deviceId();
                QTest::addRow("%s %s", device.c_str(), variant.name.c_str())
                    << i << QString::fromStdString(variant.name);
                if (variant.name.find("half2") != std::string::npos) {
                    const std::string inHalf = variant.name + ":accumulate=half";
                    QTest::addRow("%s %s", device.c_str(), inHalf.c_str()) << i << QString::fromStdString(inHalf);
                }
                if (variant.name == "tensor") {
                    const std::string oneTerm = variant.name + ":terms=1";
                    QTest::addRow("%s %s", device.c_str(), oneTerm.c_str()) << i << QString::fromStdString(oneTerm);
                }
            }
        }
    }
    Engine &engine() const {
        QFETCH(int, engineIndex);
        return *testedEngines()[std::size_t(engineIndex)];
    }
    std::string variant() const {
        QFETCH(QString, variant);
        return variant.toStdString();
    }
    void check(const Case &what, const std::vector<Rectangle> &checked = {}) {
        if (isSlow(engine()) && what.work() > simulatorWork)
            return;
        const CaseResult result = runCase(engine(), variant(), what, random_, checked);
        refused_ += result.refused ? 1 : 0;
        ran_ += result.refused ? 0 : 1;
        if (!result.failure.empty())
            QFAIL((what.text() + ": " + result.failure).c_str());
    }
    // A sum of so many separable kernels, a variant's whole business.
    ConvolutionKernel kernelOfTerms(int side, int terms) {
        ConvolutionKernel kernel = randomKernel(side, side, random_);
        std::fill(kernel.taps.begin(), kernel.taps.end(), 0.0);
        for (int term = 0; term < terms; ++term) {
            const ConvolutionKernel row = randomKernel(side, 1, random_), column = randomKernel(1, side, random_);
            for (std::size_t tap = 0; tap < kernel.taps.size(); ++tap)
                kernel.taps[tap] += column.taps[tap / std::size_t(side)] * row.taps[tap % std::size_t(side)];
        }
        return kernel;
    }

    // A suite in which nothing ran has proved nothing. The tuned variants may refuse most: each is made for some jobs.
    void finish(int least) {
        const std::string name = variant();
        if (std::ranges::any_of(tunedVariants, [&](KernelVariant v) { return name.starts_with(kernelVariantName(v)); }))
            least = 1;
        QVERIFY2(ran_ >= least, qPrintable(QString("only %1 cases ran, %2 were refused").arg(ran_).arg(refused_)));
    }

    Random random_;
    int ran_ = 0, refused_ = 0;

private slots:
    void initTestCase();
    void init() { ran_ = refused_ = 0; }
    void bordersAndShapes_data() { addEngineRows(); }
    void bordersAndShapes();
    void depthsAndChannels_data() { addEngineRows(); }
    void depthsAndChannels();
    void responses_data() { addEngineRows(); }
    void responses();
    void regionsAndMasks_data() { addEngineRows(); }
    void regionsAndMasks();
    void separableKernels_data() { addEngineRows(); }
    void separableKernels();
    void separableLevels_data() { addEngineRows(); }
    void separableLevels();
    void largePicture_data() { addEngineRows(); }
    void largePicture();
    void largeLevels_data() { addEngineRows(); }
    void largeLevels();
    void originsOfLargeKernels_data() { addEngineRows(); }
    void originsOfLargeKernels();
    void impulseSettlesOrientation_data() { addEngineRows(); }
    void impulseSettlesOrientation();
    void workedExamples_data() { addEngineRows(); }
    void workedExamples();
    void integerTapsAreExact_data() { addEngineRows(); }
    void integerTapsAreExact();
    void severalThreadsAtOnce_data() { addEngineRows(); }
    void severalThreadsAtOnce();
    void refusesWhatItCannotDo_data() { addEngineRows(); }
    void refusesWhatItCannotDo();
    void cancels_data() { addEngineRows(); }
    void cancels();
};

void EngineContractTest::initTestCase() {
    const std::uint64_t seed = qEnvironmentVariableIsSet("TESSERA_TEST_SEED")
                                   ? qEnvironmentVariable("TESSERA_TEST_SEED").toULongLong()
                                   : std::random_device{}();
    qInfo("seed %llu (repeat with TESSERA_TEST_SEED)", static_cast<unsigned long long>(seed));
    random_.seed(seed);
#if defined(TESSERA_TEST_CUDA_ONLY)
    if (testedEngines().empty()) {
        std::puts("skipped: no CUDA device");
        std::fflush(stdout);
        QSKIP("no CUDA device");
    }
#else
    QVERIFY(!testedEngines().empty());
#endif
}

void EngineContractTest::bordersAndShapes() {
    int count = 0;
    for (const Border &border : borders) {
        for (const Shape &shape : shapes) {
            for (const auto &[width, height] : sizes) {
                Case what;
                what.width = width;
                what.height = height;
                what.border = border;
                what.kernel = kernelOf(shape, random_);
                what.finish = averaging(what.kernel);
                what.channels = 1 + count % 4;
                what.source = what.target = depths[std::size_t(count / 4 % 3)];
                what.extraPitchSamples = count % 5;
                ++count;
                check(what);
            }
        }
    }
    finish(isSlow(engine()) ? 200 : 250);
}

void EngineContractTest::depthsAndChannels() {
    for (const Depth source : depths) {
        for (const Depth target : depths) {
            for (int channels = 1; channels <= 4; ++channels) {
                Case what;
                what.width = 29;
                what.height = 12;
                what.channels = channels;
                what.source = source;
                what.target = target;
                what.border = borders[std::size_t(channels) + 1];
                what.kernel = kernelOf({5, 3, 2, 1}, random_);
                what.finish = averaging(what.kernel);
                what.extraPitchSamples = channels;
                check(what);
            }
        }
    }
    // 16-bit pictures that change depth go by way of float, where their 65535 is beyond a half.
    finish(variant().find("half2") == std::string::npos ? 36 : 30);
}

void EngineContractTest::responses() {
    for (const Response response : {Response::Clamp, Response::Absolute, Response::Signed}) {
        for (const Depth depth : depths) {
            Case what;
            what.width = 23;
            what.height = 14;
            what.channels = 3;
            what.source = what.target = depth;
            what.kernel = kernelFromTaps(3, 3, {-1, 0, 1.25, -2, 0, 2, -1.5, 0, 1});
            what.finish = {2.0f, float(nominalMaximum(depth) / 50.0), response};
            check(what);
        }
    }
    finish(9);
}

void EngineContractTest::regionsAndMasks() {
    std::uniform_int_distribution<int> any(0, 1 << 20);
    for (int i = 0; i < 60; ++i) {
        Case what;
        what.width = 20 + any(random_) % 60;
        what.height = 10 + any(random_) % 40;
        what.channels = 1 + i % 4;
        what.source = depths[std::size_t(i % 3)];
        what.target = i % 7 == 0 ? Depth::F32 : what.source;
        what.border = borders[std::size_t(any(random_)) % borders.size()];
        what.kernel = kernelOf(shapes[std::size_t(any(random_)) % 9], random_);
        what.finish = averaging(what.kernel);
        what.region.x = any(random_) % what.width;
        what.region.y = any(random_) % what.height;
        what.region.width = 1 + any(random_) % (what.width - what.region.x);
        what.region.height = 1 + any(random_) % (what.height - what.region.y);
        what.channelMask = i % 2 == 0 ? ~0u : unsigned(any(random_)) & 15u;
        what.extraPitchSamples = any(random_) % 9;
        check(what);
    }
    finish(40);
}

// Sums of one to four products of a column and a row, which some engines take apart, in pictures wider and narrower
// than any strip or tile, under every border.
void EngineContractTest::separableKernels() {
    constexpr std::array<std::pair<int, int>, 4> extents{{{3, 3}, {1050, 41}, {517, 130}, {40, 300}}};
    for (int i = 0; i < 56; ++i) {
        const int side = i % 8 == 7 ? 41 + i % 23 : 2 + i * 5 % 30;
        ConvolutionKernel kernel = kernelOfTerms(side, 1 + i % 4);
        Case what;
        std::tie(what.width, what.height) = extents[std::size_t(i) % extents.size()];
        kernel.anchorX = i % 3 == 0 ? i % side : side / 2;
        what.kernel = kernel;
        what.finish = averaging(kernel);
        what.border = borders[std::size_t(i) % borders.size()];
        what.channels = 1 + i / 2 % 4;
        what.source = depths[std::size_t(i / 3 % 3)];
        what.target = i % 5 == 0 ? Depth::F32 : what.source;
        what.channelMask = i % 6 == 1 ? 5u : ~0u;
        check(what);
    }
    finish(isSlow(engine()) ? 1 : 40);
}

// Grey 8-bit pictures under one term, for which a variant may have a form of its own: widths around its strips, taps
// that are whole numbers and not, every border, response and kind of divisor, anchors and regions that begin anywhere.
void EngineContractTest::separableLevels() {
    constexpr std::array<std::pair<int, int>, 4> extents{{{1029, 41}, {530, 70}, {40, 90}, {3, 3}}};
    constexpr std::array responses{Response::Clamp, Response::Absolute, Response::Signed};
    for (int i = 0; i < 56; ++i) {
        const int side = 5 + i * 7 % 29;
        Case what;
        what.kernel = kernelOfTerms(side, 1);
        for (int tap = 0; i % 3 == 0 && tap < side * side; ++tap)
            what.kernel.taps[std::size_t(tap)] = (tap % side * 5 % 7 - 1) * (1 + tap / side % 3);
        if (i % 5 == 0)
            what.kernel.anchorX = i % side;
        std::tie(what.width, what.height) = extents[std::size_t(i) % extents.size()];
        what.channels = 1;
        what.source = what.target = Depth::U8;
        what.border = borders[std::size_t(i) % borders.size()];
        what.finish = averaging(what.kernel);
        if (i / 4 % 2 == 0)
            what.finish.divisor =
                (i / 8 % 2 == 0 ? 1.0f : -1.0f) * std::exp2(std::ceil(std::log2(what.finish.divisor)));
        what.finish.offset = i % 7 == 0 ? 3.25f : float(i % 5);
        what.finish.response = responses[std::size_t(i / 2 % 3)];
        if (i % 6 == 1 && what.width > 30)
            what.region = {i % 19, i % 5, what.width - 19, what.height - 7};
        const Rectangle all = what.resolvedRegion();
        const int some = std::min(all.width, 48); // columns at both ends and in the middle, in all rows
        check(what, {{all.x, all.y, some, all.height},
                     {all.x + (all.width - some) / 2, all.y, some, all.height},
                     {all.x + all.width - some, all.y, some, all.height}});
    }
    finish(isSlow(engine()) ? 1 : 40);
}

void EngineContractTest::largePicture() {
    const int width = 3840, height = 2160;
    // The corners and places where tiles of common sizes meet, for any tile.
    const std::vector<Rectangle> checked{
        {0, 0, 40, 20},       {width - 40, 0, 40, 20}, {0, height - 20, 40, 20}, {width - 40, height - 20, 40, 20},
        {1900, 1010, 50, 40}, {0, 1075, 70, 8},        {2047, 0, 4, 70}};
    const std::array<std::pair<ConvolutionKernel, PixelFormat>, 9> jobs{
        {{kernelOf({3, 3, 1, 1}, random_), {Depth::F32, 1}},
         {kernelOf({5, 5, 2, 2}, random_), {Depth::F32, 1}},
         {kernelOf({7, 7, 3, 3}, random_), {Depth::F32, 1}},
         {kernelOf({7, 7, 3, 3}, random_), {Depth::U8, 1}},
         {kernelOf({5, 5, 2, 2}, random_), {Depth::U8, 3}},
         {kernelOf({13, 9, 6, 4}, random_), {Depth::F32, 1}},
         {kernelOf({31, 31, 15, 15}, random_), {Depth::U8, 1}},
         {kernelOfTerms(31, 1), {Depth::F32, 1}},
         {kernelOfTerms(9, 1), {Depth::U8, 1}}}};
    for (const auto &[kernel, format] : jobs) {
        Case what;
        what.width = width;
        what.height = height;
        what.channels = format.channels;
        what.source = what.target = format.depth;
        what.border.mode = BorderMode::Reflect101;
        what.kernel = kernel;
        what.finish = averaging(what.kernel);
        if (isSlow(engine()))
            what.region = {width - 9, height - 6, 9, 6};
        check(what, isSlow(engine()) ? std::vector<Rectangle>{} : checked);
    }
    finish(3);
}

// 8-bit pictures of one and three channels, for which a variant may have a form of its own that small ones never see:
// every border, response and kind of divisor, widths that end anywhere in a vector, whole pictures and regions.
// Of kernels that engines go about by transforms, at any place but the middle, where the picture is folded at its ends.
void EngineContractTest::originsOfLargeKernels() {
    for (const BorderMode mode : {BorderMode::Reflect, BorderMode::Reflect101})
        for (const auto &[anchorX, anchorY] : {std::pair{0, 0}, {60, 12}, {30, 60}}) {
            Case what;
            what.width = 320;
            what.height = 309;
            what.border.mode = mode;
            what.kernel = kernelOf({61, 61, anchorX, anchorY}, random_);
            what.finish = averaging(what.kernel);
            if (isSlow(engine()))
                what.region = {310, 303, 10, 6};
            const Rectangle all = what.resolvedRegion();
            check(what, {{all.x, all.y + all.height - std::min(all.height, 60), std::min(all.width, 20),
                          std::min(all.height, 60)}});
        }
    const bool takesAll = engine().deviceKind() == DeviceKind::Cpu;
    QVERIFY(ran_ == 6 || (!takesAll && (refused_ > 0 || isSlow(engine()))));
}

void EngineContractTest::largeLevels() {
    constexpr std::array responses{Response::Clamp, Response::Absolute, Response::Signed};
    constexpr std::array sides{3, 5, 7, 3, 5};
    for (int i = 0; i < 2 * int(sides.size()); ++i) {
        const int side = sides[std::size_t(i) % sides.size()];
        Case what;
        what.width = 2640 + i % 4 * 5;
        what.height = 1700 + i;
        what.channels = i % int(sides.size()) < 3 ? 1 : 3;
        what.border = borders[std::size_t(i) % borders.size()];
        what.kernel = kernelOf({side - i / 7, side, side / 2, side / 2}, random_);
        for (int tap = 0; i % 3 == 1 && tap < int(what.kernel.taps.size()); ++tap)
            what.kernel.taps[std::size_t(tap)] = tap * 5 % 7 - 2;
        what.finish = averaging(what.kernel);
        if (i % 3 == 1)
            what.finish.divisor = i % 2 == 0 ? 2.0f : 6.0f;
        what.finish.offset = i % 4 == 3 ? 0.25f : float(i % 4);
        what.finish.response = responses[std::size_t(i / 2 % 3)];
        if (isSlow(engine()))
            what.region = {what.width - 9, what.height - 6, 9, 6};
        else if (i >= int(sides.size()))
            what.region = {i % 2 * 16, 3, what.width - 21, what.height - 4};
        const auto [x, y, width, height] = what.resolvedRegion();
        const std::vector<Rectangle> checked{{x, y, 40, 20},
                                             {x + width - 40, y, 40, 20},
                                             {x, y + height - 20, 40, 20},
                                             {x + width - 40, y + height - 20, 40, 20},
                                             {x + 1000, y + 90, 60, 40},
                                             {x + 1260, y + 700, 40, 30}};
        check(what, isSlow(engine()) ? std::vector<Rectangle>{} : checked);
    }
    finish(3);
}

void EngineContractTest::impulseSettlesOrientation() {
    // Correlation: the impulse's picture is the kernel rotated by 180 degrees.
    std::vector<double> impulse(25, 0.0);
    impulse[12] = 1;
    const ConvolutionKernel kernel = kernelFromTaps(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const std::vector<double> expected{0, 0, 0, 0, 0, 0, 9, 8, 7, 0, 0, 6, 5, 4, 0, 0, 3, 2, 1, 0, 0, 0, 0, 0, 0};
    for (const Depth depth : depths)
        QCOMPARE(convolveNumbers(engine(), variant(), 5, 5, impulse, kernel, {BorderMode::Zero, 0.0}, depth), expected);
    // An even kernel reaches further to the left and up; its anchor is (1, 1) of 2x2.
    const ConvolutionKernel even = kernelFromTaps(2, 2, {1, 2, 3, 4});
    const std::vector<double> expectedEven{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0};
    QCOMPARE(convolveNumbers(engine(), variant(), 5, 5, impulse, even, {BorderMode::Zero, 0.0}, Depth::U8),
             expectedEven);
}

// of the source documents.
void EngineContractTest::workedExamples() {
    std::vector<double> numbers;
    for (int i = 1; i <= 16; ++i)
        numbers.push_back(i);
    const ConvolutionKernel kernel = kernelFromTaps(3, 3, {1, 0, 1, 0, 1, 0, 1, 0, 1});
    for (const Depth depth : depths) {
        const std::vector<double> padded =
            convolveNumbers(engine(), variant(), 4, 4, numbers, kernel, {BorderMode::Zero, 0.0}, depth);
        QCOMPARE(padded[3], 11.0); // row 0, column 3
        const std::vector<double> interior{padded[5], padded[6], padded[9], padded[10]};
        QCOMPARE(interior, (std::vector<double>{30, 35, 50, 55}));
    }
}

// Sums of whole numbers fit a float exactly; so does their half: even the ties must come out as in float64.
void EngineContractTest::integerTapsAreExact() {
    std::uniform_int_distribution<int> tap(-3, 4);
    GuardedPicture source(64, 24, {Depth::U8, 3}, 1), expected(64, 24, {Depth::U8, 3}, 0),
        actual(64, 24, {Depth::U8, 3}, 0);
    source.fillRandom(random_);
    ConvolutionKernel kernel = kernelFromTaps(3, 3, std::vector<double>(9));
    for (double &value : kernel.taps)
        value = tap(random_);
    kernel.taps[4] = 5;
    ConvolutionJob job;
    job.source = std::as_const(source).view();
    job.target = expected.view();
    job.region = job.source.bounds();
    job.kernel = &kernel;
    job.finish.divisor = 2.0f;
    job.variant = {};
    convolveReference(job);
    job.target = actual.view();
    const std::string name = variant();
    job.variant = name;
    engine().convolve(job, {});
    if (name.find("half2") != std::string::npos || !isExact(name))
        return; // sums beyond 2048 are no longer whole in half; runCase() holds these variants to their own bound
    int ties = 0;
    for (int y = 0; y < 24; ++y)
        for (int x = 0; x < 64; ++x)
            for (int c = 0; c < 3; ++c) {
                const double value = referenceValue(job, x, y, c);
                ties += value - std::floor(value) == 0.5 ? 1 : 0;
                QCOMPARE(actual.at(x, y, c), expected.at(x, y, c));
            }
    QVERIFY(ties > 100);
}

void EngineContractTest::severalThreadsAtOnce() {
    std::vector<std::string> failures(4);
    std::vector<std::thread> threads;
    Engine &shared = engine();
    const std::string name = variant();
    for (std::size_t i = 0; i < failures.size(); ++i) {
        Random own(random_());
        threads.emplace_back([&failures, &shared, &name, i, own]() mutable {
            for (int round = 0; round < 5; ++round) {
                Case what;
                what.width = 31 + round;
                what.height = 19;
                what.channels = int(i) + 1;
                what.kernel = randomKernel(3 + 2 * int(i % 2), 3, own);
                what.finish = averaging(what.kernel);
                failures[i] += runCase(shared, name, what, own).failure;
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    for (const std::string &failure : failures)
        QVERIFY2(failure.empty(), failure.c_str());
}

void EngineContractTest::refusesWhatItCannotDo() {
    GuardedPicture source(4, 4, {Depth::U8, 1}, 0), target(4, 4, {Depth::U8, 1}, 0);
    source.fillRandom(random_);
    const ConvolutionKernel kernel = kernelFromTaps(1, 1, {1});
    ConvolutionJob job;
    job.source = std::as_const(source).view();
    job.target = target.view();
    job.region = job.source.bounds();
    job.kernel = &kernel;
    const auto kindOf = [&] {
        try {
            engine().convolve(job, {});
        } catch (const Error &error) {
            return error.kind();
        }
        return ErrorKind::Output; // stands for "nothing was thrown"
    };
    job.variant = "no-such-variant";
    QCOMPARE(kindOf(), ErrorKind::Usage);
    const std::string name = variant();
    job.variant = name;
    job.finish.divisor = 0.0f;
    QCOMPARE(kindOf(), ErrorKind::Usage);
    job.finish.divisor = 1.0f;
    job.region = {1, 1, 4, 4};
    QCOMPARE(kindOf(), ErrorKind::Internal);
    job.region = {0, 0, 3, 4};
    QCOMPARE(kindOf(), ErrorKind::Internal);
    for (int i = 0; i < 16; ++i) // nothing was written by any of them
        QCOMPARE(target.at(i % 4, i / 4, 0), double(0xA7));
}

void EngineContractTest::cancels() {
    GuardedPicture source(64, 64, {Depth::U8, 1}, 0), target(64, 64, {Depth::U8, 1}, 0);
    source.fillRandom(random_);
    const ConvolutionKernel kernel = kernelFromTaps(3, 3, std::vector<double>(9, 1.0));
    ConvolutionJob job;
    job.source = std::as_const(source).view();
    job.target = target.view();
    job.region = job.source.bounds();
    job.kernel = &kernel;
    const std::string name = variant();
    job.variant = name;
    std::stop_source stop;
    stop.request_stop();
    bool cancelled = false;
    try {
        engine().convolve(job, RunControl{stop.get_token(), {}});
    } catch (const Error &error) {
        cancelled = error.kind() == ErrorKind::Cancelled;
    }
    QVERIFY(cancelled);
}

QTEST_GUILESS_MAIN(EngineContractTest)
#include "engine_contract_test.moc"
