// What the CPU engine promises beyond the contract: the same bits for any number of threads and any cut into regions,
// and cancellation in the middle.
#include "app/engines/cpu/cpu_engine.h"
#include "tests/app/engine_test_support.h"

#include <QTest>

#include <atomic>
#include <cstring>

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
    {{Depth::F32, 2}, 63, 1, BorderMode::Replicate},
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
    void cancelsInTheMiddle();
    void progressRises();

private:
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
