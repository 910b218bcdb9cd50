// A stand-in for libcufft: two-dimensional real transforms by the definition, row by row and column by column.
#include <complex>
#include <cufft.h>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

namespace {

using Complex = std::complex<double>;

struct Plan {
    long height = 0, width = 0, batch = 0;
    cufftType type = CUFFT_R2C;
};

std::mutex mutex;
std::map<cufftHandle, Plan> plans;

Plan planOf(cufftHandle handle) {
    const std::lock_guard lock(mutex);
    return plans[handle];
}

void transformLine(std::vector<Complex> &plane, long first, long step, long count, int sign) {
    std::vector<Complex> roots, line;
    for (long i = 0; i < count; ++i) {
        roots.push_back(std::polar(1.0, sign * 2 * std::numbers::pi * double(i) / double(count)));
        line.push_back(plane[std::size_t(first + i * step)]);
    }
    for (long k = 0; k < count; ++k) {
        Complex sum = 0;
        for (long i = 0; i < count; ++i)
            sum += line[std::size_t(i)] * roots[std::size_t(k * i % count)];
        plane[std::size_t(first + k * step)] = sum;
    }
}

void transform(std::vector<Complex> &plane, const Plan &plan, int sign) {
    for (long y = 0; y < plan.height; ++y)
        transformLine(plane, y * plan.width, 1, plan.width, sign);
    for (long x = 0; x < plan.width; ++x)
        transformLine(plane, x, plan.width, plan.height, sign);
}

} // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle *handle) {
    const std::lock_guard lock(mutex);
    static cufftHandle next = 0;
    plans[ *handle = ++next] = {};
    return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
    const std::lock_guard lock(mutex);
    return plans.erase(handle) == 1 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetAutoAllocation(cufftHandle, int) { return CUFFT_SUCCESS; }
cufftResult cufftMakePlanMany64(cufftHandle handle, int, long long *sizes, long long *, long long, long long,
                                long long *, long long, long long, cufftType type, long long batch,
                                std::size_t *workBytes) {
    const std::lock_guard lock(mutex);
    plans[handle] = {long(sizes[0]), long(sizes[1]), long(batch), type};
    *workBytes = 64;
    // Large ones would take minutes here; refusing them also shows that a refused layout is passed over.
    return sizes[0] * sizes[1] * batch > 40'000 ? CUFFT_ALLOC_FAILED : CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle, void *work) { return work ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE; }
cufftResult cufftSetStream(cufftHandle, cudaStream_t) { return CUFFT_SUCCESS; }

cufftResult cufftExecR2C(cufftHandle handle, cufftReal *values, cufftComplex *spectra) {
    const Plan plan = planOf(handle);
    if (plan.type != CUFFT_R2C)
        return CUFFT_INVALID_TYPE;
    for (long i = 0; i < plan.batch; ++i, values += plan.height * plan.width) {
        std::vector<Complex> plane(values, values + plan.height * plan.width);
        transform(plane, plan, -1);
        for (long y = 0; y < plan.height; ++y)
            for (long x = 0; x <= plan.width / 2; ++x, ++spectra) {
                const Complex value = plane[std::size_t(y * plan.width + x)];
                *spectra = {float(value.real()), float(value.imag())};
            }
    }
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2R(cufftHandle handle, cufftComplex *spectra, cufftReal *values) {
    const Plan plan = planOf(handle);
    if (plan.type != CUFFT_C2R)
        return CUFFT_INVALID_TYPE;
    const long stored = plan.width / 2 + 1;
    for (long i = 0; i < plan.batch; ++i, spectra += plan.height * stored) {
        std::vector<Complex> plane;
        for (long y = 0; y < plan.height; ++y)
            for (long x = 0; x < plan.width; ++x) {
                const bool mirrored = x >= stored;
                const cufftComplex value = mirrored ? spectra[(plan.height - y) % plan.height * stored + plan.width - x]
                                                    : spectra[y * stored + x];
                plane.emplace_back(value.x, mirrored ? -value.y : value.y);
            }
        transform(plane, plan, 1);
        for (const Complex &value : plane)
            *values++ = float(value.real());
    }
    return CUFFT_SUCCESS;
}
}
