// tessera batch: filter files or folders headless. Everything that can be refused is refused before any work starts.
#include "app/commands/batch/batch_list.h"
#include "app/commands/batch/batch_options.h"
#include "app/commands/batch/batch_resume.h"
#include "app/commands/batch/batch_run.h"
#include "app/commands/batch/dry_run.h"
#include "app/commands/batch/output_folder.h"
#include "app/commands/batch/report_target.h"
#include "app/commands/command.h"
#include "app/commands/json_output.h"
#include "app/commands/text.h"
#include "app/core/thread_pool.h"
#include "app/image/atomic_file.h"
#include "app/image/memory_limit.h"

#include <algorithm>
#include <csignal>
#include <malloc.h>

namespace tessera {

namespace {

namespace fs = std::filesystem;

std::vector<EngineChoice> chooseEngines(const BatchOptions &options, Console &console) {
    const std::string &variant = options.filters.variant;
    const std::string &device = options.filters.device;
    std::vector<EngineChoice> choices;
    if (device == "all")
        for (const auto &engine : availableEngines())
            if (engine->deviceKind() == DeviceKind::Cuda)
                choices.push_back(chooseEngine(variant, engine->deviceId()));
    if (choices.empty())
        choices.push_back(chooseEngine(variant, device == "all" ? "auto" : device));
    const bool named = device != "auto" && device != "all" && variant != "auto";
    for (const EngineChoice &choice : choices)
        named ? console.detail("using " + choice.reason) : console.info("using " + choice.reason);
    return choices;
}

ExistingOutputs existingOutputs(const BatchOptions &options) {
    if (options.skipExisting)
        return options.overwrite ? ExistingOutputs::SkipOrOverwrite : ExistingOutputs::Skip;
    return options.overwrite ? ExistingOutputs::Overwrite : ExistingOutputs::Refuse;
}

FileOutcome skippedOutcome(const PlannedFile &file, const BatchRecords &records) {
    FileOutcome outcome;
    outcome.status = FileStatus::UpToDate;
    outcome.index = file.index;
    outcome.input = file.input;
    outcome.output = file.output;
    if (const OutputRecord *record = records.find(file.outputName)) {
        outcome.inputHash = record->inputHash;
        outcome.outputHash = record->outputHash;
    }
    return outcome;
}

// What is written besides the pictures.
struct OutputFiles {
    std::unique_ptr<LineFile> report, record;
};

class BatchCommand : public Command {
public:
    std::string_view name() const override { return "batch"; }
    std::string_view summary() const override { return "filter files or folders"; }
    CommandSyntax syntax() override { return batchSyntax(options_); }
    ExitCode run(Console &console) override;

private:
    ResumePlan plan(const InputList &list, BatchRecords &records, const Console &console) const;
    bool liesAmong(const InputList &list) const;
    BatchTask makeTask(const Interruption &interruption, MemoryGate &memory, LineFile &record) const;
    OutputFiles openFiles(Console &console) const;
    void work(const ResumePlan &plan, const InputList &list, const BatchRecords &records, OutputFiles &outputs,
              const Interruption &interruption, Console &console, BatchSummary &summary);
    void workAndTell(const ResumePlan &plan, const InputList &list, const BatchRecords &records, OutputFiles &outputs,
                     const Interruption &interruption, Console &console, BatchSummary &summary);
    ExitCode dryRun(const ResumePlan &plan, Console &console) const;
    unsigned jobs() const { return options_.jobs > 0 ? options_.jobs : availableCores(); }

    BatchOptions options_;
    std::vector<FilterStep> steps_;
    std::vector<EngineChoice> engines_;
    std::string parameters_;
    Json files_ = Json::array(); // for --json
};

// Another batch may be at work: its records are read again once it is known which outputs are there, as a line comes
// before its output.
ResumePlan BatchCommand::plan(const InputList &list, BatchRecords &records, const Console &console) const {
    std::vector<PlannedFile> files = planOutputs(list.inputs, planRequest(options_));
    checkReport(options_, parameters_, console.options.json);
    records = BatchRecords::read(options_.outputFolder);
    const bool among = liesAmong(list);
    if (options_.overwrite && among)
        refuseUnrecorded(files, records, jobs());
    return resolveExisting(std::move(files), existingOutputs(options_), records, parameters_, jobs(),
                           among ? OutputPlace::AmongInputs : OutputPlace::Apart);
}

// Whether the output folder lies among the inputs, of whatever list, or holds some.
bool BatchCommand::liesAmong(const InputList &list) const {
    std::vector<fs::path> paths = options_.inputs;
    for (const BatchInput &input : list.inputs)
        paths.push_back(input.path);
    return sharesPlaceWith(options_.outputFolder, paths);
}

BatchTask BatchCommand::makeTask(const Interruption &interruption, MemoryGate &memory, LineFile &record) const {
    BatchTask task;
    task.steps = steps_;
    task.engines = engines_;
    task.depth = options_.filters.depth;
    task.limits.maximumBytes = memory.limit();
    if (options_.maximumPixels > 0)
        task.limits.maximumPixels = options_.maximumPixels;
    task.quality = options_.quality;
    task.jobs = jobs();
    task.overwrite = options_.overwrite;
    task.skipExisting = options_.skipExisting;
    task.outputFolder = options_.outputFolder;
    task.parameters = parameters_;
    task.stop = interruption.immediateStop();
    task.memory = &memory;
    task.record = &record;
    return task;
}

OutputFiles BatchCommand::openFiles(Console &console) const {
    OutputFiles files;
    files.report = openReport(options_, console); // one that cannot be written leaves no folder behind
    makeOutputFolder(options_.outputFolder);
    files.record =
        std::make_unique<LineFile>(recordFile(options_.outputFolder, options_.shard), LineFile::Existing::Append);
    return files;
}

// glibc learns to keep freed blocks of up to 32 MB, in an area a thread: pictures that are gone would count twice. Of a
// small limit the bands themselves are small, and as many as there are threads would be kept.
void giveBackLargeBlocks(std::uint64_t limit) {
#ifdef M_MMAP_THRESHOLD
    constexpr std::uint64_t least = 128 << 10, most = 1 << 20;
    ::mallopt(M_MMAP_THRESHOLD, int(std::clamp(limit / 256, least, most)));
#else
    static_cast<void>(limit);
#endif
}

void BatchCommand::work(const ResumePlan &plan, const InputList &list, const BatchRecords &records,
                        OutputFiles &outputs, const Interruption &interruption, Console &console,
                        BatchSummary &summary) {
    LineFile *report = outputs.report.get();
    if (report)
        report->giveUpWhen([&] { return interruption.requested(); });
    MemoryGate memory(options_.maximumMemory > 0 ? options_.maximumMemory : usableMemory() / 4 * 3,
                      [&] { return interruption.requested(); });
    constexpr std::uint64_t mostKept = std::uint64_t{2} << 30;
    memory.keepMemory(std::min(memory.limit() / 8, mostKept));
    giveBackLargeBlocks(memory.limit());
    BatchTask task = makeTask(interruption, memory, *outputs.record);
    task.statistics = report != nullptr || console.options.json;
    const ReportContext context{parameters_, list.inputs.size(), options_.shard, hashOfNames(list)};
    const auto accept = [&](const FileOutcome &outcome) {
        const Json entry = task.statistics ? outcomeJson(outcome, context) : Json();
        if (console.options.json)
            files_.push_back(entry);
        if (report)
            report->append(jsonLine(entry));
    };
    for (const PlannedFile &file : plan.upToDate) {
        const FileOutcome outcome = skippedOutcome(file, records);
        console.detail("skipped " + inQuotes(file.input.native()) + ": " + inQuotes(file.output.native()) +
                       " is up to date");
        summary.add(outcome);
        accept(outcome);
    }
    const BatchRunSettings settings{jobs(), options_.maximumFailures, options_.verify};
    removeStaleTemporariesOf(plan.toDo, options_.outputFolder, console);
    runBatch(plan.toDo, task, settings, interruption, console, accept, summary);
    // One flush for all names, not one a file: a name that a power failure takes away is made again by a resumed run.
    for (const fs::path &folder : outputFolders(plan.toDo))
        syncFolder(folder, folder);
}

void reportEnd(const BatchSummary &summary, const BatchOptions &options, Console &console) {
    console.info(summaryText(summary));
    if (summary.verified > 0)
        console.info("verified " + counted(summary.verified, "output") + ": largest error " +
                     shortNumber(summary.verifiedMaximumError) + ", relative L2 " +
                     shortNumber(summary.verifiedRelativeL2, 3) + " (" + inQuotes(summary.verifiedWorstFile) + ")");
    if (summary.tally.interrupted)
        console.info("interrupted: the same command with --skip-existing does the rest");
    else if (summary.notStarted > 0 && summary.tally.failed >= options.maximumFailures.value_or(summary.files + 1))
        console.error("stopped after " + counted(summary.tally.failed, "failure") + " (--max-failures " +
                      std::to_string(options.maximumFailures.value_or(0)) + ")");
}

ExitCode BatchCommand::dryRun(const ResumePlan &plan, Console &console) const {
    if (console.options.json)
        printJson(dryRunJson(plan, parameters_));
    else
        print(dryRunText(plan));
    console.info("dry run: nothing was written");
    return dryRunTally(plan, {}).exitCode();
}

// What was done is told of even where the work ends early, as on a full disk under the report.
void BatchCommand::workAndTell(const ResumePlan &plan, const InputList &list, const BatchRecords &records,
                               OutputFiles &outputs, const Interruption &interruption, Console &console,
                               BatchSummary &summary) {
    const auto tell = [&] {
        reportEnd(summary, options_, console);
        if (console.options.json)
            printJson(Json{{"files", std::move(files_)}, {"summary", summaryJson(summary)}});
    };
    try {
        work(plan, list, records, outputs, interruption, console, summary);
    } catch (const Error &problem) {
        if (summary.files == 0)
            throw;
        tell();
        constexpr const char *resume = "the same command with --skip-existing does the rest";
        throw Error(problem.kind(), problem.what(),
                    problem.remedy().empty() ? resume : problem.remedy() + "; " + resume);
    }
    tell();
}

ExitCode BatchCommand::run(Console &console) {
    // A reader that goes away or a limit of file sizes (ulimit -f) fails a write, and does not end the program.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    Interruption interruption(console);
    checkBatchOptions(options_);
    steps_ = options_.filters.steps();
    engines_ = chooseEngines(options_, console);
    for (const EngineChoice &choice : engines_)
        checkEngineTakes(choice, steps_);
    parameters_ = recordedParameters(options_);

    checkRecord(recordFile(options_.outputFolder, options_.shard));
    const InputList list = listInputs(options_, console);
    BatchRecords records;
    const ResumePlan plan = this->plan(list, records, console);
    if (options_.dryRun)
        return dryRun(plan, console);
    if (plan.toDo.empty() && plan.upToDate.empty())
        console.info("part " + options_.shard.text() + " of " + counted(list.inputs.size(), "file") + " has no file");
    OutputFiles outputs = openFiles(console); // may wait for the reader of a pipe: nothing is in hand yet
    interruption.workBegins();
    BatchSummary summary;
    workAndTell(plan, list, records, outputs, interruption, console, summary);
    return summary.exitCode();
}

} // namespace

std::unique_ptr<Command> makeBatchCommand() { return std::make_unique<BatchCommand>(); }

} // namespace tessera
