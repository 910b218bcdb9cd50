#include "gpu/launch/lesson_list.h"

#include "gpu/kernels/ladder/common.h"
#include "gpu/launch/lesson_table.h"

#include <algorithm>

namespace tessera {

namespace {

using enum LessonGroup;

std::int64_t ceilingOf(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }

bool isReduction(LessonGroup group) { return group == ArraySum || group == ArrayMaximum; }

} // namespace

std::span<const LessonInfo> lessonList() { return lessonTable; }

const LessonInfo *findLesson(std::string_view name) {
    const auto found =
        std::find_if(lessonTable.begin(), lessonTable.end(), [&](const LessonInfo &info) { return info.name == name; });
    return found == lessonTable.end() ? nullptr : &*found;
}

std::string_view lessonGroupTitle(LessonGroup group) {
    switch (group) {
    case ArraySum:
        return "Sum of an array";
    case ArrayMaximum:
        return "Maximum of an array";
    case ArrayScale:
        return "Array times a factor";
    case ArrayAdd:
        return "Sum of two arrays";
    case Brightness:
        return "Brightness";
    case CountAbove:
        return "Count above a threshold";
    case RecordField:
        return "One field of 8-float records";
    case ChannelGain:
        return "Gain of one channel";
    case PictureLuminance:
        return "Luminance of a picture";
    }
    return "unknown";
}

std::string lessonRefusal(const LessonInfo &lesson, const LessonOperands &operands) {
    const std::string name(lesson.name);
    if (operands.count < 0 || operands.count > maximumLessonCount)
        return name + " takes 0 to " + std::to_string(maximumLessonCount) + " elements, not " +
               std::to_string(operands.count);
    const int fields = lesson.group == RecordField ? recordFields : lesson.group == ChannelGain ? 4 : 1;
    if (operands.field < 0 || operands.field >= fields)
        return name + " has no field " + std::to_string(operands.field) + " (0 to " + std::to_string(fields - 1) + ")";
    if (!operands.target || (operands.count > 0 && !operands.first) ||
        (operands.count > 0 && lesson.group == ArrayAdd && !operands.second) ||
        (!operands.workspace && lessonWorkspaceBytes(lesson, operands.count, operands.limits) > 0))
        return name + " lacks an array";
    return {};
}

std::int64_t lessonFirstFloats(LessonGroup group, std::int64_t count) {
    return count * (group == RecordField ? recordFields : group == ChannelGain || group == PictureLuminance ? 4 : 1);
}

std::int64_t lessonSecondFloats(LessonGroup group, std::int64_t count) { return group == ArrayAdd ? count : 0; }

std::size_t lessonTargetBytes(LessonGroup group, std::int64_t count) {
    if (group == CountAbove)
        return sizeof(unsigned long long);
    if (isReduction(group))
        return sizeof(float);
    return sizeof(float) * std::size_t(group == ChannelGain ? 4 * count : count);
}

std::size_t lessonWorkspaceBytes(const LessonInfo &lesson, std::int64_t count, const DeviceLimits &limits) {
    if (!isReduction(lesson.group))
        return 0;
    // What a launch leaves is read by the next, which writes beside it; every later one finds room in one of the two.
    const std::int64_t first = planReduction(lesson.step, count, limits).grid.x;
    const std::int64_t second = planReduction(lesson.step, first, limits).grid.x;
    return first == 1 ? 0 : sizeof(float) * std::size_t(first + second);
}

LessonCost lessonCost(LessonGroup group, std::int64_t count) {
    switch (group) {
    case ArraySum:
    case ArrayMaximum:
        return {4 * count + 4, count};
    case ArrayScale:
    case Brightness:
    case ChannelGain:
        return {8 * count, count};
    case ArrayAdd:
        return {12 * count, count};
    case CountAbove:
        return {4 * count + 8, count};
    case RecordField:
        return {8 * count, 0};
    case PictureLuminance:
        return {16 * count, 5 * count}; // three multiplications, two additions
    }
    return {};
}

LaunchPlan planReduction(int step, std::int64_t count, const DeviceLimits &limits) {
    LaunchPlan plan;
    plan.block = {lessonThreads, 1};
    plan.sharedBytes = ladderSharedBytes(lessonThreads);
    if (step == 7) {
        // Four loads of four a thread at least, or the tree at the end outweighs them.
        plan.grid.x = planGridStride(ceilingOf(count, 16), limits).grid.x;
    } else {
        const int elementsPerThread = step < 3 ? 1 : 2;
        plan.grid.x = int(std::max<std::int64_t>(1, ceilingOf(count, std::int64_t(lessonThreads) * elementsPerThread)));
    }
    return plan;
}

LaunchPlan planGridStride(std::int64_t count, const DeviceLimits &limits) {
    constexpr int threadsPerMultiprocessor = 2048; // 1024 or 1536 on some: the rest of the blocks then waits its turn
    LaunchPlan plan;
    plan.block = {lessonThreads, 1};
    const std::int64_t resident = std::int64_t(limits.multiprocessors) * (threadsPerMultiprocessor / lessonThreads);
    plan.grid.x =
        int(std::clamp<std::int64_t>(ceilingOf(count, lessonThreads), 1, std::max<std::int64_t>(1, resident)));
    return plan;
}

} // namespace tessera
