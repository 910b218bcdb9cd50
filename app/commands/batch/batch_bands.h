// A picture of a batch that is larger than the memory allows: read, filtered and written in bands of rows.
#pragma once

#include "app/commands/batch/batch_file.h"
#include "app/image/row_io.h"

namespace tessera {

// How much memory the bands take of `limit`: enough for long bands, not so much that other files have to wait.
std::uint64_t bandMemory(std::uint64_t limit);

// Why a picture of this kind cannot go through a batch in bands, into this format; empty where it can.
std::string whyNotInBands(const BatchTask &task, const ImageInfo &picture, const std::string &format);

struct BandLimits {
    std::uint64_t memory = 0;   // bytes, as bandMemory() gives them
    std::uint64_t asAWhole = 0; // that would be enough without bands
    bool verify = false;        // compute everything again with the reference, and read the file again
};

// Filters `reader`'s picture with the first engine and writes it into `handle`, in the format of the outcome, whose
// pixels, times, variant, statistics (integer output) and verification are filled in. Reading, filtering and writing
// overlap where the batch has more than one job.
void filterInBands(std::unique_ptr<RowReader> reader, int handle, const BatchTask &task, const BandLimits &limits,
                   const RunControl &control, FileOutcome &outcome);

} // namespace tessera
