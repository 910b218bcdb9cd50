#include "app/session/preview.h"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

// Cells of a coarse axis about the anchor: how far they reach to either side, and each tap's share in them.
struct CoarseAxis {
    int reach = 0;
    double cell = 1;

    CoarseAxis(int size, int anchor, int level) : cell(std::ldexp(1.0, level)) {
        const double farthest = std::max(anchor, size - 1 - anchor) + 0.5;
        reach = std::max(0, int(std::ceil(farthest / cell - 0.5)));
    }
    int size() const { return 2 * reach + 1; }

    // Adds `value`, spread over the tap at `offset` from the anchor, to the cells it lies in.
    template <class Add> void spread(int offset, Add add) const {
        const double from = (offset - 0.5) / cell, to = (offset + 0.5) / cell;
        for (int k = int(std::floor(from + 0.5)); k <= int(std::floor(to + 0.5)); ++k) {
            const double share = (std::min(to, k + 0.5) - std::max(from, k - 0.5)) * cell;
            if (share > 1e-12)
                add(std::clamp(k + reach, 0, size() - 1), share);
        }
    }
};

bool shrinkParameters(FilterInstance &filter, int level) {
    const FilterDescription *description = findFilter(filter.name);
    if (!description)
        return false;
    for (const ParameterDescription &parameter : description->parameters) {
        if (parameter.unit != "px")
            continue;
        const auto given = filter.values.find(parameter.name);
        const double full = given == filter.values.end() ? parameter.defaultValue : given->second;
        double value = std::clamp(full / std::ldexp(1.0, level), parameter.minimum, parameter.maximum);
        if (parameter.kind == ParameterKind::Integer)
            value = std::clamp(std::round(value), parameter.minimum, parameter.maximum);
        filter.values[parameter.name] = value;
    }
    return true;
}

} // namespace

ConvolutionKernel coarsened(const ConvolutionKernel &kernel, int level) {
    if (level <= 0)
        return kernel;
    const CoarseAxis across(kernel.width, kernel.anchorX, level), down(kernel.height, kernel.anchorY, level);
    ConvolutionKernel coarse = kernel;
    coarse.width = across.size();
    coarse.height = down.size();
    coarse.anchorX = across.reach;
    coarse.anchorY = down.reach;
    coarse.taps.assign(std::size_t(coarse.width) * std::size_t(coarse.height), 0.0);
    coarse.divisor = kernel.effectiveDivisor();
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            down.spread(v - kernel.anchorY, [&](int y, double shareY) {
                across.spread(u - kernel.anchorX,
                              [&](int x, double shareX) { coarse.at(x, y) += kernel.at(u, v) * shareX * shareY; });
            });
    return coarse;
}

std::optional<Chain> previewChain(const Chain &chain, int level) {
    Chain preview = chain;
    if (chain.area) {
        const int cell = 1 << level;
        const Rectangle &full = *chain.area;
        const int x = full.x / cell, y = full.y / cell;
        preview.area =
            Rectangle{x, y, (full.x + full.width + cell - 1) / cell - x, (full.y + full.height + cell - 1) / cell - y};
    }
    for (FilterStep &step : preview.steps) {
        if (!step.enabled)
            continue;
        if (step.filter.name == "custom")
            step.filter.kernel = coarsened(step.filter.kernel, level);
        else if (!shrinkParameters(step.filter, level))
            return std::nullopt;
        step.anchor.reset(); // it counts full-size taps
        try {
            buildFilter(step.filter);
        } catch (const Error &) {
            return std::nullopt;
        }
    }
    return preview;
}

} // namespace tessera
