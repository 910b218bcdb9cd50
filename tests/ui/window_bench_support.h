// Clocks for the window's benchmark.
#pragma once

#include "tests/ui/window_test_support.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>
#include <vector>

namespace tessera {

inline void print(const char *what, std::vector<double> times) {
    if (times.empty()) {
        std::printf("%-62s failed\n", what);
        return;
    }
    const auto slowest = std::max_element(times.begin(), times.end()) - times.begin() + 1;
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        return times[std::min(times.size() - 1, std::size_t(share * double(times.size())))];
    };
    std::printf("%-62s %4zu samples   median %7.2f   p95 %7.2f   max %7.2f (the %d. of them) ms\n", what, times.size(),
                at(0.5), at(0.95), times.back(), int(slowest));
    std::fflush(stdout);
}

// Knows when everything that was asked to paint has painted: events in, until no update is due any more.
class PaintWatch : public QObject {
public:
    explicit PaintWatch(MainWindow &window) : window_(window) {
        for (CanvasPane *pane : window.canvas().panes())
            pane->installEventFilter(this);
        window.installEventFilter(this);
    }
    // Delivers what is posted, the window's repaint included, which goes to the screen before this returns.
    void waitUntilPainted() {
        QCoreApplication::sendPostedEvents();
        for (int i = 0; i < 100 && !painted_; ++i)
            QCoreApplication::processEvents();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::UpdateRequest);
        unpainted_ += !painted_;
        painted_ = 0;
    }
    void settle() {
        for (int i = 0; i < 5; ++i)
            QCoreApplication::processEvents();
        painted_ = 0;
    }
    void reset() { painted_ = 0; }
    int unpainted() const { return unpainted_; } // how often there was nothing to wait for

protected:
    bool eventFilter(QObject *, QEvent *event) override {
        painted_ += event->type() == QEvent::Paint;
        return false;
    }

private:
    MainWindow &window_;
    int painted_ = 0;
    int unpainted_ = 0;
};

struct Bench {
    MainWindow &window;
    PaintWatch &watch;

    // Milliseconds from the event to painted panes.
    double timed(const std::function<void()> &event) {
        watch.reset();
        QElapsedTimer clock;
        clock.start();
        event();
        watch.waitUntilPainted();
        return double(clock.nsecsElapsed()) / 1e6;
    }
};

} // namespace tessera
