// The lessons of gpu/launch/lesson_list.h on the GPU.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/image/half.h"
#include "gpu/launch/lesson_list.h"

#include <span>

namespace tessera::cuda {

struct CudaLesson {
    const LessonInfo *info;
    // Returns once the work is queued. The operands lie in device memory and have passed lessonRefusal(). Throws
    // CudaError where a launch is refused.
    void (*launch)(const LessonOperands &operands, StreamView stream);
};

std::span<const CudaLesson> lessons(); // all of lessonList(), in its order

// Bit i % 32 of mask[i / 32] tells whether source[i] > threshold. One word for each 32 elements begun.
void launchMarkAbove(const float *source, std::int64_t count, float threshold, unsigned *mask, StreamView stream);

// target[i] = first[i] + second[i], two halves each. Arrays of `count` pairs.
void launchAddHalfPairs(const Half2 *first, const Half2 *second, Half2 *target, std::int64_t count, StreamView stream);

} // namespace tessera::cuda
