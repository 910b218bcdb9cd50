// An engine runs one convolution. All engines keep one contract, tested by one suite (tests/app/engine_contract_test):
// the same picture for the same job, to rounding.
//
// NaN and infinities. An output is reached by one that lies, in the picture or its border, within the smallest square
// around it that holds the kernel's rectangle, of an odd side from 3 on (squareOf() in reach.h). Such an output is the
// sum over the taps that are not 0, or it is not finite: engines need not know the zeros of a kernel, may add some
// around it, and may take it apart. All other outputs are as exact as ever. In integer targets a NaN becomes 0, and
// infinities the ends of the range.
#pragma once

#include "app/core/run_control.h"
#include "app/filters/kernel.h"
#include "app/image/image.h"
#include "app/stats/level_counts.h"
#include "gpu/image/border.h"
#include "gpu/image/finish.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// What `auto` may take. Float32: variants as exact as float sums of all taps. Level: such as stay within one level of
// exact integers as well, for 8- and 16-bit pictures.
enum class Precision { Float32, Level };

// One convolution. `source` is the whole picture, `region` the part of the output wanted; target has the region's
// size, the source's channel count, and any depth. Values keep the source's units whatever the target's depth: a
// conversion of depth (8 to 16 bit) is the pipeline's business.
struct ConvolutionJob {
    ConstPixelView source;
    PixelView target;
    Rectangle region; // in the source's coordinates; {0, 0, width, height} for all of it
    const ConvolutionKernel *kernel = nullptr;
    Border border;
    Finish finish;              // divisor and offset are taken from here, already resolved, not from the kernel
    unsigned channelMask = ~0u; // bit c: channel c is filtered; others are copied (converted with saturation)
    std::string_view variant;   // one of variants(), or empty for the engine's own choice
    // Where `source` is consecutive rows of a taller picture: its first row's number there (negative where that wraps
    // around) and the picture's height. 0: it is the whole picture. They decide how a result is computed, and so its
    // last bits, never what goes into it.
    int firstRow = 0, pictureHeight = 0;
    Precision precision = Precision::Float32; // that the engine's own choice must have
    bool timesApart = false;       // computing and transfers are to be timed each by itself: they may not overlap
    LevelCounts *counts = nullptr; // takes the finished target's levels, of engines that countLevels(); else untouched
};

// Milliseconds. Empty where the engine does not know them apart. Of a picture that went in bands sums of all of them,
// which overlap unless job.timesApart.
struct RunTimes {
    std::optional<double> kernelMs; // the computation alone
    std::optional<double> copyMs;   // transfers to and from the device
    double totalMs = 0;             // from the call to the finished target
    std::string variant;            // what ran
    std::string plan;               // how it was computed and why, a line for those who ask; may be empty
    std::string note;               // what the user should be told: what fell back; mostly empty
    // Each output's rounding is relative to its own terms. False where some of what lies around gets in, as by a
    // Fourier transform: little beside the picture's values, and yet more than nothing where the terms are next to
    // nothing.
    bool roundsLocally = true;
};

// Of parts that one after the other make a whole; empty where one of them is not known.
inline std::optional<double> sumOfTimes(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

struct VariantInfo {
    std::string name;        // "tiled"
    std::string title;       // "Tiled, shared memory"
    std::string description; // one line: what its predecessor wastes and what it changes
};

enum class DeviceKind { Cpu, Simulator, Cuda };

class Engine {
public:
    virtual ~Engine() = default;

    virtual std::string_view name() const = 0; // "cuda", "sim", "opencv", "cpu"
    virtual DeviceKind deviceKind() const = 0;
    virtual std::string deviceId() const = 0;   // as in --device: "cpu", "sim", "cuda:0"
    virtual std::string deviceName() const = 0; // "NVIDIA H200", the processor's name
    virtual std::vector<VariantInfo> variants() const = 0;
    virtual bool choosesByJob() const { return false; } // of its variants, where none is named; else the first
    virtual bool isLost() const { return false; }       // a device that failed for good: it refuses every job

    // Does beforehand what the first jobs of `threads` threads would else wait for, which cannot be cancelled. May take
    // a few tenths of a second; what fails will fail again, and be told, in a job.
    virtual void prepare(int threads) noexcept { static_cast<void>(threads); }

    // Why `variant` cannot run this job (kernel too large, ...); empty where it can. Cheap: looks, runs nothing.
    virtual std::string refusal(const ConvolutionJob &job) const = 0;

    // The largest error of an output before it is rounded, against exact arithmetic, that job.variant promises for
    // source values of at most `largest` in magnitude. The default is that of float32 sums in any order.
    virtual double errorBound(const ConvolutionJob &job, double largest) const;

    // The part of the output, job.region and perhaps more, also outside of the source, that convolve() computes. What
    // goes into the rest of it shows in the last bits of the region, and has to be there. Looks at sizes alone.
    virtual Rectangle computedArea(const ConvolutionJob &job) const { return job.region; }

    // How many copies of the picture as floats, at most, convolve() holds on the host beside source and target.
    virtual int workingCopies() const { return 1; }

    // Whether convolve() fills job.counts on the way, for less than counting the finished picture takes.
    virtual bool countsLevels(const ConvolutionJob &) const { return false; }

    // Safe to call from several threads at once on different targets. Throws Error: Usage where refusal() is not
    // empty, Cancelled, Device where the device was lost.
    virtual RunTimes convolve(const ConvolutionJob &job, const RunControl &control) = 0;
};

// ---- the registry (app/engines/registry.cpp) ----

// Every engine that can run on this machine: CUDA devices first, then cpu, opencv, sim. Made once, kept for the
// process. A machine without a driver simply has no CUDA engines.
const std::vector<std::shared_ptr<Engine>> &availableEngines();

struct EngineChoice {
    std::shared_ptr<Engine> engine;
    std::string variant;    // never empty
    std::string reason;     // one line for the log: what was taken and why
    bool automatic = false; // no variant was named: the engine may take another for a job that this one refuses
    Precision precision = Precision::Float32; // where it is
    bool fallBack = true; // where the device is lost the CPU takes over; else the caller gets the Error{Device}
};

// `device`: auto, cpu, sim, cuda or cuda:N. `variant`: auto, auto:precision=float32|level or a name. Throws
// Error{Device} where a named device is missing (exit 4), Error{Usage} where the variant does not exist or does not run
// on that device, naming where it does.
EngineChoice chooseEngine(std::string_view variant, std::string_view device);

} // namespace tessera
