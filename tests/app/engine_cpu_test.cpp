// What the CPU engine promises beyond the contract: the same bits for any number of threads and any cut into regions,
// every algorithm right on every instruction set of the machine, and cancellation in the middle.
#include "app/engines/cpu/cpu_engine.h"
#include "app/engines/reference.h"
#include "app/stats/level_counts.h"
#include "tests/app/engine_cpu_support.h"

#include <QTest>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tessera;
using namespace tessera::test;

namespace {

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
    void wideRowsAreReadInPlace_data() { kernelRows(); }
    void wideRowsAreReadInPlace();
    void largeResultsAreStreamed();
    void everyInstructionSet_data();
    void everyInstructionSet();
    void valuesThatAreNotFiniteStayWhereTheyAre();
    void theBrightDoNotShowInTheFaint();
    void unknownInstructionSetIsAnError();
    void countsWhatItStores_data();
    void countsWhatItStores();
    void cancelsInTheMiddle();
    void progressRises();

private:
    void kernelRows() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(namedKernels().size()); ++i)
            QTest::addRow("%s", namedKernels()[std::size_t(i)].name) << i;
    }
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
    std::vector<std::pair<int, int>> steps{{157, 1}, {1, 131}, {64, 64}, {37, 29}, {100, 8}};
    for (const std::string &set : cpuInstructionSets()) {
        const auto engine = makeCpuEngine(ThreadPool::shared(), set);
        convolveInto(*engine, work, work.job.region, whole.view());
        for (const auto &[stepX, stepY] : steps) {
            pieces.poison();
            for (int y = 0; y < height; y += stepY)
                for (int x = 0; x < width; x += stepX)
                    convolveInto(*engine, work, {x, y, std::min(stepX, width - x), std::min(stepY, height - y)},
                                 pieces.view());
            QVERIFY2(samePixels(whole.view(), pieces.view()),
                     qPrintable(QString("%1, pieces of %2x%3").arg(set.c_str()).arg(stepX).arg(stepY)));
        }
        steps = {{37, 29}}; // all cuts on the best set, one on the others
    }
}

// Wide float pictures are read where they lie but for their ends; what is narrower goes through a buffer. The same
// bits, and right ones, on every instruction set.
void EngineCpuTest::wideRowsAreReadInPlace() {
    QFETCH(int, index);
    const Named &named = namedKernels()[std::size_t(index)];
    const int width = 2500, height = 40;
    for (const std::string &set : cpuInstructionSets()) {
        const auto engine = makeCpuEngine(ThreadPool::shared(), set);
        Work work(width, height, {Depth::F32, 1 + index % 3}, named.kernel, BorderMode(index % 6), random_);
        if (work.job.finish.divisor == 0.0f)
            work.job.finish.divisor = 1.0f;
        GuardedPicture whole(width, height, work.job.source.format, 0),
            pieces(width, height, work.job.source.format, 2);
        convolveInto(*engine, work, work.job.region, whole.view());
        for (int x = 0; x < width; x += 199)
            convolveInto(*engine, work, {x, 0, std::min(199, width - x), height}, pieces.view());
        QVERIFY2(samePixels(whole.view(), pieces.view()), set.c_str());
        double gain = 0;
        for (const double tap : named.kernel.taps)
            gain += std::fabs(tap / double(work.job.finish.divisor));
        ConvolutionJob job = work.job;
        for (int x = 0; x < width; x += x < 80 || x > width - 90 ? 1 : 37)
            QVERIFY(std::fabs(whole.at(x, x % height, 0) - referenceValue(job, x, x % height, 0)) <= 1e-5 * (1 + gain));
        QVERIFY(whole.guardsIntact());
    }
}

// Past the caches, into memory that is aligned for it, which guarded pictures are not.
void EngineCpuTest::largeResultsAreStreamed() {
    const int width = 4096, height = 2100;
    Work work(width, height, {Depth::F32, 1}, randomKernel(3, 3, random_), BorderMode::Reflect, random_);
    Image whole(width, height, {Depth::F32, 1}), part(700, 300, {Depth::F32, 1});
    for (const std::string &set : cpuInstructionSets()) {
        const auto engine = makeCpuEngine(ThreadPool::shared(), set);
        std::memset(whole.view().data, 0xA7, whole.bytes());
        convolveInto(*engine, work, work.job.region, whole.view());
        for (const auto &[x, y] : {std::pair{0, 0}, {1700, 900}, {width - 700, height - 300}}) {
            ConvolutionJob job = work.job;
            job.region = {x, y, 700, 300};
            job.target = part.view();
            engine->convolve(job, {});
            QVERIFY2(samePixels(std::as_const(whole).view().part(job.region), std::as_const(part).view()), set.c_str());
        }
    }
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

// A sun in a dim landscape: everything else keeps the exactness of its own terms. With the instruction set of every
// kind, as each finds the largest value in its own way.
void EngineCpuTest::theBrightDoNotShowInTheFaint() {
    const int width = 600, height = 500;
    ConvolutionKernel kernel = randomKernel(31, 31, random_);
    for (double &tap : kernel.taps)
        tap = std::fabs(tap);
    for (const int channels : {1, 3})
        for (const std::string &set : cpuInstructionSets()) {
            Work work(width, height, {Depth::F32, channels}, kernel, BorderMode::Reflect, random_);
            QCOMPARE(int(planFor(work.kernel, channels).method), int(cpu::Method::Fourier));
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x)
                    for (int c = 0; c < channels; ++c)
                        work.source.set(x, y, c, 0.001 + 0.001 * std::fabs(work.source.at(x, y, c)));
            work.source.set(300, 250, 0, -1e5);
            GuardedPicture target(width, height, {Depth::F32, channels}, 0);
            convolveInto(*makeCpuEngine(ThreadPool::shared(), set), work, work.job.region, target.view());
            for (int y = 0; y < height; y += 7)
                for (int x = 0; x < width; x += 5) {
                    if (std::abs(x - 300) <= 15 && std::abs(y - 250) <= 15)
                        continue;
                    const double expected = referenceValue(work.job, x, y, 0);
                    QVERIFY2(
                        std::fabs(target.at(x, y, 0) - expected) <= 1e-4 * expected,
                        qPrintable(QString("%1 for %2 at %3, %4").arg(target.at(x, y, 0)).arg(expected).arg(x).arg(y)));
                }
        }
}

void EngineCpuTest::unknownInstructionSetIsAnError() {
    QVERIFY_EXCEPTION_THROWN(makeCpuEngine(ThreadPool::shared(), "AVX9"), Error);
    QVERIFY(!cpuInstructionSets().empty());
}

void EngineCpuTest::countsWhatItStores_data() { kernelRows(); }

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
