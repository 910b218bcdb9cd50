// What the steps of the reduction ladder share: loading with the identity in place of what lies outside, the tree's
// elementary step, and how a block's result leaves it.
//
// Every step folds the elements of one row, `source`, with an operation of gpu/kernels/fold.h and stores one value a
// block in `partial`, which the next launch folds in turn. A block is one row of threads, a power of two, at least 64.
// Each header of the ladder says what the step before it wastes and what it changes.
#pragma once

#include "gpu/kernels/block.h"
#include "gpu/kernels/fold.h"

namespace tessera {

struct ReduceOperands {
    ImageView<const float> source; // one row
    ImageView<float> partial;      // one row, as long as the grid
};

// One float of shared memory a thread: what all steps but the last take.
constexpr std::size_t ladderSharedBytes(int threads) { return std::size_t(threads) * sizeof(float); }

template <class Fold, class Thread>
GPU_CODE inline float loadOrIdentity(const Thread &thread, const ImageView<const float> &source, int i) {
    if (thread.branch(i < source.width))
        return thread.load(source, i, 0);
    return Fold::template identity<float>();
}

// values[i] = values[i] and values[i + distance] folded.
template <class Fold, class Thread>
GPU_CODE inline void foldPair(const Thread &thread, const SharedArray<float> &values, int i, int distance) {
    const float near = thread.load(values, i);
    const float far = thread.load(values, i + distance);
    thread.store(values, i, Fold{}(near, far));
}

// One element a thread into shared memory.
template <class Fold, class Block>
GPU_CODE inline SharedArray<float> stageOne(Block &block, const ImageView<const float> &source) {
    auto values = block.template shared<float>(block.threads());
    block.phase([&](auto thread) {
        const int i = block.index().x * block.threads() + thread.index;
        thread.store(values, thread.index, loadOrIdentity<Fold>(thread, source, i));
    });
    return values;
}

// Two elements a thread, folded on their way to shared memory.
template <class Fold, class Block>
GPU_CODE inline SharedArray<float> stageTwo(Block &block, const ImageView<const float> &source) {
    auto values = block.template shared<float>(block.threads());
    block.phase([&](auto thread) {
        const int i = block.index().x * 2 * block.threads() + thread.index;
        const float first = loadOrIdentity<Fold>(thread, source, i);
        const float second = loadOrIdentity<Fold>(thread, source, i + block.threads());
        thread.store(values, thread.index, Fold{}(first, second));
    });
    return values;
}

// Thread 0 hands over values[0].
template <class Block>
GPU_CODE inline void storePartial(Block &block, const SharedArray<float> &values, const ImageView<float> &partial) {
    block.each([&](auto thread) {
        if (thread.index == 0)
            thread.store(partial, block.index().x, 0, thread.load(values, 0));
    });
}

// The same from a thread's register.
template <class Block, class Value>
GPU_CODE inline void storeRegister(Block &block, const Value &value, const ImageView<float> &partial) {
    block.each([&](auto thread) {
        if (thread.index == 0)
            thread.store(partial, block.index().x, 0, value[thread]);
    });
}

} // namespace tessera
