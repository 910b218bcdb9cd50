#include "app/filters/filter_text.h"

#include "app/core/error.h"
#include "app/filters/nearest_name.h"
#include "app/filters/number_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera {

namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string didYouMean(const std::string &name) {
    return name.empty() ? std::string() : "did you mean '" + name + "'? ";
}

std::string rangeText(const ParameterDescription &parameter) {
    if (parameter.kind == ParameterKind::Choice)
        return joinNames(parameter.choices, "or");
    if (parameter.kind == ParameterKind::Boolean)
        return "yes or no";
    if (parameter.kind == ParameterKind::Angle)
        return "an angle in degrees";
    const std::string unit = parameter.unit.empty() ? "" : " " + parameter.unit;
    return std::string(parameter.kind == ParameterKind::Integer ? "a whole number" : "a number") + " from " +
           formatNumber(parameter.minimum) + " to " + formatNumber(parameter.maximum) + unit;
}

[[noreturn]] void refuseValue(const FilterDescription &filter, const ParameterDescription &parameter,
                              std::string_view given) {
    throw Error(ErrorKind::Usage,
                filter.name + ": " + parameter.name + " must be " + rangeText(parameter) + ", not " + quoted(given),
                parameter.help);
}

// "Motion_Blur" -> "motion-blur".
std::string canonicalName(std::string_view text) {
    std::string name(text);
    for (char &letter : name)
        letter = letter >= 'A' && letter <= 'Z'   ? char(letter - 'A' + 'a')
                 : letter == '_' || letter == ' ' ? '-'
                                                  : letter;
    return name;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

std::optional<double> booleanFromWord(std::string_view word) {
    for (std::string_view yes : {"yes", "true", "on", "1"})
        if (word == yes)
            return 1.0;
    for (std::string_view no : {"no", "false", "off", "0"})
        if (word == no)
            return 0.0;
    return std::nullopt;
}

double valueFromText(const FilterDescription &filter, const ParameterDescription &parameter, std::string_view text) {
    std::optional<double> value;
    if (parameter.kind == ParameterKind::Choice) {
        const auto found = std::ranges::find(parameter.choices, canonicalName(text));
        if (found != parameter.choices.end())
            value = double(found - parameter.choices.begin());
    } else if (parameter.kind == ParameterKind::Boolean) {
        value = booleanFromWord(canonicalName(text));
    } else {
        value = parseNumber(text);
    }
    if (!value)
        refuseValue(filter, parameter, text);
    return checkedValue(filter, parameter, *value);
}

// One or, for a shorthand, several parameters.
std::vector<std::string> parametersNamed(const FilterDescription &filter, const std::string &name) {
    for (const ParameterShorthand &shorthand : filter.shorthands)
        if (shorthand.name == name)
            return shorthand.parameters;
    return {requireParameter(filter, name).name};
}

std::string valueText(const ParameterDescription &parameter, double value) {
    if (parameter.kind == ParameterKind::Choice)
        return parameter.choices[std::size_t(value)];
    if (parameter.kind == ParameterKind::Boolean)
        return value != 0.0 ? "yes" : "no";
    return formatNumber(value);
}

[[noreturn]] void refuseAssignment(const FilterDescription &filter, std::string_view text) {
    std::string remedy = filter.name + " has no parameters";
    if (!filter.parameters.empty()) {
        const ParameterDescription &first = filter.parameters.front();
        remedy = "for example " + filter.name + ":" + first.name + "=" + valueText(first, first.defaultValue);
    }
    throw Error(ErrorKind::Usage, filter.name + ": expected parameter=value, found " + quoted(text), remedy);
}

void parseAssignment(const FilterDescription &filter, std::string_view text, ParameterValues &values) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || trimmed(text.substr(0, equals)).empty())
        refuseAssignment(filter, text);
    for (const std::string &name : parametersNamed(filter, canonicalName(trimmed(text.substr(0, equals))))) {
        const ParameterDescription &parameter = requireParameter(filter, name);
        const double value = valueFromText(filter, parameter, trimmed(text.substr(equals + 1)));
        if (!values.emplace(name, value).second)
            throw Error(ErrorKind::Usage, filter.name + ": " + name + " is given twice", "keep one of them");
    }
}

} // namespace

const FilterDescription &requireFilter(std::string_view name) {
    if (const FilterDescription *found = findFilter(name))
        return *found;
    std::vector<std::string> names;
    for (const FilterDescription &filter : allFilters())
        names.push_back(filter.name);
    throw Error(ErrorKind::Usage, name.empty() ? "a filter's name is missing" : "there is no filter " + quoted(name),
                didYouMean(nearestName(name, names)) + "the filters are " + joinNames(names));
}

const ParameterDescription &requireParameter(const FilterDescription &filter, std::string_view name) {
    const auto found = std::ranges::find(filter.parameters, name, &ParameterDescription::name);
    if (found != filter.parameters.end())
        return *found;
    std::vector<std::string> names;
    for (const ParameterDescription &parameter : filter.parameters)
        names.push_back(parameter.name);
    for (const ParameterShorthand &shorthand : filter.shorthands)
        names.push_back(shorthand.name);
    throw Error(ErrorKind::Usage, filter.name + " has no parameter " + quoted(name),
                didYouMean(nearestName(name, names)) + filter.name +
                    (names.empty() ? " has no parameters" : " has " + joinNames(names)));
}

double checkedValue(const FilterDescription &filter, const ParameterDescription &parameter, double value) {
    if (parameter.kind == ParameterKind::Angle && std::isfinite(value)) {
        const double turned = std::fmod(value, 360.0);
        return value == 360.0 ? value : turned < 0.0 ? turned + 360.0 : turned;
    }
    // Sliders count in steps; 1.5 - 1e-16 is meant as the limit, not as an error.
    const double slack = 1e-9 * std::max(std::abs(parameter.minimum), std::abs(parameter.maximum));
    const bool whole = parameter.kind == ParameterKind::Real || std::abs(value - std::rint(value)) <= 1e-9;
    if (!whole || !(value >= parameter.minimum - slack && value <= parameter.maximum + slack))
        refuseValue(filter, parameter, formatNumber(value));
    const double inside = std::clamp(value, parameter.minimum, parameter.maximum);
    return parameter.kind == ParameterKind::Real ? inside : std::rint(inside);
}

FilterInstance parseFilter(std::string_view text) {
    const std::size_t colon = text.find(':');
    const FilterDescription &filter = requireFilter(canonicalName(trimmed(text.substr(0, colon))));
    FilterInstance instance;
    instance.name = filter.name;
    if (colon == std::string_view::npos)
        return instance;
    std::string_view rest = text.substr(colon + 1);
    while (true) {
        const std::size_t comma = rest.find(',');
        parseAssignment(filter, trimmed(rest.substr(0, comma)), instance.values);
        if (comma == std::string_view::npos)
            return instance;
        rest.remove_prefix(comma + 1);
    }
}

std::string formatFilter(const FilterInstance &filter) {
    const ParameterValues values = completeParameters(filter);
    std::string text = filter.name;
    for (const ParameterDescription &parameter : requireFilter(filter.name).parameters) {
        const double value = values.find(parameter.name)->second;
        if (value != parameter.defaultValue)
            text += (text == filter.name ? ":" : ",") + parameter.name + "=" + valueText(parameter, value);
    }
    return text;
}

} // namespace tessera
