// The ceilings of the cores that this process may use.
#pragma once

#include "app/bench/ceilings.h"

#include <functional>
#include <string>

namespace tessera::bench {

// Copies of several sizes and multiply-adds on all threads of the program's pool. Takes about two seconds. `stop` is
// asked now and then; what was not measured by then is missing.
DeviceCeilings measureHostCeilings(const std::function<bool()> &stop = {});

// The instruction set that the multiply-add loop ran with, as Highway names it.
std::string hostPeakInstructionSet();

// Multiply-adds of floats in registers, `steps` times as many as the set has lanes and the loop chains: returns the
// operations made (two each). For tests and measureHostCeilings().
double runMultiplyAdds(long steps);

} // namespace tessera::bench
