// Down to the pixel: grid, inspector, sums, regions.
#include "app/filters/kernel_file.h"
#include "app/image/image_io.h"
#include "tests/ui/canvas_test_support.h"
#include "ui/canvas/pixel_overlay.h"
#include "ui/canvas/tap_table.h"
#include "ui/panels/message_bar.h"
#include "ui/window/theme.h"

#include <QAction>
#include <QFileInfo>
#include <QPainter>
#include <QTest>

using namespace tessera;

namespace {

class CanvasPixelsTest : public CanvasFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aGigapixelCostsWhatIsVisible();
    void levelsOfAWidePictureCostAThird();
    void theGridCarriesNumbers();
    void theInspectorKeepsTheDepth_data();
    void theInspectorKeepsTheDepth();
    void theSumIsTakenApart();
    void theHeadOfTheSumIsNotCut();
    void keysMoveTheInspectedPixel();
    void theLargestChangeIsFound();
    void onlyTheRegionIsFiltered();
    void aRegionIsMarkedByKeyAndUndone();

private:
    void dragRegion(QPoint from, QPoint to);
};

// A picture of 100,000 x 10,000 that no memory holds: each pixel is asked for only when it is to be seen.
void CanvasPixelsTest::aGigapixelCostsWhatIsVisible() {
    std::int64_t rendered = 0;
    const auto wordAt = [](int x, int y) { return 0xff000000u | std::uint32_t(x * 7919 + y * 104729) >> 8; };
    TileLayer layer;
    layer.serial = TilePainter::nextSerial();
    layer.size = {100000, 10000};
    layer.render = [&](const Rectangle &region, std::uint32_t *target, std::ptrdiff_t pitch) {
        rendered += std::int64_t(region.width) * region.height;
        for (int y = 0; y < region.height; ++y)
            for (int x = 0; x < region.width; ++x)
                target[y * pitch + x] = wordAt(region.x + x, region.y + y);
    };
    TilePainter tiles;
    for (const double zoom : {1.0, 3.0, 64.0}) {
        QImage screen(800, 600, QImage::Format_RGB32);
        screen.fill(Qt::black);
        QPainter painter(&screen);
        // The last pixel at the bottom right of the screen.
        const ScreenMapping mapping{QPointF(800 - 100000 * zoom, 600 - 10000 * zoom), zoom};
        tiles.draw(painter, layer, mapping, screen.rect());
        painter.end();
        QCOMPARE(screen.pixel(799, 599), wordAt(99999, 9999));
        const int side = int(64 / zoom); // pixels of the picture from the corner
        QCOMPARE(screen.pixel(799 - int(side * zoom), 599), wordAt(99999 - side, 9999));
    }
    // What one screen needs at 100 %, whole tiles, once: the other zooms find theirs kept.
    QVERIFY2(rendered <= std::int64_t(800 + 512) * (600 + 512), qPrintable(QString::number(rendered)));
}

void CanvasPixelsTest::levelsOfAWidePictureCostAThird() {
    openMade(addressed(40000, 400), QStringLiteral("wide"));
    const PictureStack &stack = window_->canvas().content().before;
    std::size_t above = 0;
    for (int level = 1; level < stack.levels(); ++level)
        above += stack.level(level).bytes();
    QVERIFY(stack.levels() >= 8);
    QVERIFY(above * 5 < stack.picture()->bytes() * 2); // a third, and rows on whole cache lines
    window_->setCanvasMode(CanvasMode::One);
    view().fit(); // 1 % to some percent: the middle of the picture is the mean of what it covers
    const QColor painted = paintedAt(pane(0), {20000, 200});
    QVERIFY(painted != theme().canvas);
}

void CanvasPixelsTest::theGridCarriesNumbers() {
    openMade(addressed(300, 200), QStringLiteral("grid"));
    filterWith("shift:dx=1");
    window_->setCanvasMode(CanvasMode::Three);
    const QPoint pixel(150, 100);
    const auto inkIn = [&](int index) { // pixels of the cell that are neither its colour nor a line of the grid
        const QPointF from = pane(index)->toWidget(pixel);
        const QImage cell = grabbed(pane(index)).copy(QRect(from.toPoint() + QPoint(4, 4), QSize(52, 52)));
        int ink = 0;
        for (int y = 0; y < cell.height(); ++y)
            for (int x = 0; x < cell.width(); ++x)
                ink += cell.pixel(x, y) != cell.pixel(0, 0);
        return ink;
    };
    view().zoomAt(QPointF(150.5, 100.5), 64);
    view().centreOn(QPointF(150.5, 100.5));
    for (int index : {0, 1, 2})
        QVERIFY2(inkIn(index) > 40, qPrintable(QString::number(index))); // original, result, difference
    view().zoomAt(QPointF(150.5, 100.5), 7);
    view().centreOn(QPointF(150.5, 100.5));
    const QImage small = grabbed(pane(0));
    const QPointF corner = pane(0)->toWidget(pixel);
    for (int i = 1; i < 6; ++i) // no line round a pixel yet
        QCOMPARE(small.pixelColor(corner.toPoint() + QPoint(i, 3)), colourOf(document().picture(), pixel));
}

void CanvasPixelsTest::theInspectorKeepsTheDepth_data() {
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("channels");
    QTest::newRow("8 bit RGB") << int(Depth::U8) << 3;
    QTest::newRow("16 bit grey") << int(Depth::U16) << 1;
    QTest::newRow("float RGBA") << int(Depth::F32) << 4;
}

void CanvasPixelsTest::theInspectorKeepsTheDepth() {
    QFETCH(int, depth);
    QFETCH(int, channels);
    openMade(testScene(200, 150, {Depth(depth), channels}), QStringLiteral("depth"));
    filterWith("sharpen");
    const QPoint pixel(130, 52);
    const QPointF place = pane(1)->toWidget(QPointF(pixel) + QPointF(0.5, 0.5));
    moveMouse(pane(1), place);
    QVERIFY(view().hover());
    const QPoint over = *view().hover();
    const QStringList lines = pane(1)->inspectorLines();
    QVERIFY(lines.size() >= 3);
    QVERIFY2(lines[0].startsWith(QStringLiteral("x %1  y %2").arg(over.x()).arg(over.y())), qPrintable(lines[0]));
    for (int c = 0; c < channels; ++c) {
        const auto text = [&](const Image &image) {
            return QString::fromStdString(
                formatSample(pixelAt(image.view(), over.x(), over.y()).value[c], image.format().depth));
        };
        QVERIFY2(lines[0].contains(text(*shown())), qPrintable(lines[0]));
        QVERIFY2(lines[1].contains(text(document().picture())), qPrintable(lines[1]));
    }
}

// Where its line is too short, what the columns are goes into a line of its own.
void CanvasPixelsTest::theHeadOfTheSumIsNotCut() {
    const Image picture = testScene(60, 40, {Depth::U8, 3});
    FilterStep step;
    step.filter = {"custom", {}, parseKernel("1x1: 2", "test")}; // its one tap is narrower than the head
    const QFontMetrics metrics(smallFont());
    const int head = metrics.horizontalAdvance(QStringLiteral("R at x 20, y 10: tap·value"));
    QImage canvas(800, 300, QImage::Format_RGB32);
    QPainter painter(&canvas);
    const auto boxIn = [&](int width) {
        return paintTapTable(painter, picture, step, {20, 10}, 0, {0, 0, width, 300});
    };
    const QRect roomy = boxIn(800), narrow = boxIn(head + 10);
    QVERIFY(roomy.isValid() && narrow.isValid());
    QVERIFY(roomy.width() > head);
    QCOMPARE(narrow.height(), roomy.height() + metrics.lineSpacing());
}

void CanvasPixelsTest::theSumIsTakenApart() {
    openMade(addressed(300, 200), QStringLiteral("sum"));
    filterWith("sharpen");
    const QPoint pixel(0, 0); // where taps meet the border
    view().setHover(pixel);
    const TapSum sum = explainPixel(document().picture().view(), *document().step(), 0, 0, 0);
    QVERIFY(pane(1)->inspectorLines().last().contains(QString::fromStdString(tapSumText(sum))));
    const TapTable table = tapTable(sum, pixel, QStringLiteral("R"), 9, 9);
    QCOMPARE(int(table.rows.size()), sum.height);
    for (const QStringList &row : table.rows)
        QCOMPARE(int(row.size()), sum.width);
    QVERIFY(table.rows[0][0].startsWith(QLatin1Char('(')));  // from the border
    QVERIFY(!table.rows[1][1].startsWith(QLatin1Char('('))); // the pixel itself
    QVERIFY(table.rows[1][1].endsWith(QString::number(pixelAt(document().picture().view(), 0, 0).value[0])));
    // Whatever room there is, the result stays.
    const QFontMetrics metrics(smallFont());
    const QString line = QStringLiteral("Σ R (36·51040 + 24·51001 + 24·50999 + …) / 256 = 51039.8");
    for (int width = 60; width < 2 * metrics.horizontalAdvance(line); width += 7) {
        const QString cut = elidedSum(line, metrics, width);
        QVERIFY2(cut.endsWith(QStringLiteral("= 51039.8")), qPrintable(cut));
        QVERIFY2(metrics.horizontalAdvance(cut) <=
                     std::max(width, metrics.horizontalAdvance(QStringLiteral("= 51039.8"))),
                 qPrintable(cut));
    }
    QCOMPARE(elidedSum(line, metrics, 1000), line);
    // Too large for a grid: the largest terms and the rest, which add up to the same.
    FilterStep blur;
    blur.filter = parseFilter("gaussian:sigma=5");
    const TapSum wide = explainPixel(document().picture().view(), blur, 150, 100, 0);
    const TapTable list = tapTable(wide, {150, 100}, QStringLiteral("R"), 9, 6);
    QCOMPARE(int(list.rows.size()), 6);
    double total = 0;
    for (const QStringList &row : list.rows)
        total += QString(row[2]).replace(QChar(0x2212), QLatin1Char('-')).toDouble();
    QVERIFY2(std::abs(total - wide.sum) < 0.1, qPrintable(QString::number(total)));
    // T shows it on the canvas, Shift+T another channel.
    window_->setCanvasMode(CanvasMode::One);
    const QImage without = grabbed(pane(0));
    QTest::keyClick(window_.get(), Qt::Key_T);
    const QImage red = grabbed(pane(0));
    QVERIFY(red != without);
    QTest::keyClick(window_.get(), Qt::Key_T, Qt::ShiftModifier);
    QVERIFY(grabbed(pane(0)) != red);
}

void CanvasPixelsTest::keysMoveTheInspectedPixel() {
    openMade(addressed(300, 200), QStringLiteral("keys"));
    view().setZoom(32);
    pane(0)->setFocus();
    QTest::keyClick(pane(0), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(view().hover(), QPoint(150, 100));
    QTest::keyClick(pane(0), Qt::Key_Right, Qt::ControlModifier);
    QTest::keyClick(pane(0), Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(view().hover(), QPoint(151, 110));
    for (int i = 0; i < 30; ++i)
        QTest::keyClick(pane(0), Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(view().hover(), QPoint(299, 110)); // not past the edge, and in sight
    QVERIFY(view().visibleRect().contains(QPointF(299.5, 110.5)));
}

void CanvasPixelsTest::theLargestChangeIsFound() {
    Image picture(400, 300, {Depth::U8, 1});
    for (int y = 0; y < 300; ++y)
        std::fill_n(picture.view().row<std::uint8_t>(y), 400, std::uint8_t(100));
    picture.view().row<std::uint8_t>(37)[291] = 255;
    picture.view().row<std::uint8_t>(200)[20] = 180;
    openMade(std::move(picture), QStringLiteral("spots"));
    filterWith("box");
    QTest::keyClick(window_.get(), Qt::Key_L, Qt::ControlModifier);
    QVERIFY(QTest::qWaitFor([&] { return view().hover() == QPoint(291, 37); }));
    QVERIFY(view().zoom() >= 32 && view().visibleRect().contains(QPointF(291.5, 37.5)));
    // In a region: the largest there.
    view().fit();
    dragRegion({5, 150}, {60, 250});
    QTest::keyClick(window_.get(), Qt::Key_L, Qt::ControlModifier);
    QVERIFY(QTest::qWaitFor([&] { return view().hover() == QPoint(20, 200); }));
}

void CanvasPixelsTest::dragRegion(QPoint from, QPoint to) {
    const QPoint first = pane(0)->toWidget(from).toPoint(), last = pane(0)->toWidget(to).toPoint();
    QTest::mousePress(pane(0), Qt::LeftButton, Qt::ShiftModifier, first);
    QTest::mouseMove(pane(0), (first + last) / 2);
    QTest::mouseMove(pane(0), last);
    QTest::mouseRelease(pane(0), Qt::LeftButton, Qt::ShiftModifier, last);
    QVERIFY(!window_->canvas().content().region.isEmpty());
}

void CanvasPixelsTest::onlyTheRegionIsFiltered() {
    openMade(addressed(300, 200), QStringLiteral("area"));
    filterWith("gaussian:sigma=3");
    const Image whole = expected();
    dragRegion({40, 50}, {200, 150});
    const QRect region = window_->canvas().content().region;
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(find<QAction>(QStringLiteral("filter.region"))->isChecked());
    const auto isRight = [&](const Image &result) {
        for (int y = 0; y < 200; ++y)
            for (int x = 0; x < 300; ++x) {
                const Image &wanted = region.contains(x, y) ? whole : document().picture();
                for (int c = 0; c < 3; ++c)
                    if (pixelAt(result.view(), x, y).value[c] != pixelAt(wanted.view(), x, y).value[c])
                        return false;
            }
        return true;
    };
    QVERIFY(isRight(*shown()));
    // Saved is what is shown, from a result and without one.
    const QString path = folder_.path(QStringLiteral("area.png"));
    window_->session().save(path, {.format = {}, .overwrite = true}, OutputDepth::Keep);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(isRight(loadImage(path.toStdString())));
    // A session keeps it.
    const SessionState state = parseSession(formatSession(window_->session().state()), "test");
    QVERIFY(state.entries.front().chain == document().chain());
}

void CanvasPixelsTest::aRegionIsMarkedByKeyAndUndone() {
    openMade(addressed(300, 200), QStringLiteral("undo"));
    filterWith("gaussian:sigma=3");
    const Image whole = expected();
    // Without a mark there is nothing to limit the filter to, and it is said.
    auto *only = find<QAction>(QStringLiteral("filter.region"));
    only->trigger();
    QVERIFY(find<MessageBar>()->isShowing());
    QVERIFY(!only->isChecked());
    view().setZoom(8);
    QTest::keyClick(window_.get(), Qt::Key_M, Qt::ControlModifier);
    const Rectangle visible = window_->canvas().visibleRegion();
    QCOMPARE(window_->canvas().content().region, QRect(visible.x, visible.y, visible.width, visible.height));
    QVERIFY(window_->session().region() == visible);
    only->trigger();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!samePixels(*shown(), whole));
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!only->isChecked());
    QVERIFY(samePixels(*shown(), whole));
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(only->isChecked());
    QTest::keyClick(window_.get(), Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier); // and everything again
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(samePixels(*shown(), whole));
}

} // namespace

QTEST_MAIN(CanvasPixelsTest)
#include "canvas_pixels_test.moc"
