// What a job reads of its picture: the rest may be anything, and the result is the same.
#include "app/engines/reference.h"
#include "app/engines/source_window.h"
#include "tests/app/engine_test_support.h"

#include <QTest>

#include <algorithm>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr BorderMode modes[] = {BorderMode::Zero,    BorderMode::Constant,   BorderMode::Replicate,
                                BorderMode::Reflect, BorderMode::Reflect101, BorderMode::Wrap};

int between(Random &random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

// The picture's rim, its inside, or anything.
int place(Random &random, int size, int length) {
    const int room = size - length;
    switch (between(random, 0, 2)) {
    case 0:
        return 0;
    case 1:
        return room;
    default:
        return between(random, 0, room);
    }
}

ConvolutionJob jobFor(const GuardedPicture &picture, const ConvolutionKernel &kernel, Border border,
                      const Rectangle &region) {
    ConvolutionJob job;
    job.source = picture.view();
    job.region = region;
    job.kernel = &kernel;
    job.border = border;
    return job;
}

} // namespace

class EngineSourceWindowTest : public QObject {
    Q_OBJECT

private slots:
    void givesTheSameResult_data();
    void givesTheSameResult();
    void isNoLargerThanNeeded();
    void beginsAtMultiples();
};

void EngineSourceWindowTest::givesTheSameResult_data() {
    QTest::addColumn<int>("mode");
    for (const BorderMode mode : modes)
        QTest::newRow(std::string(borderName(mode)).c_str()) << int(mode);
}

void EngineSourceWindowTest::givesTheSameResult() {
    QFETCH(int, mode);
    Random random(7 + std::uint64_t(mode));
    int smaller = 0;
    for (int i = 0; i < 400; ++i) {
        const int width = between(random, 1, 40), height = between(random, 1, 40);
        GuardedPicture picture(width, height, {Depth::U8, 1}, 3);
        picture.fillRandom(random);
        ConvolutionKernel kernel = randomKernel(between(random, 1, 11), between(random, 1, 11), random);
        kernel.anchorX = between(random, 0, kernel.width - 1);
        kernel.anchorY = between(random, 0, kernel.height - 1);
        Rectangle region{0, 0, between(random, 1, width), between(random, 1, height)};
        region.x = place(random, width, region.width);
        region.y = place(random, height, region.height);
        ConvolutionJob job = jobFor(picture, kernel, {BorderMode(mode), 9}, region);
        const Rectangle window = sourceWindow(job, i % 2 ? 16 : 1);
        smaller += window.width * window.height < width * height;
        ConvolutionJob part = job;
        part.source = job.source.part(window);
        part.region.x -= window.x;
        part.region.y -= window.y;
        for (int y = 0; y < region.height; ++y)
            for (int x = 0; x < region.width; ++x) {
                const double whole = referenceValue(job, region.x + x, region.y + y, 0);
                QCOMPARE(referenceValue(part, part.region.x + x, part.region.y + y, 0), whole);
            }
    }
    QVERIFY(smaller > 100);
}

void EngineSourceWindowTest::isNoLargerThanNeeded() {
    Random random(3);
    GuardedPicture picture(500, 300, {Depth::U8, 3}, 0);
    const ConvolutionKernel kernel = randomKernel(7, 5, random); // origin at (3, 2)
    const auto window = [&](BorderMode mode, const Rectangle &region) {
        return sourceWindow(jobFor(picture, kernel, {mode, 0}, region));
    };
    for (const BorderMode mode : modes)
        QCOMPARE(window(mode, {100, 50, 20, 10}), (Rectangle{97, 48, 26, 14}));
    QCOMPARE(window(BorderMode::Zero, {0, 0, 20, 10}), (Rectangle{0, 0, 23, 12}));
    QCOMPARE(window(BorderMode::Replicate, {490, 290, 10, 10}), (Rectangle{487, 288, 13, 12}));
    QCOMPARE(window(BorderMode::Wrap, {0, 50, 20, 10}), (Rectangle{0, 48, 500, 14}));
    for (const BorderMode mode : modes)
        QCOMPARE(window(mode, {0, 0, 500, 300}), (Rectangle{0, 0, 500, 300}));
}

void EngineSourceWindowTest::beginsAtMultiples() {
    Random random(4);
    GuardedPicture picture(500, 300, {Depth::U8, 1}, 0);
    const ConvolutionKernel kernel = randomKernel(7, 5, random);
    const auto lead = [&](int x) {
        const ConvolutionJob job = jobFor(picture, kernel, {BorderMode::Zero, 0}, {x, 50, 20, 10});
        return x - sourceWindow(job, 16).x;
    };
    QCOMPARE(lead(100), 16);
    QCOMPARE(lead(16), 16);
    QCOMPARE(lead(9), 9); // the picture begins there
    QCOMPARE(lead(2), 2);
}

QTEST_APPLESS_MAIN(EngineSourceWindowTest)
#include "engine_source_window_test.moc"
