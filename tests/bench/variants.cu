// The six convolution variants on one GPU: milliseconds and share of the limit, 8192x8192, zero border, dense K x K,
// cold buffers, interleaved runs. The limit is the larger of the bytes that must move over the copy rate and the K * K
// multiply-adds over the FFMA (half2: HFMA2) rate, all measured in this run. `tessera bench` is the tool for users;
// this program has no dependency but CUDA.
#include "gpu/device/properties.h"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/fft.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

using namespace tessera;

namespace {

constexpr int size = 8192;
constexpr int buffers = 2; // 512 MB and more in turns: the second-level cache holds none of what comes next

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
    return values[values.size() / 2];
}

template <class Launch> double millisecondsOf(cuda::Stream &stream, Launch launch) {
    cuda::Event start, end;
    start.record(stream.view());
    launch();
    end.record(stream.view());
    stream.synchronize();
    return end.millisecondsSince(start);
}

constexpr int chains = 8, steps = 4096;

__global__ void fusedMultiplyAdds(float *target, float factor) {
    float sum[chains];
    for (int i = 0; i < chains; ++i)
        sum[i] = float(threadIdx.x + i);
    for (int step = 0; step < steps; ++step)
        for (int i = 0; i < chains; ++i)
            sum[i] = sum[i] * factor + 0.5f;
    float all = 0;
    for (int i = 0; i < chains; ++i)
        all += sum[i];
    if (all == 12345.678f)
        target[threadIdx.x] = all; // never, but the compiler cannot know
}

__global__ void packedMultiplyAdds(float *target, float factor) {
    const __half2 by = __float2half2_rn(factor), half = __float2half2_rn(0.5f);
    __half2 sum[chains];
    for (int i = 0; i < chains; ++i)
        sum[i] = __float2half2_rn(float(threadIdx.x % 7 + i));
    for (int step = 0; step < steps; ++step)
        for (int i = 0; i < chains; ++i)
            sum[i] = __hfma2(sum[i], by, half);
    float all = 0;
    for (int i = 0; i < chains; ++i)
        all += __low2float(sum[i]) + __high2float(sum[i]);
    if (all == 12345.678f)
        target[threadIdx.x] = all;
}

struct Ceilings {
    double bytesPerMs, multiplyAddsPerMs, halfMultiplyAddsPerMs;
};

Ceilings measureCeilings(cuda::Stream &stream) {
    cuda::DeviceBuffer a, b;
    constexpr std::size_t bytes = std::size_t(512) << 20;
    a.reserve(bytes);
    b.reserve(bytes);
    std::vector<double> copy, single, packed;
    const int blocks = cuda::findDevices().devices.front().multiprocessors * 8;
    auto *target = static_cast<float *>(a.data());
    for (int i = 0; i < 12; ++i) {
        copy.push_back(millisecondsOf(stream, [&] {
            TESSERA_CUDA_CHECK(cudaMemcpyAsync(b.data(), a.data(), bytes, cudaMemcpyDeviceToDevice, stream.view()));
        }));
        single.push_back(
            millisecondsOf(stream, [&] { fusedMultiplyAdds<<<blocks, 256, 0, stream.view()>>>(target, 0.5f); }));
        packed.push_back(
            millisecondsOf(stream, [&] { packedMultiplyAdds<<<blocks, 256, 0, stream.view()>>>(target, 0.5f); }));
    }
    const double work = double(blocks) * 256 * chains * steps;
    return {2.0 * double(bytes) / median(copy), work / median(single), 2 * work / median(packed)};
}

class Contest {
public:
    Contest(ScalarType type, int channels, int side, const Ceilings &ceilings)
        : type_(type), channels_(channels), side_(side), ceilings_(ceilings),
          pitch_(std::ptrdiff_t(size) * channels * scalarBytes(type)) {
        fill();
        taps_.width = taps_.height = side;
        taps_.anchorX = taps_.anchorY = side / 2;
        std::mt19937 random(3);
        for (int i = 0; i < side * side; ++i)
            taps_.value[i] = float(random() % 1000) / 500.0f / float(side * side);
        const FourierPlan plan = planFourier({size, size, side, side, scalarBytes(type), channels});
        fourier_ = {side,
                    side,
                    side / 2,
                    side / 2,
                    spectrum_.reserve(fourierSpectrumBytes),
                    workspace_.reserve(plan.workspaceBytes)};
        cuda::launchFourierSpectrum({side, side, side / 2, side / 2, taps_.value}, spectrum_.data(), workspace_.data(),
                                    nullptr);
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
    }

    void run(cuda::Stream &stream, const DeviceLimits &limits) {
        std::vector<KernelVariant> all(kernelVariants.begin(), kernelVariants.end());
        all.insert(all.end(), tunedVariants.begin(), tunedVariants.end());
        std::vector<std::vector<double>> times(all.size());
        for (int round = 0; round < 25; ++round)
            for (std::size_t v = 0; v < all.size(); ++v) {
                const ConvolutionRequest request = requestOf(next_++ % buffers);
                const PlanResult plan = planConvolution(all[v], shapeOf(request), limits);
                if (!plan.refusal.empty())
                    continue;
                const double ms =
                    millisecondsOf(stream, [&] { cuda::launchConvolution(plan.plan, request, stream.view()); });
                if (round >= 5)
                    times[v].push_back(ms);
            }
        for (std::size_t v = 0; v < all.size(); ++v)
            if (!times[v].empty())
                print(all[v], median(times[v]));
    }

private:
    void fill() {
        std::vector<std::uint8_t> picture(std::size_t(pitch_) * size);
        std::mt19937 random(1);
        if (type_ == ScalarType::U8)
            for (std::uint8_t &value : picture)
                value = std::uint8_t(random());
        else
            for (std::size_t i = 0; i < picture.size() / std::size_t(scalarBytes(type_)); ++i) {
                const float value = float(random() % 4096) / 4096.0f;
                const Half half(value);
                if (type_ == ScalarType::F32)
                    std::memcpy(&picture[i * 4], &value, 4);
                else
                    std::memcpy(&picture[i * 2], &half, 2);
            }
        for (int i = 0; i < buffers; ++i) {
            TESSERA_CUDA_CHECK(
                cudaMemcpy(source_[i].reserve(picture.size()), picture.data(), picture.size(), cudaMemcpyHostToDevice));
            target_[i].reserve(picture.size());
        }
    }

    ConvolutionRequest requestOf(int buffer) const {
        ConvolutionRequest request;
        request.source = {source_[buffer].data(), size, size, pitch_, type_, channels_};
        request.target = {target_[buffer].data(), size, size, pitch_, type_, channels_};
        request.border = {BorderMode::Zero, 0};
        request.taps = &taps_;
        request.fourier = &fourier_;
        request.specialise = jit::Specialisation::Always;
        return request;
    }

    void print(KernelVariant variant, double ms) const {
        const double values = double(size) * size * channels_;
        const double memory = 2 * values * scalarBytes(type_) / ceilings_.bytesPerMs;
        const double rate = isHalf2(variant) ? ceilings_.halfMultiplyAddsPerMs : ceilings_.multiplyAddsPerMs;
        const double arithmetic = values * side_ * side_ / rate;
        const double floor = std::max(memory, arithmetic);
        const char *type = type_ == ScalarType::U8 ? "u8" : type_ == ScalarType::F16 ? "f16" : "f32";
        std::printf("| %s%s | %d | %s | %.3f | %.3f | %.2f |\n", channels_ == 4 ? "rgba " : "", type, side_,
                    std::string(kernelVariantName(variant)).c_str(), ms, floor, floor / ms);
    }

    ScalarType type_;
    int channels_, side_;
    Ceilings ceilings_;
    std::ptrdiff_t pitch_;
    Taps taps_;
    FourierOperands fourier_;
    cuda::DeviceBuffer source_[buffers], target_[buffers], spectrum_, workspace_;
    int next_ = 0;
};

} // namespace

int main() {
    const cuda::DeviceList list = cuda::findDevices();
    if (list.devices.empty()) {
        std::puts("skipped: no CUDA device");
        return 0;
    }
    cuda::Stream stream;
    const Ceilings ceilings = measureCeilings(stream);
    std::printf("%s: copy %.0f GB/s, FFMA %.1f TFLOP/s, HFMA2 %.1f TFLOP/s\n\n", list.devices.front().name.c_str(),
                ceilings.bytesPerMs / 1e6, 2 * ceilings.multiplyAddsPerMs / 1e9,
                2 * ceilings.halfMultiplyAddsPerMs / 1e9);
    std::puts("| pixel | K | variant | ms | limit | share |\n| --- | --- | --- | --- | --- | --- |");
    const DeviceLimits limits = list.devices.front().limits;
    for (const int side : {3, 5, 7, 9, 11, 15, 21, 31})
        Contest(ScalarType::F32, 1, side, ceilings).run(stream, limits);
    for (const int side : {3, 5, 7, 9})
        for (const auto &[type, channels] : {std::pair{ScalarType::F16, 1}, {ScalarType::U8, 1}, {ScalarType::U8, 4}})
            Contest(type, channels, side, ceilings).run(stream, limits);
}
