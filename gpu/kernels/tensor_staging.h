// How the tensor kernel's tiles come into shared memory. GPU only.
//
// A staged row holds pieces of 16 bytes of each channel (and part), the order in which ldmatrix wants them:
//   8-bit grey    16 pixels                    half grey     8 pixels
//   8-bit RGBA    16 pixels' red, green, ...   half RGBA     8 pixels' red, green, ...
//   split grey    8 pixels' high, low halves   split RGBA    8 pixels' high and low reds, high and low greens, ...
// Pixels are staged as they are stored (split ones as floats), which takes just as many bytes, and arranged in place.
// The picture's rows are sorted by their remainder modulo `interleave`, so that ldmatrix reads neighbours.
#pragma once

#include "gpu/kernels/tensor_fragments.h"
#include "gpu/kernels/tensor_operands.h"

#include <cuda_fp16.h>

namespace tessera::tensor {

template <int Bytes> struct RawPixel;
template <> struct RawPixel<1> { using Type = std::uint8_t; };
template <> struct RawPixel<2> { using Type = std::uint16_t; };
template <> struct RawPixel<4> { using Type = std::uint32_t; };
template <> struct RawPixel<8> { using Type = uint2; };
template <> struct RawPixel<16> { using Type = uint4; };

__device__ inline float widened(const void *pointer, ScalarType type) {
    switch (type) {
    case ScalarType::U8:
        return float(*static_cast<const std::uint8_t *>(pointer));
    case ScalarType::U16:
        return float(*static_cast<const std::uint16_t *>(pointer));
    case ScalarType::F16:
        return __half2float(*static_cast<const __half *>(pointer));
    default:
        return *static_cast<const float *>(pointer);
    }
}

template <TensorShape Shape> class Stager {
public:
    __device__ explicit Stager(const TensorOperands &operands) : operands_(operands) {}

    // Padding is never written again: it must hold no number that matters.
    __device__ void clear(uint4 *buffers, int count) const {
        for (int i = int(threadIdx.x); i < count; i += Shape.threads())
            buffers[i] = make_uint4(0, 0, 0, 0);
        __syncthreads();
    }

    // Starts the copies of one tile.
    __device__ void stage(Extent tile, unsigned char *buffer) const {
        const int x = tile.x * Shape.tile().x + operands_.originX - operands_.anchorX - operands_.shift;
        const int y = tile.y * Shape.tile().y + operands_.originY - operands_.anchorY;
        if (operands_.chunkBytes == 16)
            stageChunks<16>(x, y, buffer);
        else if (operands_.chunkBytes != 0)
            stageChunks<Shape.smallChunkBytes()>(x, y, buffer);
        else
            stagePixels(x, y, buffer);
    }

    // Brings a staged tile into the order above. Returns what its sums must be multiplied by. `maxima`: two words,
    // of which the one of this parity is zero; the other is cleared.
    __device__ float arrange(unsigned char *buffer, std::uint32_t *maxima, int parity) const {
        if constexpr (Shape.number == TensorNumber::Split) {
            const std::uint32_t largest = largestMagnitude(buffer, maxima, parity);
            // The largest finite value comes to lie in [2^14, 2^15); smaller ones keep 22 bits down to 2^-18 of it.
            const int exponent = max(int(largest >> 23) - 127, -100);
            const float up = __int_as_float((127 + 14 - exponent) << 23);
            splitPixels(buffer, up);
            __syncthreads();
            return __int_as_float((127 - 14 + exponent) << 23);
        } else if constexpr (Shape.channels > 1) {
            sortChannels(buffer);
            __syncthreads();
        }
        return 1.0f;
    }

private:
    static constexpr int pixelBytes = Shape.rawBytes() * Shape.channels;
    static constexpr int pitch = Shape.pitch();
    static constexpr int rowBytes = Shape.columns() * pixelBytes;
    using Raw = typename RawPixel<pixelBytes>::Type;

    // Rows are sorted: first those whose number is divisible by `interleave`, ...
    __device__ int slot(int row) const {
        return row % Shape.interleave * Shape.classRows(operands_.tapsHeight) + row / Shape.interleave;
    }
    __device__ const unsigned char *address(int x, int y) const {
        return static_cast<const unsigned char *>(operands_.source.data) + y * operands_.source.pitch +
               std::ptrdiff_t(x) * pixelBytes;
    }

    // Threads stand side by side in a row and in as many rows as there is room for, an even number: each then stays in
    // one class of rows, and its steps are constants.
    template <int Bytes> __device__ void stageChunks(int x, int y, unsigned char *buffer) const {
        constexpr int chunks = rowBytes / Bytes, pixels = Bytes / pixelBytes;
        constexpr int lanes = chunks < Shape.threads() / Shape.interleave ? chunks : Shape.threads() / Shape.interleave;
        constexpr int rowsPerPass = Shape.threads() / lanes / Shape.interleave * Shape.interleave;
        constexpr std::uint32_t targetStep = rowsPerPass / Shape.interleave * pitch;
        const int rows = Shape.rows(operands_.tapsHeight);
        const int width = operands_.source.width, height = operands_.source.height;
        const bool inside = x >= 0 && y >= 0 && x + Shape.columns() <= width && y + rows <= height;
        const int firstRow = int(threadIdx.x) / lanes;
        const int lane = int(threadIdx.x) - firstRow * lanes;
        if (firstRow >= rowsPerPass)
            return; // threads left over
        for (int chunk = lane; chunk < chunks; chunk += lanes) {
            const int left = x + chunk * pixels;
            std::uint32_t to = sharedAddress(buffer) + std::uint32_t(slot(firstRow) * pitch + chunk * Bytes);
            if (inside) {
                const unsigned char *from = address(left, y + firstRow);
                const std::ptrdiff_t step = rowsPerPass * operands_.source.pitch;
#pragma unroll 4
                for (int row = firstRow; row < rows; row += rowsPerPass, to += targetStep, from += step)
                    copyAsync<Bytes>(to, from);
                continue;
            }
            const bool across = left >= 0 && left + pixels <= width;
#pragma unroll 1
            for (int row = firstRow; row < rows; row += rowsPerPass, to += targetStep) {
                const int sourceY = borderIndex(operands_.border, y + row, height);
                if (across && sourceY >= 0)
                    copyAsync<Bytes>(to, address(left, sourceY));
                else
                    stageRim(left, sourceY, pixels, buffer + (to - sharedAddress(buffer)));
            }
        }
    }

    __device__ void stageRim(int x, int sourceY, int pixels, unsigned char *target) const {
#pragma unroll 1
        for (int i = 0; i < pixels; ++i) {
            const int sourceX = sourceY < 0 ? -1 : borderIndex(operands_.border, x + i, operands_.source.width);
            reinterpret_cast<Raw *>(target)[i] =
                sourceX < 0 ? outside() : *reinterpret_cast<const Raw *>(address(sourceX, sourceY));
        }
    }

    __device__ Raw outside() const {
        std::uint32_t bits;
        if constexpr (Shape.number == TensorNumber::Whole)
            bits = std::uint32_t(operands_.outside) * 0x01010101u;
        else if constexpr (Shape.number == TensorNumber::Half)
            bits = __half_as_ushort(__float2half_rn(operands_.outside)) * 0x00010001u;
        else
            bits = __float_as_uint(operands_.outside);
        if constexpr (sizeof(Raw) <= 4)
            return Raw(bits);
        else if constexpr (sizeof(Raw) == 8)
            return make_uint2(bits, bits);
        else
            return make_uint4(bits, bits, bits, bits);
    }

    // One pixel at a time: rows that no chunk fits, and pixels that become floats.
    __device__ void stagePixels(int x, int y, unsigned char *buffer) const {
        const int rows = Shape.rows(operands_.tapsHeight);
#pragma unroll 1
        for (int row = int(threadIdx.x) / 32; row < rows; row += Shape.threads() / 32) {
            const int sourceY = borderIndex(operands_.border, y + row, operands_.source.height);
            unsigned char *target = buffer + slot(row) * pitch;
#pragma unroll 1
            for (int column = int(threadIdx.x) % 32; column < Shape.columns(); column += 32) {
                const int sourceX = borderIndex(operands_.border, x + column, operands_.source.width);
                stagePixel(sourceX, sourceY, target + column * pixelBytes);
            }
        }
    }
    __device__ void stagePixel(int x, int y, unsigned char *target) const {
        if (x < 0 || y < 0) {
            *reinterpret_cast<Raw *>(target) = outside();
        } else if constexpr (Shape.number == TensorNumber::Split) {
            const int bytes = scalarBytes(operands_.source.type);
            const auto *from = static_cast<const unsigned char *>(operands_.source.data) + y * operands_.source.pitch +
                               std::ptrdiff_t(x) * bytes * Shape.channels;
#pragma unroll 1
            for (int channel = 0; channel < Shape.channels; ++channel)
                reinterpret_cast<float *>(target)[channel] = widened(from + channel * bytes, operands_.source.type);
        } else {
            *reinterpret_cast<Raw *>(target) = *reinterpret_cast<const Raw *>(address(x, y));
        }
    }

    // The function gets each unit of UnitBytes of the tile once; units of zeros may be among them.
    template <int UnitBytes, class Function> __device__ void forUnits(unsigned char *buffer, Function function) const {
        constexpr int units = rowBytes / UnitBytes;
        const int total = units * Shape.classRows(operands_.tapsHeight) * Shape.interleave;
        for (int i = int(threadIdx.x); i < (total + 31) / 32 * 32; i += Shape.threads())
            function(buffer + i / units * pitch + i % units * UnitBytes, i < total);
    }

    // NaNs do not count; where infinities are, they are looked for again and left out.
    __device__ std::uint32_t largestMagnitude(unsigned char *buffer, std::uint32_t *maxima, int parity) const {
        const int count = Shape.bufferBytes(operands_.tapsHeight) / 16;
        const auto *values = reinterpret_cast<const float4 *>(buffer);
        float largest = 0;
#pragma unroll 4
        for (int i = int(threadIdx.x); i < count; i += Shape.threads()) {
            const float4 four = values[i];
            largest = fmaxf(fmaxf(largest, fabsf(four.x)), fabsf(four.y));
            largest = fmaxf(fmaxf(largest, fabsf(four.z)), fabsf(four.w));
        }
        if (isinf(largest)) {
            largest = 0;
#pragma unroll 1
            for (int i = int(threadIdx.x) * 4; i < count * 4; i += i % 4 == 3 ? Shape.threads() * 4 - 3 : 1) {
                const float magnitude = fabsf(reinterpret_cast<const float *>(buffer)[i]);
                largest = isinf(magnitude) ? largest : fmaxf(largest, magnitude);
            }
        }
        const std::uint32_t ofWarp = __reduce_max_sync(0xffffffffu, __float_as_uint(largest));
        if (threadIdx.x % 32 == 0)
            atomicMax(&maxima[parity], ofWarp);
        __syncthreads();
        if (threadIdx.x == 0)
            maxima[parity ^ 1] = 0;
        return maxima[parity];
    }

    __device__ static void splitPair(float a, float b, float up, std::uint32_t &high, std::uint32_t &low) {
        const __half2 rounded = __floats2half2_rn(a * up, b * up);
        const float2 back = __half22float2(rounded);
        const __half2 rest = __floats2half2_rn(fmaf(a, up, -back.x), fmaf(b, up, -back.y));
        high = *reinterpret_cast<const std::uint32_t *>(&rounded);
        low = *reinterpret_cast<const std::uint32_t *>(&rest);
    }

    __device__ void splitPixels(unsigned char *buffer, float up) const {
        if constexpr (Shape.channels == 1) {
            forUnits<32>(buffer, [&](unsigned char *unit, bool real) {
                if (!real)
                    return;
                float4 *pixels = reinterpret_cast<float4 *>(unit);
                const float4 a = pixels[0], b = pixels[1];
                uint4 high, low;
                splitPair(a.x, a.y, up, high.x, low.x);
                splitPair(a.z, a.w, up, high.y, low.y);
                splitPair(b.x, b.y, up, high.z, low.z);
                splitPair(b.z, b.w, up, high.w, low.w);
                reinterpret_cast<uint4 *>(unit)[0] = high;
                reinterpret_cast<uint4 *>(unit)[1] = low;
            });
        } else {
            // Eight neighbouring lanes have the eight pixels of a piece; all have read before one writes.
            forUnits<16>(buffer, [&](unsigned char *unit, bool real) {
                float4 pixel = make_float4(0, 0, 0, 0);
                if (real)
                    pixel = *reinterpret_cast<const float4 *>(unit);
                __syncwarp();
                const int place = int(threadIdx.x) % 8;
                std::uint32_t high[2], low[2];
                splitPair(pixel.x, pixel.y, up, high[0], low[0]);
                splitPair(pixel.z, pixel.w, up, high[1], low[1]);
                if (real) {
                    auto *halves = reinterpret_cast<std::uint16_t *>(unit - place * 16) + place;
                    for (int channel = 0; channel < 4; ++channel) {
                        halves[channel * 16] = std::uint16_t(high[channel / 2] >> (channel % 2 * 16));
                        halves[channel * 16 + 8] = std::uint16_t(low[channel / 2] >> (channel % 2 * 16));
                    }
                }
                __syncwarp();
            });
        }
    }

    // Four pixels of 8 bits, or two of halves, a lane; four lanes have a piece.
    __device__ void sortChannels(unsigned char *buffer) const {
        forUnits<16>(buffer, [&](unsigned char *unit, bool real) {
            uint4 in = make_uint4(0, 0, 0, 0);
            if (real)
                in = *reinterpret_cast<const uint4 *>(unit);
            __syncwarp();
            const int place = int(threadIdx.x) % 4;
            std::uint32_t out[4];
            if constexpr (Shape.number == TensorNumber::Whole) {
                const std::uint32_t low01 = __byte_perm(in.x, in.y, 0x5140), high01 = __byte_perm(in.x, in.y, 0x7362);
                const std::uint32_t low23 = __byte_perm(in.z, in.w, 0x5140), high23 = __byte_perm(in.z, in.w, 0x7362);
                out[0] = __byte_perm(low01, low23, 0x5410);
                out[1] = __byte_perm(low01, low23, 0x7632);
                out[2] = __byte_perm(high01, high23, 0x5410);
                out[3] = __byte_perm(high01, high23, 0x7632);
            } else {
                out[0] = __byte_perm(in.x, in.z, 0x5410);
                out[1] = __byte_perm(in.x, in.z, 0x7632);
                out[2] = __byte_perm(in.y, in.w, 0x5410);
                out[3] = __byte_perm(in.y, in.w, 0x7632);
            }
            if (real)
                for (int channel = 0; channel < 4; ++channel)
                    reinterpret_cast<std::uint32_t *>(unit - place * 16)[channel * 4 + place] = out[channel];
            __syncwarp();
        });
    }

    const TensorOperands &operands_;
};

} // namespace tessera::tensor
