// What the histogram draws and says: nothing where there is nothing, every curve where several lie over one another,
// and under the mouse what is drawn there.
#include "tests/ui/window_test_support.h"
#include "ui/histogram/histogram_view.h"
#include "ui/window/theme.h"

#include <QTest>

#include <cmath>

using namespace tessera;

namespace {

class HistogramTest : public QObject {
    Q_OBJECT

private slots:
    void init();

    void withoutAValueItSaysSo();
    void aChannelWithoutAValueIsNamed();
    void theTextIsOfTheColumnThatIsDrawn();
    void levelsAreWholeNumbers();
    void equalChannelsAreGrey();
    void everyChannelIsSeenAlone();

private:
    void show(const Image &image) {
        const ImageStatistics statistics = computeStatistics(image.view());
        view_->setStatistics(&statistics);
    }
    QImage drawn() const { return view_->grab().toImage().convertToFormat(QImage::Format_RGB32); }
    static int saturation(const QImage &picture); // the largest
    std::unique_ptr<HistogramView> view_;
    WindowTestFolder folder_;
};

void HistogramTest::init() {
    applyTheme(ThemeChoice::Dark);
    view_ = std::make_unique<HistogramView>();
    view_->resize(220, 110);
}

int HistogramTest::saturation(const QImage &picture) {
    int largest = 0;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const QColor colour = picture.pixelColor(x, y);
            largest = std::max(largest, std::max({colour.red(), colour.green(), colour.blue()}) -
                                            std::min({colour.red(), colour.green(), colour.blue()}));
        }
    return largest;
}

Image filled(PixelFormat format, float value) {
    Image image(12, 8, format);
    for (int y = 0; y < image.height(); ++y)
        std::fill_n(image.view().row<float>(y), image.width() * format.channels, value);
    return image;
}

void HistogramTest::withoutAValueItSaysSo() {
    view_->setStatistics(nullptr);
    QVERIFY(view_->missing().isEmpty()); // there is no picture
    show(filled({Depth::F32, 1}, std::nanf("")));
    QCOMPARE(view_->missing(), QStringLiteral("nothing to draw: NaN alone"));
    QCOMPARE(view_->accessibleDescription(), view_->missing());
    QCOMPARE(view_->textAt(100), QStringLiteral("Grey: no finite value"));
    const QImage told = drawn();
    int others = 0;
    for (int y = 0; y < told.height(); ++y)
        for (int x = 0; x < told.width(); ++x)
            others += told.pixel(x, y) != theme().field.rgb();
    QVERIFY(others > 50); // the words are there
    show(filled({Depth::F32, 1}, 0.5f));
    QVERIFY(view_->missing().isEmpty());
    QVERIFY(view_->textAt(4).startsWith(QStringLiteral("Grey 0.5: 96")));
}

void HistogramTest::aChannelWithoutAValueIsNamed() {
    Image image = filled({Depth::F32, 3}, 0.25f);
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            image.view().row<float>(y)[3 * x + 1] = std::nanf("");
            image.view().row<float>(y)[3 * x + 2] = float(x) / 12;
        }
    show(image);
    QCOMPARE(view_->missing(), QStringLiteral("G: NaN alone"));
    QVERIFY2(view_->textAt(100).contains(QStringLiteral("G: no finite value")), qPrintable(view_->textAt(100)));
    view_->setChannels(5); // red and blue
    QVERIFY(view_->missing().isEmpty());
}

// Of floats a column stands for some twenty bins: where anything is drawn, the text must not say 0.
void HistogramTest::theTextIsOfTheColumnThatIsDrawn() {
    view_->setChannels(1);
    Image image(160, 120, {Depth::F32, 1});
    for (int y = 0; y < 120; ++y)
        for (int x = 0; x < 160; ++x)
            image.view().row<float>(y)[x] = float((x * 7 + y * 13) % 61) / 60 + (x == 5 && y == 5 ? 1.0f : 0.0f);
    show(image);
    const QImage picture = drawn();
    int above = 0;
    for (int x = 4; x < 216; ++x) {
        int high = 0;
        for (int y = 0; y < picture.height(); ++y)
            high += picture.pixel(x, y) != theme().field.rgb();
        const QString text = view_->textAt(x + 0.5);
        above += high > 0;
        QVERIFY2(high == 0 || !text.endsWith(QStringLiteral(": 0")), qPrintable(QString::number(x) + text));
        QVERIFY2(high > 0 || text.section(QStringLiteral(": "), 1).toInt() < 3, qPrintable(QString::number(x) + text));
    }
    QVERIFY(above >= 50 && above < 150); // 61 values, most in columns of their own
    QVERIFY(view_->textAt(2).isEmpty() && view_->textAt(217).isEmpty());
}

void HistogramTest::levelsAreWholeNumbers() {
    Image image(10, 10, {Depth::U8, 1});
    for (int y = 0; y < 10; ++y)
        std::fill_n(image.view().row<std::uint8_t>(y), 10, std::uint8_t(200));
    view_->resize(8 + 256, 110);
    show(image);
    QCOMPARE(view_->textAt(4 + 200.5), QStringLiteral("Grey 200: 100"));
    QCOMPARE(view_->textAt(4 + 100.5), QStringLiteral("Grey 100: 0"));
}

void HistogramTest::equalChannelsAreGrey() {
    Image image(64, 64, {Depth::U8, 3});
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x)
            for (int c = 0; c < 3; ++c)
                image.view().row<std::uint8_t>(y)[3 * x + c] = std::uint8_t(2 * x + y);
    for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
        applyTheme(choice);
        view_->setChannels(7);
        show(image);
        QVERIFY2(saturation(drawn()) < 40, qPrintable(QString::number(saturation(drawn()))));
        view_->setChannels(4); // blue alone
        QVERIFY2(saturation(drawn()) > 80, qPrintable(QString::number(saturation(drawn()))));
    }
}

// Each in a range of its own, so that none lies under another.
void HistogramTest::everyChannelIsSeenAlone() {
    Image image(64, 64, {Depth::U8, 3});
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x)
            for (int c = 0; c < 3; ++c)
                image.view().row<std::uint8_t>(y)[3 * x + c] = std::uint8_t(20 + 80 * c + x);
    show(image);
    const QImage picture = drawn();
    const QColor places[] = {picture.pixelColor(4 + 212 * 50 / 256, 60), picture.pixelColor(4 + 212 * 130 / 256, 60),
                             picture.pixelColor(4 + 212 * 210 / 256, 60)};
    QVERIFY(places[0].red() > places[0].green() && places[0].red() > places[0].blue());
    QVERIFY(places[1].green() > places[1].red() && places[1].green() > places[1].blue());
    QVERIFY(places[2].blue() > places[2].red() && places[2].blue() > places[2].green());
}

} // namespace

QTEST_MAIN(HistogramTest)
#include "histogram_test.moc"
