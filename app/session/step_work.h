// The parts of running one step; see step_runner.h.
#pragma once

#include "app/session/range_response.h"
#include "app/session/step_runner.h"

#include <functional>

namespace tessera {

// A part of the output, and whether every pixel of it has to be a sum of its own terms alone, whatever that costs.
struct Part {
    Rectangle region;
    bool direct = false;
};

inline PixelFormat floatFormat(int channels) { return {Depth::F32, channels}; }

class StepWork {
public:
    StepWork(const ConstPixelView &current, const Rectangle &region, const StepPlan &plan, const ValueRange &range,
             EngineCalls &calls, const SampleMask &open)
        : current_(current), region_(region), plan_(plan), range_(range), calls_(calls), open_(open),
          control_(calls.control()), channels_(current.format.channels),
          alphaBit_(current.format.hasAlpha() ? 1u << (channels_ - 1) : 0u) {}

    void runPlain(const PixelView &target, LevelCounts *counts);
    void runPrepared(const PixelView &target);

private:
    void convolve(const ConstPixelView &source, std::size_t kernel, const Border &border, unsigned channels,
                  const Finish &finish, const Part &part, const PixelView &target, LevelCounts *counts = nullptr);
    Image combined(const ConstPixelView &source, const Border &border, unsigned channels, const Part &part,
                   float centre = 0);
    void prepare(const Around &around);
    Image combinedColours(const Part &part);
    Image prepared(const StepPlan &plan, float centre) const;
    Border preparedBorder(float centre) const;
    Image alphaPlane() const;
    Image ownAlpha(const Rectangle &area) const;
    Image averagedAlpha(const Part &part);
    Image filteredAlpha();
    void mendThinAlpha(Image &colours, Image &alpha);
    void mergeFilteredAlpha(Image &alpha, const PixelView &target);
    void fillPlain(const Around &around, const PixelView &values);
    void fillPrepared(const Around &around, unsigned restored, Image &alpha, Image &values);
    void answer(unsigned channels, const ConstPixelView &alpha, const std::function<PixelView(const Around &)> &fill);
    SampleMask openToRange() const;
    SampleMask uncounted(const ConstPixelView &values, const ConstPixelView &alpha) const;
    Extremes sourceExtremes() const;

    const ConstPixelView &current_;
    const Rectangle region_;
    const StepPlan &plan_;
    const ValueRange range_;
    EngineCalls &calls_;
    const SampleMask &open_;
    const RunControl &control_;
    const int channels_;
    const unsigned alphaBit_;
    Image prepared_, plane_; // colours and alpha, of the whole picture's size; only what is read is ever touched
    Around around_;          // what the prepared colours are computed around
    bool roundsLocally_ = true;
};

} // namespace tessera
