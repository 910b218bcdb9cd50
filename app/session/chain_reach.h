// What NaN and infinities of a picture leave open in the result of a chain: engines keep their contract (engine.h) and
// may yet differ there.
#pragma once

#include "app/session/pipeline.h"
#include "app/session/step_plan.h"
#include "app/stats/comparison.h"

namespace tessera {

// Of the whole picture; nothing where its values are finite. `opaque`: alpha is at its maximum everywhere.
OpenSamples openSamples(const ConstPixelView &picture, std::span<const FilterStep> steps, OutputDepth depth,
                        bool opaque);

// mask gets the marks of `more` as well.
void addMarks(const SampleMask &more, SampleMask &mask);

// Where channels depend on others: in pixels where any of the channels `from` is marked, all of `to` become so.
void spreadMarks(unsigned from, unsigned to, SampleMask &mask);

// Of one step: the outputs of `region` that `samples` of the picture reach.
SampleMask reachedByStep(const SampleMask &samples, const StepPlan &plan, PixelFormat format, const Rectangle &region);

} // namespace tessera
