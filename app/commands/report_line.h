// A line of a batch's report (`tessera batch --report`), and how a report is told from any other file.
#pragma once

#include "app/commands/file_roles.h"
#include "app/commands/json_output.h"

#include <string>

namespace tessera {

bool isReportLine(const Json &line);

// Leave to replace a report, or to append to it, is no leave to lose a file that something else wrote: throws
// Error{Usage} where `file` is there, holds anything, and does not begin with a line of a report, or with what a kill
// leaves of one.
void refuseOtherThanReport(const NamedFile &file);

// To append is no leave to mix two batches in one report, which then neither can be merged from: throws Error{Usage}
// where the report tells of a batch with other parameters than these.
void refuseReportOfOther(const NamedFile &report, const std::string &parameters);

} // namespace tessera
