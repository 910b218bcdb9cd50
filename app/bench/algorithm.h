// How an implementation reckons, as far as that decides what it may be held against.
#pragma once

#include "app/bench/workload.h"

#include <string_view>

namespace tessera::bench {

// Whether the implementation makes the definition's K * K multiply-adds for this workload. False: it does with fewer
// (passes of a separable kernel, a Fourier transform), and is held against memory alone.
bool countsDenseWork(std::string_view variant, const Workload &workload);

// A kernel of this project; else a library's.
bool isKernelVariant(std::string_view variant);

model::ArithmeticUnit arithmeticUnitOf(std::string_view variant);

} // namespace tessera::bench
