// A picture of a batch that is larger than the memory allows: read, filtered and written in bands of rows.
#pragma once

#include "app/commands/batch/batch_file.h"
#include "app/image/row_io.h"

namespace tessera {

// How much memory the bands take of `limit`: enough for long bands, not so much that other files have to wait.
std::uint64_t bandMemory(std::uint64_t limit);

// Why a picture of this kind cannot go through a batch in bands, into this format; empty where it can.
std::string whyNotInBands(const BatchTask &task, const ImageInfo &picture, const std::string &format);

// Filters `reader`'s picture with the first engine and writes it into `handle`, within `memory` bytes, in the format
// of the outcome, whose pixels, times, variant and statistics (integer output) are filled in. Reading, filtering and
// writing overlap where the batch has more than one job.
void filterInBands(RowReader &reader, int handle, const BatchTask &task, std::uint64_t memory,
                   const RunControl &control, FileOutcome &outcome);

} // namespace tessera
