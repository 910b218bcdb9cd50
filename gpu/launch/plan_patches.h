// The sizes of the patches that `blocked` has kernels for (gpu/kernels/blocked.h).
#pragma once

#include <type_traits>

namespace tessera {

inline constexpr int largestPatchSide = 7;

// What `visit` returns for the side of the patches that a centred square of `side` pixels is embedded in, as a constant
// of the type. Those of more than largestPatchSide have none: ask before.
template <class Visitor> auto withPatchSide(int side, Visitor visit) {
    if (side <= 3)
        return visit(std::integral_constant<int, 3>{});
    if (side <= 5)
        return visit(std::integral_constant<int, 5>{});
    return visit(std::integral_constant<int, largestPatchSide>{});
}

} // namespace tessera
