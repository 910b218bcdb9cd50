// The instances of the tensor-core kernel that are compiled. Measured on one NVIDIA H200: tests/bench/gpu-notes.md.
#pragma once

#include "gpu/kernels/tensor_operands.h"

#include <array>

namespace tessera {

namespace tensor_shapes {

// Columns: number, channels, k blocks, terms, tiles a group, groups a warp, interleave, warps across and down, blocks.
inline constexpr std::array whole{
    TensorShape{TensorNumber::Whole, 1, 1, 1, 2, 4, 2, 2, 2, 4},
    TensorShape{TensorNumber::Whole, 1, 1, 2, 2, 2, 2, 4, 2, 2},
    TensorShape{TensorNumber::Whole, 1, 2, 1, 2, 4, 2, 2, 2, 4},
    TensorShape{TensorNumber::Whole, 1, 2, 2, 2, 4, 2, 2, 2, 2},
    TensorShape{TensorNumber::Whole, 1, 3, 2, 2, 2, 2, 3, 2, 2},
    TensorShape{TensorNumber::Whole, 4, 1, 1, 2, 4, 2, 2, 2, 4},
    TensorShape{TensorNumber::Whole, 4, 1, 2, 2, 4, 2, 2, 2, 2},
    TensorShape{TensorNumber::Whole, 4, 2, 2, 2, 4, 2, 2, 2, 2},
    TensorShape{TensorNumber::Whole, 4, 3, 2, 2, 4, 2, 2, 2, 2},
};
inline constexpr std::array half{
    TensorShape{TensorNumber::Half, 1, 1, 1, 1, 8, 2, 2, 2, 4},
    TensorShape{TensorNumber::Half, 1, 1, 2, 1, 8, 2, 2, 4, 2},
    TensorShape{TensorNumber::Half, 1, 2, 1, 2, 4, 2, 2, 2, 4},
    TensorShape{TensorNumber::Half, 1, 2, 2, 2, 4, 2, 2, 2, 4},
    TensorShape{TensorNumber::Half, 1, 3, 2, 2, 4, 2, 2, 2, 3},
    TensorShape{TensorNumber::Half, 1, 5, 2, 2, 4, 2, 2, 2, 2},
    TensorShape{TensorNumber::Half, 4, 2, 2, 2, 4, 2, 2, 2, 4},
    TensorShape{TensorNumber::Half, 4, 5, 2, 2, 4, 2, 2, 2, 2},
};
inline constexpr std::array split{
    TensorShape{TensorNumber::Split, 1, 2, 2, 2, 2, 2, 4, 2, 2},
    TensorShape{TensorNumber::Split, 1, 3, 2, 2, 2, 2, 3, 2, 2},
    TensorShape{TensorNumber::Split, 1, 5, 2, 2, 2, 2, 2, 2, 2},
    TensorShape{TensorNumber::Split, 4, 2, 2, 2, 4, 2, 2, 2, 2},
    TensorShape{TensorNumber::Split, 4, 3, 2, 2, 4, 2, 2, 2, 1},
    TensorShape{TensorNumber::Split, 4, 5, 2, 2, 4, 2, 2, 1, 1},
};

} // namespace tensor_shapes

} // namespace tessera
