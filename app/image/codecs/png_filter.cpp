#include "app/image/codecs/png_filter.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace tessera::codecs {

namespace {

using Byte = std::uint8_t;

enum class Filter : Byte { None, Sub, Up, Average, Paeth };

// In 16 bits and without branches, so that the compiler makes vectors of it.
constexpr Byte paeth(Byte left, Byte above, Byte corner) {
    const auto byLeft = static_cast<std::int16_t>(above - corner), byAbove = static_cast<std::int16_t>(left - corner);
    const auto byCorner = static_cast<std::int16_t>(byLeft + byAbove);
    const auto magnitude = [](std::int16_t value) { return static_cast<std::int16_t>(value < 0 ? -value : value); };
    const std::int16_t a = magnitude(byLeft), b = magnitude(byAbove), c = magnitude(byCorner);
    const std::int16_t nearer = b <= c ? b : c;
    const Byte other = b <= c ? above : corner;
    return a <= nearer ? left : other;
}

// `row` and `above` start `pixel` bytes into their buffers, which hold zeros before that: what lies left of the
// picture.
template <Filter filter> void apply(const Byte *row, const Byte *above, Byte *out, std::ptrdiff_t count, int pixel) {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const Byte left = row[i - pixel], up = above[i], corner = above[i - pixel];
        Byte predicted = 0;
        if constexpr (filter == Filter::Sub)
            predicted = left;
        else if constexpr (filter == Filter::Up)
            predicted = up;
        else if constexpr (filter == Filter::Average)
            predicted = static_cast<Byte>((left + up) >> 1);
        else if constexpr (filter == Filter::Paeth)
            predicted = paeth(left, up, corner);
        out[i] = static_cast<Byte>(row[i] - predicted);
    }
}

// Of bytes taken as signed numbers.
std::uint64_t sumOfMagnitudes(const Byte *bytes, std::ptrdiff_t count) {
    constexpr std::ptrdiff_t step = 1 << 14; // sums of so many fit into 32 bits
    std::uint64_t sum = 0;
    for (std::ptrdiff_t begin = 0; begin < count; begin += step) {
        const std::ptrdiff_t end = std::min(count, begin + step);
        std::uint32_t part = 0;
        for (std::ptrdiff_t i = begin; i < end; ++i) {
            const int value = static_cast<std::int8_t>(bytes[i]);
            part += static_cast<std::uint32_t>(value < 0 ? -value : value);
        }
        sum += part;
    }
    return sum;
}

class RowFilter {
public:
    RowFilter(std::ptrdiff_t rowBytes, int pixel)
        : rowBytes_(rowBytes), pixel_(pixel), row_(std::size_t(rowBytes + pixel)), above_(row_.size()),
          candidate_(std::size_t(rowBytes)) {}

    Byte *row() { return row_.data() + pixel_; } // to be filled before write()

    // One byte for the filter's number, then the row; the row is what lies above the next one.
    void write(Byte *target) {
        Byte *best = target + 1;
        apply<Filter::None>(row(), above(), best, rowBytes_, pixel_);
        std::uint64_t smallest = sumOfMagnitudes(best, rowBytes_);
        target[0] = 0;
        tryFilter<Filter::Sub>(target, smallest);
        tryFilter<Filter::Up>(target, smallest);
        tryFilter<Filter::Average>(target, smallest);
        tryFilter<Filter::Paeth>(target, smallest);
        std::swap(row_, above_);
    }

private:
    const Byte *above() const { return above_.data() + pixel_; }

    template <Filter filter> void tryFilter(Byte *target, std::uint64_t &smallest) {
        apply<filter>(row(), above(), candidate_.data(), rowBytes_, pixel_);
        const std::uint64_t sum = sumOfMagnitudes(candidate_.data(), rowBytes_);
        if (sum >= smallest)
            return;
        smallest = sum;
        target[0] = static_cast<Byte>(filter);
        std::memcpy(target + 1, candidate_.data(), std::size_t(rowBytes_));
    }

    const std::ptrdiff_t rowBytes_;
    const int pixel_;
    std::vector<Byte> row_, above_, candidate_;
};

} // namespace

void filterForPng(const ConstPixelView &view, std::byte *target) {
    const std::ptrdiff_t rowBytes = std::ptrdiff_t(view.width) * view.format.bytesPerPixel();
    const bool swapped = view.format.depth == Depth::U16 && std::endian::native == std::endian::little;
    RowFilter filter(rowBytes, view.format.bytesPerPixel());
    for (int y = 0; y < view.height; ++y, target += rowBytes + 1) {
        const auto *from = view.row<Byte>(y);
        Byte *row = filter.row();
        if (!swapped)
            std::memcpy(row, from, std::size_t(rowBytes));
        else
            for (std::ptrdiff_t i = 0; i < rowBytes; i += 2) {
                row[i] = from[i + 1];
                row[i + 1] = from[i];
            }
        filter.write(reinterpret_cast<Byte *>(target));
    }
}

} // namespace tessera::codecs
