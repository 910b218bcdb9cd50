// Generators turn parameter values into kernels. A filter of assets/filters.json names one; a family a file.
#pragma once

#include "app/filters/filter.h"

#include <span>
#include <string_view>

namespace tessera {

// The complete, checked values of one filter. A name that the filter's description lacks is a fault of the program.
class Parameters {
public:
    explicit Parameters(const ParameterValues &values) : values_(values) {}

    double real(std::string_view name) const;
    int integer(std::string_view name) const;
    bool boolean(std::string_view name) const { return real(name) != 0.0; }

private:
    const ParameterValues &values_;
};

using Generator = FilterProgram (*)(const Parameters &);

struct NamedGenerator {
    std::string_view name;
    Generator generator;
};

std::span<const NamedGenerator> smoothingGenerators();
std::span<const NamedGenerator> sharpeningGenerators();
std::span<const NamedGenerator> edgeGenerators();
std::span<const NamedGenerator> effectGenerators(); // and utilities

// nullptr where there is none. "custom" has one that gives the identity: its kernel comes with the instance.
Generator findGenerator(std::string_view name);

} // namespace tessera
