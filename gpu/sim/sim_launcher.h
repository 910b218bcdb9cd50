// Runs a kernel's own source on the host, block after block.
#pragma once

#include "gpu/launch/plan.h"
#include "gpu/sim/sim_block.h"

#include <functional>
#include <new>

namespace tessera::sim {

// Computes only. Blocks [firstRow, lastRow) of the grid run, so that several host threads can share a launch; kernels
// with global atomics must run in one piece.
class SimLauncher {
public:
    explicit SimLauncher(ThreadOrder order = ThreadOrder::Forward) : order_(order) {}

    int firstRow = 0;
    int lastRow = -1;                  // -1: to the end
    std::function<void()> betweenRows; // may throw to stop

    template <class Kernel> void launch(const LaunchPlan &plan, const Kernel &kernel) const {
        run<false>(plan, kernel, order_, nullptr, firstRow, lastRow < 0 ? plan.grid.y : lastRow, betweenRows);
    }

    template <bool Recording, class Kernel>
    static void run(const LaunchPlan &plan, const Kernel &kernel, ThreadOrder order, Recorder *recorder, int first,
                    int last, const std::function<void()> &between) {
        SharedMemory shared(plan.sharedBytes);
        for (int y = first; y < last; ++y) {
            if (between)
                between();
            for (int x = 0; x < plan.grid.x; ++x)
                runBlock<Recording>(plan, kernel, {x, y}, order, recorder, shared);
        }
    }

    // Aligned as the device's shared memory is, so that banks and alignment mean the same.
    struct SharedMemory {
        explicit SharedMemory(std::size_t size)
            : data(static_cast<std::byte *>(::operator new[](size + 1, std::align_val_t{256}))) {}
        ~SharedMemory() { ::operator delete[](data, std::align_val_t{256}); }
        SharedMemory(const SharedMemory &) = delete;
        SharedMemory &operator=(const SharedMemory &) = delete;

        std::byte *data;
    };

    template <bool Recording, class Kernel>
    static void runBlock(const LaunchPlan &plan, const Kernel &kernel, Extent index, ThreadOrder order,
                         Recorder *recorder, SharedMemory &shared) {
        std::memset(shared.data, 0xa5, plan.sharedBytes); // poison: an unwritten word is no zero
        if constexpr (Recording) {
            recorder->beginBlock(index, plan.block.area());
            recorder->beginShared(plan.sharedBytes);
        }
        SimBlock<Recording> block(index, plan.grid, plan.block, shared.data, plan.sharedBytes, order, recorder);
        kernel(block);
    }

private:
    ThreadOrder order_;
};

// Checks and records every access of every block.
class RecordingLauncher {
public:
    explicit RecordingLauncher(ThreadOrder order = ThreadOrder::Forward, int sectorBytes = 32)
        : order_(order), recorder_(sectorBytes) {}

    template <class Kernel> void launch(const LaunchPlan &plan, const Kernel &kernel) {
        SimLauncher::run<true>(plan, kernel, order_, &recorder_, 0, plan.grid.y, {});
        recorder_.endLaunch(std::uint64_t(plan.threads()));
    }
    const SimulationReport &report() const { return recorder_.report(); }

private:
    ThreadOrder order_;
    Recorder recorder_;
};

} // namespace tessera::sim
