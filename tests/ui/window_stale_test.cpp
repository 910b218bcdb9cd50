// What is left in the window of a filter, a picture or a view from before: it says so, or goes.
#include "tests/ui/canvas_test_support.h"
#include "ui/histogram/analysis_panels.h"
#include "ui/panels/filter_list.h"
#include "ui/panels/message_bar.h"
#include "ui/race/race_export.h"
#include "ui/race/race_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QCursor>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QStatusBar>
#include <QTabBar>
#include <QTest>
#include <QTreeWidget>

#include <cmath>

using namespace tessera;

namespace {

class WindowStaleTest : public CanvasFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aRaceIsNamedAfterWhatItMeasured();
    void statisticsOfTheEarlierResultSaySo();
    void quickFiltersMarkNoStatistics();
    void regionStatisticsGoWithTheFilter();
    void theInspectorFollowsTheLayout();
    void thePixelChosenByKeysStaysWithTheLayout();
    void aPressedRowStaysTheChosenOne();
    void headingsTakeNoHighlight();
    void aRefusedPasteIsTheLastWord();

private:
    RacePanel *race() { return find<RacePanel>(); }
    QString raceTitle();
    QString raceNote();
    QString exportedSubject() {
        return QJsonDocument::fromJson(exportRace(*race(), RaceFormat::Json))[QStringLiteral("subject")].toString();
    }
    bool marked(const Card *card);
    bool bothMarked() { return marked(find<HistogramPanel>()) && marked(find<StatisticsPanel>()); }
    bool noneMarked() { return !marked(find<HistogramPanel>()) && !marked(find<StatisticsPanel>()); }
    QTreeWidget *tree() { return find<FilterList>()->tree(); }
    QTreeWidgetItem *item(const QString &title) {
        return tree()->findItems(title, Qt::MatchExactly | Qt::MatchRecursive).value(0);
    }
    QString highlighted() {
        const auto chosen = tree()->selectedItems();
        return chosen.size() == 1 ? chosen.front()->text(0) : QString();
    }
    QPoint placeOf(QTreeWidgetItem *item) { return tree()->visualItemRect(item).center(); }
};

QString WindowStaleTest::raceTitle() {
    for (const QLabel *label : race()->findChildren<QLabel *>())
        if (label->text().contains(QStringLiteral("RACE")))
            return label->text();
    return {};
}

QString WindowStaleTest::raceNote() {
    for (const QLabel *label : race()->findChildren<QLabel *>())
        if (label->accessibleName() == QStringLiteral("What the race says"))
            return label->text();
    return {};
}

bool WindowStaleTest::marked(const Card *card) {
    for (const QLabel *label : card->findChildren<QLabel *>())
        if (label->text().contains(QStringLiteral("of the earlier result")))
            return true;
    return false;
}

void WindowStaleTest::aRaceIsNamedAfterWhatItMeasured() {
    window_->resize(1900, 900);
    open();
    clickFilter(QStringLiteral("Box blur"));
    const QString present = raceTitle();
    QVERIFY2(present.startsWith(QStringLiteral("RACE")) && present.contains(QStringLiteral("Box blur")),
             qPrintable(present));
    window_->session().startRace();
    QVERIFY(QTest::qWaitFor(
        [&] { return race()->model()->rowCount() > 0 && race()->model()->row(0).medianMs.has_value(); }, 60000));
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QCOMPARE(raceTitle(), present);
    const QString measured = exportedSubject();
    QVERIFY2(measured.contains(QStringLiteral("Box blur")), qPrintable(measured));
    const auto saysEarlier = [&] {
        return raceTitle() == QStringLiteral("EARLIER ") + present &&
               raceNote().contains(QStringLiteral("earlier filter")) && exportedSubject() == measured;
    };
    clickFilter(QStringLiteral("Disk blur"));
    QVERIFY2(saysEarlier(), qPrintable(raceTitle() + raceNote() + exportedSubject()));
    QVERIFY(raceNote().contains(QStringLiteral("Race measures the present one")));
    race()->setView(RaceView::Times);
    QVERIFY2(saysEarlier(), qPrintable(raceTitle() + raceNote()));
    race()->setView(RaceView::Table);
    window_->session().undo(); // the filter that was measured
    QCOMPARE(raceTitle(), present);
    QVERIFY2(!raceNote().contains(QStringLiteral("earlier")), qPrintable(raceNote()));
    window_->session().undo(); // none
    QVERIFY(!document().step());
    QVERIFY2(saysEarlier(), qPrintable(raceTitle() + raceNote()));
    QVERIFY(!raceNote().contains(QStringLiteral("Race measures")));
    window_->session().redo();
    window_->session().redo();
    QVERIFY(saysEarlier());
    window_->session().startRace();
    QVERIFY2(raceTitle().startsWith(QStringLiteral("RACE")) && raceTitle().contains(QStringLiteral("Disk blur")),
             qPrintable(raceTitle()));
    QVERIFY(exportedSubject().contains(QStringLiteral("Disk blur")));
    window_->session().stopRace();
}

void WindowStaleTest::statisticsOfTheEarlierResultSaySo() {
    openMade(testScene(3000, 2000, {Depth::U8, 3}), QStringLiteral("large"));
    filterWith("shift:dx=1");
    QVERIFY(noneMarked());
    window_->session().setEngine("naive", "sim"); // as slow as nothing else
    const auto startSlow = [&] {
        window_->session().edit([](Document &document) { document.setFilter(parseFilter("box:width=5,height=5")); });
    };
    startSlow();
    QVERIFY(noneMarked()); // it might be a quick one
    QVERIFY(QTest::qWaitFor([&] { return bothMarked(); }, 20000));
    QVERIFY(window_->session().filtering());
    window_->session().cancel();
    QVERIFY(bothMarked()); // the pane says "Earlier result"
    QVERIFY(pane(1)->leftCaption().contains(QStringLiteral("Earlier result")));
    window_->session().setEngine("cpu", "cpu");
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().resultIsCurrent());
    QVERIFY(noneMarked());
    // Without a filter there is no earlier result either.
    window_->session().setEngine("naive", "sim");
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("box:width=7,height=5")); });
    QVERIFY(QTest::qWaitFor([&] { return bothMarked(); }, 20000));
    window_->session().edit([](Document &document) { document.replaceChain({}, "none"); });
    QVERIFY(noneMarked());
}

void WindowStaleTest::quickFiltersMarkNoStatistics() {
    open();
    clickFilter(QStringLiteral("Box blur"));
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("disk:radius=3")); });
    while (window_->session().filtering()) {
        QVERIFY(noneMarked() || window_->session().runner().elapsedMs() >= 150);
        QTest::qWait(1);
    }
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(noneMarked());
}

void WindowStaleTest::regionStatisticsGoWithTheFilter() {
    open();
    clickFilter(QStringLiteral("Box blur"));
    window_->canvas().setRegion(QRect(10, 10, 40, 30));
    emit window_->canvas().regionChanged(QRect(10, 10, 40, 30));
    const auto showsResult = [&] {
        for (const QLabel *label : find<HistogramPanel>()->findChildren<QLabel *>())
            if (label->isVisibleTo(find<HistogramPanel>()) && label->text() == QStringLiteral("result"))
                return true;
        return false;
    };
    QVERIFY(QTest::qWaitFor(showsResult, 20000));
    window_->session().undo();
    QVERIFY(!document().step());
    QVERIFY(QTest::qWaitFor([&] { return !showsResult(); }, 20000));
}

void WindowStaleTest::theInspectorFollowsTheLayout() {
    open(QStringLiteral("scene.png"), 300, 200);
    window_->setCanvasMode(CanvasMode::Two);
    QTest::qWait(20);
    const QPoint place = pane(1)->mapToGlobal(paneMiddle(pane(1)) + QPoint(20, 10));
    QCursor::setPos(place);
    QTest::mouseMove(pane(1), pane(1)->mapFromGlobal(place) + QPoint(1, 1));
    if (!QTest::qWaitFor([&] { return pane(1)->underMouse() && view().hover(); }, 1000))
        QSKIP("no mouse on this platform");
    for (const CanvasMode mode : {CanvasMode::One, CanvasMode::Four, CanvasMode::Three, CanvasMode::Difference,
                                  CanvasMode::Split, CanvasMode::Two}) {
        window_->setCanvasMode(mode);
        QTest::qWait(20);
        CanvasPane *under = nullptr;
        for (CanvasPane *each : window_->canvas().panes())
            if (each->isVisible() && each->rect().contains(each->mapFromGlobal(QCursor::pos())))
                under = each;
        std::optional<QPoint> wanted;
        if (under) {
            const QPointF there = under->toPicture(under->mapFromGlobal(QPointF(QCursor::pos())));
            const QPoint pixel(int(std::floor(there.x())), int(std::floor(there.y())));
            if (QRect(0, 0, 300, 200).contains(pixel))
                wanted = pixel;
        }
        const auto found = view().hover();
        QVERIFY2(found == wanted, qPrintable(QStringLiteral("mode %1: %2, %3 for %4, %5")
                                                 .arg(int(mode))
                                                 .arg(found ? found->x() : -1)
                                                 .arg(found ? found->y() : -1)
                                                 .arg(wanted ? wanted->x() : -1)
                                                 .arg(wanted ? wanted->y() : -1)));
    }
}

void WindowStaleTest::thePixelChosenByKeysStaysWithTheLayout() {
    open(QStringLiteral("scene.png"), 300, 200);
    window_->setCanvasMode(CanvasMode::Two);
    QTest::qWait(20);
    view().setHover(QPoint(7, 5));
    window_->setCanvasMode(CanvasMode::Four);
    QTest::qWait(20);
    QCOMPARE(view().hover(), QPoint(7, 5));
}

void WindowStaleTest::aPressedRowStaysTheChosenOne() {
    open();
    window_->resize(1000, 560); // the list scrolls
    QTest::qWait(50);
    tree()->verticalScrollBar()->setValue(0);
    const int bottom = tree()->viewport()->height() - 1;
    QTreeWidgetItem *lowest = nullptr;
    for (int y = bottom; y > 0 && !(lowest && lowest->parent()); --y)
        lowest = tree()->itemAt(20, y);
    QVERIFY(lowest && lowest->parent());
    const QPoint place(20, std::min(bottom, tree()->visualItemRect(lowest).center().y()));
    QTest::mousePress(tree()->viewport(), Qt::LeftButton, {}, place);
    QTest::qWait(80); // the cards below take their room
    const QString applied = lowest->text(0);
    // A list that scrolls under the pointer, as far as it may, and the hand that trembles.
    tree()->verticalScrollBar()->setValue(tree()->verticalScrollBar()->value() + 3);
    for (const QPoint by : {QPoint(1, 0), QPoint(2, 1), QPoint(1, 1)}) {
        QMouseEvent move(QEvent::MouseMove, place + by, tree()->viewport()->mapToGlobal(place + by), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(tree()->viewport(), &move);
    }
    QTest::mouseRelease(tree()->viewport(), Qt::LeftButton, {}, place + QPoint(1, 1));
    QVERIFY(waitUntilIdle(*window_));
    QTest::qWait(20);
    QVERIFY(document().step());
    QCOMPARE(QString::fromStdString(findFilter(document().step()->filter.name)->title), applied);
    QCOMPARE(highlighted(), applied);
    QCOMPARE(int(document().chain().steps.size()), 1);
}

void WindowStaleTest::headingsTakeNoHighlight() {
    open();
    const QString chosen = QStringLiteral("Box blur");
    clickFilter(chosen);
    QCOMPARE(highlighted(), chosen);
    QTreeWidgetItem *heading = item(chosen)->parent();
    tree()->scrollToItem(heading);
    QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {}, placeOf(heading));
    QTest::mouseDClick(tree()->viewport(), Qt::LeftButton, {}, placeOf(heading));
    QTest::qWait(20);
    QCOMPARE(highlighted(), chosen);
    tree()->scrollToItem(item(chosen));
    QTest::mouseClick(tree()->viewport(), Qt::LeftButton, Qt::ControlModifier, placeOf(item(chosen)));
    QTest::qWait(20);
    QCOMPARE(highlighted(), chosen);
    QCOMPARE(int(document().chain().steps.size()), 1);
    QTest::mouseClick(tree()->viewport(), Qt::LeftButton, Qt::ShiftModifier, placeOf(item(chosen)));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(highlighted(), chosen);
}

void WindowStaleTest::aRefusedPasteIsTheLastWord() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"), 90, 60);
    QApplication::setActiveWindow(window_.get());
    window_->copyResult();
    QVERIFY(QTest::qWaitFor([&] { return !window_->statusBar()->currentMessage().isEmpty(); }, 20000));
    QApplication::clipboard()->setText(QStringLiteral("words"));
    QVERIFY(QTest::qWaitFor([&] { return !window_->statusBar()->currentMessage().isEmpty(); }, 20000));
    window_->paste();
    MessageBar &bar = *find<MessageBar>();
    QVERIFY(bar.isShowing());
    QVERIFY2(bar.message().what.contains(QStringLiteral("clipboard")), qPrintable(bar.message().what));
    QCOMPARE(window_->statusBar()->currentMessage(), QString());
    find<QTabBar>()->setCurrentIndex(0);
    QVERIFY(!bar.isShowing());
}

} // namespace

QTEST_MAIN(WindowStaleTest)
#include "window_stale_test.moc"
