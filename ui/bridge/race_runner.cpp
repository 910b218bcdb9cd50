#include "ui/bridge/race_runner.h"

#include <chrono>
#include <thread>

namespace tessera {

RaceRunner::RaceRunner(QObject *parent) : QObject(parent) {}

void RaceRunner::start(SharedImage picture, const FilterStep &step, const RaceOptions &options) {
    const std::uint64_t race = ++current_;
    running_ = true;
    emit started();
    thread_.submit([this, race, picture = std::move(picture), step, options](const RunControl &control) {
        RaceOptions held = options;
        held.waitUntilIdle = [this, &control] {
            while (held_ && !control.stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
        };
        try {
            runRace(*picture, step, held, control, [&](std::size_t index, const RaceRow &row) {
                report(race, [this, index, row] { emit rowChanged(int(index), row); });
            });
            report(race, [this] { finish(false); });
        } catch (const Error &error) {
            if (error.kind() != ErrorKind::Cancelled)
                report(race, [this, message = messageFrom(error)] { emit failed(message); });
            report(race, [this] { finish(true); });
        } catch (const std::exception &error) {
            report(race, [this, what = QString::fromUtf8(error.what())] {
                emit failed({Message::Kind::Error, tr("The race was stopped: %1").arg(what), {}});
                finish(true);
            });
        }
    });
}

void RaceRunner::cancel() {
    if (!running_)
        return;
    ++current_;
    thread_.cancel();
    finish(true);
}

void RaceRunner::finish(bool cancelled) {
    running_ = false;
    emit finished(cancelled);
}

void RaceRunner::report(std::uint64_t race, std::function<void()> action) {
    postTo(this, [this, race, action = std::move(action)] {
        if (race == current_)
            action();
    });
}

} // namespace tessera
