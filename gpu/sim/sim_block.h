// The block interface of gpu/kernels/block.h on the host: a phase is a loop over the block's threads.
//
// SimBlock<false> only computes (what the `sim` engine filters with): accesses are plain, so a kernel at fault is as
// dangerous as on the GPU. SimBlock<true> checks every access, records it and suppresses those that are out of bounds.
#pragma once

#include "gpu/sim/recorder.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tessera::sim {

enum class ThreadOrder : std::uint8_t { Forward, Backward, Shuffled };

template <bool Recording> class SimBlock;

template <bool Recording> struct SimThread {
    int x, y, index, lane, warp;
    SimBlock<Recording> *block;

    template <class P>
    std::remove_const_t<P> load(const ImageView<P> &view, int px, int py, Site site = Site::here()) const {
        return loadAt<std::remove_const_t<P>>(view, px, py, site);
    }
    template <class P> P load(const BorderedView<P> &view, int px, int py, Site site = Site::here()) const {
        bool read = false;
        const P value = loadBordered(view, px, py, [&](int ix, int iy) {
            read = true;
            return loadAt<P>(view.inside, ix, iy, site);
        });
        if constexpr (Recording)
            if (!read) // the border's own value: this lane sits the request out
                block->recorder()->passOver(AccessKind::GlobalLoad, index, site);
        return value;
    }
    template <class V, class P> V loadVector(const ImageView<P> &view, int px, int py, Site site = Site::here()) const {
        return loadAt<V>(view, px, py, site);
    }
    template <class T> T load(const SharedArray<T> &shared, int i, Site site = Site::here()) const {
        if constexpr (Recording)
            if (!block->checkShared(AccessKind::SharedLoad, *this, shared, i, site))
                return T{};
        return shared.data[i];
    }
    template <class V, class P>
    void storeVector(const ImageView<P> &view, int px, int py, const V &value, Site site = Site::here()) const {
        if constexpr (Recording)
            if (!block->template checkGlobal<V>(AccessKind::GlobalStore, *this, view, px, py, site))
                return;
        std::memcpy(view.address(px, py), &value, sizeof(V));
    }
    template <class P>
    void store(const ImageView<P> &view, int px, int py, const P &value, Site site = Site::here()) const {
        if constexpr (Recording)
            if (!block->template checkGlobal<P>(AccessKind::GlobalStore, *this, view, px, py, site))
                return;
        std::memcpy(view.address(px, py), &value, sizeof(P));
    }
    template <class T> void store(const SharedArray<T> &shared, int i, const T &value, Site site = Site::here()) const {
        if constexpr (Recording)
            if (!block->checkShared(AccessKind::SharedStore, *this, shared, i, site))
                return;
        shared.data[i] = value;
    }
    template <class T> T atomicAdd(const ImageView<T> &view, int px, int py, T value, Site site = Site::here()) const {
        if constexpr (Recording)
            if (!block->template checkGlobal<T>(AccessKind::GlobalAtomic, *this, view, px, py, site))
                return T{};
        return std::exchange(*view.address(px, py), *view.address(px, py) + value); // blocks run one after another
    }
    template <class T> T atomicAdd(const SharedArray<T> &shared, int i, T value, Site site = Site::here()) const {
        if constexpr (Recording)
            if (!block->checkShared(AccessKind::SharedAtomic, *this, shared, i, site))
                return T{};
        return std::exchange(shared.data[i], shared.data[i] + value);
    }
    template <class T>
    T atomicAdd(const SharedArray<T> &shared, ByteOffset offset, T value, Site site = Site::here()) const {
        return atomicAdd(shared, int(offset.bytes / sizeof(T)), value, site);
    }
    bool branch(bool condition, Site site = Site::here()) const {
        if constexpr (Recording)
            block->recorder()->branch(index, condition, site);
        return condition;
    }

    void reconverge() const {
        if constexpr (Recording)
            block->recorder()->reconverge(index);
    }
    void step() const {
        if constexpr (Recording)
            block->recorder()->step(index);
    }

private:
    template <class V, class P> V loadAt(const ImageView<P> &view, int px, int py, const Site &site) const {
        V value{};
        if constexpr (Recording)
            if (!block->template checkGlobal<V>(AccessKind::GlobalLoad, *this, view, px, py, site))
                return value;
        std::memcpy(&value, view.address(px, py), sizeof(V)); // a vector may be wider than the view's pixel
        return value;
    }
};

template <bool Recording> class SimBlock {
public:
    using Thread = SimThread<Recording>;

    template <class T> class PerThread {
    public:
        PerThread(int threads, const T &value) : values_(std::size_t(threads), Slot{value}) {}
        T &operator[](const Thread &thread) { return values_[std::size_t(thread.index)].value; }
        const T &operator[](const Thread &thread) const { return values_[std::size_t(thread.index)].value; }
        T &at(int thread) { return values_[std::size_t(thread)].value; }
        const T &at(int thread) const { return values_[std::size_t(thread)].value; }

    private:
        struct Slot {
            T value; // std::vector<bool> would hand out proxies
        };
        std::vector<Slot> values_;
    };

    // `shared` is the block's shared memory, poisoned by the caller.
    SimBlock(Extent index, Extent grid, Extent size, std::byte *shared, std::size_t sharedBytes, ThreadOrder order,
             Recorder *recorder)
        : index_(index), grid_(grid), size_(size), shared_(shared), sharedBytes_(sharedBytes), order_(order),
          recorder_(recorder) {}

    Extent index() const { return index_; }
    Extent grid() const { return grid_; }
    Extent size() const { return size_; }
    int threads() const { return size_.area(); }
    Recorder *recorder() const { return recorder_; }

    template <class T> SharedArray<T> shared(int count) {
        sharedUsed_ = (sharedUsed_ + alignof(T) - 1) / alignof(T) * alignof(T);
        SharedArray<T> array{reinterpret_cast<T *>(shared_ + sharedUsed_), count};
        sharedUsed_ += std::size_t(count) * sizeof(T);
        if (sharedUsed_ > sharedBytes_) { // a plan that gives too little is a fault of the planner
            if constexpr (Recording)
                recorder_->fault(FaultKind::OutOfBounds, Site::here(),
                                 "the kernel asks for " + std::to_string(sharedUsed_) +
                                     " bytes of shared memory, the plan gives " + std::to_string(sharedBytes_));
            throw std::length_error("kernel asks for more shared memory than its plan gives");
        }
        return array;
    }
    int sharedUsed() const { return int(sharedUsed_); }
    // What lay behind the mark is unwritten again, as far as the checks go.
    void reuseShared(int mark) {
        sharedUsed_ = std::size_t(mark);
        if constexpr (Recording)
            recorder_->forgetShared(sharedUsed_);
    }
    template <class T> PerThread<T> perThread(T value) const { return {threads(), value}; }

    template <class Function> void each(Function function) {
        for (int i = 0; i < threads(); ++i)
            function(thread(order_ == ThreadOrder::Forward    ? i
                            : order_ == ThreadOrder::Backward ? threads() - 1 - i
                                                              : shuffled(i)));
        if constexpr (Recording)
            recorder_->endOfPart();
    }
    template <class Function> void phase(Function function) {
        each(function);
        if constexpr (Recording)
            recorder_->barrier();
    }
    template <class Function> void warpPhase(Function function) {
        each(function);
        if constexpr (Recording)
            recorder_->warpBarrier();
    }

    template <class T> PerThread<T> shuffleDown(const PerThread<T> &value, int offset) {
        return exchange(value, [&](int lane) { return lane + offset; });
    }
    template <class T> PerThread<T> shuffleXor(const PerThread<T> &value, int mask) {
        return exchange(value, [&](int lane) { return lane ^ mask; });
    }
    PerThread<unsigned> ballot(const PerThread<bool> &value) {
        PerThread<unsigned> result(threads(), 0u);
        for (int i = 0; i < threads(); ++i)
            for (int lane = 0; lane < warpSize_; ++lane) {
                const int other = i / warpSize_ * warpSize_ + lane;
                if (other < threads() && value.at(other))
                    result.at(i) |= 1u << lane;
            }
        if constexpr (Recording)
            recorder_->vote();
        return result;
    }

    template <class V, class P>
    bool checkGlobal(AccessKind kind, const Thread &thread, const ImageView<P> &view, int px, int py,
                     const Site &site) {
        const int scalars = int(sizeof(V) / sizeof(P)); // a vector access covers several of the view's pixels
        if (!view.contains(px, py) || (scalars > 1 && px + scalars > view.width)) {
            recorder_->fault(FaultKind::OutOfBounds, site,
                             recorder_->here(thread.index) + " accesses (" + std::to_string(px) + ", " +
                                 std::to_string(py) + ") of a view of " + std::to_string(view.width) + "x" +
                                 std::to_string(view.height));
            return false;
        }
        const auto address = reinterpret_cast<std::uintptr_t>(view.address(px, py));
        recorder_->access(kind, thread.index, address, int(sizeof(V)), int(alignof(V)), site);
        return address % alignof(V) == 0 || alignof(V) <= alignof(P);
    }
    template <class T>
    bool checkShared(AccessKind kind, const Thread &thread, const SharedArray<T> &array, int i, const Site &site) {
        if (i < 0 || i >= array.count) {
            recorder_->fault(FaultKind::OutOfBounds, site,
                             recorder_->here(thread.index) + " accesses element " + std::to_string(i) +
                                 " of a shared array of " + std::to_string(array.count));
            return false;
        }
        const auto offset = std::uint64_t(reinterpret_cast<std::byte *>(array.data + i) - shared_);
        recorder_->access(kind, thread.index, offset, int(sizeof(T)), int(alignof(T)), site);
        return true;
    }

private:
    Thread thread(int i) { return {i % size_.x, i / size_.x, i, i % warpSize_, i / warpSize_, this}; }

    // A fixed permutation of [0, threads): steps of a number coprime to the count.
    int shuffled(int i) const {
        int step = 37;
        while (std::gcd(step, threads()) != 1)
            ++step;
        return int((std::int64_t(i) * step + 11) % threads());
    }

    template <class T, class Source> PerThread<T> exchange(const PerThread<T> &value, Source source) {
        PerThread<T> result = value;
        for (int i = 0; i < threads(); ++i) {
            const int from = source(i % warpSize_);
            const int other = i / warpSize_ * warpSize_ + from;
            if (from >= 0 && from < warpSize_ && other < threads())
                result.at(i) = value.at(other);
        }
        if constexpr (Recording)
            recorder_->shuffle();
        return result;
    }

    Extent index_, grid_, size_;
    std::byte *shared_;
    std::size_t sharedBytes_;
    std::size_t sharedUsed_ = 0;
    ThreadOrder order_;
    Recorder *recorder_;
};

} // namespace tessera::sim
