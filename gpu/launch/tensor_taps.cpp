#include "gpu/launch/tensor_taps.h"

#include "gpu/image/taps.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace tessera {

namespace {

constexpr int largestMultiple(int terms) { return terms == 1 ? 127 : 127 * 256 + 127; }
constexpr double largestSumOfMultiples = 2147483647.0 / 255.0; // the sums are 32-bit numbers

bool areMultiples(std::span<const float> taps, double step, int limit) {
    double sum = 0;
    for (const float tap : taps) {
        const double multiple = std::rint(double(tap) / step);
        if (std::fabs(multiple) > limit || std::fabs(multiple * step - double(tap)) > std::fabs(double(tap)) * 0x1p-23)
            return false;
        sum += std::fabs(multiple);
    }
    return sum <= largestSumOfMultiples;
}

// A step of which all taps are multiples: 1, as for taps typed in, or the smallest tap, as for those divided by their
// sum. 0 where neither is.
double commonStep(std::span<const float> taps, int limit) {
    double smallest = 0;
    for (const float tap : taps)
        if (tap != 0.0f && (smallest == 0 || std::fabs(double(tap)) < smallest))
            smallest = std::fabs(double(tap));
    for (const double step : {1.0, smallest})
        if (step > 0 && areMultiples(taps, step, limit))
            return step;
    return 0;
}

double sumOfMagnitudes(std::span<const float> taps) {
    return std::accumulate(taps.begin(), taps.end(), 0.0, [](double sum, float tap) { return sum + std::fabs(tap); });
}

} // namespace

WholeTaps wholeTaps(std::span<const float> taps, int terms) {
    WholeTaps whole;
    for (const int count : {1, 2}) {
        whole.terms = count;
        whole.step = commonStep(taps, largestMultiple(count));
        if (whole.step > 0 && (terms == 0 || terms == count))
            break;
    }
    whole.exact = whole.step > 0 && (terms == 0 || terms == whole.terms);
    if (!whole.exact) {
        whole.terms = terms == 1 ? 1 : 2;
        const double largest = std::fabs(*std::ranges::max_element(taps, {}, [](float tap) { return std::fabs(tap); }));
        whole.step = std::max(largest / largestMultiple(whole.terms),
                              sumOfMagnitudes(taps) / (largestSumOfMultiples - double(taps.size())));
    }
    for (const float tap : taps) {
        const double multiple = std::rint(double(tap) / whole.step);
        whole.multiples.push_back(int(multiple));
        whole.error += std::fabs(multiple * whole.step - double(tap));
    }
    return whole;
}

TensorNumber tensorNumber(ScalarType source, ScalarType target) {
    if (source == ScalarType::U8 && target == ScalarType::U8)
        return TensorNumber::Whole;
    return source == ScalarType::F16 ? TensorNumber::Half : TensorNumber::Split;
}

namespace {

std::span<const float> tapsOf(const ConvolutionRequest &request) {
    return {request.taps->value, std::size_t(request.taps->count())};
}

int modulo(int value, int divisor) { return ((value % divisor) + divisor) % divisor; }

bool aligned(const RawView &view, int bytes) {
    return reinterpret_cast<std::uintptr_t>(view.data) % std::uintptr_t(bytes) == 0 && view.pitch % bytes == 0;
}

// The largest chunks whose alignment costs no further k block.
bool chooseChunks(TensorPlan &plan, const ConvolutionRequest &request) {
    const TensorShape &shape = plan.shape;
    const int pixelBytes = shape.rawBytes() * shape.channels;
    const bool asStored = scalarBytes(request.source.type) == shape.rawBytes();
    for (const int bytes : {16, shape.smallChunkBytes()}) {
        if (!asStored || !aligned(request.source, bytes))
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

// row-major taps; `value` is what stands in the words, `perWord` of them in one, `bits` each.
template <class Value>
void packRows(std::uint32_t *words, const TensorShape &shape, const ConvolutionRequest &request, int shift,
              Value value) {
    const int perWord = shape.shifts(), bits = 32 / perWord;
    const Taps &taps = *request.taps;
    for (int v = 0; v < taps.height; ++v)
        for (int term = 0; term < shape.terms; ++term)
            for (int word = 0; word < shape.rowWords(); ++word) {
                std::uint32_t packed = 0;
                for (int i = 0; i < perWord; ++i) {
                    const int u = perWord * (word - shape.leadingWords()) + i - shift;
                    if (u >= 0 && u < taps.width)
                        packed |= value(v * taps.width + u, term) << (bits * i);
                }
                *words++ = packed;
            }
}

bool isPowerOfTwo(float value) {
    int exponent = 0;
    return std::fabs(std::frexp(value, &exponent)) == 0.5f;
}

void packWhole(TensorOperands &operands, const ConvolutionRequest &request, const TensorPlan &plan) {
    const WholeTaps whole = wholeTaps(tapsOf(request), plan.shape.terms);
    packRows(operands.words, plan.shape, request, plan.shift, [&](int i, int term) {
        const int multiple = whole.multiples[std::size_t(i)];
        if (plan.shape.terms == 1)
            return std::uint32_t(multiple) & 0xffu;
        const int high = (multiple + 128) >> 8; // so that the rest is a signed byte
        return std::uint32_t(term == 0 ? high : multiple - high * 256) & 0xffu;
    });
    // Whole numbers of whole taps are divided as such; else the divisor is one more factor.
    if (whole.exact && !isPowerOfTwo(operands.finish.divisor)) {
        operands.step = float(whole.step);
    } else {
        operands.step = float(whole.step / double(operands.finish.divisor));
        operands.finish.divisor = 1;
    }
}

void packHalves(TensorOperands &operands, const ConvolutionRequest &request, const TensorPlan &plan) {
    const std::span<const float> taps = tapsOf(request);
    float largest = 0;
    bool integers = true;
    for (const float tap : taps) {
        largest = std::max(largest, std::fabs(tap));
        integers = integers && tap == std::rint(tap);
    }
    int exponent = 0;
    if (largest > 0)
        (void)std::frexp(largest, &exponent);
    const int up = 15 - exponent; // the largest tap comes to lie in [2^14, 2^15)
    packRows(operands.words, plan.shape, request, plan.shift, [&](int i, int term) {
        const float scaled = std::ldexp(taps[std::size_t(i)], up);
        const std::uint16_t high = halfBitsFromFloat(scaled);
        return std::uint32_t(term == 0 ? high : halfBitsFromFloat(scaled - floatFromHalfBits(high)));
    });
    operands.step = std::ldexp(1.0f, -up);
    if (!integers || isPowerOfTwo(operands.finish.divisor)) {
        operands.step /= operands.finish.divisor;
        operands.finish.divisor = 1;
    }
}

TensorOperands::Picture pictureOf(const RawView &view) {
    return {view.data, view.width, view.height, view.pitch, view.type};
}

bool storesPlainly(const TensorOperands &operands, const TensorShape &shape, double largestSum) {
    const ScalarType usual = shape.number == TensorNumber::Whole  ? ScalarType::U8
                             : shape.number == TensorNumber::Half ? ScalarType::F16
                                                                  : ScalarType::F32;
    const unsigned all = (1u << shape.channels) - 1u;
    const int bytes = std::min(16, scalarBytes(usual) * 2 * shape.tilesPerGroup * shape.channels);
    const bool isAligned = reinterpret_cast<std::uintptr_t>(operands.target.data) % std::uintptr_t(bytes) == 0 &&
                           operands.target.pitch % bytes == 0;
    return operands.target.type == usual && isAligned && operands.finish.divisor == 1.0f &&
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
    if (shape.number == TensorNumber::Whole)
        operands.outside = float(finishValue<std::uint8_t>(Finish{}, operands.outside));
    operands.finish = request.finish;
    operands.channelMask = request.channelMask;
    operands.tiles = {ceilDivide(request.target.width, shape.tile().x),
                      ceilDivide(request.target.height, shape.tile().y)};
    operands.stages = plan.stages;
    operands.chunkBytes = plan.chunkBytes;
    const int pixelBytes = shape.rawBytes() * shape.channels;
    const int chunks = plan.chunkBytes == 0 ? shape.columns() : shape.columns() * pixelBytes / plan.chunkBytes;
    operands.lanesPerRow = std::min(chunks, shape.threads() / shape.interleave);
    operands.rowsPerPass = shape.threads() / operands.lanesPerRow / shape.interleave * shape.interleave;
    operands.tapsWidth = request.taps->width;
    operands.tapsHeight = request.taps->height;
    operands.anchorX = request.taps->anchorX;
    operands.anchorY = request.taps->anchorY;
    operands.shift = plan.shift;
    if (shape.number == TensorNumber::Whole)
        packWhole(operands, request, plan);
    else
        packHalves(operands, request, plan);
    operands.plainStores = storesPlainly(
        operands, shape, 255.0 * sumOfMagnitudes(tapsOf(request)) / std::fabs(double(request.finish.divisor)));
    return operands;
}

} // namespace tessera
