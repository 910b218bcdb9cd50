// From a lesson's number to its kernels, for any launcher (see gpu/launch/convolution.h for what a launcher is).
#pragma once

#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/ladder.h"
#include "gpu/kernels/record_layout.h"
#include "gpu/kernels/votes.h"
#include "gpu/launch/lesson_table.h"

#include <utility>

namespace tessera {

template <class T> ImageView<T> lessonRow(T *data, std::int64_t count) {
    return {data, int(count), 1, std::ptrdiff_t(sizeof(T)) * std::ptrdiff_t(count)};
}

template <int step, class Fold> auto ladderKernel(const ReduceOperands &operands) {
    if constexpr (step == 0)
        return ReduceInterleaved<Fold>{operands};
    else if constexpr (step == 1)
        return ReduceStrided<Fold>{operands};
    else if constexpr (step == 2)
        return ReduceSequential<Fold>{operands};
    else if constexpr (step == 3)
        return ReduceOnLoad<Fold>{operands};
    else if constexpr (step == 4)
        return ReduceLastWarp<Fold>{operands};
    else if constexpr (step == 5)
        return ReduceUnrolled<Fold, lessonThreads>{operands};
    else if constexpr (step == 6)
        return ReduceShuffle<Fold, lessonThreads>{operands};
    else
        return ReduceVector<Fold, lessonThreads>{operands};
}

// Launches until one value is left. Partial results go to and fro between two parts of the workspace.
template <int step, class Fold, class Launcher> void launchLadder(Launcher &launcher, const LessonOperands &operands) {
    std::int64_t count = operands.count;
    const float *source = operands.first;
    const int firstBlocks = planReduction(step, count, operands.limits).grid.x;
    float *const parts[] = {operands.workspace, firstBlocks > 1 ? operands.workspace + firstBlocks : nullptr};
    for (int round = 0;; ++round) {
        const LaunchPlan plan = planReduction(step, count, operands.limits);
        const bool last = plan.grid.x == 1;
        float *partial = last ? static_cast<float *>(operands.target) : parts[round % 2];
        launcher.launch(plan, ladderKernel<step, Fold>({lessonRow(source, count), lessonRow(partial, plan.grid.x)}));
        if (last)
            return;
        source = partial;
        count = plan.grid.x;
    }
}

template <int step, class Operation, class Launcher>
void launchElements(Launcher &launcher, const LessonOperands &operands, const Operation &operation) {
    const Elements<Operation> elements{lessonRow(operands.first, operands.count),
                                       lessonRow(operands.second, operands.second ? operands.count : 0),
                                       lessonRow(static_cast<float *>(operands.target), operands.count), operation};
    if constexpr (step == 0) {
        if (operands.count > 0)
            launcher.launch(planElements(operands.count, lessonThreads), ElementsScalar<Operation>{elements});
    } else if constexpr (step == 1) {
        if (operands.count > 0)
            launcher.launch(planElements((operands.count + 3) / 4, lessonThreads), ElementsVector<Operation>{elements});
    } else {
        launcher.launch(planGridStride(operands.count, operands.limits), ElementsStrided<Operation>{elements});
    }
}

template <int step, class Launcher> void launchCountAbove(Launcher &launcher, const LessonOperands &operands) {
    const CountAboveOperands counted{lessonRow(operands.first, operands.count),
                                     lessonRow(static_cast<unsigned long long *>(operands.target), 1),
                                     operands.parameter};
    launcher.launch(planElements(1, warpSize_), ClearCount{counted.count});
    if (operands.count == 0)
        return;
    if constexpr (step == 0)
        launcher.launch(planElements(operands.count, lessonThreads), CountAboveAtomic{counted});
    else if constexpr (step == 1)
        launcher.launch(planElements(operands.count, lessonThreads), CountAboveBallot{counted});
    else
        launcher.launch(planGridStride(operands.count, operands.limits), CountAboveGrid{counted});
}

template <template <class, int> class Layout, class Launcher>
void launchField(Launcher &launcher, const LessonOperands &operands) {
    using Kernel = ReadField<Layout, recordFields>;
    const int count = int(operands.count);
    launcher.launch(
        planElements(count, lessonThreads),
        Kernel{{operands.first, count}, lessonRow(static_cast<float *>(operands.target), count), operands.field});
}

template <template <class, int> class Layout, class Launcher>
void launchGain(Launcher &launcher, const LessonOperands &operands) {
    const int count = int(operands.count);
    launcher.launch(planElements(count, lessonThreads),
                    GainChannel<Layout>{{operands.first, count},
                                        {static_cast<float *>(operands.target), count},
                                        operands.field,
                                        operands.parameter});
}

template <int step, class Launcher> void launchLuminance(Launcher &launcher, const LessonOperands &operands) {
    using Interleaved = Pixel<float, pictureChannels>;
    const int count = int(operands.count);
    const LaunchPlan plan = planElements(count, lessonThreads);
    const ImageView<float> target = lessonRow(static_cast<float *>(operands.target), count);
    // Whole pixels at an address that is no multiple of 16 would fault: they take the path of single channels.
    const bool aligned = unalignedHead(operands.first) == 0;
    if (step == 1 && aligned)
        launcher.launch(
            plan, LuminanceVector{lessonRow(reinterpret_cast<const Interleaved *>(operands.first), count), target});
    else if (step == 2)
        launcher.launch(plan, Luminance<StructOfArrays>{{operands.first, count}, target});
    else
        launcher.launch(plan, Luminance<ArrayOfStructs>{{operands.first, count}, target});
}

// The operands have passed lessonRefusal().
template <LessonGroup group, int step, class Launcher>
void launchLesson(Launcher &launcher, const LessonOperands &operands) {
    using enum LessonGroup;
    if constexpr (group == ArraySum)
        launchLadder<step, Add>(launcher, operands);
    else if constexpr (group == ArrayMaximum)
        launchLadder<step, Maximum>(launcher, operands);
    else if constexpr (group == ArrayScale)
        launchElements<step>(launcher, operands, ScaleBy{operands.parameter});
    else if constexpr (group == ArrayAdd)
        launchElements<step>(launcher, operands, AddArrays{});
    else if constexpr (group == Brightness)
        launchElements<step>(launcher, operands, Brighten{operands.parameter});
    else if constexpr (group == CountAbove)
        launchCountAbove<step>(launcher, operands);
    else if (operands.count == 0)
        return; // no records, no pixels: no launch
    else if constexpr (group == RecordField && step == 0)
        launchField<ArrayOfStructs>(launcher, operands);
    else if constexpr (group == RecordField)
        launchField<StructOfArrays>(launcher, operands);
    else if constexpr (group == ChannelGain && step == 0)
        launchGain<ArrayOfStructs>(launcher, operands);
    else if constexpr (group == ChannelGain)
        launchGain<StructOfArrays>(launcher, operands);
    else
        launchLuminance<step>(launcher, operands);
}

// An Entry for each line of the table, in its order: the line and Launch<group, step>::run.
template <class Entry, template <LessonGroup, int> class Launch> constexpr auto lessonEntries() {
    return []<std::size_t... i>(std::index_sequence<i...>) {
        return std::array{Entry{&lessonTable[i], &Launch<lessonTable[i].group, lessonTable[i].step>::run}...};
    }
    (std::make_index_sequence<lessonTable.size()>{});
}

} // namespace tessera
