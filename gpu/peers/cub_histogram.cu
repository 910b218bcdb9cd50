// cub's DeviceHistogram, a part of the CUDA toolkit that is compiled in.
#include "gpu/peers/peer_list.h"

#include <cub/device/device_histogram.cuh>
#include <limits>

namespace tessera::cuda {

namespace {

constexpr int levels = 257; // boundaries of 256 bins

cudaError_t count(void *workspace, std::size_t &bytes, const HistogramRequest &request, StreamView stream) {
    const RawView &source = request.source;
    const auto *samples = static_cast<const unsigned char *>(source.data);
    if (source.channels == 1)
        return cub::DeviceHistogram::HistogramEven(workspace, bytes, samples, request.counts, levels, 0, 256,
                                                   source.width, source.height, std::size_t(source.pitch), stream);
        // Toolkits before 13.0 have only the overload for plain arrays, which 13.0 would rather not see used.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    unsigned *histograms[4];
    int boundaries[4], lowest[4], highest[4];
    for (int c = 0; c < 4; ++c) {
        histograms[c] = request.counts + 256 * c;
        boundaries[c] = levels;
        lowest[c] = 0;
        highest[c] = 256;
    }
    return cub::DeviceHistogram::MultiHistogramEven<4, 4>(workspace, bytes, samples, histograms, boundaries, lowest,
                                                          highest, source.width, source.height,
                                                          std::size_t(source.pitch), stream);
#pragma GCC diagnostic pop
}

class CubHistogram final : public PreparedHistogram {
public:
    CubHistogram(std::span<const HistogramRequest> rotation, StreamView stream)
        : requests_(rotation.begin(), rotation.end()) {
        TESSERA_CUDA_CHECK(count(nullptr, bytes_, requests_.front(), stream));
        workspace_.reserve(bytes_);
        run(0, stream);
        TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
        choice_.algorithm =
            "cub::DeviceHistogram, CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION);
        choice_.workspaceBytes = workspace_.capacity();
    }

    void run(std::size_t which, StreamView stream) override {
        std::size_t bytes = bytes_;
        TESSERA_CUDA_CHECK(count(workspace_.data(), bytes, requests_.at(which), stream));
    }

    const PeerChoice &choice() const override { return choice_; }

private:
    std::vector<HistogramRequest> requests_;
    std::size_t bytes_ = 0;
    DeviceBuffer workspace_;
    PeerChoice choice_;
};

class CubHistogramPeer final : public HistogramPeer {
public:
    std::string_view name() const override { return "cub"; }
    std::string_view title() const override { return "NVIDIA CUB"; }
    std::string_view description() const override { return "the CUDA toolkit's histogram"; }
    std::string missing() const override { return {}; }

    std::string refusal(const HistogramRequest &request) const override {
        const RawView &source = request.source;
        if (source.type != ScalarType::U8 || (source.channels != 1 && source.channels != 4))
            return "cub counts 8-bit pictures of 1 or 4 channels here";
        if (source.pitch * source.height > std::numeric_limits<int>::max())
            return "cub counts pictures of less than 2 GiB here";
        return {};
    }

    std::unique_ptr<PreparedHistogram> prepare(std::span<const HistogramRequest> rotation,
                                               StreamView stream) const override {
        if (rotation.empty())
            throw PeerError("cub was given nothing to prepare");
        if (const std::string reason = refusal(rotation.front()); !reason.empty())
            throw PeerError(reason);
        return std::make_unique<CubHistogram>(rotation, stream);
    }
};

} // namespace

const HistogramPeer &cubHistogramPeer() {
    static const CubHistogramPeer peer;
    return peer;
}

} // namespace tessera::cuda
