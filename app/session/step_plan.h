// One filter step with every option resolved for a kind of picture: what is left is arithmetic.
#pragma once

#include "app/session/pipeline.h"

#include <vector>

namespace tessera {

enum class AlphaPlan : std::uint8_t {
    Copied,    // alpha takes no part
    AsChannel, // alpha is filtered like a colour
    Moved,     // the pixels only move and take their alpha along, and the colours of transparent ones stay
    Weighted,  // colours weigh by alpha; divided by the filtered alpha
    OwnWeight  // colours weigh by alpha; divided by the pixel's own alpha, which stays
};

struct StepPlan {
    std::vector<ConvolutionKernel> kernels; // flipped and anchored, as the engines take them
    std::vector<double> divisors;           // one a kernel
    double offset = 0;
    Combine combine = Combine::Single;
    Border border;
    ResponseMode response = ResponseMode::Clamp;
    unsigned channels = 0;   // bit c: channel c is convolved like a colour (alpha: where filtersAlpha())
    unsigned responding = 0; // of these, those that the response applies to; others end at 0 and the maximum
    bool luma = false;
    bool linear = false;
    AlphaPlan alpha = AlphaPlan::Copied;
    bool replaceAlpha = false; // with Weighted: the filtered alpha goes into the result

    bool filtersAlpha() const { return alpha == AlphaPlan::AsChannel || alpha == AlphaPlan::Moved; }
    // Whether an opaque picture comes out otherwise if it is not known for one. Where pixels only move, only a border
    // of zeros, which is transparent, can show.
    bool dependsOnOpacity() const {
        return weighted() ||
               (alpha == AlphaPlan::Moved && border.mode == BorderMode::Zero && kernels[0].taps.size() > 1);
    }
    // Alpha, filtered, meets another border than the colours: outside, constant:V is an opaque colour.
    bool alphaApart() const { return alpha == AlphaPlan::Moved && border.mode == BorderMode::Constant; }
    bool weighted() const { return alpha == AlphaPlan::Weighted || alpha == AlphaPlan::OwnWeight; }
    // Nothing to prepare and nothing to combine: one convolution of the picture as it is stored.
    bool plain() const { return combine == Combine::Single && !prepared() && !alphaApart(); }
    // The colours are not convolved as stored: they are decoded, weighted or reduced to lightness first.
    bool prepared() const { return luma || linear || weighted(); }
};

// `opaque`: every alpha value of the picture is the nominal maximum. Throws Error{Usage} as checkSteps does.
StepPlan planStep(const FilterStep &step, PixelFormat format, bool opaque);

// The part of a width x height picture that an output `region` depends on, which may reach out of the picture: with
// folding or wrapping borders possibly far from it. A bounding rectangle; never empty.
Rectangle neededArea(const StepPlan &plan, const Rectangle &region, int width, int height);

} // namespace tessera
