// Shared memory has 32 banks of 4 bytes: word w lies on bank w mod 32. A request is served in passes; in one pass each
// bank delivers one word, to as many lanes as want it. So a request costs the largest number of distinct words that
// fall on one bank. A request of 8-byte values is served in two halves of 16 lanes, one of 16-byte values in four
// quarters of 8, each with passes of its own, since no more than 128 bytes move at once.
#pragma once

#include "gpu/model/request.h"

namespace tessera::model {

inline constexpr int banks = 32;
inline constexpr int bankBytes = 4;

constexpr int bankOf(std::int64_t offset) { return int(offset / bankBytes % banks); }

// Passes that the request takes. All lanes ask for the same number of bytes.
int passesOf(const Request &request);

// Passes it would take with every bank at its best: one for each half or quarter that has a lane at work.
int leastPassesOf(const Request &request);

inline int conflictsOf(const Request &request) { return passesOf(request) - leastPassesOf(request); }

// ---- cures ----

// Words a row of `width` words is padded to, so that a column's words lie on different banks: the next odd number.
constexpr int paddedRow(int width) { return width | 1; }

// The alternative to padding, with no memory lost: element (row, column) of a tile whose rows are `width` words, a
// power of two, is stored in column `column ^ row mod width`. Rows and columns are then both free of conflicts.
constexpr int swizzledColumn(int row, int column, int width) { return column ^ (row & (width - 1)); }

} // namespace tessera::model
