#include "app/race/race.h"

#include "app/bench/device_bench.h"
#include "app/bench/host_ceilings.h"
#include "app/race/race_figures.h"
#include "app/race/race_sampling.h"
#include "app/race/race_track.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

struct Entrant {
    std::shared_ptr<Engine> engine;
    std::size_t index = 0; // of its row
    KernelTraffic traffic;
    RaceSamples samples;
    bool racing = false; // takes part in the rounds
    Clock::time_point reported{};
};

class Race {
public:
    Race(const Image &picture, const FilterStep &step, const RaceOptions &options, RaceGate &gate, RaceMemory &memory,
         const RunControl &control, const RaceEvents &events)
        : track_(picture, step), options_(options), gate_(gate), memory_(memory), control_(control), events_(events),
          gpu_(defaultInspectedDevice()), rows_(raceRows()) {
        std::size_t index = 0;
        for (const auto &engine : availableEngines())
            for (std::size_t v = engine->variants().size(); v > 0; --v, ++index)
                entrants_.push_back({engine, index, {}, {}, false, {}});
    }

    void run() {
        for (Entrant &entrant : entrants_) {
            guarded(entrant, [&] { prepare(entrant); });
            changed(entrant);
        }
        if (options_.ceilings)
            for (Entrant &entrant : entrants_)
                if (row(entrant).state == RaceState::Running || row(entrant).simulated)
                    judge(entrant);
        working({});
        race();
    }

private:
    RaceRow &row(const Entrant &entrant) { return rows_[entrant.index]; }
    void changed(const Entrant &entrant) {
        if (events_.row)
            events_.row(entrant.index, row(entrant));
    }
    void working(const std::string &what) {
        if (events_.working)
            events_.working(what);
    }

    template <class Work> void guarded(Entrant &entrant, Work &&work) {
        try {
            work();
        } catch (const Error &error) {
            if (error.kind() == ErrorKind::Cancelled)
                throw;
            fail(entrant, error.fullText());
        } catch (const std::exception &error) { // of a library or a driver
            fail(entrant, error.what());
        }
    }
    void fail(Entrant &entrant, const std::string &why) {
        entrant.racing = false;
        row(entrant).state = RaceState::Failed;
        row(entrant).note = why;
        changed(entrant);
    }

    void prepare(Entrant &entrant);
    void judge(Entrant &entrant);
    const RaceDevice *deviceOf(const Entrant &entrant);
    void measureCeilings(const Entrant &entrant, RaceDevice &device);
    void race();
    bool takeTurn(Entrant &entrant);
    void rest() const;

    RaceTrack track_;
    const RaceOptions &options_;
    RaceGate &gate_;
    RaceMemory &memory_;
    const RunControl &control_;
    const RaceEvents &events_;
    const InspectedDevice gpu_;
    std::vector<RaceRow> rows_;
    std::vector<Entrant> entrants_;
};

// Whether it can run, how exact it is, and what it must do. A simulated row is finished then.
void Race::prepare(Entrant &entrant) {
    RaceRow &shown = row(entrant);
    shown.wantedSamples = options_.endless ? 0 : options_.samples;
    shown.fullRange = nominalMaximum(track_.picture().format().depth);
    for (std::size_t kernel = 0; kernel < track_.kernels(); ++kernel)
        if (std::string refusal = entrant.engine->refusal(track_.wholeJob(kernel, shown.variant)); !refusal.empty()) {
            shown.state = RaceState::Refused;
            shown.note = std::move(refusal);
            return;
        }
    shown.state = RaceState::Running;
    changed(entrant);
    gate_.runUndisturbed(control_, [&](const RunControl &control) {
        entrant.traffic =
            describeWork(*entrant.engine, track_, gpu_, shown.simulated && options_.counts, shown, control);
        track_.measureError(*entrant.engine, shown, control);
    });
    entrant.racing = !shown.simulated;
    if (shown.simulated)
        shown.state = RaceState::Done;
}

// Holds it against what its device can do at best. Without that it races all the same.
void Race::judge(Entrant &entrant) {
    try {
        if (const RaceDevice *device = deviceOf(entrant))
            applyCeilings(*device, entrant.traffic, row(entrant));
    } catch (const std::exception &error) {
        if (const auto *known = dynamic_cast<const Error *>(&error); known && known->kind() == ErrorKind::Cancelled)
            throw;
        row(entrant).note = std::string("its device's ceilings are not known: ") + error.what();
    }
    changed(entrant);
}

// nullptr where nobody knows its ceilings.
const RaceDevice *Race::deviceOf(const Entrant &entrant) {
    const std::string id = row(entrant).simulated ? std::string() : entrant.engine->deviceId();
    if (const RaceDevice *known = memory_.find(id)) {
        if (events_.device)
            events_.device(*known);
        return known;
    }
    RaceDevice device{id, entrant.engine->deviceName(), {}, true};
    if (row(entrant).simulated) {
        const auto predicted = predictionDevice(gpu_);
        if (!predicted)
            return nullptr;
        device = *predicted;
    } else {
        working("measuring what " + device.name + " does at its best");
        measureCeilings(entrant, device);
    }
    memory_.devices.push_back(device);
    if (events_.device)
        events_.device(device);
    return &memory_.devices.back();
}

void Race::measureCeilings(const Entrant &entrant, RaceDevice &device) {
    gate_.runUndisturbed(control_, [&](const RunControl &control) {
        const auto stop = [&] { return control.stop.stop_requested(); };
        device.ceilings = entrant.engine->deviceKind() == DeviceKind::Cuda
                              ? bench::openDeviceBench(entrant.engine)->describe(stop).ceilings
                              : bench::measureHostCeilings(stop);
    });
}

// Rounds in which each gives one sample, from another beginning each time, so that whatever disturbs the machine hits
// all of them alike.
void Race::race() {
    std::vector<Entrant *> racing;
    for (Entrant &entrant : entrants_)
        if (entrant.racing)
            racing.push_back(&entrant);
    for (Entrant *entrant : racing) // buffers are made and code is loaded outside the measurement
        guarded(*entrant, [&] {
            gate_.runUndisturbed(control_, [&](const RunControl &control) {
                entrant->samples.spend(track_.runOnce(*entrant->engine, row(*entrant), control).totalMs);
            });
        });
    for (std::size_t round = 0; !racing.empty(); ++round) {
        std::erase_if(racing, [](const Entrant *entrant) { return !entrant->racing; });
        std::vector<Entrant *> left;
        for (std::size_t i = 0; i < racing.size(); ++i) {
            Entrant &entrant = *racing[(round + i) % racing.size()];
            guarded(entrant, [&] {
                if (takeTurn(entrant))
                    left.push_back(&entrant);
            });
        }
        std::ranges::sort(left, {}, &Entrant::index);
        racing = std::move(left);
        if (options_.endless)
            rest();
    }
}

// False once it has given all its samples.
bool Race::takeTurn(Entrant &entrant) {
    RaceRow &shown = row(entrant);
    RunTimes times;
    gate_.runUndisturbed(control_,
                         [&](const RunControl &control) { times = track_.runOnce(*entrant.engine, shown, control); });
    entrant.samples.add(times);
    const bool spent = entrant.samples.spentMs() >= 1e3 * options_.secondsPerVariant;
    const bool more = options_.endless || (entrant.samples.taken() < options_.samples && !spent);
    const Clock::time_point now = Clock::now();
    if (more && entrant.samples.taken() > 1 &&
        std::chrono::duration<double, std::milli>(now - entrant.reported).count() < options_.reportMs)
        return true;
    if (!more)
        shown.state = RaceState::Done;
    entrant.reported = now;
    entrant.samples.show(shown);
    changed(entrant);
    return more;
}

// A race without end leaves the machine a breath between its rounds.
void Race::rest() const {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, control_.stop, std::chrono::milliseconds(20), [] { return false; });
}

} // namespace

const RaceDevice *RaceMemory::find(const std::string &id) const {
    const auto found = std::ranges::find(devices, id, &RaceDevice::id);
    return found == devices.end() ? nullptr : &*found;
}

std::optional<double> RaceRow::bytesPerSecond() const {
    const auto ms = workMs();
    return ms && *ms > 0 && bytes > 0 ? std::optional(bytes / (*ms * 1e-3)) : std::nullopt;
}

std::optional<double> RaceRow::operationsPerSecond() const {
    const auto ms = workMs();
    return ms && *ms > 0 && operations ? std::optional(*operations / (*ms * 1e-3)) : std::nullopt;
}

std::optional<double> RaceRow::achievedOperationsPerSecond() const {
    return dense ? operationsPerSecond() : std::nullopt;
}

std::optional<double> RaceRow::intensity() const {
    return operations && bytes > 0 ? std::optional(*operations / bytes) : std::nullopt;
}

std::optional<double> RaceRow::share() const {
    const auto ms = workMs();
    return ms && *ms > 0 && floorMs ? std::optional(*floorMs / *ms) : std::nullopt;
}

std::vector<RaceRow> raceRows() {
    std::vector<RaceRow> rows;
    for (const auto &engine : availableEngines())
        for (const VariantInfo &variant : engine->variants()) {
            RaceRow row;
            row.engine = engine->name();
            row.deviceId = engine->deviceId();
            row.device = engine->deviceName();
            row.variant = variant.name;
            row.title = variant.title;
            row.description = variant.description;
            row.simulated = engine->deviceKind() == DeviceKind::Simulator;
            rows.push_back(std::move(row));
        }
    return rows;
}

RaceBaseline raceBaseline(std::span<const RaceRow> rows) {
    RaceBaseline slowest{"slowest", 0};
    for (const RaceRow &row : rows) {
        if (row.variant == "naive" && row.medianMs)
            return {"naive", *row.medianMs};
        slowest.ms = std::max(slowest.ms, row.medianMs.value_or(0));
    }
    return slowest;
}

void markTies(std::span<RaceRow> rows) {
    for (RaceRow &row : rows) {
        row.tieWith.clear();
        for (const RaceRow &other : rows)
            if (&other != &row && row.interval && other.interval && !bench::apart(*row.interval, *other.interval))
                row.tieWith.push_back(other.variant);
    }
}

void settleRows(std::span<RaceRow> rows) {
    for (RaceRow &row : rows)
        if (row.state == RaceState::Running || row.state == RaceState::Waiting)
            row.state = row.samples ? RaceState::Done : RaceState::Stopped;
}

void runRace(const Image &picture, const FilterStep &step, const RaceOptions &options, RaceGate &gate,
             RaceMemory &memory, const RunControl &control, const RaceEvents &events) {
    Race(picture, step, options, gate, memory, control, events).run();
}

} // namespace tessera
