// Everything that `tessera batch` was asked to do.
#pragma once

#include "app/commands/batch/name_template.h"
#include "app/commands/batch/shard.h"
#include "app/commands/filter_options.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct BatchOptions {
    FilterOptions filters;

    std::vector<std::filesystem::path> inputs;
    std::optional<std::string> filesFrom; // a file of names, or "-"
    bool recursive = false;

    std::filesystem::path outputFolder;
    NameTemplate nameTemplate{"{stem}-{filter}.{ext}"};
    std::string format; // empty: the input's
    int quality = 92;
    bool overwrite = false;
    bool skipExisting = false;

    Shard shard;
    unsigned jobs = 0;               // 0: the cores there are
    std::uint64_t maximumMemory = 0; // 0: three quarters of the memory there is
    std::uint64_t maximumPixels = 0; // 0: the loader's own limit
    std::optional<std::uint64_t> maximumFailures;
    std::size_t verify = 0;

    std::optional<std::filesystem::path> report;
    bool dryRun = false;
};

std::vector<OptionGroup> batchOptionGroups(BatchOptions &options);

// The command's arguments, with the texts of its help. Reads into `options`, which has to live as long.
CommandSyntax batchSyntax(BatchOptions &options);

// Throws Error{Usage} for options that are missing or contradict each other.
void checkBatchOptions(const BatchOptions &options);

// Everything that decides an output's content besides its input. --jobs, --device and their like do not.
std::string recordedParameters(const BatchOptions &options);

} // namespace tessera
