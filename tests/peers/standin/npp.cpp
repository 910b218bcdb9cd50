// A stand-in for libnppif: its filters, slowly, on the host. NPP's headers leave open from which end the anchor counts
// and how integers are rounded; TESSERA_STANDIN_NPP chooses: "reversed", "reversed-anchor" (the default) or "plain",
// and then, after a comma, "even" (the default), "up" or "cut".
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nppi_filtering_functions.h>
#include <string>
#include <type_traits>

namespace {

const std::string &convention() {
    static const std::string text = [] {
        const char *value = std::getenv("TESSERA_STANDIN_NPP");
        return std::string(value ? value : "reversed-anchor,even");
    }();
    return text;
}
bool says(const char *word) { return convention().find(word) != std::string::npos; }

template <class T> float load(T value) {
    if constexpr (std::is_same_v<T, Npp16f>) {
        _Float16 half;
        std::memcpy(&half, &value, sizeof half);
        return float(half);
    } else {
        return float(value);
    }
}

template <class T> T stored(float value) {
    if constexpr (std::is_same_v<T, Npp16f>) {
        const _Float16 half = _Float16(value);
        T result;
        std::memcpy(&result, &half, sizeof half);
        return result;
    } else if constexpr (std::is_integral_v<T>) {
        value = says("cut") ? std::floor(value) : says("up") ? std::floor(value + 0.5f) : std::rint(value);
        return T(std::clamp(value, 0.0f, float(std::numeric_limits<T>::max())));
    } else {
        return value;
    }
}

struct Filter {
    NppiSize size;
    NppiPoint offset;
    bool bordered; // else it reads wherever the taps lead
    const Npp32f *taps;
    NppiSize tapsSize;
    NppiPoint anchor;
    int channels;

    int reach(int index, int count, int from) const {
        return says("plain") ? index - from : says("reversed-anchor") ? from - index : count - 1 - index - from;
    }

    template <class T> float sum(const T *source, int step, int x, int y, int channel) const {
        float total = 0;
        for (int j = 0; j < tapsSize.height; ++j)
            for (int i = 0; i < tapsSize.width; ++i) {
                int px = x + reach(i, tapsSize.width, anchor.x);
                int py = y + reach(j, tapsSize.height, anchor.y);
                if (bordered) {
                    px = std::clamp(px + offset.x, 0, size.width - 1) - offset.x;
                    py = std::clamp(py + offset.y, 0, size.height - 1) - offset.y;
                }
                const auto *row = reinterpret_cast<const T *>(reinterpret_cast<const char *>(source) + long(py) * step);
                total += taps[j * tapsSize.width + i] * load(row[px * channels + channel]);
            }
        return total;
    }

    template <class T>
    NppStatus run(const T *source, int sourceStep, T *target, int targetStep, NppiSize region) const {
        for (int y = 0; y < region.height; ++y) {
            auto *row = reinterpret_cast<T *>(reinterpret_cast<char *>(target) + long(y) * targetStep);
            for (int x = 0; x < region.width; ++x)
                for (int c = 0; c < channels; ++c)
                    row[x * channels + c] = stored<T>(sum(source, sourceStep, x, y, c));
        }
        return NPP_SUCCESS;
    }
};

} // namespace

#define TESSERA_STANDIN(T, channels, bordered, plain)                                                                  \
    NppStatus bordered(const T *source, int step, NppiSize size, NppiPoint offset, T *target, int targetStep,          \
                       NppiSize region, const Npp32f *taps, NppiSize tapsSize, NppiPoint anchor, NppiBorderType type,  \
                       NppStreamContext) {                                                                             \
        return type != NPP_BORDER_REPLICATE ? NPP_NOT_SUPPORTED_MODE_ERROR                                             \
                                            : Filter{size, offset, true, taps, tapsSize, anchor, channels}.run(        \
                                                  source, step, target, targetStep, region);                           \
    }                                                                                                                  \
    NppStatus plain(const T *source, int step, T *target, int targetStep, NppiSize region, const Npp32f *taps,         \
                    NppiSize tapsSize, NppiPoint anchor, NppStreamContext) {                                           \
        return Filter{{}, {}, false, taps, tapsSize, anchor, channels}.run(source, step, target, targetStep, region);  \
    }

extern "C" {
TESSERA_STANDIN(Npp32f, 1, nppiFilterBorder_32f_C1R_Ctx, nppiFilter_32f_C1R_Ctx)
TESSERA_STANDIN(Npp32f, 4, nppiFilterBorder_32f_C4R_Ctx, nppiFilter_32f_C4R_Ctx)
TESSERA_STANDIN(Npp8u, 1, nppiFilterBorder32f_8u_C1R_Ctx, nppiFilter32f_8u_C1R_Ctx)
TESSERA_STANDIN(Npp8u, 4, nppiFilterBorder32f_8u_C4R_Ctx, nppiFilter32f_8u_C4R_Ctx)
TESSERA_STANDIN(Npp16u, 1, nppiFilterBorder32f_16u_C1R_Ctx, nppiFilter32f_16u_C1R_Ctx)
TESSERA_STANDIN(Npp16u, 4, nppiFilterBorder32f_16u_C4R_Ctx, nppiFilter32f_16u_C4R_Ctx)
TESSERA_STANDIN(Npp16f, 1, nppiFilterBorder32f_16f_C1R_Ctx, nppiFilter32f_16f_C1R_Ctx)
TESSERA_STANDIN(Npp16f, 4, nppiFilterBorder32f_16f_C4R_Ctx, nppiFilter32f_16f_C4R_Ctx)
}
