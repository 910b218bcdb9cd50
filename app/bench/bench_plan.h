// What a benchmark is to measure, as a value: made from the command line or from the name of a standard set.
#pragma once

#include "app/bench/protocol.h"
#include "app/bench/workload.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::bench {

struct KernelChoice {
    std::string name; // "random", "gaussian:sigma=2"
    int width = 0, height = 0;
    std::vector<double> taps;       // divided; empty: random ones of this size
    int anchorX = -1, anchorY = -1; // -1: the middle

    static KernelChoice random(int side) { return {"random", side, side, {}, -1, -1}; }
    static KernelChoice gaussian(int side); // of the sigma whose three-fold is just inside it
    ConvolutionKernel kernel() const;       // of the taps
    static KernelChoice of(const ConvolutionKernel &kernel, std::string name);
};

// Everything in it with everything else.
struct ConvolutionPart {
    std::vector<std::pair<int, int>> sizes;
    std::vector<KernelChoice> kernels;
    std::vector<PixelKind> pixels;
    std::vector<Scope> scopes;
    std::vector<CacheState> caches;
    bool withStatistics = false; // GPU kernels that count their output's statistics take part as well
};

struct StatisticsPart {
    std::vector<std::pair<int, int>> sizes;
    std::vector<PixelKind> pixels;
    std::vector<std::string> distributions;
    std::vector<Scope> scopes;
    std::vector<CacheState> caches;
};

struct BenchPlan {
    std::string version; // of the program, for the report
    std::string suite;   // empty: none
    std::vector<ConvolutionPart> convolutions;
    std::vector<StatisticsPart> statistics;
    Border border{BorderMode::Zero, 0};
    std::shared_ptr<const PixelBlock> picture; // timed instead of random data; the one size and pixel type then are its
    std::vector<std::string> variants;         // empty: all
    bool peers = false;
    std::string device = "auto";
    bool gpuOnly = false; // no host engines beside a GPU, and no way without one
    ProtocolSettings protocol;
    std::uint64_t seed = 0;
};

// gpu, cpu, small, histogram, separable, large.
const std::vector<std::string> &suiteNames();
// What each holds, for help pages: "dense kernels of 3 to 31 ...".
std::string_view suiteDescription(std::string_view suite);

// `gpu`: a CUDA device takes part. Sizes, scopes and time budgets follow from it.
void applySuite(BenchPlan &plan, std::string_view suite, bool gpu);

// Without a suite: what is asked for with the defaults filled in.
std::vector<Scope> defaultScopes(bool gpu);

} // namespace tessera::bench
