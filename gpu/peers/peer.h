// Vendors' libraries as contenders on the GPU: the same job through NPP, cuDNN, cuFFT and cub, each at its best
// settings.
//
// A peer is asked for its refusal, then prepares a job: buffers and plans are allocated and algorithms searched there,
// so that run() holds nothing but the work itself. Libraries are opened when the program runs; where one is missing,
// its peer says so in missing() and refuses everything.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/launch/convolution.h"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cuda {

// A vendor's library refused a call: which, and what the library says of it. The GPU stays usable.
class PeerError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// How a peer's integer outputs come from its sums.
enum class Rounding : std::uint8_t { NearestEven, HalfUp, Truncated };

// What a prepared job came out as: for tables and notes.
struct PeerChoice {
    std::string algorithm; // "engine 28 of 14 tried, 0.42 ms": what was taken, and from how many
    std::string note;      // what happens outside run(), "reads a zero-padded copy made beforehand"; may be empty
    std::size_t workspaceBytes = 0;
    bool transforms = false;                   // FFT, Winograd: with fewer operations than the definition's
    Rounding rounding = Rounding::NearestEven; // of integer outputs; Truncated: up to one level lower than exact
};

// Handles and buffers belong to this object. It may move from thread to thread, but serves one at a time.
class PreparedConvolution {
public:
    virtual ~PreparedConvolution() = default;

    // Makes the copy of the source that choice().note speaks of; nothing where the library reads the source itself.
    // prepare() has done it once; call it again when pixels changed. Queued on `stream`, no part of the library's work.
    virtual void stage(std::size_t which, StreamView stream) = 0;

    // Queues the whole convolution of request `which` on `stream`. Throws PeerError or CudaError.
    virtual void run(std::size_t which, StreamView stream) = 0;

    virtual const PeerChoice &choice() const = 0;
};

struct PeerOptions {
    // Only algorithms that add up the products themselves, not FFT or Winograd: whole numbers then come out exactly.
    bool directOnly = false;
    // How many candidates are timed, in the order in which the library recommends them; 0: all of them.
    std::size_t mostCandidates = 0;
};

class ConvolutionPeer {
public:
    virtual ~ConvolutionPeer() = default;

    virtual std::string_view name() const = 0;        // "npp"
    virtual std::string_view title() const = 0;       // "NVIDIA NPP"
    virtual std::string_view description() const = 0; // one line
    // Why the peer is not there, a sentence without a final stop; empty where it is. Opens the library the first time.
    virtual std::string missing() const = 0;

    // Why it cannot do this job; empty where it can. Looks, runs nothing. Some refusals only a library itself knows:
    // prepare() then throws PeerError.
    virtual std::string refusal(const ConvolutionRequest &request) const = 0;

    // The largest error of an output before it is rounded, against exact arithmetic, for source values of at most
    // `largest` in magnitude.
    virtual double errorBound(const ConvolutionRequest &request, double largest, PeerOptions options = {}) const = 0;

    // `rotation`: one request or several of the same shape, types, border and taps on different memory (a benchmark
    // rotates through more memory than the cache holds). Sources must hold their pixels; targets may be written. Taps
    // are read here and not later. Ends synchronised with `stream`. Throws PeerError or CudaError.
    virtual std::unique_ptr<PreparedConvolution> prepare(std::span<const ConvolutionRequest> rotation,
                                                         StreamView stream, PeerOptions options = {}) const = 0;
};

// In a fixed order, also those that are missing: npp, cudnn, cufft.
const std::vector<const ConvolutionPeer *> &convolutionPeers();
const ConvolutionPeer *findConvolutionPeer(std::string_view name); // nullptr where there is no such name

// ---- histograms ----

// Counts of each channel's 256 levels: `counts` is device memory for channels * 256 words, channel by channel. run()
// overwrites it.
struct HistogramRequest {
    RawView source; // U8, 1 or 4 channels
    unsigned *counts = nullptr;
};

class PreparedHistogram {
public:
    virtual ~PreparedHistogram() = default;
    virtual void run(std::size_t which, StreamView stream) = 0;
    virtual const PeerChoice &choice() const = 0;
};

class HistogramPeer {
public:
    virtual ~HistogramPeer() = default;
    virtual std::string_view name() const = 0; // "cub"
    virtual std::string_view title() const = 0;
    virtual std::string_view description() const = 0;
    virtual std::string missing() const = 0;
    virtual std::string refusal(const HistogramRequest &request) const = 0;
    virtual std::unique_ptr<PreparedHistogram> prepare(std::span<const HistogramRequest> rotation,
                                                       StreamView stream) const = 0;
};

// cub, then npp.
const std::vector<const HistogramPeer *> &histogramPeers();

} // namespace tessera::cuda
