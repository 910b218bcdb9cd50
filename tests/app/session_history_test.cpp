#include "app/session/document.h"

#include <QTest>

#include <memory>
#include <random>

using namespace tessera;

namespace {

FilterStep step(const char *text) {
    FilterStep made;
    made.filter = parseFilter(text);
    return made;
}

AnalysedPicture tinyPicture() {
    auto image = std::make_shared<Image>(4, 4, PixelFormat{Depth::U8, 1});
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x)
            image->view().row<std::uint8_t>(y)[x] = std::uint8_t(16 * y + x);
    return analysePicture(image);
}

class SessionHistoryTest : public QObject {
    Q_OBJECT

private slots:
    void everyOperationGoesBackAndForth();
    void aRandomDayCanBeUndoneAndRedone();
    void dragsMergeUntilSealed();
    void modifiedFollowsTheSavedState();
    void selectionStaysValid();
    void aResultBelongsToItsChain();
};

void SessionHistoryTest::everyOperationGoesBackAndForth() {
    const Chain start{{step("gaussian:sigma=2"), step("sobel"), step("sharpen")}, OutputDepth::Keep};
    const Operation operations[] = {
        {"replace", {}, ReplaceStep{1, start.steps[1], step("emboss")}},
        {"insert", {}, InsertStep{3, step("outline")}},
        {"insert first", {}, InsertStep{0, step("outline")}},
        {"remove", {}, RemoveStep{0, start.steps[0]}},
        {"move down", {}, MoveStep{0, 2}},
        {"move up", {}, MoveStep{2, 0}},
        {"depth", {}, ChangeDepth{OutputDepth::Keep, OutputDepth::F32}},
        {"area", {}, ChangeArea{std::nullopt, Rectangle{3, 4, 20, 10}}},
        {"chain", {}, ReplaceChain{start, Chain{{step("identity")}, OutputDepth::U16}}},
    };
    for (const Operation &operation : operations) {
        Chain chain = start;
        applyOperation(chain, operation);
        QVERIFY2(!(chain == start), operation.text.c_str());
        revertOperation(chain, operation);
        QVERIFY2(chain == start, operation.text.c_str());
    }
    Chain moved = start;
    applyOperation(moved, operations[4]);
    QCOMPARE(moved.steps[2].filter.name, std::string("gaussian"));
    QCOMPARE(moved.steps[0].filter.name, std::string("sobel"));
}

void SessionHistoryTest::aRandomDayCanBeUndoneAndRedone() {
    const char *const filters[] = {"gaussian:sigma=1", "box", "sobel", "emboss", "sharpen"};
    for (unsigned seed = 1; seed <= 50; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](std::size_t limit) { return std::size_t(random() % limit); };
        Document document(tinyPicture(), "tiny");
        std::vector<Chain> states{document.chain()};
        for (int i = 0; i < 60; ++i) {
            const std::size_t count = document.chain().steps.size();
            switch (random() % 6) {
            case 0:
                document.addStep(parseFilter(filters[below(5)]));
                break;
            case 1:
                document.removeStep(count ? below(count) : 0);
                break;
            case 2:
                document.moveStep(count ? below(count) : 0, count ? below(count) : 0);
                break;
            case 3:
                document.setDepth(OutputDepth(below(4)));
                break;
            case 4:
                document.selectStep(count ? below(count) : 0);
                break;
            default:
                document.setFilter(parseFilter(filters[below(5)]));
            }
            if (!(document.chain() == states.back()))
                states.push_back(document.chain());
        }
        for (std::size_t i = states.size(); i-- > 1;) {
            QVERIFY(document.chain() == states[i]);
            document.undo();
        }
        QVERIFY(document.chain() == states.front());
        QVERIFY(!document.history().canUndo());
        for (const Chain &state : states) {
            QVERIFY(document.chain() == state);
            document.redo();
        }
        QVERIFY(!document.history().canRedo());
    }
}

void SessionHistoryTest::dragsMergeUntilSealed() {
    Document document(tinyPicture(), "tiny");
    document.setFilter(parseFilter("gaussian:sigma=1"));
    const Chain before = document.chain();
    const auto drag = [&](double sigma) {
        FilterStep changed = *document.step();
        changed.filter.values["sigma"] = sigma;
        document.changeStep(changed, "sigma", "parameter:sigma");
    };
    for (double sigma = 1.1; sigma < 2; sigma += 0.1)
        drag(sigma);
    const Chain first = document.chain();
    document.history().seal();
    for (double sigma = 2.1; sigma < 3; sigma += 0.1)
        drag(sigma);
    document.undo();
    QVERIFY(document.chain() == first);
    document.undo();
    QVERIFY(document.chain() == before);
    QCOMPARE(document.history().redoText(), std::string("sigma"));
}

void SessionHistoryTest::modifiedFollowsTheSavedState() {
    Document document(tinyPicture(), "tiny");
    QVERIFY(!document.history().modified());
    document.setFilter(parseFilter("sobel"));
    QVERIFY(document.history().modified());
    document.history().markSaved();
    QVERIFY(!document.history().modified());
    document.undo();
    QVERIFY(document.history().modified());
    document.redo();
    QVERIFY(!document.history().modified());
    document.undo();
    document.setFilter(parseFilter("box")); // the saved state can't be reached any more
    document.undo();
    document.redo();
    QVERIFY(document.history().modified());
}

void SessionHistoryTest::selectionStaysValid() {
    Document document(tinyPicture(), "tiny");
    document.addStep(parseFilter("sobel"));
    document.addStep(parseFilter("box"));
    QCOMPARE(document.currentStep(), std::size_t(1));
    document.removeStep(1);
    QVERIFY(document.step());
    QCOMPARE(document.step()->filter.name, std::string("sobel"));
    document.removeStep(0);
    QVERIFY(!document.step());
    document.undo();
    QVERIFY(document.step());
    document.removeStep(7); // no such step: nothing happens
    QCOMPARE(document.chain().steps.size(), std::size_t(1));
}

void SessionHistoryTest::aResultBelongsToItsChain() {
    Document document(tinyPicture(), "tiny");
    document.setFilter(parseFilter("sobel"));
    QVERIFY(!document.resultIsCurrent());
    document.setResult({}, document.chain());
    QVERIFY(document.resultIsCurrent());
    document.setFilter(parseFilter("box"));
    QVERIFY(!document.resultIsCurrent());
    document.undo();
    QVERIFY(document.resultIsCurrent());
}

} // namespace

QTEST_APPLESS_MAIN(SessionHistoryTest)
#include "session_history_test.moc"
