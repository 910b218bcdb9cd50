// Does the phase form (gpu/kernels/block.h) cost anything on the GPU? The product's naive and tiled kernels against the
// same algorithms written by hand (with the same rounding of the result at the end), float32, one channel, zero border,
// interleaved runs, cold buffers. Prints the median of the pairwise ratios (phase form / by hand; 1.00 is the same).
#include "gpu/device/memory.h"
#include "gpu/launch/convolution.h"
#include "gpu/launch/cuda_launcher.cuh"

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

using namespace tessera;

namespace {

struct HandTaps {
    int width, height, anchorX, anchorY;
    float value[maximumTapsSide * maximumTapsSide];
};

__global__ void naiveByHand(const float *__restrict__ source, float *__restrict__ target, int width, int height,
                            std::ptrdiff_t pitch, const __grid_constant__ HandTaps taps, Finish finish) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const int left = x - taps.anchorX, top = y - taps.anchorY;
    float sum = 0;
    int tap = 0;
    if (left >= 0 && top >= 0 && left + taps.width <= width && top + taps.height <= height) {
        for (int v = 0; v < taps.height; ++v)
            for (int u = 0; u < taps.width; ++u)
                sum += taps.value[tap++] * source[(top + v) * pitch + left + u];
    } else {
        for (int v = 0; v < taps.height; ++v)
            for (int u = 0; u < taps.width; ++u, ++tap) {
                const int sx = left + u, sy = top + v;
                if (sx >= 0 && sx < width && sy >= 0 && sy < height)
                    sum += taps.value[tap] * source[sy * pitch + sx];
            }
    }
    target[y * pitch + x] = finishValue<float>(finish, sum);
}

__global__ void tiledByHand(const float *__restrict__ source, float *__restrict__ target, int width, int height,
                            std::ptrdiff_t pitch, const __grid_constant__ HandTaps taps, Finish finish) {
    extern __shared__ float tile[];
    const int footprintWidth = blockDim.x + taps.width - 1;
    const int footprintHeight = blockDim.y + taps.height - 1;
    const int left = blockIdx.x * blockDim.x - taps.anchorX;
    const int top = blockIdx.y * blockDim.y - taps.anchorY;
    for (int v = threadIdx.y; v < footprintHeight; v += blockDim.y)
        for (int u = threadIdx.x; u < footprintWidth; u += blockDim.x) {
            const int sx = left + u, sy = top + v;
            const bool inside = sx >= 0 && sx < width && sy >= 0 && sy < height;
            tile[v * footprintWidth + u] = inside ? source[sy * pitch + sx] : 0.0f;
        }
    __syncthreads();
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    int tap = 0;
    int pixel = threadIdx.y * footprintWidth + threadIdx.x;
    for (int v = 0; v < taps.height; ++v, pixel += blockDim.x - 1)
        for (int u = 0; u < taps.width; ++u)
            sum += taps.value[tap++] * tile[pixel++];
    target[y * pitch + x] = finishValue<float>(finish, sum);
}

class Comparison {
public:
    Comparison(int size, int side) : size_(size), bytes_(std::size_t(size) * std::size_t(size) * 4) {
        std::mt19937 random(7);
        std::uniform_real_distribution<float> uniform(-1, 1);
        std::vector<float> picture(std::size_t(size) * std::size_t(size));
        for (float &value : picture)
            value = uniform(random);
        for (int i = 0; i < buffers; ++i) { // more than the second-level cache holds: every run reads from memory
            TESSERA_CUDA_CHECK(cudaMemcpy(source_[i].reserve(bytes_), picture.data(), bytes_, cudaMemcpyHostToDevice));
            target_[i].reserve(bytes_);
        }
        taps_.width = taps_.height = handTaps_.width = handTaps_.height = side;
        taps_.anchorX = taps_.anchorY = handTaps_.anchorX = handTaps_.anchorY = side / 2;
        for (int i = 0; i < side * side; ++i)
            taps_.value[i] = handTaps_.value[i] = uniform(random);
    }

    void compare(KernelVariant variant) {
        std::vector<double> phase, hand, ratios;
        const std::vector<float> a = outputOf(variant, true), b = outputOf(variant, false);
        const bool equal = a == b;
        for (int i = 0; i < 45; ++i) {
            const double first = time(variant, i % 2 == 0), second = time(variant, i % 2 != 0);
            if (i < 5)
                continue; // warm-up
            phase.push_back(i % 2 == 0 ? first : second);
            hand.push_back(i % 2 == 0 ? second : first);
            ratios.push_back(phase.back() / hand.back());
        }
        std::printf("%-6s %4d %9.4f %9.4f %7.3f   %s\n", std::string(kernelVariantName(variant)).c_str(), taps_.width,
                    median(phase), median(hand), median(ratios), equal ? "equal" : "DIFFERENT");
    }

private:
    static constexpr int buffers = 2;

    ConvolutionRequest request(int buffer) {
        const std::ptrdiff_t pitch = std::ptrdiff_t(size_) * 4;
        ConvolutionRequest request;
        request.source = {source_[buffer].data(), size_, size_, pitch, ScalarType::F32, 1};
        request.target = {target_[buffer].data(), size_, size_, pitch, ScalarType::F32, 1};
        request.border = {BorderMode::Zero, 0};
        request.taps = &taps_;
        return request;
    }

    template <template <class, class> class Kernel> void launchPhase(const LaunchPlan &plan, int buffer) {
        using P = Pixel<float, 1>;
        cuda::CudaLauncher launcher(stream_.view());
        launcher.launch(plan, Kernel<P, P>{typedOperands<P, P>(request(buffer))});
    }

    void launch(KernelVariant variant, bool phase, int buffer) {
        const LaunchPlan plan = planConvolution(variant, shapeOf(request(buffer)), DeviceLimits{}).plan;
        const bool tiled = variant == KernelVariant::Tiled;
        if (phase)
            return tiled ? launchPhase<TiledConvolve>(plan, buffer) : launchPhase<NaiveConvolve>(plan, buffer);
        const dim3 grid(unsigned(plan.grid.x), unsigned(plan.grid.y)),
            block(unsigned(plan.block.x), unsigned(plan.block.y));
        const auto *source = static_cast<const float *>(source_[buffer].data());
        auto *target = static_cast<float *>(target_[buffer].data());
        if (tiled)
            tiledByHand<<<grid, block, plan.sharedBytes, stream_.view()>>>(source, target, size_, size_, size_,
                                                                           handTaps_, Finish{});
        else
            naiveByHand<<<grid, block, 0, stream_.view()>>>(source, target, size_, size_, size_, handTaps_, Finish{});
        TESSERA_CUDA_CHECK(cudaGetLastError());
    }

    double time(KernelVariant variant, bool phase) {
        const int buffer = next_++ % buffers;
        start_.record(stream_.view());
        launch(variant, phase, buffer);
        end_.record(stream_.view());
        stream_.synchronize();
        return end_.millisecondsSince(start_);
    }

    std::vector<float> outputOf(KernelVariant variant, bool phase) {
        TESSERA_CUDA_CHECK(cudaMemset(target_[0].data(), 0xff, bytes_));
        launch(variant, phase, 0);
        stream_.synchronize();
        std::vector<float> output(bytes_ / 4);
        TESSERA_CUDA_CHECK(cudaMemcpy(output.data(), target_[0].data(), bytes_, cudaMemcpyDeviceToHost));
        return output;
    }

    static double median(std::vector<double> values) {
        std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
        return values[values.size() / 2];
    }

    int size_;
    std::size_t bytes_;
    cuda::DeviceBuffer source_[buffers], target_[buffers];
    Taps taps_;
    HandTaps handTaps_;
    cuda::Stream stream_;
    cuda::Event start_, end_;
    int next_ = 0;
};

} // namespace

int main() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        std::puts("skipped: no CUDA device");
        return 0;
    }
    std::puts("8192x8192 float32, milliseconds, medians of 40\nkernel    K     phase   by hand   ratio   outputs");
    for (const int side : {3, 5, 7, 11, 15, 31})
        for (const KernelVariant variant : {KernelVariant::Naive, KernelVariant::Tiled})
            Comparison(8192, side).compare(variant);
}
