#include "app/session/tap_sum.h"

#include "app/session/display.h"
#include "app/session/step_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera {

std::string tapNumber(double value, int digits) {
    constexpr double large = 1e4, tooLarge = 1e15; // from there on not every whole number is a double
    const double magnitude = std::abs(value);
    const bool whole = value == std::round(value);
    char text[40];
    std::snprintf(text, sizeof text,
                  magnitude >= tooLarge         ? "%.*g"
                  : whole || magnitude >= large ? "%.*f"
                                                : "%.*g",
                  magnitude >= tooLarge ? 6
                  : whole               ? 0
                  : magnitude >= large  ? 1
                                        : digits,
                  value);
    return text;
}

TapSum explainPixel(const ConstPixelView &picture, const FilterStep &step, int x, int y, int channel) {
    const StepPlan plan = planStep(step, picture.format, false);
    const ConvolutionKernel &kernel = plan.kernels.front();
    TapSum result;
    result.channel = channel;
    result.width = kernel.width;
    result.height = kernel.height;
    result.divisor = plan.divisors.front();
    result.offset = plan.offset;
    const bool isAlpha = picture.format.hasAlpha() && channel == picture.format.channels - 1;
    const double opaque = nominalMaximum(picture.format.depth); // as alpha lies outside where it goes apart
    const double constant = plan.border.mode != BorderMode::Constant ? 0.0
                            : isAlpha && plan.alphaApart()           ? opaque
                                                                     : plan.border.constant;
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u) {
            const int column = x + u - kernel.anchorX, row = y + v - kernel.anchorY;
            const int inColumn = borderIndex(plan.border.mode, column, picture.width),
                      inRow = borderIndex(plan.border.mode, row, picture.height);
            TapTerm term{u, v, kernel.at(u, v), constant, column != inColumn || row != inRow};
            if (inColumn >= 0 && inRow >= 0)
                term.value = pixelAt(picture, inColumn, inRow).value[channel];
            result.sum += term.product();
            result.terms.push_back(term);
        }
    result.value = result.sum / result.divisor + result.offset;
    if (plan.kernels.size() > 1)
        result.caveat = "the first of " + std::to_string(plan.kernels.size()) + " kernels";
    else if (plan.linear)
        result.caveat = "of the stored values; the step works in linear light";
    else if (plan.luma)
        result.caveat = "of this channel; the step filters luminance";
    else if (plan.weighted())
        result.caveat = "of the stored values; the step weights them by alpha";
    return result;
}

std::string tapSumText(const TapSum &sum, int shown) {
    std::vector<TapTerm> terms = sum.terms;
    std::erase_if(terms, [](const TapTerm &term) { return term.tap == 0; });
    std::stable_sort(terms.begin(), terms.end(),
                     [](const TapTerm &a, const TapTerm &b) { return std::abs(a.product()) > std::abs(b.product()); });
    const bool divides = sum.divisor != 1;
    std::string text = divides ? "(" : "";
    for (std::size_t i = 0; i < terms.size() && int(i) < shown; ++i) {
        if (i || terms[i].tap < 0)
            text += terms[i].tap < 0 ? (i ? " − " : "−") : " + ";
        text += tapNumber(std::abs(terms[i].tap)) + "·" + tapNumber(terms[i].value);
    }
    if (terms.empty())
        text += "0";
    if (int(terms.size()) > shown)
        text += " + …";
    if (divides)
        text += ") / " + tapNumber(sum.divisor);
    if (sum.offset != 0)
        text += (sum.offset < 0 ? " − " : " + ") + tapNumber(std::abs(sum.offset));
    return text + " = " + tapNumber(sum.value, sumDigits);
}

} // namespace tessera
