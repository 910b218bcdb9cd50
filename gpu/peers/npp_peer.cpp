// NPP: nppiFilterBorder and, on copies that hold their border, nppiFilter; the faster of the two is taken.
#include "gpu/peers/npp_functions.h"
#include "gpu/peers/peer_list.h"
#include "gpu/peers/support.h"

#include <algorithm>

namespace tessera::cuda {

namespace {

// NPP's own border is the replicated one, of a whole picture. Kernels larger than the picture are left to the copy.
bool ownBorderServes(const ConvolutionRequest &request) {
    return request.border.mode == BorderMode::Replicate && coversWholePicture(request) &&
           request.taps->width <= request.source.width && request.taps->height <= request.source.height;
}

class NppConvolution final : public PreparedConvolution {
public:
    NppConvolution(std::span<const ConvolutionRequest> rotation, StreamView stream)
        : requests_(rotation.begin(), rotation.end()) {
        const ConvolutionRequest &first = requests_.front();
        const NppFilterPair &pair = nppFilters().of(first.source.type, first.source.channels);
        const bool inside = readsOnlyInside(first);
        staged_ = !inside && !ownBorderServes(first);
        if (staged_)
            for (const ConvolutionRequest &request : requests_) {
                footprints_.emplace_back(request, 128);
                footprints_.back().fill(request, stream);
            }
        taps_.reserve(std::size_t(first.taps->count()) * sizeof(float));
        std::vector<Candidate> candidates{{&pair.bordered, pair.borderedName}};
        if (staged_ || inside)
            candidates.push_back({&pair.plain, pair.plainName});
        choose(candidates, first, stream);
        choice_.workspaceBytes = taps_.capacity();
        if (staged_)
            choice_.note = std::string("reads a copy with its ") + std::string(borderName(first.border.mode)) +
                           " border, made beforehand: NPP's own border is the replicated one";
        for (ConvolutionRequest &request : requests_) // the taps are on the device now
            request.taps = nullptr;
    }

    void stage(std::size_t which, StreamView stream) override {
        if (!staged_)
            return;
        ConvolutionRequest request = requests_.at(which);
        request.taps = nullptr;
        footprints_.at(which).fill(request, stream);
    }

    void run(std::size_t which, StreamView stream) override {
        const ConvolutionRequest &request = requests_.at(which);
        const RawView &source = staged_ ? footprints_.at(which).picture() : request.source;
        const int x = staged_ ? footprints_.at(which).marginX() : request.originX;
        const int y = staged_ ? footprints_.at(which).marginY() : request.originY;
        const std::ptrdiff_t pixelBytes = scalarBytes(source.type) * source.channels;
        if (context_.hStream != stream || !contextMade_) {
            context_ = nppContext(stream);
            contextMade_ = true;
        }
        NppFilterCall call;
        call.source = static_cast<const std::byte *>(source.data) + y * source.pitch + x * pixelBytes;
        call.sourceStep = int(source.pitch);
        call.sourceSize = {source.width, source.height};
        call.sourceOffset = {x, y};
        call.target = request.target.data;
        call.targetStep = int(request.target.pitch);
        call.region = {request.target.width, request.target.height};
        call.taps = static_cast<const Npp32f *>(taps_.data());
        call.tapsSize = tapsSize_;
        call.anchor = anchor_;
        call.context = context_;
        checkNpp((*chosen_.filter)(call), chosen_.name);
    }

    const PeerChoice &choice() const override { return choice_; }

private:
    struct Candidate {
        const NppFilter *filter = nullptr;
        const char *name = "";
    };

    void choose(const std::vector<Candidate> &candidates, const ConvolutionRequest &first, StreamView stream) {
        Candidate best;
        double fastest = 1e30;
        std::string failure;
        for (const Candidate &candidate : candidates) {
            try {
                setUp(candidate, first, stream);
                const double time = measureRuns([&] { run(0, stream); }, stream, 4 * fastest);
                if (time < fastest) {
                    fastest = time;
                    best = candidate;
                }
            } catch (const PeerError &error) {
                failure = error.what();
                checkQuietly(cudaGetLastError()); // a refused launch is no news for the next call
            }
        }
        if (!best.filter)
            throw PeerError(failure);
        setUp(best, first, stream);
        choice_.algorithm = best.name;
    }

    // The function and its taps, as it wants them.
    void setUp(const Candidate &candidate, const ConvolutionRequest &request, StreamView stream) {
        chosen_ = candidate;
        const NppConvention convention = probeNpp(*candidate.filter, candidate.name, request, stream);
        std::vector<float> taps = dividedTaps(request);
        if (convention.tapsReversed)
            std::reverse(taps.begin(), taps.end());
        const Taps &asked = *request.taps;
        tapsSize_ = {asked.width, asked.height};
        anchor_ = convention.anchorFromEnd
                      ? NppiPoint{asked.width - 1 - asked.anchorX, asked.height - 1 - asked.anchorY}
                      : NppiPoint{asked.anchorX, asked.anchorY};
        choice_.rounding = convention.rounding;
        TESSERA_CUDA_CHECK(
            cudaMemcpyAsync(taps_.data(), taps.data(), taps.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
        TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
    }

    std::vector<ConvolutionRequest> requests_;
    std::vector<StagedFootprint> footprints_;
    bool staged_ = false;
    DeviceBuffer taps_;
    NppiSize tapsSize_{};
    NppiPoint anchor_{};
    Candidate chosen_;
    NppStreamContext context_{};
    bool contextMade_ = false;
    PeerChoice choice_;
};

class NppPeer final : public ConvolutionPeer {
public:
    std::string_view name() const override { return "npp"; }
    std::string_view title() const override { return "NVIDIA NPP"; }
    std::string_view description() const override { return "the vendor's image library: direct sums of one pass"; }
    std::string missing() const override { return nppFilters().library.missing; }

    std::string refusal(const ConvolutionRequest &request) const override {
        return missing().empty() ? plainJobRefusal(name(), request) : missing();
    }

    double errorBound(const ConvolutionRequest &request, double largest, PeerOptions) const override {
        const double bound = floatSumBound(request, largest);
        return request.target.type == ScalarType::F16 ? bound + halfStorageBound(request, largest) : bound;
    }

    std::unique_ptr<PreparedConvolution> prepare(std::span<const ConvolutionRequest> rotation, StreamView stream,
                                                 PeerOptions) const override {
        checkRotation(name(), rotation);
        if (const std::string reason = refusal(rotation.front()); !reason.empty())
            throw PeerError(reason);
        return std::make_unique<NppConvolution>(rotation, stream);
    }
};

} // namespace

const ConvolutionPeer &nppPeer() {
    static const NppPeer peer;
    return peer;
}

} // namespace tessera::cuda
