// The passes around the convolutions, each over all cores: pixel by pixel, so that a part of a picture comes out the
// same as the whole. Float views hold the source's units ("stored") unless said otherwise.
#pragma once

#include "app/core/run_control.h"
#include "app/session/step_plan.h"

namespace tessera {

// What the values of a chain mean.
struct ValueRange {
    Depth units = Depth::U8; // the source's depth: its nominal maximum stands for white
    bool limited = true;     // integer output: responses apply and values end at 0 and the maximum

    float maximum() const { return static_cast<float>(nominalMaximum(units)); }
};

// Fills `area` of `prepared` from `stored`: decoded to linear light (1 is white then), reduced to lightness, less
// `centre`, times alpha / maximum, as the plan says. prepared: float, whole-picture size; 1 channel for luma, else
// stored's channels, of which alpha becomes 0.
void prepareColours(const ConstPixelView &stored, const StepPlan &plan, const ValueRange &range, const Rectangle &area,
                    const PixelView &prepared, const RunControl &control, float centre = 0);

// alpha (one channel, float, of the area's size) = the alpha of `area` of `stored`, in stored units.
void extractAlpha(const ConstPixelView &stored, const Rectangle &area, const PixelView &alpha,
                  const RunControl &control);

// sums = sums combined with more; both of one size. The first kernel's quotients go through startCombining. Magnitudes
// are finite wherever a float can be, and a NaN stays one.
void startCombining(Combine combine, const PixelView &sums, const RunControl &control);
void addCombined(Combine combine, const ConstPixelView &more, const PixelView &sums, const RunControl &control);

// From prepared values back to stored ones, in place, on the channels whose bit is set: divided by alpha / maximum
// where `alpha` (one channel, stored units) is given (0 where that is not above 0, NaN where it is NaN), encoded where
// the plan is linear, plus the plan's offset.
void restoreColours(const StepPlan &plan, const ValueRange &range, unsigned channels, const ConstPixelView *alpha,
                    const PixelView &values, const RunControl &control);

// Applies the response, in place, to the channels whose bit is set, and limits them to the range. Does nothing where
// the range is not limited. ResponseMode::Range limits alone: range_response.h stretches.
void respond(ResponseMode response, const ValueRange &range, unsigned channels, const PixelView &values,
             const RunControl &control);

// target = stored with the channels whose bit is set taken from `values` (float, as many channels as stored, of the
// area's size). `origin` is where target lies in stored. target: float.
void mergeChannels(const ConstPixelView &stored, const Rectangle &area, unsigned channels, const ConstPixelView &values,
                   const PixelView &target, const RunControl &control);

// target's colours = stored's plus the change of lightness; `lightness`: one channel, stored units.
void mergeLightness(const ConstPixelView &stored, const StepPlan &plan, const ValueRange &range, const Rectangle &area,
                    const ConstPixelView &lightness, const PixelView &target, const RunControl &control);

// Writes one-channel `alpha`, limited to 0..maximum where `limit`, as the last channel of target.
void mergeAlpha(const ConstPixelView &alpha, bool limit, const ValueRange &range, const PixelView &target,
                const RunControl &control);

// Scales from the units of `from` to the target's depth, rounding and saturating for integers.
void storeValues(const ConstPixelView &values, Depth from, const PixelView &target, const RunControl &control);

// True where the last channel is the nominal maximum everywhere.
bool isOpaque(const ConstPixelView &picture, const RunControl &control);

} // namespace tessera
