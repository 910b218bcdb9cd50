// Reads assets/filters.json, which is compiled in. It is the program's own data, so any fault in it is Internal and a
// test finds it; unknown members count as faults, since they are typing errors that would be ignored in silence.
#include "app/core/error.h"
#include "app/filters/filter.h"
#include "app/filters/generators/generators.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>

namespace tessera {

extern const std::string_view filtersJson;

namespace {

using nlohmann::json;

[[noreturn]] void fault(const std::string &what) { throw Error(ErrorKind::Internal, "assets/filters.json: " + what); }

void checkMembers(const json &object, std::initializer_list<std::string_view> known, const std::string &where) {
    for (const auto &[key, value] : object.items())
        if (std::ranges::find(known, key) == known.end())
            fault("unknown member '" + key + "' in " + where);
}

ParameterKind kindFromName(const std::string &name) {
    static const std::map<std::string, ParameterKind, std::less<>> kinds{{"real", ParameterKind::Real},
                                                                         {"integer", ParameterKind::Integer},
                                                                         {"angle", ParameterKind::Angle},
                                                                         {"choice", ParameterKind::Choice},
                                                                         {"boolean", ParameterKind::Boolean}};
    const auto found = kinds.find(name);
    if (found == kinds.end())
        fault("unknown kind '" + name + "'");
    return found->second;
}

void readChoice(ParameterDescription &parameter, const json &entry) {
    parameter.choices = entry.at("choices").get<std::vector<std::string>>();
    const auto chosen = std::ranges::find(parameter.choices, entry.at("default").get<std::string>());
    if (chosen == parameter.choices.end())
        fault("the default of '" + parameter.name + "' is none of its choices");
    parameter.minimum = 0;
    parameter.maximum = double(parameter.choices.size()) - 1;
    parameter.step = 1;
    parameter.defaultValue = double(chosen - parameter.choices.begin());
}

ParameterDescription readParameter(const json &entry) {
    ParameterDescription parameter;
    parameter.name = entry.at("name").get<std::string>();
    checkMembers(entry, {"name", "label", "kind", "min", "max", "step", "default", "unit", "help", "choices"},
                 "parameter '" + parameter.name + "'");
    parameter.label = entry.at("label").get<std::string>();
    parameter.help = entry.at("help").get<std::string>();
    parameter.kind = kindFromName(entry.at("kind").get<std::string>());
    parameter.unit = entry.value("unit", "");
    if (parameter.kind == ParameterKind::Choice) {
        readChoice(parameter, entry);
    } else if (parameter.kind == ParameterKind::Boolean) {
        parameter.step = 1;
        parameter.defaultValue = entry.at("default").get<bool>() ? 1 : 0;
    } else {
        parameter.minimum = entry.at("min").get<double>();
        parameter.maximum = entry.at("max").get<double>();
        parameter.step = entry.at("step").get<double>();
        parameter.defaultValue = entry.at("default").get<double>();
    }
    return parameter;
}

FilterDescription readFilter(const json &entry) {
    FilterDescription filter;
    filter.name = entry.at("name").get<std::string>();
    checkMembers(entry, {"name", "title", "group", "description", "generator", "parameters", "shorthands"},
                 "filter '" + filter.name + "'");
    filter.title = entry.at("title").get<std::string>();
    filter.group = entry.at("group").get<std::string>();
    filter.description = entry.at("description").get<std::string>();
    filter.generator = entry.at("generator").get<std::string>();
    if (!findGenerator(filter.generator))
        fault("filter '" + filter.name + "' names the generator '" + filter.generator + "', which does not exist");
    for (const json &parameter : entry.at("parameters"))
        filter.parameters.push_back(readParameter(parameter));
    if (entry.contains("shorthands"))
        for (const auto &[name, parameters] : entry["shorthands"].items())
            filter.shorthands.push_back({name, parameters.get<std::vector<std::string>>()});
    return filter;
}

std::vector<FilterDescription> readCatalogue() {
    try {
        const json document = json::parse(filtersJson);
        checkMembers(document, {"format", "version", "filters"}, "the document");
        std::vector<FilterDescription> filters;
        for (const json &entry : document.at("filters"))
            filters.push_back(readFilter(entry));
        return filters;
    } catch (const json::exception &error) {
        fault(error.what());
    }
}

} // namespace

const std::vector<FilterDescription> &allFilters() {
    static const std::vector<FilterDescription> filters = readCatalogue();
    return filters;
}

const FilterDescription *findFilter(std::string_view name) {
    const auto &filters = allFilters();
    const auto found = std::ranges::find(filters, name, &FilterDescription::name);
    return found == filters.end() ? nullptr : &*found;
}

} // namespace tessera
