// How the CPU engine convolves with a kernel: the choice of algorithm, and the taps in the shape that it wants.
#pragma once

#include "app/engines/cpu/fourier_plan.h"
#include "app/engines/cpu/simd_kernels.h"
#include "app/filters/kernel.h"

#include <string>
#include <vector>

namespace tessera::cpu {

enum class Method {
    Dense,   // every tap, register-blocked
    Listed,  // the taps that are not zero, one by one
    LowRank, // columns, then rows, for every term of the factorized kernel
    Fourier  // products of spectra, tile by tile
};

struct KernelPlan {
    Method method = Method::Dense;
    // The kernel without rows and columns of zeros at its rim. Its anchor may thus lie outside of it.
    int width = 1, height = 1;
    int anchorX = 0, anchorY = 0;
    int step = 1; // samples between horizontal neighbours: the picture's channels

    // Dense: one. LowRank: the column of each term, one wide.
    std::vector<std::vector<float>> columns;
    // Listed: rows counted from the block's first source row. LowRank: the rows of all terms; the sums of term t for
    // output row j are row t * blockRows + j.
    std::vector<ListedTap> list;

    SampleFinish finish;
    FourierPlan fourier; // Fourier; `columns` then holds the dense taps, for tiles that must not be transformed

    std::string explanation; // "rank 2: 2 passes of 31 + 31 taps instead of 961"

    int terms() const { return int(columns.size()); }
    DenseTaps denseTaps(int term, const float *const *nextRows) const {
        const int tapsWidth = method == Method::LowRank ? 1 : width;
        return {tapsWidth, height, step, columns[std::size_t(term)].data(), nextRows};
    }
    double operationsPerSample() const; // multiply-adds, roughly
};

// For a picture of this size: never for a part of it, as the choice shows in the last bits of the result.
KernelPlan planKernel(const ConvolutionKernel &kernel, const ConstPixelView &picture, const SimdKernels &simd);

} // namespace tessera::cpu
