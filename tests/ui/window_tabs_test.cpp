// What belongs to a picture goes and comes with its tab: the mark, the place that is looked at, its race.
#include "app/image/image_io.h"
#include "tests/ui/canvas_test_support.h"
#include "ui/bridge/autosave.h"
#include "ui/histogram/analysis_panels.h"
#include "ui/histogram/statistics_table.h"

#include <QAbstractItemModel>
#include <QLabel>
#include <QTabBar>
#include <QTest>

#include <cmath>

using namespace tessera;

namespace {

class WindowTabsTest : public CanvasFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void marksBelongToTheirPicture();
    void statisticsAreThoseOfTheMark();
    void aClosedPictureComesBackAsItWas();
    void sessionsKeepMarksAndViews();
    void marksComeBackAfterACrash();
    void aMarkOutsideASmallerPictureIsCut();
    void picturesAreLookedAtWhereTheyWereLeft();
    void picturesOfOneSizeAreLookedAtTogether();
    void thePixelChosenByKeysComesBack();
    void theLargestChangeIsNotSoughtElsewhere();
    void theFilteredPartGoesWithItsMark();

private:
    void toTab(int index) { find<QTabBar>()->setCurrentIndex(index); }
    void mark(const QRect &region); // with Shift and the mouse
    QRect marked() { return window_->canvas().content().region; }
    QString note();                          // beside the head of the statistics
    QString shownMean(const QString &table); // of the first channel
    bool statisticsOf(const Rectangle &region);
};

void WindowTabsTest::mark(const QRect &region) {
    CanvasPane *first = pane(0);
    const auto onScreen = [&](QPointF place) {
        const QPointF centre = QPointF(first->width(), first->height()) / 2.0;
        return (centre + (place - view().centre()) * view().zoom() / first->devicePixelRatioF()).toPoint();
    };
    const QPoint from = onScreen(QPointF(region.topLeft()) + QPointF(0.5, 0.5));
    const QPoint to = onScreen(QPointF(region.bottomRight()) + QPointF(0.5, 0.5));
    QTest::mousePress(first, Qt::LeftButton, Qt::ShiftModifier, from);
    moveMouse(first, to, Qt::LeftButton);
    QTest::mouseRelease(first, Qt::LeftButton, Qt::ShiftModifier, to);
    QCOMPARE(marked(), region);
}

QString WindowTabsTest::note() {
    for (const QLabel *label : find<StatisticsPanel>()->findChildren<QLabel *>())
        if (label->text().contains(QStringLiteral("region")))
            return label->text();
    return {};
}

QString WindowTabsTest::shownMean(const QString &table) {
    for (const StatisticsTable *each : find<StatisticsPanel>()->findChildren<StatisticsTable *>()) {
        if (each->accessibleName() != table || !each->isVisibleTo(find<StatisticsPanel>()))
            continue;
        const QAbstractItemModel *model = each->model();
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->index(row, 0).data().toString() == QStringLiteral("mean"))
                return model->index(row, 1).data().toString();
    }
    return {};
}

// Whether the panel says what the region's own statistics say, before and after.
bool WindowTabsTest::statisticsOf(const Rectangle &region) {
    const auto mean = [&](const Image &image) { return computeStatistics(image.view().part(region)).channels[0].mean; };
    const auto says = [&](const QString &table, double wanted) {
        bool isNumber = false;
        const double read = shownMean(table).toDouble(&isNumber);
        return isNumber && std::abs(read - wanted) <= 0.006 * std::max(1.0, std::abs(wanted));
    };
    return says(QStringLiteral("Statistics of the original"), mean(document().picture())) &&
           (!shown() || says(QStringLiteral("Statistics of the result"), mean(*shown())));
}

void WindowTabsTest::marksBelongToTheirPicture() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png")); // of the same size
    open(QStringLiteral("three.png"), 90, 60);
    toTab(0);
    mark(QRect(20, 30, 50, 40));
    toTab(1);
    QCOMPARE(marked(), QRect());
    QVERIFY(window_->session().region().empty());
    QCOMPARE(note(), QString());
    mark(QRect(5, 6, 70, 80));
    toTab(2);
    QCOMPARE(marked(), QRect());
    toTab(0);
    QCOMPARE(marked(), QRect(20, 30, 50, 40));
    QVERIFY(window_->session().region() == (Rectangle{20, 30, 50, 40}));
    toTab(1);
    QCOMPARE(marked(), QRect(5, 6, 70, 80));
    // Taken away, it stays away, there alone.
    QTest::keyClick(window_.get(), Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(marked(), QRect());
    toTab(0);
    toTab(1);
    QCOMPARE(marked(), QRect());
    toTab(0);
    QCOMPARE(marked(), QRect(20, 30, 50, 40));
}

void WindowTabsTest::statisticsAreThoseOfTheMark() {
    open(QStringLiteral("one.png"));
    clickFilter(QStringLiteral("Disk blur"));
    open(QStringLiteral("two.png"), 150, 130);
    clickFilter(QStringLiteral("Emboss"));
    toTab(0);
    mark(QRect(20, 30, 50, 40));
    QVERIFY(QTest::qWaitFor([&] { return statisticsOf({20, 30, 50, 40}); }, 20000));
    QVERIFY2(note().contains(QStringLiteral("region 50 × 40")), qPrintable(note()));
    toTab(1); // the whole, at once, and no word of a region
    QVERIFY(statisticsOf({0, 0, 150, 130}));
    QCOMPARE(note(), QString());
    toTab(0);
    QCOMPARE(note().isEmpty(), statisticsOf({0, 0, 160, 120})); // what is said is what is shown
    QVERIFY(QTest::qWaitFor([&] { return statisticsOf({20, 30, 50, 40}); }, 20000));
    QVERIFY2(note().contains(QStringLiteral("region 50 × 40")), qPrintable(note()));
}

void WindowTabsTest::aClosedPictureComesBackAsItWas() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"), 90, 60);
    mark(QRect(10, 12, 30, 20));
    view().zoomAt(QPointF(30, 20), 12);
    const QPointF centre = view().centre();
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(window_->session().count(), 1);
    QCOMPARE(marked(), QRect());
    QTest::keyClick(window_.get(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 2; }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(marked(), QRect(10, 12, 30, 20));
    QCOMPARE(view().zoom(), 12.0);
    QCOMPARE(view().centre(), centre);
    QVERIFY(QTest::qWaitFor([&] { return statisticsOf({10, 12, 30, 20}); }, 20000));
}

void WindowTabsTest::sessionsKeepMarksAndViews() {
    open(QStringLiteral("one.png"));
    mark(QRect(20, 30, 50, 40));
    view().zoomAt(QPointF(40, 50), 6);
    const QPointF centre = view().centre();
    open(QStringLiteral("two.png"), 90, 60);
    const QString path = folder_.path(QStringLiteral("work.tessera"));
    window_->session().saveSession(path);
    QVERIFY(QTest::qWaitFor([&] { return !content(path).isEmpty() && !window_->session().busyWithFiles(); }, 20000));
    makeWindow();
    window_->session().openSession(path);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 2 && !window_->session().restoring(); }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    toTab(1);
    QCOMPARE(marked(), QRect());
    QVERIFY(view().fitted());
    toTab(0);
    QCOMPARE(marked(), QRect(20, 30, 50, 40));
    QCOMPARE(view().zoom(), 6.0);
    QCOMPARE(view().centre(), centre);
}

void WindowTabsTest::marksComeBackAfterACrash() {
    const QString kept = folder_.path(QStringLiteral("kept"));
    window_->startAutosave(kept);
    open(QStringLiteral("one.png"));
    const QString file = kept + QStringLiteral("/0/session.json");
    QVERIFY(QTest::qWaitFor([&] { return content(file).contains("one.png"); }, 20000));
    mark(QRect(20, 30, 50, 40)); // and nothing else
    QVERIFY(QTest::qWaitFor([&] { return content(file).contains("region"); }, 20000));
    window_.reset(); // the window goes without being closed, as in a crash
    makeWindow();
    window_->startAutosave(kept);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1 && !window_->session().restoring(); }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(marked(), QRect(20, 30, 50, 40));
    QVERIFY(window_->close());
}

// The file is another one by now.
void WindowTabsTest::aMarkOutsideASmallerPictureIsCut() {
    open(QStringLiteral("one.png"));
    mark(QRect(20, 30, 50, 40));
    window_->session().closeDocument(0);
    writeScene(folder_, QStringLiteral("one.png"), 40, 50, {Depth::U8, 3});
    window_->session().reopenClosed();
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(marked(), QRect(20, 30, 20, 20));
    QVERIFY(QTest::qWaitFor([&] { return statisticsOf({20, 30, 20, 20}); }, 20000));
    window_->session().closeDocument(0);
    writeScene(folder_, QStringLiteral("one.png"), 15, 15, {Depth::U8, 3});
    window_->session().reopenClosed();
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(marked(), QRect());
    QVERIFY(statisticsOf({0, 0, 15, 15}));
}

void WindowTabsTest::picturesAreLookedAtWhereTheyWereLeft() {
    open(QStringLiteral("one.png"), 300, 200);
    open(QStringLiteral("two.png"), 200, 300);
    toTab(0);
    view().zoomAt(QPointF(250, 20), 7);
    const QPointF centre = view().centre();
    toTab(1);
    QVERIFY(view().fitted());
    view().setZoom(3);
    toTab(0);
    QCOMPARE(view().zoom(), 7.0);
    QCOMPARE(view().centre(), centre);
    window_->resize(1000, 700); // another window: the place stays, and what is fitted still is
    view().fit();
    toTab(1);
    QCOMPARE(view().zoom(), 3.0);
    window_->resize(1300, 850);
    QTest::qWait(20);
    toTab(0);
    QVERIFY(view().fitted());
    QVERIFY(view().visibleRect() == QRectF(0, 0, 300, 200));
}

// To compare two takes of one thing, by turns.
void WindowTabsTest::picturesOfOneSizeAreLookedAtTogether() {
    open(QStringLiteral("one.png"), 300, 200);
    open(QStringLiteral("two.png"), 300, 200);
    view().zoomAt(QPointF(250, 20), 7);
    const QPointF centre = view().centre();
    toTab(0);
    QCOMPARE(view().zoom(), 7.0);
    QCOMPARE(view().centre(), centre);
}

void WindowTabsTest::thePixelChosenByKeysComesBack() {
    open(QStringLiteral("one.png"), 300, 200);
    open(QStringLiteral("two.png"), 300, 200);
    if (window_->canvas().underMouse())
        QSKIP("the mouse is in the way");
    QTest::keyClick(pane(0), Qt::Key_Right, Qt::ControlModifier);
    QTest::keyClick(pane(0), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(view().hover(), std::optional(QPoint(151, 100)));
    toTab(0);
    QVERIFY(!view().hover());
    toTab(1);
    QCOMPARE(view().hover(), std::optional(QPoint(151, 100)));
    // The mouse's place goes with the mouse.
    moveMouse(pane(0), paneMiddle(pane(0)));
    QVERIFY(view().hover());
    toTab(0);
    toTab(1);
    QVERIFY(view().hover() != std::optional(QPoint(151, 100)));
}

// Its place in one picture says nothing in another.
void WindowTabsTest::theLargestChangeIsNotSoughtElsewhere() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"), 1600, 1200);
    clickFilter(QStringLiteral("Emboss"));
    QTest::keyClick(window_.get(), Qt::Key_L, Qt::ControlModifier);
    toTab(0);
    QVERIFY(waitUntilIdle(*window_));
    QTest::qWait(300);
    QVERIFY(view().fitted());
    QVERIFY(!view().hover());
}

void WindowTabsTest::theFilteredPartGoesWithItsMark() {
    open(QStringLiteral("one.png"));
    clickFilter(QStringLiteral("Emboss"));
    mark(QRect(20, 30, 50, 40));
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().chain().area == (Rectangle{20, 30, 50, 40}));
    open(QStringLiteral("two.png"));
    QCOMPARE(window_->canvas().content().area, QRect());
    toTab(0);
    QCOMPARE(marked(), QRect(20, 30, 50, 40));
    QCOMPARE(window_->canvas().content().area, QRect(20, 30, 50, 40));
    // Off and on again: the mark is still there to filter.
    for (const bool on : {false, true}) {
        QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(document().chain().area.has_value(), on);
    }
}

} // namespace

QTEST_MAIN(WindowTabsTest)
#include "window_tabs_test.moc"
