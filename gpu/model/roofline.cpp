#include "gpu/model/roofline.h"

#include <algorithm>

namespace tessera::model {

std::string_view arithmeticUnitName(ArithmeticUnit unit) {
    switch (unit) {
    case ArithmeticUnit::Fp32:
        return "fp32";
    case ArithmeticUnit::Half2:
        return "half2";
    case ArithmeticUnit::Tensor:
        return "tensor";
    }
    return "unknown";
}

const MeasuredCeilings *measuredCeilings(std::string_view deviceName) {
    // CUDA 13.0; a copy of 4 GB, dependent chains of FFMA and HFMA2 on all multiprocessors. Tensor cores: not measured.
    static constexpr MeasuredCeilings known[] = {{"NVIDIA H200", {4290e9, 62.9e12, 116.5e12, std::nullopt}}};
    for (const MeasuredCeilings &entry : known)
        if (entry.device == deviceName)
            return &entry;
    return nullptr;
}

std::optional<double> Ceilings::operationsPerSecond(ArithmeticUnit unit) const {
    switch (unit) {
    case ArithmeticUnit::Fp32:
        return fp32;
    case ArithmeticUnit::Half2:
        return half2;
    case ArithmeticUnit::Tensor:
        return tensor;
    }
    return std::nullopt;
}

std::optional<Roofline> rooflineOf(const Work &work, const Ceilings &ceilings) {
    const std::optional<double> operationsPerSecond = ceilings.operationsPerSecond(work.unit);
    if (!operationsPerSecond || !ceilings.bytesPerSecond || *operationsPerSecond <= 0 || *ceilings.bytesPerSecond <= 0)
        return std::nullopt;
    Roofline roofline;
    roofline.ridge = *operationsPerSecond / *ceilings.bytesPerSecond;
    roofline.attainable = std::min(*operationsPerSecond, work.intensity() * *ceilings.bytesPerSecond);
    roofline.memorySeconds = work.bytes / *ceilings.bytesPerSecond;
    roofline.arithmeticSeconds = work.operations / *operationsPerSecond;
    roofline.bound = roofline.memorySeconds >= roofline.arithmeticSeconds ? Bound::Memory : Bound::Arithmetic;
    roofline.floorSeconds = std::max(roofline.memorySeconds, roofline.arithmeticSeconds);
    return roofline;
}

} // namespace tessera::model
