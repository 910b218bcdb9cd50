// The options that say what is done to a picture, shared by every command that filters: --filter, --kernel, --border,
// ... They end as steps of the pipeline and a choice of engine.
#pragma once

#include "app/commands/command.h"
#include "app/session/pipeline.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

class FilterOptions {
public:
    OptionGroup chainGroup();  // --filter, --kernel
    OptionGroup kernelGroup(); // how the kernel is laid on the picture
    OptionGroup pixelGroup();  // how the sums become pixels
    OptionGroup engineGroup(); // --variant, --device

    // The chain in the order of the command line. Throws Error{Usage} where a filter's parameters are out of range, or
    // an anchor lies outside a kernel: everything that can be known before a picture is read.
    std::vector<FilterStep> steps() const;

    // "gaussian-sobel": the names of the chain, for file names.
    std::string chainName() const;

    // Of --kernel, where it names files.
    std::vector<std::filesystem::path> kernelFiles() const { return kernelFiles_; }

    // All that decides an output's pixels besides the input, written as options: equal texts, equal outputs. The device
    // is not part of it.
    std::string canonicalText() const;

    OutputDepth depth = OutputDepth::Keep;
    std::string variant = "auto";
    std::string device = "auto";

private:
    struct Link {
        FilterInstance filter;
        std::string fileName; // its part of {filter}
    };

    void addFilter(const std::string &text);
    void addKernel(const std::string &argument);

    std::vector<Link> chain_;
    std::vector<std::filesystem::path> kernelFiles_;
    FilterStep details_; // everything but the filter
    bool divisorAuto_ = false;
};

// Throws Error{Usage} where the engine cannot run a step's kernels (too large for the variant, ...).
void checkEngineTakes(const EngineChoice &choice, const std::vector<FilterStep> &steps);

const char *depthOptionName(OutputDepth depth);

// Also used by tests.
Border parseBorder(const std::string &text);
ChannelSelection parseChannels(const std::string &text);

} // namespace tessera
