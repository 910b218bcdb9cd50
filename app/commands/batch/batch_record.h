// What earlier batches wrote into an output folder, so that an interrupted one can be resumed and never does a file
// twice, or takes a foreign file for its own.
//
// The record is `.tessera-batch.jsonl` in the output folder (`.tessera-batch.3-of-8.jsonl` for part 3 of 8: parts may
// run on different machines, and appending to one file is not safe over NFS). One JSON object a line:
//   {"output": "a-gaussian.png", "input_hash": "...", "output_hash": "...", "parameters": "...", "version": "0.1.0"}
// A line is appended before its output gets its name: whatever kills the program in between, an output that is there
// has its line. A line counts only while the output still has the content that it states.
#pragma once

#include "app/commands/batch/shard.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct OutputRecord {
    std::filesystem::path outputName; // below the output folder
    std::string inputHash;
    std::string outputHash;
    std::string parameters; // everything that decides the output besides the input
    std::string version;    // of Tessera
};

// All records of a folder; the last line of an output counts. Lines that cannot be read (cut off by a crash) are left
// out. A missing folder has none.
class BatchRecords {
public:
    static BatchRecords read(const std::filesystem::path &outputFolder);

    const OutputRecord *find(const std::filesystem::path &outputName) const;
    const std::map<std::filesystem::path, OutputRecord> &all() const { return records_; }
    // Of everything that a batch has made under this name, the last one first.
    std::vector<std::string> hashesOf(const std::filesystem::path &outputName) const;

private:
    void add(OutputRecord record);

    std::map<std::filesystem::path, OutputRecord> records_;
    std::map<std::filesystem::path, std::vector<std::string>> replaced_; // hashes; of most outputs there are none
};

// The latest line of any record in the folder that tells of this output with this content, whether a later one tells of
// another; nothing where there is none.
std::optional<OutputRecord> findRecord(const std::filesystem::path &outputFolder,
                                       const std::filesystem::path &outputName, const std::string &outputHash);

// Empty where `output` is the one that `record` tells of, made with these parameters by this version from this very
// input; else the reason why not. Of the parameters those count that decide an output of this format and name: most
// formats know no quality. Reads both files.
std::string whyNotUpToDate(const OutputRecord &record, const std::string &parameters, const std::string &format,
                           const std::filesystem::path &input, const std::filesystem::path &output);

// Whether the file is, or would be, a record of any part of a batch in the folder.
bool isRecord(const std::filesystem::path &path, const std::filesystem::path &outputFolder);

// The file that this process appends its records to.
std::filesystem::path recordFile(const std::filesystem::path &outputFolder, const Shard &shard);

// Throws Error{Usage} where it is there and cannot be read and appended to: else its outputs would pass for foreign.
void checkRecord(const std::filesystem::path &record);

std::string recordLine(const OutputRecord &record);

} // namespace tessera
