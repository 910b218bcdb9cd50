// What a step's response is applied to, and what a range is measured by.
#include "app/session/chain_reach.h"
#include "app/session/step_work.h"

#include <algorithm>

namespace tessera {

// What engines may differ in of the result. Of the whole picture alone: of a part the range is its own.
SampleMask StepWork::openToRange() const {
    if (!(region_ == current_.bounds()))
        return {};
    SampleMask samples = nonfiniteSamples(current_);
    addMarks(open_, samples);
    return reachedByStep(samples, plan_, current_.format, region_);
}

// What the range must not depend on: that, and the colours of pixels that nobody sees. `values`: of all channels, or of
// one. `alpha`: what the colours were divided by, or goes beside values of one channel; may be empty.
SampleMask StepWork::uncounted(const ConstPixelView &values, const ConstPixelView &alpha) const {
    SampleMask mask = openToRange();
    if (alphaBit_ == 0 || plan_.alpha == AlphaPlan::AsChannel)
        return mask;
    spreadMarks(plan_.luma ? ~0u : alphaBit_, ~0u, mask);
    if (alpha.data != nullptr)
        addTransparent(alpha, range_, mask, control_);
    if (values.format.channels == channels_)
        addTransparent(values, range_, mask, control_);
    else if (!plan_.replaceAlpha && plan_.alpha != AlphaPlan::Moved)
        addTransparent(ownAlpha(region_).view(), range_, mask, control_);
    return mask;
}

// Of the values that the kernels meet, the border's among them; the hidden colours of transparent pixels meet nothing
// where colours are weighed.
Extremes StepWork::sourceExtremes() const {
    const Rectangle area = readArea(current_, region_, plan_, calls_);
    StepPlan unweighted = plan_;
    unweighted.alpha = AlphaPlan::Copied;
    const Image values = prepared(unweighted, 0);
    SampleMask hidden;
    if (plan_.weighted())
        addTransparent(ownAlpha(area).view(), range_, hidden, control_);
    const unsigned channels = plan_.luma ? 1u : plan_.weighted() ? plan_.channels & ~alphaBit_ : plan_.channels;
    Extremes found = findExtremes(channels, values.view().part(area), hidden, control_);
    const bool zeroCounts = plan_.border.mode == BorderMode::Zero && !plan_.weighted();
    if (zeroCounts || plan_.border.mode == BorderMode::Constant) {
        const float outside = zeroCounts ? 0.0f : float(preparedBorder(0).constant);
        found.low = std::min(found.low, outside);
        found.high = std::max(found.high, outside);
    }
    return found;
}

// Fills what `fill` gives, and applies the response to it.
void StepWork::answer(unsigned channels, const ConstPixelView &alpha,
                      const std::function<PixelView(const Around &)> &fill) {
    if (plan_.response != ResponseMode::Range) {
        respond(plan_.response, range_, channels, fill({}), control_);
        return;
    }
    RangeSteps steps;
    steps.fill = fill;
    steps.uncounted = [&](const ConstPixelView &values) { return uncounted(values, alpha); };
    const bool dividedLater = plan_.alpha == AlphaPlan::OwnWeight || (plan_.weighted() && plan_.linear);
    if (!dividedLater)
        steps.source = [this] { return sourceExtremes(); };
    calls_.addStretch(respondInRange(plan_, range_, channels, steps, control_));
}

} // namespace tessera
