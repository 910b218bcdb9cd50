// Every lesson in the simulator: right for any length and start, free of faults in any order of the threads; and the
// accesses that the source documents work out by hand.
#include "gpu/launch/lesson_dispatch.h"
#include "tests/sim/ladder_support.h"

#include <QtTest>

#include <set>

using namespace tessera;
using namespace tessera::sim;

namespace {

struct Run {
    LessonOperands operands;
    Array<float> first, second, target, workspace;
    Array<unsigned long long> counter;
    LessonInfo lesson;

    Run(const LessonInfo &info, std::int64_t count, int firstOffset, int targetOffset, bool integers)
        : first(lessonFirstFloats(info.group, count), firstOffset),
          second(lessonSecondFloats(info.group, count), firstOffset),
          target(std::int64_t(lessonTargetBytes(info.group, count) / sizeof(float)), targetOffset),
          workspace(std::int64_t(lessonWorkspaceBytes(info, count, {}) / sizeof(float)), 1), counter(1, 0),
          lesson(info) {
        for (Array<float> *array : {&first, &second})
            integers ? fillWithIntegers(*array, 41) : fillWithReals(*array, 42, -2.0f, 1.0f);
        operands.first = first.data();
        operands.second = second.data();
        operands.target = info.group == LessonGroup::CountAbove ? static_cast<void *>(counter.data()) : target.data();
        operands.workspace = workspace.data();
        operands.count = count;
        operands.parameter = info.group == LessonGroup::CountAbove ? -0.25f : 1.5f;
        operands.field = info.group == LessonGroup::RecordField ? 6 : info.group == LessonGroup::ChannelGain ? 2 : 0;
    }

    double error() const {
        LessonExpectation expected = lessonExpectation(lesson, operands);
        if (lesson.group == LessonGroup::ArraySum && integersOnly())
            expected.tolerance = 0;
        const double worst = lessonError(lesson, operands, expected);
        return worst > expected.tolerance ? worst : 0;
    }
    // Nothing beside the lesson's own outputs was written.
    bool restUntouched() const {
        if (!first.guardsIntact() || !second.guardsIntact() || !target.guardsIntact() || !workspace.guardsIntact() ||
            !counter.guardsIntact())
            return false;
        if (lesson.group != LessonGroup::ChannelGain)
            return true;
        std::set<std::int64_t> written;
        for (std::int64_t i = 0; i < operands.count; ++i)
            written.insert(lessonTargetIndex(lesson, operands, i));
        for (std::size_t i = 0; i < target.size(); ++i)
            if (!written.contains(std::int64_t(i)) && !Array<float>::untouched(target[i]))
                return false;
        return true;
    }

private:
    bool integersOnly() const {
        return std::all_of(first.data(), first.data() + first.size(),
                           [](float value) { return value == std::rint(value); });
    }
};

std::uint64_t loads(const SimulationReport &report) {
    return report.total(AccessKind::GlobalLoad, &SiteCounts::accesses);
}
std::uint64_t sectors(const SimulationReport &report) {
    return report.total(AccessKind::GlobalLoad, &SiteCounts::sectors);
}

SimulationReport simulate(Run &run, ThreadOrder order = ThreadOrder::Forward) {
    RecordingLauncher launcher(order);
    for (const SimLesson &lesson : lessons())
        if (lesson.info->name == run.lesson.name)
            lesson.launch(run.operands, launcher);
    return launcher.report();
}

} // namespace

class LadderLessonsTest : public QObject {
    Q_OBJECT

private slots:
    void theTableIsWhole() {
        QCOMPARE(lessons().size(), lessonList().size());
        std::set<std::string_view> names;
        for (std::size_t i = 0; i < lessonList().size(); ++i) {
            const LessonInfo &info = lessonList()[i];
            QVERIFY(names.insert(info.name).second);
            QVERIFY(!info.title.empty() && info.change.ends_with('.'));
            QCOMPARE(lessons()[i].info, &info);
            QCOMPARE(findLesson(info.name), &info);
            QVERIFY(info.step == 0 ||
                    (lessonList()[i - 1].group == info.group && lessonList()[i - 1].step == info.step - 1));
            QVERIFY(!lessonGroupTitle(info.group).empty() && lessonGroupTitle(info.group) != "unknown");
            QVERIFY(lessonCost(info.group, 100).bytes > 0);
        }
        QVERIFY(!findLesson("sum-v8"));
    }

    void rightForAnyLengthAndStart_data() {
        QTest::addColumn<QString>("name");
        for (const LessonInfo &info : lessonList())
            QTest::newRow(info.name.data()) << QString::fromLatin1(info.name.data(), qsizetype(info.name.size()));
    }
    void rightForAnyLengthAndStart() {
        QFETCH(QString, name);
        const LessonInfo &info = *findLesson(name.toStdString());
        for (const std::int64_t count : {0, 1, 2, 3, 5, 31, 32, 33, 255, 256, 257, 1000, 4099})
            for (const auto &[firstOffset, targetOffset] : {std::pair{0, 0}, {1, 1}, {2, 3}, {3, 0}})
                for (const bool integers : {true, false}) {
                    std::vector<float> output;
                    for (const ThreadOrder order : allOrders) {
                        Run run(info, count, firstOffset, targetOffset, integers);
                        QCOMPARE(lessonRefusal(info, run.operands), std::string());
                        const auto report = simulate(run, order);
                        if (report.faultCount > 0)
                            QFAIL(report.faults.front().what.c_str());
                        QCOMPARE(run.error(), 0.0);
                        QVERIFY(run.restUntouched());
                        std::vector<float> now(run.target.data(), run.target.data() + run.target.size());
                        if (order != ThreadOrder::Forward) // to the bit, poison included
                            QVERIFY(now.empty() || std::memcmp(now.data(), output.data(), 4 * now.size()) == 0);
                        output = now;
                    }
                }
    }

    void manyLaunchesOfTheLadder() { // V0 leaves 586 values, then three, then one
        for (const char *name : {"sum-v0", "sum-v2", "max-v3", "sum-v6", "sum-v7", "max-v7"}) {
            Run run(*findLesson(name), 150'003, 3, 0, true);
            QCOMPARE(simulate(run).faultCount, 0u);
            QCOMPARE(run.error(), 0.0);
            QVERIFY(run.restUntouched());
        }
    }

    void specialValues() {
        Run run(*findLesson("max-v7"), 100, 0, 0, false);
        run.first[17] = std::numeric_limits<float>::quiet_NaN(); // no number: passed over
        run.first[3] = 7.0f;
        QCOMPARE(simulate(run).faultCount, 0u);
        QCOMPARE(run.target[0], 7.0f);
        Run empty(*findLesson("max-v2"), 0, 0, 0, false);
        simulate(empty);
        QCOMPARE(empty.target[0], -std::numeric_limits<float>::infinity());
    }

    void refusals() {
        const LessonInfo &info = *findLesson("field-aos");
        Run run(info, 10, 0, 0, true);
        run.operands.field = 8;
        QVERIFY(lessonRefusal(info, run.operands).find("no field 8") != std::string::npos);
        run.operands.field = 7;
        run.operands.count = maximumLessonCount + 1;
        QVERIFY(lessonRefusal(info, run.operands).find("1073741824") != std::string::npos);
        run.operands.count = 10;
        run.operands.first = nullptr;
        QVERIFY(!lessonRefusal(info, run.operands).empty());
        Run sum(*findLesson("sum-v0"), 1000, 0, 0, true);
        sum.operands.workspace = nullptr;
        QVERIFY(!lessonRefusal(sum.lesson, sum.operands).empty());
    }

    void theReferenceSeesErrors() { // or the tests above could not fail
        for (const LessonInfo &info : lessonList()) {
            Run run(info, 100, 0, 0, true);
            simulate(run);
            QCOMPARE(run.error(), 0.0);
            const LessonExpectation expected = lessonExpectation(info, run.operands);
            const std::int64_t index = lessonTargetIndex(info, run.operands, std::int64_t(expected.values.size()) - 1);
            if (info.group == LessonGroup::CountAbove)
                run.counter[0] += 1;
            else
                run.target[std::size_t(index)] += 0.001f;
            QVERIFY(run.error() > 0.0);
        }
    }

    // B-5.2.1: 1024 floats.
    void scalarAndVectorLoads() {
        Run scalar(*findLesson("scale-scalar"), 1024, 0, 0, true),
            vector(*findLesson("scale-float4"), 1024, 0, 0, true);
        const auto one = simulate(scalar), four = simulate(vector);
        QCOMPARE(loads(one), 1024u);
        QCOMPARE(loads(four), 256u);
        for (const auto &report : {one, four}) {
            QCOMPARE(report.total(AccessKind::GlobalLoad, &SiteCounts::bytes), 4096u);
            QCOMPARE(report.total(AccessKind::GlobalStore, &SiteCounts::bytes), 4096u);
            QCOMPARE(sectors(report), 128u);
        }
        QCOMPARE(one.total(AccessKind::GlobalLoad, &SiteCounts::requests), 32u);
        QCOMPARE(four.total(AccessKind::GlobalLoad, &SiteCounts::requests), 8u);
    }

    // B-5.2: arrays that do not begin alike go one by one; those that do lose no more than their ends.
    void unalignedVectorLoads() {
        Run apart(*findLesson("scale-float4"), 1000, 1, 0, true), alike(*findLesson("scale-float4"), 1000, 1, 1, true);
        QCOMPARE(loads(simulate(apart)), 1000u);
        QCOMPARE(apart.error(), 0.0);
        QCOMPARE(loads(simulate(alike)), std::uint64_t(3 + 249 + 1));
        QCOMPARE(alike.error(), 0.0);
        Run luma(*findLesson("luma-float4"), 100, 2, 0, false);
        QCOMPARE(loads(simulate(luma)), 300u); // channel by channel
        QCOMPARE(luma.error(), 0.0);
    }

    // C-1: 1000 elements by 4 x 256 threads, 24 of them idle, or by 2 x 128 in grid strides.
    void boundsCheckAndGridStride() {
        Array<float> source(1000, 0), bounded(1000, 0), strided(1000, 0);
        fillWithIntegers(source, 43);
        const auto elements = [&](Array<float> &target) {
            return Elements<ScaleBy>{source.constRow(), {}, target.row(), {2.0f}};
        };
        const auto whole = record(planElements(1000, 256), ElementsScalar<ScaleBy>{elements(bounded)});
        const auto few = record(rowOfBlocks(2, 128), ElementsStrided<ScaleBy>{elements(strided)});
        QCOMPARE(whole.threads, 1024u);
        QCOMPARE(whole.threads - loads(whole), 24u);
        QCOMPARE(whole.divergentBranches, 1u); // the warp of elements 992 to 1023
        QCOMPARE(few.threads, 256u);
        QCOMPARE(loads(few), 1000u);
        QVERIFY(std::memcmp(bounded.data(), strided.data(), 4000) == 0);
        QCOMPARE(bounded[999], 2.0f * source[999]);
    }

    // A-q2, A-18.2: four threads, 16 bytes moved at once.
    void oneFieldOfFourRecords_data() {
        QTest::addColumn<int>("field");
        QTest::newRow("A-18.2.1") << 2;
        QTest::newRow("A-q2") << 6;
    }
    void oneFieldOfFourRecords() {
        QFETCH(int, field);
        Array<float> records(32, 0), target(4, 0);
        fillWithIntegers(records, 44);
        const ArrayOfStructs<const float, 8> together(records.data(), 4);
        const StructOfArrays<const float, 8> apart(records.data(), 4);
        const LaunchPlan plan = rowOfBlocks(1, 4);
        const auto aos =
            record(plan, ReadField<ArrayOfStructs, 8>{together, target.row(), field}, ThreadOrder::Forward, 16);
        QCOMPARE(target[3], records[std::size_t(3 * 8 + field)]);
        const auto soa =
            record(plan, ReadField<StructOfArrays, 8>{apart, target.row(), field}, ThreadOrder::Forward, 16);
        QCOMPARE(target[3], records[std::size_t(field * 4 + 3)]);
        QCOMPARE(sectors(aos), 4u); // 25 % of 64 bytes
        QCOMPARE(sectors(soa), 1u); // 100 % of 16
        QCOMPARE(aos.total(AccessKind::GlobalLoad, &SiteCounts::bytes), 16u);

        std::vector<std::ptrdiff_t> chunks;
        for (int record = 0; record < 4; ++record)
            chunks.push_back((together.view.address(field, record) - records.data()) / 4);
        QCOMPARE(chunks,
                 (field == 2 ? std::vector<std::ptrdiff_t>{0, 2, 4, 6} : std::vector<std::ptrdiff_t>{1, 3, 5, 7}));
        QCOMPARE((together.view.address(field, 1) - together.view.address(field, 0)) * 4, 32);
        QCOMPARE((apart.view.address(1, field) - apart.view.address(0, field)) * 4, 4);
    }

    // A whole warp: what interleaving costs a picture.
    void sectorsOfPictureLayouts() {
        const std::tuple<const char *, std::uint64_t, std::uint64_t> expected[] = {
            {"field-aos", 32, 4},        {"field-soa", 4, 4},    {"gain-interleaved", 16, 16}, {"gain-planar", 4, 4},
            {"luma-interleaved", 48, 4}, {"luma-float4", 16, 4}, {"luma-planar", 12, 4},
        };
        for (const auto &[name, read, written] : expected) {
            Run run(*findLesson(name), 32, 0, 0, true);
            const auto report = simulate(run);
            QCOMPARE(sectors(report), read);
            QCOMPARE(report.total(AccessKind::GlobalStore, &SiteCounts::sectors), written);
        }
    }

    void ballots() { // B-5.4.1
        Array<float> lanes(32, 0);
        Array<unsigned> mask(1, 0);
        for (std::size_t i = 0; i < 32; ++i)
            lanes[i] = float(i);
        const auto report = record(rowOfBlocks(1, 32), MarkAbove{lanes.constRow(), mask.row(), 10.0f});
        QCOMPARE(mask[0], 0xFFFFF800u);
        QCOMPARE(report.votes, 1u);

        const std::tuple<const char *, std::uint64_t> atomics[] = {
            {"count-atomic", 768}, {"count-ballot", 32}, {"count-grid", 32}};
        for (const auto &[name, expected] : atomics) {
            Run run(*findLesson(name), 1024, 0, 0, true);
            for (std::size_t i = 0; i < 1024; ++i)
                run.first[i] = i % 4 == 0 ? -1.0f : 1.0f;
            QCOMPARE(simulate(run).total(AccessKind::GlobalAtomic, &SiteCounts::accesses), expected);
            QCOMPARE(run.counter[0], 768ull);
        }
        Run worked(*findLesson("count-ballot"), 32, 0, 0, true);
        std::copy(lanes.data(), lanes.data() + 32, worked.first.data());
        worked.operands.parameter = 10.0f;
        simulate(worked);
        QCOMPARE(worked.counter[0], 21ull);
    }

    void masksOfAnyLength() {
        for (const int count : {1, 31, 33, 257, 1000}) {
            Array<float> source(count, 1);
            Array<unsigned> mask((count + 31) / 32, 0);
            fillWithReals(source, 45, -1.0f, 1.0f);
            const auto report = record(planElements(count, 256), MarkAbove{source.constRow(), mask.row(), 0.2f});
            QCOMPARE(report.faultCount, 0u);
            QVERIFY(mask.guardsIntact());
            for (int i = 0; i < int(mask.size()) * 32; ++i)
                QCOMPARE(bool(mask[std::size_t(i / 32)] >> (i % 32) & 1u), i < count && source[std::size_t(i)] > 0.2f);
        }
    }

    void pairsOfHalves() { // B-5.5.1
        const Half2 first(Half(1.5f), Half(2.5f)), second(Half(10.0f), Half(20.0f));
        Half2 sum;
        const auto report =
            record(rowOfBlocks(1, 32), AddHalfPairs{{&first, 1, 1, 4}, {&second, 1, 1, 4}, {&sum, 1, 1, 4}});
        QCOMPARE(report.faultCount, 0u);
        QCOMPARE(float(sum.low), 11.5f);
        QCOMPARE(float(sum.high), 22.5f);
        QCOMPARE(sizeof(Half2), std::size_t(4));
        QCOMPARE(report.total(AccessKind::GlobalLoad, &SiteCounts::bytes), 8u);
    }

    void costs() { // C-0
        QCOMPARE(lessonCost(LessonGroup::ArrayAdd, 1000).bytes, 12000);
        QCOMPARE(lessonCost(LessonGroup::ArrayAdd, 1000).operations, 1000);
    }
};

QTEST_APPLESS_MAIN(LadderLessonsTest)
#include "ladder_lessons_test.moc"
