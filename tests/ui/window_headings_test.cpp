// The headings of cards and panels: whole where they are narrow, and in sight where another picture comes.
#include "tests/ui/window_test_support.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/controls.h"
#include "ui/race/race_panel.h"

#include <QLabel>
#include <QScrollBar>
#include <QTest>

using namespace tessera;

namespace {

class WindowHeadingsTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() {
        makeWindow();
        open();
    }
    void cleanup() { window_.reset(); }

    void theCardsBeginAtTheTopOfAnotherPicture();
    void theKernelsNoteIsWhole();
    void theRacesHeadingIsOfWholeParts();
};

void WindowHeadingsTest::theCardsBeginAtTheTopOfAnotherPicture() {
    filter("unsharp");
    open(QStringLiteral("other.png"), 50, 40, {Depth::U8, 3});
    filter("sobel");
    window_->resize(1000, 640);
    auto *bar = find<CardColumn>(QStringLiteral("left.cards"))->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 20);
    bar->setValue(bar->maximum());
    window_->session().undo(); // the same picture: it stays where the user is
    window_->session().redo();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(bar->value() > 0);
    bar->setValue(bar->maximum());
    window_->session().setCurrentIndex(0);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(bar->value(), 0);
}

void WindowHeadingsTest::theKernelsNoteIsWhole() {
    const auto note = [&]() -> QLabel * {
        for (QLabel *label : find<KernelPanel>()->findChildren<QLabel *>())
            if (label->text().startsWith(QStringLiteral("sum ")) && label->isVisible())
                return label;
        return nullptr;
    };
    for (const char *text : {"sobel", "box:size=3", "gaussian:sigma=7"}) {
        filter(text); // Sobel has two kernels, and a button for them in the heading
        QTRY_VERIFY2(note() && note()->fontMetrics().horizontalAdvance(note()->text()) <= note()->width(), text);
    }
}

void WindowHeadingsTest::theRacesHeadingIsOfWholeParts() {
    filter("gaussian:sigma=2");
    const auto heading = [&]() -> QLabel * {
        for (QLabel *label : find<RacePanel>()->findChildren<QLabel *>())
            if (label->text().startsWith(QStringLiteral("RACE")))
                return label;
        return nullptr;
    };
    QStringList seen;
    for (const int width : {1920, 1366, 1200, 1100, 1000}) {
        window_->resize(width, 800);
        QTRY_COMPARE(window_->width(), width);
        QCoreApplication::processEvents();
        const QLabel *label = heading();
        if (!label) // there is no room for a heading at all
            continue;
        QVERIFY2(label->fontMetrics().horizontalAdvance(label->text()) <= label->width(), qPrintable(label->text()));
        QVERIFY(label->toolTip().contains(QStringLiteral("border"))); // all of it
        seen << label->text();
    }
    QVERIFY2(seen.first().endsWith(QStringLiteral("border")), qPrintable(seen.first()));
    QVERIFY(seen.size() > 1 && seen.last().size() < seen.first().size());
}

} // namespace

QTEST_MAIN(WindowHeadingsTest)
#include "window_headings_test.moc"
