// What a lesson must compute, by plain loops in double: what to check a result against before its time means anything.
#pragma once

#include "gpu/launch/lesson_list.h"

#include <vector>

namespace tessera {

struct LessonExpectation {
    // Sum, Maximum, CountAbove: one value. Else one for each element, record or pixel.
    std::vector<double> values;
    double tolerance = 0; // 0: a result must be equal
};

// Of operands in host memory; `target` is not read.
LessonExpectation lessonExpectation(const LessonInfo &lesson, const LessonOperands &operands);

// Where value i of the expectation lies in the target, counted in floats (CountAbove: in unsigned long longs).
std::int64_t lessonTargetIndex(const LessonInfo &lesson, const LessonOperands &operands, std::int64_t i);

// The largest error of a target in host memory; infinite where a value is NaN that should be none.
double lessonError(const LessonInfo &lesson, const LessonOperands &operands, const LessonExpectation &expected);

} // namespace tessera
