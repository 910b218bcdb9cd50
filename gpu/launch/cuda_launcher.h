// Kernels on the GPU, behind functions that plain C++ can call; the only <<<>>> stands in gpu/launch/cuda_launcher.cuh.
// All of them return once the work is queued on `stream` and throw CudaError where the launch is refused.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/kernels/reduce.h"
#include "gpu/launch/fused_statistics.h"
#include "gpu/launch/launch_target.h"

#include <cstddef>

namespace tessera::cuda {

// Runs the plan's variant.
void launchConvolution(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);

// The same together with the output's statistics; see fused_statistics.h.
void launchConvolutionWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                                     const StatisticsTargets &targets, StreamView stream);

// Two or three interleaved channels to four (new ones are 0) and back in one type; and any to 1 or 4 float channels.
void launchRepack(const RawView &source, const RawView &target, StreamView stream);

// The totals of `source` (1 or 4 channels) in one read. `partial` holds `blocks` rows of one ChannelTotals a channel;
// all of them are written, and their sum is the picture's. statisticsBlocks() suits the current device.
void launchStatistics(const RawView &source, void *partial, int blocks, StreamView stream,
                      float threshold = largestValue<float>());
std::size_t statisticsBytes(ScalarType type, int channels, int blocks);
int statisticsBlocks(ScalarType type, int channels);

// Adds to `counts`: a row of 256 or 65,536 counters a channel and, for four channels, one of luminance (see Histogram).
// U8 and U16, 1 or 4 channels. The launch takes as many blocks as suit the device; where its shared memory is small, at
// least `blocks`. The picture's totals follow from the counts: totalsOfLevels() of gpu/kernels/level_totals.h.
void launchHistogram(const RawView &source, unsigned long long *counts, int blocks, StreamView stream);

// Both; of 8-bit pictures in one read.
void launchHistogramAndStatistics(const RawView &source, unsigned long long *counts, void *partial, int blocks,
                                  StreamView stream, float threshold = largestValue<float>());

} // namespace tessera::cuda
