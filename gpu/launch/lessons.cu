#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/lesson_dispatch.h"
#include "gpu/launch/lessons.h"

namespace tessera::cuda {

namespace {

template <LessonGroup group, int step> struct LaunchOnStream {
    static void run(const LessonOperands &operands, StreamView stream) {
        CudaLauncher launcher(stream);
        launchLesson<group, step>(launcher, operands);
    }
};

} // namespace

std::span<const CudaLesson> lessons() {
    static constexpr auto entries = lessonEntries<CudaLesson, LaunchOnStream>();
    return entries;
}

void launchMarkAbove(const float *source, std::int64_t count, float threshold, unsigned *mask, StreamView stream) {
    if (count == 0)
        return;
    const MarkAbove kernel{lessonRow(source, count), lessonRow(mask, (count + warpSize_ - 1) / warpSize_), threshold};
    CudaLauncher(stream).launch(planElements(count, lessonThreads), kernel);
}

void launchAddHalfPairs(const Half2 *first, const Half2 *second, Half2 *target, std::int64_t count, StreamView stream) {
    if (count == 0)
        return;
    const AddHalfPairs kernel{lessonRow(first, count), lessonRow(second, count), lessonRow(target, count)};
    CudaLauncher(stream).launch(planElements(count, lessonThreads), kernel);
}

} // namespace tessera::cuda
