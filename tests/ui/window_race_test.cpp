// The race in the window: its rows, charts and map, as a user works them. With TESSERA_SCREENSHOT_DIR set, pictures of
// every view are kept there.
#include "app/race/race_report.h"
#include "tests/ui/window_test_support.h"
#include "ui/panels/message_bar.h"
#include "ui/race/crossover_view.h"
#include "ui/race/plot_axis.h"
#include "ui/race/race_export.h"
#include "ui/race/race_panel.h"
#include "ui/race/race_table.h"
#include "ui/race/roofline_plot.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMap>
#include <QPushButton>
#include <QSet>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

using namespace tessera;

namespace {

class WindowRaceTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { window_.reset(); }

    void columnsSayWhatTheyAreSupposedTo();
    void aChosenRowExplainsItself();
    void aStoppedRaceLeavesNoRowWaiting();
    void simulatedRowsShowCounts();
    void everyTimedVariantIsADot();
    void heldAgainstMemoryAlone();
    void aSingleRunIsCalledOne();
    void labelsKeepOffLines();
    void viewsAreReachedByKeysAndButtons();
    void buttonsStandStill();
    void pausedRacesMeasureNothing();
    void movingThePictureHoldsTheRace();
    void anEndlessRaceFollowsTheFilter();
    void aStoppedRaceStaysStopped();
    void exportsEverything();
    void theMapIsMeasuredAndKept();
    void emptyViewsInvite();
    void picturesOfEveryView();

private:
    RacePanel *panel() { return find<RacePanel>(); }
    RaceRunner &race() { return window_->session().race(); }
    void raceOnce(const QString &filter = QStringLiteral("Disk blur"));
    template <class Button> void click(const char *name) {
        auto *button = find<Button>(QLatin1String(name));
        QVERIFY2(button && button->isVisible(), name);
        QTest::mouseClick(button, Qt::LeftButton);
    }
    bool allSampled();
    void keep(const QString &name);
};

void WindowRaceTest::init() {
    makeWindow();
    window_->resize(1440, 900);
    window_->session().crossover().setFolder(folder_.path(QStringLiteral("maps")));
}

void WindowRaceTest::raceOnce(const QString &filter) {
    open();
    clickFilter(filter);
    click<QPushButton>("race.start");
    QVERIFY(race().running());
    QVERIFY(QTest::qWaitFor([&] { return !race().running(); }, 120000));
}

// Whether every variant that can be timed has been, a few times.
bool WindowRaceTest::allSampled() {
    int timed = 0;
    for (const RaceRow &row : panel()->model()->rows()) {
        if (row.simulated || row.state == RaceState::Refused)
            continue;
        if (row.samples < 3)
            return false;
        ++timed;
    }
    return timed > 0;
}

void WindowRaceTest::columnsSayWhatTheyAreSupposedTo() {
    raceOnce();
    RaceModel *model = panel()->model();
    const auto text = [&](int row, int column) {
        return model->data(model->index(row, column), Qt::DisplayRole).toString();
    };
    QVERIFY(!model->devices().empty());
    int timed = 0, ties = 0;
    for (int i = 0; i < model->rowCount(); ++i) {
        const RaceRow &row = model->row(i);
        if (!row.medianMs)
            continue;
        ++timed;
        for (const int column : {RaceModel::Total, RaceModel::Kernel, RaceModel::SpeedUp, RaceModel::Bandwidth,
                                 RaceModel::Share, RaceModel::Error})
            QVERIFY2(!text(i, column).isEmpty(), qPrintable(QString::number(column)));
        QCOMPARE(text(i, RaceModel::Tie), row.tieWith.empty() ? QString() : QStringLiteral("tie"));
        ties += !row.tieWith.empty();
        if (row.dense)
            QVERIFY(!text(i, RaceModel::Rate).isEmpty());
        else
            QVERIFY(text(i, RaceModel::Rate).isEmpty());
        QVERIFY(text(i, RaceModel::Share).endsWith(QLatin1Char('%')));
    }
    QVERIFY(timed >= 1);
    QVERIFY(ties != 1); // it takes two
    // A tie is shown as soon as the intervals overlap.
    RaceRow first = model->row(0), second = model->row(0);
    first.interval = {1.0, 2.0};
    second.interval = {1.5, 3.0};
    second.variant = "another";
    model->setRows({first, second});
    QCOMPARE(text(0, RaceModel::Tie), QStringLiteral("tie"));
    QCOMPARE(text(1, RaceModel::Tie), QStringLiteral("tie"));
    second.interval = {2.5, 3.0};
    model->setRow(1, second);
    QCOMPARE(text(0, RaceModel::Tie), QString());
}

void WindowRaceTest::aChosenRowExplainsItself() {
    raceOnce(QStringLiteral("Box blur"));
    RaceModel *model = panel()->model();
    bool lesson = false;
    for (int i = 0; i < model->rowCount(); ++i) {
        panel()->table()->selectRow(i);
        QString note;
        for (const QLabel *label : panel()->findChildren<QLabel *>())
            if (label->accessibleName() == QStringLiteral("What the race says"))
                note = label->text();
        if (model->row(i).state == RaceState::Refused)
            continue;
        QVERIFY2(note.contains(QString::fromStdString(model->row(i).explanation)), qPrintable(note));
        lesson |= note.contains(QStringLiteral("Each input value is read")) &&
                  note.contains(QStringLiteral("sectors a request"));
    }
    QVERIFY(lesson);
}

// Stopped before anything is measured: every row that has no time says why, in the table and in what is exported.
void WindowRaceTest::aStoppedRaceLeavesNoRowWaiting() {
    open();
    clickFilter(QStringLiteral("Box blur"));
    click<QPushButton>("race.start");
    QVERIFY(race().running());
    window_->session().cancel(); // as Esc does
    QVERIFY(!race().running());
    const RaceModel &model = *panel()->model();
    QVERIFY(model.rowCount() > 0);
    int stopped = 0;
    for (int i = 0; i < model.rowCount(); ++i) {
        const QString text = model.data(model.index(i, RaceModel::Total), Qt::DisplayRole).toString();
        QVERIFY2(text != QStringLiteral("waiting") && !text.startsWith(QStringLiteral("checking")), qPrintable(text));
        stopped += text == QStringLiteral("not run: the race was stopped");
    }
    QVERIFY(stopped > 0);
    QVERIFY(raceCsv(model.rows()).find("waiting") == std::string::npos);
    // A row that has times keeps them; one that was being checked has none.
    RaceRow checking = model.row(0), timed = model.row(0);
    checking.state = timed.state = RaceState::Running;
    timed.samples = 3;
    timed.medianMs = 1;
    panel()->model()->setRows({checking, timed});
    panel()->model()->stopWaiting();
    QCOMPARE(RaceModel::state(model.row(0)), QStringLiteral("not run: the race was stopped"));
    QVERIFY(model.row(1).state == RaceState::Done && model.row(1).medianMs);
}

void WindowRaceTest::simulatedRowsShowCounts() {
    raceOnce();
    RaceModel *model = panel()->model();
    int simulated = 0;
    for (int i = 0; i < model->rowCount(); ++i) {
        const RaceRow &row = model->row(i);
        if (!row.simulated || row.state != RaceState::Done)
            continue;
        ++simulated;
        const QString text = model->data(model->index(i, RaceModel::Total), Qt::DisplayRole).toString();
        QVERIFY2(text.startsWith(QStringLiteral("simulated")) && text.contains(QStringLiteral("sectors")),
                 qPrintable(text));
        QCOMPARE(model->data(model->index(i, RaceModel::Where), Qt::DisplayRole).toString(),
                 QStringLiteral("simulated"));
        for (int column = RaceModel::Kernel; column < RaceModel::Error; ++column)
            QCOMPARE(model->data(model->index(i, column), Qt::DisplayRole).toString(), QString());
        QCOMPARE(panel()->table()->columnSpan(i, RaceModel::Total), RaceModel::Error - RaceModel::Total);
    }
    QCOMPARE(simulated, 6);
}

void WindowRaceTest::everyTimedVariantIsADot() {
    raceOnce();
    const QSize size(700, 300);
    QSet<QString> timed, dense, simulated;
    const std::string shownFirst = panel()->model()->devices().front().id; // a roofline is one device's
    for (const RaceRow &row : panel()->model()->rows()) {
        if (row.medianMs)
            timed << QString::fromStdString(row.variant);
        if (row.medianMs && row.operations && row.deviceId == shownFirst)
            dense << QString::fromStdString(row.variant);
        if (row.simulated && row.predictedMs)
            simulated << QString::fromStdString(row.variant);
    }
    for (const RaceView view : {RaceView::Times, RaceView::Error}) {
        QSet<QString> shown;
        for (const PlotSpot &spot : panel()->plot(view)->spots(size)) {
            QVERIFY(QRectF(QPointF(), size).contains(spot.place));
            QVERIFY(!spot.text.isEmpty());
            shown << spot.name;
        }
        QCOMPARE(shown, timed);
    }
    QSet<QString> full, hollow;
    auto *roofline = qobject_cast<RooflinePlot *>(panel()->plot(RaceView::Roofline));
    for (const PlotSpot &spot : roofline->spots(size))
        (spot.hollow ? hollow : full) << spot.name;
    QCOMPARE(full, dense);
    QVERIFY(!hollow.isEmpty()); // what the model expects
    // The kernels of a GPU that is not here: predictions alone, on the ceilings that were measured earlier.
    const auto &devices = panel()->model()->devices();
    const auto earlier = std::ranges::find_if(devices, [](const RaceDevice &device) { return !device.measuredNow; });
    QVERIFY(earlier != devices.end());
    roofline->setDevice(int(earlier - devices.begin()));
    QSet<QString> predicted;
    for (const PlotSpot &spot : roofline->spots(size)) {
        QVERIFY(spot.hollow);
        predicted << spot.name;
    }
    QCOMPARE(predicted, simulated);
}

// A row that makes fewer operations than the definition: every view says the same of it.
void WindowRaceTest::heldAgainstMemoryAlone() {
    RaceDevice device{"cpu", "A processor", {}, true};
    device.ceilings.hot = device.ceilings.cold = {{1e6, 50e9}};
    device.ceilings.fp32 = 200e9; // the ridge lies at 4 operations a byte
    RaceRow passes;
    passes.engine = passes.deviceId = passes.variant = "cpu";
    passes.state = RaceState::Done;
    passes.samples = 9;
    passes.medianMs = passes.fastestMs = passes.slowestMs = 1.0;
    passes.bytes = 2e6;
    passes.operations = 40e6; // 20 a byte, of its own
    passes.dense = false;
    passes.floorMs = 0.04;
    RaceRow dense = passes;
    dense.variant = "opencv";
    dense.dense = true;
    dense.floorMs = 0.2;
    RaceModel model;
    model.setDevice(device);
    model.setRows({passes, dense});
    const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
    QCOMPARE(text(0, RaceModel::Share), QStringLiteral("mem 4.0 %"));
    QCOMPARE(text(0, RaceModel::Rate), QString());
    QCOMPARE(text(1, RaceModel::Share), QStringLiteral("20 %"));
    QCOMPARE(text(1, RaceModel::Rate), QStringLiteral("40.0"));
    QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("memory alone")));
    QVERIFY(!model.index(1, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("memory alone")));
    RooflinePlot plot(model);
    const std::vector<PlotSpot> spots = plot.spots(QSize(700, 300));
    QCOMPARE(int(spots.size()), 2);
    QVERIFY(spots[0].square && !spots[1].square);
    QVERIFY2(spots[0].text.contains(QStringLiteral("4.0 % of what the memory alone allows")),
             qPrintable(spots[0].text));
    QVERIFY2(spots[1].text.contains(QStringLiteral("20 % of what the device allows")), qPrintable(spots[1].text));
    // At the ridge, 4 % of the roof, where the other is at 20 %: so much lower on the axis of powers of ten.
    QVERIFY(spots[0].place.x() < spots[1].place.x());
    QVERIFY(spots[0].place.y() > spots[1].place.y() + 10);
    const std::string csv = raceCsv(model.rows());
    QVERIFY(csv.find(",memory,") != std::string::npos && csv.find(",roofline,") != std::string::npos);
}

void WindowRaceTest::aSingleRunIsCalledOne() {
    RaceRow row;
    row.variant = "cpu";
    row.state = RaceState::Done;
    row.samples = 1;
    row.medianMs = row.fastestMs = row.slowestMs = 900;
    RaceModel model;
    model.setRows({row});
    QCOMPARE(model.index(0, RaceModel::Tie).data().toString(), QStringLiteral("1 run"));
    QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("a single run")));
    row.samples = 2;
    model.setRow(0, row);
    QCOMPARE(model.index(0, RaceModel::Tie).data().toString(), QString());
}

void WindowRaceTest::labelsKeepOffLines() {
    LabelPlacer labels(QRectF(0, 0, 200, 100));
    labels.blockLine({{QPointF(0, 100), QPointF(100, 20), QPointF(200, 20)}});
    const auto beside = labels.place(QPointF(60, 52), QSizeF(40, 12));
    QVERIFY(beside);
    const QLineF slope(0, 100, 100, 20);
    for (double at = 0; at <= 1; at += 0.01)
        QVERIFY(!beside->contains(slope.pointAt(at)));
    QVERIFY(!labels.take(QRectF(120, 15, 40, 12)));
    QVERIFY(labels.take(QRectF(120, 40, 40, 12)));
    QVERIFY(!labels.take(QRectF(130, 45, 40, 12)));
}

void WindowRaceTest::viewsAreReachedByKeysAndButtons() {
    open();
    const std::pair<int, RaceView> views[] = {{Qt::Key_2, RaceView::Times},
                                              {Qt::Key_3, RaceView::Roofline},
                                              {Qt::Key_4, RaceView::Error},
                                              {Qt::Key_5, RaceView::Crossover},
                                              {Qt::Key_1, RaceView::Table}};
    for (const auto &[key, view] : views) {
        QTest::keyClick(window_.get(), Qt::Key(key), Qt::AltModifier);
        QVERIFY(panel()->view() == view);
        QWidget *shown = panel()->plot(view) ? static_cast<QWidget *>(panel()->plot(view)) : panel()->table();
        QVERIFY(shown->isVisible());
        QCOMPARE(find<QComboBox>(QStringLiteral("race.view"))->currentData().toInt(), int(view));
    }
    click<QToolButton>("race.view.3");
    QVERIFY(panel()->view() == RaceView::Error);
    window_->resize(820, 700); // no room for buttons: a box takes their place
    QTRY_VERIFY(find<QComboBox>(QStringLiteral("race.view"))->isVisible());
    QVERIFY(!find<QToolButton>(QStringLiteral("race.view.3"))->isVisible());
}

// Neither another view nor a race moves one away under the cursor.
void WindowRaceTest::buttonsStandStill() {
    open();
    clickFilter(QStringLiteral("Sharpen"));
    const auto places = [this](bool withStart) {
        QMap<QString, QRect> found;
        for (QWidget *each : panel()->findChildren<QWidget *>())
            if (each->isVisible() && (each->objectName().startsWith(QStringLiteral("race.view")) ||
                                      each->objectName() == QStringLiteral("race.export") ||
                                      (withStart && (each->objectName() == QStringLiteral("race.start") ||
                                                     each->objectName() == QStringLiteral("race.endless")))))
                found[each->objectName()] = {each->mapTo(panel(), QPoint()), each->size()};
        return found;
    };
    for (const int width : {1200, 1500}) {
        window_->resize(width, 800);
        QCoreApplication::processEvents();
        panel()->setView(RaceView::Table);
        QCoreApplication::processEvents();
        const auto still = places(true), views = places(false);
        QVERIFY(still.contains(QStringLiteral("race.start")) && still.contains(QStringLiteral("race.endless")));
        for (const RaceView view : {RaceView::Times, RaceView::Roofline, RaceView::Error, RaceView::Crossover}) {
            panel()->setView(view);
            QCoreApplication::processEvents();
            const bool withStart = view != RaceView::Crossover;
            QCOMPARE(places(withStart), withStart ? still : views);
        }
        panel()->setView(RaceView::Table);
        panel()->showRecord({*window_->session().raceSubject(), raceRows()}, true);
        QCoreApplication::processEvents();
        QVERIFY(find<QToolButton>(QStringLiteral("race.pause"))->isVisible());
        QCOMPARE(places(true), still);
        panel()->setPaused(true);
        QCoreApplication::processEvents();
        QCOMPARE(places(true), still);
        panel()->end(false);
        QCoreApplication::processEvents();
        QCOMPARE(places(true), still);
    }
}

void WindowRaceTest::pausedRacesMeasureNothing() {
    open();
    clickFilter(QStringLiteral("Sharpen"));
    click<QToolButton>("race.endless");
    QVERIFY(window_->session().raceEndless());
    click<QPushButton>("race.start");
    QVERIFY(QTest::qWaitFor([&] { return allSampled(); }, 120000));
    click<QToolButton>("race.pause");
    QVERIFY(race().paused());
    QTest::qWait(150); // what was on its way arrives
    const int samples = panel()->model()->row(0).samples;
    QTest::qWait(150);
    QCOMPARE(panel()->model()->row(0).samples, samples);
    QVERIFY(race().running());
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(!race().paused());
    QVERIFY(QTest::qWaitFor([&] { return panel()->model()->row(0).samples > samples; }, 60000));
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(!race().running());
    QVERIFY(panel()->model()->row(0).medianMs); // the figures stay
}

void WindowRaceTest::movingThePictureHoldsTheRace() {
    open(QStringLiteral("large.png"), 1200, 900);
    clickFilter(QStringLiteral("Sharpen"));
    window_->session().setRaceEndless(true);
    window_->session().startRace();
    QVERIFY(QTest::qWaitFor([&] { return allSampled(); }, 120000));
    QVERIFY(!race().standingAside());
    CanvasPane *pane = window_->canvas().panes().front();
    QWheelEvent wheel(QPointF(100, 100), pane->mapToGlobal(QPointF(100, 100)), {}, {0, 120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(pane, &wheel);
    QVERIFY(race().standingAside());
    QVERIFY(QTest::qWaitFor([&] { return !race().standingAside(); }, 10000));
    // So does filtering: the picture comes first.
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("disk:radius=9")); });
    QVERIFY(window_->session().filtering());
    QVERIFY(race().standingAside());
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowRaceTest::anEndlessRaceFollowsTheFilter() {
    open();
    clickFilter(QStringLiteral("Sharpen"));
    find<QAction>(QStringLiteral("race.keep"))->setChecked(true);
    QVERIFY(find<QToolButton>(QStringLiteral("race.endless"))->isChecked());
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier);
    QVERIFY(QTest::qWaitFor([&] { return allSampled(); }, 120000));
    const auto taps = panel()->model()->row(0).operations;
    clickFilter(QStringLiteral("Disk blur"));
    QVERIFY(QTest::qWaitFor([&] { return race().running() && allSampled(); }, 120000));
    QVERIFY(panel()->model()->row(0).operations != taps); // it races the new kernel
    // Without a filter there is nothing to race; it goes on once there is one again.
    window_->session().edit([](Document &document) { document.replaceChain({}, "none"); });
    QVERIFY(!race().running());
    QTest::qWait(20);
    QVERIFY(!race().running());
    QVERIFY(!find<MessageBar>()->isShowing());
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(QTest::qWaitFor([&] { return race().running(); }, 20000));
    // Unless the user stops it, or wants no more of it, meanwhile.
    for (const bool byStop : {true, false}) {
        find<QAction>(QStringLiteral("race.keep"))->setChecked(true);
        window_->session().startRace();
        QVERIFY(race().running());
        window_->session().edit([](Document &document) { document.replaceChain({}, "none"); });
        QVERIFY(!race().running());
        if (byStop)
            window_->session().stopRace(); // as the menu does
        else
            find<QAction>(QStringLiteral("race.keep"))->setChecked(false);
        clickFilter(QStringLiteral("Sharpen"));
        QTest::qWait(50);
        QVERIFY2(!race().running(), byStop ? "stopped" : "not kept");
    }
}

void WindowRaceTest::aStoppedRaceStaysStopped() {
    open();
    clickFilter(QStringLiteral("Sharpen"));
    window_->session().setRaceEndless(true);
    click<QPushButton>("race.start");
    QVERIFY(QTest::qWaitFor([&] { return allSampled(); }, 120000));
    click<QPushButton>("race.start"); // says Stop now
    QVERIFY(!race().running());
    clickFilter(QStringLiteral("Disk blur"));
    QTest::qWait(50);
    QVERIFY(!race().running());
}

void WindowRaceTest::exportsEverything() {
    raceOnce();
    RaceModel *model = panel()->model();
    const QByteArray csv = exportRace(*panel(), RaceFormat::Csv);
    QVERIFY(csv.startsWith("variant,engine,device,simulated"));
    for (const RaceRow &row : model->rows())
        QVERIFY(csv.contains("\n" + QByteArray::fromStdString(row.variant) + ","));
    const QJsonObject json = QJsonDocument::fromJson(exportRace(*panel(), RaceFormat::Json)).object();
    QCOMPARE(json.value(QStringLiteral("rows")).toArray().size(), model->rowCount());
    QVERIFY(json.value(QStringLiteral("subject")).toString().contains(QStringLiteral("160 × 120")));
    QVERIFY(!json.value(QStringLiteral("devices")).toArray().isEmpty());
    QSet<QString> names;
    for (const auto &[name, content] : exportWholeRace(*panel())) {
        names << name;
        if (!name.endsWith(QStringLiteral(".png")))
            continue;
        const QImage picture = QImage::fromData(content, "PNG");
        QVERIFY2(picture.width() >= 1000 && picture.height() > 100, qPrintable(name));
        QSet<QRgb> colours;
        for (int y = 0; y < picture.height(); y += 3)
            for (int x = 0; x < picture.width(); x += 3)
                colours << picture.pixel(x, y);
        QVERIFY2(colours.size() > 10, qPrintable(name)); // something is drawn
    }
    QCOMPARE(names, (QSet<QString>{QStringLiteral("race.csv"), QStringLiteral("race.json"),
                                   QStringLiteral("race-table.png"), QStringLiteral("race-times.png"),
                                   QStringLiteral("race-roofline.png"), QStringLiteral("race-error.png")}));
    // The table copies what it shows, for a spreadsheet.
    panel()->table()->setFocus();
    QTest::keyClick(panel()->table(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), model->rowCount() + 1);
}

void WindowRaceTest::theMapIsMeasuredAndKept() {
    open();
    QTest::keyClick(window_.get(), Qt::Key_5, Qt::AltModifier);
    CrossoverPlan plan;
    plan.kernels = {3, 9};
    plan.pictures = {16, 32, 64};
    plan.samples = 3;
    CrossoverRunner &runner = window_->session().crossover();
    window_->session().startCrossover(plan, false);
    QVERIFY(QTest::qWaitFor([&] { return !runner.running(); }, 120000));
    const auto &map = panel()->crossover()->map();
    QVERIFY(map && map->complete());
    const std::vector<PlotSpot> cells = panel()->crossover()->spots({700, 240});
    QCOMPARE(cells.size(), std::size_t(6));
    for (const PlotSpot &cell : cells)
        QVERIFY2(!cell.hollow && !cell.name.isEmpty(), qPrintable(cell.text));
    QVERIFY(find<QToolButton>(QStringLiteral("race.map.again"))->isVisible());
    // A new window finds it again, and measures nothing.
    const CrossoverMap measured = *map;
    makeWindow();
    window_->session().crossover().setFolder(folder_.path(QStringLiteral("maps")));
    window_->session().crossover().load(plan);
    QVERIFY(QTest::qWaitFor([&] { return panel()->crossover()->map().has_value(); }, 10000));
    QVERIFY(*panel()->crossover()->map() == measured);
    QVERIFY(!window_->session().crossover().running());
    // A map alone can be exported, too; without rows there is neither a table nor a chart of them.
    QVERIFY(find<QToolButton>(QStringLiteral("race.export"))->isEnabled());
    QStringList names;
    for (const auto &[name, content] : exportWholeRace(*panel()))
        names << name;
    QCOMPARE(names, (QStringList{QStringLiteral("race.json"), QStringLiteral("race-crossover.png")}));
    // Escape stops a map; what was measured stays.
    window_->session().startCrossover({}, true);
    QVERIFY(QTest::qWaitFor([&] { return !panel()->crossover()->map()->cells.front().times.empty(); }, 60000));
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(!window_->session().crossover().running());
    QVERIFY(!panel()->crossover()->map()->cells.front().times.empty());
}

void WindowRaceTest::emptyViewsInvite() {
    for (const RaceView view : {RaceView::Times, RaceView::Roofline, RaceView::Error, RaceView::Crossover})
        QVERIFY(panel()->plot(view)->spots({600, 200}).empty());
    QVERIFY(!find<QPushButton>(QStringLiteral("race.start"))->isEnabled());
    window_->exportRace();
    QVERIFY(find<MessageBar>()->isShowing());
    open();
    window_->session().startRace(); // no filter
    QVERIFY(!race().running());
    QVERIFY(find<MessageBar>()->isShowing());
}

void WindowRaceTest::keep(const QString &name) {
    const QString target = qEnvironmentVariable("TESSERA_SCREENSHOT_DIR");
    QTest::qWait(50);
    const QPixmap picture = window_->grab();
    QVERIFY(!picture.isNull());
    if (target.isEmpty())
        return;
    QVERIFY(QDir().mkpath(target));
    QVERIFY(picture.save(QStringLiteral("%1/race-%2.png").arg(target, name)));
}

void WindowRaceTest::picturesOfEveryView() {
    raceOnce();
    CrossoverPlan plan;
    plan.pictures = {64, 128, 256};
    plan.secondsPerVariant = 0.03;
    window_->session().startCrossover(plan, true);
    QVERIFY(QTest::qWaitFor([&] { return !window_->session().crossover().running(); }, 120000));
    const std::pair<RaceView, QString> views[] = {{RaceView::Table, QStringLiteral("table")},
                                                  {RaceView::Times, QStringLiteral("times")},
                                                  {RaceView::Roofline, QStringLiteral("roofline")},
                                                  {RaceView::Error, QStringLiteral("error")},
                                                  {RaceView::Crossover, QStringLiteral("map")}};
    for (const bool dark : {true, false}) {
        window_->setThemeChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        for (const auto &[view, name] : views) {
            panel()->setView(view);
            panel()->table()->selectRow(dark ? 0 : 2);
            keep((dark ? QStringLiteral("dark-") : QStringLiteral("light-")) + name);
        }
    }
    auto *box = find<QComboBox>(QStringLiteral("race.device"));
    panel()->setView(RaceView::Roofline);
    QVERIFY(box->isVisible());
    QTest::keyClick(box, Qt::Key_Down); // the GPU whose ceilings were measured earlier
    keep(QStringLiteral("light-roofline-simulated"));
}

} // namespace

QTEST_MAIN(WindowRaceTest)
#include "window_race_test.moc"
