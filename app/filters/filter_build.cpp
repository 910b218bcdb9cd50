#include "app/core/error.h"
#include "app/filters/filter.h"
#include "app/filters/filter_text.h"
#include "app/filters/generators/generators.h"

#include <array>
#include <cmath>

namespace tessera {

double Parameters::real(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end())
        throw Error(ErrorKind::Internal, "a generator asks for the parameter '" + std::string(name) +
                                             "', which its filter does not describe");
    return found->second;
}

int Parameters::integer(std::string_view name) const { return static_cast<int>(std::lround(real(name))); }

Generator findGenerator(std::string_view name) {
    const std::array families{smoothingGenerators(), sharpeningGenerators(), edgeGenerators(), effectGenerators()};
    for (const auto &family : families)
        for (const NamedGenerator &entry : family)
            if (entry.name == name)
                return entry.generator;
    return nullptr;
}

ParameterValues completeParameters(const FilterInstance &filter) {
    const FilterDescription &description = requireFilter(filter.name);
    for (const auto &[name, value] : filter.values)
        requireParameter(description, name);
    ParameterValues values;
    for (const ParameterDescription &parameter : description.parameters) {
        const auto given = filter.values.find(parameter.name);
        values[parameter.name] =
            given == filter.values.end() ? parameter.defaultValue : checkedValue(description, parameter, given->second);
    }
    return values;
}

namespace {

// A kernel made by hand (editor, other code) need not have passed through centred().
const ConvolutionKernel &checkedKernel(const ConvolutionKernel &kernel) {
    ConvolutionKernel::centred(kernel.width, kernel.height, kernel.taps);
    if (kernel.anchorX < 0 || kernel.anchorX >= kernel.width || kernel.anchorY < 0 || kernel.anchorY >= kernel.height)
        throw Error(ErrorKind::Usage, "the anchor " + std::to_string(kernel.anchorX) + "," +
                                          std::to_string(kernel.anchorY) + " lies outside the kernel of " +
                                          std::to_string(kernel.width) + "x" + std::to_string(kernel.height) + " taps");
    if (!std::isfinite(kernel.offset) ||
        (kernel.divisor && (!std::isfinite(*kernel.divisor) || *kernel.divisor == 0.0)))
        throw Error(ErrorKind::Usage, "a kernel's divisor must be a finite number other than 0, and its offset finite");
    return kernel;
}

} // namespace

FilterProgram buildFilter(const FilterInstance &filter) {
    const ParameterValues values = completeParameters(filter);
    if (filter.name == "custom")
        return {{checkedKernel(filter.kernel)}, Combine::Single};
    const FilterDescription &description = requireFilter(filter.name);
    FilterProgram program = findGenerator(description.generator)(Parameters(values));
    for (ConvolutionKernel &kernel : program.kernels)
        if (kernel.name.empty())
            kernel.name = description.title;
    return program;
}

} // namespace tessera
