#include "gpu/launch/tensor_map.h"

#include "gpu/device/check.h"

#include <cuda.h>

#include <cstring>

namespace tessera::cuda {

namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

// Asked of the runtime, so that the program needs no libcuda to start.
Encode encodeFunction() {
    static const Encode function = [] {
        void *found = nullptr;
        cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
        const cudaError_t code =
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
#else
        const cudaError_t code = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
#endif
        if (code != cudaSuccess)
            static_cast<void>(cudaGetLastError()); // a launch without the map is no failure
        return code == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Encode>(found) : nullptr;
    }();
    return function;
}

// `width` elements a row, of which a box takes `boxWidth`.
std::optional<TensorMap> mapOf(const RawView &picture, CUtensorMapDataType element, std::int64_t width, int boxWidth,
                               int boxHeight) {
    const Encode encode = encodeFunction();
    if (!encode || picture.pitch <= 0)
        return std::nullopt;
    const cuuint64_t sizes[] = {cuuint64_t(width), cuuint64_t(picture.height)};
    const cuuint64_t pitch[] = {cuuint64_t(picture.pitch)};
    const cuuint32_t box[] = {cuuint32_t(boxWidth), cuuint32_t(boxHeight)}, steps[] = {1, 1};
    CUtensorMap map;
    const CUresult code =
        encode(&map, element, 2, picture.data, sizes, pitch, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (code != CUDA_SUCCESS)
        return std::nullopt;
    static_assert(sizeof map == sizeof(TensorMap) && alignof(CUtensorMap) <= alignof(TensorMap));
    TensorMap made;
    std::memcpy(&made, &map, sizeof made);
    return made;
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
