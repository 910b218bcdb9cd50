#include "app/bench/device_peers.h"

#include "app/bench/algorithm.h"
#include "app/engines/kernel_variants.h"
#include "gpu/peers/peer.h"

namespace tessera::bench {

namespace {

std::string noteOf(const cuda::PeerChoice &choice) {
    return choice.algorithm + (choice.algorithm.empty() || choice.note.empty() ? "" : "; ") + choice.note;
}

class PeerContender final : public DeviceConvolution {
public:
    PeerContender(const cuda::ConvolutionPeer &peer, const Engine &engine, Scope wanted,
                  std::shared_ptr<const ConvolutionTask> task, std::shared_ptr<DeviceSession> session,
                  std::shared_ptr<DevicePictures> pictures)
        : DeviceConvolution(std::string(peer.name()), engine, wanted, std::move(task), std::move(session),
                            std::move(pictures)),
          peer_(peer), taps_(tapsFrom(workload().kernel)) {
        for (int set = 0; set < rotations(); ++set)
            requests_.push_back(deviceRequest(this->pictures(), set, workload(), taps_));
        stated.absolute = peer.errorBound(requests_.front(), nominalMaximum(depthOf(workload().pixel.type)));
        dense = countsDenseWork(name, workload());
    }

    void run(int rotation) override { prepared_->run(std::size_t(rotation), session().stream()); }

protected:
    // A library may work on a copy of the source made beforehand: whenever the source changes, so must that.
    void load(const PixelBlock &picture) override {
        DeviceConvolution::load(picture);
        if (!prepared_)
            prepare();
        for (std::size_t set = 0; set < requests_.size(); ++set)
            prepared_->stage(set, session().stream());
        finish();
    }

private:
    void prepare() {
        try {
            prepared_ = peer_.prepare(requests_, session().stream());
        } catch (const cuda::PeerError &error) {
            throw CannotTakePart(error.what());
        }
        note = noteOf(prepared_->choice());
        dense = dense && !prepared_->choice().transforms;
        if (workload().pixel.type != ScalarType::F32 && prepared_->choice().rounding == cuda::Rounding::Truncated)
            stated.absolute += 0.5; // on top of the half that rounding to nearest is granted
    }

    const cuda::ConvolutionPeer &peer_;
    Taps taps_;
    std::vector<ConvolutionRequest> requests_;
    std::unique_ptr<cuda::PreparedConvolution> prepared_;
};

class PeerHistogram final : public DeviceStatistics {
public:
    PeerHistogram(const cuda::HistogramPeer &peer, std::string deviceId, Scope wanted,
                  std::shared_ptr<const StatisticsTask> task, std::shared_ptr<DeviceSession> session,
                  std::shared_ptr<DevicePictures> pictures)
        : DeviceStatistics(std::string(peer.name()), std::move(deviceId), wanted, StatisticsKind::Histogram,
                           std::move(task), std::move(session), std::move(pictures)),
          peer_(peer) {}

    void run(int rotation) override { prepared_->run(std::size_t(rotation), session().stream()); }

protected:
    void prepare() override {
        DeviceStatistics::prepare();
        TESSERA_CUDA_CHECK(cudaMemset(counts_.reserve(countBytes()), 0xa5, countBytes()));
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
        std::vector<cuda::HistogramRequest> requests;
        for (int set = 0; set < rotations(); ++set)
            requests.push_back({pictures().source(set), static_cast<unsigned *>(counts_.data())});
        try {
            prepared_ = peer_.prepare(requests, session().stream());
        } catch (const cuda::PeerError &error) {
            throw CannotTakePart(error.what());
        }
        note = noteOf(prepared_->choice());
    }

    std::vector<ChannelCounts> fetch() override {
        std::vector<unsigned> counts(countBytes() / sizeof(unsigned));
        TESSERA_CUDA_CHECK(cudaMemcpy(counts.data(), counts_.data(), countBytes(), cudaMemcpyDeviceToHost));
        std::vector<ChannelCounts> found(std::size_t(task().picture.pixel.channels));
        for (std::size_t c = 0; c < found.size(); ++c)
            found[c].histogram.assign(counts.begin() + std::ptrdiff_t(256 * c),
                                      counts.begin() + std::ptrdiff_t(256 * (c + 1)));
        return found;
    }

private:
    std::size_t countBytes() const { return std::size_t(task().picture.pixel.channels) * 256 * sizeof(unsigned); }

    const cuda::HistogramPeer &peer_;
    cuda::DeviceBuffer counts_;
    std::unique_ptr<cuda::PreparedHistogram> prepared_;
};

// All with --peers, whichever variants are named beside them; without, those that are named.
template <class Peer> bool isWanted(const Peer &peer, const ContenderWish &wish) {
    return wish.peers || (!wish.variants.empty() && wish.wants(peer.name()));
}

} // namespace

Contenders peerContenders(const std::shared_ptr<DeviceSession> &session, const Engine &engine,
                          const std::shared_ptr<const ConvolutionTask> &task, const ContenderWish &wish,
                          const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut) {
    Contenders contenders;
    if (!tapsFit(task->workload)) {
        if (wish.peers)
            leftOut.push_back({"vendors' libraries",
                               engine.deviceId(),
                               {},
                               "they get taps of at most " + std::to_string(maximumTapsSide) + " a side here"});
        return contenders;
    }
    const Taps taps = tapsFrom(task->workload.kernel);
    const ConvolutionRequest request = deviceRequest(*pictures, 0, task->workload, taps);
    for (const cuda::ConvolutionPeer *peer : cuda::convolutionPeers()) {
        if (!isWanted(*peer, wish))
            continue;
        std::string refusal = peer->missing();
        const bool missing = !refusal.empty();
        if (!missing)
            refusal = peer->refusal(request);
        if (!refusal.empty()) {
            leftOut.push_back({std::string(peer->name()), engine.deviceId(), missing ? "altogether" : "", refusal});
            continue;
        }
        for (const Scope scope : {Scope::Kernel, Scope::Call})
            if (wish.wants(scope))
                contenders.push_back(std::make_unique<PeerContender>(*peer, engine, scope, task, session, pictures));
    }
    return contenders;
}

Contenders peerStatisticsContenders(const std::shared_ptr<DeviceSession> &session, const std::string &deviceId,
                                    const std::shared_ptr<const StatisticsTask> &task, const ContenderWish &wish,
                                    const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut) {
    Contenders contenders;
    const cuda::HistogramRequest request{pictures->source(0), nullptr};
    for (const cuda::HistogramPeer *peer : cuda::histogramPeers()) {
        std::string refusal = peer->missing();
        const bool missing = !refusal.empty();
        if (!missing)
            refusal = peer->refusal(request);
        if (!refusal.empty()) {
            leftOut.push_back({std::string(peer->name()), deviceId, missing ? "altogether" : "", refusal});
            continue;
        }
        for (const Scope scope : {Scope::Kernel, Scope::Call})
            if (wish.wants(scope))
                contenders.push_back(std::make_unique<PeerHistogram>(*peer, deviceId, scope, task, session, pictures));
    }
    return contenders;
}

} // namespace tessera::bench
