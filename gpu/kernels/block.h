// The interface a kernel is written against. One source, two executors: gpu/launch/device_block.h maps it onto the
// GPU, gpu/sim/sim_block.h onto loops that record every access.
//
// A kernel is a struct of views with `template <class Block> void operator()(Block &block) const`. A block offers
//
//   index(), grid(), size(), threads()        which block, how many, how many threads (Extent: x, y)
//   shared<T>(count)                          the next `count` elements of shared memory, a SharedArray<T>
//   sharedUsed(), reuseShared(mark)           how much is given out; gives what came after the mark out anew (after a
//                                             barrier)
//   perThread<T>(value)                       a value each thread keeps across barriers: a register on the GPU, an
//                                             array on the host; indexed by thread
//   phase(f)                                  f(thread) for every thread, then a barrier
//   each(f)                                   f(thread) for every thread, no barrier
//   warpPhase(f)                              f(thread) for every thread, then a barrier of each warp alone: what its
//                                             lanes wrote to shared memory, its lanes may read; other warps may not
//   shuffleDown(v, offset), shuffleXor(v, m)  lane i's value of lane i + offset, i ^ m; a lane whose source lies
//                                             outside the warp keeps its own value
//   ballot(v)                                 in each lane: bit i is set where lane i's value is true
//
// and a thread offers x, y, index (in the block), lane, warp and
//
//   load(view, x, y), load(shared, i)         the only ways to memory: the plain access on the GPU, the recorded and
//   store(view, x, y, value), store(shared, i, value)   checked one in the simulator
//   loadVector<V>(view, x, y)                 the sizeof(V) bytes from (x, y) on in one access; the caller has checked
//   storeVector(view, x, y, vector)           that they lie in the row and are aligned
//   atomicAdd(view, x, y, value), atomicAdd(shared, i, value)     the value before
//   atomicAdd(shared, ByteOffset, value)      the same where the caller has the place in bytes, and a shift counts
//   branch(condition)                         the condition itself; the simulator notes where a warp's lanes differ
//   reconverge(), step()                      nothing on the GPU; tell the simulator that the lanes of a warp that
//                                             come here are in step: reconverge() after loops of uneven length, step()
//                                             where two ways of doing one thing begin
//
// A `return` inside a phase leaves that phase only, so no thread can miss a barrier or a shuffle.
#pragma once

#include "gpu/image/gpu_code.h"
#include "gpu/image/view.h"

#if !defined(__CUDACC__)
#include <source_location>
#endif

namespace tessera {

inline constexpr int warpSize_ = 32;

struct Extent {
    int x = 1;
    int y = 1;

    GPU_CODE constexpr int area() const { return x * y; }
    friend constexpr bool operator==(const Extent &, const Extent &) = default;
};

GPU_CODE constexpr int ceilDivide(int value, int divisor) { return (value + divisor - 1) / divisor; }

// Where in the source an access stands. On the GPU it is nothing.
#if defined(__CUDACC__)
struct Site {
    GPU_CODE static constexpr Site here() { return {}; }
};
#else
struct Site {
    std::source_location where;
    static constexpr Site here(std::source_location location = std::source_location::current()) { return {location}; }
};
#endif

template <class T> struct SharedArray {
    T *data = nullptr;
    int count = 0;
};

// A place in a shared array, in bytes from its start.
struct ByteOffset {
    unsigned bytes;
};

// Loads through a border. `Load` is the thread's checked access to the picture's inside.
template <class P, class Load> GPU_CODE inline P loadBordered(const BorderedView<P> &view, int x, int y, Load load) {
    if (static_cast<unsigned>(x) < static_cast<unsigned>(view.inside.width) &&
        static_cast<unsigned>(y) < static_cast<unsigned>(view.inside.height))
        return load(x, y);
    const int sourceX = borderIndex(view.mode, x, view.inside.width);
    const int sourceY = borderIndex(view.mode, y, view.inside.height);
    if (sourceX < 0 || sourceY < 0)
        return view.outside;
    return load(sourceX, sourceY);
}

} // namespace tessera
