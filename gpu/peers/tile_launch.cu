#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/peers/support.h"
#include "gpu/peers/tile_launch.h"

namespace tessera::cuda {

void launchCopyBordered(const ConvolutionRequest &request, const RawView &target, int left, int top,
                        StreamView stream) {
    const CudaLauncher launcher(stream);
    copyBordered(launcher, request, target, left, top);
}

void launchScatterTiles(const ConvolutionRequest &request, const TileGrid &tiles, void *planes, StreamView stream) {
    const CudaLauncher launcher(stream);
    scatterTiles(launcher, request, tiles, planes);
}

void launchMultiplySpectra(void *spectra, const void *kernel, int pairs, int planes, StreamView stream) {
    const CudaLauncher launcher(stream);
    multiplySpectra(launcher, spectra, kernel, pairs, planes);
}

void launchGatherTiles(const ConvolutionRequest &request, const TileGrid &tiles, const void *planes,
                       StreamView stream) {
    const CudaLauncher launcher(stream);
    gatherTiles(launcher, request, tiles, planes);
}

} // namespace tessera::cuda
