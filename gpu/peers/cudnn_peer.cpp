// cuDNN through its graph interface: every plan that its heuristics propose is timed on the job itself, and the fastest
// that is exact enough is taken. Float32 stays float32 (plans that use tensor cores, which round to TF32, are left
// out); halves are summed in float32, on tensor cores where cuDNN wants to.
#include "gpu/launch/cuda_launcher.h"
#include "gpu/peers/cudnn_graph.h"
#include "gpu/peers/peer_list.h"
#include "gpu/peers/support.h"

#include <algorithm>
#include <cmath>

namespace tessera::cuda {

namespace {

bool ownBorderServes(const ConvolutionRequest &request) {
    return request.border.mode == BorderMode::Zero && coversWholePicture(request);
}

bool usesTransform(const CudnnPlan &plan) {
    return plan.has(CUDNN_NUMERICAL_NOTE_FFT) || plan.has(CUDNN_NUMERICAL_NOTE_WINOGRAD);
}

// Plans that round more than plain sums do are taken only where a comparison finds them exact enough.
bool mustProve(const CudnnPlan &plan) { return usesTransform(plan) || plan.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE); }

bool allowed(const CudnnPlan &plan, ScalarType type, PeerOptions options) {
    if (plan.has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION))
        return false;
    if (type == ScalarType::F32 &&
        (plan.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) || plan.has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS)))
        return false;
    return !options.directOnly || !usesTransform(plan);
}

std::string describe(const CudnnPlan &plan, std::size_t tried) {
    const std::size_t version = cudnn().version();
    std::string text = "engine " + std::to_string(plan.engine);
    if (plan.has(CUDNN_NUMERICAL_NOTE_WINOGRAD))
        text += " (Winograd)";
    else if (plan.has(CUDNN_NUMERICAL_NOTE_FFT))
        text += " (FFT)";
    else if (plan.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE))
        text += " (tensor cores)";
    if (plan.channelsLast)
        text += ", channels last";
    return text + ", the fastest of " + std::to_string(tried) + " plans, cuDNN " + std::to_string(version / 10000) +
           "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

// Interleaved channels are groups: each has a filter of its own. With one channel, the strides can be read as channels
// first or last; cuDNN has other engines for either.
CudnnConvolution shapeOf(const ConvolutionRequest &request, const RawView &source, bool ownBorder, bool channelsLast) {
    const std::int64_t scalar = scalarBytes(source.type);
    const std::int64_t channels = source.channels;
    const Taps &taps = *request.taps;
    const auto strides = [&](const RawView &picture, std::int64_t rows) {
        const std::int64_t row = picture.pitch / scalar;
        return std::array<std::int64_t, 4>{rows * row, channelsLast ? 1 : rows * row, row, channels};
    };
    CudnnConvolution job;
    job.channelsLast = channelsLast;
    job.type = source.type == ScalarType::F16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
    const std::int64_t outWidth = request.target.width;
    const std::int64_t outHeight = request.target.height;
    job.ySize = {1, channels, outHeight, outWidth};
    job.yStride = strides(request.target, outHeight);
    job.xSize = ownBorder
                    ? job.ySize
                    : std::array<std::int64_t, 4>{1, channels, outHeight + taps.height - 1, outWidth + taps.width - 1};
    job.xStride = strides(source, job.xSize[2]);
    job.wSize = {channels, 1, taps.height, taps.width};
    job.wStride = {taps.count(), channelsLast ? 1 : taps.count(), taps.width, 1};
    if (ownBorder) {
        job.padBefore = {taps.anchorY, taps.anchorX};
        job.padAfter = {taps.height - 1 - taps.anchorY, taps.width - 1 - taps.anchorX};
    }
    return job;
}

// Some rows of a picture as doubles.
std::vector<double> sampledRows(const RawView &picture) {
    constexpr int most = 64;
    const int rows = std::min(most, picture.height);
    const std::size_t values = std::size_t(picture.width) * std::size_t(picture.channels);
    const std::size_t bytes = values * std::size_t(scalarBytes(picture.type));
    std::vector<double> samples;
    std::vector<std::byte> row(bytes);
    for (int i = 0; i < rows; ++i) {
        const std::ptrdiff_t y = rows == 1 ? 0 : std::ptrdiff_t(i) * (picture.height - 1) / (rows - 1);
        TESSERA_CUDA_CHECK(cudaMemcpy(row.data(), static_cast<const std::byte *>(picture.data) + y * picture.pitch,
                                      bytes, cudaMemcpyDeviceToHost));
        for (std::size_t k = 0; k < values; ++k)
            samples.push_back(picture.type == ScalarType::F16
                                  ? double(float(reinterpret_cast<const Half *>(row.data())[k]))
                                  : double(reinterpret_cast<const float *>(row.data())[k]));
    }
    return samples;
}

class CudnnConvolutionJob final : public PreparedConvolution {
public:
    CudnnConvolutionJob(std::span<const ConvolutionRequest> rotation, StreamView stream, PeerOptions options)
        : requests_(rotation.begin(), rotation.end()), taps_(*rotation.front().taps) {
        for (ConvolutionRequest &request : requests_)
            request.taps = &taps_;
        const ConvolutionRequest &first = requests_.front();
        const bool inside = readsOnlyInside(first);
        const bool ownBorder = !inside && ownBorderServes(first);
        if (!inside && !ownBorder) {
            for (const ConvolutionRequest &request : requests_) {
                footprints_.emplace_back(request, 0);
                footprints_.back().fill(request, stream);
            }
            choice_.note = std::string("reads a copy with its ") + std::string(borderName(first.border.mode)) +
                           " border, made beforehand: cuDNN's own border is zero";
        }
        uploadTaps(first, stream);
        std::vector<CudnnPlan> plans;
        for (const bool channelsLast : {false, true}) {
            if (!channelsLast && first.source.channels > 1)
                continue;
            CudnnConvolution job = shapeOf(first, sourceOf(0), ownBorder, channelsLast);
            job.alignment = commonAlignment();
            std::ranges::move(proposedPlans(handle_, job), std::back_inserter(plans));
        }
        choose(std::move(plans), first, stream, options);
    }

    void stage(std::size_t which, StreamView stream) override {
        if (!footprints_.empty())
            footprints_.at(which).fill(requests_.at(which), stream);
    }

    void run(std::size_t which, StreamView stream) override {
        checkCudnn(cudnn().setStream(handle_.get(), stream), "cudnnSetStream");
        checkCudnn(cudnn().execute(handle_.get(), plan_->plan.get(), packs_.at(which).get()), "cudnnBackendExecute");
    }

    const PeerChoice &choice() const override { return choice_; }

private:
    // What x describes; its data is where the first output's window begins.
    RawView sourceOf(std::size_t which) const {
        if (!footprints_.empty())
            return footprints_[which].picture();
        const ConvolutionRequest &request = requests_[which];
        RawView source = request.source;
        if (readsOnlyInside(request)) {
            const std::ptrdiff_t pixelBytes = scalarBytes(source.type) * source.channels;
            source.data = static_cast<std::byte *>(source.data) + (request.originY - taps_.anchorY) * source.pitch +
                          (request.originX - taps_.anchorX) * pixelBytes;
        }
        return source;
    }

    std::int64_t commonAlignment() const {
        std::uintptr_t bits = 64;
        for (std::size_t i = 0; i < requests_.size(); ++i)
            bits |= reinterpret_cast<std::uintptr_t>(sourceOf(i).data) |
                    reinterpret_cast<std::uintptr_t>(requests_[i].target.data);
        return std::int64_t(bits & (~bits + 1)); // the lowest bit set
    }

    void uploadTaps(const ConvolutionRequest &request, StreamView stream) {
        const std::vector<float> one = dividedTaps(request);
        std::vector<float> floats;
        for (int c = 0; c < request.source.channels; ++c)
            floats.insert(floats.end(), one.begin(), one.end());
        std::vector<Half> halves;
        for (const float tap : floats)
            halves.push_back(Half(tap));
        const bool half = request.source.type == ScalarType::F16;
        const void *data = half ? static_cast<const void *>(halves.data()) : floats.data();
        const std::size_t bytes = floats.size() * (half ? sizeof(Half) : sizeof(float));
        TESSERA_CUDA_CHECK(cudaMemcpyAsync(weights_.reserve(bytes), data, bytes, cudaMemcpyHostToDevice, stream));
        TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
    }

    void use(const CudnnPlan &plan) {
        plan_ = &plan;
        void *workspace = plan.workspaceBytes > 0 ? workspace_.reserve(std::size_t(plan.workspaceBytes)) : nullptr;
        packs_.clear();
        for (std::size_t i = 0; i < requests_.size(); ++i)
            packs_.push_back(variantPack(sourceOf(i).data, weights_.data(), requests_[i].target.data, workspace));
    }

    void choose(std::vector<CudnnPlan> plans, const ConvolutionRequest &first, StreamView stream, PeerOptions options) {
        std::size_t freeBytes = 0, allBytes = 0;
        TESSERA_CUDA_CHECK(cudaMemGetInfo(&freeBytes, &allBytes));
        std::vector<std::pair<double, std::size_t>> times;
        double fastest = 1e30;
        std::string failure = "cuDNN proposes no plan for this job";
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (options.mostCandidates > 0 && times.size() >= options.mostCandidates)
                break;
            if (!allowed(plans[i], first.source.type, options) ||
                std::size_t(plans[i].workspaceBytes) > freeBytes / 2) {
                failure = "cuDNN proposes no plan of full precision that fits into memory";
                continue;
            }
            try {
                use(plans[i]);
                times.emplace_back(measureRuns([&] { run(0, stream); }, stream, 4 * fastest), i);
                fastest = std::min(fastest, times.back().first);
            } catch (const PeerError &error) {
                failure = error.what();
                checkQuietly(cudaGetLastError()); // a refused launch is no news for the next call
            } catch (const CudaError &error) {
                if (error.sticky())
                    throw;
                failure = error.what();
                checkQuietly(cudaGetLastError());
            }
        }
        std::ranges::sort(times);
        for (const auto &[time, index] : times) {
            if (mustProve(plans[index]) && !exactEnough(plans[index], first, stream))
                continue;
            chosen_ = std::make_unique<CudnnPlan>(std::move(plans[index]));
            break;
        }
        if (!chosen_)
            throw PeerError(failure);
        workspace_.release(); // another plan's may have been larger
        use(*chosen_);
        choice_.algorithm = describe(*chosen_, times.size());
        choice_.workspaceBytes = workspace_.capacity();
        choice_.transforms = usesTransform(*chosen_);
    }

    // Against this project's own kernel: the relative error that float32 variants promise, or what halves can keep.
    bool exactEnough(const CudnnPlan &plan, const ConvolutionRequest &first, StreamView stream) {
        use(plan);
        run(0, stream);
        DeviceBuffer memory;
        ConvolutionRequest request = first;
        request.target.type = ScalarType::F32;
        request.target.pitch = std::ptrdiff_t(4) * first.target.channels * first.target.width;
        request.target.data = memory.reserve(std::size_t(request.target.pitch) * std::size_t(request.target.height));
        launchConvolution(planConvolution(KernelVariant::Naive, tessera::shapeOf(request), {}).plan, request, stream);
        TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
        const std::vector<double> expected = sampledRows(request.target);
        const std::vector<double> actual = sampledRows(first.target);
        double error = 0, norm = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            error += (expected[i] - actual[i]) * (expected[i] - actual[i]);
            norm += expected[i] * expected[i];
        }
        const double tolerance = first.target.type == ScalarType::F16 ? 2e-3 : 1e-5;
        return std::sqrt(error) <= tolerance * std::sqrt(norm);
    }

    std::vector<ConvolutionRequest> requests_;
    Taps taps_;
    CudnnHandle handle_;
    std::vector<StagedFootprint> footprints_;
    DeviceBuffer weights_, workspace_;
    std::vector<Descriptor> packs_;
    std::unique_ptr<CudnnPlan> chosen_;
    const CudnnPlan *plan_ = nullptr;
    PeerChoice choice_;
};

class CudnnPeer final : public ConvolutionPeer {
public:
    std::string_view name() const override { return "cudnn"; }
    std::string_view title() const override { return "NVIDIA cuDNN"; }
    std::string_view description() const override {
        return "the vendor's library for neural networks: a convolution layer of one channel, its own search for the "
               "algorithm, no TF32";
    }
    std::string missing() const override { return cudnn().library.missing; }

    std::string refusal(const ConvolutionRequest &request) const override {
        if (!missing().empty())
            return missing();
        if (request.source.type == ScalarType::U8 || request.source.type == ScalarType::U16)
            return "cudnn takes float32 and half pictures, not integers";
        if (const std::string reason = plainJobRefusal(name(), request); !reason.empty())
            return reason;
        const std::ptrdiff_t scalar = scalarBytes(request.source.type);
        if (request.source.pitch % scalar != 0 || request.target.pitch % scalar != 0)
            return "cudnn needs rows that start at whole values";
        return {};
    }

    // Winograd and FFT plans are taken only where they keep to 1e-5 in the mean; single values may be further off.
    double errorBound(const ConvolutionRequest &request, double largest, PeerOptions options) const override {
        const double direct = floatSumBound(request, largest);
        const double bound = options.directOnly ? direct : std::max(direct, 2e-5 * gainOf(request) * largest);
        if (request.source.type != ScalarType::F16)
            return bound;
        // The taps become halves, too.
        return bound + 2 * halfStorageBound(request, largest) + largest * request.taps->count() * 0x1p-25;
    }

    std::unique_ptr<PreparedConvolution> prepare(std::span<const ConvolutionRequest> rotation, StreamView stream,
                                                 PeerOptions options) const override {
        checkRotation(name(), rotation);
        if (const std::string reason = refusal(rotation.front()); !reason.empty())
            throw PeerError(reason);
        return std::make_unique<CudnnConvolutionJob>(rotation, stream, options);
    }
};

} // namespace

const ConvolutionPeer &cudnnPeer() {
    static const CudnnPeer peer;
    return peer;
}

} // namespace tessera::cuda
