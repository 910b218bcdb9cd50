// A filter is data: its description comes from assets/filters.json, and a generator turns parameters into kernels.
// Adding a filter touches no widget and no command.
#pragma once

#include "app/filters/kernel.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// Angle: degrees, any value, taken modulo 360. Boolean: 0 or 1; the command line takes yes/no, true/false, on/off, 1/0.
enum class ParameterKind { Real, Integer, Angle, Choice, Boolean };

struct ParameterDescription {
    std::string name;  // as in --filter gaussian:sigma=2
    std::string label; // as in the panel
    std::string help;  // one line
    ParameterKind kind = ParameterKind::Real;
    double minimum = 0, maximum = 1, step = 0.1, defaultValue = 0;
    std::string unit;                 // "px", "°", ""
    std::vector<std::string> choices; // for Choice: the value is the index; the command line takes the word
};

// A word of the command line that sets several parameters at once: box:size=5 is box:width=5,height=5.
struct ParameterShorthand {
    std::string name;
    std::vector<std::string> parameters;
};

struct FilterDescription {
    std::string name;  // "unsharp"
    std::string title; // "Unsharp mask"
    std::string group; // "Smoothing", "Sharpening", "Edges", "Effects", "Utility"
    std::string description;
    std::string generator; // which function makes the kernels
    std::vector<ParameterDescription> parameters;
    std::vector<ParameterShorthand> shorthands;
};

// How the results of several kernels become one picture.
enum class Combine {
    Single,    // one kernel
    Magnitude, // sqrt(a^2 + b^2 + ...), as for Sobel
    Maximum    // the largest, as for Kirsch's eight directions
};

// What a filter comes down to for one set of parameters.
struct FilterProgram {
    std::vector<ConvolutionKernel> kernels; // at least one
    Combine combine = Combine::Single;
};

using ParameterValues = std::map<std::string, double, std::less<>>;

// A filter with its parameters, as in --filter NAME:p=v,... ; missing parameters take their defaults.
struct FilterInstance {
    std::string name;
    ParameterValues values;
    ConvolutionKernel kernel; // for "custom" only

    friend bool operator==(const FilterInstance &, const FilterInstance &) = default;
};

// All filters in display order.
const std::vector<FilterDescription> &allFilters();

// nullptr where there is none.
const FilterDescription *findFilter(std::string_view name);

// Parses NAME[:p=v,...]. Letter case and '_' for '-' in names are forgiven. Throws Error{Usage} naming the nearest
// filter or parameter, the allowed range, and what was given.
FilterInstance parseFilter(std::string_view text);

// The inverse: canonical text, defaults left out. "custom" says nothing of its kernel, which formatKernel writes.
std::string formatFilter(const FilterInstance &filter);

// Every parameter of the filter with its value, defaults filled in and angles brought to 0..360. Throws as buildFilter.
ParameterValues completeParameters(const FilterInstance &filter);

// Throws Error{Usage} where there is no such filter or parameter, or a value is out of range.
//
// The kernels carry an explicit divisor and never the automatic one: whole numbers with a divisor where the field
// writes them so (box, binomial, tent, sobel, ...), else taps in float64 that add up to 1 (or 0) with divisor 1.
// No side exceeds 63 taps.
FilterProgram buildFilter(const FilterInstance &filter);

} // namespace tessera
