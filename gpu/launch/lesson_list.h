// The small kernels one can race beside the convolutions: the reduction ladder, three ways to go through an array, two
// layouts of the same data, counting by ballot. Data alone: names, what each changes, what it must move. Pure host
// code; gpu/launch/lessons.h runs them on the GPU, gpu/sim/lessons.h in the simulator.
#pragma once

#include "gpu/launch/plan.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

// Lessons of one group compute the same from the same input and differ in time and accesses only.
enum class LessonGroup : std::uint8_t {
    ArraySum,
    ArrayMaximum,
    ArrayScale,
    ArrayAdd,
    Brightness,
    CountAbove,
    RecordField,
    ChannelGain,
    PictureLuminance
};

struct LessonInfo {
    LessonGroup group;
    int step;              // within the group: each improves on the one before, or shows its opposite
    std::string_view name; // "sum-v4", "scale-float4"
    std::string_view title;
    std::string_view change; // what the step before wastes and what this one changes, a sentence
};

std::string_view lessonGroupTitle(LessonGroup group); // "Sum of an array"

// All of them, groups together and steps in order.
std::span<const LessonInfo> lessonList();
const LessonInfo *findLesson(std::string_view name); // nullptr where there is none

// What a lesson runs on, in the memory of whoever runs it.
struct LessonOperands {
    const float *first = nullptr;
    const float *second = nullptr; // ArrayAdd only
    void *target = nullptr;        // floats; CountAbove: one unsigned long long
    float *workspace = nullptr;
    std::int64_t count = 0; // elements; RecordField: records of 8 floats; of a picture: pixels of 4 floats
    float parameter = 0.0f; // factor of ArrayScale, amount of Brightness, threshold, gain
    int field = 0;          // RecordField: 0 to 7; ChannelGain: 0 to 3
    DeviceLimits limits{};
};

inline constexpr std::int64_t maximumLessonCount = std::int64_t(1) << 30;
inline constexpr int recordFields = 8;

// Why a lesson cannot run on these operands, a sentence without a final stop; empty where it can.
std::string lessonRefusal(const LessonInfo &lesson, const LessonOperands &operands);

// Sizes of the arrays, for `count` elements, records or pixels.
std::int64_t lessonFirstFloats(LessonGroup group, std::int64_t count);
std::int64_t lessonSecondFloats(LessonGroup group, std::int64_t count);
std::size_t lessonTargetBytes(LessonGroup group, std::int64_t count);
std::size_t lessonWorkspaceBytes(const LessonInfo &lesson, std::int64_t count, const DeviceLimits &limits);

// What any implementation must move to and from memory and compute, whatever its layout makes it touch.
struct LessonCost {
    std::int64_t bytes = 0;
    std::int64_t operations = 0;
};
LessonCost lessonCost(LessonGroup group, std::int64_t count);

// ---- plans ----

inline constexpr int lessonThreads = 256; // a block

// One launch of step 0 to 7 of the ladder: it leaves as many values as the grid has blocks.
LaunchPlan planReduction(int step, std::int64_t count, const DeviceLimits &limits);

// As many blocks as the device holds at once, and no more than have an element.
LaunchPlan planGridStride(std::int64_t count, const DeviceLimits &limits);

} // namespace tessera
