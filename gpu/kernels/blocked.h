// Register-blocked convolution for kernels of up to 7x7: a thread makes a patch of outputs, several rows of 16 bytes
// each, and every value that it loads feeds all of them.
//
// What tiled_float4.h wastes: it stages the footprint in shared memory, waits for the whole block, and loads each value
// from there once a kernel row. Here nothing is staged. A thread loads the rows of its patch, one after another and two
// ahead, straight into registers as 128-bit words; a loaded value meets all taps while it is there: side * side
// multiply-adds an output for about 3 * (rows + side - 1) / (4 * rows) loads. Neighbours in the row and the warps above
// and below in the block find what they share in the first-level cache, which costs nothing that shows.
// What is still wasted: the rows above and below a block are loaded again, and the straight-line code grows with rows *
// side * side until the instruction cache is full; from 9x9 on marching does better.
#pragma once

#include "gpu/kernels/convolve.h"

#include <type_traits>

namespace tessera {

// Square kernels with their origin in the centre, which smaller ones are embedded in. Small, as launches copy it.
template <int Side> struct CentredTaps {
    static constexpr int side = Side;
    float value[Side * Side]; // row-major
};

// The bytes of a vector that one load or store moves.
template <class T, int Count> struct alignas(sizeof(T) * Count <= 16 ? sizeof(T) * Count : 16) ScalarVector {
    T value[Count];
};

template <class P> GPU_CODE ImageView<typename P::Scalar> scalarView(const ImageView<P> &view) {
    return {reinterpret_cast<typename P::Scalar *>(view.data), view.width * P::channels, view.height, view.pitch};
}
template <class P> GPU_CODE ImageView<const typename P::Scalar> scalarView(const ImageView<const P> &view) {
    return {reinterpret_cast<const typename P::Scalar *>(view.data), view.width * P::channels, view.height, view.pitch};
}

// Whether every group of `bytes` that starts at a multiple of them from `data` on is aligned, in all rows.
template <class P> GPU_CODE bool rowsAligned(const ImageView<P> &view, int bytes) {
    return (reinterpret_cast<std::uintptr_t>(view.data) | std::uintptr_t(view.pitch)) % unsigned(bytes) == 0;
}

// What happens to all outputs alike, worked out once: sum / divisor + offset becomes sum * scale + bias.
struct LinearFinish {
    float scale, bias;
    bool absolute;
    unsigned kept; // channels that take the source's value

    template <class Value> GPU_CODE static LinearFinish of(const Finish &finish, unsigned channelMask, int channels) {
        LinearFinish linear{1.0f / finish.divisor, finish.offset, false, ~channelMask & ((1u << channels) - 1u)};
        if constexpr (std::is_integral_v<Value>) {
            linear.absolute = finish.response == Response::Absolute;
            if (finish.response == Response::Signed)
                linear.bias += float(1 << (8 * sizeof(Value) - 1));
        }
        return linear;
    }
    GPU_CODE bool plain() const { return !absolute && kept == 0; }
};

template <class Value> GPU_CODE inline Value storedValue(float value) {
    if constexpr (std::is_integral_v<Value>)
        return nearestLevel<Value>(value);
    else
        return static_cast<Value>(value);
}

// Levels become floats by two cheap instructions: a byte permutation puts the level into the mantissa of 2^23, which is
// then taken away. The GPU's own conversion runs at an eighth of their rate.
template <class T, int Count> GPU_CODE inline void widenVector(const ScalarVector<T, Count> &vector, float *value) {
    GPU_UNROLL for (int i = 0; i < Count; ++i) {
#if defined(__CUDA_ARCH__)
        if constexpr (std::is_integral_v<T>) {
            constexpr int perWord = 4 / int(sizeof(T));
            unsigned word;
            memcpy(&word, &vector.value[i / perWord * perWord], 4);
            const unsigned place = unsigned(i % perWord);
            const unsigned selector = sizeof(T) == 1 ? 0x7540u | place : 0x7500u | (2 * place + 1) << 4 | 2 * place;
            value[i] = __uint_as_float(__byte_perm(word, 0x4b000000u, selector)) - 8388608.0f;
        } else
#endif
            value[i] = static_cast<float>(vector.value[i]);
    }
}

// How a thread's patch is shaped: `run` scalars wide (of at most 16 bytes), `rows` high, `ahead` rows under way while
// one is used, `warps` of them on a multiprocessor, which decides how many registers each gets.
struct PatchShape {
    int run, rows, ahead, warps;
};

// Found by measuring, see tests/bench/gpu-notes.md.
template <class SourcePixel, class TargetPixel> constexpr PatchShape patchShape(int side) {
    constexpr int bytes = sizeof(typename SourcePixel::Scalar);
    // What four channels or another type take on top of the same patch is made up for by fewer warps, not by memory.
    constexpr bool lean = SourcePixel::channels == 1 && std::is_same_v<SourcePixel, TargetPixel>;
    if (bytes == 4)
        return side == 3   ? PatchShape{4, 4, 2, 32}
               : side == 5 ? PatchShape{4, 4, 2, lean ? 32 : 16}
                           : PatchShape{4, 8, 2, lean ? 24 : 16};
    if (bytes == 2)
        return side == 3   ? PatchShape{8, 4, 3, lean ? 32 : 24}
               : side == 5 ? PatchShape{8, lean ? 8 : 4, 3, lean ? 24 : 16}
                           : PatchShape{8, 8, 2, lean ? 16 : 8};
    if (SourcePixel::channels == 1)
        return {4, 8, 2, 24};
    return side == 3 ? PatchShape{8, 8, 2, 16} : PatchShape{8, 4, 4, side == 5 ? 24 : 16};
}

// Of pictures that are too small to fill a GPU with such patches: more threads, each of which waits for less and runs
// through less code, as every instruction is fetched for the first time.
inline constexpr PatchShape smallPatchShape{4, 2, 4, 24};

template <class SourcePixel, class TargetPixel, int Side, PatchShape shape = patchShape<SourcePixel, TargetPixel>(Side)>
struct BlockedConvolve {
    using Scalar = typename SourcePixel::Scalar;
    using Value = typename TargetPixel::Scalar;

    static constexpr int channels = SourcePixel::channels;
    static constexpr int run = shape.run;
    static constexpr int rows = shape.rows;
    static constexpr int pixels = run / channels;
    static constexpr int reach = Side / 2;                 // pixels that the window goes beyond an output on each side
    static constexpr int halo = reach * channels;          // the same in scalars
    static constexpr int step = 4;                         // scalars of the loads that fetch the halo
    static constexpr int sides = (halo + step - 1) / step; // such loads on each side
    static constexpr int lead = sides * step;              // scalars before the first output that a thread holds
    static constexpr int held = 2 * lead + run;
    static constexpr int maximumThreads = 256;
    static constexpr int minimumBlocks = shape.warps * warpSize_ / maximumThreads;

    ConvolveOperands<SourcePixel, TargetPixel, CentredTaps<Side>> operands;

    // A block is 32 threads wide; its warps stand above each other.
    template <class Block> GPU_CODE void operator()(Block &block) const {
        const Extent index = block.index();
        block.each([&](auto thread) {
            const int x = (index.x * warpSize_ + thread.x) * pixels;
            const int y = (index.y * block.size().y + thread.y) * rows;
            if (thread.branch(y >= operands.target.height))
                return;
            const LinearFinish finish = LinearFinish::of<Value>(operands.finish, operands.channelMask, channels);
            if (!thread.branch(insideWarp(index.x * warpSize_ * pixels, y)))
                patchAtRim(thread, x, y, finish);
            else if (!finish.plain())
                patchInside<false>(thread, x, y, finish);
            else
                patchInside<true>(thread, x, y, finish);
        });
    }

private:
    // Whether the windows of all outputs of the warp lie inside the picture, and its outputs inside the target, in
    // whole aligned vectors: then nothing more is asked.
    GPU_CODE bool insideWarp(int x, int y) const {
        const int first = (x + operands.originX) * channels;
        const int top = y + operands.originY - reach;
        const auto &source = operands.source.inside;
        return first >= lead && first + warpSize_ * run + lead <= source.width * channels && top >= 0 &&
               top + rows + 2 * reach <= source.height && y + rows <= operands.target.height &&
               x + warpSize_ * pixels <= operands.target.width && operands.originX * channels % run == 0 &&
               rowsAligned(source, int(alignof(ScalarVector<Scalar, run>))) &&
               rowsAligned(operands.target, int(alignof(ScalarVector<Value, run>)));
    }

    // One row of the window as it was loaded.
    struct Row {
        ScalarVector<Scalar, step> before[sides];
        ScalarVector<Scalar, run> centre;
        ScalarVector<Scalar, step> behind[sides];
    };

    template <class Thread> GPU_CODE Row loadRow(const Thread &thread, int x, int y) const {
        Row row;
        const auto scalars = scalarView(operands.source.inside);
        const int first = (x + operands.originX) * channels;
        using Step = ScalarVector<Scalar, step>;
        GPU_UNROLL for (int i = 0; i < sides; ++i) {
            row.before[i] = thread.template loadVector<Step>(scalars, first - lead + i * step, y);
            row.behind[i] = thread.template loadVector<Step>(scalars, first + run + i * step, y);
        }
        row.centre = thread.template loadVector<ScalarVector<Scalar, run>>(scalars, first, y);
        return row;
    }

    GPU_CODE static void widenRow(const Row &row, float (&value)[held]) {
        GPU_UNROLL for (int i = 0; i < sides; ++i) {
            widenVector(row.before[i], value + i * step);
            widenVector(row.behind[i], value + lead + run + i * step);
        }
        widenVector(row.centre, value + lead);
    }

    GPU_CODE void addRow(float (&sum)[run], const float (&value)[held], int tapRow) const {
        GPU_UNROLL for (int u = 0; u < Side; ++u) GPU_UNROLL for (int i = 0; i < run; ++i) sum[i] +=
            operands.taps.value[tapRow * Side + u] * value[lead - halo + u * channels + i];
    }

    // Sums of the rows that are being made: each moves up one place a row, and each place adds its own row of taps. The
    // first addition reads the neighbour's register, so that moving costs nothing.
    GPU_CODE void addToAll(float (&sum)[Side][run], const float (&value)[held]) const {
        GPU_UNROLL for (int r = 0; r < Side; ++r) {
            GPU_UNROLL for (int i = 0; i < run; ++i) sum[r][i] = r + 1 < Side ? sum[r + 1 < Side ? r + 1 : r][i] : 0.0f;
            addRow(sum[r], value, Side - 1 - r);
        }
    }

    template <bool Plain, class Thread>
    GPU_CODE void patchInside(const Thread &thread, int x, int y, const LinearFinish &finish) const {
        constexpr int ahead = shape.ahead;
        constexpr int windowRows = rows + Side - 1;
        const int top = y + operands.originY - reach;
        Row row[ahead];
        GPU_UNROLL for (int i = 0; i < ahead; ++i) row[i] = loadRow(thread, x, top + i);
        float sum[rows][run] = {};
        GPU_UNROLL for (int v = 0; v < windowRows; ++v) {
            float value[held];
            widenRow(row[v % ahead], value);
            if (v + ahead < windowRows)
                row[v % ahead] = loadRow(thread, x, top + v + ahead);
            GPU_UNROLL for (int r = 0; r < rows; ++r) if (v >= r && v < r + Side) addRow(sum[r], value, v - r);
            if (v >= Side - 1)
                storeInside<Plain>(thread, x, y + v - (Side - 1), sum[v - (Side - 1)], finish);
        }
    }

    // Straight-line: a branch here would cut the patch's code into pieces that the compiler could not interleave.
    template <bool Plain, class Thread>
    GPU_CODE void storeInside(const Thread &thread, int x, int y, const float (&sum)[run],
                              const LinearFinish &finish) const {
        using Run = ScalarVector<Value, run>;
        Run stored;
        GPU_UNROLL for (int i = 0; i < run; ++i) {
            const float value = sum[i] * finish.scale + finish.bias;
            stored.value[i] = storedValue<Value>(!Plain && finish.absolute && value < 0.0f ? -value : value);
        }
        if constexpr (!Plain) {
            const auto original = thread.template loadVector<ScalarVector<Scalar, run>>(
                scalarView(operands.source.inside), (x + operands.originX) * channels, y + operands.originY);
            GPU_UNROLL for (int i = 0; i < run; ++i) if (finish.kept >> i % channels & 1u) stored.value[i] =
                storedValue<Value>(static_cast<float>(original.value[i]));
        }
        thread.storeVector(scalarView(operands.target), x * channels, y, stored);
    }

    // At the rim rows stay in a loop, for the sake of the instruction cache, and pixels are read one by one.
    template <class Thread>
    GPU_CODE void patchAtRim(const Thread &thread, int x, int y, const LinearFinish &finish) const {
        if (thread.branch(x >= operands.target.width))
            return;
        constexpr int window = held / channels;
        const auto &source = operands.source;
        int column[window];
        GPU_UNROLL for (int p = 0; p < window; ++p) column[p] =
            borderIndexCall(source.mode, x + operands.originX - lead / channels + p, source.inside.width);
        float sum[Side][run] = {};
        const int last = y + rows < operands.target.height ? rows : operands.target.height - y;
        GPU_ROLL for (int v = 0; v < last + Side - 1; ++v) {
            const int line = borderIndexCall(source.mode, y + operands.originY - reach + v, source.inside.height);
            float value[held];
            GPU_UNROLL for (int p = 0; p < window; ++p) {
                SourcePixel pixel = source.outside;
                if (line >= 0 && column[p] >= 0)
                    pixel = thread.load(source.inside, column[p], line);
                GPU_UNROLL for (int c = 0; c < channels; ++c) value[p * channels + c] =
                    static_cast<float>(pixel.channel[c]);
            }
            addToAll(sum, value);
            if (v >= Side - 1)
                storeAtRim(thread, x, y + v - (Side - 1), sum[0], finish);
        }
    }

    template <class Thread>
    GPU_CODE void storeAtRim(const Thread &thread, int x, int y, const float (&sum)[run],
                             const LinearFinish &finish) const {
        GPU_UNROLL for (int p = 0; p < pixels; ++p) {
            if (x + p >= operands.target.width)
                return;
            const SourcePixel original =
                finish.kept ? thread.load(operands.source.inside, x + p + operands.originX, y + operands.originY)
                            : operands.source.outside;
            TargetPixel pixel;
            GPU_UNROLL for (int c = 0; c < channels; ++c) {
                const float value = sum[p * channels + c] * finish.scale + finish.bias;
                pixel.channel[c] = storedValue<Value>(finish.kept >> c & 1u ? static_cast<float>(original.channel[c])
                                                      : finish.absolute && value < 0.0f ? -value
                                                                                        : value);
            }
            thread.store(operands.target, x + p, y, pixel);
        }
    }
};

} // namespace tessera
