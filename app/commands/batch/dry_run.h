// --dry-run: what a batch would do, without doing it.
#pragma once

#include "app/commands/batch/batch_resume.h"
#include "app/commands/exit_code.h"
#include "app/commands/json_output.h"

namespace tessera {

// {"dry_run": true, "parameters": ..., "files": [{"index", "input", "output", "action", "error"}]}, where the action is
// write, replace, skip or fail.
Json dryRunJson(const ResumePlan &plan, const std::string &parameters);

// A line a file: 'input' -> 'output'.
std::string dryRunText(const ResumePlan &plan);

// Counts the files that are known to fail, in addition to what `tally` holds.
FileTally dryRunTally(const ResumePlan &plan, FileTally tally);

} // namespace tessera
