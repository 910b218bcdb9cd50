// The canvas as its users work it: what each pane paints, for every way of looking, by mouse and keys.
#include "tests/ui/canvas_test_support.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QTest>
#include <QWheelEvent>

using namespace tessera;

namespace {

class CanvasTest : public CanvasFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aWidePictureIsPaintedRightAtItsFarEnd_data();
    void aWidePictureIsPaintedRightAtItsFarEnd();
    void marksOnAWidePictureStayWhereTheyAre();
    void zoomReachesFromOneTo6400PercentAtTheCursor();
    void paneCounts_data();
    void paneCounts();
    void differenceShowsWhatItSays_data();
    void differenceShowsWhatItSays();
    void holdingOShowsTheOriginal();
    void theSplitFollowsMouseAndKeys();
    void theCaptionOpensTheMenuOfThePane();
    void aPaneShowsOneVariant();
    void aVariantThatCannotRunSaysWhy();
};

void CanvasTest::aWidePictureIsPaintedRightAtItsFarEnd_data() {
    QTest::addColumn<double>("zoom");
    QTest::newRow("6400 %") << 64.0;
    QTest::newRow("800 %") << 8.0;
    QTest::newRow("100 %") << 1.0;
}

// 40,000 pixels are more than a painter's 32,767, and at 6400 % the far end lies at 2,560,000.
void CanvasTest::aWidePictureIsPaintedRightAtItsFarEnd() {
    QFETCH(double, zoom);
    openMade(addressed(40000, 400), QStringLiteral("wide"));
    window_->setCanvasMode(CanvasMode::One);
    view().setZoom(zoom);
    for (const QPoint pixel : {QPoint(39999, 399), QPoint(39990, 0), QPoint(32768, 200), QPoint(0, 0)}) {
        view().centreOn(QPointF(pixel) + QPointF(0.5, 0.5));
        QCOMPARE(paintedAt(pane(0), pixel), colourOf(document().picture(), pixel));
        // Beyond the last pixel lies no picture.
        if (pixel.x() == 39999)
            QCOMPARE(grabbed(pane(0)).pixelColor(paneMiddle(pane(0)) + QPoint(int(zoom) + 4, 0)), theme().canvas);
    }
}

void CanvasTest::marksOnAWidePictureStayWhereTheyAre() {
    openMade(addressed(40000, 400), QStringLiteral("wide"));
    window_->setCanvasMode(CanvasMode::One);
    view().zoomAt({39990, 390}, 64);
    view().centreOn({39990, 390});
    const QImage without = grabbed(pane(0));
    window_->canvas().setRegion(QRect(0, 0, 39990, 390)); // all but its corner is far outside
    const QImage with = grabbed(pane(0));
    const QPoint corner = paneMiddle(pane(0));
    QVERIFY(with.copy(QRect(corner, QSize(200, 200)).translated(4, 4)) ==
            without.copy(QRect(corner, QSize(200, 200)).translated(4, 4)));
    QVERIFY(with.copy(QRect(corner - QPoint(100, 3), QSize(90, 6))) !=
            without.copy(QRect(corner - QPoint(100, 3), QSize(90, 6))));
}

void CanvasTest::zoomReachesFromOneTo6400PercentAtTheCursor() {
    openMade(addressed(2000, 1000), QStringLiteral("zoomed"));
    const QPointF cursor(120, 90);
    const auto turn = [&](int notches) {
        QWheelEvent wheel(cursor, pane(0)->mapToGlobal(cursor), {}, {0, notches * 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(pane(0), &wheel);
    };
    view().setZoom(1);
    const QPointF under = pane(0)->toPicture(cursor);
    while (view().zoom() < ViewState::maximumZoom)
        turn(1);
    QCOMPARE(view().zoom(), 64.0);
    // Half a screen pixel of rounding at 100 %, and none of the steps adds to it.
    const QPointF moved = pane(0)->toPicture(cursor) - under;
    QVERIFY2(std::max(std::abs(moved.x()), std::abs(moved.y())) <= 0.52, "the place under the cursor moved");
    bool passed100 = false;
    while (view().zoom() > ViewState::minimumZoom) {
        turn(-1);
        passed100 |= view().zoom() == 1;
    }
    QVERIFY(passed100);
    QCOMPARE(view().zoom(), 0.01);
}

void CanvasTest::paneCounts_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<QList<PaneKind>>("kinds");
    using Kinds = QList<PaneKind>;
    QTest::newRow("one") << int(CanvasMode::One) << Kinds{PaneKind::Result};
    QTest::newRow("two") << int(CanvasMode::Two) << Kinds{PaneKind::Original, PaneKind::Result};
    QTest::newRow("three") << int(CanvasMode::Three)
                           << Kinds{PaneKind::Original, PaneKind::Result, PaneKind::Difference};
    QTest::newRow("four") << int(CanvasMode::Four)
                          << Kinds{PaneKind::Original, PaneKind::Result, PaneKind::Split, PaneKind::Difference};
}

void CanvasTest::paneCounts() {
    QFETCH(int, mode);
    QFETCH(QList<PaneKind>, kinds);
    openMade(addressed(300, 200), QStringLiteral("panes"));
    filterWith("sharpen");
    find<QAction>(QStringLiteral("view.%1").arg(mode))->trigger();
    QTest::qWait(10);
    QCOMPARE(window_->canvas().paneCount(), int(kinds.size()));
    for (int i = 0; i < 4; ++i)
        QCOMPARE(pane(i)->isVisible(), i < kinds.size());
    // Fitted to the panes that are there, whatever size hidden ones have.
    window_->grab();
    const double fits = std::min({8.0, pane(0)->width() / 300.0, pane(0)->height() / 200.0});
    QVERIFY2(std::abs(view().zoom() - fits) < 0.02, qPrintable(QString::number(view().zoom())));
    // All of one size, so that linked views show the same; and each paints what it is there for.
    view().setZoom(2);
    for (int i = 0; i < kinds.size(); ++i) {
        QCOMPARE(window_->canvas().paneView(i).kind, kinds[i]);
        QVERIFY(std::abs(pane(i)->width() - pane(0)->width()) <= 1);
        if (kinds[i] == PaneKind::Original)
            QCOMPARE(paintedAt(pane(i), {150, 100}), colourOf(document().picture(), {150, 100}));
        if (kinds[i] == PaneKind::Result)
            QCOMPARE(paintedAt(pane(i), {150, 100}), colourOf(*shown(), {150, 100}));
    }
}

void CanvasTest::differenceShowsWhatItSays_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<double>("gain");
    QTest::newRow("signed") << int(DifferenceMode::Signed) << 1.0;
    QTest::newRow("absolute") << int(DifferenceMode::Absolute) << 1.0;
    QTest::newRow("amplified") << int(DifferenceMode::Amplified) << 8.0;
    QTest::newRow("false colour") << int(DifferenceMode::FalseColour) << 8.0;
}

void CanvasTest::differenceShowsWhatItSays() {
    QFETCH(int, mode);
    QFETCH(double, gain);
    openMade(addressed(300, 200), QStringLiteral("difference"));
    window_->setCanvasMode(CanvasMode::Difference);
    QVERIFY(pane(1)->leftCaption().contains(QStringLiteral("nothing is filtered")));
    filterWith("shift:dx=1");
    window_->canvas().setDifference(DifferenceMode(mode), gain);
    view().setZoom(4);
    const QPoint pixel(150, 100);
    std::uint32_t word = 0;
    renderDifference(document().picture(), *shown(), {pixel.x(), pixel.y(), 1, 1}, DifferenceMode(mode), gain, &word,
                     1);
    QCOMPARE(paintedAt(pane(1), pixel), QColor::fromRgb(word));
    QVERIFY(QColor::fromRgb(word) != QColor(0, 0, 0)); // something has changed there
}

void CanvasTest::holdingOShowsTheOriginal() {
    openMade(addressed(300, 200), QStringLiteral("flip"));
    filterWith("shift:dx=1");
    window_->setCanvasMode(CanvasMode::Four);
    view().setZoom(2);
    const QPoint pixel(150, 100);
    const QColor original = colourOf(document().picture(), pixel), result = colourOf(*shown(), pixel);
    const QColor difference = paintedAt(pane(3), pixel);
    QVERIFY(original != result);
    // With the keyboard in a pane, and outside of all panes.
    for (QWidget *holder : {static_cast<QWidget *>(pane(0)), static_cast<QWidget *>(window_.get())}) {
        holder->setFocus();
        QTest::keyPress(holder, Qt::Key_O);
        QCOMPARE(paintedAt(pane(1), pixel), original);
        QCOMPARE(pane(1)->leftCaption(), QStringLiteral("Original"));
        QCOMPARE(paintedAt(pane(3), pixel), difference); // a difference stays one, in word and picture
        QVERIFY(pane(3)->leftCaption().startsWith(QStringLiteral("Difference")));
        QTest::keyRelease(holder, Qt::Key_O);
        QCOMPARE(paintedAt(pane(1), pixel), result);
    }
}

void CanvasTest::theSplitFollowsMouseAndKeys() {
    openMade(addressed(300, 200), QStringLiteral("split"));
    filterWith("shift:dx=1");
    window_->setCanvasMode(CanvasMode::Split);
    view().setZoom(2);
    const QPoint pixel(150, 100);
    const QColor original = colourOf(document().picture(), pixel), result = colourOf(*shown(), pixel);
    const int middle = pane(0)->width() / 2, y = pane(0)->height() - 60;
    QTest::mousePress(pane(0), Qt::LeftButton, {}, QPoint(middle, y));
    QTest::mouseMove(pane(0), QPoint(middle + 80, y));
    QTest::mouseRelease(pane(0), Qt::LeftButton, {}, QPoint(middle + 80, y));
    QVERIFY(std::abs(window_->canvas().content().splitPosition * pane(0)->width() - (middle + 80)) < 2);
    QCOMPARE(paintedAt(pane(0), pixel), original);
    pane(0)->setFocus();
    const QPointF centre = view().centre();
    for (int i = 0; i < 20; ++i)
        QTest::keyClick(pane(0), Qt::Key_Left, Qt::AltModifier);
    QVERIFY(window_->canvas().content().splitPosition < 0.45);
    QCOMPARE(view().centre(), centre);
    QCOMPARE(paintedAt(pane(0), pixel), result);
}

void CanvasTest::theCaptionOpensTheMenuOfThePane() {
    openMade(addressed(300, 200), QStringLiteral("menu"));
    filterWith("sharpen");
    QTest::mouseClick(pane(1), Qt::LeftButton, {}, QPoint(16, 16));
    auto *menu = find<QMenu>(QStringLiteral("canvas.menu"));
    QVERIFY(menu && menu->isVisible());
    for (QAction *action : menu->actions())
        if (action->text() == QStringLiteral("&Difference"))
            action->trigger();
    menu->close();
    QCOMPARE(window_->canvas().paneView(1).kind, PaneKind::Difference);
    QCOMPARE(window_->canvas().paneView(0).kind, PaneKind::Original);
    // By the keyboard alone: the menu of the pane that has it.
    pane(0)->setFocus();
    QContextMenuEvent key(QContextMenuEvent::Keyboard, QPoint(5, 5), pane(0)->mapToGlobal(QPoint(5, 5)));
    QApplication::sendEvent(pane(0), &key);
    QVERIFY(QTest::qWaitFor([&] { return QApplication::activePopupWidget() != nullptr; }));
    QApplication::activePopupWidget()->close();
}

void CanvasTest::aPaneShowsOneVariant() {
    openMade(addressed(300, 200), QStringLiteral("variant"));
    QVERIFY(QTest::qWaitFor([&] { return !variantsOf(QStringLiteral("sim")).isEmpty(); }));
    const QString key = QStringLiteral("tiled@sim");
    window_->canvas().setPaneView(0, {PaneKind::Variant, key});
    filterWith("emboss");
    QVERIFY(QTest::qWaitFor([&] { return variantIsThere(key); }, 60000));
    const Image wanted = runPipeline(document().picture(), document().chain().steps, chooseEngine("tiled", "sim"),
                                     document().chain().depth);
    const PictureStack &made = window_->canvas().content().variants.at(key).picture;
    QVERIFY(samePixels(*made.picture(), wanted));
    view().setZoom(2);
    QCOMPARE(paintedAt(pane(0), {150, 100}), colourOf(wanted, {150, 100}));
    QVERIFY(pane(0)->leftCaption().startsWith(QStringLiteral("tiled")));
    QCOMPARE(pane(0)->rightCaption(), QStringLiteral("simulated")); // its time says nothing about a GPU
    // The next chain runs through it as well.
    filterWith("sobel");
    QVERIFY(QTest::qWaitFor([&] { return variantIsThere(key); }, 60000));
    QVERIFY(samePixels(*window_->canvas().content().variants.at(key).picture.picture(),
                       runPipeline(document().picture(), document().chain().steps, chooseEngine("tiled", "sim"),
                                   document().chain().depth)));
}

void CanvasTest::aVariantThatCannotRunSaysWhy() {
    openMade(addressed(300, 200), QStringLiteral("refused"));
    const QString key = QStringLiteral("nosuch@sim");
    window_->canvas().setPaneView(1, {PaneKind::Variant, key});
    filterWith("sharpen");
    QVERIFY(QTest::qWaitFor([&] { return pane(1)->leftCaption().contains(QLatin1Char(':')); }, 60000));
    QVERIFY2(pane(1)->leftCaption().contains(QStringLiteral("nosuch")), qPrintable(pane(1)->leftCaption()));
    view().setZoom(2);
    QCOMPARE(paintedAt(pane(1), {150, 100}), colourOf(document().picture(), {150, 100}));
}

} // namespace

QTEST_MAIN(CanvasTest)
#include "canvas_test.moc"
