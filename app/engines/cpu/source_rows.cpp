#include "app/engines/cpu/source_rows.h"

#include "app/engines/engine_support.h"

#include <algorithm>
#include <cstdint>

namespace tessera::cpu {

void RowBuffer::resize(int rows, int samples) {
    constexpr std::size_t line = 16; // floats of a cache line
    // An odd number of lines: rows that lie a multiple of 4 KB apart would push each other out of the cache.
    const std::size_t lines = (std::size_t(samples) + line - 1) / line | 1u;
    pitch_ = lines * line;
    const std::size_t needed = pitch_ * std::size_t(rows) + line;
    if (memory_.size() < needed)
        memory_.resize(needed);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    base_ = memory_.data() + (64 - address % 64) % 64 / sizeof(float);
}

SourceRows::SourceRows(const ConvolutionJob &job, const SourceWindow &window, const SimdKernels &simd, RowBuffer &ring)
    : job_(job), window_(window), simd_(simd), ring_(ring), direct_(readsPicture()) {
    // Read directly, one row is enough: for what lies above and below.
    ring_.resize(direct_ ? 1 : window.rows, window.readableSamples);
    if (direct_)
        assemble(-1, ring_.row(0));
}

bool SourceRows::readsPicture() const {
    const ConstPixelView &source = job_.source;
    const int channels = source.format.channels;
    return source.format.depth == Depth::F32 && window_.firstColumn >= 0 &&
           window_.firstColumn * channels + window_.readableSamples <= source.width * channels;
}

const float *SourceRows::inPicture(int y) const {
    const int row = borderIndex(job_.border.mode, y, job_.source.height);
    if (row < 0)
        return ring_.row(0);
    return job_.source.row<float>(row) + std::ptrdiff_t(window_.firstColumn) * job_.source.format.channels;
}

bool SourceRows::pointAhead(int first, std::span<const float *> pointers) const {
    if (!direct_)
        return false;
    for (std::size_t i = 0; i < pointers.size(); ++i)
        pointers[i] = inPicture(first + int(i));
    return true;
}

void SourceRows::point(int first, std::vector<const float *> &pointers) {
    pointers.resize(std::size_t(window_.rows));
    if (direct_) {
        pointAhead(first, pointers);
        return;
    }
    if (!started_)
        assembledEnd_ = first;
    started_ = true;
    assembledEnd_ = std::max(assembledEnd_, first);
    const auto slot = [&](int y) {
        const int remainder = y % window_.rows;
        return ring_.row(remainder < 0 ? remainder + window_.rows : remainder);
    };
    for (; assembledEnd_ < first + window_.rows; ++assembledEnd_)
        assemble(assembledEnd_, slot(assembledEnd_));
    for (int i = 0; i < window_.rows; ++i)
        pointers[std::size_t(i)] = slot(first + i);
}

// One pixel at a time: these columns are few.
void SourceRows::fillOutside(const std::byte *row, int firstColumn, int endColumn, float *to) const {
    const int channels = job_.source.format.channels;
    const float outside = job_.border.mode == BorderMode::Constant ? float(job_.border.constant) : 0.0f;
    withSampleType(job_.source.format.depth, [&]<class Sample>(std::type_identity<Sample>) {
        const Sample *samples = reinterpret_cast<const Sample *>(row);
        for (int x = firstColumn; x < endColumn; ++x) {
            const int column = borderIndex(job_.border.mode, x, job_.source.width);
            for (int channel = 0; channel < channels; ++channel)
                *to++ = column < 0 ? outside : float(samples[column * channels + channel]);
        }
    });
}

void SourceRows::assemble(int y, float *to) const {
    const ConstPixelView &source = job_.source;
    const int channels = source.format.channels;
    const int row = borderIndex(job_.border.mode, y, source.height);
    if (row < 0) {
        std::fill_n(to, window_.readableSamples,
                    job_.border.mode == BorderMode::Constant ? float(job_.border.constant) : 0.0f);
        return;
    }
    const std::byte *samples = source.row<std::byte>(row);
    const int end = window_.firstColumn + window_.columns;
    const int insideFirst = std::clamp(0, window_.firstColumn, end);
    const int insideEnd = std::clamp(source.width, insideFirst, end);
    fillOutside(samples, window_.firstColumn, insideFirst, to);
    to += std::ptrdiff_t(insideFirst - window_.firstColumn) * channels;
    const std::ptrdiff_t offset = std::ptrdiff_t(insideFirst) * source.format.bytesPerPixel();
    const std::byte *ahead = row + simd_.blockRows < source.height ? samples + simd_.blockRows * source.pitch : nullptr;
    simd_.widen(samples + offset, source.format.depth, to, (insideEnd - insideFirst) * channels,
                ahead == nullptr ? nullptr : ahead + offset);
    to += std::ptrdiff_t(insideEnd - insideFirst) * channels;
    fillOutside(samples, insideEnd, end, to);
}

} // namespace tessera::cpu
