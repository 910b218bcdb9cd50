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

// A value that both runs left as it was: nothing wrote it. Its place in the row; -1 where there is none.
template <class T>
std::ptrdiff_t unwrittenValue(const std::byte *first, const std::byte *second, std::size_t count, std::byte poison1,
                              std::byte poison2) {
    T expected1, expected2;
    std::memset(&expected1, int(poison1), sizeof expected1);
    std::memset(&expected2, int(poison2), sizeof expected2);
    const T *a = reinterpret_cast<const T *>(first), *b = reinterpret_cast<const T *>(second);
    T any = 0;
    for (std::size_t i = 0; i < count; ++i) // without a way out, so that it becomes vector instructions
        any |= T(a[i] == expected1) & T(b[i] == expected2);
    for (std::size_t i = 0; any && i < count; ++i)
        if (a[i] == expected1 && b[i] == expected2)
            return std::ptrdiff_t(i);
    return -1;
}

std::string unwrittenPart(const PixelBlock &first, const PixelBlock &second, std::byte poison1, std::byte poison2) {
    const auto count = std::size_t(first.width) * std::size_t(first.pixel.channels);
    for (int y = 0; y < first.height; ++y) {
        const auto find = [&]<class T>(T) {
            return unwrittenValue<T>(first.row(y), second.row(y), count, poison1, poison2);
        };
        const int size = scalarBytes(first.pixel.type);
        const std::ptrdiff_t place = size == 1   ? find(std::uint8_t{})
                                     : size == 2 ? find(std::uint16_t{})
                                                 : find(std::uint32_t{});
        if (place >= 0)
            return "it leaves pixel (" + std::to_string(place / first.pixel.channels) + ", " + std::to_string(y) +
                   ") unwritten";
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
    const double gain = workload.kernel.magnitude();
    // Half-precision sums state 2^-11 and more, float ones a few 2^-24 for each tap.
    if (stated.absolute <= 1e-3 * gain * largest)
        stated.relativeL2 = 1e-5;
    return stated;
}

} // namespace tessera::bench
