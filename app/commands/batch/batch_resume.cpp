#include "app/commands/batch/batch_resume.h"

#include "app/commands/batch/content_hash.h"
#include "app/commands/text.h"
#include "app/core/error.h"
#include "app/core/thread_pool.h"

#include <algorithm>
#include <map>

namespace tessera {

namespace {

// What else there is to do where --overwrite may refuse as well.
constexpr const char *moveAway =
    "move what is yours away, or choose a folder apart from the inputs, or another --name; "
    "nothing was done";

[[noreturn]] void refuseExisting(const std::vector<std::filesystem::path> &paths, OutputPlace place) {
    throw Error(ErrorKind::Usage,
                counted(paths.size(), "output") + (paths.size() == 1 ? " exists already: " : " exist already: ") +
                    namesInBrief(paths),
                std::string("--skip-existing goes on where an earlier run stopped, --overwrite replaces ") +
                    (place == OutputPlace::AmongInputs ? std::string("what a batch has made; ") + moveAway
                                                       : "them, or choose another folder or --name; nothing was done"));
}

// What no option would replace: an output becomes a file, and only a file or a link gives its name up for one.
void refuseOtherThanFiles(const std::vector<PlannedFile> &files) {
    std::vector<std::filesystem::path> folders, others;
    for (const PlannedFile &file : files) {
        if (!file.outputExists)
            continue;
        std::error_code error;
        const auto status = std::filesystem::symlink_status(file.output, error);
        if (std::filesystem::is_directory(status))
            folders.push_back(file.output);
        else if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_symlink(status))
            others.push_back(file.output);
    }
    const auto refuse = [](const std::vector<std::filesystem::path> &paths, const char *one, const char *many) {
        throw Error(ErrorKind::Usage,
                    counted(paths.size(), "output") + (paths.size() == 1 ? one : many) + namesInBrief(paths),
                    "move what is there away, or choose another folder or --name; nothing was done");
    };
    if (!folders.empty())
        refuse(folders, " is a folder already: ", " are folders already: ");
    if (!others.empty())
        refuse(others, " has the name of a pipe, socket or device: ", " have the names of pipes, sockets or devices: ");
}

[[noreturn]] void refuseStale(const std::map<std::string, std::vector<std::filesystem::path>> &pathsByReason,
                              OutputPlace place) {
    std::string text;
    for (const auto &[reason, paths] : pathsByReason)
        text += (text.empty() ? "" : "; ") + namesInBrief(paths) + ": " + reason;
    throw Error(ErrorKind::Usage, "outputs exist that are not what this batch would make: " + text,
                std::string("--overwrite beside --skip-existing replaces ") +
                    (place == OutputPlace::AmongInputs
                         ? std::string("of these what a batch has made and nobody has changed; ") + moveAway
                         : "these; nothing was done"));
}

// "1 output exists that ...": outputs that all stand alike, and are not to be replaced.
std::string existThat(OutputStanding standing, std::size_t count) {
    const bool one = count == 1;
    const std::string why = standing == OutputStanding::Foreign
                                ? "no batch has made"
                                : std::string("somebody has changed since a batch made ") + (one ? "it" : "them");
    return counted(count, "output") + (one ? " exists that " : " exist that ") + why;
}

} // namespace

std::string whyNotSkipped(const PlannedFile &file, const BatchRecords &records, const std::string &parameters) {
    const OutputRecord *record = records.find(file.outputName);
    if (!record)
        return "no batch has recorded it";
    return whyNotUpToDate(*record, parameters, file.format, file.input, file.output);
}

OutputStanding outputStanding(const PlannedFile &file, const BatchRecords &records) {
    const OutputRecord *record = records.find(file.outputName);
    std::error_code error;
    if (!record || std::filesystem::is_symlink(file.output, error))
        return OutputStanding::Foreign;
    return fileHash(file.output) == record->outputHash ? OutputStanding::Made : OutputStanding::Changed;
}

ResumePlan resolveExisting(std::vector<PlannedFile> files, ExistingOutputs existing, const BatchRecords &records,
                           const std::string &parameters, unsigned threads, OutputPlace place) {
    ResumePlan plan;
    refuseOtherThanFiles(files);
    if (existing == ExistingOutputs::Overwrite) {
        plan.toDo = std::move(files);
        return plan;
    }
    std::vector<std::filesystem::path> present;
    for (const PlannedFile &file : files)
        if (file.outputExists)
            present.push_back(file.output);
    if (existing == ExistingOutputs::Refuse) {
        if (!present.empty())
            refuseExisting(present, place);
        plan.toDo = std::move(files);
        return plan;
    }
    std::vector<std::string> reasons(files.size());
    ThreadPool(std::max(1u, threads)).parallelFor(files.size(), [&](std::size_t i) {
        if (files[i].outputExists)
            reasons[i] = whyNotSkipped(files[i], records, parameters);
    });
    std::map<std::string, std::vector<std::filesystem::path>> stale;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const bool skipped = files[i].outputExists && reasons[i].empty();
        if (files[i].outputExists && !skipped)
            stale[reasons[i]].push_back(files[i].output);
        (skipped ? plan.upToDate : plan.toDo).push_back(std::move(files[i]));
    }
    if (!stale.empty() && existing == ExistingOutputs::Skip)
        refuseStale(stale, place);
    return plan;
}

void refuseUnrecorded(const std::vector<PlannedFile> &files, const BatchRecords &records, unsigned threads) {
    std::vector<OutputStanding> standings(files.size(), OutputStanding::Made);
    ThreadPool(std::max(1u, threads)).parallelFor(files.size(), [&](std::size_t i) {
        if (files[i].outputExists)
            standings[i] = outputStanding(files[i], records);
    });
    std::vector<std::filesystem::path> foreign, changed;
    for (std::size_t i = 0; i < files.size(); ++i)
        if (standings[i] != OutputStanding::Made)
            (standings[i] == OutputStanding::Foreign ? foreign : changed).push_back(files[i].output);
    const std::vector<std::filesystem::path> &shown = foreign.empty() ? changed : foreign;
    if (!shown.empty())
        throw Error(
            ErrorKind::Usage,
            existThat(foreign.empty() ? OutputStanding::Changed : OutputStanding::Foreign, shown.size()) +
                ", and the output folder lies among the inputs or holds some: " + namesInBrief(shown),
            "--overwrite does not replace what may be pictures of yours; choose a folder apart from the inputs, or "
            "another --name; nothing was done");
}

} // namespace tessera
