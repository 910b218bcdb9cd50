#include "app/race/race_track.h"

#include "app/engines/reach.h"
#include "app/engines/reference.h"
#include "app/stats/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera {

RaceTrack::RaceTrack(const Image &picture, const FilterStep &step)
    : picture_(picture), plan_(planStep(step, picture.format(), false)),
      target_(picture.width(), picture.height(), picture.format()) {}

int RaceTrack::channels() const {
    return std::popcount(plan_.channels & ((1u << unsigned(picture_.format().channels)) - 1u));
}

ConvolutionJob RaceTrack::job(std::size_t kernel, const Rectangle &region, const PixelView &target) const {
    ConvolutionJob job;
    job.source = picture_.view();
    job.target = target;
    job.region = region;
    job.kernel = &plan_.kernels[kernel];
    job.border = plan_.border;
    job.finish.divisor = float(plan_.divisors[kernel]);
    job.finish.offset = float(plan_.offset);
    job.channelMask = plan_.channels;
    return job;
}

ConvolutionJob RaceTrack::wholeJob(std::size_t kernel, const std::string &variant) {
    ConvolutionJob whole = job(kernel, picture_.view().bounds(), target_.view());
    whole.variant = variant;
    whole.timesApart = true;
    return whole;
}

// Parts that show borders and the inside, small enough for the plain reference whatever the kernel.
std::vector<Rectangle> RaceTrack::samples() const {
    const double taps = double(plan_.kernels.front().width) * plan_.kernels.front().height;
    const int side = std::clamp(int(std::sqrt(4e7 / (taps * picture_.format().channels))), 16, 128);
    const int width = std::min(side, picture_.width()), height = std::min(side, picture_.height());
    const int right = picture_.width() - width, bottom = picture_.height() - height;
    std::vector<Rectangle> parts{{0, 0, width, height}};
    for (const Rectangle &part :
         {Rectangle{right / 2, bottom / 2, width, height}, Rectangle{right, bottom, width, height}})
        if (!(part == parts.back()))
            parts.push_back(part);
    return parts;
}

void RaceTrack::measureError(Engine &engine, RaceRow &row, const RunControl &control) const {
    const Depth own = picture_.format().depth;
    if (!compareWithReference(engine, row, Depth::F32, control) && own != Depth::F32)
        row.errorRounded = compareWithReference(engine, row, own, control);
}

// False where the variant does not write this depth.
bool RaceTrack::compareWithReference(Engine &engine, RaceRow &row, Depth depth, const RunControl &control) const {
    DifferenceSums sums;
    for (const Rectangle &part : samples()) {
        ConvolutionJob sample = job(0, part, {});
        const PixelFormat written{depth, sample.source.format.channels};
        Image wanted(part.width, part.height, written), got(part.width, part.height, written);
        sample.target = got.view();
        sample.variant = row.variant;
        if (!engine.refusal(sample).empty())
            return false;
        engine.convolve(sample, control);
        sample.target = wanted.view();
        convolveReference(sample, control);
        using enum OpenSamples::Values;
        sums.add(differenceSums(got, wanted, {depth == Depth::F32 ? NotFinite : OrEnds, reachedOutputs(sample)}));
    }
    row.maximumError = sums.maximumError;
    row.relativeL2 = sums.referenceSquares > 0 ? sums.relativeL2() : std::sqrt(sums.squares);
    return true;
}

RunTimes RaceTrack::runOnce(Engine &engine, RaceRow &row, const RunControl &control) {
    RunTimes sum;
    sum.kernelMs = sum.copyMs = 0.0;
    for (std::size_t kernel = 0; kernel < kernels(); ++kernel) {
        const RunTimes times = engine.convolve(wholeJob(kernel, row.variant), control);
        sum.totalMs += times.totalMs;
        sum.kernelMs = sumOfTimes(sum.kernelMs, times.kernelMs);
        sum.copyMs = sumOfTimes(sum.copyMs, times.copyMs);
        if (const std::string &remark = times.note.empty() ? times.plan : times.note; !remark.empty())
            row.note = remark;
    }
    return sum;
}

} // namespace tessera
