// What is known of one channel's values after a look at each: sums, extremes and counts.
#pragma once

#include "gpu/kernels/fold.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tessera {

// Sums are exact integers for integer pixels (2^64 allows 4 G pixels of 16 bits squared) and double for float ones.
template <class T> struct SumType { using Type = unsigned long long; };
template <> struct SumType<float> { using Type = double; };

// Sums and extremes with a group of floats added, in about half of the instructions that looking at each value takes.
// No comparison looks for NaN or infinity: one of them would make the sum NaN or infinite, which finite floats cannot
// (2^31 of them stay far within a double).
struct FloatGroup {
    double sum, sumOfSquares; // with the group
    float low, high;          // of the group alone

    template <int n>
    GPU_CODE FloatGroup(double before, double squaresBefore, const float (&values)[n])
        : sum(before), sumOfSquares(squaresBefore), low(values[0]), high(values[0]) {
        GPU_UNROLL for (int i = 0; i < n; ++i) {
            const double wide = values[i];
            sum += wide;
            sumOfSquares += wide * wide;
            low = fminf(low, values[i]);
            high = fmaxf(high, values[i]);
        }
    }
    GPU_CODE bool allFinite() const { return (std::bit_cast<unsigned long long>(sum) >> 52 & 0x7ffu) != 0x7ffu; }
};

// The totals of one channel of T: std::uint8_t, std::uint16_t or float. In a thread's registers counts take 32 bits, as
// no thread sees 2^32 pixels and four channels of 64-bit ones would spill. `above` is no business of add(): whoever
// counts it compares with a threshold of its own.
template <class T, class Count = unsigned long long> struct ChannelTotals {
    using Value = T;
    using Sum = typename SumType<T>::Type;

    Sum sum;
    Sum sumOfSquares;
    T minimum;
    T maximum;
    Count finite, nan, infinite, clippedLow, clippedHigh, above;

    // The identity: adding it to anything changes nothing.
    GPU_CODE static constexpr ChannelTotals identity() { return {0, 0, largest(), lowest(), 0, 0, 0, 0, 0, 0}; }
    GPU_CODE static constexpr T largest() { return largestValue<T>(); }
    GPU_CODE static constexpr T lowest() { return lowestValue<T>(); }
    template <class Other> GPU_CODE constexpr ChannelTotals<T, Other> withCounts() const {
        return {sum, sumOfSquares, minimum, maximum, finite, nan, infinite, clippedLow, clippedHigh, above};
    }
    // The value that stands for white, where "clipped high" begins.
    GPU_CODE static constexpr T white() {
        if constexpr (std::is_same_v<T, float>)
            return 1.0f;
        else
            return largest();
    }

    GPU_CODE void add(T value) {
        if constexpr (std::is_same_v<T, float>) {
            const unsigned bits = std::bit_cast<unsigned>(value) & 0x7fffffffu;
            nan += bits > 0x7f800000u;
            infinite += bits == 0x7f800000u;
            clippedLow += value <= 0.0f;
            clippedHigh += value >= white();
            if (bits >= 0x7f800000u)
                return;
        } else {
            clippedLow += value == 0;
            clippedHigh += value == white();
        }
        ++finite;
        sum += Sum(value);
        sumOfSquares += Sum(value) * Sum(value);
        minimum = value < minimum ? value : minimum;
        maximum = value > maximum ? value : maximum;
    }
    // The same as add() of each; see FloatGroup. Clipped values are not counted where the group's extremes tell that
    // there are none.
    template <int n> GPU_CODE void addAll(const T (&values)[n]) {
        if constexpr (std::is_same_v<T, float>) {
            const FloatGroup group(sum, sumOfSquares, values);
            if (!group.allFinite())
                return addOneByOne(values);
            sum = group.sum;
            sumOfSquares = group.sumOfSquares;
            minimum = fminf(minimum, group.low);
            maximum = fmaxf(maximum, group.high);
            finite += n;
            if (group.low <= 0.0f || group.high >= white())
                countClipped(values);
        } else {
            addOneByOne(values);
        }
    }
    // Joins the totals of two parts of a picture.
    GPU_CODE void merge(const ChannelTotals &other) {
        sum += other.sum;
        sumOfSquares += other.sumOfSquares;
        minimum = other.minimum < minimum ? other.minimum : minimum;
        maximum = other.maximum > maximum ? other.maximum : maximum;
        finite += other.finite;
        nan += other.nan;
        infinite += other.infinite;
        clippedLow += other.clippedLow;
        clippedHigh += other.clippedHigh;
        above += other.above;
    }

private:
    template <int n> GPU_CODE void addOneByOne(const T (&values)[n]) {
        GPU_UNROLL for (int i = 0; i < n; ++i) { add(values[i]); }
    }
    template <int n> GPU_CODE void countClipped(const T (&values)[n]) {
        GPU_UNROLL for (int i = 0; i < n; ++i) {
            clippedLow += values[i] <= 0.0f;
            clippedHigh += values[i] >= white();
        }
    }
};

} // namespace tessera
