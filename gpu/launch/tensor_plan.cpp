#include "gpu/launch/tensor_plan.h"

#include "gpu/image/taps.h"
#include "gpu/launch/tensor_shapes.h"
#include "gpu/launch/tensor_taps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace tessera {

TensorNumber tensorNumber(ScalarType source, ScalarType target) {
    if (source == ScalarType::U8 && target == ScalarType::U8)
        return TensorNumber::Whole;
    return source == ScalarType::F16 ? TensorNumber::Half : TensorNumber::Split;
}

namespace {

int modulo(int value, int divisor) { return ((value % divisor) + divisor) % divisor; }

// The largest chunks whose alignment costs no further k block.
bool chooseChunks(TensorPlan &plan, const ConvolutionRequest &request) {
    const TensorShape &shape = plan.shape;
    const int pixelBytes = shape.rawBytes() * shape.channels;
    const bool asStored = scalarBytes(request.source.type) == shape.rawBytes();
    for (const int bytes : {16, shape.smallChunkBytes()}) {
        if (!asStored || !rowsAligned(request.source, bytes))
            continue;
        plan.shift = modulo(request.originX - request.taps->anchorX, bytes / pixelBytes);
        plan.chunkBytes = bytes;
        if (request.taps->width <= shape.maximumTaps(plan.shift))
            return true;
    }
    plan.shift = 0;
    plan.chunkBytes = 0;
    return request.taps->width <= shape.maximumTaps(0);
}

} // namespace

TensorPlan planTensorShape(const TensorShape &shape, const ConvolutionRequest &request, const DeviceLimits &limits) {
    TensorPlan plan;
    plan.shape = shape;
    if (shape.number != tensorNumber(request.source.type, request.target.type) ||
        shape.channels != request.source.channels || !chooseChunks(plan, request)) {
        plan.refusal = "no instance of the tensor kernel serves these pixels and this kernel";
        return plan;
    }
    constexpr std::size_t reserved = 1024; // of each block, by the system
    const std::size_t available = limits.sharedBytesPerBlock + reserved;
    const int height = request.taps->height;
    const auto resident = [&](int stages) {
        return std::min(shape.blocks, int(available / (shape.sharedBytes(height, stages) + reserved)));
    };
    // A second buffer must not cost a block its place: other blocks hide the staging as well.
    plan.stages = resident(2) >= 1 && resident(2) >= resident(1) ? 2 : 1;
    plan.sharedBytes = shape.sharedBytes(height, plan.stages);
    if (resident(plan.stages) < 1) {
        plan.refusal = "a tile under a kernel of " + std::to_string(request.taps->width) + "x" +
                       std::to_string(height) + " takes " + std::to_string(plan.sharedBytes) +
                       " bytes of shared memory, the device has " + std::to_string(limits.sharedBytesPerBlock) +
                       " a block";
        return plan;
    }
    const std::int64_t tiles = std::int64_t(ceilDivide(request.target.width, shape.tile().x)) *
                               ceilDivide(request.target.height, shape.tile().y);
    plan.grid = {int(std::min<std::int64_t>(tiles, std::int64_t(limits.multiprocessors) * resident(plan.stages))), 1};
    return plan;
}

namespace {

std::span<const TensorShape> shapesOf(TensorNumber number) {
    switch (number) {
    case TensorNumber::Whole:
        return tensor_shapes::whole;
    case TensorNumber::Half:
        return tensor_shapes::half;
    default:
        return tensor_shapes::split;
    }
}

} // namespace

TensorPlan planTensor(const ConvolutionRequest &request, int terms, const DeviceLimits &limits) {
    const TensorNumber number = tensorNumber(request.source.type, request.target.type);
    if (number == TensorNumber::Whole)
        terms = wholeTaps(tapsOf(request), terms).terms;
    else if (terms == 0 || number == TensorNumber::Split)
        terms = 2;
    // Least work first: few k blocks, then few terms, but no fewer than asked for; staged in chunks where any can be.
    TensorPlan best;
    best.refusal = "the tensor cores take no kernel wider than " + std::to_string(maximumTapsSide);
    const auto work = [](const TensorPlan &plan) {
        return plan.shape.kBlocks * plan.shape.terms * plan.shape.tilesPerGroup * (plan.chunkBytes == 0 ? 2 : 1);
    };
    for (const TensorShape &shape : shapesOf(number)) {
        if (shape.terms < terms || shape.channels != request.source.channels)
            continue;
        const TensorPlan plan = planTensorShape(shape, request, limits);
        const bool better = best.refusal.empty() ? plan.refusal.empty() && work(plan) < work(best)
                                                 : plan.refusal.empty() || shape.maximumTaps(0) >= request.taps->width;
        if (better)
            best = plan;
    }
    return best;
}

PlanResult planTensorConvolution(const ConvolutionShape &shape, const DeviceLimits &limits) {
    PlanResult result;
    result.plan.variant = KernelVariant::Tensor;
    if (limits.computeCapability < 80) {
        result.refusal = "the tensor kernel needs compute capability 8.0, the device has " +
                         std::to_string(limits.computeCapability / 10) + "." +
                         std::to_string(limits.computeCapability % 10);
        return result;
    }
    result.refusal = tapsRefusal(shape);
    if (!result.refusal.empty())
        return result;
    // A request of that shape whose taps and alignment ask for most: both terms, pixel by pixel.
    Taps taps;
    taps.width = shape.tapsWidth;
    taps.height = shape.tapsHeight;
    for (int i = 0; i < taps.count(); ++i)
        taps.value[i] = 1.0f / float(3 + i);
    ConvolutionRequest request;
    const ScalarType type = shape.eightBit ? ScalarType::U8 : ScalarType::U16;
    request.source = {nullptr, shape.width, shape.height, 1, type, shape.channels};
    request.target = request.source;
    request.taps = &taps;
    const TensorPlan plan = planTensor(request, 2, limits);
    result.refusal = plan.refusal;
    result.plan.grid = plan.grid;
    result.plan.block = {plan.shape.threads(), 1};
    result.plan.sharedBytes = plan.sharedBytes;
    // A thread has the same share of a tile wherever it sits.
    result.plan.outputsPerThread = plan.shape.groupsAcross() * 2 * plan.shape.tilesPerGroup;
    result.plan.rowsPerThread = 2 * plan.shape.interleave;
    return result;
}

namespace {

TensorOperands::Picture pictureOf(const RawView &view) {
    return {view.data, view.width, view.height, view.pitch, view.type};
}

bool storesPlainly(const RawView &target, const TensorOperands &operands, const TensorShape &shape, double largestSum) {
    const ScalarType usual = shape.number == TensorNumber::Whole  ? ScalarType::U8
                             : shape.number == TensorNumber::Half ? ScalarType::F16
                                                                  : ScalarType::F32;
    const unsigned all = (1u << shape.channels) - 1u;
    const int bytes = std::min(16, scalarBytes(usual) * 2 * shape.tilesPerGroup * shape.channels);
    return target.type == usual && rowsAligned(target, bytes) && operands.finish.divisor == 1.0f &&
           (usual != ScalarType::U8 || (operands.finish.response == Response::Clamp &&
                                        operands.finish.offset == std::rint(operands.finish.offset) &&
                                        largestSum + std::fabs(double(operands.finish.offset)) < 0x1p22)) &&
           (operands.channelMask & all) == all;
}

} // namespace

TensorOperands tensorOperands(const ConvolutionRequest &request, const TensorPlan &plan) {
    const TensorShape &shape = plan.shape;
    TensorOperands operands;
    operands.source = pictureOf(request.source);
    operands.target = pictureOf(request.target);
    operands.originX = request.originX;
    operands.originY = request.originY;
    operands.border = request.border.mode;
    operands.outside = request.border.mode == BorderMode::Constant ? float(request.border.constant) : 0.0f;
    // Like any stored value, the constant is rounded and saturated.
    if (request.source.type == ScalarType::U8)
        operands.outside = float(finishValue<std::uint8_t>(Finish{}, operands.outside));
    else if (request.source.type == ScalarType::U16)
        operands.outside = float(finishValue<std::uint16_t>(Finish{}, operands.outside));
    operands.finish = request.finish;
    operands.channelMask = request.channelMask;
    operands.tiles = {ceilDivide(request.target.width, shape.tile().x),
                      ceilDivide(request.target.height, shape.tile().y)};
    operands.stages = plan.stages;
    operands.chunkBytes = plan.chunkBytes;
    operands.tapsWidth = request.taps->width;
    operands.tapsHeight = request.taps->height;
    operands.anchorX = request.taps->anchorX;
    operands.anchorY = request.taps->anchorY;
    operands.shift = plan.shift;
    packTaps(operands, request, shape);
    operands.plainStores =
        storesPlainly(request.target, operands, shape,
                      255.0 * sumOfMagnitudes(tapsOf(request)) / std::fabs(double(request.finish.divisor)));
    return operands;
}

} // namespace tessera
