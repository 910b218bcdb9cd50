// The taps of a kernel in the shape that the planned method wants.
#pragma once

#include "app/engines/cpu/convolution_plan.h"
#include "app/engines/cpu/fourier_plan.h"
#include "app/engines/cpu/simd_kernels.h"
#include "app/filters/kernel.h"

#include <vector>

namespace tessera::cpu {

struct PreparedKernel {
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

    int terms() const { return int(columns.size()); }
    DenseTaps denseTaps(int term, const float *const *nextRows) const {
        const int tapsWidth = method == Method::LowRank ? 1 : width;
        return {tapsWidth, height, step, columns[std::size_t(term)].data(), nextRows};
    }
};

// `scale`: a power of two that all taps are multiplied by.
PreparedKernel prepareKernel(const ConvolutionKernel &kernel, const ConvolutionPlan &plan, int channels,
                             const SimdKernels &simd, double scale = 1.0);

} // namespace tessera::cpu
