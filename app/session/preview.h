// A chain that does to a reduced picture about what the chain does to the whole: for the moment until the exact
// result is there.
#pragma once

#include "app/session/chain.h"

#include <optional>

namespace tessera {

// Lengths (parameters in px, kernels of one's own, the area) shrink by 2^level; what has no length stays. An
// approximation: what is shown from it must say so. Empty where the shrunken parameters make no filter.
std::optional<Chain> previewChain(const Chain &chain, int level);

// The kernel on a grid of 2^level times larger cells: each coarse tap is the sum of the taps that fall into it, shares
// included, so that the sum of all taps stays.
ConvolutionKernel coarsened(const ConvolutionKernel &kernel, int level);

} // namespace tessera
