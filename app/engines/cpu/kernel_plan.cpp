#include "app/engines/cpu/kernel_plan.h"

#include "app/engines/cpu/low_rank.h"

#include <algorithm>

namespace tessera::cpu {

namespace {

// The smallest part of the kernel that holds every tap other than 0.
ConvolutionKernel trimmed(const ConvolutionKernel &kernel) {
    int left = kernel.width, right = -1, top = kernel.height, bottom = -1;
    for (int v = 0; v < kernel.height; ++v) {
        for (int u = 0; u < kernel.width; ++u) {
            if (kernel.at(u, v) == 0.0)
                continue;
            left = std::min(left, u);
            right = std::max(right, u);
            top = std::min(top, v);
            bottom = std::max(bottom, v);
        }
    }
    ConvolutionKernel result;
    if (right < 0) { // nothing but zeros
        result.taps = {0.0};
        return result;
    }
    result.width = right - left + 1;
    result.height = bottom - top + 1;
    result.anchorX = kernel.anchorX - left;
    result.anchorY = kernel.anchorY - top;
    result.taps.clear();
    for (int v = top; v <= bottom; ++v)
        for (int u = left; u <= right; ++u)
            result.taps.push_back(kernel.at(u, v));
    return result;
}

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

// Costs in dense multiply-adds a sample, as measured (tests/bench/cpu-notes.md).
constexpr double listedTapCost = 2.0; // loads a vector each
constexpr double termCost = 2.0;      // stores and loads the sums between the passes
constexpr double lowRankCost = 12.0;

double costOf(int terms, const ConvolutionKernel &kernel) {
    return lowRankCost + terms * (termCost + kernel.height + listedTapCost * kernel.width);
}

// How many terms would still be cheaper than `cost`.
int affordableTerms(double cost, const ConvolutionKernel &kernel) {
    int terms = 0;
    while (terms < std::min(kernel.width, kernel.height) && costOf(terms + 1, kernel) < cost)
        ++terms;
    return terms;
}

void planTerms(KernelPlan &plan, const std::vector<OuterProduct> &terms, int blockRows) {
    plan.method = Method::LowRank;
    for (const OuterProduct &term : terms) {
        const int index = plan.terms();
        plan.columns.emplace_back(term.column.begin(), term.column.end());
        for (int u = 0; u < plan.width; ++u)
            if (const float weight = float(term.row[std::size_t(u)]); weight != 0.0f)
                plan.list.push_back({index * blockRows, u * plan.step, weight});
    }
    const std::string taps = std::to_string(plan.height) + " + " + std::to_string(plan.width) + " taps instead of " +
                             std::to_string(plan.width * plan.height);
    plan.explanation =
        terms.size() == 1 ? "separable: " + taps : "rank " + std::to_string(terms.size()) + ": as many times " + taps;
}

// Whether the transform pays against summing at `cost` multiply-adds a sample.
bool fillFourier(KernelPlan &plan, const ConvolutionKernel &core, double cost, const ConstPixelView &picture,
                 const SimdKernels &simd) {
    constexpr double least = 100; // multiply-adds a sample below which no transform ever pays
    if (cost < least)
        return false;
    const FourierChoice choice = chooseFourierTile(core.width, core.height, picture.width, picture.height);
    if (choice.width == 0 || choice.cost > cost * double(picture.width) * double(picture.height))
        return false;
    plan.method = Method::Fourier;
    plan.columns.push_back(byColumns(core));
    plan.fourier = planFourier(core, choice, simd);
    plan.explanation =
        "Fourier transform in tiles of " + std::to_string(choice.width) + "x" + std::to_string(choice.height);
    return true;
}

} // namespace

double KernelPlan::operationsPerSample() const {
    switch (method) {
    case Method::Listed:
        return double(list.size());
    case Method::LowRank:
        return double(terms()) * height + double(list.size());
    case Method::Fourier:
        return std::min(double(width) * height, 200.0);
    case Method::Dense:
        break;
    }
    return double(width) * height;
}

KernelPlan planKernel(const ConvolutionKernel &kernel, const ConstPixelView &picture, const SimdKernels &simd) {
    const ConvolutionKernel core = trimmed(kernel);
    KernelPlan plan;
    plan.width = core.width;
    plan.height = core.height;
    plan.anchorX = core.anchorX;
    plan.anchorY = core.anchorY;
    plan.step = picture.format.channels;

    std::vector<ListedTap> list = listTaps(core, plan.step);
    const double denseCost = double(core.width) * core.height;
    // A single row has nothing to share between output rows.
    const double listedCost = core.height == 1 ? 0.0 : listedTapCost * double(list.size());
    const int affordable = affordableTerms(std::min(denseCost, listedCost), core);
    if (affordable > 0)
        if (const std::vector<OuterProduct> terms = factorize(core, affordable); !terms.empty()) {
            planTerms(plan, terms, simd.blockRows);
            return plan;
        }
    if (fillFourier(plan, core, std::min(denseCost, listedCost), picture, simd))
        return plan;
    const std::string all = std::to_string(core.width * core.height);
    if (listedCost < denseCost) {
        plan.method = Method::Listed;
        plan.explanation = std::to_string(list.size()) + " of " + all + " taps, the others being 0";
        plan.list = std::move(list);
    } else {
        plan.columns.push_back(byColumns(core));
        plan.explanation = "all " + all + " taps";
    }
    return plan;
}

} // namespace tessera::cpu
