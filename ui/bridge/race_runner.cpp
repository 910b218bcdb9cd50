#include "ui/bridge/race_runner.h"

namespace tessera {

namespace {
constexpr int momentMs = 300; // longer than the gaps between the events of a drag or a wheel
}

RaceRunner::RaceRunner(QObject *parent) : QObject(parent) {
    momentary_.setSingleShot(true);
    momentary_.setInterval(momentMs);
    connect(&momentary_, &QTimer::timeout, this, [this] { updateGate(); });
}

RaceRunner::~RaceRunner() = default;

void RaceRunner::start(SharedImage picture, const FilterStep &step, const RaceOptions &options) {
    const std::uint64_t race = ++current_;
    running_ = true;
    setPaused(false);
    emit started();
    thread_.submit([this, race, picture = std::move(picture), step, options](const RunControl &control) {
        run(*picture, step, options, race, control);
    });
}

void RaceRunner::run(const Image &picture, const FilterStep &step, const RaceOptions &options, std::uint64_t race,
                     const RunControl &control) {
    RaceEvents events;
    events.row = [&](std::size_t index, const RaceRow &row) {
        report(race, [this, index, row] { emit rowChanged(int(index), row); });
    };
    events.device = [&](const RaceDevice &device) { report(race, [this, device] { emit deviceMeasured(device); }); };
    events.working = [&](const std::string &what) {
        report(race, [this, text = QString::fromStdString(what)] { emit workingOn(text); });
    };
    try {
        runRace(picture, step, options, gate_, memory_, control, events);
        report(race, [this] { finish(false); });
    } catch (const Error &error) {
        if (error.kind() != ErrorKind::Cancelled)
            report(race, [this, message = messageFrom(error)] { emit failed(message); });
        report(race, [this] { finish(true); });
    } catch (...) {
        report(race, [this, why = messageOfFailure()] {
            emit failed({Message::Kind::Error, tr("The race was stopped: %1").arg(why.what), why.remedy});
            finish(true);
        });
    }
}

void RaceRunner::setHeld(bool held) {
    held_ = held;
    updateGate();
}

void RaceRunner::setOutOfSight(bool outOfSight) {
    outOfSight_ = outOfSight;
    updateGate();
}

void RaceRunner::giveWay() {
    if (!running_)
        return;
    momentary_.start();
    updateGate();
}

void RaceRunner::setPaused(bool paused) {
    if (paused == paused_)
        return;
    paused_ = paused;
    gate_.setPaused(paused);
    emit pausedChanged(paused);
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
    setPaused(false);
    emit finished(cancelled);
}

void RaceRunner::report(std::uint64_t race, std::function<void()> action) {
    postTo(this, [this, race, action = std::move(action)] {
        if (race == current_)
            action();
    });
}

} // namespace tessera
