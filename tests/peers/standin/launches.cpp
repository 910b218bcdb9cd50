// The launches that the peers and their engine variants make, by the simulator.
#include "gpu/launch/cuda_launcher.h"
#include "gpu/peers/peer_list.h"
#include "gpu/peers/support.h"
#include "gpu/sim/sim_launcher.h"

namespace tessera::cuda {

void launchCopyBordered(const ConvolutionRequest &request, const RawView &target, int left, int top, StreamView) {
    sim::SimLauncher launcher;
    copyBordered(launcher, request, target, left, top);
}
void launchScatterTiles(const ConvolutionRequest &request, const TileGrid &tiles, void *planes, StreamView) {
    sim::SimLauncher launcher;
    scatterTiles(launcher, request, tiles, planes);
}
void launchMultiplySpectra(void *spectra, const void *kernel, int pairs, int planes, StreamView) {
    sim::SimLauncher launcher;
    multiplySpectra(launcher, spectra, kernel, pairs, planes);
}
void launchGatherTiles(const ConvolutionRequest &request, const TileGrid &tiles, const void *planes, StreamView) {
    sim::SimLauncher launcher;
    gatherTiles(launcher, request, tiles, planes);
}
void launchConvolution(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &) {
    sim::SimLauncher launcher;
    launchVariant(launcher, plan, request);
}

const HistogramPeer &cubHistogramPeer() { // compiled for the GPU alone
    class Missing final : public HistogramPeer {
    public:
        std::string_view name() const override { return "cub"; }
        std::string_view title() const override { return "cub"; }
        std::string_view description() const override { return "not in the stand-in"; }
        std::string missing() const override { return "cub needs a GPU"; }
        std::string refusal(const HistogramRequest &) const override { return missing(); }
        std::unique_ptr<PreparedHistogram> prepare(std::span<const HistogramRequest>, StreamView) const override {
            throw PeerError(missing());
        }
    };
    static const Missing peer;
    return peer;
}

} // namespace tessera::cuda
