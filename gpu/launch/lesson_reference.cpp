#include "gpu/launch/lesson_reference.h"

#include "gpu/kernels/elementwise.h"

#include <cmath>
#include <limits>

namespace tessera {

namespace {

using enum LessonGroup;

constexpr double halfUnit = 0x1p-24; // the largest relative error of one float rounding

// Every step rounds once an addition, along chains no longer than this.
double longestChain(const LessonInfo &lesson, const LessonOperands &operands) {
    const double threads = double(planReduction(lesson.step, operands.count, operands.limits).threads());
    return double(operands.count) / threads + 64;
}

LessonExpectation expectedSum(const LessonInfo &lesson, const LessonOperands &operands) {
    double sum = 0, magnitude = 0;
    for (std::int64_t i = 0; i < operands.count; ++i) {
        sum += double(operands.first[i]);
        magnitude += std::abs(double(operands.first[i]));
    }
    return {{sum}, longestChain(lesson, operands) * halfUnit * magnitude};
}

double expectedMaximum(const LessonOperands &operands) {
    float maximum = -std::numeric_limits<float>::infinity();
    for (std::int64_t i = 0; i < operands.count; ++i)
        maximum = std::fmax(maximum, operands.first[i]);
    return double(maximum);
}

double expectedCount(const LessonOperands &operands) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < operands.count; ++i)
        count += operands.first[i] > operands.parameter;
    return double(count);
}

// Whether the lesson's arrays hold field after field instead of record after record.
bool isPlanar(const LessonInfo &lesson) { return lesson.step == (lesson.group == PictureLuminance ? 2 : 1); }

std::int64_t elementIndex(bool planar, std::int64_t count, int fields, std::int64_t record, int field) {
    return planar ? field * count + record : record * fields + field;
}

double expectedElement(const LessonInfo &lesson, const LessonOperands &operands, std::int64_t i) {
    const auto field = [&](int fields, int which) {
        return operands.first[elementIndex(isPlanar(lesson), operands.count, fields, i, which)];
    };
    switch (lesson.group) {
    case ArrayScale:
        return double(ScaleBy{operands.parameter}(operands.first[i]));
    case ArrayAdd:
        return double(operands.first[i] + operands.second[i]);
    case Brightness:
        return double(Brighten{operands.parameter}(operands.first[i]));
    case RecordField:
        return double(field(recordFields, operands.field));
    case ChannelGain:
        return double(operands.parameter * field(4, operands.field));
    default:
        return 0.2126 * double(field(4, 0)) + 0.7152 * double(field(4, 1)) + 0.0722 * double(field(4, 2));
    }
}

} // namespace

LessonExpectation lessonExpectation(const LessonInfo &lesson, const LessonOperands &operands) {
    switch (lesson.group) {
    case ArraySum:
        return expectedSum(lesson, operands);
    case ArrayMaximum:
        return {{expectedMaximum(operands)}, 0};
    case CountAbove:
        return {{expectedCount(operands)}, 0};
    default:
        break;
    }
    LessonExpectation expected;
    expected.values.reserve(std::size_t(operands.count));
    for (std::int64_t i = 0; i < operands.count; ++i)
        expected.values.push_back(expectedElement(lesson, operands, i));
    if (lesson.group == PictureLuminance) {
        double largest = 0;
        for (std::int64_t i = 0; i < lessonFirstFloats(lesson.group, operands.count); ++i)
            largest = std::fmax(largest, std::abs(double(operands.first[i])));
        // Five roundings and those of the weights; whether products and sums are fused is the compiler's choice.
        expected.tolerance = 8 * halfUnit * largest;
    }
    return expected;
}

std::int64_t lessonTargetIndex(const LessonInfo &lesson, const LessonOperands &operands, std::int64_t i) {
    return lesson.group == ChannelGain ? elementIndex(isPlanar(lesson), operands.count, 4, i, operands.field) : i;
}

double lessonError(const LessonInfo &lesson, const LessonOperands &operands, const LessonExpectation &expected) {
    double worst = 0;
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        const std::int64_t index = lessonTargetIndex(lesson, operands, std::int64_t(i));
        const double value = lesson.group == CountAbove
                                 ? double(static_cast<const unsigned long long *>(operands.target)[index])
                                 : double(static_cast<const float *>(operands.target)[index]);
        if (value == expected.values[i] || (std::isnan(value) && std::isnan(expected.values[i])))
            continue; // also where both are infinite
        const double error = std::abs(value - expected.values[i]);
        worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::fmax(worst, error);
    }
    return worst;
}

} // namespace tessera
