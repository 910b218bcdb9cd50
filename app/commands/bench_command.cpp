// tessera bench: every implementation timed against the others and against what the hardware can do.
#include "app/bench/baseline.h"
#include "app/bench/bench_run.h"
#include "app/bench/measured_speeds.h"
#include "app/bench/report.h"
#include "app/commands/batch/interruption.h"
#include "app/commands/bench_options.h"
#include "app/commands/file_roles.h"
#include "app/commands/text.h"
#include "app/engines/speed_store.h"
#include "app/image/image_io.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <span>

namespace tessera {

namespace {

namespace fs = std::filesystem;

bool isStandardOutput(const std::optional<fs::path> &path) { return path && *path == "-"; }

// Known before anything is measured, as a run can last for many minutes.
// --overwrite replaces reports; whatever else has the name was not meant.
void checkTarget(const std::optional<fs::path> &path, bool overwrite, const char *option,
                 bool (*isReport)(const fs::path &)) {
    if (!path || isStandardOutput(path))
        return;
    checkOutputFile(*path, overwrite);
    std::error_code error;
    if (fs::is_regular_file(*path, error) && fs::file_size(*path, error) > 0 && !isReport(*path))
        throw Error(ErrorKind::Usage, inQuotes(path->native()) + " exists and is no report of tessera bench",
                    std::string("choose another name for ") + option + ", or delete the file; nothing was done");
}

bool isJsonReport(const fs::path &path) {
    try {
        bench::readJsonReport(path);
        return true;
    } catch (const Error &) {
        return false;
    }
}

bool isCsvReport(const fs::path &path) {
    const std::string header = bench::csvReport({}); // without rows
    std::ifstream file(path, std::ios::binary);
    std::string line;
    return std::getline(file, line) && line.substr(0, line.find(',')) == header.substr(0, header.find(','));
}

void write(const std::optional<fs::path> &path, const std::string &text, bool overwrite, Console &console) {
    if (!path || isStandardOutput(path))
        return;
    writeFileAtomically(*path, std::as_bytes(std::span(text)), overwrite);
    console.info("wrote " + displayText(path->string()));
}

class BenchCommand : public Command {
public:
    std::string_view name() const override { return "bench"; }
    std::string_view summary() const override { return "time every variant; tables, JSON, CSV"; }

    CommandSyntax syntax() override {
        CommandSyntax syntax;
        syntax.description =
            "Times implementations of the same convolution against each other. In the same session it measures what "
            "the hardware can do (copies, multiply-adds) and says how near each came. Every result is checked against "
            "float64 before it is timed: who is wrong has no time. Contenders take turns; ranks are given only where "
            "the intervals of the medians are apart.";
        syntax.groups = options_.groups();
        syntax.examples = {
            {"tessera bench --size 4096x4096 --kernel-sizes 3,5,7,15",
             "four random kernels, every implementation here"},
            {"tessera bench --suite gpu --json today.json --baseline yesterday.json", "what changed since yesterday"},
            {"tessera bench --image photo.jpg --filter gaussian:sigma=2 --scope end_to_end",
             "one filter on one's own picture"},
            {"tessera bench --suite cpu --csv cpu.csv", "the CPU alone, for a spreadsheet"}};
        syntax.notes =
            "For times to trust, keep the machine idle. Interrupted (Ctrl-C) it finishes the sample in hand, reports "
            "what it has and ends with exit code 75. Exit code 1 where a contender failed or was wrong, 4 where the "
            "suite or device asked for needs a GPU that is not there. What it measures of a GPU's kernels is kept and "
            "guides --variant auto there.";
        return syntax;
    }

    ExitCode run(Console &console) override {
        options_.checkFiles();
        checkTarget(options_.jsonFile, options_.overwrite, "--json", isJsonReport);
        checkTarget(options_.csvFile, options_.overwrite, "--csv", isCsvReport);
        if (isStandardOutput(options_.csvFile))
            throw Error(ErrorKind::Usage, "--csv needs a file",
                        "standard output has the table or, with --json -, JSON");
        Interruption interruption(console, "the sample in hand"); // before any thread starts that could take a signal
        std::optional<bench::Report> before;
        if (options_.baseline)
            before = bench::readJsonReport(*options_.baseline);
        const bench::BenchPlan plan = options_.plan(console);
        const bench::Report report = measure(plan, interruption, console);
        show(report, before);
        write(options_.jsonFile, bench::jsonReport(report), options_.overwrite, console);
        write(options_.csvFile, bench::csvReport(report), options_.overwrite, console);
        keepSpeeds(report, console);
        return exitCodeOf(report, console);
    }

private:
    static bench::Report measure(const bench::BenchPlan &plan, Interruption &interruption, Console &console) {
        interruption.workBegins();
        using Clock = std::chrono::steady_clock;
        bench::BenchHooks hooks;
        hooks.stop = [&] { return interruption.requested(); };
        hooks.log = [&](const std::string &line) { console.detail(line); };
        hooks.progress = [&, last = Clock::time_point{}](const std::string &line) mutable {
            if (!console.showsProgress() ||
                Clock::now() - last < std::chrono::milliseconds(console.progressIntervalMs()))
                return;
            last = Clock::now();
            console.progress(line);
        };
        bench::Report report = bench::runBench(plan, hooks);
        console.clearProgress();
        return report;
    }

    void show(const bench::Report &report, const std::optional<bench::Report> &before) const {
        if (isStandardOutput(options_.jsonFile)) {
            print(bench::jsonReport(report));
            return;
        }
        print(bench::markdownReport(report));
        if (before)
            print("\n" + bench::markdownComparison(bench::compareWithBaseline(*before, report)));
    }

    // What the planner behind --variant auto goes by from now on.
    static void keepSpeeds(const bench::Report &report, Console &console) {
        std::vector<const bench::DeviceReport *> devices{&report.device};
        for (const bench::DeviceReport &other : report.others)
            devices.push_back(&other);
        const SpeedStore store;
        for (const bench::DeviceReport *device : devices)
            if (device->id.starts_with("cuda") && store.add(device->name, bench::speedsOf(report, device->id)))
                console.detail("--variant auto now goes by these speeds of " + device->name + ", kept in " +
                               displayText(store.fileOf(device->name).string()));
    }

    static ExitCode exitCodeOf(const bench::Report &report, Console &console) {
        if (report.interrupted)
            return ExitCode::Interrupted;
        bool failed = false;
        for (const bench::Row &row : report.rows)
            if (!row.failure.empty()) {
                console.error(row.variant + " on " + row.device + ": " + row.failure);
                failed = true;
            }
        if (report.rows.empty()) {
            for (const bench::LeftOut &one : report.leftOut)
                console.error(one.variant + " on " + one.device + (one.what.empty() ? "" : " (" + one.what + ")") +
                              ": " + one.reason);
            throw Error(ErrorKind::Usage, "nothing of this could be measured here",
                        "choose other sizes, pixels, scopes or variants");
        }
        return failed ? ExitCode::SomeFailed : ExitCode::Done;
    }

    BenchOptions options_;
};

} // namespace

std::unique_ptr<Command> makeBenchCommand() { return std::make_unique<BenchCommand>(); }

} // namespace tessera
