// What becomes of outputs that exist already, decided before any work: refused, replaced or skipped as up to date.
#pragma once

#include "app/commands/batch/batch_plan.h"
#include "app/commands/batch/batch_record.h"

#include <string>
#include <vector>

namespace tessera {

// Whether the output folder lies among the inputs, or holds some: --overwrite is careful there.
enum class OutputPlace { Apart, AmongInputs };

enum class ExistingOutputs { Refuse, Overwrite, Skip, SkipOrOverwrite };

struct ResumePlan {
    std::vector<PlannedFile> toDo;
    std::vector<PlannedFile> upToDate;
};

// Skip compares the content of inputs and outputs with the record, on `threads` threads. Throws Error{Usage} naming
// the outputs that exist and may not be replaced, folders and pipes among them whatever is allowed, and why those that
// could have been skipped could not.
ResumePlan resolveExisting(std::vector<PlannedFile> files, ExistingOutputs existing, const BatchRecords &records,
                           const std::string &parameters, unsigned threads, OutputPlace place = OutputPlace::Apart);

// Why an output that exists cannot be skipped; empty where it can. Reads both files where there is a record.
std::string whyNotSkipped(const PlannedFile &file, const BatchRecords &records, const std::string &parameters);

// What stands where an output goes. Made: by a batch, and as it left it; replacing it costs nobody a picture. Foreign:
// no batch has recorded it, or it is a link, and batches make none. Changed: somebody has changed it since a batch made
// it.
enum class OutputStanding { Made, Foreign, Changed };

// Of an output that exists. Reads the file where there is a record to compare it with.
OutputStanding outputStanding(const PlannedFile &file, const BatchRecords &records);

// For an output folder among the inputs, where what lies there may be somebody's pictures: throws Error{Usage} naming
// the outputs that exist and that no batch has recorded, or that are not as it left them, even if outputs may be
// replaced. Reads those outputs, on `threads` threads.
void refuseUnrecorded(const std::vector<PlannedFile> &files, const BatchRecords &records, unsigned threads);

} // namespace tessera
