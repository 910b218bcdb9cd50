#include "app/commands/bench_options.h"

#include "app/commands/file_roles.h"
#include "app/commands/option_values.h"
#include "app/commands/suggest.h"
#include "app/commands/text.h"
#include "app/filters/kernel.h"

#include <algorithm>
#include <string_view>

namespace tessera {

namespace {

std::vector<std::string> listOf(std::string_view option, const std::string &text) {
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        if (end == begin)
            throw Error(ErrorKind::Usage, std::string(option) + " does not take " + inQuotes(text),
                        "items separated by single commas");
        items.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return items;
}

template <class T> void addOnce(std::vector<T> &list, const T &item) {
    if (std::ranges::find(list, item) == list.end())
        list.push_back(item);
}

std::pair<int, int> kernelSize(const std::string &text) {
    const auto [width, height] =
        text.find('x') != std::string::npos
            ? parseExtent("--kernel-sizes", text)
            : std::pair(int(parseInteger("--kernel-sizes", text, 1, ConvolutionKernel::maximumSide)),
                        int(parseInteger("--kernel-sizes", text, 1, ConvolutionKernel::maximumSide)));
    if (std::max(width, height) > ConvolutionKernel::maximumSide)
        throw Error(ErrorKind::Usage, "--kernel-sizes does not take " + inQuotes(text),
                    "sides of 1 to " + std::to_string(ConvolutionKernel::maximumSide));
    return {width, height};
}

const PixelKind &pixelKind(const std::string &text) {
    if (const PixelKind *kind = bench::findBenchPixelKind(text))
        return *kind;
    std::vector<std::string> names;
    for (const PixelKind &kind : bench::benchPixelKinds())
        names.emplace_back(kind.name);
    throw Error(ErrorKind::Usage, "--pixel does not take " + inQuotes(text), suggestion(text, names));
}

std::string suitesHelp() {
    std::string text =
        "A standard set of sizes, kernels and pixels; --size and --pixel put others in the place of its own:";
    for (const std::string &suite : bench::suiteNames())
        text += "\n" + suite + ": " + std::string(bench::suiteDescription(suite));
    return text;
}

} // namespace

std::vector<OptionGroup> BenchOptions::groups() {
    return {workGroup(), kernelGroup(), contenderGroup(), measureGroup(), outputGroup()};
}

void BenchOptions::checkFiles() const {
    std::vector<NamedFile> inputs, outputs;
    if (image_)
        inputs.push_back({"--image", *image_});
    // Today's JSON may take yesterday's place: a baseline is a report of ours, and read before it is replaced.
    if (baseline && !(jsonFile && sameFile(*jsonFile, *baseline)))
        inputs.push_back({"--baseline", *baseline});
    for (const std::filesystem::path &kernel : filters_.kernelFiles())
        inputs.push_back({"--kernel", kernel});
    if (jsonFile && *jsonFile != "-")
        outputs.push_back({"--json", *jsonFile});
    if (csvFile && *csvFile != "-")
        outputs.push_back({"--csv", *csvFile});
    refuseSharedFiles(inputs, outputs);
}

OptionGroup BenchOptions::workGroup() {
    const auto takeSizes = [this](const std::string &text) {
        for (const std::string &item : listOf("--size", text))
            addOnce(sizes_, parseExtent("--size", item));
    };
    const auto takePixels = [this](const std::string &text) {
        for (const std::string &item : listOf("--pixel", text))
            if (const PixelKind &kind = pixelKind(item);
                std::ranges::find(pixels_, kind.name, &PixelKind::name) == pixels_.end())
                pixels_.push_back(kind);
    };
    return {"What is measured",
            {{"--size", "WxH[,WxH...]",
              "Sizes of the pictures. Default 4096x4096 with a CUDA device, 2048x2048 without.", takeSizes, true},
             {"--image", "FILE", "Time on this picture, at its size. Results are checked on random data all the same.",
              [this](const std::string &text) { image_ = text; }},
             {"--pixel", "KIND[,KIND...]",
              "f32, f16, u8, u16 for one channel, rgba32f, rgba16f, rgba8, rgba16 for four, rgb8 for three (the CPU, "
              "and whole calls). Default f32, or what the picture is.",
              takePixels, true},
             {"--suite", "NAME", suitesHelp(), [this](const std::string &text) {
                  const std::vector<std::string> &names = bench::suiteNames();
                  if (std::ranges::find(names, text) == names.end())
                      throw Error(ErrorKind::Usage, "--suite does not take " + inQuotes(text), suggestion(text, names));
                  suite_ = text;
              }}}};
}

OptionGroup BenchOptions::kernelGroup() {
    OptionGroup group{
        "Its kernel",
        {{"--kernel-sizes", "N[,N...]", "Random kernels of full rank and these sides, or WxH. Default 3,5,7,9,15.",
          [this](const std::string &text) {
              for (const std::string &item : listOf("--kernel-sizes", text))
                  addOnce(kernelSizes_, kernelSize(item));
          },
          true}}};
    for (Option &option : filters_.chainGroup().options) {
        option.repeatable = false;
        if (option.names == "--filter")
            option.help = "A filter with its parameters instead; 'tessera filters' lists them.";
        option.take = [this, take = option.take](const std::string &text) {
            filterGiven_ = true;
            take(text);
        };
        group.options.push_back(std::move(option));
    }
    for (Option &option : filters_.kernelGroup().options)
        if (option.names == "--flip" || option.names == "--anchor") {
            option.take = [this, name = option.names, take = option.take](const std::string &text) {
                placement_ = placement_.value_or(name);
                take(text);
            };
            group.options.push_back(std::move(option));
        }
    group.options.push_back({"--border", "MODE",
                             "What lies outside the picture: zero, constant:V, replicate, reflect, reflect101 or wrap. "
                             "Default zero, the textbook 'same'.",
                             [this](const std::string &text) { border_ = parseBorder(text); }});
    return group;
}

OptionGroup BenchOptions::contenderGroup() {
    const auto takeVariants = [this](const std::string &text) {
        for (const std::string &item : listOf("--variants", text))
            if (item != "all")
                addOnce(variants_, item);
    };
    return {"Who takes part",
            {{"--variants", "NAME[,NAME...]|all",
              "Which implementations; 'tessera variants' lists them. Default all that the devices have.", takeVariants,
              true},
             {"--peers", "", "The vendors' libraries as well, where they are found.",
              [this](const std::string &) { peers_ = true; }},
             {"--device", "auto|cpu|cuda:N|all",
              "auto: the first CUDA device and the CPU. A named device that is missing is an error.",
              [this](const std::string &text) { device_ = text; }}}};
}

OptionGroup BenchOptions::measureGroup() {
    const auto takeScopes = [this](const std::string &text) {
        for (const std::string &item : listOf("--scope", text))
            addOnce(scopes_, bench::Scope(parseChoice("--scope", item, {"kernel", "call", "end_to_end"})));
    };
    return {"How it is measured",
            {{"--scope", "NAME[,NAME...]",
              "kernel: on the device's clock; call: from the call until the result is there, data where the "
              "implementation wants it; end_to_end: from host memory to host memory. Default all that apply.",
              takeScopes, true},
             {"--cache", "cold|hot|both",
              "cold: between two runs on the same buffers four times the last cache's size went through others. "
              "Default both, each in a table of its own; from end to end with a GPU, cold.",
              [this](const std::string &text) {
                  const std::size_t choice = parseChoice("--cache", text, {"cold", "hot", "both"});
                  caches_.clear();
                  if (choice != 1)
                      caches_.push_back(bench::CacheState::Cold);
                  if (choice != 0)
                      caches_.push_back(bench::CacheState::Hot);
              }},
             {"--samples", "N",
              "Samples of each contender at least; more where the median is not yet sure, fewer where its time is up. "
              "Default 100.",
              [this](const std::string &text) { samples_ = int(parseInteger("--samples", text, 1, 1'000'000)); }},
             {"--budget", "SECONDS", "Time for one contender in one table. Default 5.",
              [this](const std::string &text) {
                  budgetSeconds_ = parseReal("--budget", text);
                  if (*budgetSeconds_ <= 0)
                      throw Error(ErrorKind::Usage, "--budget does not take " + inQuotes(text), "seconds, more than 0");
              }},
             {"--seed", "N", "Of the random data. Default: another one each time, which the report names.",
              [this](const std::string &text) {
                  seed_ = std::uint64_t(parseInteger("--seed", text, 0, std::int64_t(1) << 62));
              }}}};
}

OptionGroup BenchOptions::outputGroup() {
    return {
        "Reports",
        {{"--json", "FILE", "Write the report as JSON; -: to standard output, instead of the table.",
          [this](const std::string &text) { jsonFile = text; }},
         {"--csv", "FILE", "Write the rows as CSV.", [this](const std::string &text) { csvFile = text; }},
         {"--baseline", "FILE",
          "Compare with an earlier JSON report and name what really changed: intervals apart, by over 1 %.",
          [this](const std::string &text) { baseline = text; }},
         {"--overwrite", "", "Replace report files that exist.", [this](const std::string &) { overwrite = true; }}}};
}

} // namespace tessera
