#include "gpu/peers/peer.h"
#include "gpu/peers/peer_list.h"

#include <algorithm>

namespace tessera::cuda {

namespace {

// Stands where a library's headers were not found when the program was built.
class [[maybe_unused]] ConvolutionPeerLeftOut final : public ConvolutionPeer {
public:
    ConvolutionPeerLeftOut(const char *name, const char *title) : name_(name), title_(title) {}

    std::string_view name() const override { return name_; }
    std::string_view title() const override { return title_; }
    std::string_view description() const override { return "left out of this build"; }
    std::string missing() const override {
        return std::string(name_) + ": not built in: its headers were not found when this program was built";
    }
    std::string refusal(const ConvolutionRequest &) const override { return missing(); }
    double errorBound(const ConvolutionRequest &, double, PeerOptions) const override { return 0; }
    std::unique_ptr<PreparedConvolution> prepare(std::span<const ConvolutionRequest>, StreamView,
                                                 PeerOptions) const override {
        throw PeerError(missing());
    }

private:
    const char *name_;
    const char *title_;
};

} // namespace

#if !defined(TESSERA_WITH_NPP)
const ConvolutionPeer &nppPeer() {
    static const ConvolutionPeerLeftOut peer("npp", "NVIDIA NPP");
    return peer;
}
#endif
#if !defined(TESSERA_WITH_CUDNN)
const ConvolutionPeer &cudnnPeer() {
    static const ConvolutionPeerLeftOut peer("cudnn", "NVIDIA cuDNN");
    return peer;
}
#endif
#if !defined(TESSERA_WITH_CUFFT)
const ConvolutionPeer &cufftPeer() {
    static const ConvolutionPeerLeftOut peer("cufft", "NVIDIA cuFFT");
    return peer;
}
#endif

const std::vector<const ConvolutionPeer *> &convolutionPeers() {
    static const std::vector<const ConvolutionPeer *> peers{&nppPeer(), &cudnnPeer(), &cufftPeer()};
    return peers;
}

const ConvolutionPeer *findConvolutionPeer(std::string_view name) {
    const auto &peers = convolutionPeers();
    const auto found = std::ranges::find(peers, name, &ConvolutionPeer::name);
    return found == peers.end() ? nullptr : *found;
}

const std::vector<const HistogramPeer *> &histogramPeers() {
    static const std::vector<const HistogramPeer *> peers {
        &cubHistogramPeer(),
#if defined(TESSERA_WITH_NPP)
            &nppHistogramPeer(),
#endif
    };
    return peers;
}

} // namespace tessera::cuda
