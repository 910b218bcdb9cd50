#include "app/engines/cpu/prepared_kernel.h"

#include "app/engines/cpu/low_rank.h"

#include <algorithm>
#include <cmath>

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

// The column is made to add up to at most 1, so that the sums between the passes are no larger than the picture's
// values; the row takes the rest. By powers of two: no bit of the result changes.
void balance(OuterProduct &term, double scale) {
    double magnitude = 0;
    for (const double value : term.column)
        magnitude += std::fabs(value);
    const double share = std::exp2(-std::ceil(std::log2(magnitude)));
    for (double &value : term.column)
        value *= share;
    for (double &value : term.row)
        value *= scale / share;
}

void addTerms(PreparedKernel &prepared, std::vector<OuterProduct> terms, int blockRows, double scale) {
    for (OuterProduct &term : terms) {
        balance(term, scale);
        const int index = prepared.terms();
        prepared.columns.emplace_back(term.column.begin(), term.column.end());
        for (int u = 0; u < prepared.width; ++u)
            if (const float weight = float(term.row[std::size_t(u)]); weight != 0.0f)
                prepared.list.push_back({index * blockRows, u * prepared.step, weight});
    }
}

} // namespace

PreparedKernel prepareKernel(const ConvolutionKernel &kernel, const ConvolutionPlan &plan, int channels,
                             const SimdKernels &simd, double scale) {
    ConvolutionKernel core = coreOf(kernel, plan);
    PreparedKernel prepared;
    prepared.method = plan.method;
    prepared.width = core.width;
    prepared.height = core.height;
    prepared.anchorX = core.anchorX;
    prepared.anchorY = core.anchorY;
    prepared.step = channels;
    if (plan.method != Method::LowRank) // whose terms whole taps keep whole
        for (double &tap : core.taps)
            tap *= scale;
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
        addTerms(prepared, factorize(core, plan.terms), simd.blockRows, scale);
        break;
    }
    return prepared;
}

} // namespace tessera::cpu
