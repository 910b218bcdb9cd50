// The options of `tessera bench`, and the plan that they come to.
#pragma once

#include "app/bench/bench_plan.h"
#include "app/commands/command.h"
#include "app/commands/filter_options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

class BenchOptions {
public:
    std::vector<OptionGroup> groups();

    // Throws Error{Usage} where a report would be written over a file that is read, or over the other report.
    void checkFiles() const;

    // Everything that can be known before anything is measured. Throws Error: Usage, Input for a picture that cannot be
    // read, Device where what is asked for is not there, Limit where the pictures do not fit in memory.
    bench::BenchPlan plan(Console &console) const;

    // "-": standard output, instead of the table.
    std::optional<std::filesystem::path> jsonFile, csvFile, baseline;
    bool overwrite = false;

private:
    OptionGroup workGroup();
    OptionGroup kernelGroup();
    OptionGroup contenderGroup();
    OptionGroup measureGroup();
    OptionGroup outputGroup();

    void refuseContradictions() const;
    void takeWork(bench::BenchPlan &plan, bool gpu, Console &console) const;
    void takePicture(bench::ConvolutionPart &part, bench::BenchPlan &plan, bool gpu) const;
    template <class Part> void narrow(Part &part) const; // to what was named
    std::vector<bench::KernelChoice> kernels(Console &console) const;

    FilterOptions filters_;
    bool filterGiven_ = false;
    std::optional<std::string> placement_; // the first of --flip and --anchor, which only a kernel of one's own has
    std::vector<std::pair<int, int>> sizes_;
    std::optional<std::filesystem::path> image_;
    std::vector<std::pair<int, int>> kernelSizes_;
    std::vector<PixelKind> pixels_;
    std::optional<Border> border_;
    std::string suite_;
    std::vector<std::string> variants_;
    bool peers_ = false;
    std::string device_ = "auto";
    std::vector<bench::Scope> scopes_;
    std::vector<bench::CacheState> caches_;
    std::optional<int> samples_;
    std::optional<double> budgetSeconds_;
    std::optional<std::uint64_t> seed_;
};

} // namespace tessera
