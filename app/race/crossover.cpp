#include "app/race/crossover.h"

#include "app/bench/workload.h"
#include "app/engines/kernel_variants.h"
#include "app/filters/filter.h"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr std::uint64_t seed = 20;

ConvolutionKernel kernelOf(CrossoverKernels kind, int side) {
    if (kind == CrossoverKernels::Dense)
        return bench::randomKernel(side, side, seed);
    std::vector<double> taps(std::size_t(side) * std::size_t(side));
    const double sigma = side / 6.0;
    const auto bell = [&](int i) { return std::exp(-0.5 * std::pow((i - side / 2) / sigma, 2)); };
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u)
            taps[std::size_t(v * side + u)] = bell(u) * bell(v);
    return ConvolutionKernel::centred(side, side, std::move(taps)).normalized();
}

struct Runner {
    std::shared_ptr<Engine> engine;
    ConvolutionJob job;
    std::string variant;
    std::vector<double> call, kernel;
    double spentMs = 0;
    bool done = false;
};

std::vector<Runner> runnersOf(const ConvolutionJob &job) {
    std::vector<Runner> runners;
    for (const auto &engine : availableEngines()) {
        if (engine->deviceKind() == DeviceKind::Simulator)
            continue;
        for (const VariantInfo &info : engine->variants()) {
            Runner runner{engine, job, info.name, {}, {}, 0, false};
            runners.push_back(std::move(runner));
        }
    }
    for (Runner &runner : runners) {
        runner.job.variant = runner.variant;
        runner.job.timesApart = true;
    }
    std::erase_if(runners, [](const Runner &runner) { return !runner.engine->refusal(runner.job).empty(); });
    return runners;
}

// A variant that throws leaves the cell to the others.
void takeSample(Runner &runner, const CrossoverPlan &plan, bool warmUp, RaceGate &gate, const RunControl &control) {
    RunTimes times;
    try {
        runner.job.variant = runner.variant; // the runner may have moved since
        gate.runUndisturbed(control,
                            [&](const RunControl &inner) { times = runner.engine->convolve(runner.job, inner); });
    } catch (const Error &error) {
        if (error.kind() == ErrorKind::Cancelled)
            throw;
        runner.done = true;
        runner.call.clear();
        return;
    }
    runner.spentMs += times.totalMs;
    if (warmUp)
        return;
    runner.call.push_back(times.totalMs);
    if (times.kernelMs)
        runner.kernel.push_back(*times.kernelMs);
    runner.done = int(runner.call.size()) >= plan.samples || runner.spentMs >= 1e3 * plan.secondsPerVariant;
}

CrossoverTime timeOf(const Runner &runner) {
    const bench::SampleSummary call = bench::summarize(runner.call);
    CrossoverTime time{runner.variant, call.samples, call.median, call.interval, {}, {}};
    if (runner.kernel.size() == runner.call.size()) {
        const bench::SampleSummary kernel = bench::summarize(runner.kernel);
        time.kernelMs = kernel.median;
        time.kernel = kernel.interval;
    }
    return time;
}

void measureCell(CrossoverCell &cell, const CrossoverPlan &plan, const Image &picture, RaceGate &gate,
                 const RunControl &control) {
    Image target(picture.width(), picture.height(), picture.format());
    const ConvolutionKernel kernel = kernelOf(plan.kind, cell.kernel);
    ConvolutionJob job;
    job.source = picture.view();
    job.target = target.view();
    job.region = picture.view().bounds();
    job.kernel = &kernel;
    job.border = {BorderMode::Replicate, 0};
    job.finish.divisor = float(kernel.effectiveDivisor());
    std::vector<Runner> runners = runnersOf(job);
    for (Runner &runner : runners)
        takeSample(runner, plan, true, gate, control);
    for (std::size_t round = 0; std::ranges::any_of(runners, [](const Runner &runner) { return !runner.done; });
         ++round)
        for (std::size_t i = 0; i < runners.size(); ++i)
            if (Runner &runner = runners[(round + i) % runners.size()]; !runner.done)
                takeSample(runner, plan, false, gate, control);
    for (const Runner &runner : runners)
        if (!runner.call.empty())
            cell.times.push_back(timeOf(runner));
}

Image pictureOf(const CrossoverPlan &plan, int side) {
    return bench::imageOf(
        bench::randomPicture(pixelKindOf(scalarTypeOf(plan.format.depth), plan.format.channels), side, side, seed));
}

} // namespace

bool CrossoverMap::complete() const {
    return std::ranges::none_of(cells, [](const CrossoverCell &cell) { return cell.times.empty(); });
}

std::optional<CrossoverWinner> winnerOf(const CrossoverCell &cell, CrossoverScope scope) {
    const auto known = [&](const CrossoverTime &time) { return scope == CrossoverScope::Call || time.kernelMs; };
    const auto ms = [&](const CrossoverTime &time) {
        return scope == CrossoverScope::Call ? time.callMs : time.kernelMs.value_or(0);
    };
    const auto interval = [&](const CrossoverTime &time) {
        return scope == CrossoverScope::Call ? time.call : time.kernel.value_or(bench::Interval{});
    };
    const CrossoverTime *best = nullptr;
    for (const CrossoverTime &time : cell.times)
        if (known(time) && (!best || ms(time) < ms(*best)))
            best = &time;
    if (!best)
        return std::nullopt;
    CrossoverWinner winner{best->variant, ms(*best), {}, 1};
    std::optional<double> second;
    for (const CrossoverTime &time : cell.times) {
        if (&time == best || !known(time))
            continue;
        second = std::min(second.value_or(ms(time)), ms(time));
        if (!bench::apart(interval(*best), interval(time)))
            winner.tieWith.push_back(time.variant);
    }
    if (second && winner.ms > 0)
        winner.lead = *second / winner.ms;
    return winner;
}

CrossoverMap emptyCrossover(const CrossoverPlan &plan, const std::string &version) {
    CrossoverMap map;
    map.version = version;
    map.plan = plan;
    for (const auto &engine : availableEngines())
        if (engine->deviceKind() != DeviceKind::Simulator &&
            std::ranges::find(map.devices, engine->deviceName()) == map.devices.end())
            map.devices.push_back(engine->deviceName());
    for (const int picture : plan.pictures)
        for (const int kernel : plan.kernels)
            map.cells.push_back({kernel, picture, {}});
    return map;
}

void measureCrossover(CrossoverMap &map, RaceGate &gate, const RunControl &control,
                      const std::function<void(const CrossoverMap &)> &changed) {
    Image picture;
    std::size_t done = 0;
    for (CrossoverCell &cell : map.cells) { // pictures rise from cell to cell
        control.report(double(done++) / double(map.cells.size()));
        if (!cell.times.empty())
            continue;
        if (picture.empty() || picture.width() != cell.picture)
            picture = pictureOf(map.plan, cell.picture);
        CrossoverCell measured = cell;
        measureCell(measured, map.plan, picture, gate, control);
        cell = std::move(measured);
        changed(map);
    }
}

} // namespace tessera
