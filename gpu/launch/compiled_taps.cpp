#include "gpu/launch/compiled_taps.h"

#include "gpu/device/check.h"
#include "gpu/jit/source_text.h"

namespace tessera::cuda {

namespace {

// "return i % 9 >= 1 && i % 9 < 8 && i / 9 >= 0 && i / 9 < 9;"
std::string existence(const TapText &taps) {
    if (taps.side == 0)
        return "return true;";
    const std::string side = std::to_string(taps.side);
    const auto within = [](const std::string &place, int first, int count) {
        return place + " >= " + std::to_string(first) + " && " + place + " < " + std::to_string(first + count);
    };
    return "return " + within("i % " + side, taps.left, taps.width) + " && " +
           within("i / " + side, taps.top, taps.height) + ";";
}

// Estimates that decide whether compiling pays.
jit::SpecialisationEvidence evidenceOf(const ConvolutionRequest &request, MeasuredShares shares) {
    const int channels = request.source.channels;
    const double memory = 8.0 * channels / 4000.0;                                // ms a megapixel at 4 TB/s
    const double arithmetic = double(request.taps->count()) * channels / 31000.0; // at 31 multiply-adds a picosecond
    const double limit = std::max(memory, arithmetic);
    return {1e-6 * request.target.width * request.target.height, limit / shares.general, limit / shares.specialised, 0};
}

} // namespace

// The array stands outside: one in at() would be made anew at every use before it is seen to be constant, which took
// most of the compiler's time.
jit::KernelSource kernelSource(const KernelText &text, const TapText &taps) {
    const std::string source =
        "#include \"" + std::string(text.header) + "\"\n__device__ " + jit::constantArray("givenTaps", taps.values) +
        "struct GivenTaps {\n"
        "    __device__ static float at(int i) { return givenTaps[i]; }\n"
        "    __device__ static constexpr bool has(int i) { " +
        existence(taps) + " }\n};\nusing Kernel = " + std::string(text.kernel) +
        ", GivenTaps>;\nextern \"C\" __global__ void __launch_bounds__(Kernel::maximumThreads, Kernel::minimumBlocks) "
        "convolve(const __grid_constant__ Kernel kernel) { kernel." +
        std::string(text.function) + "; }\n";
    return {source, "convolve", {}, false};
}

std::optional<SpecialisedKernel> compiledKernel(const KernelText &text, const TapText &taps,
                                                const ConvolutionRequest &request, MeasuredShares shares) {
    if (request.specialise == jit::Specialisation::Never)
        return std::nullopt;
    int device = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    std::string key = std::string(text.kernel) + existence(taps);
    key.append(reinterpret_cast<const char *>(taps.values.data()), taps.values.size_bytes());
    return kernelCacheFor(device).specialise(request.specialise, key, evidenceOf(request, shares),
                                             [&] { return kernelSource(text, taps); });
}

} // namespace tessera::cuda
