#include "app/commands/batch/batch_report.h"

#include "app/commands/statistics_output.h"
#include "app/commands/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {

namespace {

const char *statusName(FileStatus status) {
    switch (status) {
    case FileStatus::Done:
        return "done";
    case FileStatus::Failed:
        return "failed";
    case FileStatus::UpToDate:
        return "skipped";
    case FileStatus::NotStarted:
        break;
    }
    return "not started";
}

const char *kindName(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::Usage:
        return "usage";
    case ErrorKind::Input:
        return "input";
    case ErrorKind::Output:
        return "output";
    case ErrorKind::Device:
        return "device";
    case ErrorKind::Limit:
        return "limit";
    case ErrorKind::Cancelled:
        return "cancelled";
    case ErrorKind::Internal:
        break;
    }
    return "internal";
}

double rounded(double milliseconds) { return std::round(milliseconds * 1000.0) / 1000.0; }

Json optionalMilliseconds(const std::optional<double> &milliseconds) {
    return milliseconds ? Json(rounded(*milliseconds)) : Json(nullptr);
}

Json timesJson(const FileOutcome &outcome) {
    const StageTimes &times = outcome.times;
    Json object;
    object["read"] = rounded(times.read);
    object["decode"] = rounded(times.decode);
    object["filter"] = rounded(times.filter);
    object["kernel"] = optionalMilliseconds(outcome.pipeline.kernelMs);
    object["copy"] = optionalMilliseconds(outcome.pipeline.copyMs);
    object["statistics"] = rounded(times.statistics);
    object["encode"] = rounded(times.encode);
    object["write"] = rounded(times.write);
    if (times.verify > 0)
        object["verify"] = rounded(times.verify);
    object["total"] = rounded(times.total);
    return object;
}

void addPixels(Json &object, const FileOutcome &outcome) {
    setShape(object, outcome.width, outcome.height, outcome.inputPixels);
    object["input_format"] = outcome.inputFormat;
    object["input_bytes"] = outcome.inputBytes;
    if (outcome.status != FileStatus::Done)
        return;
    object["output_format"] = outcome.outputFormat;
    object["output_depth"] = depthName(outcome.outputPixels.depth);
    object["output_bytes"] = outcome.outputBytes;
    object["variant"] = outcome.pipeline.variant;
    object["engine"] = outcome.pipeline.engine;
    object["device"] = outcome.pipeline.device;
    if (!outcome.pipeline.note.empty())
        object["note"] = jsonText(outcome.pipeline.note);
}

Json errorJson(const Error &error) {
    Json object;
    object["kind"] = kindName(error.kind());
    object["what"] = jsonText(error.what());
    object["remedy"] = jsonText(error.remedy());
    return object;
}

using NamedStage = std::pair<const char *, double StageTimes::*>;
constexpr std::array<NamedStage, 7> namedStages{{{"read", &StageTimes::read},
                                                 {"decode", &StageTimes::decode},
                                                 {"filter", &StageTimes::filter},
                                                 {"statistics", &StageTimes::statistics},
                                                 {"encode", &StageTimes::encode},
                                                 {"write", &StageTimes::write},
                                                 {"verify", &StageTimes::verify}}};

} // namespace

Json outcomeJson(const FileOutcome &outcome, const std::string &parameters) {
    Json object;
    object["index"] = outcome.index;
    object["status"] = statusName(outcome.status);
    setPath(object, "input", outcome.input);
    setPath(object, "output", outcome.output);
    object["input_hash"] = outcome.inputHash.empty() ? Json(nullptr) : Json(outcome.inputHash);
    object["output_hash"] =
        outcome.outputHash.empty() || outcome.status == FileStatus::Failed ? Json(nullptr) : Json(outcome.outputHash);
    if (outcome.width > 0)
        addPixels(object, outcome);
    object["parameters"] = jsonText(parameters);
    object["version"] = TESSERA_VERSION;
    object["times_ms"] = timesJson(outcome);
    if (outcome.statistics)
        object["statistics"] = statisticsJson(*outcome.statistics, Histograms::Leave);
    if (outcome.verification) {
        object["verification"]["max_error"] = jsonNumber(outcome.verification->maximumError);
        object["verification"]["relative_l2"] = jsonNumber(outcome.verification->relativeL2);
        object["verification"]["file_checked"] = outcome.verification->lossless;
    }
    object["error"] = outcome.error ? errorJson(*outcome.error) : Json(nullptr);
    return object;
}

void BatchSummary::add(const FileOutcome &outcome) {
    switch (outcome.status) {
    case FileStatus::Done:
        ++tally.done;
        megapixels += outcome.megapixels();
        break;
    case FileStatus::Failed:
        tally.countFailure(outcome.error->kind());
        break;
    case FileStatus::UpToDate:
        ++upToDate;
        ++tally.done; // it is there and right: the batch has what it was asked for
        break;
    case FileStatus::NotStarted:
        ++notStarted;
        break;
    }
    for (const auto &[name, stage] : namedStages)
        stages.*stage += outcome.times.*stage;
    if (!outcome.verification)
        return;
    ++verified;
    verifiedRelativeL2 = std::max(verifiedRelativeL2, outcome.verification->relativeL2);
    if (verifiedWorstFile.empty() || outcome.verification->maximumError > verifiedMaximumError) {
        verifiedMaximumError = outcome.verification->maximumError;
        verifiedWorstFile = outcome.input.native();
    }
}

ExitCode BatchSummary::exitCode() const {
    const ExitCode code = tally.exitCode();
    // With files left untried nobody knows whether there was usable input.
    return code == ExitCode::NoUsableInput && notStarted > 0 ? ExitCode::SomeFailed : code;
}

std::string BatchSummary::slowestStage() const {
    const auto slowest =
        std::ranges::max_element(namedStages, {}, [this](const NamedStage &stage) { return stages.*(stage.second); });
    return stages.*(slowest->second) > 0 ? slowest->first : "";
}

Json summaryJson(const BatchSummary &summary) {
    Json object;
    object["files"] = summary.files;
    object["done"] = summary.tally.done - summary.upToDate;
    object["skipped"] = summary.upToDate;
    object["failed"] = summary.tally.failed;
    object["not_started"] = summary.notStarted;
    object["interrupted"] = summary.tally.interrupted;
    object["megapixels"] = jsonNumber(summary.megapixels);
    object["seconds"] = jsonNumber(summary.seconds);
    object["megapixels_per_second"] = summary.seconds > 0 ? jsonNumber(summary.megapixels / summary.seconds) : Json(0);
    object["slowest_stage"] = summary.slowestStage().empty() ? Json(nullptr) : Json(summary.slowestStage());
    for (const auto &[name, stage] : namedStages)
        object["stages_ms"][name] = rounded(summary.stages.*stage);
    if (summary.verified > 0) {
        object["verified"]["files"] = summary.verified;
        object["verified"]["max_error"] = jsonNumber(summary.verifiedMaximumError);
        object["verified"]["relative_l2"] = jsonNumber(summary.verifiedRelativeL2);
    }
    return object;
}

std::string summaryText(const BatchSummary &summary) {
    const std::size_t done = summary.tally.done - summary.upToDate;
    std::string text = std::to_string(done) + " of " + counted(summary.files, "file") + " done";
    if (summary.upToDate > 0)
        text += ", " + std::to_string(summary.upToDate) + " skipped as up to date";
    if (summary.tally.failed > 0)
        text += ", " + std::to_string(summary.tally.failed) + " failed";
    if (summary.notStarted > 0)
        text += ", " + std::to_string(summary.notStarted) + " not started";
    if (done > 0) {
        text += "; " + shortNumber(summary.megapixels, 3) + " megapixels in " + shortNumber(summary.seconds, 3) +
                " s (" + shortNumber(summary.megapixels / summary.seconds, 3) + " megapixels/s)";
        if (!summary.slowestStage().empty())
            text += ", slowest stage: " + summary.slowestStage();
    }
    return text;
}

} // namespace tessera
