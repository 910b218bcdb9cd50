#include "tests/app/engine_cpu_support.h"

#include <cmath>
#include <cstring>
#include <utility>

namespace tessera::test {

Work::Work(int width, int height, PixelFormat format, ConvolutionKernel taps, BorderMode border, Random &random)
    : source(width, height, format, 3), kernel(std::move(taps)) {
    source.fillRandom(random);
    job.source = std::as_const(source).view();
    job.region = job.source.bounds();
    job.kernel = &kernel;
    job.border.mode = border;
    job.finish = averaging(kernel);
}

void convolveInto(Engine &engine, const Work &work, const Rectangle &region, const PixelView &whole,
                  const RunControl &control) {
    ConvolutionJob job = work.job;
    job.region = region;
    job.target = whole.part(region);
    engine.convolve(job, control);
}

bool samePixels(const ConstPixelView &a, const ConstPixelView &b) {
    for (int y = 0; y < a.height; ++y)
        if (std::memcmp(a.row<std::byte>(y), b.row<std::byte>(y), std::size_t(a.width) * a.format.bytesPerPixel()) != 0)
            return false;
    return true;
}

ConvolutionKernel kernelOf(int width, int height, const std::function<double(int, int)> &tap) {
    ConvolutionKernel kernel;
    kernel.width = width;
    kernel.height = height;
    kernel.anchorX = width / 2;
    kernel.anchorY = height / 2;
    kernel.taps.clear();
    for (int v = 0; v < height; ++v)
        for (int u = 0; u < width; ++u)
            kernel.taps.push_back(tap(u, v));
    return kernel;
}

namespace {

// Not symmetric, so that passes in the wrong direction show.
double slope(int i, int size, double sigma) {
    const double x = i - 0.4 * size;
    return std::exp(-x * x / (2 * sigma * sigma));
}

} // namespace

const std::vector<Named> &namedKernels() {
    static const std::vector<Named> all = [] {
        Random random(77);
        const auto gaussian = [](int u, int v) { return slope(u, 13, 2.0) * slope(v, 9, 1.5); };
        const auto difference = [](int u, int v) {
            return slope(u, 15, 1.5) * slope(v, 15, 1.5) - 0.3 * slope(u, 15, 3.5) * slope(v, 15, 3.0);
        };
        ConvolutionKernel sparse = kernelOf(17, 17, [](int u, int v) { return u == v ? 1.0 + u : 0.0; });
        ConvolutionKernel shifted = kernelOf(61, 61, [](int u, int v) { return u == 58 && v == 3 ? 2.0 : 0.0; });
        ConvolutionKernel corner = randomKernel(6, 4, random);
        corner.anchorX = 5;
        corner.anchorY = 0;
        return std::vector<Named>{
            {"dense 5x5", cpu::Method::Dense, randomKernel(5, 5, random)},
            {"dense 9x7", cpu::Method::Dense, randomKernel(9, 7, random)},
            {"anchor in the corner", cpu::Method::Dense, corner},
            {"one column", cpu::Method::Dense, randomKernel(1, 23, random)},
            {"one row", cpu::Method::Listed, randomKernel(23, 1, random)},
            {"separable", cpu::Method::LowRank, kernelOf(13, 9, gaussian)},
            {"box of ones", cpu::Method::LowRank, kernelOf(9, 9, [](int, int) { return 1.0; })},
            {"two terms", cpu::Method::LowRank, kernelOf(15, 15, difference)},
            {"diagonal", cpu::Method::Listed, sparse},
            {"shift", cpu::Method::Listed, shifted},
            {"nothing", cpu::Method::Listed, kernelOf(3, 3, [](int, int) { return 0.0; })},
            {"transform, square", cpu::Method::Fourier, randomKernel(31, 31, random)},
            {"transform, wide", cpu::Method::Fourier, randomKernel(63, 12, random)},
            {"transform, large", cpu::Method::Fourier, randomKernel(127, 101, random)},
        };
    }();
    return all;
}

cpu::ConvolutionPlan planFor(const ConvolutionKernel &kernel, int channels) {
    return cpu::planConvolution(kernel, {600, 500, {Depth::U8, channels}});
}

} // namespace tessera::test
