#include "app/engines/source_window.h"

#include <algorithm>

namespace tessera {

namespace {

struct Span {
    int begin, end;
};

// Along one axis: outputs [begin, end) of a picture of `size`, taps of which `before` lie before the origin.
Span readSpan(Span outputs, int size, int taps, int before, BorderMode mode) {
    const int first = outputs.begin - before, last = outputs.end + taps - 1 - before;
    Span read{std::max(first, 0), std::min(last, size)};
    const bool left = first < 0;
    const bool right = last > size;
    switch (mode) {
    case BorderMode::Zero:
    case BorderMode::Constant:
    case BorderMode::Replicate:
        break;
    case BorderMode::Reflect:
    case BorderMode::Reflect101:
        // What sticks out is read on the other side of the edge; with both edges a part may mirror more than once.
        if (left && right)
            return {0, size};
        if (left)
            read.end = std::max(read.end, std::min(size, taps + 1));
        if (right)
            read.begin = std::min(read.begin, std::max(0, size - taps - 1));
        break;
    case BorderMode::Wrap:
        if (left || right)
            return {0, size};
        break;
    }
    return read;
}

} // namespace

Rectangle sourceWindow(const ConvolutionJob &job, int alignment) {
    const ConvolutionKernel &kernel = *job.kernel;
    const Rectangle &region = job.region;
    Span across =
        readSpan({region.x, region.x + region.width}, job.source.width, kernel.width, kernel.anchorX, job.border.mode);
    const Span down = readSpan({region.y, region.y + region.height}, job.source.height, kernel.height, kernel.anchorY,
                               job.border.mode);
    if (across.begin > 0) {
        const int lead = region.x - across.begin;
        across.begin = std::max(0, region.x - (lead + alignment - 1) / alignment * alignment);
    }
    return {across.begin, down.begin, across.end - across.begin, down.end - down.begin};
}

} // namespace tessera
