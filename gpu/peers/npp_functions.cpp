#include "gpu/peers/npp_functions.h"

#include <cmath>
#include <nppi_filtering_functions.h>

namespace tessera::cuda {

namespace {

template <class T>
using Bordered = NppStatus (*)(const T *, int, NppiSize, NppiPoint, T *, int, NppiSize, const Npp32f *, NppiSize,
                               NppiPoint, NppiBorderType, NppStreamContext);
template <class T>
using Plain = NppStatus (*)(const T *, int, T *, int, NppiSize, const Npp32f *, NppiSize, NppiPoint, NppStreamContext);

template <class T> NppFilter wrapped(Bordered<T> function) {
    return [function](const NppFilterCall &call) {
        return function(static_cast<const T *>(call.source), call.sourceStep, call.sourceSize, call.sourceOffset,
                        static_cast<T *>(call.target), call.targetStep, call.region, call.taps, call.tapsSize,
                        call.anchor, NPP_BORDER_REPLICATE, call.context);
    };
}

template <class T> NppFilter wrapped(Plain<T> function) {
    return [function](const NppFilterCall &call) {
        return function(static_cast<const T *>(call.source), call.sourceStep, static_cast<T *>(call.target),
                        call.targetStep, call.region, call.taps, call.tapsSize, call.anchor, call.context);
    };
}

// The pointers come empty, for their types: the headers' own declarations decide whether the signatures fit.
template <class T>
void add(NppFilters &filters, ScalarType type, int channels, const char *borderedName, Bordered<T> bordered,
         const char *plainName, Plain<T> plain) {
    peers::resolve(filters.library, borderedName, bordered);
    peers::resolve(filters.library, plainName, plain);
    filters.pairs[int(type)][channels == 1 ? 0 : 1] = {wrapped<T>(bordered), wrapped<T>(plain), borderedName,
                                                       plainName};
}
#define TESSERA_ADD_NPP(type, channels, bordered, plain)                                                               \
    add(filters, type, channels, #bordered, decltype(&bordered){}, #plain, decltype(&plain){})

NppFilters openFilters() {
    NppFilters filters;
    const peers::SearchPlaces places = peers::searchPlaces();
    // libnppif needs libnppc; opened first, it is found wherever it lies.
    filters.library = peers::openLibrary({"libnppc.so.13", "libnppc.so.12"}, places);
    if (filters.library.there())
        filters.library = peers::openLibrary({"libnppif.so.13", "libnppif.so.12"}, places);
    TESSERA_ADD_NPP(ScalarType::F32, 1, nppiFilterBorder_32f_C1R_Ctx, nppiFilter_32f_C1R_Ctx);
    TESSERA_ADD_NPP(ScalarType::F32, 4, nppiFilterBorder_32f_C4R_Ctx, nppiFilter_32f_C4R_Ctx);
    TESSERA_ADD_NPP(ScalarType::U8, 1, nppiFilterBorder32f_8u_C1R_Ctx, nppiFilter32f_8u_C1R_Ctx);
    TESSERA_ADD_NPP(ScalarType::U8, 4, nppiFilterBorder32f_8u_C4R_Ctx, nppiFilter32f_8u_C4R_Ctx);
    TESSERA_ADD_NPP(ScalarType::U16, 1, nppiFilterBorder32f_16u_C1R_Ctx, nppiFilter32f_16u_C1R_Ctx);
    TESSERA_ADD_NPP(ScalarType::U16, 4, nppiFilterBorder32f_16u_C4R_Ctx, nppiFilter32f_16u_C4R_Ctx);
    TESSERA_ADD_NPP(ScalarType::F16, 1, nppiFilterBorder32f_16f_C1R_Ctx, nppiFilter32f_16f_C1R_Ctx);
    TESSERA_ADD_NPP(ScalarType::F16, 4, nppiFilterBorder32f_16f_C4R_Ctx, nppiFilter32f_16f_C4R_Ctx);
    return filters;
}

// ---- probing ----

constexpr int side = 24;
constexpr int centre = 12;
constexpr int rim = 6; // that is not filtered, so that functions without a border can be asked, too

// A square picture with `channels` equal channels, on the host as floats.
struct Square {
    float value[side][side] = {};
};

template <class T> T toScalar(float value) {
    if constexpr (std::is_same_v<T, Half>)
        return Half(value);
    else
        return static_cast<T>(value);
}

// One filter of a small picture, there and back; the first channel of the result.
template <class T>
Square filtered(const NppFilter &filter, const char *name, int channels, const Square &picture,
                const std::vector<float> &taps, NppiSize tapsSize, NppiPoint anchor, StreamView stream) {
    const std::size_t count = std::size_t(side) * side * std::size_t(channels);
    std::vector<T> pixels(count);
    for (std::size_t i = 0; i < count; ++i)
        pixels[i] = toScalar<T>(picture.value[i / std::size_t(channels) / side][i / std::size_t(channels) % side]);
    DeviceBuffer source, target, deviceTaps;
    const std::size_t bytes = count * sizeof(T);
    const std::size_t corner = (std::size_t(rim) * side + rim) * std::size_t(channels);
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(source.reserve(bytes), pixels.data(), bytes, cudaMemcpyHostToDevice, stream));
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(deviceTaps.reserve(taps.size() * sizeof(float)), taps.data(),
                                       taps.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
    NppFilterCall call;
    call.sourceStep = call.targetStep = int(bytes / side);
    call.source = static_cast<const T *>(source.data()) + corner;
    call.sourceSize = {side, side};
    call.sourceOffset = {rim, rim};
    call.target = static_cast<T *>(target.reserve(bytes)) + corner;
    call.region = {side - 2 * rim, side - 2 * rim};
    TESSERA_CUDA_CHECK(cudaMemsetAsync(target.data(), 0, bytes, stream));
    call.taps = static_cast<const Npp32f *>(deviceTaps.data());
    call.tapsSize = tapsSize;
    call.anchor = anchor;
    call.context = nppContext(stream);
    checkNpp(filter(call), name);
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(pixels.data(), target.data(), bytes, cudaMemcpyDeviceToHost, stream));
    TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
    Square result;
    for (std::size_t i = 0; i < count; i += std::size_t(channels))
        result.value[i / std::size_t(channels) / side][i / std::size_t(channels) % side] = float(pixels[i]);
    return result;
}

template <class T> NppConvention probe(const NppFilter &filter, const char *name, int channels, StreamView stream) {
    // The last of 2x2 coefficients alone, anchored at the first cell. Taken as they stand, the coefficient fetches the
    // pixel to the lower right, so the bright one moves to the upper left; turned round, it becomes the first of them
    // and leaves the pixel where it is; turned round with the anchor, it moves to the lower right.
    Square bright;
    bright.value[centre][centre] = 1.0f;
    const Square moved = filtered<T>(filter, name, channels, bright, {0, 0, 0, 1}, {2, 2}, {0, 0}, stream);
    NppConvention convention;
    if (moved.value[centre - 1][centre - 1] == 1.0f)
        convention.tapsReversed = false;
    else if (moved.value[centre + 1][centre + 1] == 1.0f)
        convention.anchorFromEnd = true;
    else if (moved.value[centre][centre] != 1.0f)
        throw PeerError(std::string(name) + " takes its taps in an order that is not known here");
    if constexpr (std::is_integral_v<T>) {
        Square ties; // halves of 1 and 3: even neighbours are 0 and 2
        ties.value[centre][8] = 1.0f;
        ties.value[centre][12] = 3.0f;
        const Square halves =
            filtered<T>(filter, name, channels, ties, {0, 0, 0, 0, 0.5f, 0, 0, 0, 0}, {3, 3}, {1, 1}, stream);
        const float first = halves.value[centre][8];
        const float second = halves.value[centre][12];
        convention.rounding = first == 0.0f && second == 2.0f   ? Rounding::NearestEven
                              : first == 1.0f && second == 2.0f ? Rounding::HalfUp
                                                                : Rounding::Truncated;
    }
    return convention;
}

} // namespace

const NppFilters &nppFilters() {
    static const NppFilters filters = openFilters();
    return filters;
}

NppStreamContext nppContext(StreamView stream) {
    NppStreamContext context{};
    context.hStream = stream;
    TESSERA_CUDA_CHECK(cudaGetDevice(&context.nCudaDeviceId));
    const auto ask = [&](int &value, cudaDeviceAttr attribute) {
        TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, context.nCudaDeviceId));
    };
    int shared = 0;
    ask(context.nMultiProcessorCount, cudaDevAttrMultiProcessorCount);
    ask(context.nMaxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
    ask(context.nMaxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock);
    ask(shared, cudaDevAttrMaxSharedMemoryPerBlock);
    ask(context.nCudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMajor);
    ask(context.nCudaDevAttrComputeCapabilityMinor, cudaDevAttrComputeCapabilityMinor);
    context.nSharedMemPerBlock = std::size_t(shared);
    TESSERA_CUDA_CHECK(cudaStreamGetFlags(stream, &context.nStreamFlags));
    return context;
}

void checkNpp(NppStatus status, const char *call) {
    if (status < 0)
        throw PeerError("NPP refused " + std::string(call) + " (NppStatus " + std::to_string(int(status)) + ")");
}

NppConvention probeNpp(const NppFilter &filter, const char *name, ScalarType type, int channels, StreamView stream) {
    switch (type) {
    case ScalarType::U8:
        return probe<std::uint8_t>(filter, name, channels, stream);
    case ScalarType::U16:
        return probe<std::uint16_t>(filter, name, channels, stream);
    case ScalarType::F16:
        return probe<Half>(filter, name, channels, stream);
    case ScalarType::F32:
        break;
    }
    return probe<float>(filter, name, channels, stream);
}

} // namespace tessera::cuda
