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

// A block is a patch of the picture: pixels that lie together are alike, so that few levels occur in it.
inline constexpr int bitPlaneColumns = 64, bitPlaneRows = 8;

// Eight counters a level, whose sum is the level's.
struct alignas(64) BitPlaneCounts {
    std::array<std::array<std::uint64_t, 8>, 256> level{};
};

// Blocks side by side, whose rows are `pitch` bytes apart. Only where canCountBitPlanes().
void countBitPlanes(const std::uint8_t *samples, int pitch, int blocks, BitPlaneCounts &counts);

// Takes red, green and blue apart, plane c at planes + c * stride, and puts luminance behind them, as lumaLevels() has
// it. Up to a multiple of 64 pixels zeros follow. Only where canCountBitPlanes().
void separateRgb(const std::uint8_t *row, int pixels, std::uint8_t *planes, int stride);

} // namespace tessera
