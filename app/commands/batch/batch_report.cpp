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

double rounded(double value) { return std::round(value * 1000.0) / 1000.0; } // microseconds, or tenths of a per cent

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
    object["wait"] = rounded(times.wait);
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
    if (!outcome.pipeline.plan.empty())
        object["plan"] = jsonText(outcome.pipeline.plan);
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
constexpr NamedStage readStage{"read", &StageTimes::read}, decodeStage{"decode", &StageTimes::decode},
    filterStage{"filter", &StageTimes::filter}, statisticsStage{"statistics", &StageTimes::statistics},
    encodeStage{"encode", &StageTimes::encode}, writeStage{"write", &StageTimes::write},
    verifyStage{"verify", &StageTimes::verify};
constexpr std::array namedStages{readStage,   decodeStage, filterStage, statisticsStage,
                                 encodeStage, writeStage,  verifyStage};

} // namespace

Json outcomeJson(const FileOutcome &outcome, const ReportContext &context) {
    Json object;
    object["index"] = outcome.index;
    object["list_length"] = context.listLength;
    object["list_hash"] = context.listHash;
    object["shard"] = context.shard.text();
    object["status"] = statusName(outcome.status);
    setPath(object, "input", outcome.input);
    setOutput(object, outcome.output);
    object["input_hash"] = outcome.inputHash.empty() ? Json(nullptr) : Json(outcome.inputHash);
    object["output_hash"] =
        outcome.outputHash.empty() || outcome.status == FileStatus::Failed ? Json(nullptr) : Json(outcome.outputHash);
    if (outcome.width > 0)
        addPixels(object, outcome);
    object["parameters"] = jsonText(context.parameters);
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

BatchSummary::Bottleneck BatchSummary::bottleneck() const {
    const auto longest = [this](std::initializer_list<NamedStage> of) {
        return std::ranges::max(of, {}, [this](const NamedStage &stage) { return stages.*(stage.second); });
    };
    Bottleneck found{"read", counted(loads.readers, "thread"), loads.readShare()};
    if (loads.writeShare() > found.share)
        found = {"write", counted(loads.writers, "thread"), loads.writeShare()};
    for (const DeviceLoad &device : loads.devices)
        if (loads.deviceShare(device) > found.share)
            found = {"filter", device.id, loads.deviceShare(device)};
    if (loads.processorShare() > found.share) {
        const bool filtersToo =
            std::ranges::all_of(loads.devices, [](const DeviceLoad &one) { return !one.failed.empty(); });
        const NamedStage stage = filtersToo
                                     ? longest({decodeStage, filterStage, statisticsStage, encodeStage, verifyStage})
                                     : longest({decodeStage, statisticsStage, encodeStage});
        found = {stage.first, counted(loads.processors, "thread"), loads.processorShare()};
    }
    return found.share > 0 ? found : Bottleneck{};
}

namespace {

Json loadsJson(const StageLoads &loads) {
    Json object;
    object["read"] = {{"threads", loads.readers}, {"busy", rounded(loads.readShare())}};
    object["processor"] = {{"threads", loads.processors}, {"busy", rounded(loads.processorShare())}};
    object["write"] = {{"threads", loads.writers}, {"busy", rounded(loads.writeShare())}};
    for (const DeviceLoad &device : loads.devices) {
        Json entry{{"files", device.files}, {"busy", rounded(loads.deviceShare(device))}};
        entry["failed"] = device.failed.empty() ? Json(nullptr) : Json(jsonText(device.failed));
        object[device.id] = std::move(entry);
    }
    return object;
}

} // namespace

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
    const BatchSummary::Bottleneck slowest = summary.bottleneck();
    object["slowest_stage"] = slowest.stage.empty() ? Json(nullptr) : Json(slowest.stage);
    object["slowest_stage_busy"] = jsonNumber(rounded(slowest.share));
    object["loads"] = loadsJson(summary.loads);
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
        const BatchSummary::Bottleneck slowest = summary.bottleneck();
        if (!slowest.stage.empty())
            text += ", slowest stage: " + slowest.stage + " (" + slowest.where + " busy " +
                    std::to_string(std::lround(100 * slowest.share)) + " % of the time)";
    }
    return text;
}

} // namespace tessera
