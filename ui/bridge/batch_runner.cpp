#include "ui/bridge/batch_runner.h"

#include "app/commands/batch/batch_record.h"
#include "app/commands/batch/memory_gate.h"
#include "app/core/thread_pool.h"
#include "app/image/memory_limit.h"
#include "app/session/session_file.h"

#include <algorithm>
#include <mutex>

namespace tessera {

namespace {

std::string filterNames(const Chain &chain) {
    std::string names;
    for (const FilterStep &step : chain.steps)
        if (step.enabled)
            names += (names.empty() ? "" : "-") + step.filter.name;
    return names;
}

std::vector<PlannedFile> planFiles(const BatchRequest &request) {
    InputRequest inputs;
    for (const QString &path : request.inputs)
        inputs.paths.emplace_back(path.toStdString());
    inputs.recursive = request.recursive;
    inputs.outputFolder = request.outputFolder.toStdString();
    PlanRequest plan;
    plan.outputFolder = inputs.outputFolder;
    plan.nameTemplate = NameTemplate(request.nameTemplate.toStdString());
    plan.filterName = filterNames(request.chain);
    plan.format = request.format.toStdString();
    std::vector<PlannedFile> files = planOutputs(collectInputs(inputs).inputs, plan);
    if (files.empty())
        throw Error(ErrorKind::Input, "there is no picture among what was chosen",
                    "choose pictures, or a folder that holds some");
    if (!request.overwrite)
        for (PlannedFile &file : files)
            if (file.outputExists && !file.problem)
                file.problem = Error(ErrorKind::Output, file.output.string() + " exists",
                                     "allow replacing, or choose another folder");
    return files;
}

void makeOutputFolder(const std::filesystem::path &folder) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure)
        throw Error(ErrorKind::Output, "the folder " + folder.string() + " cannot be made: " + failure.message(),
                    "choose another output folder");
}

} // namespace

void BatchRunner::start(const BatchRequest &request) {
    running_ = true;
    thread_.submit([this, request](const RunControl &control) {
        try {
            run(request, control);
        } catch (const Error &error) {
            const bool cancelled = error.kind() == ErrorKind::Cancelled;
            postTo(this, [this, cancelled, message = messageFrom(error)] {
                if (!cancelled)
                    emit failed(message);
            });
        } catch (const std::exception &error) {
            postTo(this, [this, what = QString::fromUtf8(error.what())] {
                emit failed({Message::Kind::Error, what, {}});
            });
        }
        const bool cancelled = control.stop.stop_requested();
        postTo(this, [this, cancelled] {
            running_ = false;
            emit finished(cancelled);
        });
    });
}

void BatchRunner::run(const BatchRequest &request, const RunControl &control) {
    const std::vector<PlannedFile> files = planFiles(request);
    postTo(this, [this, count = int(files.size())] { emit planned(count); });
    makeOutputFolder(request.outputFolder.toStdString());
    const Shard whole;
    LineFile record(recordFile(request.outputFolder.toStdString(), whole), LineFile::Existing::Append);
    const std::uint64_t memoryLimit = usableMemory() / 4 * 3; // as the command does
    MemoryGate memory(memoryLimit, [&control] { return control.stop.stop_requested(); });
    BatchTask task;
    task.steps = request.chain.steps;
    task.engines = {chooseEngine(request.variant, request.device)};
    task.depth = request.chain.depth;
    task.quality = request.quality;
    task.overwrite = request.overwrite;
    task.stop = control.stop;
    task.memory = &memory;
    task.limits.maximumBytes = memoryLimit;
    task.record = &record;
    task.parameters = formatChain(request.chain);
    // A few files at a time keep decoding, filtering and encoding busy; one worker is left for the window.
    const unsigned workers = std::max(1u, availableCores() - 1);
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::size_t worker) {
        for (std::size_t i = next++; i < files.size() && !control.stop.stop_requested(); i = next++) {
            const FileOutcome outcome = processFile(files[i], task, worker, false);
            if (outcome.status == FileStatus::NotStarted)
                continue;
            const QString failure = outcome.error ? fullTextOf(messageFrom(*outcome.error)) : QString();
            const bool done = outcome.status == FileStatus::Done;
            postTo(this, [this, done, failure, name = QString::fromStdString(outcome.input.string()),
                          note = QString::fromStdString(outcome.pipeline.note),
                          path = QString::fromStdString(outcome.output.string())] {
                if (done)
                    emit written(path);
                emit fileFinished(name, failure, note);
            });
        }
    };
    std::vector<std::jthread> others;
    for (unsigned worker = 1; worker < workers; ++worker)
        others.emplace_back(work, worker);
    work(0);
}

} // namespace tessera
