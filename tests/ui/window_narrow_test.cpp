// Little room: what does not fit can be reached all the same, and what belongs together stays together.
#include "tests/ui/window_test_support.h"
#include "ui/panels/start_page.h"
#include "ui/race/race_panel.h"
#include "ui/race/race_table.h"

#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cstdlib>
#include <map>

using namespace tessera;

namespace {

class WindowNarrowTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void theStartPageScrolls();
    void theRaceTableIsNeverCut();
    void theRaceHeadIsNeverCut_data();
    void theRaceHeadIsNeverCut();
    void labelsGoWithTheirLists();
    void theOverflowIsMarked_data();
    void theOverflowIsMarked();
};

// Every sample and every recent file, by the wheel and by the keys.
void WindowNarrowTest::theStartPageScrolls() {
    QStringList samples, recent;
    for (int i = 0; i < 4; ++i)
        samples << folder_.path(QStringLiteral("sample-%1.png").arg(i));
    for (int i = 0; i < 5; ++i)
        recent << folder_.path(QStringLiteral("a-long-name-of-a-picture-opened-some-time-ago-%1.png").arg(i));
    window_->resize(800, 520);
    auto *page = find<StartPage>();
    page->setSamples(samples);
    page->setRecent(recent);
    auto *scroll = find<QScrollArea>(QStringLiteral("start.scroll"));
    QVERIFY(scroll);
    QTRY_VERIFY(scroll->verticalScrollBar()->maximum() > 0);
    const QRect shown = scroll->viewport()->rect();
    const auto placeOf = [&](QWidget *widget) {
        return QRect(widget->mapTo(scroll->viewport(), QPoint()), widget->size());
    };
    const auto named = [&] {
        QList<QToolButton *> buttons = page->findChildren<QToolButton *>();
        buttons.removeIf([](QToolButton *one) { return one->accessibleName().isEmpty() || !one->isVisible(); });
        return buttons;
    };
    QTRY_COMPARE(named().size(), 9); // new ones are shown by the event loop
    for (QToolButton *button : named()) {
        button->setFocus(Qt::TabFocusReason);
        QVERIFY2(shown.contains(placeOf(button)), qPrintable(button->accessibleName()));
    }
    scroll->verticalScrollBar()->setValue(0);
    const QPoint middle = scroll->viewport()->rect().center();
    QWheelEvent wheel(middle, scroll->viewport()->mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(scroll->viewport(), &wheel);
    QVERIFY(scroll->verticalScrollBar()->value() > 0);
    window_->resize(1400, 900);
    QTRY_COMPARE(scroll->verticalScrollBar()->maximum(), 0);
}

void WindowNarrowTest::theRaceTableIsNeverCut() {
    RaceModel model;
    RaceRow row;
    row.variant = "naive";
    row.state = RaceState::Done;
    row.samples = 3;
    row.medianMs = row.fastestMs = row.slowestMs = 1;
    model.setRows({row, row, row});
    RaceTable table(&model);
    table.show();
    for (int width = 240; width < 1100; width += 7) {
        table.resize(width, 200);
        QCoreApplication::processEvents();
        QCoreApplication::processEvents();
        const int beyond = table.horizontalHeader()->length() - table.viewport()->width();
        QVERIFY2(beyond <= 0 || table.horizontalScrollBar()->maximum() >= beyond,
                 qPrintable(QStringLiteral("%1 wide: %2 out of reach").arg(width).arg(beyond)));
        if (width > 440)
            QVERIFY2(beyond <= 0, qPrintable(QString::number(width)));
    }
}

void WindowNarrowTest::theRaceHeadIsNeverCut_data() {
    QTest::addColumn<RaceView>("view");
    QTest::addColumn<bool>("running");
    for (const bool running : {false, true})
        for (const auto &[name, view] : {std::pair{"table", RaceView::Table},
                                         {"times", RaceView::Times},
                                         {"roofline", RaceView::Roofline},
                                         {"error", RaceView::Error},
                                         {"map", RaceView::Crossover}})
            QTest::addRow("%s%s", name, running ? ", running" : "") << view << running;
}

// In the smallest window and in every other: what is shown is shown whole, and beside its neighbours.
void WindowNarrowTest::theRaceHeadIsNeverCut() {
    QFETCH(RaceView, view);
    QFETCH(bool, running);
    open();
    clickFilter(QStringLiteral("Emboss"));
    auto *panel = find<RacePanel>();
    panel->setView(view);
    if (running) {
        panel->showRecord({*window_->session().raceSubject(), raceRows()}, true);
        panel->setMeasuringMap(true);
        RaceDevice device;
        device.id = "a";
        device.name = "a device with a long name of its own";
        panel->setDevice(device);
        device.id = "another";
        panel->setDevice(device);
    }
    const auto check = [&](int width) {
        QCoreApplication::processEvents();
        QRegion taken;
        int shown = 0;
        for (QWidget *widget : panel->findChildren<QWidget *>()) {
            const bool isControl = qobject_cast<QAbstractButton *>(widget) || qobject_cast<QComboBox *>(widget);
            if (!isControl || !widget->isVisible() || widget->window() != window_.get())
                continue;
            const QRect place(widget->mapTo(panel, QPoint()), widget->size());
            const QString what = QStringLiteral("%1 at %2").arg(widget->objectName()).arg(width);
            QVERIFY2(place.width() >= widget->minimumSizeHint().width(), qPrintable(what));
            QVERIFY2(panel->rect().contains(place), qPrintable(what));
            QVERIFY2(!taken.intersects(place), qPrintable(what));
            if (auto *list = qobject_cast<QComboBox *>(widget);
                list && list->objectName() != QLatin1String("race.device"))
                QVERIFY2(place.width() >= list->sizeHint().width(), qPrintable(what));
            taken += place;
            ++shown;
        }
        QVERIFY(shown >= 2); // the view and what starts or stops
    };
    for (int width = 1500; width >= 800; width -= 20) {
        window_->resize(width, 520);
        check(width);
    }
    window_->findChild<QSplitter *>()->setSizes({460, 10, 270}); // as far as it can be dragged
    check(800);
}

void WindowNarrowTest::labelsGoWithTheirLists() {
    auto *bar = find<QToolBar>(QStringLiteral("tools"));
    QVERIFY(bar);
    int hidden = 0;
    for (int width = 1200; width >= 640; width -= 10) {
        window_->resize(width, 600);
        QCoreApplication::processEvents();
        for (const char *name : {"variant", "device"}) {
            auto *list = bar->findChild<QComboBox *>(QLatin1String(name));
            QVERIFY(list);
            for (const QLabel *label : bar->findChildren<QLabel *>())
                if (label->text() == list->accessibleName())
                    QVERIFY2(label->isVisible() == list->isVisible(),
                             qPrintable(QStringLiteral("%1 at %2").arg(label->text()).arg(width)));
            hidden += !list->isVisible();
        }
    }
    QVERIFY2(hidden > 0, "there was room for all");
}

void WindowNarrowTest::theOverflowIsMarked_data() {
    QTest::addColumn<ThemeChoice>("theme");
    QTest::newRow("dark") << ThemeChoice::Dark;
    QTest::newRow("light") << ThemeChoice::Light;
}

void WindowNarrowTest::theOverflowIsMarked() {
    QFETCH(ThemeChoice, theme);
    window_->setThemeChoice(theme);
    window_->resize(640, 600);
    auto *button = find<QToolButton>(QStringLiteral("qt_toolbar_ext_button"));
    QVERIFY(button);
    QTRY_VERIFY(button->isVisible());
    const QImage picture = button->grab().toImage();
    std::map<int, int> levels; // of what lies inside the button's border
    for (int y = 6; y < picture.height() - 6; ++y)
        for (int x = 2; x < picture.width() - 2; ++x)
            ++levels[qGray(picture.pixel(x, y))];
    QVERIFY(!levels.empty());
    const int ground =
        std::max_element(levels.begin(), levels.end(), [](auto &a, auto &b) { return a.second < b.second; })->first;
    int marked = 0;
    for (const auto &[level, count] : levels)
        marked += std::abs(level - ground) > 40 ? count : 0;
    QVERIFY2(marked >= 6, qPrintable(QString::number(marked)));
}

} // namespace

QTEST_MAIN(WindowNarrowTest)
#include "window_narrow_test.moc"
