#include "app/commands/batch/memory_need.h"

#include "app/commands/batch/batch_file.h"
#include "app/session/step_plan.h"

#include <algorithm>

namespace tessera {

namespace {

// Far more than any machine has, and little enough that several of them add up.
std::uint64_t bytesAs(int width, int height, PixelFormat format) {
    return std::min(imageBytes(width, height, format), std::uint64_t{1} << 56);
}

// Of the picture's size: all channels as floats, one channel, and a mask.
struct Sizes {
    std::uint64_t all = 0, plane = 0, mask = 0;
};

// What a step holds besides what comes in and what it writes into (app/session/step_runner.cpp). `integer`: it writes
// integers itself.
std::uint64_t bytesOfStep(const StepPlan &plan, bool stretches, bool integer, int engineCopies, const Sizes &sizes) {
    const std::uint64_t colours = plan.luma ? sizes.plane : sizes.all;
    const bool alike = plan.responding == plan.channels || plan.response != ResponseMode::Signed;
    std::uint64_t bytes = colours * std::uint64_t(engineCopies);
    if (integer && (!plan.plain() || stretches || !alike))
        bytes += sizes.all; // what is still to be rounded
    if (plan.prepared() || stretches)
        bytes += colours;
    if (stretches) // what does not count in the range: found once of the picture, of the step, of the result
        bytes += 4 * sizes.mask;
    if (plan.plain())
        return bytes;
    bytes += colours * (plan.kernels.size() > 1 ? 2 : 1);
    if (plan.alpha != AlphaPlan::Copied && (plan.prepared() || plan.alphaApart()))
        bytes += sizes.plane * (plan.alpha == AlphaPlan::OwnWeight ? 1 : 2);
    return bytes;
}

} // namespace

std::uint64_t temporaryBytes(std::span<const FilterStep> steps, OutputDepth depth, int engineCopies, PixelFormat input,
                             int width, int height) {
    const Sizes sizes{bytesAs(width, height, {Depth::F32, input.channels}), bytesAs(width, height, {Depth::F32, 1}),
                      std::uint64_t(width) * std::uint64_t(height)};
    const Depth output = outputDepth(depth, input.depth);
    const auto enabled = std::size_t(std::ranges::count(steps, true, &FilterStep::enabled));
    std::uint64_t most = 0;
    std::size_t place = 0;
    for (const FilterStep &step : steps) {
        if (!step.enabled)
            continue;
        const bool first = place == 0, last = ++place == enabled;
        const bool converted = output != Depth::F32 && output != input.depth; // in a pass of its own
        const bool integer = last && output != Depth::F32 && !converted;
        const StepPlan plan = planStep(step, input, false);
        const bool stretches = plan.response == ResponseMode::Range && output != Depth::F32;
        most = std::max(most, bytesOfStep(plan, stretches, integer, engineCopies, sizes) + (first ? 0 : sizes.all) +
                                  (!last || converted ? sizes.all : 0));
    }
    return most;
}

MemoryNeed memoryNeed(const ImageInfo &picture, std::uint64_t fileBytes, std::span<const FilterStep> steps,
                      OutputDepth depth, int engineCopies, bool verify) {
    // With the padding of rows, which of a narrow picture is most of it.
    const auto memoryAs = [&](Depth as) {
        return bytesAs(picture.width, picture.height, {as, picture.format.channels});
    };
    const std::uint64_t source = memoryAs(picture.format.depth);
    const std::uint64_t result = memoryAs(outputDepth(depth, picture.format.depth));
    const std::uint64_t floatCopy = memoryAs(Depth::F32);
    const std::uint64_t temporaries =
        temporaryBytes(steps, depth, engineCopies, picture.format, picture.width, picture.height);
    constexpr std::uint64_t overhead = std::uint64_t{1} << 20;
    MemoryNeed need;
    need.decoding = fileBytes + 2 * source + overhead; // turning by EXIF's orientation makes a second copy
    need.filtering = source + result + temporaries + (verify ? result + floatCopy : 0) + overhead;
    need.encoding = 3 * result + overhead; // the picture, the encoder's buffer, and its growth
    return need;
}

} // namespace tessera
