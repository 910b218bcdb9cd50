#include "gpu/launch/tensor_map.h"

#include "gpu/device/check.h"

#include <cuda.h>

#include <array>
#include <cstring>

namespace tessera::cuda {

namespace {

// Asked of the runtime, so that the program needs no libcuda to start.
template <class Function> Function driverFunction(const char *name) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#else
    const cudaError_t code = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
    if (code != cudaSuccess)
        static_cast<void>(cudaGetLastError()); // a launch without the map is no failure
    return code == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(found) : nullptr;
}

// All of a map but the picture's address.
struct MapShape {
    CUtensorMapDataType element;
    std::int64_t width; // elements of a row
    int height;
    std::ptrdiff_t pitch;
    int boxWidth, boxHeight;

    friend bool operator==(const MapShape &, const MapShape &) = default;
};

bool encode(CUtensorMap &map, const MapShape &shape, void *data) {
    static const auto function = driverFunction<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    if (!function || shape.pitch <= 0)
        return false;
    const cuuint64_t sizes[] = {cuuint64_t(shape.width), cuuint64_t(shape.height)};
    const cuuint64_t pitch[] = {cuuint64_t(shape.pitch)};
    const cuuint32_t box[] = {cuuint32_t(shape.boxWidth), cuuint32_t(shape.boxHeight)}, steps[] = {1, 1};
    return function(&map, shape.element, 2, data, sizes, pitch, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

bool changeAddress(CUtensorMap &map, void *data) {
    static const auto function = driverFunction<decltype(&cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
    return function && function(&map, data) == CUDA_SUCCESS;
}

// A new address in a map of before costs far less than a new map, which for small pictures is felt.
class KnownMaps {
public:
    std::optional<TensorMap> mapOf(const MapShape &shape, void *data) {
        for (Known &known : known_)
            if (known.shape == shape && changeAddress(known.map, data))
                return copyOf(known.map);
        Known &oldest = known_[next_++ % known_.size()];
        oldest.shape = {};
        if (!encode(oldest.map, shape, data))
            return std::nullopt;
        oldest.shape = shape;
        return copyOf(oldest.map);
    }

private:
    struct Known {
        MapShape shape{};
        CUtensorMap map{};
    };

    static TensorMap copyOf(const CUtensorMap &map) {
        static_assert(sizeof map == sizeof(TensorMap) && alignof(CUtensorMap) <= alignof(TensorMap));
        TensorMap made;
        std::memcpy(&made, &map, sizeof made);
        return made;
    }

    std::array<Known, 8> known_{};
    std::size_t next_ = 0;
};

// `width` elements a row, of which a box takes `boxWidth`.
std::optional<TensorMap> mapOf(const RawView &picture, CUtensorMapDataType element, std::int64_t width, int boxWidth,
                               int boxHeight) {
    thread_local KnownMaps known;
    return known.mapOf({element, width, picture.height, picture.pitch, boxWidth, boxHeight}, picture.data);
}

std::int64_t rowBytes(const RawView &picture) {
    return std::int64_t(picture.width) * picture.channels * scalarBytes(picture.type);
}

} // namespace

std::optional<TensorMap> tensorMapOf(const RawView &picture, int boxWidth, int boxHeight) {
    return mapOf(picture, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, std::int64_t(picture.width) * picture.channels, boxWidth,
                 boxHeight);
}

std::optional<TensorMap> tensorMapOfWords(const RawView &picture, int boxBytes, int boxHeight) {
    return mapOf(picture, CU_TENSOR_MAP_DATA_TYPE_UINT32, (rowBytes(picture) + 3) / 4, boxBytes / 4, boxHeight);
}

std::optional<TensorMap> tensorMapOfBytes(const RawView &picture, int boxBytes, int boxHeight) {
    return mapOf(picture, CU_TENSOR_MAP_DATA_TYPE_UINT8, rowBytes(picture), boxBytes, boxHeight);
}

} // namespace tessera::cuda
