#include "gpu/launch/separable.h"

#include "gpu/kernels/separable.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tessera {

namespace {

// What separable::Shape says, as values.
struct Layout {
    int side, lead, perChunk, width, batch, threads;
    std::size_t sharedBytes;
};

template <class P, int side, bool several> Layout layoutOf(int terms) {
    using Shape = separable::Shape<P, side, several>;
    return {side,         Shape::lead,    Shape::perChunk,          Shape::width,
            Shape::batch, Shape::threads, Shape::sharedBytes(terms)};
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
    }(std::make_index_sequence<sides.size()>{});
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
void layOver(SeparablePlan &plan, const Layout &layout, const ConvolutionShape &shape, const DeviceLimits &limits) {
    const int strips = ceilDivide(shape.width, layout.width);
    const int blocks = std::max(1, int(limits.sharedBytesPerBlock / layout.sharedBytes)) * limits.multiprocessors;
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
            layOver(plan, layout, shape, limits);
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
        plan.refusal =
            wanted == 0 ? "a kernel of " + kernel + (terms > 1 ? " of " + std::to_string(terms) + " terms" : "") +
                              " exceeds this variant's sizes"
                        : "rows under a kernel of " + kernel + " take " + std::to_string(wanted) +
                              " bytes of shared memory, the device has " +
                              std::to_string(limits.sharedBytesPerBlock) + " a block";
    return plan;
}

} // namespace tessera
