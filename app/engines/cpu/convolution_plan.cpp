#include "app/engines/cpu/convolution_plan.h"

#include "app/engines/cpu/fourier_plan.h"
#include "app/engines/cpu/low_rank.h"

#include <algorithm>
#include <cmath>

namespace tessera::cpu {

namespace {

// The smallest part of the kernel that holds every tap other than 0.
void findCore(const ConvolutionKernel &kernel, ConvolutionPlan &plan) {
    int left = kernel.width, right = -1, top = kernel.height, bottom = -1;
    for (int v = 0; v < kernel.height; ++v) {
        for (int u = 0; u < kernel.width; ++u) {
            if (kernel.at(u, v) == 0.0)
                continue;
            ++plan.taps;
            left = std::min(left, u);
            right = std::max(right, u);
            top = std::min(top, v);
            bottom = std::max(bottom, v);
        }
    }
    if (plan.taps > 0)
        plan.core = {left, top, right - left + 1, bottom - top + 1};
}

int area(const Rectangle &core) { return core.width * core.height; }

double lowRankCost(int terms, const Rectangle &core, const MethodCosts &costs) {
    return costs.sample + terms * (costs.term + core.height + costs.listedTap * core.width);
}

// How many terms would still be cheaper than `cost`.
int affordableTerms(double cost, const Rectangle &core, const MethodCosts &costs) {
    int terms = 0;
    while (terms < std::min(core.width, core.height) && lowRankCost(terms + 1, core, costs) < cost)
        ++terms;
    return terms;
}

std::string rounded(double value) { return std::to_string(std::lround(value)); }

void takeDirect(ConvolutionPlan &plan, const MethodCosts &costs) {
    const double listedCost = costs.sample + costs.listedTap * plan.taps;
    const std::string all = std::to_string(area(plan.core));
    plan.method = plan.core.height == 1 || listedCost < plan.denseCost ? Method::Listed : Method::Dense;
    plan.cost = plan.method == Method::Listed ? listedCost : plan.denseCost;
    if (plan.method == Method::Dense || plan.taps == area(plan.core))
        plan.reason = "all " + all + (plan.core.height == 1 ? " taps, in one row" : " taps");
    else
        plan.reason = std::to_string(plan.taps) + " of " + all + " taps, the others being 0";
}

void takeLowRank(ConvolutionPlan &plan, int terms, const MethodCosts &costs) {
    plan.method = Method::LowRank;
    plan.terms = terms;
    plan.cost = lowRankCost(terms, plan.core, costs);
    const std::string taps = std::to_string(plan.core.height) + " + " + std::to_string(plan.core.width) +
                             " taps instead of " + std::to_string(area(plan.core));
    plan.reason = terms == 1 ? "separable: " + taps : "rank " + std::to_string(terms) + ": as many times " + taps;
}

void takeFourier(ConvolutionPlan &plan, const FourierChoice &choice) {
    const std::string tile = std::to_string(choice.width) + "x" + std::to_string(choice.height);
    plan.reason = "Fourier transform in tiles of " + tile + ": as long as " + rounded(choice.cost) +
                  " taps instead of " + rounded(plan.cost);
    plan.method = Method::Fourier;
    plan.tileWidth = choice.width;
    plan.tileHeight = choice.height;
    plan.cost = choice.cost;
}

} // namespace

std::string_view methodName(Method method) {
    switch (method) {
    case Method::Dense:
        return "dense";
    case Method::Listed:
        return "listed";
    case Method::LowRank:
        return "low rank";
    case Method::Fourier:
        break;
    }
    return "Fourier";
}

std::string toString(const ConvolutionPlan &plan) {
    std::string text(methodName(plan.method));
    text += ", core " + std::to_string(plan.core.width) + "x" + std::to_string(plan.core.height);
    if (plan.method == Method::LowRank)
        text += ", " + std::to_string(plan.terms) + (plan.terms == 1 ? " term" : " terms");
    if (plan.method == Method::Fourier)
        text += ", tiles " + std::to_string(plan.tileWidth) + "x" + std::to_string(plan.tileHeight);
    return text + ", cost " + rounded(plan.cost) + " (dense " + rounded(plan.denseCost) + "): " + plan.reason;
}

ConvolutionKernel coreOf(const ConvolutionKernel &kernel, const ConvolutionPlan &plan) {
    ConvolutionKernel core;
    core.width = plan.core.width;
    core.height = plan.core.height;
    core.anchorX = kernel.anchorX - plan.core.x;
    core.anchorY = kernel.anchorY - plan.core.y;
    core.taps.clear();
    for (int v = 0; v < core.height; ++v)
        for (int u = 0; u < core.width; ++u)
            core.taps.push_back(kernel.at(plan.core.x + u, plan.core.y + v));
    return core;
}

ConvolutionPlan planConvolution(const ConvolutionKernel &kernel, const PictureShape &picture,
                                const MethodCosts &costs) {
    ConvolutionPlan plan;
    findCore(kernel, plan);
    plan.denseCost = costs.sample + area(plan.core);
    takeDirect(plan, costs);
    const FourierChoice fourier = chooseFourierTile(plan.core, picture, costs);
    const int affordable = affordableTerms(std::min(plan.cost, fourier.cost), plan.core, costs);
    const int terms = affordable > 0 ? int(factorize(coreOf(kernel, plan), affordable).size()) : 0;
    if (terms > 0)
        takeLowRank(plan, terms, costs);
    else if (fourier.cost < plan.cost)
        takeFourier(plan, fourier);
    return plan;
}

} // namespace tessera::cpu
