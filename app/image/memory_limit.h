// How much memory this process may use.
#pragma once

#include <cstdint>

namespace tessera {

// The machine's memory, or the smallest limit of the control groups around this process (containers, Slurm jobs), in
// bytes.
std::uint64_t usableMemory();

} // namespace tessera
