// Arrays and launches for the tests of the ladder and the lessons in the simulator.
#pragma once

#include "gpu/launch/lesson_reference.h"
#include "gpu/sim/lessons.h"

#include <limits>
#include <memory>
#include <new>
#include <random>
#include <vector>

namespace tessera::sim {

inline constexpr ThreadOrder allOrders[] = {ThreadOrder::Forward, ThreadOrder::Backward, ThreadOrder::Shuffled};

// `count` values that begin `offset` values behind a 256-byte boundary, with guards around them. All are NaN or all
// bits set before anything is written.
template <class T> class Array {
public:
    Array(std::int64_t count, int offset)
        : count_(std::size_t(count)), begin_(guard + std::size_t(offset)), total_(begin_ + count_ + guard),
          memory_(static_cast<T *>(::operator new[](total_ * sizeof(T), std::align_val_t{256}))) {
        std::memset(static_cast<void *>(memory_.get()), 0xff, total_ * sizeof(T));
    }

    T *data() { return memory_.get() + begin_; }
    const T *data() const { return memory_.get() + begin_; }
    std::size_t size() const { return count_; }
    T &operator[](std::size_t i) { return data()[i]; }
    const T &operator[](std::size_t i) const { return data()[i]; }

    ImageView<T> row() { return {data(), int(count_), 1, std::ptrdiff_t(sizeof(T) * count_)}; }
    ImageView<const T> constRow() const { return {data(), int(count_), 1, std::ptrdiff_t(sizeof(T) * count_)}; }

    bool guardsIntact() const {
        for (std::size_t i = 0; i < total_; ++i)
            if ((i < begin_ || i >= begin_ + count_) && !untouched(memory_.get()[i]))
                return false;
        return true;
    }
    static bool untouched(const T &value) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        return std::all_of(std::begin(bytes), std::end(bytes), [](unsigned char byte) { return byte == 0xff; });
    }

private:
    static constexpr std::size_t guard = 256 / sizeof(T);
    struct Free {
        void operator()(T *memory) const { ::operator delete[](memory, std::align_val_t{256}); }
    };

    std::size_t count_, begin_, total_;
    std::unique_ptr<T[], Free> memory_;
};

// Whole numbers from -8 to 8: every order of adding them gives the same float.
inline void fillWithIntegers(Array<float> &array, unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < array.size(); ++i)
        array[i] = float(int(random() % 17) - 8);
}

inline void fillWithReals(Array<float> &array, unsigned seed, float low, float high) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(low, high);
    for (std::size_t i = 0; i < array.size(); ++i)
        array[i] = uniform(random);
}

inline LaunchPlan rowOfBlocks(int blocks, int threads, std::size_t sharedBytes = 0) {
    LaunchPlan plan;
    plan.grid = {blocks, 1};
    plan.block = {threads, 1};
    plan.sharedBytes = sharedBytes;
    return plan;
}

template <class Kernel>
SimulationReport record(const LaunchPlan &plan, const Kernel &kernel, ThreadOrder order = ThreadOrder::Forward,
                        int sectorBytes = 32) {
    RecordingLauncher launcher(order, sectorBytes);
    launcher.launch(plan, kernel);
    return launcher.report();
}

inline bool found(const SimulationReport &report, FaultKind kind) {
    return std::any_of(report.faults.begin(), report.faults.end(),
                       [&](const Fault &fault) { return fault.kind == kind; });
}

} // namespace tessera::sim
