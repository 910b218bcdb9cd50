// Counting bytes without increments. 512 samples are turned into eight planes of their bits; the samples of a level are
// those where eight planes or their complements are all set, found by one "and" of two sixteenths, and counted by the
// processor's population count. 256 levels thus take 768 vector steps for 512 samples, and far less where few of the
// sixteen upper halves of a byte occur at all, as in most stretches of a picture. An increment in memory takes a cycle
// or more for each sample.
//
// Needs AVX-512 with VBMI, VNNI and VPOPCNTDQ, and GFNI, whose product of bit matrices turns 64 samples at a time:
// processors from 2019 (Intel) and 2022 (AMD) on. Measured in tests/bench/cpu-notes.md.
#pragma once

#include <array>
#include <cstdint>

namespace tessera {

bool canCountBitPlanes(); // on this processor; asked once, then kept

inline constexpr int bitPlaneBlock = 512; // samples

// Eight counters a level, whose sum is the level's.
struct alignas(64) BitPlaneCounts {
    std::array<std::array<std::uint64_t, 8>, 256> level{};
};

// `blocks` times bitPlaneBlock samples. Only where canCountBitPlanes().
void countBitPlanes(const std::uint8_t *samples, int blocks, BitPlaneCounts &counts);

// As separateLevels() of three channels, for a multiple of 64 pixels. Only where canCountBitPlanes().
void separateRgb(const std::uint8_t *row, int pixels, std::uint8_t *planes, int stride);

} // namespace tessera
