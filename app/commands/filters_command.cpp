// tessera filters: every filter with its parameters.
#include "app/commands/command.h"
#include "app/commands/json_output.h"
#include "app/commands/table.h"
#include "app/commands/text.h"
#include "app/filters/filter.h"
#include "app/filters/number_text.h"

namespace tessera {

namespace {

const char *kindName(ParameterKind kind) {
    switch (kind) {
    case ParameterKind::Real:
        return "real";
    case ParameterKind::Integer:
        return "integer";
    case ParameterKind::Angle:
        return "angle";
    case ParameterKind::Choice:
        return "choice";
    case ParameterKind::Boolean:
        return "boolean";
    }
    return "real";
}

// The value as the command line takes it.
std::string defaultText(const ParameterDescription &parameter) {
    if (parameter.kind == ParameterKind::Choice) {
        const auto index = static_cast<std::size_t>(parameter.defaultValue);
        return index < parameter.choices.size() ? parameter.choices[index] : "";
    }
    return formatNumber(parameter.defaultValue);
}

Json parameterJson(const ParameterDescription &parameter) {
    Json object;
    object["name"] = parameter.name;
    object["label"] = parameter.label;
    object["kind"] = kindName(parameter.kind);
    if (parameter.kind == ParameterKind::Choice) {
        object["choices"] = parameter.choices;
        object["default"] = defaultText(parameter);
    } else {
        object["minimum"] = parameter.minimum;
        object["maximum"] = parameter.maximum;
        object["step"] = parameter.step;
        object["default"] = parameter.defaultValue;
    }
    object["unit"] = parameter.unit;
    object["help"] = parameter.help;
    return object;
}

Json filterJson(const FilterDescription &filter) {
    Json object;
    object["name"] = filter.name;
    object["title"] = filter.title;
    object["group"] = filter.group;
    object["description"] = filter.description;
    object["parameters"] = Json::array();
    for (const ParameterDescription &parameter : filter.parameters)
        object["parameters"].push_back(parameterJson(parameter));
    return object;
}

// "sigma=1.5 (0.1 to 15.5 px)".
std::string parameterText(const ParameterDescription &parameter) {
    std::string text = parameter.name + "=" + defaultText(parameter) + " (";
    if (parameter.kind == ParameterKind::Choice) {
        for (std::size_t i = 0; i < parameter.choices.size(); ++i)
            text += (i == 0 ? "" : "|") + parameter.choices[i];
    } else if (parameter.kind == ParameterKind::Boolean) {
        text += "0|1";
    } else {
        text += formatNumber(parameter.minimum) + " to " + formatNumber(parameter.maximum);
        text += parameter.unit.empty() || parameter.unit == "°" ? parameter.unit : " " + parameter.unit;
    }
    return text + ")";
}

class FiltersCommand : public Command {
public:
    std::string_view name() const override { return "filters"; }
    std::string_view summary() const override { return "list the filters and their parameters"; }

    CommandSyntax syntax() override {
        CommandSyntax syntax;
        syntax.description = "Lists every filter with its parameters, their defaults and ranges.";
        syntax.examples = {{"tessera filters", "all filters, by group"},
                           {"tessera filters --json | jq '.filters[].name'", "their names, for a script"}};
        syntax.notes =
            "A filter is used as NAME or NAME:PARAMETER=VALUE,... in --filter, for example gaussian:sigma=2. "
            "Parameters left out take their defaults.";
        return syntax;
    }

    ExitCode run(Console &console) override {
        if (console.options.json)
            printAsJson();
        else
            printAsTable();
        return ExitCode::Done;
    }

private:
    static void printAsJson() {
        Json object;
        object["filters"] = Json::array();
        for (const FilterDescription &filter : allFilters())
            object["filters"].push_back(filterJson(filter));
        printJson(object);
    }

    static void printAsTable() {
        TextTable table({{"FILTER"}, {"GROUP"}, {"PARAMETERS AND WHAT IT DOES"}});
        for (const FilterDescription &filter : allFilters()) {
            std::string parameters;
            for (const ParameterDescription &parameter : filter.parameters)
                parameters += (parameters.empty() ? "" : ", ") + parameterText(parameter);
            table.addRow(
                {filter.name, filter.group, filter.description + (parameters.empty() ? "" : "\n" + parameters)});
        }
        print(table.text());
    }
};

} // namespace

std::unique_ptr<Command> makeFiltersCommand() { return std::make_unique<FiltersCommand>(); }

} // namespace tessera
