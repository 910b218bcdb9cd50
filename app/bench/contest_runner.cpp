#include "app/bench/contest_runner.h"

#include "app/bench/algorithm.h"
#include "app/bench/engine_contender.h"
#include "app/bench/report_text.h"
#include "app/bench/statistics_contenders.h"
#include "app/filters/decomposition.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace tessera::bench {

namespace {

// A device without memory for these pictures leaves the others their contest.
template <class Make>
void addGuarded(const DeviceBench &device, Contenders &contenders, std::vector<LeftOut> &leftOut, Make &&make) {
    try {
        Contenders more = make();
        std::ranges::move(more, std::back_inserter(contenders));
    } catch (const std::exception &error) {
        leftOut.push_back({"everything", device.id(), {}, error.what()});
    }
}

} // namespace

bool isSeparable(const ConvolutionKernel &kernel) { return separateKernel(kernel).has_value(); }

bool ContenderWish::wants(std::string_view variant) const {
    return variants.empty() || std::ranges::any_of(variants, [&](const std::string &wanted) {
               return std::string_view(wanted).substr(0, wanted.find(':')) == variant;
           });
}

bool ContenderWish::wants(Scope scope) const { return std::ranges::find(scopes, scope) != scopes.end(); }

std::vector<std::string> ContenderWish::spellings(const std::string &variant) const {
    if (variants.empty())
        return {variant};
    std::vector<std::string> names;
    for (const std::string &wanted : variants)
        if (wanted.substr(0, wanted.find(':')) == variant)
            names.push_back(wanted);
    return names;
}

void ContestRunner::progress(const std::string &line) const {
    if (hooks_.progress)
        hooks_.progress(line);
}

void ContestRunner::readClocks(ClockRecord &clocks, const std::string &device) const {
    for (const auto &bench : devices_)
        if (bench->id() == device)
            clocks.merge(bench->readClocks());
}

void ContestRunner::convolve(const ContestKey &key, Workload workload, const ContenderWish &wish,
                             const std::vector<CacheState> &caches) {
    progress(contestTitle(key).substr(0, contestTitle(key).find(';')) + ": float64 reference");
    const std::shared_ptr<const ConvolutionTask> task = makeTask(std::move(workload));
    Contenders contenders;
    std::vector<LeftOut> leftOut;
    for (const auto &device : devices_) {
        if (wish.wants(Scope::Kernel) || wish.wants(Scope::Call))
            addGuarded(*device, contenders, leftOut, [&] { return device->convolutions(task, wish, leftOut); });
    }
    addEngines(task, wish, contenders, leftOut);
    keepLeftOut(key, std::move(leftOut));
    measureAll(key, wish, caches, std::move(contenders));
}

// For an engine on the host a call is the way from end to end. Beside a GPU it takes part in that alone, where both
// start and end in the same place.
void ContestRunner::addEngines(std::shared_ptr<const ConvolutionTask> task, const ContenderWish &wish,
                               Contenders &contenders, std::vector<LeftOut> &leftOut) const {
    std::shared_ptr<HostPictures> pictures; // made once somebody needs them
    const auto add = [&](const std::shared_ptr<Engine> &engine, Scope scope) {
        for (const VariantInfo &info : engine->variants()) {
            const bool peer = engine->deviceKind() == DeviceKind::Cuda && !isKernelVariant(info.name);
            if (peer && !wish.peers && wish.variants.empty())
                continue;
            for (const std::string &variant : wish.spellings(info.name)) {
                if (const std::string refusal = engineRefusal(*engine, variant, task->workload); !refusal.empty()) {
                    leftOut.push_back({variant, engine->deviceId(), {}, refusal});
                    continue;
                }
                if (!pictures)
                    pictures = std::make_shared<HostPictures>(task->workload.pixel, task->workload.width,
                                                              task->workload.height, wish.cold);
                contenders.push_back(makeEngineContender(engine, variant, scope, task, pictures));
            }
        }
    };
    if (wish.wants(Scope::EndToEnd))
        for (const auto &engine : participants_.gpus)
            add(engine, Scope::EndToEnd);
    for (const auto &engine : participants_.host)
        for (const Scope scope : {Scope::Call, Scope::EndToEnd})
            if (wish.wants(scope) && (scope == Scope::EndToEnd || devices_.empty() || !wish.wants(Scope::EndToEnd)))
                add(engine, scope);
}

void ContestRunner::count(const ContestKey &key, const PixelKind &pixel, std::uint64_t seed, const ContenderWish &wish,
                          const std::vector<CacheState> &caches) {
    progress(contestTitle(key).substr(0, contestTitle(key).find(';')));
    const auto task = makeStatisticsTask(key.distribution, pixel, key.width, key.height, seed);
    Contenders contenders;
    std::vector<LeftOut> leftOut;
    for (const auto &device : devices_) {
        addGuarded(*device, contenders, leftOut, [&] { return device->statistics(task, wish, leftOut); });
    }
    if (!participants_.host.empty() && wish.wants(Scope::Call)) {
        Contenders more = hostStatisticsContenders(task, wish.cold);
        std::ranges::move(more, std::back_inserter(contenders));
    }
    keepLeftOut(key, std::move(leftOut));
    for (const StatisticsKind kind : {StatisticsKind::Histogram, StatisticsKind::Statistics, StatisticsKind::Both}) {
        ContestKey here = key;
        here.work = statisticsKindName(kind);
        Contenders counting;
        for (auto &contender : contenders)
            if (contender && static_cast<StatisticsContender &>(*contender).kind == kind)
                counting.push_back(std::move(contender));
        measureAll(here, wish, caches, std::move(counting));
    }
}

// One line a reason, however many contests it kept somebody out of.
void ContestRunner::keepLeftOut(const ContestKey &key, std::vector<LeftOut> leftOut) {
    for (LeftOut &one : leftOut) {
        if (one.what.empty() && key.work == "convolution")
            one.what = std::to_string(key.kernelWidth) + "x" + std::to_string(key.kernelHeight) + " " + key.pixel;
        else if (one.what.empty())
            one.what = key.pixel;
        const bool known = std::ranges::any_of(report_.leftOut, [&](const LeftOut &other) {
            return other.variant == one.variant && other.device == one.device && other.what == one.what &&
                   other.reason == one.reason;
        });
        if (!known)
            report_.leftOut.push_back(std::move(one));
    }
}

std::vector<ContestRunner::Checked> ContestRunner::checkAll(const ContestKey &key, Contenders contenders) {
    std::vector<Checked> checked;
    const std::string title = contestTitle(key).substr(0, contestTitle(key).find(';'));
    for (auto &contender : contenders) {
        if (stopped())
            break;
        progress(title + ": checking " + contender->name);
        Checked one;
        try {
            one.check = contender->check();
        } catch (const CannotTakePart &error) {
            keepLeftOut(key, {{contender->name, contender->device, {}, error.what()}});
            continue;
        } catch (const std::exception &error) {
            one.check.failure = error.what();
            one.threw = true;
        }
        one.contender = std::move(contender);
        checked.push_back(std::move(one));
    }
    return checked;
}

void ContestRunner::measureAll(const ContestKey &key, const ContenderWish &wish, const std::vector<CacheState> &caches,
                               Contenders contenders) {
    std::vector<Checked> checked = checkAll(key, std::move(contenders));
    for (const Scope scope : wish.scopes)
        for (const CacheState cache : caches) {
            if (stopped())
                return;
            // Transfers dwarf what a cache could save: both states would tell the same.
            if (scope == Scope::EndToEnd && cache == CacheState::Hot && caches.size() > 1 && !devices_.empty())
                continue;
            ContestKey here = key;
            here.scope = scope;
            here.cache = cache;
            std::vector<Checked *> entrants;
            for (Checked &one : checked) {
                if (one.contender->scope != scope)
                    continue;
                if (one.check.failure.empty())
                    entrants.push_back(&one);
                else
                    addFailure(here, one);
            }
            if (!entrants.empty())
                measure(here, std::move(entrants));
        }
}

Row ContestRunner::rowOf(const ContestKey &key, const Checked &entrant) const {
    Row row;
    row.key = key;
    row.variant = entrant.contender->name;
    row.device = entrant.contender->device;
    row.work = entrant.contender->work();
    row.check = entrant.check;
    row.note = entrant.contender->note;
    if (const DeviceReport *device = report_.deviceReport(row.device))
        row.floor = floorOf(row.work, device->ceilings, key.cache);
    if (const DeviceReport *device = report_.deviceReport(row.device);
        device && row.work.dense && row.work.unit != model::ArithmeticUnit::Fp32) {
        Work inFloat = row.work;
        inFloat.unit = model::ArithmeticUnit::Fp32;
        if (const std::optional<Floor> floor = floorOf(inFloat, device->ceilings, key.cache))
            row.fp32FloorMs = floor->ms;
    }
    return row;
}

void ContestRunner::addFailure(const ContestKey &key, const Checked &entrant) {
    Row row = rowOf(key, entrant);
    row.failure = (entrant.threw ? "it failed: " : "wrong: ") + entrant.check.failure;
    report_.rows.push_back(std::move(row));
}

void ContestRunner::measure(ContestKey key, std::vector<Checked *> entrants) {
    std::vector<Contender *> contenders;
    std::vector<ClockRecord> clocks(entrants.size());
    for (Checked *entrant : entrants)
        contenders.push_back(entrant->contender.get());
    const auto readAll = [&] {
        for (std::size_t i = 0; i < entrants.size(); ++i)
            readClocks(clocks[i], contenders[i]->device);
    };
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    const std::string title = contestTitle(key);
    const auto report = [&](int taken, int wanted) {
        if (Clock::now() - last < std::chrono::milliseconds(200))
            return;
        last = Clock::now();
        readAll();
        progress(title + ": " + std::to_string(taken) + " of " + std::to_string(wanted) + " samples");
    };
    progress(title);
    readAll();
    std::vector<Measurement> results = runContest(contenders, key.cache, settings_, hooks_.stop, report);
    readAll();
    for (std::size_t i = 0; i < entrants.size(); ++i) {
        const Measurement &result = results[i];
        if (result.samples.empty() && result.failure.empty())
            continue; // interrupted before its first
        Row row = rowOf(key, *entrants[i]);
        row.time = summarize(result.samples, contenders[i]->resolutionMs());
        row.warmups = result.warmups;
        row.clockMhz = result.clockMhz;
        if (!result.failure.empty())
            row.failure = "it failed: " + result.failure;
        if (!result.shortfall.empty())
            row.note += (row.note.empty() ? "" : "; ") + result.shortfall;
        row.clocks = clocks[i];
        for (DeviceReport *device : {&report_.device, report_.host ? &*report_.host : nullptr})
            if (device && device->id == row.device)
                device->clocks.merge(clocks[i]);
        for (DeviceReport &device : report_.others)
            if (device.id == row.device)
                device.clocks.merge(clocks[i]);
        report_.rows.push_back(std::move(row));
    }
}

} // namespace tessera::bench
