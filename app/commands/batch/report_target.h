// Where a batch's report goes: what is refused of it, and how it is opened.
#pragma once

#include "app/commands/batch/batch_options.h"
#include "app/commands/batch/line_file.h"

#include <memory>
#include <string>

namespace tessera {

class Console;

// Everything that can be known of --report before any work, for a dry run too. `parameters`: of this batch; a report
// that is appended to must be of the same. Throws Error{Usage}.
void checkReport(const BatchOptions &options, const std::string &parameters, bool jsonToStandardOutput);

// Empty where none is asked for. A report may lie in the output folder, which then must be there. Waits for the reader
// of a pipe, and says so. Throws as LineFile does.
std::unique_ptr<LineFile> openReport(const BatchOptions &options, Console &console);

} // namespace tessera
