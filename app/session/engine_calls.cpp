#include "app/session/engine_calls.h"

#include <algorithm>

namespace tessera {

EngineCalls::EngineCalls(const EngineChoice &choice, const RunControl &control, std::size_t expectedCalls,
                         const PictureRows &rows)
    : chosen_{choice.engine, choice.automatic ? std::string() : choice.variant}, automatic_(choice.automatic),
      precision_(choice.precision), fallBack_(choice.fallBack), control_(control), rows_(rows),
      expected_(std::max<std::size_t>(expectedCalls, 1)) {
    times_.engine = choice.engine->name();
    times_.device = choice.engine->deviceId();
    times_.variant = choice.variant;
}

void addOnce(std::string &all, const std::string &one) {
    if (!one.empty() && all.find(one) == std::string::npos)
        all += (all.empty() ? "" : "; ") + one;
}

Rectangle EngineCalls::computedArea(ConvolutionJob job) const {
    job.variant = chosen_.variant;
    job.firstRow = rows_.first;
    job.pictureHeight = rows_.height;
    Rectangle area = chosen_.engine->computedArea(job);
    job.variant = {};
    for (const std::shared_ptr<Engine> &engine : availableEngines())
        if ((automatic_ || fallBack_) && engine != chosen_.engine)
            area = united(area, engine->computedArea(job));
    return area;
}

void EngineCalls::addNote(const std::string &note) { addOnce(times_.note, note); }

void EngineCalls::addBeside(const RunTimes &times, const std::string &why) {
    addOnce(times_.plan, why);
    times_.kernelMs = sumOfTimes(times_.kernelMs, times.totalMs);
}

EngineCalls::Target EngineCalls::targetFor(ConvolutionJob &job) {
    job.variant = chosen_.variant;
    job.precision = precision_;
    const std::string reason = chosen_.engine->refusal(job);
    if (reason.empty())
        return chosen_;
    if (!fallBack_ && chosen_.engine->isLost())
        throw Error(ErrorKind::Device, reason, "use another --device");
    const std::string where = chosen_.engine->deviceId();
    if (chosen_.engine->isLost()) { // before the first job: as if it were lost in one
        goToProcessor(reason);
        return targetFor(job);
    }
    if (!automatic_)
        throw Error(ErrorKind::Usage,
                    "the variant " + chosen_.variant + " on " + where + " can't run this filter: " + reason,
                    "leave the choice to --variant auto");
    job.variant = {};
    for (const std::shared_ptr<Engine> &engine : availableEngines()) {
        if (engine == chosen_.engine || !engine->refusal(job).empty())
            continue;
        addNote(std::string(engine->name()) + " took over from " + where + ": " + reason);
        return {engine, {}};
    }
    throw Error(ErrorKind::Usage, "no engine here can run this filter: " + reason);
}

void EngineCalls::goToProcessor(const std::string &why) {
    const EngineChoice cpu = chooseEngine("auto", "cpu");
    addNote("the CPU took over: " + why);
    chosen_ = {cpu.engine, {}};
    automatic_ = true;
}

bool EngineCalls::run(const Target &target, ConvolutionJob &job) {
    RunControl part;
    part.stop = control_.stop;
    if (control_.progress)
        part.progress = [this](double fraction) {
            control_.report(std::min(1.0, (double(finished_) + fraction) / double(expected_)));
        };
    job.variant = target.variant;
    job.firstRow = rows_.first;
    job.pictureHeight = rows_.height;
    const RunTimes times = target.engine->convolve(job, part);
    addTimes(*target.engine, times);
    return times.roundsLocally;
}

bool EngineCalls::convolve(ConvolutionJob job) {
    control_.checkpoint();
    const Target target = targetFor(job);
    bool roundsLocally = true;
    try {
        roundsLocally = run(target, job);
    } catch (const Error &error) {
        if (error.kind() != ErrorKind::Device || !fallBack_ || target.engine->deviceKind() == DeviceKind::Cpu)
            throw;
        goToProcessor(error.what());
        roundsLocally = run(chosen_, job);
    }
    ++finished_;
    control_.report(double(std::min(finished_, expected_)) / double(expected_));
    return roundsLocally;
}

void EngineCalls::addTimes(const Engine &engine, const RunTimes &times) {
    times_.engine = engine.name();
    times_.device = engine.deviceId();
    times_.variant = times.variant;
    addOnce(times_.plan, times.plan);
    addNote(times.note);
    knowsKernelMs_ = knowsKernelMs_ && times.kernelMs.has_value();
    knowsCopyMs_ = knowsCopyMs_ && times.copyMs.has_value();
    times_.kernelMs = knowsKernelMs_ ? std::optional(times_.kernelMs.value_or(0.0) + *times.kernelMs) : std::nullopt;
    times_.copyMs = knowsCopyMs_ ? std::optional(times_.copyMs.value_or(0.0) + *times.copyMs) : std::nullopt;
}

} // namespace tessera
