// Reads of a matrix product C[m, n] = A[m, k] B[k, n], the textbook case of reuse: what tiling saves, and where.
#pragma once

#include <cstdint>

namespace tessera::model {

struct ProductShape {
    std::int64_t m = 1, n = 1, k = 1;
};

// One thread an output, which reads its row of A and its column of B from global memory.
constexpr std::int64_t naiveProductReads(const ProductShape &shape) { return 2 * shape.m * shape.n * shape.k; }

// Blocks of tileM x tileN outputs (which divide m and n) stage what they need in shared memory: every value of A is
// read once for each of the n / tileN blocks in its row, every value of B once for each of the m / tileM in its column.
constexpr std::int64_t tiledProductReads(const ProductShape &shape, std::int64_t tileM, std::int64_t tileN) {
    return shape.m * shape.k * (shape.n / tileN) + shape.k * shape.n * (shape.m / tileM);
}

// Shared-memory reads of all threads where each computes threadM x threadN outputs in registers: for every step of k it
// reads threadM values of A and threadN of B, and makes threadM * threadN multiply-adds of them.
constexpr std::int64_t threadTiledSharedReads(const ProductShape &shape, std::int64_t threadM, std::int64_t threadN) {
    return shape.m / threadM * (shape.n / threadN) * shape.k * (threadM + threadN);
}

} // namespace tessera::model
