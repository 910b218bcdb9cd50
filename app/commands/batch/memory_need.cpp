#include "app/commands/batch/memory_need.h"

#include "app/commands/batch/batch_file.h"
#include "app/filters/filter.h"

namespace tessera {

// One in the engine, one more before a conversion of depth or a stretch, and up to six where pictures are prepared,
// kernels combined or steps chained.
std::uint64_t floatCopies(std::span<const FilterStep> steps, OutputDepth depth, PixelFormat input) {
    const FilterStep &step = steps.front();
    if (steps.size() > 1 || step.linear || step.channels.kind == ChannelSelection::Kind::Luma || input.hasAlpha() ||
        buildFilter(step.filter).kernels.size() > 1)
        return 6;
    return step.response == ResponseMode::Range || outputDepth(depth, input.depth) != input.depth ? 2 : 1;
}

MemoryNeed memoryNeed(const ImageInfo &picture, std::uint64_t fileBytes, std::span<const FilterStep> steps,
                      OutputDepth depth, bool verify) {
    const std::uint64_t samples =
        std::uint64_t(picture.width) * std::uint64_t(picture.height) * std::uint64_t(picture.format.channels);
    const std::uint64_t source = samples * std::uint64_t(bytesPerSample(picture.format.depth));
    const std::uint64_t result = samples * std::uint64_t(bytesPerSample(outputDepth(depth, picture.format.depth)));
    const std::uint64_t floatCopy = samples * 4;
    const std::uint64_t temporaries = floatCopy * floatCopies(steps, depth, picture.format);
    constexpr std::uint64_t overhead = std::uint64_t{1} << 20;
    MemoryNeed need;
    need.decoding = fileBytes + 2 * source + overhead; // turning by EXIF's orientation makes a second copy
    need.filtering = source + result + temporaries + (verify ? result + floatCopy : 0) + overhead;
    need.encoding = 3 * result + overhead; // the picture, the encoder's buffer, and its growth
    return need;
}

} // namespace tessera
