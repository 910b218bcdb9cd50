// ResponseMode::Range: values stretched so that the least becomes 0 and the greatest the maximum.
//
// What rounding makes of sums that should all be the same must not be stretched, and what a faint structure makes of
// them must. The errors of a sum are relative to the largest of its terms, so that a picture of 65535 levels hides
// under a wide kernel a structure of several. Sums of (value - centre), with the centre of the picture's own values,
// are off by shares of the structure alone, and are 0 exactly where there is none; the kernel's response to the centre
// is added afterwards, or cancels in the stretch. So a result of which rounding could be the reason, in half precision
// too, is computed again around the centre.
#pragma once

#include "app/image/sample_mask.h"
#include "app/session/pixel_passes.h"

#include <functional>
#include <limits>

namespace tessera {

struct Extremes {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();

    double spread() const { return double(high) - double(low); } // negative where no value counts
    double largest() const;                                      // magnitude
    double farthestFrom(double centre) const;
    float centre() const; // 0 where no value counts
};

// Of the finite values of the channels whose bit is set, those aside whose bit is set in `uncounted`.
Extremes findExtremes(unsigned channels, const ConstPixelView &values, const SampleMask &uncounted,
                      const RunControl &control);

// What a step's values are computed around.
struct Around {
    float centre = 0;  // 0: as they are
    bool stay = false; // the kernel's response to it is not added afterwards, which would cost the last bits
};

// Whether a step can leave it out.
bool canStayAway(const StepPlan &plan);

// What a step computes, so that it can be done again around a centre.
struct RangeSteps {
    // Fills the values and returns them; they stay where they are until the next call.
    std::function<PixelView(const Around &)> fill;
    std::function<SampleMask(const ConstPixelView &values)> uncounted;
    // Of the values that the kernels meet, the border's among them, in the units they meet them in. Empty where the
    // step cannot be computed around a centre.
    std::function<Extremes()> source;
};

// Fills the values and stretches the plan's channels of them (`channels`), or limits them where they are flat but for
// rounding. Returns by how much it stretched, 1 where it did not.
double respondInRange(const StepPlan &plan, const ValueRange &range, unsigned channels, const RangeSteps &steps,
                      const RunControl &control);

// The kernel's response to a picture that is 1 everywhere.
double responseToOne(const StepPlan &plan, std::size_t kernel);

// Marks the pixels that are stored wholly transparent, by the last channel of `values` (float, stored units), in all
// channels. Does nothing where that would be all pixels: then somebody keeps values under an alpha that means nothing.
void addTransparent(const ConstPixelView &values, const ValueRange &range, SampleMask &mask, const RunControl &control);

// prepared = stored - centre in `area`, all channels. prepared: float, whole-picture size.
void subtractCentre(const ConstPixelView &stored, const Rectangle &area, float centre, const PixelView &prepared,
                    const RunControl &control);

// Ends what weighted colours were computed around in the channels whose bit is set; `response`: the kernel's to the
// centre. Where `weights` (one channel) is 0 there is no colour, whose place stays 0.
void leaveCentre(float response, bool stay, unsigned channels, const ConstPixelView &weights, const PixelView &values,
                 const RunControl &control);

} // namespace tessera
