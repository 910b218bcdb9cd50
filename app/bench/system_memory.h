// What the operating system tells about memory and load.
#pragma once

#include <cstddef>
#include <optional>

namespace tessera::bench {

// The largest cache that a core of this machine reads through, in bytes; 32 MiB where the system does not tell.
std::size_t lastLevelCacheBytes();

// What can be had without swapping, within the limit of a container; 1 GiB where the system does not tell.
std::size_t freeHostMemory();

// Processes that wanted a core over the last minute, this one included.
std::optional<double> loadAverage();

} // namespace tessera::bench
