// NPP's HistogramEven, in libnppist.
#include "gpu/peers/npp_functions.h"
#include "gpu/peers/peer_list.h"

#include <array>
#include <nppi_statistics_functions.h>

namespace tessera::cuda {

namespace {

struct HistogramApi {
    peers::OpenLibrary library;
    decltype(&nppiHistogramEven_8u_C1R_Ctx) one = nullptr;
    decltype(&nppiHistogramEvenGetBufferSize_8u_C1R_Ctx) oneBytes = nullptr;
    decltype(&nppiHistogramEven_8u_C4R_Ctx) four = nullptr;
    decltype(&nppiHistogramEvenGetBufferSize_8u_C4R_Ctx) fourBytes = nullptr;
};

HistogramApi openHistogram() {
    HistogramApi api;
    api.library = openNpp({"libnppist.so.13", "libnppist.so.12"});
    peers::resolve(api.library, "nppiHistogramEven_8u_C1R_Ctx", api.one);
    peers::resolve(api.library, "nppiHistogramEvenGetBufferSize_8u_C1R_Ctx", api.oneBytes);
    peers::resolve(api.library, "nppiHistogramEven_8u_C4R_Ctx", api.four);
    peers::resolve(api.library, "nppiHistogramEvenGetBufferSize_8u_C4R_Ctx", api.fourBytes);
    return api;
}

const HistogramApi &api() {
    static const HistogramApi opened = openHistogram();
    return opened;
}

std::array<int, 4> four(int value) { return {value, value, value, value}; }

class NppHistogram final : public PreparedHistogram {
public:
    NppHistogram(std::span<const HistogramRequest> rotation, StreamView stream)
        : requests_(rotation.begin(), rotation.end()) {
        const RawView &source = requests_.front().source;
        const NppiSize region{source.width, source.height};
        std::size_t bytes = 0;
        if (source.channels == 1) {
            checkNpp(api().oneBytes(region, levels, &bytes, nppContext(stream)), "nppiHistogramEvenGetBufferSize");
        } else {
            std::array<int, 4> counts = four(levels);
            checkNpp(api().fourBytes(region, counts.data(), &bytes, nppContext(stream)),
                     "nppiHistogramEvenGetBufferSize");
        }
        workspace_.reserve(bytes);
        run(0, stream);
        TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
        choice_.algorithm = source.channels == 1 ? "nppiHistogramEven_8u_C1R_Ctx" : "nppiHistogramEven_8u_C4R_Ctx";
        choice_.workspaceBytes = workspace_.capacity();
    }

    void run(std::size_t which, StreamView stream) override {
        if (!contextMade_ || context_.hStream != stream) {
            context_ = nppContext(stream);
            contextMade_ = true;
        }
        const HistogramRequest &request = requests_.at(which);
        const auto *pixels = static_cast<const Npp8u *>(request.source.data);
        auto *workspace = static_cast<Npp8u *>(workspace_.data());
        auto *counts = reinterpret_cast<Npp32s *>(request.counts);
        const int step = int(request.source.pitch);
        const NppiSize region{request.source.width, request.source.height};
        if (request.source.channels == 1) {
            checkNpp(api().one(pixels, step, region, counts, levels, 0, 256, workspace, context_), "nppiHistogramEven");
            return;
        }
        std::array<Npp32s *, 4> rows{counts, counts + 256, counts + 512, counts + 768};
        std::array<int, 4> boundaries = four(levels), lowest = four(0), highest = four(256);
        checkNpp(api().four(pixels, step, region, rows.data(), boundaries.data(), lowest.data(), highest.data(),
                            workspace, context_),
                 "nppiHistogramEven");
    }

    const PeerChoice &choice() const override { return choice_; }

private:
    static constexpr int levels = 257; // boundaries of 256 bins

    std::vector<HistogramRequest> requests_;
    DeviceBuffer workspace_;
    NppStreamContext context_{};
    bool contextMade_ = false;
    PeerChoice choice_;
};

class NppHistogramPeer final : public HistogramPeer {
public:
    std::string_view name() const override { return "npp"; }
    std::string_view title() const override { return "NVIDIA NPP"; }
    std::string_view description() const override { return "the vendor's image library: HistogramEven"; }
    std::string missing() const override { return api().library.missing; }

    std::string refusal(const HistogramRequest &request) const override {
        if (!missing().empty())
            return missing();
        const RawView &source = request.source;
        return source.type == ScalarType::U8 && (source.channels == 1 || source.channels == 4)
                   ? ""
                   : "npp counts 8-bit pictures of 1 or 4 channels here";
    }

    std::unique_ptr<PreparedHistogram> prepare(std::span<const HistogramRequest> rotation,
                                               StreamView stream) const override {
        if (rotation.empty())
            throw PeerError("npp was given nothing to prepare");
        if (const std::string reason = refusal(rotation.front()); !reason.empty())
            throw PeerError(reason);
        return std::make_unique<NppHistogram>(rotation, stream);
    }
};

} // namespace

const HistogramPeer &nppHistogramPeer() {
    static const NppHistogramPeer peer;
    return peer;
}

} // namespace tessera::cuda
