#include "app/bench/algorithm.h"

#include "app/engines/cpu/convolution_plan.h"
#include "app/engines/kernel_variants.h"

namespace tessera::bench {

namespace {

bool named(std::string_view variant, std::string_view word) { return variant.find(word) != std::string_view::npos; }

} // namespace

bool countsDenseWork(std::string_view variant, const Workload &workload) {
    if (named(variant, "separable") || named(variant, "fft") || named(variant, "low-rank"))
        return false;
    if (variant == "cpu") {
        const PixelFormat format{depthOf(workload.pixel.type), workload.pixel.channels};
        const cpu::Method method =
            cpu::planConvolution(workload.kernel, {workload.width, workload.height, format}).method;
        return method == cpu::Method::Dense || method == cpu::Method::Listed;
    }
    if (variant == "auto") // it looks at the kernel's rank
        return !workload.separable;
    if (variant == "opencv") // filter2D turns to a discrete Fourier transform from 11 x 11 on
        return workload.kernel.width * workload.kernel.height < 121;
    return true;
}

bool isKernelVariant(std::string_view variant) {
    return kernelVariantNamed(variant.substr(0, variant.find(':'))).has_value();
}

model::ArithmeticUnit arithmeticUnitOf(std::string_view variant) {
    if (named(variant, "half2"))
        return model::ArithmeticUnit::Half2;
    if (named(variant, "tensor"))
        return model::ArithmeticUnit::Tensor;
    return model::ArithmeticUnit::Fp32;
}

} // namespace tessera::bench
