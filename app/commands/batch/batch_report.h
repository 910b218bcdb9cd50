// Outcomes as JSON: a line of --report, an entry of --json, and the summary at the end.
#pragma once

#include "app/commands/batch/batch_file.h"
#include "app/commands/batch/batch_stages.h"
#include "app/commands/exit_code.h"
#include "app/commands/json_output.h"

#include <string>

namespace tessera {

// What is the same in all lines of a report.
struct ReportContext {
    std::string parameters;
    std::size_t listLength = 0; // of the whole list: what no line tells of is missing
    Shard shard;
    std::string listHash; // of the names in the list, see hashOfNames()
};

Json outcomeJson(const FileOutcome &outcome, const ReportContext &context);

struct BatchSummary {
    FileTally tally;
    std::size_t files = 0; // of this process
    std::size_t upToDate = 0;
    std::size_t notStarted = 0;
    double megapixels = 0;
    double seconds = 0;
    StageTimes stages; // summed over the files
    StageLoads loads;
    std::size_t verified = 0;
    double verifiedMaximumError = 0, verifiedRelativeL2 = 0;
    std::string verifiedWorstFile;

    void add(const FileOutcome &outcome);
    ExitCode exitCode() const;

    // What kept the batch from being faster: the busiest of reading, the processor, the GPUs and writing; where it is
    // the processor, its longest stage. Empty where nothing was done. `share`: how much of the time it was busy.
    struct Bottleneck {
        std::string stage, where;
        double share = 0;
    };
    Bottleneck bottleneck() const;
};

Json summaryJson(const BatchSummary &summary);

// One line for people: "12 files done, 1 failed, 34.1 megapixels/s".
std::string summaryText(const BatchSummary &summary);

} // namespace tessera
