// One output an input: the simplest kernels there are, in three forms that differ only in how threads meet elements.
//
//   ElementsScalar   one element a thread, the launch rounded up to whole blocks, the last threads told to stand aside
//   ElementsVector   four elements a thread in one 128-bit access, where the arrays' alignment allows
//   ElementsStrided  a launch of any size: each thread goes on in steps of the whole grid
//
// All of them are bound by memory: adding two floats is 1 operation for 12 bytes. AddHalfPairs below halves the bytes.
#pragma once

#include "gpu/image/half.h"
#include "gpu/kernels/aligned_part.h"
#include "gpu/kernels/block.h"

namespace tessera {

// Operations: of one input, or of two.
struct ScaleBy {
    static constexpr int inputs = 1;
    float factor = 2.0f;
    GPU_CODE float operator()(float value) const { return factor * value; }
};

struct AddArrays {
    static constexpr int inputs = 2;
    GPU_CODE float operator()(float first, float second) const { return first + second; }
};

// Lighter or darker by a share of the nominal range 0..1, and kept inside it.
struct Brighten {
    static constexpr int inputs = 1;
    float amount = 0.1f;
    GPU_CODE float operator()(float value) const {
        const float brighter = value + amount;
        return brighter > 0.0f ? (brighter < 1.0f ? brighter : 1.0f) : 0.0f;
    }
};

// Rows of one length; `second` is empty where the operation has one input.
template <class Operation> struct Elements {
    ImageView<const float> first;
    ImageView<const float> second;
    ImageView<float> target;
    Operation operation;

    template <class Thread> GPU_CODE void computeOne(const Thread &thread, int i) const {
        if constexpr (Operation::inputs == 2)
            thread.store(target, i, 0, operation(thread.load(first, i, 0), thread.load(second, i, 0)));
        else
            thread.store(target, i, 0, operation(thread.load(first, i, 0)));
    }
};

// Every thread meets one element. The grid is rounded up, so the last block has threads beyond the row's end: without
// the comparison they would write there, and with a grid rounded down the last elements would get no thread at all.
template <class Operation> struct ElementsScalar {
    Elements<Operation> elements;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (thread.branch(i < elements.target.width))
                elements.computeOne(thread, i);
        });
    }
};

// ElementsScalar wastes instructions: one load, one store, one comparison and one address an element. Here one access
// moves four. All arrays must begin equally far from a 16-byte boundary; then the elements before the first boundary
// and behind the last go one by one. Where they do not, there is no vector to be had, and all of them go one by one: an
// unaligned 128-bit access would fault. A launch of a thread for every four elements begun, and of one block at least.
template <class Operation> struct ElementsVector {
    Elements<Operation> elements;

    GPU_CODE bool aligned() const {
        const int head = unalignedHead(elements.target.data);
        return unalignedHead(elements.first.data) == head &&
               (Operation::inputs == 1 || unalignedHead(elements.second.data) == head);
    }

    template <class Block> GPU_CODE void operator()(Block &block) const {
        if (aligned())
            return computeVectors(block);
        const int step = block.grid().x * block.threads(); // neighbouring threads take neighbouring elements
        block.each([&](auto thread) {
            for (int k = 0; k < 4; ++k) {
                const int i = block.index().x * block.threads() + thread.index + k * step;
                if (i < elements.target.width)
                    elements.computeOne(thread, i);
            }
        });
    }

private:
    template <class Block> GPU_CODE void computeVectors(Block &block) const {
        const int head = unalignedHead(elements.target.data);
        const AlignedPart<const float> first(elements.first, head);
        const AlignedPart<const float> second(elements.second, head);
        const AlignedPart<float> target(elements.target, head);
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (thread.branch(i < target.vectors.width)) {
                const Pixel<float, 4> a = thread.load(first.vectors, i, 0);
                Pixel<float, 4> result;
                if constexpr (Operation::inputs == 2) {
                    const Pixel<float, 4> b = thread.load(second.vectors, i, 0);
                    for (int k = 0; k < 4; ++k)
                        result.channel[k] = elements.operation(a.channel[k], b.channel[k]);
                } else {
                    for (int k = 0; k < 4; ++k)
                        result.channel[k] = elements.operation(a.channel[k]);
                }
                thread.store(target.vectors, i, 0, result);
            }
            if (thread.branch(i < target.loose())) // at most six
                elements.computeOne(thread, target.looseElement(i));
        });
    }
};

// ElementsScalar's launch grows with the array: a block lives for one element a thread, and what it computes before its
// first load it computes for that one alone. Here a launch of any size covers any length, such as one that just fills
// the GPU.
template <class Operation> struct ElementsStrided {
    Elements<Operation> elements;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        const int step = block.grid().x * block.threads();
        block.each([&](auto thread) {
            const int first = block.index().x * block.threads() + thread.index;
            for (int i = first; i < elements.target.width; i += step)
                elements.computeOne(thread, i);
        });
    }
};

// Two half-precision sums a thread and instruction: a pair of halves is one 32-bit word, and both are added inside one
// register. Warps multiply the work of an instruction by 32 threads; this doubles the work of each thread.
struct AddHalfPairs {
    ImageView<const Half2> first, second; // rows of one length
    ImageView<Half2> target;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (thread.branch(i < target.width))
                thread.store(target, i, 0, add(thread.load(first, i, 0), thread.load(second, i, 0)));
        });
    }
};

} // namespace tessera
