// Look-ups and checks that fail with words for the user; shared by parsing and building.
#pragma once

#include "app/filters/filter.h"

namespace tessera {

// Error{Usage} naming the nearest one.
const FilterDescription &requireFilter(std::string_view name);
const ParameterDescription &requireParameter(const FilterDescription &filter, std::string_view name);

// `value` as it counts: angles modulo 360, numbers within a rounding of their limit set to it. Error{Usage} where it
// is out of range or no whole number though it must be.
double checkedValue(const FilterDescription &filter, const ParameterDescription &parameter, double value);

} // namespace tessera
