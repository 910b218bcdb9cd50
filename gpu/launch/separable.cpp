#include "gpu/launch/separable.h"

#include "gpu/image/half.h"
#include "gpu/kernels/separable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

namespace {

// What separable::Shape says, as values.
struct Layout {
    int side, lead, perChunk, width, batch, threads;
    std::size_t sharedBytes;
};

template <class P, int side, bool several> Layout layoutOf(int terms) {
    using Shape = separable::Shape<P, side, several>;
    return {side, Shape::lead, Shape::perChunk, Shape::width, Shape::batch, Shape::threads, Shape::sharedBytes(terms)};
}

enum class Kind { Plain, Converting, Several };

constexpr const auto &sidesOf(std::integral_constant<Kind, Kind::Plain>) { return separableSides; }
constexpr const auto &sidesOf(std::integral_constant<Kind, Kind::Converting>) { return separableConvertingSides; }
constexpr const auto &sidesOf(std::integral_constant<Kind, Kind::Several>) { return separableTermSides; }

// Calls `visit` with the layout of each compiled size in turn, until it returns true.
template <class P, Kind kind, class Visitor> bool visitSides(int terms, Visitor visit) {
    constexpr const auto &sides = sidesOf(std::integral_constant<Kind, kind>{});
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (visit(layoutOf<P, sides[I], kind == Kind::Several>(terms)) || ...);
    }
    (std::make_index_sequence<sides.size()>{});
}

template <class P, class Visitor> bool visitLayouts(Kind kind, int terms, Visitor visit) {
    return kind == Kind::Plain        ? visitSides<P, Kind::Plain>(terms, visit)
           : kind == Kind::Converting ? visitSides<P, Kind::Converting>(terms, visit)
                                      : visitSides<P, Kind::Several>(terms, visit);
}

template <class Visitor> bool visitLayouts(const ConvolutionShape &shape, Kind kind, int terms, Visitor visit) {
    const bool grey = shape.channels == 1;
    switch (shape.scalarBytes) {
    case 1:
        return grey ? visitLayouts<Pixel<std::uint8_t, 1>>(kind, terms, visit)
                    : visitLayouts<Pixel<std::uint8_t, 4>>(kind, terms, visit);
    case 2:
        return grey ? visitLayouts<Pixel<std::uint16_t, 1>>(kind, terms, visit)
                    : visitLayouts<Pixel<std::uint16_t, 4>>(kind, terms, visit);
    default:
        return grey ? visitLayouts<Pixel<float, 1>>(kind, terms, visit)
                    : visitLayouts<Pixel<float, 4>>(kind, terms, visit);
    }
}

int remainder(int value, int divisor) { return (value % divisor + divisor) % divisor; }

// Segments for all multiprocessors, but none shorter than a batch: each makes its first sums across for nothing.
// `blocks` of them run at a time.
void layOver(SeparablePlan &plan, const Layout &layout, const ConvolutionShape &shape, int blocks) {
    const int strips = ceilDivide(shape.width, layout.width);
    const int segments = std::clamp(blocks / strips, 1, ceilDivide(shape.height, layout.batch));
    plan.rowsPerSegment = ceilDivide(ceilDivide(shape.height, segments), 8) * 8;
    plan.launch.grid = {strips, ceilDivide(shape.height, plan.rowsPerSegment)};
    plan.launch.block = {layout.threads, 1};
    plan.launch.sharedBytes = layout.sharedBytes;
    plan.launch.outputsPerThread = 1;
}

} // namespace

SeparablePlan planSeparable(const ConvolutionShape &shape, int terms, bool converting, int firstColumn, bool aligned,
                            const DeviceLimits &limits) {
    SeparablePlan plan;
    plan.terms = terms;
    const std::string kernel = std::to_string(shape.tapsWidth) + "x" + std::to_string(shape.tapsHeight);
    std::size_t wanted = 0;
    const auto take = [&](bool bulk) {
        return [&, bulk](const Layout &layout) {
            const int zeros = bulk ? remainder(firstColumn - layout.lead, layout.perChunk) : 0;
            if (layout.side < std::max(shape.tapsWidth + zeros, shape.tapsHeight))
                return false;
            wanted = layout.sharedBytes;
            if (wanted > limits.sharedBytesPerBlock || layout.threads > limits.threadsPerBlock)
                return false;
            plan.side = layout.side;
            plan.leadingZeros = zeros;
            plan.bulk = bulk;
            layOver(plan, layout, shape,
                    std::max(1, int(limits.sharedBytesPerBlock / layout.sharedBytes)) * limits.multiprocessors);
            return true;
        };
    };
    const Kind kind = terms > 1 ? Kind::Several : converting ? Kind::Converting : Kind::Plain;
    if (terms > maximumSeparableTerms)
        plan.refusal = "a kernel of " + kernel + " is no sum of up to " + std::to_string(maximumSeparableTerms) +
                       " separable ones";
    else if (terms > 1 && converting)
        plan.refusal = "several terms keep the pixels' type";
    else if (!(aligned && visitLayouts(shape, kind, terms, take(true))) &&
             !visitLayouts(shape, kind, terms, take(false)))
        plan.refusal = wanted == 0
                           ? "a kernel of " + kernel + (terms > 1 ? " of " + std::to_string(terms) + " terms" : "") +
                                 " exceeds this variant's sizes"
                           : "rows under a kernel of " + kernel + " take " + std::to_string(wanted) +
                                 " bytes of shared memory, the device has " +
                                 std::to_string(limits.sharedBytesPerBlock) + " a block";
    return plan;
}

namespace {

template <int side, int parts> Layout byteLayout() {
    using Shape = separable::ByteShape<side, parts>;
    return {side, Shape::lead, Shape::perChunk, Shape::width, Shape::batch, Shape::threads, Shape::sharedBytes};
}

template <int parts> std::optional<Layout> fittingByteLayout(const ConvolutionShape &shape, int firstColumn) {
    std::optional<Layout> found;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto take = [&](const Layout &layout) {
            const int zeros = remainder(firstColumn - layout.lead, layout.perChunk);
            if (layout.side < std::max(shape.tapsWidth + zeros, shape.tapsHeight))
                return false;
            found = layout;
            return true;
        };
        static_cast<void>((take(byteLayout<separableByteSides[I], parts>()) || ...));
    }
    (std::make_index_sequence<separableByteSides.size()>{});
    return found;
}

} // namespace

SeparablePlan planSeparableBytes(const ConvolutionShape &shape, int terms, int parts, int firstColumn,
                                 const DeviceLimits &limits) {
    SeparablePlan plan;
    if (!shape.eightBit || shape.channels != 1 || terms != 1)
        plan.refusal = "8-bit pixels of one channel and one term only";
    else if (shape.tapsWidth + shape.tapsHeight < leastByteTaps(parts))
        plan.refusal = "the kernel is too small to gain by tensor cores";
    if (!plan.refusal.empty())
        return plan;
    const auto layout =
        parts == 1 ? fittingByteLayout<1>(shape, firstColumn) : fittingByteLayout<2>(shape, firstColumn);
    if (!layout || layout->sharedBytes > limits.sharedBytesPerBlock) {
        plan.refusal = "the kernel, with zeros that align its rows, exceeds this form's sizes";
        return plan;
    }
    plan.side = layout->side;
    plan.leadingZeros = remainder(firstColumn - layout->lead, layout->perChunk);
    plan.bulk = true;
    layOver(plan, *layout, shape, separable::ByteShape<separableByteSides[0], 1>::blocks * limits.multiprocessors);
    return plan;
}

namespace {

// Scales by a power of two, so that the largest is in [2^14, 2^15): as a half it and what rounding leaves of it are far
// from a half's ends. Returns the exponent.
int scaleTaps(const std::vector<float> &taps, float *scaled) {
    float largest = 0.0f;
    for (const float tap : taps)
        largest = std::max(largest, std::fabs(tap));
    int exponent = 0;
    std::frexp(largest, &exponent);
    for (std::size_t i = 0; i < taps.size(); ++i)
        scaled[i] = std::ldexp(taps[i], 15 - exponent);
    return 15 - exponent;
}

} // namespace

int byteParts(const model::SeparableTerm &term) {
    for (const std::vector<float> *taps : {&term.across, &term.down}) {
        float scaled[maximumSeparableSide] = {};
        if (taps->size() > std::size(scaled))
            return 2;
        scaleTaps(*taps, scaled);
        for (const float tap : scaled)
            if (static_cast<float>(Half(tap)) != tap)
                return 2;
    }
    return 1;
}

std::optional<ByteTaps> byteTaps(const model::SeparableTerm &term, int leadingZeros, const Finish &finish) {
    double gain[2] = {};
    for (const float tap : term.across)
        gain[0] += std::fabs(double(tap));
    for (const float tap : term.down)
        gain[1] += std::fabs(double(tap));
    const double largest = 255.0 * gain[0] * gain[1] / std::fabs(double(finish.divisor));
    if (!std::isfinite(largest))
        return std::nullopt;
    ByteTaps made;
    SeparableByteOperands &operands = made.operands;
    int exponent = 24 - scaleTaps(term.across, operands.across + leadingZeros) - scaleTaps(term.down, operands.down);
    operands.finish = finish;
    if (finish.response == Response::Signed) {
        operands.finish.offset += 128.0f;
        operands.finish.response = Response::Clamp;
    }
    int ofDivisor = 0;
    const float mantissa = std::frexp(finish.divisor, &ofDivisor);
    const bool powerOfTwo = std::fabs(mantissa) == 0.5f;
    if (powerOfTwo) {
        exponent -= ofDivisor - 1;
        operands.finish.divisor = 1.0f;
    }
    if (std::abs(exponent) > 100)
        return std::nullopt;
    operands.scale = std::copysign(std::ldexp(1.0f, exponent), powerOfTwo ? mantissa : 1.0f);
    operands.reciprocal = 1.0f / operands.finish.divisor;
    constexpr float wholeBase = 12582912.0f, quarter = 4194304.0f; // 1.5 * 2^23, and how far from it ones are one apart
    const float offset = operands.finish.offset;
    made.quick = powerOfTwo && operands.finish.response == Response::Clamp && std::trunc(offset) == offset &&
                 largest + std::fabs(double(offset)) < double(quarter);
    operands.base = made.quick ? offset + wholeBase : 0.0f;
    return made;
}

} // namespace tessera
