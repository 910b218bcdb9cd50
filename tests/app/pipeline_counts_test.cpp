// The levels of a result that are counted while it is computed are those of the finished picture, or none.
#include "tests/app/pipeline_test_support.h"

#include <QTest>

using namespace tessera;
using namespace tessera::test;

class PipelineCountsTest : public QObject {
    Q_OBJECT

private slots:
    void countsAreThoseOfTheResult_data();
    void countsAreThoseOfTheResult();
};

void PipelineCountsTest::countsAreThoseOfTheResult_data() {
    QTest::addColumn<std::vector<FilterStep>>("steps");
    QTest::addColumn<PixelFormat>("format");
    QTest::addColumn<OutputDepth>("depth");
    QTest::addColumn<QString>("device");
    QTest::addColumn<bool>("counted");
    const PixelFormat rgb{Depth::U8, 3};
    const FilterStep dense = customStep(3, 2, {1, 2, 0.5, 3, -1, 2}, 7), blur = namedStep("gaussian:sigma=3");
    FilterStep redOnly = dense, linear = dense, range = dense;
    redOnly.channels = {ChannelSelection::Kind::Mask, 1};
    linear.linear = true;
    range.response = ResponseMode::Range;
    const auto row = [](const char *name, std::vector<FilterStep> steps, PixelFormat format, OutputDepth depth,
                        bool counted, const char *device = "cpu") {
        QTest::newRow(name) << std::move(steps) << format << depth << QString(device) << counted;
    };
    row("dense", {dense}, rgb, OutputDepth::Keep, true);
    row("in passes", {blur}, rgb, OutputDepth::Keep, true);
    row("a chain", {dense, blur, dense}, rgb, OutputDepth::Keep, true);
    row("grey", {dense}, {Depth::U8, 1}, OutputDepth::U8, true);
    row("alpha kept", {redOnly}, {Depth::U8, 4}, OutputDepth::Keep, true);
    row("16 bit", {dense}, {Depth::U16, 3}, OutputDepth::Keep, true);
    row("one channel", {redOnly}, rgb, OutputDepth::Keep, true);
    row("rescaled", {dense}, rgb, OutputDepth::U16, false);
    row("float result", {dense}, rgb, OutputDepth::F32, false);
    row("linear light", {linear}, rgb, OutputDepth::Keep, false);
    row("stretched", {range}, rgb, OutputDepth::Keep, false);
    row("two kernels", {namedStep("sobel")}, rgb, OutputDepth::Keep, false);
    row("no step", {}, rgb, OutputDepth::Keep, false);
    row("an engine that does not count", {dense}, rgb, OutputDepth::Keep, false, "sim");
}

void PipelineCountsTest::countsAreThoseOfTheResult() {
    QFETCH(std::vector<FilterStep>, steps);
    QFETCH(PixelFormat, format);
    QFETCH(OutputDepth, depth);
    QFETCH(QString, device);
    QFETCH(bool, counted);
    std::mt19937_64 random(5);
    const Image source = randomPicture(70, 50, format, random);
    LevelCounts counts;
    const Image result =
        runPipeline(source, steps, chooseEngine("auto", device.toStdString()), depth, {}, nullptr, &counts);
    const ImageStatistics actual = counts.statistics();
    QCOMPARE(!actual.channels.empty(), counted);
    if (!counted)
        return;
    const ImageStatistics expected = computeStatistics(result.view());
    QCOMPARE(actual.pixels, expected.pixels);
    QCOMPARE(actual.channels.size(), expected.channels.size());
    for (std::size_t c = 0; c < expected.channels.size(); ++c)
        QVERIFY(actual.channels[c].histogram == expected.channels[c].histogram);
}

QTEST_GUILESS_MAIN(PipelineCountsTest)
#include "pipeline_counts_test.moc"
