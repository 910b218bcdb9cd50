#include "gpu/sim/lessons.h"

#include "gpu/launch/lesson_dispatch.h"

namespace tessera::sim {

namespace {

template <LessonGroup group, int step> struct LaunchRecorded {
    static void run(const LessonOperands &operands, RecordingLauncher &launcher) {
        launchLesson<group, step>(launcher, operands);
    }
};

} // namespace

std::span<const SimLesson> lessons() {
    static constexpr auto entries = lessonEntries<SimLesson, LaunchRecorded>();
    return entries;
}

} // namespace tessera::sim
