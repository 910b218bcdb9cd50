#include "app/commands/batch/memory_need.h"

#include "app/commands/batch/batch_file.h"
#include "app/filters/filter.h"

#include <algorithm>

namespace tessera {

// One in the engine, one more before a conversion of depth, two before a stretch, which may look at the picture around
// its centre, and up to six where pictures are prepared, kernels combined or steps chained.
std::uint64_t floatCopies(std::span<const FilterStep> steps, OutputDepth depth, PixelFormat input) {
    const FilterStep &step = steps.front();
    if (steps.size() > 1 || step.linear || step.channels.kind == ChannelSelection::Kind::Luma || input.hasAlpha() ||
        buildFilter(step.filter).kernels.size() > 1)
        return 6;
    if (step.response == ResponseMode::Range)
        return 3;
    return outputDepth(depth, input.depth) != input.depth ? 2 : 1;
}

MemoryNeed memoryNeed(const ImageInfo &picture, std::uint64_t fileBytes, std::span<const FilterStep> steps,
                      OutputDepth depth, bool verify) {
    // With the padding of rows, which of a narrow picture is most of it.
    const auto memoryAs = [&](Depth as) {
        return std::min(imageBytes(picture.width, picture.height, {as, picture.format.channels}),
                        std::uint64_t{1} << 56);
    };
    const std::uint64_t source = memoryAs(picture.format.depth);
    const std::uint64_t result = memoryAs(outputDepth(depth, picture.format.depth));
    const std::uint64_t floatCopy = memoryAs(Depth::F32);
    const std::uint64_t temporaries = floatCopy * floatCopies(steps, depth, picture.format);
    constexpr std::uint64_t overhead = std::uint64_t{1} << 20;
    MemoryNeed need;
    need.decoding = fileBytes + 2 * source + overhead; // turning by EXIF's orientation makes a second copy
    need.filtering = source + result + temporaries + (verify ? result + floatCopy : 0) + overhead;
    need.encoding = 3 * result + overhead; // the picture, the encoder's buffer, and its growth
    return need;
}

} // namespace tessera
