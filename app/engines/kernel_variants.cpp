#include "app/engines/kernel_variants.h"

#include "app/engines/engine_support.h"
#include "gpu/launch/tensor_taps.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace tessera {

const std::vector<VariantInfo> &tunedVariantInfos() {
    static const std::vector<VariantInfo> infos{
        {"blocked", "Register-blocked", "a thread makes a patch of outputs; each value it loads feeds all of them"},
        {"tensor", "Tensor cores", "kernel rows as band matrices: sixteen times the products an instruction has"},
        {"separable", "Separable, fused",
         "sums across and down in one pass over the picture; kernels of up to 4 terms"},
        {"fft", "Fourier",
         "overlapping tiles are transformed, multiplied by the kernel's spectrum and transformed back"},
    };
    return infos;
}

const std::vector<VariantInfo> &kernelVariantInfos() {
    static const std::vector<VariantInfo> infos{
        {"naive", "Naive", "one thread an output; every tap is read through the global path"},
        {"naive-float4", "Naive, float4", "four outputs a thread from loads of four pixels"},
        {"naive-half2", "Naive, half2", "packed halves: two products an instruction, at 11 bits of precision"},
        {"tiled", "Tiled", "a block stages its footprint in shared memory once and reads every tap from there"},
        {"tiled-float4", "Tiled, float4", "staged and read in groups of four pixels that serve four outputs"},
        {"tiled-half2", "Tiled, half2", "staged as packed halves: half the bytes, two products an instruction"},
    };
    return infos;
}

VariantChoice parseVariant(std::string_view name, KernelVariant preferred) {
    VariantChoice choice{preferred, true};
    if (name.empty())
        return choice;
    const std::string_view base = name.substr(0, name.find(':'));
    const std::optional<KernelVariant> known = kernelVariantNamed(base);
    if (!known)
        throw Error(ErrorKind::Usage, "'" + std::string(base) + "' is no kernel variant");
    choice.variant = *known;
    if (base.size() == name.size())
        return choice;
    const std::string_view option = name.substr(base.size() + 1);
    if (choice.variant == KernelVariant::Blocked) {
        constexpr std::string_view prefix = "specialise=";
        const auto mode =
            option.starts_with(prefix) ? jit::specialisationFromName(option.substr(prefix.size())) : std::nullopt;
        if (!mode)
            throw Error(ErrorKind::Usage, "the variant 'blocked' has no option '" + std::string(option) + "'",
                        "it takes specialise=auto, specialise=never or specialise=always");
        choice.specialise = *mode;
        return choice;
    }
    if (choice.variant == KernelVariant::Tensor) {
        if (option != "terms=1" && option != "terms=2")
            throw Error(ErrorKind::Usage, "the variant 'tensor' has no option '" + std::string(option) + "'",
                        "it takes terms=1 (8-bit taps: faster, less exact) or terms=2");
        choice.terms = option.back() - '0';
        return choice;
    }
    if (!isHalf2(choice.variant) || (option != "accumulate=half" && option != "accumulate=float"))
        throw Error(ErrorKind::Usage,
                    "the variant '" + std::string(base) + "' has no option '" + std::string(option) + "'",
                    "the half2 variants take accumulate=float or accumulate=half");
    choice.sumInFloat = option == "accumulate=float";
    return choice;
}

Taps tapsFrom(const ConvolutionKernel &kernel) {
    Taps taps;
    taps.width = kernel.width;
    taps.height = kernel.height;
    taps.anchorX = kernel.anchorX;
    taps.anchorY = kernel.anchorY;
    for (std::size_t i = 0; i < kernel.taps.size(); ++i)
        taps.value[i] = float(kernel.taps[i]);
    return taps;
}

ScalarType scalarTypeOf(Depth depth) {
    return depth == Depth::U8 ? ScalarType::U8 : depth == Depth::U16 ? ScalarType::U16 : ScalarType::F32;
}

bool needsFloatSource(const ConvolutionJob &job) {
    const Depth from = job.source.format.depth;
    if (from == Depth::F32)
        return false;
    const double constant = job.border.constant;
    const bool holdable = constant == std::rint(constant) && constant >= 0.0 && constant <= nominalMaximum(from);
    const Depth to = job.target.format.depth;
    return (job.border.mode == BorderMode::Constant && !holdable) || (to != from && to != Depth::F32);
}

ConvolutionShape kernelShape(const ConvolutionJob &job) {
    const Depth from = needsFloatSource(job) ? Depth::F32 : job.source.format.depth;
    const Depth to = job.target.format.depth;
    return {job.region.width,
            job.region.height,
            job.kernel->width,
            job.kernel->height,
            bytesPerSample(from),
            packedChannels(job.source.format.channels),
            centredSide(job.kernel->width, job.kernel->height, job.kernel->anchorX, job.kernel->anchorY),
            from == Depth::U8 && to == Depth::U8,
            0,
            false,
            from != to};
}

std::optional<model::SeparableFactors> separableFactors(const ConvolutionKernel &kernel) {
    if (kernel.width > maximumTapsSide || kernel.height > maximumTapsSide)
        return std::nullopt;
    thread_local ConvolutionKernel last;
    thread_local std::optional<model::SeparableFactors> factors;
    if (!factors || kernel.width != last.width || kernel.height != last.height || kernel.taps != last.taps) {
        factors = model::factorize(tapsFrom(kernel), maximumSeparableTerms);
        last = kernel;
    }
    return factors;
}

namespace {

template <class T> double largestSample(const ConstPixelView &picture) {
    T largest = 0;
    for (int y = 0; y < picture.height; ++y) {
        const T *row = picture.row<T>(y);
        for (int i = 0; i < picture.width * picture.format.channels; ++i) {
            const T magnitude = row[i] < T(0) ? T(-row[i]) : row[i];
            if (magnitude > largest && magnitude <= std::numeric_limits<T>::max())
                largest = magnitude;
        }
    }
    return double(largest);
}

} // namespace

namespace {

// Sums across, then down, of each term; the pairs of rows (gpu/kernels/separable.h) triple what cancels. The form for
// 8-bit pixels (separable_bytes.h) keeps to that as well, from the smallest kernels on that it is used for: taps to
// 2^-24, sums across to 2^-22 where they are cut in two, a product of 2^-21 left out, and up to 15 sums of the tensor
// cores, cut off at 23 bits, are 44 units of 2^-24.
double separableErrorBound(const ConvolutionJob &job, double largest) {
    const auto factors = separableFactors(*job.kernel);
    if (!factors)
        return 0.0;
    const double steps = 3.0 * (job.kernel->width + job.kernel->height + 2 * double(factors->terms.size()) + 3);
    return (factors->gain * steps * 0x1p-24 + factors->residual) * largest / std::fabs(double(job.finish.divisor)) +
           gainOf(job) * largest * 0x1p-24;
}

} // namespace

std::string halfOverflow(const ConvolutionJob &job, double largest) {
    const ScalarType type = needsFloatSource(job) ? ScalarType::F32 : scalarTypeOf(job.source.format.depth);
    if (job.border.mode == BorderMode::Constant)
        largest = std::max(largest, std::fabs(job.border.constant));
    const double bound = std::max(1.0, gainOf(job)) * largest * double(halfPixelScale(type));
    if (bound <= double(halfMaximum))
        return {};
    char text[32];
    std::snprintf(text, sizeof text, bound < 1e9 ? "%.0f" : "%.3g", bound);
    return "half precision ends at 65504, and this kernel's sums can reach " + std::string(text);
}

std::string kernelRefusal(const ConvolutionJob &job, const VariantChoice &choice, const DeviceLimits &limits) {
    ConvolutionShape shape = kernelShape(job);
    if (choice.variant == KernelVariant::Separable) {
        const auto factors = separableFactors(*job.kernel);
        shape.terms = factors ? termsOf(*factors) : maximumSeparableTerms + 1;
        const Depth source = needsFloatSource(job) ? Depth::F32 : job.source.format.depth;
        if (shape.terms > 1 && source != job.target.format.depth)
            return "a kernel of several terms keeps the pixels' type";
    }
    std::string refusal = planConvolution(choice.variant, shape, limits).refusal;
    if (refusal.empty() && isHalf2(choice.variant) && job.source.format.depth != Depth::F32)
        refusal = halfOverflow(job, nominalMaximum(job.source.format.depth));
    return refusal;
}

void checkKernelJob(const ConvolutionJob &job, const VariantChoice &choice, const DeviceLimits &limits) {
    const std::string refusal = kernelRefusal(job, choice, limits);
    if (!refusal.empty())
        throw Error(ErrorKind::Usage, refusal, "use another variant, or --device cpu");
    if (isHalf2(choice.variant) && job.source.format.depth == Depth::F32) {
        const std::string overflow = halfOverflow(job, largestSample<float>(job.source));
        if (!overflow.empty())
            throw Error(ErrorKind::Usage, overflow, "use a float variant");
    }
}

namespace {

double tensorErrorBound(const ConvolutionJob &job, const VariantChoice &choice, double largest, double magnitude) {
    if (kernelShape(job).eightBit) {
        const Taps taps = tapsFrom(*job.kernel);
        const WholeTaps whole = wholeTaps({taps.value, std::size_t(taps.count())}, choice.terms);
        // The sums are exact; the step, the product with it, the division and the offset round.
        return whole.error * largest / std::fabs(double(job.finish.divisor)) + magnitude * 0x1p-21;
    }
    // Pixels and taps keep 22 bits each and a product of 22 is dropped; the tensor cores cut each of some 130 sums of
    // up to eight rows off at 23 bits, then rows are added in float. All of it relative to the tile's largest value.
    return magnitude * (3 * 0x1p-22 + 130 * 0x1p-23 + 16 * 0x1p-24);
}

} // namespace

double kernelErrorBound(const ConvolutionJob &job, const VariantChoice &choice, double largest) {
    const double magnitude = gainOf(job) * largest;
    const int area = job.kernel->width * job.kernel->height;
    if (choice.variant == KernelVariant::Tensor)
        return tensorErrorBound(job, choice, largest, magnitude);
    if (choice.variant == KernelVariant::Separable)
        return separableErrorBound(job, largest);
    // Errors of the transforms are spread evenly over a tile: a few units in the last place of the largest output, and
    // of 67 million pixels some lie six standard deviations out.
    if (choice.variant == KernelVariant::Fft)
        return magnitude * 96 * 0x1p-24;
    if (!isHalf2(choice.variant))
        return magnitude * (area + 3) * 0x1p-24;
    // Each tap and, but for 8 bits, each pixel is rounded once, then every step of the sum. Below the smallest normal
    // half, 2^-14, rounding is to multiples of 2^-24 instead.
    const int terms = choice.sumInFloat ? job.kernel->width : area;
    const double scale = double(halfPixelScale(scalarTypeOf(job.source.format.depth)));
    return magnitude * (terms + 2) * 0x1p-11 + area * (largest + 1.0 / scale) * 0x1p-24;
}

ConvolutionRequest requestFor(const ConvolutionJob &job, const VariantChoice &choice, const Taps &taps) {
    ConvolutionRequest request;
    request.originX = job.region.x;
    request.originY = job.region.y;
    request.border = job.border;
    request.finish = job.finish;
    request.channelMask = job.channelMask;
    request.taps = &taps;
    request.specialise = choice.specialise;
    request.sumInFloat = choice.sumInFloat;
    request.tensorTerms = choice.terms;
    return request;
}

void scaleSums(const ConvolutionJob &job, const VariantChoice &choice, Taps &taps, ConvolutionRequest &request) {
    if (isHalf2(choice.variant) || choice.variant == KernelVariant::Separable || choice.variant == KernelVariant::Fft)
        return;
    const float scale = float(sumScaleKept(job));
    for (int i = 0; i < taps.count(); ++i)
        taps.value[i] *= scale;
    request.finish.divisor *= scale;
}

} // namespace tessera
