// One file of a batch: read, decode, filter, encode, write, and everything that is worth reporting about it.
#pragma once

#include "app/commands/batch/batch_plan.h"
#include "app/commands/batch/batch_record.h"
#include "app/commands/batch/line_file.h"
#include "app/commands/batch/memory_gate.h"
#include "app/commands/batch/verification.h"
#include "app/image/image_io.h"
#include "app/session/pipeline.h"
#include "app/stats/statistics.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// What is the same for every file. Shared by the working threads, which only read it; the members that it points to
// are safe to use from several threads.
struct BatchTask {
    std::vector<FilterStep> steps;
    std::vector<EngineChoice> engines; // at least one; several share the files between them
    OutputDepth depth = OutputDepth::Keep;
    LoadLimits limits;
    int quality = 92;
    bool overwrite = false;
    bool statistics = false; // somebody will read them
    std::string parameters;  // for the record
    std::stop_token stop;
    MemoryGate *memory = nullptr;
    LineFile *record = nullptr;
};

enum class FileStatus { Done, Failed, UpToDate, NotStarted };

// Milliseconds; 0 where the stage was not reached.
struct StageTimes {
    double read = 0, decode = 0, filter = 0, statistics = 0, encode = 0, write = 0, verify = 0, total = 0;
};

struct FileOutcome {
    FileStatus status = FileStatus::NotStarted;
    std::size_t index = 0;
    std::filesystem::path input, output;
    std::string inputHash, outputHash;
    std::uint64_t inputBytes = 0, outputBytes = 0;
    std::string inputFormat, outputFormat;
    int width = 0, height = 0;
    PixelFormat inputPixels, outputPixels;
    PipelineTimes pipeline;
    StageTimes times;
    std::optional<ImageStatistics> statistics; // of the output
    std::optional<Verification> verification;
    std::optional<Error> error;

    double megapixels() const { return double(width) * double(height) / 1e6; }
};

// Never throws: what goes wrong is the outcome's error. `worker` chooses among the engines.
FileOutcome processFile(const PlannedFile &file, const BatchTask &task, std::size_t worker, bool verify);

// What the steps may need at once for a picture of this kind, in bytes: an upper bound, as nothing is streamed.
std::uint64_t estimateMemory(const ImageInfo &picture, std::uint64_t fileBytes, const BatchTask &task, bool verify);

Depth outputDepth(OutputDepth asked, Depth input);

} // namespace tessera
