// What a batch may replace: what stands where its outputs go, and the question before any of it goes.
#include "app/commands/batch/batch_resume.h"
#include "app/core/thread_pool.h"
#include "app/image/display_name.h"
#include "ui/bridge/batch_runner.h"
#include "ui/bridge/file_name.h"

#include <algorithm>
#include <filesystem>

namespace tessera {

BatchRunner::Standing BatchRunner::standingOf(const PlannedFile &file, const BatchRequest &request,
                                              const Recorded &recorded) {
    if (!file.outputExists || file.problem)
        return Standing::Free;
    std::error_code error;
    const auto status = std::filesystem::symlink_status(file.output, error);
    const bool regular = std::filesystem::is_regular_file(status);
    if (!regular && !std::filesystem::is_symlink(status))
        return Standing::NoFile;
    if (request.skipExisting && regular && whyNotSkipped(file, recorded.records, recorded.parameters).empty())
        return Standing::UpToDate;
    return outputStanding(file, recorded.records) == OutputStanding::Made ? Standing::Made : Standing::Foreign;
}

std::vector<BatchRunner::Standing> BatchRunner::settleReplacing(const std::vector<PlannedFile> &files,
                                                                const BatchRequest &request, const Recorded &recorded,
                                                                const RunControl &control) {
    std::vector<Standing> standings(files.size(), Standing::Free);
    if (!request.overwrite)
        return standings;
    ThreadPool(std::max(1u, availableCores() - 1)).parallelFor(files.size(), [&](std::size_t i) {
        if (!control.stop.stop_requested())
            standings[i] = standingOf(files[i], request, recorded);
    });
    control.checkpoint();
    ExistingFiles existing;
    for (std::size_t i = 0; i < files.size(); ++i)
        if (standings[i] == Standing::Made || standings[i] == Standing::Foreign)
            (standings[i] == Standing::Made ? existing.made : existing.foreign) << shownName(files[i].outputName);
    if (existing.made.isEmpty() && existing.foreign.isEmpty())
        return standings;
    std::unique_lock lock(answerMutex_);
    answer_.reset();
    postTo(this, [this, existing] { emit replacing(existing); });
    answered_.wait(lock, control.stop, [this] { return answer_.has_value(); });
    control.checkpoint();
    if (answer_ == Replacing::MadeOnly)
        std::ranges::replace(standings, Standing::Foreign, Standing::Kept);
    return standings;
}

void BatchRunner::answer(Replacing what) {
    {
        const std::lock_guard lock(answerMutex_);
        answer_ = what;
    }
    answered_.notify_all();
}

// Whether the file goes on; else it is told why not.
bool BatchRunner::mayReplace(const PlannedFile &file, Standing standing) {
    switch (standing) {
    case Standing::UpToDate:
        tellSkipped(file);
        return false;
    case Standing::NoFile:
        refuse(file, tr("is there already and is no file"), tr("move it away, or choose another folder"));
        return false;
    case Standing::Kept:
        refuse(file, tr("exists, and no batch has made it as it is"),
               tr("move it away, or choose another folder or other names"));
        return false;
    default:
        return true;
    }
}

void BatchRunner::tellSkipped(const PlannedFile &file) {
    postTo(this, [this, name = shownName(file.input)] { emit fileSkipped(name); });
}

void BatchRunner::refuse(const PlannedFile &file, const QString &why, const QString &remedy) {
    FileOutcome refused;
    refused.status = FileStatus::Failed;
    refused.input = file.input;
    refused.error = Error(ErrorKind::Output, displayName(file.output) + ' ' + why.toStdString(), remedy.toStdString());
    finishFile(refused);
}

} // namespace tessera
