// Runs a kernel's own source on the host, block after block.
#pragma once

#include "gpu/launch/plan.h"
#include "gpu/sim/sim_block.h"

#include <functional>
#include <memory>
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
        // Aligned as the device's shared memory is, so that banks and alignment mean the same.
        constexpr std::align_val_t alignment{256};
        const auto free = [](std::byte *pointer) { ::operator delete[](pointer, std::align_val_t{256}); };
        const std::size_t bytes = plan.sharedBytes;
        std::unique_ptr<std::byte[], decltype(free)> shared(
            static_cast<std::byte *>(::operator new[](bytes + 1, alignment)), free);
        for (int y = first; y < last; ++y) {
            if (between)
                between();
            for (int x = 0; x < plan.grid.x; ++x) {
                std::memset(shared.get(), 0xa5, bytes); // poison: an unwritten word is no zero
                if constexpr (Recording) {
                    recorder->beginBlock({x, y}, plan.block.area());
                    recorder->beginShared(bytes);
                }
                SimBlock<Recording> block({x, y}, plan.grid, plan.block, shared.get(), bytes, order, recorder);
                kernel(block);
            }
        }
    }

private:
    ThreadOrder order_;
};

// Checks and records every access.
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
