#include "app/commands/batch/dry_run.h"

#include "app/commands/text.h"

namespace tessera {

namespace {

const char *actionFor(const PlannedFile &file) {
    return file.problem ? "fail" : file.outputExists ? "replace" : "write";
}

Json entryJson(const PlannedFile &file, const char *action) {
    Json entry;
    entry["index"] = file.index;
    setPath(entry, "input", file.input);
    setOutput(entry, file.output);
    entry["action"] = action;
    entry["error"] = file.problem ? Json(jsonText(file.problem->fullText())) : Json(nullptr);
    return entry;
}

std::string entryText(const PlannedFile &file, const std::string &note) {
    const std::string output = file.output.empty() ? "" : " -> " + inQuotes(file.output.native());
    return inQuotes(file.input.native()) + output + note + "\n";
}

} // namespace

Json dryRunJson(const ResumePlan &plan, const std::string &parameters) {
    Json object;
    object["dry_run"] = true;
    object["parameters"] = jsonText(parameters);
    object["files"] = Json::array();
    for (const PlannedFile &file : plan.toDo)
        object["files"].push_back(entryJson(file, actionFor(file)));
    for (const PlannedFile &file : plan.upToDate)
        object["files"].push_back(entryJson(file, "skip"));
    return object;
}

std::string dryRunText(const ResumePlan &plan) {
    std::string text;
    for (const PlannedFile &file : plan.toDo)
        text += entryText(file, file.problem        ? ": fails: " + displayText(file.problem->fullText())
                                : file.outputExists ? ": replaced"
                                                    : "");
    for (const PlannedFile &file : plan.upToDate)
        text += entryText(file, ": up to date, skipped");
    return text;
}

FileTally dryRunTally(const ResumePlan &plan, FileTally tally) {
    for (const PlannedFile &file : plan.toDo) {
        if (file.problem)
            tally.countFailure(file.problem->kind());
        else
            ++tally.done;
    }
    tally.done += plan.upToDate.size();
    return tally;
}

} // namespace tessera
