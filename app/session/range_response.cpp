#include "app/session/range_response.h"

#include "app/engines/engine_support.h"
#include "app/session/pixel_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

namespace tessera {

double Extremes::largest() const { return farthestFrom(0); }

double Extremes::farthestFrom(double centre) const {
    return spread() < 0 ? 0 : std::max(std::fabs(double(low) - centre), std::fabs(double(high) - centre));
}

float Extremes::centre() const { return spread() < 0 ? 0.0f : float((double(low) + double(high)) / 2); }

Extremes findExtremes(unsigned channels, const ConstPixelView &values, const SampleMask &uncounted,
                      const RunControl &control) {
    Extremes all;
    std::mutex mutex;
    const int count = values.format.channels;
    forEachRow(values.height, control, [&](int y) {
        Extremes own;
        const float *row = values.row<float>(y);
        const std::uint8_t *left = uncounted.empty() ? nullptr : uncounted.row(y);
        for (int i = 0, c = 0; i < values.width * count; ++i) {
            const bool isLeft = left != nullptr && (left[i / count] >> c & 1) != 0;
            if ((channels >> c & 1u) != 0 && std::isfinite(row[i]) && !isLeft) {
                own.low = std::min(own.low, row[i]);
                own.high = std::max(own.high, row[i]);
            }
            c = c + 1 == count ? 0 : c + 1;
        }
        const std::lock_guard lock(mutex);
        all.low = std::min(all.low, own.low);
        all.high = std::max(all.high, own.high);
    });
    return all;
}

namespace {

double gainOf(const StepPlan &plan, std::size_t kernel) {
    return plan.kernels[kernel].magnitude() / std::fabs(plan.divisors[kernel]);
}

// What rounding may make of a result that should be the same everywhere, of values that are at most `distance` from
// what it is computed around: a few units in the last place of what goes into the sums, and their errors' random walk.
double noiseOfSums(const StepPlan &plan, double distance) {
    double noise = 0;
    for (std::size_t i = 0; i < plan.kernels.size(); ++i)
        noise += gainOf(plan, i) * (8 + 2 * std::sqrt(double(plan.kernels[i].taps.size())));
    return noise * 0x1p-24 * distance;
}

// Below which a result is worth a second look: what sums of half precision are off by.
double doubtfulSpread(const StepPlan &plan, double distance) {
    double gain = 0;
    for (std::size_t i = 0; i < plan.kernels.size(); ++i)
        gain += gainOf(plan, i);
    return std::max(noiseOfSums(plan, distance), gain * 0x1p-8 * distance);
}

// Of a result around a centre: what its sums are off by, and what is lost when the centre comes back.
double noiseAroundCentre(const StepPlan &plan, const ValueRange &range, double distance, const Extremes &found) {
    constexpr double steepest = 12.92; // of the sRGB curve, from linear light to stored values
    const double unit = plan.linear ? steepest * double(range.maximum()) : 1.0;
    const double ofValues = std::max(found.largest(), std::fabs(plan.offset)) * 0x1p-24;
    return noiseOfSums(plan, distance) * unit + 4 * ofValues;
}

} // namespace

double respondInRange(const StepPlan &plan, const ValueRange &range, unsigned channels, const RangeSteps &steps,
                      const RunControl &control) {
    PixelView values = steps.fill({});
    if (!range.limited)
        return 1.0;
    const SampleMask uncounted = steps.uncounted(values);
    Extremes found = findExtremes(channels, values, uncounted, control);
    const double largest = std::max(double(range.maximum()), found.largest());
    double noise = noiseOfSums(plan, largest);
    Around around;
    if (steps.source && found.spread() >= 0 && !(found.spread() > doubtfulSpread(plan, largest))) {
        const Extremes source = steps.source();
        around = {source.centre(), canStayAway(plan)};
        try {
            values = steps.fill(around);
            found = findExtremes(channels, values, uncounted, control);
            noise = noiseAroundCentre(plan, range, source.farthestFrom(double(around.centre)), found);
        } catch (const Error &refusal) { // a variant that takes the stored values may not take floats
            if (refusal.kind() != ErrorKind::Usage)
                throw;
            around = {};
            values = steps.fill({});
            noise = doubtfulSpread(plan, largest); // not to be told from structure then
        }
    }
    if (!(found.spread() > noise)) {
        if (around.stay)
            values = steps.fill({around.centre});
        respond(ResponseMode::Clamp, range, channels, values, control);
        return 1.0;
    }
    const float maximum = range.maximum();
    const double low = found.low, scale = double(maximum) / found.spread();
    changeValues(channels, values, control,
                 [=](float value) { return limited(float((double(value) - low) * scale), maximum); });
    return scale;
}

bool canStayAway(const StepPlan &plan) {
    return plan.combine == Combine::Single && !plan.linear && plan.responding == plan.channels;
}

double responseToOne(const StepPlan &plan, std::size_t kernel) {
    return plan.kernels[kernel].sum() / plan.divisors[kernel];
}

void addTransparent(const ConstPixelView &values, const ValueRange &range, SampleMask &mask,
                    const RunControl &control) {
    // Less than half a level is stored as 0. Halves and other simple fractions of a level are means of few pixels,
    // which engines may round to either side: the threshold lies apart from them.
    constexpr double share = 0.37, mostLevels = 65535;
    const double levels = range.units == Depth::F32 ? mostLevels : double(range.maximum());
    const float least = float(share * double(range.maximum()) / levels);
    const int count = values.format.channels;
    SampleMask marked = mask.empty() ? SampleMask(values.width, values.height) : mask;
    std::atomic<std::size_t> transparent = 0;
    forEachRow(values.height, control, [&](int y) {
        const float *alpha = values.row<float>(y) + count - 1;
        std::uint8_t *bits = marked.row(y);
        std::size_t own = 0;
        for (int x = 0; x < values.width; ++x)
            if (!(alpha[x * count] >= least)) {
                bits[x] = 0xff;
                ++own;
            }
        transparent += own;
    });
    if (transparent > 0 && transparent < std::size_t(values.width) * std::size_t(values.height))
        mask = std::move(marked);
}

void subtractCentre(const ConstPixelView &stored, const Rectangle &area, float centre, const PixelView &prepared,
                    const RunControl &control) {
    const ConstPixelView from = stored.part(area);
    const PixelView to = prepared.part(area);
    withSampleType(stored.format.depth, [&]<class Sample>(std::type_identity<Sample>) {
        forEachRow(area.height, control, [&](int y) {
            std::transform(from.row<Sample>(y), from.row<Sample>(y) + area.width * from.format.channels,
                           to.row<float>(y), [=](Sample value) { return float(value) - centre; });
        });
    });
}

void leaveCentre(float response, bool stay, unsigned channels, const ConstPixelView &weights, const PixelView &values,
                 const RunControl &control) {
    const int count = values.format.channels;
    forEachRow(values.height, control, [&](int y) {
        float *row = values.row<float>(y);
        const float *weight = weights.row<float>(y);
        for (int x = 0; x < values.width; ++x, row += count)
            for (int c = 0; c < count; ++c)
                if ((channels >> c & 1u) != 0 && (weight[x] == 0.0f) == stay)
                    row[c] += stay ? -response : response;
    });
}

} // namespace tessera
