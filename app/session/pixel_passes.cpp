#include "app/session/pixel_passes.h"

#include "app/engines/engine_support.h"
#include "app/session/pixel_rows.h"
#include "app/session/transfer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>

namespace tessera {

namespace {

constexpr std::array<float, 3> lightnessWeights{0.2126f, 0.7152f, 0.0722f}; // Rec. 709

float lightness(const float *colour) {
    return lightnessWeights[0] * colour[0] + lightnessWeights[1] * colour[1] + lightnessWeights[2] * colour[2];
}

// Stored value to linear light. Integer samples have few values: a table is exact and much faster than powers.
class Decoder {
public:
    explicit Decoder(Depth depth) : maximum_(static_cast<float>(nominalMaximum(depth))) {
        if (depth == Depth::F32)
            return;
        table_.resize(std::size_t(maximum_) + 1);
        for (std::size_t i = 0; i < table_.size(); ++i)
            table_[i] = linearFromSrgb(float(i) / maximum_);
    }
    template <class Sample> float operator()(Sample stored) const {
        if constexpr (std::is_integral_v<Sample>)
            return table_[stored];
        else
            return linearFromSrgb(stored / maximum_);
    }

private:
    float maximum_;
    std::vector<float> table_;
};

template <class Sample>
void prepareRow(const Sample *stored, int channels, int width, const StepPlan &plan, float maximum,
                const Decoder *decode, float centre, float *prepared) {
    const bool hasAlpha = channels == 2 || channels == 4;
    const int colours = hasAlpha ? channels - 1 : channels;
    for (int x = 0; x < width; ++x, stored += channels, prepared += plan.luma ? 1 : channels) {
        std::array<float, 3> colour{};
        const float weight = plan.weighted() ? float(stored[channels - 1]) / maximum : 1.0f;
        for (int c = 0; c < colours; ++c)
            colour[std::size_t(c)] = decode != nullptr ? (*decode)(stored[c]) : float(stored[c]);
        if (plan.luma)
            prepared[0] = (lightness(colour.data()) - centre) * weight;
        else
            for (int c = 0; c < colours; ++c)
                prepared[c] = (colour[std::size_t(c)] - centre) * weight;
        if (hasAlpha && !plan.luma) // not filtered, but engines may look at how large the values are
            prepared[colours] = 0.0f;
    }
}

constexpr unsigned everyChannel = ~0u;

// An alpha that is no number leaves none of what it weighs.
float limitedAlpha(float alpha, float maximum) { return std::isnan(alpha) ? alpha : limited(alpha, maximum); }

} // namespace

void prepareColours(const ConstPixelView &stored, const StepPlan &plan, const ValueRange &range, const Rectangle &area,
                    const PixelView &prepared, const RunControl &control, float centre) {
    std::unique_ptr<const Decoder> decode;
    if (plan.linear)
        decode = std::make_unique<Decoder>(range.units);
    const ConstPixelView from = stored.part(area);
    const PixelView to = prepared.part(area);
    withSampleType(stored.format.depth, [&]<class Sample>(std::type_identity<Sample>) {
        forEachRow(area.height, control, [&](int y) {
            prepareRow(from.row<Sample>(y), from.format.channels, area.width, plan, range.maximum(), decode.get(),
                       centre, to.row<float>(y));
        });
    });
}

void extractAlpha(const ConstPixelView &stored, const Rectangle &area, const PixelView &alpha,
                  const RunControl &control) {
    const int channels = stored.format.channels;
    const ConstPixelView from = stored.part(area);
    withSampleType(stored.format.depth, [&]<class Sample>(std::type_identity<Sample>) {
        forEachRow(area.height, control, [&](int y) {
            const Sample *source = from.row<Sample>(y) + channels - 1;
            float *target = alpha.row<float>(y);
            for (int x = 0; x < area.width; ++x)
                target[x] = float(source[x * channels]);
        });
    });
}

void startCombining(Combine combine, const PixelView &sums, const RunControl &control) {
    if (combine == Combine::Magnitude)
        changeValues(everyChannel, sums, control, [](float value) { return std::fabs(value); });
}

void addCombined(Combine combine, const ConstPixelView &more, const PixelView &sums, const RunControl &control) {
    forEachRow(sums.height, control, [&](int y) {
        const float *from = more.row<float>(y);
        float *to = sums.row<float>(y);
        const int count = sums.width * sums.format.channels;
        if (combine == Combine::Magnitude)
            for (int i = 0; i < count; ++i)
                to[i] = float(std::sqrt(double(to[i]) * double(to[i]) + double(from[i]) * double(from[i])));
        else
            for (int i = 0; i < count; ++i)
                to[i] = from[i] > to[i] || std::isnan(from[i]) ? from[i] : to[i]; // NaN stays
    });
}

void restoreColours(const StepPlan &plan, const ValueRange &range, unsigned channels, const ConstPixelView *alpha,
                    const PixelView &values, const RunControl &control) {
    const float maximum = range.maximum();
    const float offset = float(plan.offset);
    const int count = values.format.channels;
    forEachRow(values.height, control, [&](int y) {
        float *row = values.row<float>(y);
        const float *weights = alpha != nullptr ? alpha->row<float>(y) : nullptr;
        for (int x = 0; x < values.width; ++x, row += count) {
            // Not cut at opaque: where a sharpened alpha overshoots, the colours do as much.
            const float weight = weights == nullptr ? 1.0f : weights[x] <= 0.0f ? 0.0f : weights[x] / maximum;
            for (int c = 0; c < count; ++c) {
                if ((channels >> c & 1u) == 0)
                    continue;
                const float value = weight == 0.0f ? 0.0f : row[c] / weight;
                row[c] = (plan.linear ? srgbFromLinear(value) * maximum : value) + (weight == 0.0f ? 0.0f : offset);
            }
        }
    });
}

void respond(ResponseMode response, const ValueRange &range, unsigned channels, const PixelView &values,
             const RunControl &control) {
    if (!range.limited)
        return;
    const float maximum = range.maximum();
    switch (response) {
    case ResponseMode::Clamp:
    case ResponseMode::Range:
        return changeValues(channels, values, control, [=](float value) { return limited(value, maximum); });
    case ResponseMode::Absolute:
        return changeValues(channels, values, control, [=](float value) { return limited(std::fabs(value), maximum); });
    case ResponseMode::Signed:
        break;
    }
    const float half = range.units == Depth::F32 ? 0.5f : (maximum + 1.0f) / 2.0f;
    changeValues(channels, values, control, [=](float value) { return limited(value + half, maximum); });
}

void mergeChannels(const ConstPixelView &stored, const Rectangle &area, unsigned channels, const ConstPixelView &values,
                   const PixelView &target, const RunControl &control) {
    const ConstPixelView from = stored.part(area);
    const int count = stored.format.channels;
    withSampleType(stored.format.depth, [&]<class Sample>(std::type_identity<Sample>) {
        forEachRow(area.height, control, [&](int y) {
            const Sample *kept = from.row<Sample>(y);
            const float *filtered = values.row<float>(y);
            float *to = target.row<float>(y);
            for (int i = 0, c = 0; i < area.width * count; ++i) {
                to[i] = (channels >> c & 1u) != 0 ? filtered[i] : float(kept[i]);
                c = c + 1 == count ? 0 : c + 1;
            }
        });
    });
}

void mergeLightness(const ConstPixelView &stored, const StepPlan &plan, const ValueRange &range, const Rectangle &area,
                    const ConstPixelView &lightnessValues, const PixelView &target, const RunControl &control) {
    const float maximum = range.maximum();
    const ConstPixelView from = stored.part(area);
    const int count = stored.format.channels;
    const auto working = [&](float value) { return plan.linear ? linearFromSrgb(value / maximum) : value; };
    const auto mergePixel = [&](const float *colour, float newLightness, float *to) {
        const std::array<float, 3> before{working(colour[0]), working(colour[1]), working(colour[2])};
        const float change = working(newLightness) - lightness(before.data());
        for (std::size_t c = 0; c < 3; ++c) {
            const float value = before[c] + change;
            const float encoded = plan.linear ? srgbFromLinear(value) * maximum : value;
            to[c] = range.limited ? limited(encoded, maximum) : encoded;
        }
    };
    withSampleType(stored.format.depth, [&]<class Sample>(std::type_identity<Sample>) {
        forEachRow(area.height, control, [&](int y) {
            const Sample *kept = from.row<Sample>(y);
            const float *filtered = lightnessValues.row<float>(y);
            float *to = target.row<float>(y);
            for (int x = 0; x < area.width; ++x, kept += count, to += count) {
                const std::array<float, 3> colour{float(kept[0]), float(kept[1]), float(kept[2])};
                mergePixel(colour.data(), filtered[x], to);
                if (count == 4)
                    to[3] = float(kept[3]);
            }
        });
    });
}

void mergeAlpha(const ConstPixelView &alpha, bool limit, const ValueRange &range, const PixelView &target,
                const RunControl &control) {
    const int channels = target.format.channels;
    const float maximum = range.maximum();
    forEachRow(target.height, control, [&](int y) {
        const float *from = alpha.row<float>(y);
        float *to = target.row<float>(y) + channels - 1;
        for (int x = 0; x < target.width; ++x)
            to[x * channels] = limit ? limitedAlpha(from[x], maximum) : from[x];
    });
}

void storeValues(const ConstPixelView &values, Depth from, const PixelView &target, const RunControl &control) {
    const float targetMaximum = static_cast<float>(nominalMaximum(target.format.depth));
    const float sourceMaximum = static_cast<float>(nominalMaximum(from));
    const bool sameScale = targetMaximum == sourceMaximum;
    const auto storeRow = [&]<class Source, class Target>(const Source *source, Target *to) {
        for (int i = 0; i < values.width * values.format.channels; ++i) {
            const float value = float(source[i]);
            to[i] = finishValue<Target>(Finish{}, sameScale ? value : value * targetMaximum / sourceMaximum);
        }
    };
    withSampleType(values.format.depth, [&]<class Source>(std::type_identity<Source>) {
        withSampleType(target.format.depth, [&]<class Target>(std::type_identity<Target>) {
            forEachRow(values.height, control, [&](int y) { storeRow(values.row<Source>(y), target.row<Target>(y)); });
        });
    });
}

bool isOpaque(const ConstPixelView &picture, const RunControl &control) {
    const int channels = picture.format.channels;
    std::atomic<bool> opaque{true};
    withSampleType(picture.format.depth, [&]<class Sample>(std::type_identity<Sample>) {
        const auto maximum = static_cast<Sample>(nominalMaximum(picture.format.depth));
        forEachRow(picture.height, control, [&](int y) {
            if (!opaque.load(std::memory_order_relaxed))
                return;
            const Sample *alpha = picture.row<Sample>(y) + channels - 1;
            for (int x = 0; x < picture.width; ++x)
                if (alpha[x * channels] != maximum) {
                    opaque.store(false, std::memory_order_relaxed);
                    return;
                }
        });
    });
    return opaque;
}

} // namespace tessera
