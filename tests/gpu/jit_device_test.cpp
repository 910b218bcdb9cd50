// Kernels compiled at run time, on a real GPU: the same results as the kernels that were compiled with the program,
// whatever becomes of the folder in between.
#include "gpu/device/properties.h"
#include "gpu/image/taps.h"
#include "gpu/jit/kernel_cache.h"
#include "gpu/jit/source_text.h"
#include "gpu/kernels/naive.h"
#include "gpu/launch/cuda_launcher.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

using namespace tessera;

namespace fs = std::filesystem;

namespace {

constexpr int width = 333, height = 219, channels = 4;
constexpr std::size_t bytes = std::size_t(width) * height * channels;
using Rgba = Pixel<std::uint8_t, channels>;
using Kernel = NaiveConvolve<Rgba, Rgba>;

// The kernel that the program has as well.
const jit::KernelSource naive{R"(
#include "gpu/kernels/naive.h"
#include "gpu/launch/device_block.h"
using namespace tessera;
using Rgba = Pixel<std::uint8_t, 4>;
extern "C" __global__ void __launch_bounds__(256) naive(const __grid_constant__ NaiveConvolve<Rgba, Rgba> kernel) {
    DeviceBlock block;
    kernel(block);
}
)",
                              "naive",
                              {},
                              false};

// Reverses each block's part by way of shared memory beyond what needs no asking for, and multiplies.
struct Reversal {
    const float *source;
    float *target;
};
constexpr int reversalRoom = 24000; // floats before the used ones
const std::string reversalText = R"(
struct Reversal { const float *source; float *target; };
extern __shared__ float room[];
extern "C" __global__ void reversal(const __grid_constant__ Reversal r) {
    float *used = room + 24000;
    used[threadIdx.x] = r.source[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    r.target[blockIdx.x * blockDim.x + threadIdx.x] = used[blockDim.x - 1 - threadIdx.x] * factors[threadIdx.x % 2];
}
)";

Taps blur() {
    Taps taps;
    taps.width = 5;
    taps.height = 3;
    taps.anchorX = 2;
    taps.anchorY = 1;
    for (int i = 0; i < 15; ++i)
        taps.value[i] = float(i % 4) - 0.5f;
    return taps;
}

} // namespace

class JitDeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(); !why.empty())
            QSKIP(why.c_str());
        if (const std::string reason = cuda::whyNoKernelCache(0); !reason.empty())
            QSKIP(("skipped: no run-time compiler (" + reason + ")").c_str());
        picture_.resize(bytes);
        for (std::size_t i = 0; i < bytes; ++i)
            picture_[i] = std::uint8_t(i * 2654435761u >> 13);
        TESSERA_CUDA_CHECK(cudaMemcpy(source_.reserve(bytes), picture_.data(), bytes, cudaMemcpyHostToDevice));
        expected_ = launched();
    }

    void init() { folder_ = fs::path(temporary_.path().toStdString()) / std::to_string(++number_) / "kernels"; }

    void sameResultsAsTheProgramsOwn() {
        const auto kernel = fresh()->compile("naive", naive);
        QVERIFY(specialised(kernel) == expected_);
        const cuda::KernelAttributes attributes = kernel.attributes(256);
        QVERIFY(attributes.registers > 8 && attributes.maximumThreads == 256 && attributes.blocksPerMultiprocessor > 0);
        QCOMPARE(attributes.localBytes, std::size_t(0));
    }

    void readFromDisk() {
        fresh()->compile("naive", naive);
        const auto kernel = fresh()->load("naive", naive);
        QVERIFY(kernel && specialised(*kernel) == expected_);
    }

    void deletedBetweenRunsAndWhileInUse() {
        const auto first = fresh();
        const auto kernel = first->compile("naive", naive);
        fs::remove_all(folder_);
        QVERIFY(specialised(kernel) == expected_); // is loaded
        QVERIFY(specialised(*first->find("naive")) == expected_);
        QVERIFY(!fresh()->load("naive", naive));
        QVERIFY(specialised(fresh()->compile("naive", naive)) == expected_);
    }

    void damagedBetweenRuns() {
        fresh()->compile("naive", naive);
        const fs::path file = fs::directory_iterator(folder_)->path();
        {
            std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(2000);
            stream << "garbage";
        }
        QVERIFY(!fresh()->load("naive", naive));
        QVERIFY(specialised(fresh()->compile("naive", naive)) == expected_);
        fs::resize_file(file, 1000);
        QVERIFY(specialised(fresh()->compile("naive", naive)) == expected_);
        const auto kernel = fresh()->load("naive", naive); // was replaced
        QVERIFY(kernel && specialised(*kernel) == expected_);
    }

    void codeThatTheDriverRefusesIsMadeAnew() {
        const jit::Compiler &compiler = jit::Compiler::shared();
        const jit::Cubin nonsense(500, std::byte{42});
        QVERIFY(jit::CubinStore(folder_).save(compiler.digestOf(naive, fresh()->architecture()), nonsense));
        QVERIFY(!fresh()->load("naive", naive));
        QVERIFY(specialised(fresh()->compile("naive", naive)) == expected_);
    }

    void inTheBackground() {
        const auto cache = fresh();
        cache->request("naive", naive);
        QTRY_VERIFY_WITH_TIMEOUT(cache->ready("naive"), 60000);
        QVERIFY(specialised(*cache->find("naive")) == expected_);
    }

    void errorsAreExceptions() {
        const auto cache = fresh();
        QVERIFY_EXCEPTION_THROWN(cache->compile("a", {"no kernel", "a", {}, false}), jit::CompileError);
        QVERIFY_EXCEPTION_THROWN(cache->compile("b", {"extern \"C\" __global__ void other() {}", "b", {}, false}),
                                 cuda::CudaError);
        cudaGetLastError();
        const auto kernel = cache->compile("naive", naive);
        const Kernel parameters{};
        QVERIFY_EXCEPTION_THROWN(kernel.launch(dim3(1), dim3(512), 0, nullptr, &parameters), cuda::CudaError);
        cudaGetLastError(); // too many threads for its bounds; the context survives that
        QVERIFY(specialised(kernel) == expected_);
    }

    void muchSharedMemory() {
        constexpr int threads = 256, count = 64 * threads;
        const float factors[] = {2.0f, -0.1f};
        const auto kernel = fresh()->compile(
            "reversal", {jit::constantArray("factors", factors) + reversalText, "reversal", {}, false});
        std::vector<float> values(count), result(count);
        for (int i = 0; i < count; ++i)
            values[std::size_t(i)] = float(i % 977);
        cuda::DeviceBuffer in, out;
        const std::size_t size = count * sizeof(float);
        TESSERA_CUDA_CHECK(cudaMemcpy(in.reserve(size), values.data(), size, cudaMemcpyHostToDevice));
        const Reversal parameters{static_cast<const float *>(in.data()), static_cast<float *>(out.reserve(size))};
        const cuda::Stream stream;
        kernel.launch(dim3(count / threads), dim3(threads), (reversalRoom + threads) * sizeof(float), stream.view(),
                      &parameters);
        stream.synchronize();
        TESSERA_CUDA_CHECK(cudaMemcpy(result.data(), out.data(), size, cudaMemcpyDeviceToHost));
        for (int i = 0; i < count; ++i) {
            const int mirrored = i / threads * threads + threads - 1 - i % threads;
            QCOMPARE(result[std::size_t(i)], values[std::size_t(mirrored)] * factors[i % 2]);
        }
    }

    void kernelsOutliveTheirCacheAndEndUnderWay() {
        std::optional<cuda::SpecialisedKernel> kernel = fresh()->compile("naive", naive);
        QVERIFY(specialised(*kernel) == expected_);
        cuda::DeviceBuffer target;
        const std::unique_ptr<Kernel> parameters = parametersFor(target);
        for (int i = 0; i < 50; ++i)
            launch(*kernel, *parameters);
        kernel.reset(); // waits for the launches, or they would lose their code
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
        QVERIFY(contentOf(target) == expected_);
    }

    void theProcessHasOneCacheAnArchitecture() { QVERIFY(&cuda::kernelCacheFor(0) == &cuda::kernelCacheFor(0)); }

private:
    std::unique_ptr<cuda::KernelCache> fresh() const {
        return cuda::makeKernelCache(jit::Compiler::shared(), jit::CubinStore(folder_), 0);
    }

    std::vector<std::uint8_t> contentOf(const cuda::DeviceBuffer &target) const {
        std::vector<std::uint8_t> content(bytes);
        TESSERA_CUDA_CHECK(cudaMemcpy(content.data(), target.data(), bytes, cudaMemcpyDeviceToHost));
        return content;
    }

    std::vector<std::uint8_t> launched() {
        const Taps taps = blur();
        cuda::DeviceBuffer target;
        ConvolutionRequest request;
        request.source = {source_.data(), width, height, width * channels, ScalarType::U8, channels};
        request.target = {target.reserve(bytes), width, height, width * channels, ScalarType::U8, channels};
        request.border = {BorderMode::Reflect, 0};
        request.finish.divisor = 14;
        request.taps = &taps;
        const DeviceLimits limits = cuda::findDevices().devices.front().limits;
        cuda::launchConvolution(planConvolution(KernelVariant::Naive, shapeOf(request), limits).plan, request, nullptr);
        return contentOf(target);
    }

    std::unique_ptr<Kernel> parametersFor(cuda::DeviceBuffer &target) {
        auto kernel = std::make_unique<Kernel>();
        kernel->operands.source = {
            {static_cast<const Rgba *>(source_.data()), width, height, width * channels}, BorderMode::Reflect, {}};
        kernel->operands.target = {static_cast<Rgba *>(target.reserve(bytes)), width, height, width * channels};
        kernel->operands.finish.divisor = 14;
        kernel->operands.taps = blur();
        TESSERA_CUDA_CHECK(cudaMemset(target.data(), 0xa5, bytes));
        return kernel;
    }

    static void launch(const cuda::SpecialisedKernel &kernel, const Kernel &parameters) {
        kernel.launch(dim3(ceilDivide(width, 32), ceilDivide(height, 8)), dim3(32, 8), 0, nullptr, &parameters);
    }

    std::vector<std::uint8_t> specialised(const cuda::SpecialisedKernel &kernel) {
        cuda::DeviceBuffer target;
        const std::unique_ptr<Kernel> parameters = parametersFor(target);
        launch(kernel, *parameters);
        return contentOf(target);
    }

    QTemporaryDir temporary_;
    fs::path folder_;
    int number_ = 0;
    cuda::DeviceBuffer source_;
    std::vector<std::uint8_t> picture_, expected_;
};

QTEST_APPLESS_MAIN(JitDeviceTest)
#include "jit_device_test.moc"
