// What the peers share: which jobs a plain library can take, copies that hold a border, and the timing of candidates.
#pragma once

#include "gpu/peers/peer.h"
#include "gpu/peers/tile_launch.h"

#include <functional>

namespace tessera::cuda {

// ---- questions about a job; pure ----

// Why no library can do it: an offset, a response, channels left alone, types that differ, a shape that does not fit.
// `name` begins the sentence.
std::string plainJobRefusal(std::string_view name, const ConvolutionRequest &request);

// The output is the whole picture, so that a library's own border can serve.
bool coversWholePicture(const ConvolutionRequest &request);

// Every tap of every output lies inside the source: no border is needed.
bool readsOnlyInside(const ConvolutionRequest &request);

// Sum of |tap| over |divisor|.
double gainOf(const ConvolutionRequest &request);

// The taps with the divisor taken in, row by row, for libraries that divide by nothing.
std::vector<float> dividedTaps(const ConvolutionRequest &request);

// The error of float32 sums in any order: every product, addition and the divided tap round once.
double floatSumBound(const ConvolutionRequest &request, double largest);

// Half storage on top: the output is rounded to 11 bits and, below 2^-14, to multiples of 2^-24.
double halfStorageBound(const ConvolutionRequest &request, double largest);

// Throws PeerError unless all requests are alike but for their memory.
void checkRotation(std::string_view name, std::span<const ConvolutionRequest> rotation);

// ---- copies made beforehand ----

// The footprint of a request's outputs, border included: output (x, y) reads the taps' window whose corner is at
// origin + (x, y).
class StagedFootprint {
public:
    // `alignment`, in bytes: where the first output's own pixel and every row start; 0: rows packed without gaps.
    StagedFootprint(const ConvolutionRequest &request, int alignment);
    void fill(const ConvolutionRequest &request, StreamView stream) const;
    const RawView &picture() const { return picture_; }
    int marginX() const { return marginX_; } // columns before the first output's own
    int marginY() const { return marginY_; }

private:
    DeviceBuffer memory_;
    RawView picture_;
    int marginX_ = 0;
    int marginY_ = 0;
};

// ---- choosing by measurement ----

// Milliseconds of the fastest of a few runs, after one that warms up; it ends early where that one took over
// `hopeless`. Ends synchronised.
double measureRuns(const std::function<void()> &run, StreamView stream, double hopeless);

// ---- launches of gpu/kernels/tiles.h ----

void launchCopyBordered(const ConvolutionRequest &request, const RawView &target, int left, int top, StreamView stream);
void launchScatterTiles(const ConvolutionRequest &request, const TileGrid &tiles, void *planes, StreamView stream);
void launchMultiplySpectra(void *spectra, const void *kernel, int pairs, int planes, StreamView stream);
void launchGatherTiles(const ConvolutionRequest &request, const TileGrid &tiles, const void *planes, StreamView stream);

} // namespace tessera::cuda
