// What all rows of a race run: the convolutions of one filter step on one picture.
#pragma once

#include "app/race/race.h"
#include "app/session/step_plan.h"

namespace tessera {

class RaceTrack {
public:
    RaceTrack(const Image &picture, const FilterStep &step);

    const Image &picture() const { return picture_; }
    const StepPlan &plan() const { return plan_; }
    std::size_t kernels() const { return plan_.kernels.size(); }
    int channels() const; // that are filtered

    // Of the whole picture, rounded to its own depth.
    ConvolutionJob wholeJob(std::size_t kernel, const std::string &variant);

    // All kernels once. Sets row.note to what the engine has to say.
    RunTimes runOnce(Engine &engine, RaceRow &row, const RunControl &control);

    // Sets the row's errors, before rounding: rounding would hide all of them behind half a level. Where the variant
    // writes no floats, those of the rounded results.
    void measureError(Engine &engine, RaceRow &row, const RunControl &control) const;

private:
    bool compareWithReference(Engine &engine, RaceRow &row, Depth depth, const RunControl &control) const;
    ConvolutionJob job(std::size_t kernel, const Rectangle &region, const PixelView &target) const;
    std::vector<Rectangle> samples() const;

    const Image &picture_;
    StepPlan plan_;
    Image target_;
};

} // namespace tessera
