#include "tests/ui/canvas_test_support.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QTest>

namespace tessera {

Image addressed(int width, int height) {
    Image image(width, height, {Depth::U8, 3});
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            auto *pixel = image.view().row<std::uint8_t>(y) + 3 * x;
            pixel[0] = std::uint8_t(x * 37 + (x >> 8) * 11);
            pixel[1] = std::uint8_t(y * 53 + (x >> 8) * 5);
            pixel[2] = std::uint8_t((x >> 8) + y);
        }
    return image;
}

QColor colourOf(const Image &image, QPoint pixel) {
    std::uint32_t word = 0;
    renderPicture(image, {pixel.x(), pixel.y(), 1, 1}, &word, 1);
    return QColor::fromRgb(word);
}

void CanvasFixture::openMade(Image picture, const QString &title) {
    const int before = window_->session().count();
    window_->session().openPicture(std::move(picture), title);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() > before; }, 60000));
    QVERIFY(waitUntilIdle(*window_));
    QTest::qWait(10); // the layout of the canvas, now that it is shown
}

void CanvasFixture::filterWith(const char *text) {
    filter(text);
    QVERIFY(document().resultIsCurrent());
}

QStringList CanvasFixture::variantsOf(const QString &device) {
    QStringList found;
    const auto *devices = find<QComboBox>(QStringLiteral("device"));
    if (devices->findData(device) < 0)
        return found;
    const auto *variants = find<QComboBox>(QStringLiteral("variant"));
    for (int i = 0; i < variants->count(); ++i)
        found << variants->itemData(i).toString();
    return found;
}

bool CanvasFixture::variantIsThere(const QString &key) {
    const auto &variants = window_->canvas().content().variants;
    const auto made = variants.find(key);
    return made != variants.end() && !made->second.outdated && !made->second.patch && !made->second.picture.empty() &&
           !window_->session().variantRuns().running();
}

void CanvasFixture::moveMouse(CanvasPane *pane, QPointF to, Qt::MouseButtons buttons) {
    QMouseEvent move(QEvent::MouseMove, to, pane->mapToGlobal(to), Qt::NoButton, buttons, Qt::NoModifier);
    QApplication::sendEvent(pane, &move);
}

QColor CanvasFixture::paintedAt(CanvasPane *pane, QPoint pixel) {
    const double inset = pane->mapping().zoom > 16 ? 4 / pane->mapping().zoom : 0.4;
    const QPointF place = pane->toWidget(QPointF(pixel) + QPointF(inset, inset));
    return grabbed(pane).pixelColor(int(place.x()), int(place.y()));
}

} // namespace tessera
