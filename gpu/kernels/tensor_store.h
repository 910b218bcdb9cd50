// How the tensor kernel's sums become stored pixels. GPU only.
#pragma once

#include "gpu/kernels/tensor_staging.h"

namespace tessera::tensor {

// Four (or two) neighbours of one row and all channels at a time: what one lane has of a group of columns.
template <TensorShape Shape> class Storer {
public:
    static constexpr int channels = Shape.channels;
    static constexpr int pixels = 2 * Shape.tilesPerGroup;
    struct Values {
        float at[pixels][channels];
    };

    __device__ Storer(const TensorOperands &operands, const std::uint32_t *table, Extent tile, int warpX, int warpY,
                      int lane)
        : operands_(operands), table_(table),
          x_(tile.x * Shape.tile().x + warpX * Shape.warpWidth() + lane % 4 * pixels),
          y_(tile.y * Shape.tile().y + (warpY * 16 + lane / 4) * Shape.interleave),
          quick_(operands.plainStores && (tile.x + 1) * Shape.tile().x <= operands.target.width &&
                 (tile.y + 1) * Shape.tile().y <= operands.target.height) {}

    // Whether storeQuickly() serves this tile, as long as its sums are finite.
    __device__ bool quick() const { return quick_; }

    __device__ static float zeroIfFinite(const Values &sums) {
        float check = 0;
#pragma unroll
        for (int i = 0; i < pixels; ++i)
#pragma unroll
            for (int channel = 0; channel < channels; ++channel)
                check += sums.at[i][channel] * 0.0f;
        return check;
    }

    // `half`: the tile's rows 0 to 7 or 8 to 15; `odd`: which of the interleaved tiles. The stored value is made of
    // sum * scale.
    __device__ void storeQuickly(int half, int odd, int group, const Values &sums, float scale) const {
        Line line;
        if constexpr (Shape.number == TensorNumber::Whole) {
            // Added to 1.5 * 2^23, a value leaves its nearest whole number in the low bits; the planner has seen to it
            // that the offset is whole and the value not too large.
            std::int32_t level[pixels * channels];
#pragma unroll
            for (int i = 0; i < pixels * channels; ++i)
                level[i] = __float_as_int(
                               fmaf(sums.at[i / channels][i % channels], scale, wholeBase + operands_.finish.offset)) -
                           __float_as_int(wholeBase);
#pragma unroll
            for (int i = 0; i < pixels * channels / 4; ++i)
                line.word[i] = packSaturated(level[4 * i], level[4 * i + 1], level[4 * i + 2], level[4 * i + 3]);
        } else {
#pragma unroll
            for (int i = 0; i < pixels; ++i)
#pragma unroll
                for (int channel = 0; channel < channels; ++channel)
                    line.value[i * channels + channel] =
                        stored<Stored>(fmaf(sums.at[i][channel], scale, operands_.finish.offset));
        }
        auto *row = static_cast<unsigned char *>(operands_.target.data) +
                    (y_ + 8 * half * Shape.interleave + odd) * operands_.target.pitch;
        *reinterpret_cast<Line *>(row + (x_ + group * Shape.groupColumns()) * channels * int(sizeof(Stored))) = line;
    }

    __device__ void storeCarefully(int half, int odd, int group, const Values &sums, float scale) const {
        const int x = x_ + group * Shape.groupColumns(), y = y_ + 8 * half * Shape.interleave + odd;
        if (x < operands_.target.width && y < operands_.target.height)
            storeOneByOne(operands_, table_, x, y, sums, scale);
    }

private:
    using Stored = std::conditional_t<Shape.number == TensorNumber::Whole, std::uint8_t,
                                      std::conditional_t<Shape.number == TensorNumber::Half, __half, float>>;
    static constexpr int lineBytes = int(sizeof(Stored)) * pixels * channels;
    static constexpr float wholeBase = 12582912.0f;
    union alignas(lineBytes > 16 ? 16 : lineBytes) Line {
        Stored value[pixels * channels];
        std::uint32_t word[lineBytes / 4];
        __device__ Line() {}
    };

    // Rounded to nearest, ties to even, and saturated; a NaN becomes 0. Adding 1.5 * 2^23 leaves the whole number in
    // the low bits.
    template <class T> __device__ static T stored(float value) {
        if constexpr (std::is_integral_v<T>) {
            constexpr float highest = sizeof(T) == 1 ? 255.0f : 65535.0f;
            return static_cast<T>(__float_as_uint(fminf(fmaxf(value, 0.0f), highest) + wholeBase));
        } else if constexpr (sizeof(T) == 2) {
            return __float2half_rn(value);
        } else {
            return value;
        }
    }

    // What most pictures need stands inline above, many times in each kernel; everything else is this one function.
    __device__ static __noinline__ void storeOneByOne(const TensorOperands &operands, const std::uint32_t *table, int x,
                                                      int y, Values sums, float scale) {
        const int count = min(pixels, operands.target.width - x);
#pragma unroll 1
        for (int i = 0; i < count; ++i)
#pragma unroll 1
            for (int channel = 0; channel < channels; ++channel) {
                float value = picked(sums, i * channels + channel) * scale;
                if (!isfinite(value))
                    value = plainSum(operands, table, x + i, y, channel);
                if (operands.channelMask >> channel & 1u)
                    value = finished(operands, value);
                else
                    value = sourceAt(operands, x + i + operands.originX, y + operands.originY, channel);
                storeValue(operands, (std::ptrdiff_t(x) + i) * channels + channel, y, value);
            }
    }

    // A run-time index would move the sums from registers to memory.
    __device__ static float picked(const Values &sums, int index) {
        float value = 0;
#pragma unroll
        for (int i = 0; i < pixels * channels; ++i)
            value = i == index ? sums.at[i / channels][i % channels] : value;
        return value;
    }

    // The sum as the float kernels make it: the band's zeros turn an infinity next to the window into a NaN.
    __device__ static float plainSum(const TensorOperands &operands, const std::uint32_t *table, int x, int y,
                                     int channel) {
        const int left = x + operands.originX - operands.anchorX, top = y + operands.originY - operands.anchorY;
        float sum = 0;
#pragma unroll 1
        for (int v = 0; v < operands.tapsHeight; ++v)
#pragma unroll 1
            for (int u = 0; u < operands.tapsWidth; ++u)
                sum += tapAt(operands, table, u, v) * sourceAt(operands, left + u, top + v, channel);
        return sum;
    }
    __device__ static float tapAt(const TensorOperands &operands, const std::uint32_t *table, int u, int v) {
        const int half = u + operands.shift + 2 * Shape.leadingWords();
        float tap = 0;
        for (int term = 0; term < Shape.terms; ++term) {
            const std::uint32_t *row = table + (v * Shape.terms + term) * Shape.shifts() * Shape.copyWords();
            tap += __half2float(__ushort_as_half(std::uint16_t(row[half / 2] >> (half % 2 * 16))));
        }
        return tap * operands.step;
    }
    __device__ static float sourceAt(const TensorOperands &operands, int x, int y, int channel) {
        const int sourceX = borderIndex(operands.border, x, operands.source.width);
        const int sourceY = borderIndex(operands.border, y, operands.source.height);
        if (sourceX < 0 || sourceY < 0)
            return operands.outside;
        const int bytes = scalarBytes(operands.source.type);
        const auto *row = static_cast<const unsigned char *>(operands.source.data) + sourceY * operands.source.pitch;
        return widened(row + (std::ptrdiff_t(sourceX) * channels + channel) * bytes, operands.source.type);
    }
    __device__ static float finished(const TensorOperands &operands, float sum) {
        const ScalarType type = operands.target.type;
        const Finish &how = operands.finish;
        const float value = sum / how.divisor + how.offset;
        if (type == ScalarType::F16 || type == ScalarType::F32 || how.response == Response::Clamp)
            return value;
        if (how.response == Response::Absolute)
            return fabsf(value);
        return rintf(value) + (type == ScalarType::U8 ? 128.0f : 32768.0f); // rounded first: nothing is lost
    }
    __device__ static void storeValue(const TensorOperands &operands, std::ptrdiff_t sample, int y, float value) {
        auto *row = static_cast<unsigned char *>(operands.target.data) + y * operands.target.pitch;
        switch (operands.target.type) {
        case ScalarType::U8:
            reinterpret_cast<std::uint8_t *>(row)[sample] = stored<std::uint8_t>(value);
            break;
        case ScalarType::U16:
            reinterpret_cast<std::uint16_t *>(row)[sample] = stored<std::uint16_t>(value);
            break;
        case ScalarType::F16:
            reinterpret_cast<__half *>(row)[sample] = __float2half_rn(value);
            break;
        case ScalarType::F32:
            reinterpret_cast<float *>(row)[sample] = value;
            break;
        }
    }

    const TensorOperands &operands_;
    const std::uint32_t *table_;
    int x_, y_;
    bool quick_;
};

} // namespace tessera::tensor
