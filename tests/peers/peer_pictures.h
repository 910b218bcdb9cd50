// Pictures of any pixel type on the host and on the device, and what a convolution of one must give, in float64.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/peers/peer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace tessera::test {

struct Kind {
    ScalarType type;
    int channels;
    const char *name;
};

inline float stored(ScalarType type, const std::byte *memory, std::size_t i) {
    switch (type) {
    case ScalarType::U8:
        return float(reinterpret_cast<const std::uint8_t *>(memory)[i]);
    case ScalarType::U16:
        return float(reinterpret_cast<const std::uint16_t *>(memory)[i]);
    case ScalarType::F16:
        return float(reinterpret_cast<const Half *>(memory)[i]);
    case ScalarType::F32:
        break;
    }
    return reinterpret_cast<const float *>(memory)[i];
}

inline void store(ScalarType type, std::byte *memory, std::size_t i, float value) {
    switch (type) {
    case ScalarType::U8:
        reinterpret_cast<std::uint8_t *>(memory)[i] = std::uint8_t(value);
        return;
    case ScalarType::U16:
        reinterpret_cast<std::uint16_t *>(memory)[i] = std::uint16_t(value);
        return;
    case ScalarType::F16:
        reinterpret_cast<Half *>(memory)[i] = Half(value);
        return;
    case ScalarType::F32:
        reinterpret_cast<float *>(memory)[i] = value;
    }
}

inline double largestValue(ScalarType type) {
    return type == ScalarType::U8 ? 255 : type == ScalarType::U16 ? 65535 : 1;
}

// A picture of random values, on the host and, packed, on the device; and a target full of poison.
struct Picture {
    int width, height;
    Kind kind;
    std::vector<std::byte> host;
    cuda::DeviceBuffer source, target;

    Picture(int w, int h, Kind k, std::mt19937 &random)
        : width(w), height(h), kind(k),
          host(std::size_t(w) * std::size_t(h) * std::size_t(k.channels * scalarBytes(k.type))) {
        fill(random);
        TESSERA_CUDA_CHECK(cudaMemset(target.reserve(host.size()), 0xa5, host.size()));
    }
    void fill(std::mt19937 &random) {
        std::uniform_real_distribution<float> real(0.0f, 1.0f);
        const std::size_t count = host.size() / std::size_t(scalarBytes(kind.type));
        for (std::size_t i = 0; i < count; ++i)
            store(kind.type, host.data(), i,
                  std::rint(real(random) * 4095.0f) / 4095.0f * float(largestValue(kind.type)));
        TESSERA_CUDA_CHECK(cudaMemcpy(source.reserve(host.size()), host.data(), host.size(), cudaMemcpyHostToDevice));
    }
    RawView view(const cuda::DeviceBuffer &buffer) const {
        return {buffer.data(), width,        height, std::ptrdiff_t(width) * kind.channels * scalarBytes(kind.type),
                kind.type,     kind.channels};
    }
    double at(int x, int y, int c) const {
        return stored(kind.type, host.data(),
                      (std::size_t(y) * std::size_t(width) + std::size_t(x)) * std::size_t(kind.channels) +
                          std::size_t(c));
    }
    std::vector<std::byte> result() const {
        std::vector<std::byte> memory(host.size());
        TESSERA_CUDA_CHECK(cudaMemcpy(memory.data(), target.data(), memory.size(), cudaMemcpyDeviceToHost));
        return memory;
    }
};

inline double exactValue(const Picture &picture, const ConvolutionRequest &request, int x, int y, int c) {
    const Taps &taps = *request.taps;
    double sum = 0;
    for (int v = 0; v < taps.height; ++v)
        for (int u = 0; u < taps.width; ++u) {
            const int sx = borderIndex(request.border.mode, x + request.originX + u - taps.anchorX, picture.width);
            const int sy = borderIndex(request.border.mode, y + request.originY + v - taps.anchorY, picture.height);
            double value = request.border.mode == BorderMode::Constant ? request.border.constant : 0.0;
            if (picture.kind.type == ScalarType::U8 || picture.kind.type == ScalarType::U16)
                value = std::rint(value);
            if (sx >= 0 && sy >= 0)
                value = picture.at(sx, sy, c);
            sum += double(taps.at(u, v)) * value;
        }
    return sum / double(request.finish.divisor);
}

// Empty where every value keeps within `bound` before it is rounded.
inline std::string mismatch(const Picture &picture, const ConvolutionRequest &request, double bound,
                            cuda::Rounding rounding) {
    const std::vector<std::byte> result = picture.result();
    const bool integer = picture.kind.type == ScalarType::U8 || picture.kind.type == ScalarType::U16;
    for (int y = 0; y < request.target.height; ++y)
        for (int x = 0; x < request.target.width; ++x)
            for (int c = 0; c < picture.kind.channels; ++c) {
                double exact = exactValue(picture, request, x, y, c);
                const double actual = stored(picture.kind.type, result.data() + y * request.target.pitch,
                                             std::size_t(x * picture.kind.channels + c));
                double below = bound, above = bound;
                if (integer) {
                    exact = std::clamp(exact, 0.0, largestValue(picture.kind.type));
                    below += rounding == cuda::Rounding::Truncated ? 1.0 : 0.5;
                    above += rounding == cuda::Rounding::Truncated ? 0.0 : 0.5;
                }
                if (!(actual >= exact - below && actual <= exact + above)) // a NaN fails too
                    return "at (" + std::to_string(x) + ", " + std::to_string(y) + ") channel " + std::to_string(c) +
                           ": exact " + std::to_string(exact) + ", got " + std::to_string(actual) + ", bound " +
                           std::to_string(bound);
            }
    return {};
}

} // namespace tessera::test
