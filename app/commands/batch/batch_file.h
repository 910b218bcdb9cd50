// One file of a batch: read, decode, filter, encode, write, and everything that is worth reporting about it.
#pragma once

#include "app/commands/batch/batch_plan.h"
#include "app/commands/batch/batch_record.h"
#include "app/commands/batch/input_probe.h"
#include "app/commands/batch/line_file.h"
#include "app/commands/batch/memory_gate.h"
#include "app/commands/batch/memory_need.h"
#include "app/commands/batch/verification.h"
#include "app/image/image_io.h"
#include "app/image/row_io.h"
#include "app/session/pipeline.h"
#include "app/stats/statistics.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class AtomicFile;

// What is the same for every file. Shared by the working threads, which only read it; the members that it points to
// are safe to use from several threads.
struct BatchTask {
    std::vector<FilterStep> steps;
    std::vector<EngineChoice> engines; // at least one; several share the files between them
    OutputDepth depth = OutputDepth::Keep;
    LoadLimits limits;
    int quality = 92;
    bool overwrite = false;
    bool skipExisting = false;          // outputs that another batch makes meanwhile are taken as well
    std::filesystem::path outputFolder; // where its records are
    unsigned jobs = 1;                  // threads that share the work
    bool statistics = false;            // somebody will read them
    std::string parameters;             // for the record
    std::stop_token stop;
    MemoryGate *memory = nullptr;
    LineFile *record = nullptr;

    int engineCopies() const; // Engine::workingCopies() of the one that takes most
};

enum class FileStatus { Done, Failed, UpToDate, NotStarted };

// Milliseconds; 0 where the stage was not reached. `wait`: between the stages, in the queues.
struct StageTimes {
    double read = 0, decode = 0, filter = 0, statistics = 0, encode = 0, write = 0, verify = 0, wait = 0, total = 0;
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

// One file on its way, stage by stage, each stage from any thread. A stage returns whether the file goes on: where it
// does not, the outcome says why. Only filter() throws.
class FileWork {
public:
    FileWork(const PlannedFile &file, const BatchTask &task, bool verify);

    bool read();   // waits for its share of the memory first
    bool decode(); // or, where inBands() says so, everything there is to do
    // Throws where something failed and choice.fallBack is off: the picture is unharmed, and another device may try.
    bool filter(const EngineChoice &choice);
    bool encode(); // and before that the statistics
    bool write();

    void giveUp();            // nothing was begun, as far as the outcome tells
    void fail(Error failure); // being cancelled is no failure: the outcome tells that nothing was begun
    // The picture is larger than the memory allows and goes through it in bands, all stages in one.
    bool inBands() const { return inBands_; }
    bool isDecoded() const { return decoded_; }
    bool verifies() const { return verify_; }
    const StageTimes &times() const { return outcome_.times; }
    void addNote(const std::string &note);
    FileOutcome takeOutcome();

private:
    using Clock = std::chrono::steady_clock;

    template <class Stage> bool guarded(Stage &&stage);
    void load();
    void noteLosses(const ImageMetadata &metadata);
    void noteMislabelled(const ImageInfo &info);
    bool openBands(const ImageInfo &info);
    void publish(AtomicFile &file);
    bool isMadeMeanwhile();
    void takeFromAnother(const Error &exists);
    void keepStatistics(const LevelCounts &counts);
    void verifyResult();
    void refuseUnverified() const;
    void store();
    void checkUnchanged(std::size_t bytesRead) const;
    void makeFolder() const;
    void processInBands();
    void filterAndPublish(); // in bands

    const PlannedFile &file_;
    const BatchTask &task_;
    const bool verify_;
    bool inBands_ = false, decoded_ = false;
    RunControl control_;
    FileOutcome outcome_;
    const Clock::time_point start_ = Clock::now();
    FileStamp stamp_;
    MemoryGate::Share share_;
    MemoryNeed need_;
    std::vector<std::byte> content_; // the input as it is, then the output as it will be
    Image source_, result_;
    std::unique_ptr<RowReader> rows_; // where it goes in bands
    std::uint64_t bandMemory_ = 0;
    std::string whyNoBands_;
    std::string note_; // for the outcome's, which the engine writes last
};

// One file from end to end in the calling thread. Never throws: what goes wrong is the outcome's error. `worker`
// chooses among the engines.
FileOutcome processFile(const PlannedFile &file, const BatchTask &task, std::size_t worker, bool verify);

} // namespace tessera
