#include "app/bench/bench_run.h"

#include "app/bench/contest_runner.h"
#include "app/bench/host_ceilings.h"
#include "app/bench/participants.h"
#include "app/bench/system_memory.h"
#include "app/core/thread_pool.h"

#include <algorithm>
#include <ctime>
#include <iterator>

namespace tessera::bench {

namespace {

bool stopped(const BenchHooks &hooks) { return hooks.stop && hooks.stop(); }

DeviceReport describeHost(const Participants &participants, const BenchHooks &hooks) {
    DeviceReport report;
    report.id = "cpu";
    report.name = participants.host.front()->deviceName();
    report.cacheBytes = double(lastLevelCacheBytes());
    report.detail = std::to_string(ThreadPool::shared().threads()) + " threads, " + hostPeakInstructionSet() + ", " +
                    std::to_string(lastLevelCacheBytes() >> 20) + " MiB of cache";
    report.ceilings = measureHostCeilings(hooks.stop);
    return report;
}

std::string timeNow() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

std::string borderText(const Border &border) {
    std::string text(borderName(border.mode));
    if (border.mode == BorderMode::Constant) {
        std::string value = std::to_string(border.constant);
        value.erase(value.find_last_not_of('0') + 1);
        text += ":" + (value.ends_with('.') ? value.substr(0, value.size() - 1) : value);
    }
    return text;
}

class BenchRun {
public:
    BenchRun(const BenchPlan &plan, const BenchHooks &hooks)
        : plan_(plan), hooks_(hooks), participants_(chooseParticipants(availableEngines(), plan.device, plan.gpuOnly)) {
    }

    Report run() {
        describe();
        for (const ConvolutionPart &part : plan_.convolutions)
            convolve(part);
        for (const StatisticsPart &part : plan_.statistics)
            count(part);
        rankRows(report_.rows);
        report_.interrupted = stopped(hooks_);
        if (report_.interrupted)
            report_.notes.push_back("Interrupted: what follows is what was measured until then.");
        return std::move(report_);
    }

private:
    void describe() {
        report_.version = plan_.version;
        report_.started = timeNow();
        report_.suite = plan_.suite;
        report_.seed = plan_.seed;
        if (const auto load = loadAverage(); load && *load > 0.5)
            report_.notes.push_back("Other work kept this machine busy before the run (load " + fixedLoad(*load) +
                                    "): times are less sure than they look.");
        std::vector<DeviceReport> reports;
        for (const auto &engine : participants_.gpus) {
            progress("ceilings of " + engine->deviceId());
            devices_.push_back(openDeviceBench(engine));
            reports.push_back(devices_.back()->describe(hooks_.stop));
        }
        if (!participants_.host.empty()) {
            progress("ceilings of the CPU");
            DeviceReport host = describeHost(participants_, hooks_);
            if (reports.empty())
                report_.device = std::move(host);
            else
                report_.host = std::move(host);
        }
        if (!reports.empty()) {
            report_.device = std::move(reports.front());
            report_.others.assign(std::make_move_iterator(reports.begin() + 1), std::make_move_iterator(reports.end()));
        }
    }

    static std::string fixedLoad(double load) {
        std::string text = std::to_string(load);
        return text.substr(0, text.find('.') + 2);
    }

    void progress(const std::string &line) const {
        if (hooks_.progress)
            hooks_.progress(line);
    }

    std::uint64_t nextSeed() { return plan_.seed + 1000 * ++tasks_; }

    Workload workloadOf(const KernelChoice &choice, std::pair<int, int> size, const PixelKind &pixel) {
        Workload workload;
        workload.width = size.first;
        workload.height = size.second;
        workload.pixel = pixel;
        workload.seed = nextSeed();
        workload.border = plan_.border;
        workload.kernelName = choice.name;
        workload.picture = plan_.picture;
        if (choice.taps.empty())
            workload.kernel = randomKernel(choice.width, choice.height, workload.seed);
        else
            workload.kernel = choice.kernel();
        workload.separable = isSeparable(workload.kernel);
        return workload;
    }

    void convolve(const ConvolutionPart &part) {
        for (const auto &size : part.sizes)
            for (const PixelKind &pixel : part.pixels)
                for (const KernelChoice &kernel : part.kernels) {
                    if (stopped(hooks_))
                        return;
                    ContestKey key;
                    key.width = size.first;
                    key.height = size.second;
                    key.kernelWidth = kernel.width;
                    key.kernelHeight = kernel.height;
                    key.kernel = kernel.name;
                    key.pixel = pixel.name;
                    key.border = borderText(plan_.border);
                    ContenderWish wish = wishOf(part.scopes, part.caches);
                    wish.statistics = part.withStatistics;
                    runner().convolve(key, workloadOf(kernel, size, pixel), wish, part.caches);
                }
    }

    void count(const StatisticsPart &part) {
        for (const auto &size : part.sizes)
            for (const PixelKind &pixel : part.pixels)
                for (const std::string &distribution : part.distributions) {
                    if (stopped(hooks_))
                        return;
                    ContestKey key;
                    key.work = "statistics";
                    key.width = size.first;
                    key.height = size.second;
                    key.pixel = pixel.name;
                    key.distribution = distribution;
                    runner().count(key, pixel, nextSeed(), wishOf(part.scopes, part.caches), part.caches);
                }
    }

    ContenderWish wishOf(const std::vector<Scope> &scopes, const std::vector<CacheState> &caches) const {
        return {plan_.variants, scopes, std::ranges::find(caches, CacheState::Cold) != caches.end(), plan_.peers,
                false};
    }

    ContestRunner runner() { return {plan_.protocol, hooks_, participants_, devices_, report_}; }

    const BenchPlan &plan_;
    const BenchHooks &hooks_;
    Participants participants_;
    std::vector<std::unique_ptr<DeviceBench>> devices_;
    Report report_;
    std::uint64_t tasks_ = 0;
};

} // namespace

bool usesGpu(const std::string &device) { return !chooseParticipants(availableEngines(), device, false).gpus.empty(); }

void checkPlan(const BenchPlan &plan) {
    checkVariants(chooseParticipants(availableEngines(), plan.device, plan.gpuOnly), plan.variants, plan.device);
}

Report runBench(const BenchPlan &plan, const BenchHooks &hooks) {
    checkPlan(plan);
    return BenchRun(plan, hooks).run();
}

} // namespace tessera::bench
