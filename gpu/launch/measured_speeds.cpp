#include "gpu/launch/speed_table.h"

#include <utility>
#include <vector>

namespace tessera {

namespace {

using Side = std::pair<int, double>; // of a square kernel, and milliseconds

struct Series {
    SpeedKey key;
    std::vector<Side> sides;
    double megapixels = 67.108864; // 8192x8192
};

using enum KernelVariant;
using enum ScalarType;

// Cold, zero border, medians. Kernels compiled for the very taps (blocked) are not counted with: they come later, if at
// all.
const std::vector<Series> &measuredSeries() {
    static const std::vector<Series> all{
        {{Naive, F32, 1, 0}, {{3, 0.527}, {5, 0.970}, {9, 2.023}, {15, 4.790}, {31, 19.37}}},
        {{NaiveFloat4, F32, 1, 0}, {{3, 0.707}, {5, 1.126}, {9, 1.714}, {15, 3.554}, {31, 10.93}}},
        {{Tiled, F32, 1, 0}, {{3, 0.662}, {5, 1.000}, {9, 1.761}, {15, 3.994}, {31, 12.15}}},
        {{TiledFloat4, F32, 1, 0}, {{3, 0.708}, {5, 1.109}, {9, 1.647}, {15, 3.408}, {31, 10.49}}},
        {{Naive, U8, 1, 0}, {{3, 0.542}, {9, 2.376}}},
        {{NaiveFloat4, U8, 1, 0}, {{3, 0.706}, {9, 1.713}}},
        {{Tiled, U8, 1, 0}, {{3, 0.674}, {9, 1.933}}},
        {{TiledFloat4, U8, 1, 0}, {{3, 0.717}, {9, 1.682}}},
        {{Naive, U8, 4, 0}, {{3, 0.933}, {9, 4.565}}},
        {{NaiveFloat4, U8, 4, 0}, {{3, 1.179}, {9, 4.167}}},
        {{Tiled, U8, 4, 0}, {{3, 1.109}, {9, 4.251}}},
        {{TiledFloat4, U8, 4, 0}, {{3, 1.163}, {9, 3.976}}},
        {{Blocked, F32, 1, 0},
         {{3, 0.1351}, {5, 0.1393}, {7, 0.1420}, {9, 0.2043}, {11, 0.2948}, {13, 0.4236}, {15, 0.5481}, {31, 10.45}}},
        {{Blocked, U8, 1, 0}, {{3, 0.0443}, {5, 0.0560}, {7, 0.0664}}},
        {{Blocked, U8, 4, 0}, {{3, 0.1610}, {5, 0.2122}, {7, 0.938}}}, // at 7 in patches
        {{Tensor, F32, 1, 0}, {{3, 0.22}, {5, 0.26}, {7, 0.32}, {9, 0.38}, {15, 0.511}, {31, 1.29}}},
        {{Tensor, U8, 1, 0}, {{3, 0.101}, {5, 0.117}, {7, 0.133}, {9, 0.155}, {15, 0.21}, {31, 0.59}}},
        {{Tensor, U8, 4, 0}, {{3, 0.323}, {5, 0.377}, {7, 0.435}}},
        {{Separable, F32, 1, 1},
         {{3, 0.150},
          {7, 0.151},
          {9, 0.153},
          {15, 0.154},
          {19, 0.175},
          {23, 0.180},
          {27, 0.196},
          {31, 0.210},
          {63, 0.400}}},
        {{Separable, F32, 1, 2}, {{7, 0.168}, {15, 0.237}, {31, 0.536}}},
        {{Separable, F32, 1, 3}, {{7, 0.289}, {15, 0.451}}},
        {{Separable, F32, 1, 4}, {{7, 0.350}, {15, 0.568}}},
        {{Separable, F32, 4, 1}, {{3, 0.152}, {7, 0.153}, {15, 0.158}, {31, 0.238}}, 16.777216},
        // One kernel each for 7 to 9, to 17 and to 31 taps.
        {{Separable, U8, 1, 1},
         {{3, 0.0741}, {7, 0.0895}, {9, 0.0895}, {15, 0.0932}, {17, 0.0932}, {19, 0.1161}, {31, 0.1161}}},
        {{Separable, U8, 4, 1}, {{3, 0.340}, {7, 0.409}, {15, 0.603}, {31, 1.007}}},
        {{Fft, F32, 1, 0}, {{31, 0.68}}, 94.371840}, // 9 x 5 tiles
    };
    return all;
}

} // namespace

double launchMilliseconds(KernelVariant variant) {
    switch (variant) {
    case Fft:
        return 0.047;
    case Tensor:
        return 0.017;
    case Separable:
        return 0.0107;
    default: // blocked's; the ladder's are taken to be the same
        return 0.0075;
    }
}

const SpeedTable &builtInSpeeds() {
    static const SpeedTable table = [] {
        SpeedTable made{"NVIDIA H200", {}};
        for (const Series &series : measuredSeries())
            for (const auto &[side, milliseconds] : series.sides)
                made.points.push_back({series.key, workOf(series.key.variant, side, side),
                                       (milliseconds - launchMilliseconds(series.key.variant)) / series.megapixels});
        return made;
    }();
    return table;
}

} // namespace tessera
