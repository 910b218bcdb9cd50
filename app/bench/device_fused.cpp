#include "app/bench/device_fused.h"

#include "app/bench/algorithm.h"
#include "app/engines/kernel_variants.h"
#include "gpu/launch/cuda_launcher.h"

#include <cmath>

namespace tessera::bench {

namespace {

class FusedContender final : public DeviceConvolution {
public:
    FusedContender(const std::string &variant, const FusedPlan &plan, const Engine &engine, Scope wanted,
                   std::shared_ptr<const ConvolutionTask> task, std::shared_ptr<DeviceSession> session,
                   std::shared_ptr<DevicePictures> pictures)
        : DeviceConvolution(variant + "+statistics", engine, wanted, std::move(task), std::move(session),
                            std::move(pictures)),
          plan_(plan), taps_(tapsFrom(workload().kernel)) {
        stated = statedErrorOf(engine, workload(), variant);
        unit = arithmeticUnitOf(variant);
        dense = countsDenseWork(variant, workload());
        TESSERA_CUDA_CHECK(cudaMemset(partial_.reserve(partialBytes()), 0xa5, partialBytes()));
        TESSERA_CUDA_CHECK(cudaMemset(counts_.reserve(countBytes()), 0xa5, countBytes()));
        scratch_.reserve(plan.scratchBytes);
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
    }

    void run(int rotation) override {
        const cuda::StreamView stream = session().stream();
        if (countBytes() > 0)
            TESSERA_CUDA_CHECK(cudaMemsetAsync(counts_.data(), 0, countBytes(), stream));
        cuda::launchConvolutionWithStatistics(plan_, deviceRequest(pictures(), rotation, workload(), taps_),
                                              {partial_.data(), static_cast<unsigned long long *>(counts_.data()),
                                               largestValue<float>(), scratch_.data()},
                                              stream);
    }

    // The picture as everywhere, then the sums of the very picture that came out.
    CheckResult check() override {
        CheckResult result = DeviceConvolution::check();
        if (!result.failure.empty())
            return result;
        PixelBlock picture(workload().pixel, workload().width, workload().height);
        fetch(picture);
        switch (workload().pixel.type) {
        case ScalarType::U8:
            result.failure = wrongSums<std::uint8_t>(picture);
            break;
        case ScalarType::U16:
            result.failure = wrongSums<std::uint16_t>(picture);
            break;
        default:
            result.failure = wrongSums<float>(picture);
        }
        return result;
    }

private:
    int channels() const { return workload().pixel.channels; }
    std::size_t partialBytes() const {
        return cuda::statisticsBytes(workload().pixel.type, channels(), plan_.partialRows);
    }
    std::size_t countBytes() const {
        const std::size_t rows = channels() == 1 ? 1 : std::size_t(channels()) + 1;
        const std::size_t levels = workload().pixel.type == ScalarType::U8    ? 256
                                   : workload().pixel.type == ScalarType::U16 ? 65536
                                                                              : 0;
        return rows * levels * sizeof(unsigned long long);
    }

    template <class T> std::string wrongSums(const PixelBlock &picture) {
        std::vector<ChannelTotals<T>> partial(partialBytes() / sizeof(ChannelTotals<T>));
        TESSERA_CUDA_CHECK(cudaMemcpy(partial.data(), partial_.data(), partialBytes(), cudaMemcpyDeviceToHost));
        for (int channel = 0; channel < channels(); ++channel) {
            auto found = ChannelTotals<T>::identity(), expected = found;
            for (std::size_t i = std::size_t(channel); i < partial.size(); i += std::size_t(channels()))
                found.merge(partial[i]);
            for (int y = 0; y < picture.height; ++y) {
                const T *row = reinterpret_cast<const T *>(picture.row(y));
                for (int x = 0; x < picture.width; ++x)
                    expected.add(row[x * channels() + channel]);
            }
            const double difference = std::fabs(double(found.sum) - double(expected.sum));
            if (difference > (std::is_integral_v<T> ? 0.0 : 1e-9 * double(expected.sumOfSquares) + 1e-9) ||
                found.minimum != expected.minimum || found.maximum != expected.maximum ||
                found.finite != expected.finite)
                return "the statistics of channel " + std::to_string(channel) + " are not those of its output";
        }
        return {};
    }

    FusedPlan plan_;
    Taps taps_;
    cuda::DeviceBuffer partial_, counts_, scratch_;
};

} // namespace

Contenders fusedContenders(const std::shared_ptr<DeviceSession> &session, const Engine &engine,
                           const std::shared_ptr<const ConvolutionTask> &task, const ContenderWish &wish,
                           const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut) {
    Contenders contenders;
    const PixelKind &pixel = task->workload.pixel;
    if (!wish.wants(Scope::Kernel) || pixel.type == ScalarType::F16 || !tapsFit(task->workload))
        return contenders;
    const Taps taps = tapsFrom(task->workload.kernel);
    const ConvolutionShape shape = shapeOf(deviceRequest(*pictures, 0, task->workload, taps));
    std::vector<KernelVariant> variants(kernelVariants.begin(), kernelVariants.end());
    variants.push_back(KernelVariant::Blocked);
    for (const KernelVariant variant : variants) {
        const std::string name(kernelVariantName(variant));
        if (!wish.wants(name))
            continue;
        const FusedPlan plan = planWithStatistics(variant, shape, statisticsSharedBytes(pixel.type, pixel.channels),
                                                  session->properties.limits);
        if (plan.refusal.empty())
            contenders.push_back(
                std::make_unique<FusedContender>(name, plan, engine, Scope::Kernel, task, session, pictures));
        else
            leftOut.push_back({name + "+statistics", engine.deviceId(), {}, plan.refusal});
    }
    return contenders;
}

} // namespace tessera::bench
