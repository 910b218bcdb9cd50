#include "app/bench/measured_speeds.h"

#include "app/bench/pixel_kind.h"

#include <algorithm>
#include <optional>
#include <string>

namespace tessera::bench {

namespace {

constexpr double leastMegapixels = 4;

constexpr std::string_view general = "blocked:specialise=never";

std::optional<KernelVariant> variantOf(const Row &row, std::span<const Row> rows) {
    if (row.variant == general)
        return KernelVariant::Blocked;
    // Beside the general kernel, `blocked` is the one compiled for the very taps.
    const bool compiled = row.variant == "blocked" && std::ranges::any_of(rows, [&](const Row &other) {
                              return other.key == row.key && other.variant == general;
                          });
    return compiled ? std::nullopt : kernelVariantNamed(row.variant);
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
        const double work = row.time.median - launchMilliseconds(*variant);
        if (work <= 0)
            continue; // no more than a launch
        point.millisecondsPerMegapixel = work / megapixelsOf(*variant, shape);
        points.push_back(point);
    }
    return points;
}

} // namespace tessera::bench
