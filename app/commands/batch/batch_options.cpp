#include "app/commands/batch/batch_options.h"

#include "app/commands/option_values.h"
#include "app/commands/suggest.h"
#include "app/commands/text.h"
#include "app/image/image_io.h"

#include <algorithm>
#include <cstdlib>

namespace tessera {

namespace {

const FormatInfo *findFormat(const std::string &name) {
    for (const FormatInfo &format : imageFormats())
        if (format.name == name)
            return &format;
    return formatForExtension(name); // 'jpeg' and 'tif' are understood too
}

std::string parseFormat(const std::string &text) {
    std::vector<std::string> names;
    for (const FormatInfo &format : imageFormats())
        if (format.canWrite)
            names.push_back(format.name);
    const FormatInfo *format = findFormat(text);
    if (!format)
        throw Error(ErrorKind::Usage, "--format does not take " + inQuotes(text), suggestion(text, names));
    if (!format->canWrite)
        throw Error(ErrorKind::Usage, "this build cannot write " + format->name, suggestion("", names));
    return format->name;
}

OptionGroup inputGroup(BatchOptions &options) {
    return {"Inputs",
            {{"--recursive", "", "Look into the folders inside the INPUT folders too.",
              [&](const std::string &) { options.recursive = true; }},
             {"--files-from", "FILE|-",
              "Read the names of inputs from a file, or from standard input: one a line, or separated by NUL bytes.",
              [&](const std::string &text) { options.filesFrom = text; }},
             {"--shard", "i/n|auto",
              "Do only part i of n (from 1) of the list. auto: the task of a Slurm array, or the index of a Kubernetes "
              "indexed job whose number of completions is in TESSERA_SHARD_COUNT.",
              [&](const std::string &text) {
                  options.shard = parseShard(text, [](const char *name) { return std::getenv(name); });
              }}}};
}

OptionGroup outputGroup(BatchOptions &options) {
    return {
        "Outputs",
        {{"-o,--output", "DIR", "The folder for the outputs; made where it is missing. Required.",
          [&](const std::string &text) { options.outputFolder = text; }},
         {"--name", "TEMPLATE",
          "The name of an output from {stem}, {filter}, {ext}, {parent} (the name of the input's folder), {folder} "
          "(its path below INPUT) and {index} (or {index:4}, with leading zeros). Default '{stem}-{filter}.{ext}'.",
          [&](const std::string &text) { options.nameTemplate = NameTemplate(text); }},
         {"--format", "NAME",
          "png, jpg, tiff, ...; default: the one that the output's name tells, with {ext} that of the input's name.",
          [&](const std::string &text) { options.format = parseFormat(text); }},
         {"--quality", "N", "1 to 100, for lossy formats. Default 92.",
          [&](const std::string &text) {
              options.quality = static_cast<int>(parseInteger("--quality", text, 1, 100));
          }},
         {"--overwrite", "",
          "Replace outputs that exist; of a symbolic link the link itself. In an output folder among the inputs, or "
          "that holds some, only what an earlier batch has made and nobody has changed since. Without it nothing is "
          "ever overwritten.",
          [&](const std::string &) { options.overwrite = true; }},
         {"--skip-existing", "",
          "Resume: skip an output that an earlier run, or another at work, made from the same input with the same "
          "parameters and version.",
          [&](const std::string &) { options.skipExisting = true; }}}};
}

OptionGroup resourceGroup(BatchOptions &options) {
    return {
        "Resources",
        {{"--jobs", "N", "Threads that decode, filter and encode. Default: the number of cores.",
          [&](const std::string &text) {
              options.jobs = static_cast<unsigned>(parseInteger("--jobs", text, 1, 4096));
          }},
         {"--max-memory", "SIZE",
          "Memory for pictures in work, such as 4G; fewer are worked on at once where they are large, and a picture "
          "that does not fit goes through in bands of rows (PNM, PNG, JPEG and TIFF). Default: three quarters of the "
          "memory there is.",
          [&](const std::string &text) { options.maximumMemory = parseByteSize("--max-memory", text); }},
         {"--max-pixels", "N", "Refuse larger pictures, such as 100M.",
          [&](const std::string &text) { options.maximumPixels = parseCount("--max-pixels", text); }}}};
}

constexpr const char *verifyHelp =
    "Compute N of the outputs again with the float64 reference and report the largest error (slow). What a NaN or an "
    "infinity of the input reaches may be the reference's value, or not finite.";

OptionGroup controlGroup(BatchOptions &options) {
    constexpr std::int64_t many = std::int64_t{1} << 40;
    return {"Control",
            {{"--dry-run", "", "Print what would be done and write nothing.",
              [&](const std::string &) { options.dryRun = true; }},
             {"--report", "FILE.jsonl",
              "Write one JSON object a file: names, hashes, size, times, statistics, error. A pipe and /dev/stdout are "
              "taken, too. A folder that cannot be read has a line as a file would.",
              [&](const std::string &text) {
                  if (text == "-")
                      throw Error(ErrorKind::Usage, "--report writes a file, not standard output",
                                  "name a file, or take --json");
                  options.report = text;
              }},
             {"--max-failures", "N", "Stop after N failures. Default: go on to the end.",
              [&](const std::string &text) {
                  options.maximumFailures = static_cast<std::uint64_t>(parseInteger("--max-failures", text, 1, many));
              }},
             {"--verify", "N", verifyHelp, [&](const std::string &text) {
                  options.verify = static_cast<std::size_t>(parseInteger("--verify", text, 0, many));
              }}}};
}

// What can be known of a format without a picture: whether it holds the depth asked for at all.
void checkFormatHoldsDepth(const BatchOptions &options) {
    if (options.format.empty() || options.filters.depth == OutputDepth::Keep)
        return;
    const FormatInfo *format = findFormat(options.format);
    const Depth depth = options.filters.depth == OutputDepth::U8    ? Depth::U8
                        : options.filters.depth == OutputDepth::U16 ? Depth::U16
                                                                    : Depth::F32;
    if (std::ranges::find(format->depths, depth) != format->depths.end())
        return;
    std::string depths;
    for (const Depth possible : format->depths)
        depths += std::string(depths.empty() ? "" : " or ") + depthName(possible);
    throw Error(ErrorKind::Usage,
                std::string(depthOptionName(options.filters.depth)) + " bit does not fit into " + format->name,
                "it holds " + depths + "; choose another --format or --depth");
}

} // namespace

std::vector<OptionGroup> batchOptionGroups(BatchOptions &options) {
    return {options.filters.chainGroup(),  inputGroup(options),          outputGroup(options),
            options.filters.kernelGroup(), options.filters.pixelGroup(), options.filters.engineGroup(),
            resourceGroup(options),        controlGroup(options)};
}

void checkBatchOptions(const BatchOptions &options) {
    if (options.inputs.empty() && !options.filesFrom)
        throw Error(ErrorKind::Usage, "'batch' needs INPUT...", "name files or folders, or give --files-from");
    if (std::ranges::any_of(options.inputs, [](const auto &path) { return path.empty(); }))
        throw Error(ErrorKind::Usage, "an INPUT is empty", "name files or folders; '.' is the folder that one is in");
    if (options.outputFolder.empty())
        throw Error(ErrorKind::Usage, "'batch' needs -o DIR", "the folder for the outputs");
    if (options.filters.chainName().empty())
        throw Error(ErrorKind::Usage, "'batch' needs a --filter or a --kernel",
                    "'tessera filters' lists them; --filter identity only converts");
    std::error_code error;
    if (std::filesystem::exists(options.outputFolder, error) &&
        !std::filesystem::is_directory(options.outputFolder, error))
        throw Error(ErrorKind::Usage, "-o " + inQuotes(options.outputFolder.native()) + " is a file, not a folder",
                    "name a folder");
    checkFormatHoldsDepth(options);
}

std::string recordedParameters(const BatchOptions &options) {
    return options.filters.canonicalText() + (options.format.empty() ? "" : " --format " + options.format) +
           " --quality " + std::to_string(options.quality);
}

} // namespace tessera
