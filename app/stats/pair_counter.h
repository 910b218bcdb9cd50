// Counts pairs of bytes (level_pairs.h) on one thread.
#pragma once

#include "app/stats/level_pairs.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace tessera {

// Counts by [copy][counter][place]. Neighbouring pairs are often equal, and incrementing one counter twice in a row
// waits for the store; so they go to different copies.
class PairCounter {
public:
    static constexpr int counters = 5;

    // Pairs of `channels` interleaved bytes, which go to the counters from `first` on.
    template <int channels> void count(const std::uint16_t *places, int samples, int first) {
        std::uint32_t *counts = counts_.get() + std::size_t(first) * stride;
        constexpr int block = 4 * channels; // a pixel for every copy
        int i = 0;
        for (; i + block <= samples; i += block, places += block) {
            std::array<std::uint64_t, channels> words;
            std::memcpy(words.data(), places, sizeof(words));
#pragma GCC unroll 4
            for (int w = 0; w < channels; ++w)
#pragma GCC unroll 4
                for (int p = 0; p < 4; ++p) {
                    const int index = 4 * w + p;
                    ++counts[offset(index / channels % copies, index % channels) +
                             (words[std::size_t(w)] >> (16 * p) & 0xffffu)];
                }
        }
        for (int rest = 0; i < samples; ++i, ++rest)
            ++counts[offset(0, rest % channels) + places[rest]];
    }

    // counts(c, level) += all that was counted for counter c. Forgets it.
    template <class Counts> void addTo(int count, Counts &&counts) {
        for (int c = 0; c < count; ++c)
            for (int copy = 0; copy < copies; ++copy)
                addTable(counts_.get() + offset(copy, c), [&](int level, std::uint32_t n) { counts(c, level) += n; });
        counts_ = allocate();
    }

private:
    static constexpr int copies = 4;
    // 5 cache lines beyond whole pages: the counters of equal levels must not share their place in the cache.
    static constexpr std::size_t stride = std::size_t(pairPlaces) + 5 * 16;
    static constexpr std::size_t offset(int copy, int counter) {
        return (std::size_t(copy) * counters + std::size_t(counter)) * stride;
    }

    template <class Add> static void addTable(const std::uint32_t *table, const Add &add) {
        for (int step = 0; step < pairSteps; ++step)
            for (int above = 0; above < 256; ++above)
                if (const std::uint32_t n = table[step * pairStride + above]; n > 0) {
                    add(above, n);
                    add(above + step - pairSteps / 2, n);
                }
    }

    struct Free {
        void operator()(void *memory) const { std::free(memory); }
    };
    using Memory = std::unique_ptr<std::uint32_t[], Free>;

    // calloc, as most of it is never touched and then costs nothing.
    static Memory allocate() {
        void *memory = std::calloc(offset(copies, 0), sizeof(std::uint32_t));
        if (memory == nullptr)
            throw std::bad_alloc();
        return Memory(static_cast<std::uint32_t *>(memory));
    }

    Memory counts_ = allocate();
};

} // namespace tessera
