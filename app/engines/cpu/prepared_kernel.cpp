#include "app/engines/cpu/prepared_kernel.h"

#include "app/engines/cpu/low_rank.h"

#include <algorithm>

namespace tessera::cpu {

namespace {

std::vector<ListedTap> listTaps(const ConvolutionKernel &kernel, int step) {
    std::vector<ListedTap> list;
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            if (kernel.at(u, v) != 0.0)
                list.push_back({v, u * step, float(kernel.at(u, v))});
    return list;
}

std::vector<float> byColumns(const ConvolutionKernel &kernel) {
    std::vector<float> columns;
    for (int u = 0; u < kernel.width; ++u)
        for (int v = 0; v < kernel.height; ++v)
            columns.push_back(float(kernel.at(u, v)));
    return columns;
}

void addTerms(PreparedKernel &prepared, const std::vector<OuterProduct> &terms, int blockRows) {
    for (const OuterProduct &term : terms) {
        const int index = prepared.terms();
        prepared.columns.emplace_back(term.column.begin(), term.column.end());
        for (int u = 0; u < prepared.width; ++u)
            if (const float weight = float(term.row[std::size_t(u)]); weight != 0.0f)
                prepared.list.push_back({index * blockRows, u * prepared.step, weight});
    }
}

} // namespace

PreparedKernel prepareKernel(const ConvolutionKernel &kernel, const ConvolutionPlan &plan, int channels,
                             const SimdKernels &simd) {
    const ConvolutionKernel core = coreOf(kernel, plan);
    PreparedKernel prepared;
    prepared.method = plan.method;
    prepared.width = core.width;
    prepared.height = core.height;
    prepared.anchorX = core.anchorX;
    prepared.anchorY = core.anchorY;
    prepared.step = channels;
    switch (plan.method) {
    case Method::Fourier:
        prepared.fourier = planFourier(core, plan.tileWidth, plan.tileHeight, simd);
        [[fallthrough]]; // with the dense taps for tiles that must not be transformed
    case Method::Dense:
        prepared.columns.push_back(byColumns(core));
        break;
    case Method::Listed:
        prepared.list = listTaps(core, channels);
        break;
    case Method::LowRank:
        addTerms(prepared, factorize(core, plan.terms), simd.blockRows);
        break;
    }
    return prepared;
}

} // namespace tessera::cpu
