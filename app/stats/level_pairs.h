// Two rows of bytes as pairs of neighbours, one above the other, which are counted at once: an increment in memory
// takes a cycle whatever it counts, and in most pictures the levels of neighbours lie close enough for a table of all
// pairs to stay in the caches.
#pragma once

#include <cstdint>

namespace tessera {

// A pair is the level above and the step down to the one below, which lies in -steps/2 .. steps/2 - 1.
inline constexpr int pairSteps = 128;

// Where pairs of one step begin. The 16 beyond the levels keep those of different steps, which are counted in turns,
// out of each other's way in the cache; they also hold the place that stands for no pair.
inline constexpr int pairStride = 256 + 16;
inline constexpr int pairPlaces = pairSteps * pairStride;
inline constexpr int noPair = pairPlaces - 1;

constexpr int pairPlace(int above, int below) { return (below - above + pairSteps / 2) * pairStride + above; }

// places[i] = pairPlace(above[i], below[i]), or noPair where the step is too large; the index of each of these goes to
// `apart`, which has room for all. Returns how many they are. Up to 65536 at a time.
int findPairs(const std::uint8_t *above, const std::uint8_t *below, int count, std::uint16_t *places,
              std::uint16_t *apart);

} // namespace tessera
