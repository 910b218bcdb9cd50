#include "app/race/race_subject.h"

#include "app/core/error.h"
#include "app/filters/number_text.h"
#include "app/session/display.h"
#include "app/session/session_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;

// As a part of a sentence.
std::string lowered(std::string label) {
    if (!label.empty())
        label[0] = char(std::tolower(static_cast<unsigned char>(label[0])));
    return label;
}

std::string sizeText(int width, int height) { return std::to_string(width) + " × " + std::to_string(height); }

// As a chain's file has it: there every option is named, and nowhere else.
Json stepJson(const FilterStep &step) {
    Chain chain;
    chain.steps = {step};
    return Json::parse(formatChain(chain)).at("steps").at(0);
}

std::string asText(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace

RaceSubject raceSubject(const Image &picture, const std::string &name, const FilterStep &step) {
    RaceSubject subject{name, picture.width(), picture.height(), picture.format(), step, 0, 0};
    subject.step.enabled = true; // a race runs it all the same
    try {
        for (const ConvolutionKernel &kernel : buildFilter(step.filter).kernels) {
            subject.kernelWidth = std::max(subject.kernelWidth, kernel.width);
            subject.kernelHeight = std::max(subject.kernelHeight, kernel.height);
        }
    } catch (const Error &) {
        subject.kernelWidth = subject.kernelHeight = 0; // the race itself says what is wrong
    }
    return subject;
}

std::string filterTitle(const RaceSubject &subject) {
    const FilterDescription *description = findFilter(subject.step.filter.name);
    return description ? description->title : subject.step.filter.name;
}

std::vector<std::string> filterParameters(const RaceSubject &subject) {
    std::vector<std::string> words;
    const FilterInstance &filter = subject.step.filter;
    const FilterDescription *description = findFilter(filter.name);
    if (!description)
        return words;
    for (const ParameterDescription &parameter : description->parameters) {
        const auto given = filter.values.find(parameter.name);
        const double value = given == filter.values.end() ? parameter.defaultValue : given->second;
        const std::string label = lowered(parameter.label);
        if (parameter.kind == ParameterKind::Boolean) {
            if (value != 0)
                words.push_back(label);
        } else if (parameter.kind == ParameterKind::Choice && value >= 0 && value < double(parameter.choices.size())) {
            words.push_back(label + " " + parameter.choices[std::size_t(value)]);
        } else {
            const std::string unit =
                parameter.unit.empty() || parameter.unit == "°" ? parameter.unit : " " + parameter.unit;
            words.push_back(label + " " + formatNumber(value) + unit);
        }
    }
    return words;
}

std::string borderOption(const RaceSubject &subject) {
    const Border &border = subject.step.border;
    const std::string name(borderName(border.mode));
    return border.mode == BorderMode::Constant ? name + ":" + formatNumber(border.constant) : name;
}

std::string filterOption(const RaceSubject &subject) {
    const FilterInstance &filter = subject.step.filter;
    return filter.name == "custom" ? asText(stepJson(subject.step).at("kernel")) : formatFilter(filter);
}

std::string otherOptions(const RaceSubject &subject) {
    FilterStep step = subject.step;
    step.filter = {"identity", {}, {}}; // a kernel may have thousands of taps, and heads are written often
    std::string text;
    const Json written = stepJson(step);
    for (const auto &[name, value] : written.items())
        if (name != "filter" && name != "border" && name != "border_value")
            text +=
                (text.empty() ? "" : " ") + name + "=" + (value.is_string() ? value.get<std::string>() : asText(value));
    return text;
}

std::string describeSubject(const RaceSubject &subject) {
    std::string text = (subject.picture.empty() ? "" : subject.picture + ", ") +
                       sizeText(subject.width, subject.height) + " " + describeFormat(subject.format) + " · " +
                       filterTitle(subject);
    for (const std::string &parameter : filterParameters(subject))
        text += ", " + parameter;
    if (subject.kernelWidth)
        text += ", " + sizeText(subject.kernelWidth, subject.kernelHeight) + " kernel";
    text += " · " + borderOption(subject) + " border";
    const std::string options = otherOptions(subject);
    return options.empty() ? text : text + " · " + options;
}

} // namespace tessera
