#include "app/bench/measured_speeds.h"

#include "app/bench/pixel_kind.h"

#include <algorithm>
#include <optional>
#include <string>

namespace tessera::bench {

namespace {

constexpr double leastMegapixels = 4;

std::optional<KernelVariant> variantOf(const Row &row, std::span<const Row> rows) {
    const bool general = row.variant == "blocked:specialise=never";
    for (const auto &list :
         {std::span<const KernelVariant>(kernelVariants), std::span<const KernelVariant>(tunedVariants)})
        for (const KernelVariant variant : list)
            if (row.variant == kernelVariantName(variant) || (general && variant == KernelVariant::Blocked)) {
                // Beside the general kernel, `blocked` is the one compiled for the very taps.
                const bool compiled = row.variant == "blocked" && std::ranges::any_of(rows, [&](const Row &other) {
                                          return other.key == row.key && other.variant == "blocked:specialise=never";
                                      });
                return compiled ? std::nullopt : std::optional(variant);
            }
    return std::nullopt;
}

bool counts(const Row &row, std::string_view device) {
    const ContestKey &key = row.key;
    return row.device == device && row.ranked() && row.check.failure.empty() && key.work == "convolution" &&
           key.scope == Scope::Kernel && key.cache == CacheState::Cold &&
           double(key.width) * key.height >= leastMegapixels * 1e6;
}

} // namespace

std::vector<SpeedPoint> speedsOf(const Report &report, std::string_view device) {
    std::vector<SpeedPoint> points;
    for (const Row &row : report.rows) {
        const PixelKind *pixel = findPixelKind(row.key.pixel);
        const auto variant = variantOf(row, report.rows);
        if (!variant || !pixel || !counts(row, device))
            continue;
        const ConvolutionShape shape{row.key.width,        row.key.height,           row.key.kernelWidth,
                                     row.key.kernelHeight, scalarBytes(pixel->type), pixel->channels};
        SpeedPoint point;
        point.key = {*variant, pixel->type, *variant == KernelVariant::Fft ? 1 : pixel->channels,
                     *variant == KernelVariant::Separable ? 1 : 0};
        if (*variant == KernelVariant::Separable && !row.key.kernel.starts_with("gaussian"))
            continue; // of nobody knows how many terms
        point.work = workOf(*variant, row.key.kernelWidth, row.key.kernelHeight);
        point.millisecondsPerMegapixel = row.time.median / megapixelsOf(*variant, shape);
        points.push_back(point);
    }
    return points;
}

} // namespace tessera::bench
