#include "app/bench/convolution_contender.h"

#include <cmath>
#include <cstring>

namespace tessera::bench {

std::shared_ptr<const ConvolutionTask> makeTask(Workload workload, const RunControl &control) {
    auto task = std::make_shared<ConvolutionTask>();
    task->workload = std::move(workload);
    const Workload &made = task->workload;
    task->source = randomPicture(made.pixel, made.width, made.height, made.seed);
    task->exact = std::make_unique<ExactSamples>(made, task->source, control);
    return task;
}

Work ConvolutionContender::work() const {
    Work work;
    work.bytes = workload().bytes();
    work.operations = dense                  ? workload().denseOperations()
                      : workload().separable ? workload().separableOperations()
                                             : 0;
    work.unit = unit;
    work.dense = dense;
    if (scope == Scope::EndToEnd && device.starts_with("cuda"))
        work.uploadBytes = work.downloadBytes = work.bytes / 2;
    return work;
}

namespace {

// Values that both runs left as they were: nothing wrote them.
std::string unwrittenPart(const PixelBlock &first, const PixelBlock &second, std::byte poison1, std::byte poison2) {
    const auto size = std::size_t(scalarBytes(first.pixel.type));
    for (int y = 0; y < first.height; ++y) {
        const std::byte *a = first.row(y), *b = second.row(y);
        if (std::memchr(a, int(poison1), first.rowBytes()) == nullptr)
            continue;
        for (std::size_t i = 0; i < first.rowBytes(); i += size) {
            bool untouched = true;
            for (std::size_t k = 0; k < size; ++k)
                untouched = untouched && a[i + k] == poison1 && b[i + k] == poison2;
            if (untouched)
                return "it leaves pixel (" + std::to_string(i / std::size_t(first.pixel.bytes())) + ", " +
                       std::to_string(y) + ") unwritten";
        }
    }
    return {};
}

} // namespace

// Twice, over two different poisons: a pixel that nobody wrote keeps both. As floats and halves the first is NaN.
CheckResult ConvolutionContender::check() {
    constexpr std::byte poisons[] = {std::byte(0xff), std::byte(0x7f)};
    load(task_->source);
    PixelBlock results[] = {{workload().pixel, workload().width, workload().height},
                            {workload().pixel, workload().width, workload().height}};
    for (int i = 0; i < 2; ++i) {
        poison(poisons[i]);
        run(0);
        finish();
        fetch(results[i]);
    }
    CheckResult result = task_->exact->compare(results[0], stated);
    if (const std::string unwritten = unwrittenPart(results[0], results[1], poisons[0], poisons[1]); !unwritten.empty())
        result.failure = unwritten;
    if (workload().picture)
        load(*workload().picture);
    return result;
}

StatedError statedErrorOf(const Engine &engine, const Workload &workload, std::string_view variant) {
    const double largest = nominalMaximum(depthOf(workload.pixel.type));
    StatedError stated;
    stated.absolute = engine.errorBound(emptyJobOf(workload, variant), largest);
    double gain = 0;
    for (const double tap : workload.kernel.taps)
        gain += std::fabs(tap);
    // Half-precision sums state 2^-11 and more, float ones a few 2^-24 for each tap.
    if (stated.absolute <= 1e-3 * gain * largest)
        stated.relativeL2 = 1e-5;
    return stated;
}

} // namespace tessera::bench
