#include "gpu/launch/speed_table.h"

#include "gpu/launch/fourier.h"

#include <algorithm>
#include <iterator>

namespace tessera {

namespace {

std::vector<SpeedPoint> pointsOf(const std::vector<SpeedPoint> &all, const SpeedKey &key) {
    std::vector<SpeedPoint> points;
    std::ranges::copy_if(all, std::back_inserter(points), [&](const SpeedPoint &point) { return point.key == key; });
    std::ranges::sort(points, {}, &SpeedPoint::work);
    return points;
}

double interpolated(const std::vector<SpeedPoint> &points, double work) {
    const auto above = std::ranges::lower_bound(points, work, {}, &SpeedPoint::work);
    if (above == points.begin())
        return above->millisecondsPerMegapixel;
    const SpeedPoint &below = *(above - 1);
    if (above == points.end())
        return below.millisecondsPerMegapixel * (below.work > 0 ? work / below.work : 1.0);
    const double share = (work - below.work) / (above->work - below.work);
    return std::lerp(below.millisecondsPerMegapixel, above->millisecondsPerMegapixel, share);
}

} // namespace

double workOf(KernelVariant variant, int tapsWidth, int tapsHeight) {
    if (variant == KernelVariant::Fft)
        return 0.0;
    return variant == KernelVariant::Separable ? (tapsWidth + tapsHeight) / 2.0 : double(tapsWidth) * tapsHeight;
}

double megapixelsOf(KernelVariant variant, const ConvolutionShape &shape) {
    if (variant != KernelVariant::Fft)
        return double(shape.width) * shape.height / 1e6;
    const FourierPlan plan = planFourier(shape);
    const double tiles = double(plan.tileColumns) * plan.tileRows * ceilDivide(shape.height, plan.bandRows);
    return tiles * plan.planes * 2.0 * fourierSide * fourierSide / 1e6; // two signals of reals make a complex one
}

std::optional<double> SpeedTable::predict(const SpeedKey &key, double work) const {
    for (const ScalarType type : {key.type, ScalarType::F32})
        for (const int channels : {key.channels, 1}) {
            const auto measured = pointsOf(points, {key.variant, type, channels, key.terms});
            if (!measured.empty())
                return interpolated(measured, work) * (key.channels / channels);
        }
    return std::nullopt;
}

void SpeedTable::merge(std::span<const SpeedPoint> measured) {
    for (const SpeedPoint &point : measured) {
        const auto old = std::ranges::find_if(
            points, [&](const SpeedPoint &one) { return one.key == point.key && one.work == point.work; });
        if (old != points.end())
            *old = point;
        else
            points.push_back(point);
    }
}

} // namespace tessera
