// How long the window takes: from a change to painted pixels, for panning, zooming and hovering, from start to usable,
// from Cancel to idle. Every figure is of the program as its users work it: events go in, and the clock stops when
// every pane in sight has painted what they asked for, histogram and statistics open. Prints a table; it is no test, as
// its figures belong to the machine. `window_bench [PICTURE [PART...]]`; without a picture, a scene of 24 megapixels.
// Parts are start, change, view and cancel; all of them where none is named.
#include "app/image/image_io.h"
#include "tests/ui/window_bench_support.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QMouseEvent>
#include <QProcess>
#include <QSlider>
#include <QTest>
#include <QWheelEvent>

#include <cstdio>
#include <cstring>
#include <ctime>

using namespace tessera;

namespace {

double monotonicMs() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

// The child of measureStart(): a window as run_window() makes it, until it has painted and waits for input.
int startOnly(QApplication &application, double began) {
    applyTheme(ThemeChoice::Dark);
    MainWindow window;
    window.setAsksBeforeClosing(false);
    window.resize(1600, 1000);
    window.show();
    PaintWatch watch(window);
    watch.waitUntilPainted();
    application.processEvents();
    std::printf("%.3f\n", monotonicMs() - began);
    return 0;
}

// From before the process exists: loading, linking, the window, its first picture on the screen.
void measureStart() {
    std::vector<double> times;
    for (int i = 0; i < 15; ++i) {
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("--start"), QString::number(monotonicMs(), 'f', 3)});
        if (!child.waitForFinished(30000) || child.exitCode() != 0)
            return print("start to a window that takes input", {});
        times.push_back(child.readAllStandardOutput().trimmed().toDouble());
    }
    print("start to a window that takes input", times);
}

// Moves the filter's own slider, as a hand would, and waits for the picture of that value.
double changeToPainted(Bench &bench, QSlider &slider, int value) {
    Session &session = bench.window.session();
    bool arrived = false;
    const auto first = QObject::connect(&session, &Session::previewReady, [&] { arrived = true; });
    const auto second = QObject::connect(&session.runner(), &FilterRunner::resultReady, [&] { arrived = true; });
    const double from = monotonicMs();
    slider.setValue(value);
    while (!arrived)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    bench.watch.waitUntilPainted();
    const double ms = monotonicMs() - from;
    QObject::disconnect(first);
    QObject::disconnect(second);
    return ms;
}

void measureChanges(Bench &bench, const char *filter, const char *parameter, const char *what) {
    bench.window.session().edit([&](Document &document) { document.setFilter(parseFilter(filter)); });
    waitUntilIdle(bench.window, 120000);
    auto *slider = bench.window.findChild<QSlider *>(QStringLiteral("slider.%1").arg(QLatin1String(parameter)));
    const int low = slider->value(), steps = std::min(30, slider->maximum() - low);
    std::vector<double> rest, drag;
    // Of a picture that takes seconds fewer, or the whole would take an hour.
    const Image &picture = bench.window.session().document()->picture();
    const int samples = std::clamp(int(720e6 / (double(picture.width()) * picture.height())), 3, 30);
    for (int i = 1; i <= samples; ++i) { // one change after another has come to its end, its statistics painted
        rest.push_back(changeToPainted(bench, *slider, low + 1 + i % steps));
        waitUntilIdle(bench.window, 120000);
        bench.watch.settle();
    }
    for (int i = 1; i <= 60; ++i) // a drag: each change stops the run of the one before
        drag.push_back(changeToPainted(bench, *slider, low + 1 + (i * 2) % steps));
    waitUntilIdle(bench.window, 120000);
    print((std::string("change to painted, ") + what).c_str(), rest);
    print((std::string("  the same while dragging, ") + what).c_str(), drag);
}

void sendMove(CanvasPane &pane, QPointF at, Qt::MouseButtons buttons) {
    QMouseEvent move(QEvent::MouseMove, at, pane.mapToGlobal(at), Qt::NoButton, buttons, Qt::NoModifier);
    QApplication::sendEvent(&pane, &move);
}

void sendWheel(CanvasPane &pane, QPointF at, int delta) {
    QWheelEvent wheel(at, pane.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&pane, &wheel);
}

void measureView(Bench &bench, const char *what) {
    CanvasPane &pane = *bench.window.canvas().panes().front();
    ViewState &view = bench.window.canvas().view();
    std::vector<double> zooms, hovers;
    view.fit();
    bench.watch.settle();
    for (int i = 0; i < 120; ++i)
        zooms.push_back(bench.timed([&] { sendWheel(pane, {180, 140}, i % 40 < 20 ? 60 : -60); }));
    print((std::string("zoom, ") + what).c_str(), zooms);
    for (const double zoom : {0.3, 1.0, 3.0, 40.0}) {
        view.setZoom(zoom);
        bench.watch.settle();
        QPoint at(pane.width() / 2, pane.height() / 2);
        std::vector<double> pans;
        QTest::mousePress(&pane, Qt::LeftButton, {}, at);
        for (int i = 0; i < 50; ++i) {
            at += i % 20 < 10 ? QPoint(-13, -7) : QPoint(13, 7);
            pans.push_back(bench.timed([&] { sendMove(pane, at, Qt::LeftButton); }));
        }
        QTest::mouseRelease(&pane, Qt::LeftButton, {}, at);
        print((std::string("pan at ") + std::to_string(int(zoom * 100)) + " %, " + what).c_str(), pans);
        for (int i = 0; i < 50; ++i)
            hovers.push_back(bench.timed([&] {
                sendMove(pane, {40.0 + 45 * (i % 8), 60.0 + 41 * (i / 8)}, Qt::NoButton);
            }));
    }
    print((std::string("hover, ") + what).c_str(), hovers);
}

// From the key to a session that has stopped everything, worker threads included. Runs that had come to their end
// before are left out.
void measureCancel(Bench &bench, const char *filter, const char *what) {
    std::vector<double> times;
    Session &session = bench.window.session();
    Chain chain; // three in linear light: longer than the longest wait below
    chain.steps.resize(3);
    for (FilterStep &step : chain.steps) {
        step.filter = parseFilter(filter);
        step.linear = true;
    }
    for (int i = 0; i < 24; ++i) {
        session.edit([&](Document &document) { document.replaceChain(chain, "three"); });
        QTest::qWait(20 + 25 * i); // in the middle of different stages
        const bool running = session.filtering();
        const double from = monotonicMs();
        session.cancel();
        session.runner().waitUntilStopped();
        if (running)
            times.push_back(monotonicMs() - from);
        session.edit([](Document &document) { document.replaceChain({}, "none"); });
    }
    print((std::string("cancel to idle, ") + what).c_str(), times);
}

// The same while a file is being read and decoded.
void measureCancelledOpening(Bench &bench, const QString &path) {
    std::vector<double> times;
    for (int i = 0; i < 12; ++i) {
        bench.window.open({path});
        QTest::qWait(20 + 25 * i);
        const double from = monotonicMs();
        bench.window.session().cancel();
        while (bench.window.session().busyWithFiles())
            QTest::qSleep(1);
        times.push_back(monotonicMs() - from);
    }
    print("cancel to idle, opening the picture (PNG where none was named)", times);
}

void measureAllChanges(Bench &bench) {
    bench.window.canvas().view().fit();
    measureChanges(bench, "gaussian:sigma=2", "sigma", "Gaussian, whole picture in view");
    bench.window.canvas().view().setZoom(1);
    measureChanges(bench, "gaussian:sigma=2", "sigma", "Gaussian, 100 %");
    measureChanges(bench, "unsharp:sigma=2", "sigma", "unsharp mask, 100 %");
    measureChanges(bench, "disk:radius=6", "radius", "disk, not separable, 100 %");
}

void measureViews(Bench &bench) {
    bench.window.session().edit([](Document &document) { document.setFilter(parseFilter("unsharp:sigma=2")); });
    waitUntilIdle(bench.window, 120000);
    measureView(bench, "two panes");
    bench.window.setCanvasMode(CanvasMode::Four);
    measureView(bench, "four panes");
    for (const char *panel : {"view.left", "view.race"}) // the histogram stays
        bench.window.findChild<QAction *>(QLatin1String(panel))->trigger();
    bench.watch.settle();
    measureView(bench, "four panes, wide");
}

void measureCancels(Bench &bench, const QString &path) {
    measureCancel(bench, "disk:radius=25", "three disks of radius 25");
    measureCancel(bench, "gaussian:sigma=8", "three Gaussians of sigma 8");
    measureCancelledOpening(bench, path);
}

// Pans and changes with a race in full course: it must give way.
void measureBesideRace(Bench &bench) {
    Session &session = bench.window.session();
    session.edit([](Document &document) { document.setFilter(parseFilter("gaussian:sigma=2")); });
    bench.window.canvas().view().setZoom(1);
    waitUntilIdle(bench.window, 120000);
    auto *slider = bench.window.findChild<QSlider *>(QStringLiteral("slider.sigma"));
    const int low = slider->value();
    int rows = 0;
    QObject::connect(&session.race(), &RaceRunner::rowChanged, &bench.window,
                     [&rows](int, const RaceRow &row) { rows += row.samples > 0; });
    session.setRaceEndless(true);
    session.startRace();
    std::vector<double> changes, pans;
    for (int i = 0; i < 12; ++i) {
        rows = 0;
        if (!QTest::qWaitFor([&] { return session.race().running() && rows > 2; }, 60000))
            break;
        for (int k = 0; k < 8; ++k)
            pans.push_back(bench.timed([&] {
                bench.window.canvas().view().panBy({17.0 * (k % 4 < 2 ? 1 : -1), 9.0});
            }));
        rows = 0;
        if (!QTest::qWaitFor([&] { return rows > 1; }, 60000)) // it goes on after the moment that the pan took
            break;
        changes.push_back(changeToPainted(bench, *slider, low + 1 + i));
    }
    session.stopRace();
    print("pan, a race running", pans);
    print("change to painted, a race running", changes);
}

} // namespace

int main(int argc, char **argv) {
    QApplication application(argc, argv);
    const WindowTestFolder folder;
    if (argc == 3 && !std::strcmp(argv[1], "--start"))
        return startOnly(application, std::atof(argv[2]));
    const auto wanted = [&](const char *part) {
        return argc < 3 ||
               std::any_of(argv + 2, argv + argc, [&](const char *given) { return !std::strcmp(given, part); });
    };
    if (wanted("start"))
        measureStart();
    applyTheme(ThemeChoice::Dark);
    MainWindow window;
    window.setAsksBeforeClosing(false);
    window.resize(1600, 1000);
    window.show();
    if (!QTest::qWaitForWindowExposed(&window))
        return 1;
    const QString picture = argc > 1 ? QString::fromLocal8Bit(argv[1])
                                     : writeScene(folder, QStringLiteral("24.ppm"), 6000, 4000, {Depth::U8, 3});
    if (!openAndWait(window, picture))
        return 1;
    PaintWatch watch(window);
    Bench bench{window, watch};
    if (wanted("change"))
        measureAllChanges(bench);
    if (wanted("view"))
        measureViews(bench);
    if (wanted("cancel"))
        measureCancels(bench,
                       argc > 1 ? picture : writeScene(folder, QStringLiteral("24.png"), 6000, 4000, {Depth::U8, 3}));
    if (wanted("race"))
        measureBesideRace(bench);
    if (watch.unpainted())
        std::printf("%d events painted nothing: their times are not what they seem\n", watch.unpainted());
    return 0;
}
