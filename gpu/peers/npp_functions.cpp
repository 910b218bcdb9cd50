#include "gpu/peers/npp_functions.h"

#include <algorithm>
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
    filters.library = openNpp({"libnppif.so.13", "libnppif.so.12"});
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

// A square picture of equal channels, on the host as floats, large enough that windows of the taps asked for stay
// inside around its middle: functions without a border can be asked, too.
struct Square {
    int side, rim; // the rim is not filtered
    std::vector<float> value;

    explicit Square(NppiSize taps)
        : side(4 * std::max(taps.width, taps.height) + 4), rim(std::max(taps.width, taps.height)),
          value(std::size_t(side) * std::size_t(side)) {}
    float &at(int x, int y) { return value[std::size_t(y) * std::size_t(side) + std::size_t(x)]; }
    int centre() const { return side / 2; }
};

template <class T> T toScalar(float value) {
    if constexpr (std::is_same_v<T, Half>)
        return Half(value);
    else
        return static_cast<T>(value);
}

// One function with taps of one size and one anchor.
struct Probe {
    const NppFilter &filter;
    const char *name;
    int channels;
    NppiSize size;
    NppiPoint anchor;
    StreamView stream;

    int last() const { return size.width * size.height - 1; }
};

// One filter of a small picture, there and back; the first channel of the result.
template <class T> Square filtered(const Probe &probe, const Square &picture, const std::vector<float> &taps) {
    const std::size_t samples = std::size_t(probe.channels);
    const std::size_t count = picture.value.size() * samples;
    std::vector<T> pixels(count);
    for (std::size_t i = 0; i < count; ++i)
        pixels[i] = toScalar<T>(picture.value[i / samples]);
    DeviceBuffer source, target, deviceTaps;
    const std::size_t bytes = count * sizeof(T);
    const std::size_t corner = std::size_t(picture.rim) * std::size_t(picture.side + 1) * samples;
    const StreamView stream = probe.stream;
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(source.reserve(bytes), pixels.data(), bytes, cudaMemcpyHostToDevice, stream));
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(deviceTaps.reserve(taps.size() * sizeof(float)), taps.data(),
                                       taps.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
    NppFilterCall call;
    call.sourceStep = call.targetStep = int(bytes / std::size_t(picture.side));
    call.source = static_cast<const T *>(source.data()) + corner;
    call.sourceSize = {picture.side, picture.side};
    call.sourceOffset = {picture.rim, picture.rim};
    call.target = static_cast<T *>(target.reserve(bytes)) + corner;
    call.region = {picture.side - 2 * picture.rim, picture.side - 2 * picture.rim};
    TESSERA_CUDA_CHECK(cudaMemsetAsync(target.data(), 0, bytes, stream));
    call.taps = static_cast<const Npp32f *>(deviceTaps.data());
    call.tapsSize = probe.size;
    call.anchor = probe.anchor;
    call.context = nppContext(stream);
    checkNpp(probe.filter(call), probe.name);
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(pixels.data(), target.data(), bytes, cudaMemcpyDeviceToHost, stream));
    TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
    Square result(probe.size);
    for (std::size_t i = 0; i < result.value.size(); ++i)
        result.value[i] = float(pixels[i * samples]);
    return result;
}

// Which pixels the first and the last coefficient fetch. Taken as they stand, the first one fetches the pixel that lies
// the anchor's distance to the upper left, so a bright one moves as far to the lower right, and with the last one by
// `size - 1 - anchor` to the upper left; turned round with the anchor, both move the other way; turned round alone,
// they change places.
template <class T> NppConvention orderOf(const Probe &probe) {
    Square bright(probe.size);
    const int middle = bright.centre();
    bright.at(middle, middle) = 1.0f;
    std::vector<float> taps(std::size_t(probe.last() + 1));
    taps.front() = 2.0f;
    taps.back() = 1.0f;
    Square moved = filtered<T>(probe, bright, taps);
    const NppiPoint upper = probe.anchor;
    const NppiPoint lower{probe.size.width - 1 - upper.x, probe.size.height - 1 - upper.y};
    const auto finds = [&](NppiPoint first, int firstSign, NppiPoint last, int lastSign) {
        return moved.at(middle + lastSign * last.x, middle + lastSign * last.y) == taps.back() &&
               moved.at(middle + firstSign * first.x, middle + firstSign * first.y) == taps.front();
    };
    NppConvention convention;
    if (finds(upper, 1, lower, -1))
        convention.tapsReversed = false;
    else if (finds(upper, -1, lower, 1))
        convention.anchorFromEnd = true;
    else if (!finds(lower, -1, upper, 1))
        throw PeerError(std::string(probe.name) + " takes its taps in an order that is not known here");
    return convention;
}

// How halves of 1 and 3 are rounded: their even neighbours are 0 and 2.
template <class T> Rounding roundingOf(const Probe &probe, const NppConvention &convention) {
    Square ties(probe.size);
    const int middle = ties.centre();
    ties.at(middle, middle) = 1.0f;
    ties.at(middle + 1, middle) = 3.0f;
    std::vector<float> taps(std::size_t(probe.last() + 1));
    // the tap at the origin, which the anchor names or, counted from the end, mirrors
    int own = probe.anchor.y * probe.size.width + probe.anchor.x;
    if (convention.anchorFromEnd)
        own = probe.last() - own;
    taps[std::size_t(convention.tapsReversed ? probe.last() - own : own)] = 0.5f;
    Square halves = filtered<T>(probe, ties, taps);
    const float first = halves.at(middle, middle), second = halves.at(middle + 1, middle);
    return first == 0.0f && second == 2.0f   ? Rounding::NearestEven
           : first == 1.0f && second == 2.0f ? Rounding::HalfUp
                                             : Rounding::Truncated;
}

// Only the pixels that are not filtered are bright: windows at the edge of the filtered region hold some of them.
template <class T> bool readsBeyondRegion(const Probe &probe) {
    Square frame(probe.size);
    for (int y = 0; y < frame.side; ++y)
        for (int x = 0; x < frame.side; ++x)
            if (std::min({x, y, frame.side - 1 - x, frame.side - 1 - y}) < frame.rim)
                frame.at(x, y) = 1.0f;
    const Square seen = filtered<T>(probe, frame, std::vector<float>(std::size_t(probe.last() + 1), 1.0f));
    return probe.last() == 0 || std::ranges::any_of(seen.value, [](float value) { return value != 0.0f; });
}

template <class T> NppConvention conventionOf(const Probe &probe) {
    NppConvention convention = orderOf<T>(probe);
    if (!readsBeyondRegion<T>(probe))
        throw PeerError(std::string(probe.name) + " reads nothing beyond its region at this size of kernel");
    if constexpr (std::is_integral_v<T>)
        convention.rounding = roundingOf<T>(probe, convention);
    return convention;
}

} // namespace

peers::OpenLibrary openNpp(std::initializer_list<const char *> names) {
    const peers::SearchPlaces places = peers::searchPlaces();
    peers::OpenLibrary common = peers::openLibrary({"libnppc.so.13", "libnppc.so.12"}, places);
    return common.there() ? peers::openLibrary(names, places) : common;
}

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

NppConvention probeNpp(const NppFilter &filter, const char *name, const ConvolutionRequest &request,
                       StreamView stream) {
    const Taps &taps = *request.taps;
    const Probe probe{filter, name, request.source.channels, {taps.width, taps.height}, {taps.anchorX, taps.anchorY},
                      stream};
    switch (request.source.type) {
    case ScalarType::U8:
        return conventionOf<std::uint8_t>(probe);
    case ScalarType::U16:
        return conventionOf<std::uint16_t>(probe);
    case ScalarType::F16:
        return conventionOf<Half>(probe);
    case ScalarType::F32:
        break;
    }
    return conventionOf<float>(probe);
}

} // namespace tessera::cuda
