// One function a variant, each in a file of its own so that they compile side by side.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/launch/fused_statistics.h"
#include "gpu/launch/launch_target.h"

namespace tessera::cuda {

void launchNaive(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);
void launchNaiveFloat4(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);
void launchNaiveHalf2(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);
void launchTiled(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);
void launchTiledFloat4(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);
void launchTiledHalf2(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);

void launchBlocked(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);
// Its forms other than patches. False, and nothing is launched, where rows or taps are none that they take; patches, or
// the ladder, must. Float pictures in rows that begin on 16 bytes, parts of them in whole 16 bytes:
bool launchFetchedTile(const ConvolutionRequest &request, const LaunchTarget &target); // up to largestTileSide()
bool launchMarch(const ConvolutionRequest &request, const LaunchTarget &target);     // false too where none is compiled
bool launchLevelTile(const ConvolutionRequest &request, const LaunchTarget &target); // 8-bit pictures
bool launchHalfTile(const ConvolutionRequest &request, const LaunchTarget &target);  // halves
void launchTensor(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);

// Naive, tiled and their forms, with statistics.
void launchNaiveWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                               const StatisticsTargets &targets, StreamView stream);
void launchTiledWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                               const StatisticsTargets &targets, StreamView stream);
void launchBlockedWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                                 const StatisticsTargets &targets, StreamView stream);

// request.factors, or the factors found here; throws CudaError where the taps are no sum of few separable kernels.
// Lays itself out anew, since that depends on where the picture's rows begin.
void launchSeparable(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);

// After a variant that filters all channels alike: gives those that request.channelMask leaves out their source values.
void restoreChannels(const ConvolutionRequest &request, const LaunchTarget &target);

} // namespace tessera::cuda
