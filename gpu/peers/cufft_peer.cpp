// cuFFT: the picture padded and cut into planes, real-to-complex transform, product with the kernel's spectrum
// (computed beforehand), and back. Steps before and after the transforms are kernels of this project, since cuFFT has
// none; they count as part of the work.
#include "gpu/peers/fft_tiling.h"
#include "gpu/peers/library.h"
#include "gpu/peers/peer_list.h"
#include "gpu/peers/support.h"

#include <algorithm>
#include <cmath>
#include <cufft.h>

namespace tessera::cuda {

namespace {

struct CufftApi {
    peers::OpenLibrary library;
    decltype(&cufftCreate) create = nullptr;
    decltype(&cufftDestroy) destroy = nullptr;
    decltype(&cufftSetAutoAllocation) setAutoAllocation = nullptr;
    decltype(&cufftMakePlanMany64) makePlan = nullptr;
    decltype(&cufftSetWorkArea) setWorkArea = nullptr;
    decltype(&cufftSetStream) setStream = nullptr;
    decltype(&cufftExecR2C) forward = nullptr;
    decltype(&cufftExecC2R) backward = nullptr;
};

CufftApi openCufft() {
    CufftApi api;
    api.library = peers::openLibrary({"libcufft.so.12", "libcufft.so.11"}, peers::searchPlaces());
    peers::resolve(api.library, "cufftCreate", api.create);
    peers::resolve(api.library, "cufftDestroy", api.destroy);
    peers::resolve(api.library, "cufftSetAutoAllocation", api.setAutoAllocation);
    peers::resolve(api.library, "cufftMakePlanMany64", api.makePlan);
    peers::resolve(api.library, "cufftSetWorkArea", api.setWorkArea);
    peers::resolve(api.library, "cufftSetStream", api.setStream);
    peers::resolve(api.library, "cufftExecR2C", api.forward);
    peers::resolve(api.library, "cufftExecC2R", api.backward);
    return api;
}

const CufftApi &cufft() {
    static const CufftApi &api = *new CufftApi(openCufft()); // needed by whatever is destroyed last
    return api;
}

void checkFft(cufftResult result, const char *call) {
    if (result != CUFFT_SUCCESS)
        throw PeerError("cuFFT refused " + std::string(call) + " (cufftResult " + std::to_string(int(result)) + ")");
}

// Two-dimensional plans over a batch of planes, without work areas of their own.
class FftPlan {
public:
    FftPlan(const TileGrid &tiles, int planes, cufftType type) {
        checkFft(cufft().create(&handle_), "cufftCreate");
        try {
            checkFft(cufft().setAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
            long long sizes[2] = {tiles.height, tiles.width};
            checkFft(cufft().makePlan(handle_, 2, sizes, nullptr, 1, 0, nullptr, 1, 0, type, planes, &workBytes_),
                     "cufftMakePlanMany64");
        } catch (...) {
            cufft().destroy(handle_);
            throw;
        }
    }
    ~FftPlan() { cufft().destroy(handle_); }
    FftPlan(const FftPlan &) = delete;
    FftPlan &operator=(const FftPlan &) = delete;

    std::size_t workBytes() const { return workBytes_; }
    cufftHandle handle() const { return handle_; }

private:
    cufftHandle handle_ = 0;
    std::size_t workBytes_ = 0;
};

// One layout with its plans, its buffers and the kernel's spectrum.
class Transform {
public:
    Transform(const ConvolutionRequest &request, const TileGrid &tiles, StreamView stream)
        : tiles_(tiles), planes_(tiles.count() * request.source.channels), forward_(tiles, planes_, CUFFT_R2C),
          backward_(tiles, planes_, CUFFT_C2R), pairs_(int(std::int64_t(tiles.width / 2 + 1) * tiles.height / 2)) {
        const std::size_t planeBytes = std::size_t(tiles.planeValues()) * sizeof(float);
        const std::size_t spectrumBytes = std::size_t(pairs_) * sizeof(MultiplySpectra::Pair);
        values_.reserve(planeBytes * std::size_t(planes_));
        spectra_.reserve(spectrumBytes * std::size_t(planes_));
        kernel_.reserve(spectrumBytes);
        void *work = work_.reserve(std::max({forward_.workBytes(), backward_.workBytes(), std::size_t(256)}));
        checkFft(cufft().setWorkArea(forward_.handle(), work), "cufftSetWorkArea");
        checkFft(cufft().setWorkArea(backward_.handle(), work), "cufftSetWorkArea");
        prepareKernel(request, stream);
    }

    void run(const ConvolutionRequest &request, StreamView stream) {
        launchScatterTiles(request, tiles_, values_.data(), stream);
        forward(stream);
        launchMultiplySpectra(spectra_.data(), kernel_.data(), pairs_, planes_, stream);
        checkFft(cufft().setStream(backward_.handle(), stream), "cufftSetStream");
        checkFft(cufft().backward(backward_.handle(), static_cast<cufftComplex *>(spectra_.data()),
                                  static_cast<cufftReal *>(values_.data())),
                 "cufftExecC2R");
        launchGatherTiles(request, tiles_, values_.data(), stream);
    }

    const TileGrid &tiles() const { return tiles_; }
    std::size_t bytes() const {
        return values_.capacity() + spectra_.capacity() + kernel_.capacity() + work_.capacity();
    }

private:
    void forward(StreamView stream) {
        checkFft(cufft().setStream(forward_.handle(), stream), "cufftSetStream");
        checkFft(cufft().forward(forward_.handle(), static_cast<cufftReal *>(values_.data()),
                                 static_cast<cufftComplex *>(spectra_.data())),
                 "cufftExecR2C");
    }

    void prepareKernel(const ConvolutionRequest &request, StreamView stream) {
        const std::vector<float> plane = peers::kernelPlane(*request.taps, tiles_, 1.0 / double(tiles_.planeValues()));
        const std::size_t bytes = plane.size() * sizeof(float);
        TESSERA_CUDA_CHECK(cudaMemsetAsync(values_.data(), 0, values_.capacity(), stream));
        TESSERA_CUDA_CHECK(cudaMemcpyAsync(values_.data(), plane.data(), bytes, cudaMemcpyHostToDevice, stream));
        forward(stream);
        TESSERA_CUDA_CHECK(
            cudaMemcpyAsync(kernel_.data(), spectra_.data(), kernel_.capacity(), cudaMemcpyDeviceToDevice, stream));
        TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream)); // `plane` leaves
    }

    TileGrid tiles_;
    int planes_;
    FftPlan forward_, backward_;
    int pairs_; // of complex numbers in one spectrum
    DeviceBuffer values_, spectra_, kernel_, work_;
};

std::string describe(const TileGrid &tiles) {
    const std::string size = std::to_string(tiles.width) + "x" + std::to_string(tiles.height);
    return tiles.count() == 1 ? "one transform of " + size
                              : std::to_string(tiles.count()) + " tiles of " + size + " in one batch";
}

class CufftConvolution final : public PreparedConvolution {
public:
    CufftConvolution(std::span<const ConvolutionRequest> rotation, const std::vector<TileGrid> &layouts,
                     StreamView stream)
        : requests_(rotation.begin(), rotation.end()) {
        double fastest = 1e30;
        std::string failure;
        for (const TileGrid &tiles : layouts) {
            try {
                auto candidate = std::make_unique<Transform>(requests_.front(), tiles, stream);
                const double time =
                    measureRuns([&] { candidate->run(requests_.front(), stream); }, stream, 4 * fastest);
                if (time >= fastest)
                    continue;
                fastest = time;
                transform_ = std::move(candidate);
            } catch (const PeerError &error) {
                failure = error.what();
            } catch (const CudaError &error) {
                if (error.sticky())
                    throw;
                checkQuietly(cudaGetLastError());
                failure = error.what();
            }
        }
        if (!transform_)
            throw PeerError("cuFFT could make no plan for this picture: " + failure);
        choice_.algorithm = describe(transform_->tiles()) + ", the fastest of " + std::to_string(layouts.size());
        choice_.workspaceBytes = transform_->bytes();
        choice_.transforms = true;
        for (ConvolutionRequest &request : requests_)
            request.taps = taps(request);
    }

    void stage(std::size_t, StreamView) override {}
    void run(std::size_t which, StreamView stream) override { transform_->run(requests_.at(which), stream); }
    const PeerChoice &choice() const override { return choice_; }

private:
    // Only their size and anchor are read from here on, and the caller's may be gone.
    const Taps *taps(const ConvolutionRequest &request) {
        if (!taps_)
            taps_ = std::make_unique<Taps>(*request.taps);
        return taps_.get();
    }

    std::vector<ConvolutionRequest> requests_;
    std::unique_ptr<Taps> taps_;
    std::unique_ptr<Transform> transform_;
    PeerChoice choice_;
};

class CufftPeer final : public ConvolutionPeer {
public:
    std::string_view name() const override { return "cufft"; }
    std::string_view title() const override { return "NVIDIA cuFFT"; }
    std::string_view description() const override {
        return "Fourier transform, product, and back: the same time for any kernel size, in one piece or in tiles";
    }
    std::string missing() const override { return cufft().library.missing; }

    std::string refusal(const ConvolutionRequest &request) const override {
        if (!missing().empty())
            return missing();
        if (request.taps == nullptr || request.source.channels != request.target.channels)
            return "cufft needs taps and two pictures of equal channels";
        if (request.target.type != request.source.type && request.target.type != ScalarType::F32 &&
            (request.source.type != ScalarType::F32 || request.target.type == ScalarType::F16))
            return "cufft writes the type that it reads, float32 from any, or integers from float32";
        if (layoutsFor(request).empty())
            return "a picture of " + std::to_string(request.target.width) + "x" +
                   std::to_string(request.target.height) + " is too large for one batch of transforms";
        return {};
    }

    // Each of the two transforms rounds about log2(points) times; the product and the taps' spectrum add a few more.
    double errorBound(const ConvolutionRequest &request, double largest, PeerOptions) const override {
        double points = 4;
        for (const TileGrid &tiles : layoutsFor(request))
            points = std::max(points, double(tiles.planeValues()));
        const double bound = gainOf(request) * largest * (3 * std::log2(points) + 8) * 0x1p-24;
        return request.target.type == ScalarType::F16 ? bound + halfStorageBound(request, largest) : bound;
    }

    std::unique_ptr<PreparedConvolution> prepare(std::span<const ConvolutionRequest> rotation, StreamView stream,
                                                 PeerOptions options) const override {
        checkRotation("cufft", rotation);
        if (const std::string reason = refusal(rotation.front()); !reason.empty())
            throw PeerError(reason);
        if (options.directOnly)
            throw PeerError("cuFFT has no algorithm without a transform");
        return std::make_unique<CufftConvolution>(rotation, layoutsFor(rotation.front()), stream);
    }

private:
    static std::vector<TileGrid> layoutsFor(const ConvolutionRequest &request) {
        constexpr std::int64_t maximumValues = (std::int64_t(1) << 31) - 1;
        return peers::transformLayouts(request.target.width, request.target.height, request.taps->width,
                                       request.taps->height, request.source.channels, maximumValues);
    }
};

} // namespace

const ConvolutionPeer &cufftPeer() {
    static const CufftPeer peer;
    return peer;
}

} // namespace tessera::cuda
