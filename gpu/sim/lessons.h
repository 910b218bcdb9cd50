// The lessons of gpu/launch/lesson_list.h in the simulator: the same kernels, counted access by access.
#pragma once

#include "gpu/launch/lesson_list.h"
#include "gpu/sim/sim_launcher.h"

#include <span>

namespace tessera::sim {

struct SimLesson {
    const LessonInfo *info;
    // The operands lie in host memory and have passed lessonRefusal().
    void (*launch)(const LessonOperands &operands, RecordingLauncher &launcher);
};

std::span<const SimLesson> lessons(); // all of lessonList(), in its order

} // namespace tessera::sim
