// Blocks that do the same: along an axis of the grid, all blocks whose footprint lies inside the picture and whose rows
// or columns begin alike in a sector make the same accesses, only elsewhere. One of each kind tells about all.
//
// This is what makes counts of a 8192x8192 picture a matter of microseconds for the model, and of a few blocks for the
// simulator. tests/sim/model_agreement_test checks it against whole simulations.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::model {

// One axis of a launch: blocks side by side, each with `tile` outputs.
struct GridAxis {
    int blocks = 1;
    int tile = 1;
    int outputs = 1; // of the target along this axis
    int origin = 0;  // output i lies at origin + i of the source
    int before = 0;  // how far a block reaches before its first output, and after its last: kernel and alignment
    int after = 0;
    int sourceSize = 1;          //
    std::int64_t sourceStep = 1; // bytes from one source value to the next along this axis (pixel or pitch)
    std::int64_t targetStep = 1;
};

struct BlockClass {
    int first = 0;          // a block of this kind
    std::int64_t count = 1; // how many there are
};

// In the order of their first blocks. The counts add up to axis.blocks.
std::vector<BlockClass> blockClasses(const GridAxis &axis);

} // namespace tessera::model
