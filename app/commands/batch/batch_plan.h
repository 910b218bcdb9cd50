// Which output each input gets, decided for the whole batch before any work starts.
#pragma once

#include "app/commands/batch/batch_inputs.h"
#include "app/commands/batch/name_template.h"
#include "app/commands/batch/shard.h"
#include "app/commands/file_roles.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct PlanRequest {
    std::filesystem::path outputFolder;
    NameTemplate nameTemplate{"{stem}-{filter}.{ext}"};
    std::string filterName; // {filter}
    std::string format;     // --format; empty: by the output's extension
    Shard shard;
    std::vector<NamedFile> alsoRead, alsoWritten; // besides pictures: no output may be one of them, nor they each other
};

struct PlannedFile {
    std::size_t index = 0; // in the whole list, from 1
    std::filesystem::path input;
    std::filesystem::path output;     // in the output folder; empty for a folder that cannot be read
    std::filesystem::path outputName; // below the output folder: the key of its record
    std::string format;               // "png"; empty where `problem` says why
    bool outputExists = false;
    std::optional<Error> problem; // known beforehand: the file fails without being opened
};

// Without the outputs of earlier batches that were changed since and that this batch would write again: what becomes of
// these is a question of what may be replaced (batch_resume.h).
std::vector<BatchInput> withoutOwnOutputs(std::vector<BatchInput> inputs, const PlanRequest &request);

// The files of this shard, in order. Throws Error{Usage} where two inputs of the whole list would get one output, or an
// output, of pictures or besides, would be one of the inputs or another output.
std::vector<PlannedFile> planOutputs(const std::vector<BatchInput> &inputs, const PlanRequest &request);

// "a, b, c and 4 more", for messages.
std::string namesInBrief(const std::vector<std::filesystem::path> &paths, std::size_t shown = 5);

} // namespace tessera
