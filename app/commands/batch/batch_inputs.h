// The list of inputs: files as named, folders searched in a fixed order. Looks at names and folders; opens no picture
// but those that may be outputs of earlier batches.
#pragma once

#include "app/commands/batch/batch_record.h"
#include "app/core/error.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// Outputs of earlier batches by their canonical paths, with the hash of every content that one has made under each.
using EarlierOutputs = std::map<std::filesystem::path, std::vector<std::string>>;

// What these records tell of in the output folder.
EarlierOutputs recordedOutputs(const std::filesystem::path &outputFolder, const BatchRecords &records);

struct InputRequest {
    std::vector<std::filesystem::path> paths; // files and folders, in the order given
    std::optional<std::string> filesFrom;     // a file of names, or "-" for standard input
    bool recursive = false;
    std::filesystem::path outputFolder; // not searched, unless it is itself a folder in `paths`
    EarlierOutputs earlierOutputs{};    // not inputs where a search meets them as they were made
};

struct BatchInput {
    std::filesystem::path path;     // as it would be opened
    std::filesystem::path folder;   // of the file below the folder in `paths`; empty at its top and for named files
    std::optional<Error> problem{}; // of a folder that cannot be read, which stands in the list for what may be in it
    bool searched = false;          // found in a folder, and not named itself
    bool changedOutput = false;     // what a batch once made, but for somebody's changes since
};

struct InputList {
    std::vector<BatchInput> inputs;
    struct Skipped {
        std::filesystem::path path;
        std::string reason;
    };
    std::vector<Skipped> skipped;    // met in a search and left out
    std::size_t earlierOutputs = 0;  // among these
    std::size_t foreignPictures = 0; // among these, by their names: of formats that Tessera does not read
};

// Named files are always taken, whether they exist or not: what is wrong with one is its own failure. In folders,
// entries are sorted by the bytes of their names; hidden ones and those without a picture's extension are skipped,
// links are followed once. A file that is named twice is taken once. A folder that cannot be read is an entry of its
// own, before what of it could be read. Throws Error{Input} where the list of --files-from cannot be read, or is
// UTF-16.
InputList collectInputs(const InputRequest &request);

// Takes out of the list what a search has met and an earlier batch has made, as long as it is what the batch left: its
// content is compared, so that what somebody has worked on since is a picture like others. Where another batch fills
// the same folder meanwhile, records that are read after the search know all of its outputs that the search has met.
void leaveOutEarlierOutputs(InputList &list, const EarlierOutputs &earlier);

// Names separated by NUL bytes where there are any, else by line ends (a carriage return before one is dropped). A byte
// order mark of UTF-8 in front is no part of the first.
std::vector<std::filesystem::path> splitFileList(const std::string &content);

// Of the inputs' names below the folders that were named: machines that share a batch may have these in different
// places.
std::string hashOfNames(const InputList &list);

} // namespace tessera
