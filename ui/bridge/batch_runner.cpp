#include "ui/bridge/batch_runner.h"

#include "app/commands/batch/batch_resume.h"
#include "app/commands/batch/memory_gate.h"
#include "app/commands/batch/output_folder.h"
#include "app/core/thread_pool.h"
#include "app/image/display_name.h"
#include "app/image/memory_limit.h"
#include "app/session/session_file.h"
#include "ui/bridge/file_name.h"
#include "ui/bridge/listing.h"

#include <algorithm>
#include <atomic>

namespace tessera {

namespace {

std::string filterNames(const Chain &chain) {
    std::string names;
    for (const FilterStep &step : chain.steps)
        if (step.enabled)
            names += (names.empty() ? "" : "-") + step.filter.name;
    return names;
}

InputList findInputs(const BatchRequest &request, const BatchRecords &records) {
    InputRequest inputs;
    for (const QString &path : request.inputs)
        inputs.paths.push_back(pathFrom(path));
    inputs.recursive = request.recursive;
    inputs.outputFolder = pathFrom(request.outputFolder);
    inputs.earlierOutputs = recordedOutputs(inputs.outputFolder, records);
    return collectInputs(inputs);
}

std::vector<PlannedFile> planFiles(const BatchRequest &request, const std::vector<BatchInput> &inputs) {
    PlanRequest plan;
    plan.outputFolder = pathFrom(request.outputFolder);
    plan.nameTemplate = NameTemplate(request.nameTemplate.toStdString());
    plan.filterName = filterNames(request.chain);
    plan.format = request.format.toStdString();
    std::vector<PlannedFile> files = planOutputs(inputs, plan);
    if (files.empty())
        throw Error(ErrorKind::Input, "there is no picture among what was chosen",
                    "choose pictures, or a folder that holds some");
    if (!request.overwrite && !request.skipExisting)
        for (PlannedFile &file : files)
            if (file.outputExists && !file.problem)
                file.problem = Error(ErrorKind::Output, displayName(file.output) + " exists",
                                     "choose to skip or to replace such files, or choose another folder");
    return files;
}

// All that decides an output besides its input.
std::string recordedParameters(const BatchRequest &request) {
    return formatChain(request.chain) + "--quality " + std::to_string(request.quality);
}

// "a.tif", "a.tif and 2 more"
QString inBrief(const BatchNotes::Note &note) {
    return listedInBrief({shownName(note.first.filename())}, qsizetype(note.files) - 1);
}

QStringList linesOf(const BatchNotes &leftOut, const BatchNotes &notes) {
    QStringList lines;
    for (const BatchNotes::Note &note : leftOut.all())
        lines << BatchRunner::tr("%1 left out (%2): %3").arg(note.files).arg(inBrief(note), inWindowTerms(note.text));
    for (const BatchNotes::Note &note : notes.all())
        lines << BatchRunner::tr("%1: %2").arg(inBrief(note), inWindowTerms(note.text));
    return lines;
}

} // namespace

void BatchRunner::start(const BatchRequest &request) {
    running_ = true;
    leftOut_ = notes_ = {};
    thread_.submit([this, request](const RunControl &control) {
        try {
            run(request, control);
        } catch (const Error &error) {
            if (error.kind() != ErrorKind::Cancelled)
                postTo(this, [this, message = messageFrom(error)] { emit failed(message); });
        } catch (...) {
            postTo(this, [this, message = messageOfFailure()] { emit failed(message); });
        }
        const bool cancelled = control.stop.stop_requested();
        postTo(this, [this, cancelled] {
            running_ = false;
            emit finished(cancelled);
        });
    });
}

void BatchRunner::tellOf(const InputList &list) {
    postTo(this, [this, list] {
        for (const InputList::Skipped &skipped : list.skipped)
            leftOut_.add(skipped.reason, skipped.path);
        if (!list.skipped.empty())
            emit told(linesOf(leftOut_, notes_));
        for (const BatchInput &input : list.inputs)
            if (input.problem)
                emit folderFailed(fullTextOf(messageFrom(*input.problem)));
    });
}

void BatchRunner::finishFile(const FileOutcome &outcome) {
    const QString failure = outcome.error ? fullTextOf(messageFrom(*outcome.error)) : QString();
    postTo(this, [this, failure, input = outcome.input, note = outcome.pipeline.note,
                  output = outcome.status == FileStatus::Done ? outcome.output : std::filesystem::path()] {
        if (!output.empty())
            emit written(textFrom(output));
        emit fileFinished(shownName(input), failure);
        notes_.add(note, input);
        if (!note.empty())
            emit told(linesOf(leftOut_, notes_));
    });
}

bool BatchRunner::settleExisting(const PlannedFile &file, const BatchRequest &request, const Recorded &recorded) {
    if (!request.skipExisting || !file.outputExists || file.problem)
        return false;
    const std::string why = whyNotSkipped(file, recorded.records, recorded.parameters);
    if (why.empty()) {
        tellSkipped(file);
        return true;
    }
    refuse(file, tr("exists and is not what this batch would make: %1").arg(QString::fromStdString(why)),
           tr("choose to replace such files, too, or choose another folder"));
    return true;
}

// Another batch may be at work: its records are read again once it is known which outputs are there, as a line comes
// before its output.
void BatchRunner::run(const BatchRequest &request, const RunControl &control) {
    const std::filesystem::path folder = pathFrom(request.outputFolder);
    InputList list = findInputs(request, BatchRecords::read(folder));
    tellOf(list);
    std::erase_if(list.inputs, [](const BatchInput &input) { return input.problem.has_value(); });
    const std::vector<PlannedFile> files = planFiles(request, list.inputs);
    postTo(this, [this, count = int(files.size())] { emit planned(count); });
    const Recorded recorded{BatchRecords::read(folder), recordedParameters(request)};
    const std::vector<Standing> standings = settleReplacing(files, request, recorded, control);
    makeOutputFolder(folder);
    const Shard whole;
    LineFile record(recordFile(folder, whole), LineFile::Existing::Append);
    const std::uint64_t memoryLimit = usableMemory() / 4 * 3; // as the command does
    MemoryGate memory(memoryLimit, [&control] { return control.stop.stop_requested(); });
    BatchTask task;
    task.steps = request.chain.steps;
    task.engines = {chooseEngine(request.variant, request.device)};
    task.depth = request.chain.depth;
    task.quality = request.quality;
    task.stop = control.stop;
    task.memory = &memory;
    task.limits.maximumBytes = memoryLimit;
    task.record = &record;
    task.parameters = recorded.parameters;
    task.outputFolder = folder;
    BatchTask replacing = task; // else a file that came meanwhile would go without a question
    replacing.overwrite = true;
    // A few files at a time keep decoding, filtering and encoding busy; one worker is left for the window.
    const unsigned workers = std::max(1u, availableCores() - 1);
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::size_t worker) {
        for (std::size_t i = next++; i < files.size() && !control.stop.stop_requested(); i = next++) {
            const bool replaces = standings[i] != Standing::Free;
            if (replaces ? !mayReplace(files[i], standings[i]) : settleExisting(files[i], request, recorded))
                continue;
            const FileOutcome outcome = processFile(files[i], replaces ? replacing : task, worker, false);
            if (outcome.status != FileStatus::NotStarted)
                finishFile(outcome);
        }
    };
    std::vector<std::jthread> others;
    for (unsigned worker = 1; worker < workers; ++worker)
        others.emplace_back(work, worker);
    work(0);
}

} // namespace tessera
