// How long the window takes: from a change to painted pixels, for panning and zooming, from start to usable. Prints a
// table; it is no test, as its figures belong to the machine. `window_bench [PICTURE]`; without one, a scene of 24
// megapixels.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cstdio>

using namespace tessera;

namespace {

void print(const char *what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        return times[std::min(times.size() - 1, std::size_t(share * double(times.size())))];
    };
    std::printf("%-44s %4zu samples   median %8.2f ms   p95 %8.2f ms\n", what, times.size(), at(0.5), at(0.95));
}

// Repaints all panes now, as the next frame would.
void paintNow(MainWindow &window) {
    for (CanvasPane *pane : window.canvas().panes())
        if (pane->isVisible())
            pane->repaint();
}

double changeToPainted(MainWindow &window, const std::function<void(Document &)> &change) {
    bool shown = false;
    const auto first = QObject::connect(&window.session(), &Session::previewReady, &window, [&] { shown = true; });
    const auto second =
        QObject::connect(&window.session().runner(), &FilterRunner::resultReady, &window, [&] { shown = true; });
    QElapsedTimer clock;
    clock.start();
    window.session().edit(change);
    while (!shown)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    paintNow(window);
    const double ms = double(clock.nsecsElapsed()) / 1e6;
    QObject::disconnect(first);
    QObject::disconnect(second);
    return ms;
}

void measureChanges(MainWindow &window, const char *what) {
    std::vector<double> times;
    for (int i = 0; i < 40; ++i)
        times.push_back(changeToPainted(window, [i](Document &document) {
            FilterStep step = *document.step();
            step.filter.values["sigma"] = 1.0 + 0.1 * (i % 30);
            document.changeStep(step, "sigma", "parameter:sigma");
        }));
    print(what, times);
    waitUntilIdle(window, 120000);
}

// The same with a race in full course at every change: it must give way.
void measureBesideRace(MainWindow &window) {
    Session &session = window.session();
    int rows = 0;
    QObject::connect(&session.race(), &RaceRunner::rowChanged, &window,
                     [&rows](int, const RaceRow &row) { rows += row.samples > 0; });
    session.setRaceEndless(true);
    session.startRace();
    std::vector<double> changes, pans;
    for (int i = 0; i < 12; ++i) {
        rows = 0;
        if (!QTest::qWaitFor([&] { return session.race().running() && rows > 2; }, 60000))
            break;
        for (int k = 0; k < 8; ++k) {
            QElapsedTimer clock;
            clock.start();
            window.canvas().view().panBy({17.0 * (k % 4 < 2 ? 1 : -1), 9.0});
            paintNow(window);
            pans.push_back(double(clock.nsecsElapsed()) / 1e6);
        }
        rows = 0;
        if (!QTest::qWaitFor([&] { return rows > 1; }, 60000)) // it goes on after the moment that the pan took
            break;
        changes.push_back(changeToPainted(window, [i](Document &document) {
            FilterStep step = *document.step();
            step.filter.values["sigma"] = 1.05 + 0.1 * i;
            document.changeStep(step, "sigma", "parameter:sigma");
        }));
    }
    session.stopRace();
    print("pan, a race running", pans);
    print("change to painted, a race running", changes);
}

} // namespace

int main(int argc, char **argv) {
    QElapsedTimer start;
    start.start();
    QApplication application(argc, argv);
    const WindowTestFolder folder;
    applyTheme(ThemeChoice::Dark);
    MainWindow window;
    window.setAsksBeforeClosing(false);
    window.resize(1600, 1000);
    window.show();
    if (!QTest::qWaitForWindowExposed(&window))
        return 1;
    QCoreApplication::processEvents();
    std::printf("%-44s %8.2f ms\n", "start to a window that takes input", double(start.nsecsElapsed()) / 1e6);
    const QString picture = argc > 1 ? QString::fromLocal8Bit(argv[1])
                                     : writeScene(folder, QStringLiteral("24.ppm"), 6000, 4000, {Depth::U8, 3});
    if (!openAndWait(window, picture))
        return 1;
    window.session().edit([](Document &document) { document.setFilter(parseFilter("gaussian:sigma=2")); });
    waitUntilIdle(window, 120000);
    measureChanges(window, "change to painted, whole picture in view");
    window.canvas().view().setZoom(1);
    measureChanges(window, "change to painted, 100 %");
    std::vector<double> pans, zooms;
    for (int i = 0; i < 100; ++i) {
        QElapsedTimer clock;
        clock.start();
        window.canvas().view().panBy({17.0 * (i % 20 < 10 ? 1 : -1), 9.0});
        paintNow(window);
        pans.push_back(double(clock.nsecsElapsed()) / 1e6);
    }
    print("pan", pans);
    window.canvas().view().fit();
    for (int i = 0; i < 100; ++i) {
        QElapsedTimer clock;
        clock.start();
        window.canvas().view().zoomStep(QPointF(3100, 2050), i % 40 < 20 ? 0.5 : -0.5);
        paintNow(window);
        zooms.push_back(double(clock.nsecsElapsed()) / 1e6);
    }
    print("zoom", zooms);
    window.canvas().view().setZoom(1);
    measureBesideRace(window);
    return 0;
}
