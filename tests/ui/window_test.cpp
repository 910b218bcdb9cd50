// The main jobs of the window, done as a user does them: by clicks and keys, judged by what is shown.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/bridge/picture_conversion.h"
#include "ui/canvas/canvas_pane.h"
#include "ui/kernel_editor/kernel_grid.h"
#include "ui/panels/filter_list.h"
#include "ui/panels/message_bar.h"
#include "ui/race/race_panel.h"

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QTreeWidget>
#include <QWheelEvent>

#include <cstring>
#include <memory>

using namespace tessera;

namespace {

class WindowTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void startsEmptyAndInviting();
    void opensAFileAndShowsIt();
    void choosingAFilterShowsItsResult();
    void movingASliderShowsThatResult();
    void aDragIsOneUndo();
    void undoAndRedoByKeys();
    void searchNarrowsTheList();
    void aNewerChangeCancelsAnOlderRun();
    void escapeCancels();
    void editingACellMakesAKernelOfOnesOwn();
    void raceFillsItsTable();
    void panesZoomAndPanTogether();
    void everyControlHasAName();
};

void WindowTest::startsEmptyAndInviting() {
    QVERIFY(find<QPushButton>(QStringLiteral("start.open"))->isVisible());
    QVERIFY(!window_->canvas().isVisible());
    QVERIFY(!find<QAction>(QStringLiteral("file.save"))->isEnabled());
    QVERIFY(!find<QPushButton>(QStringLiteral("race.start"))->isEnabled());
}

void WindowTest::opensAFileAndShowsIt() {
    open();
    QVERIFY(window_->canvas().isVisible());
    QVERIFY(samePixels(*window_->canvas().content().before.picture(), testScene(160, 120, {Depth::U8, 3})));
    QVERIFY(window_->windowTitle().contains(QStringLiteral("scene.png")));
    QVERIFY(find<QAction>(QStringLiteral("file.save"))->isEnabled());
}

void WindowTest::choosingAFilterShowsItsResult() {
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    QVERIFY(shown());
    QVERIFY(samePixels(*shown(), expected()));
    QVERIFY(!samePixels(*shown(), window_->session().document()->picture()));
    // What the pane paints is the result: its middle pixel, at 100 %.
    window_->setCanvasMode(CanvasMode::One);
    window_->canvas().view().setZoom(1);
    CanvasPane *pane = window_->canvas().panes().front();
    const QPointF place = pane->toWidget(QPointF(80.5, 60.5));
    const QColor painted = pane->grab().toImage().pixelColor(int(place.x()), int(place.y()));
    const PixelValues wanted = pixelAt(shown()->view(), 80, 60);
    QCOMPARE(painted, QColor(int(wanted.value[0]), int(wanted.value[1]), int(wanted.value[2])));
}

void WindowTest::movingASliderShowsThatResult() {
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    auto *slider = find<QSlider>(QStringLiteral("slider.sigma"));
    QVERIFY(slider);
    const int before = slider->value();
    slider->setFocus();
    for (int i = 0; i < 5; ++i)
        QTest::keyClick(slider, Qt::Key_Right);
    QVERIFY(slider->value() > before);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(window_->session().document()->resultIsCurrent());
    QVERIFY(samePixels(*shown(), expected()));
    const double sigma = window_->session().document()->step()->filter.values.at("sigma");
    QCOMPARE(find<QDoubleSpinBox>(QStringLiteral("parameter.sigma"))->value(), sigma);
}

void WindowTest::aDragIsOneUndo() {
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    const Chain before = window_->session().document()->chain();
    auto *slider = find<QSlider>(QStringLiteral("slider.sigma"));
    const QPoint from(slider->width() / 3, slider->height() / 2);
    QTest::mousePress(slider, Qt::LeftButton, {}, from);
    for (int dx = 2; dx <= 30; dx += 2)
        QTest::mouseMove(slider, from + QPoint(dx, 0));
    QTest::mouseRelease(slider, Qt::LeftButton, {}, from + QPoint(30, 0));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!(window_->session().document()->chain() == before));
    window_->session().undo();
    QVERIFY(window_->session().document()->chain() == before);
}

void WindowTest::undoAndRedoByKeys() {
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    clickFilter(QStringLiteral("Sharpen"));
    QCOMPARE(window_->session().document()->step()->filter.name, std::string("sharpen"));
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->session().document()->step()->filter.name, std::string("gaussian"));
    QVERIFY(samePixels(*shown(), expected()));
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!window_->session().document()->step());
    QVERIFY(!shown()); // the original again
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->session().document()->step()->filter.name, std::string("sharpen"));
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowTest::searchNarrowsTheList() {
    open();
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    QLineEdit *search = find<FilterList>()->searchField();
    QVERIFY(search->hasFocus());
    QTest::keyClicks(search, QStringLiteral("laplac"));
    QTreeWidget *tree = find<FilterList>()->tree();
    int visible = 0, hidden = 0;
    for (int g = 0; g < tree->topLevelItemCount(); ++g)
        for (int i = 0; i < tree->topLevelItem(g)->childCount(); ++i)
            ++(tree->topLevelItem(g)->child(i)->isHidden() ? hidden : visible);
    QVERIFY(visible >= 1 && visible <= 4);
    QVERIFY(hidden > 10);
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->session().document()->step()->filter.name, std::string("laplacian"));
}

void WindowTest::aNewerChangeCancelsAnOlderRun() {
    open(QStringLiteral("large.png"), 2400, 1600);
    int results = 0;
    connect(&window_->session().runner(), &FilterRunner::resultReady, this, [&results] { ++results; });
    const int changes = 8;
    for (int i = 1; i <= changes; ++i)
        window_->session().edit(
            [i](Document &document) { document.setFilter(parseFilter("gaussian:sigma=" + std::to_string(4 + i))); });
    QVERIFY(waitUntilIdle(*window_, 120000));
    QVERIFY2(results < changes, "every run came to its end: none was cancelled");
    QVERIFY(window_->session().document()->resultIsCurrent());
    QCOMPARE(window_->session().document()->step()->filter.values.at("sigma"), 4.0 + changes);
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowTest::escapeCancels() {
    open(QStringLiteral("large.png"), 2400, 1600);
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("disk:radius=20")); });
    QVERIFY(window_->session().filtering());
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(!window_->session().filtering());
    QVERIFY(find<MessageBar>()->isShowing());
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QVERIFY(waitUntilIdle(*window_, 120000));
    QVERIFY(window_->session().document()->resultIsCurrent());
}

void WindowTest::editingACellMakesAKernelOfOnesOwn() {
    open();
    clickFilter(QStringLiteral("Sharpen"));
    auto *grid = find<KernelGrid>();
    const QModelIndex corner = grid->model()->index(0, 0);
    QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, grid->visualRect(corner).center());
    QTest::keyClick(grid, Qt::Key_2);
    auto *editor = grid->findChild<QLineEdit *>();
    QVERIFY(editor);
    editor->setText(QStringLiteral("2.5"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(window_->session().document()->step()->filter.name,
                 std::string("custom")); // the view commits by an event
    QVERIFY(waitUntilIdle(*window_));
    const FilterStep *step = window_->session().document()->step();
    QCOMPARE(step->filter.kernel.at(0, 0), 2.5);
    QVERIFY(samePixels(*shown(), expected()));
    // What is no number is refused with a word, and changes nothing.
    const Chain before = window_->session().document()->chain();
    QVERIFY(!grid->model()->setData(corner, QStringLiteral("x"), Qt::EditRole));
    QVERIFY(find<MessageBar>()->isShowing());
    QVERIFY(window_->session().document()->chain() == before);
    // Growing it keeps the taps about the middle.
    find<QSpinBox>(QStringLiteral("kernel.width"))->setValue(5);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->session().document()->step()->filter.kernel.width, 5);
    QCOMPARE(window_->session().document()->step()->filter.kernel.at(1, 0), 2.5);
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowTest::raceFillsItsTable() {
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    QTest::mouseClick(find<QPushButton>(QStringLiteral("race.start")), Qt::LeftButton);
    QVERIFY(window_->session().race().running());
    QVERIFY(QTest::qWaitFor([&] { return !window_->session().race().running(); }, 120000));
    RaceModel *model = find<RacePanel>()->model();
    std::size_t variants = 0;
    for (const auto &engine : availableEngines())
        variants += engine->variants().size();
    QCOMPARE(std::size_t(model->rowCount()), variants);
    int timed = 0, simulated = 0;
    for (int i = 0; i < model->rowCount(); ++i) {
        const RaceRow &row = model->row(i);
        QVERIFY2(row.state == RaceState::Done || row.state == RaceState::Refused, row.note.c_str());
        if (row.state != RaceState::Done)
            continue;
        QVERIFY(row.maximumError.has_value());
        QVERIFY2(row.variant.find("half") != std::string::npos || *row.maximumError < 0.01, row.variant.c_str());
        if (row.simulated) {
            ++simulated;
            QVERIFY(!row.medianMs); // a simulated time is never shown as one of a GPU
            QVERIFY(RaceModel::state(row).contains(QStringLiteral("simulated")));
        } else {
            ++timed;
            QVERIFY(*row.fastestMs <= *row.medianMs && *row.medianMs <= *row.slowestMs);
        }
    }
    QVERIFY(timed >= 1);
    QVERIFY(simulated >= 1);
}

void WindowTest::panesZoomAndPanTogether() {
    open(QStringLiteral("large.png"), 2400, 1600);
    clickFilter(QStringLiteral("Sharpen"));
    CanvasPane *left = window_->canvas().panes()[0], *right = window_->canvas().panes()[1];
    QVERIFY(left->isVisible() && right->isVisible());
    const QPointF cursor(100, 120);
    const QPointF under = left->toPicture(cursor);
    const double before = window_->canvas().view().zoom();
    QWheelEvent wheel(cursor, left->mapToGlobal(cursor), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(left, &wheel);
    QVERIFY(window_->canvas().view().zoom() > before);
    const QPointF after = left->toPicture(cursor);
    QVERIFY2(QLineF(under, after).length() * window_->canvas().view().zoom() <= 1.5,
             "the place under the cursor moved");
    QVERIFY(QLineF(left->toPicture(cursor), right->toPicture(cursor)).length() < 2 / window_->canvas().view().zoom());
    QTest::mousePress(right, Qt::LeftButton, {}, QPoint(150, 150));
    QTest::mouseMove(right, QPoint(110, 130));
    QTest::mouseRelease(right, Qt::LeftButton, {}, QPoint(110, 130));
    const QPointF panned = left->toPicture(cursor);
    QVERIFY(panned.x() > after.x() && panned.y() > after.y());
    QTest::keyClick(window_.get(), Qt::Key_1);
    QCOMPARE(window_->canvas().view().zoom(), 1.0);
    QTest::keyClick(window_.get(), Qt::Key_0);
    QVERIFY(window_->canvas().view().fitted());
    for (int i = 0; i < 40; ++i)
        QTest::keyClick(window_.get(), Qt::Key_Plus);
    QCOMPARE(window_->canvas().view().zoom(), ViewState::maximumZoom);
    for (int i = 0; i < 60; ++i)
        QTest::keyClick(window_.get(), Qt::Key_Minus);
    QCOMPARE(window_->canvas().view().zoom(), ViewState::minimumZoom);
}

// Whatever can take the keyboard tells a screen reader what it is.
void WindowTest::everyControlHasAName() {
    open();
    clickFilter(QStringLiteral("Unsharp mask"));
    for (QWidget *widget : window_->findChildren<QWidget *>()) {
        if (widget->window() != window_.get() || widget->focusPolicy() == Qt::NoFocus ||
            qobject_cast<QLineEdit *>(widget->parentWidget()) ||
            QByteArray(widget->metaObject()->className()).startsWith("QSpinBoxPrivate") ||
            widget->objectName().startsWith(QStringLiteral("qt_")))
            continue;
        QAccessibleInterface *face = QAccessible::queryAccessibleInterface(widget);
        const QString name = face ? face->text(QAccessible::Name) : widget->accessibleName();
        QVERIFY2(!name.isEmpty(),
                 qPrintable(QStringLiteral("%1 '%2' in %3")
                                .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                                     QLatin1String(widget->parentWidget()->metaObject()->className()))));
    }
}

} // namespace

QTEST_MAIN(WindowTest)
#include "window_test.moc"
