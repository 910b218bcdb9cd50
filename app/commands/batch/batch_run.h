// Works through the files of a batch and keeps account of them.
#pragma once

#include "app/commands/batch/batch_file.h"
#include "app/commands/batch/batch_report.h"
#include "app/commands/batch/interruption.h"
#include "app/commands/console.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tessera {

struct BatchRunSettings {
    unsigned jobs = 1;
    std::optional<std::uint64_t> maximumFailures;
    std::size_t verify = 0; // how many outputs
};

// Calls `accept` for every file that was begun, one call at a time, in the order of completion. Stops starting files
// after a signal, after the failures allowed, and where `accept` throws, which is rethrown when the files in hand
// (decoded already) are done. Adds to what `summary` holds already.
void runBatch(const std::vector<PlannedFile> &files, const BatchTask &task, const BatchRunSettings &settings,
              const Interruption &interruption, Console &console,
              const std::function<void(const FileOutcome &)> &accept, BatchSummary &summary);

} // namespace tessera
