// How much memory this process may use.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

// The machine's memory, or the smallest limit of the control groups around this process (containers, Slurm jobs), in
// bytes.
std::uint64_t usableMemory();

// As --max-memory takes it: "900K" below 8 MiB, else "73M". Rounded up, so that a need that is stated so is enough.
std::string memorySizeText(std::uint64_t bytes);

} // namespace tessera
