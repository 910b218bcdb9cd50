#include "app/commands/report_line.h"

#include "app/commands/text.h"
#include "app/core/error.h"

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace tessera {

bool isReportLine(const Json &line) {
    return line.is_object() && line.contains("index") && line["index"].is_number_unsigned() &&
           line["index"].get<std::size_t>() > 0 && line.contains("status") && line.contains("input");
}

namespace {

// outcomeJson() writes the index first.
bool beginsLikeReportLine(std::string_view text) {
    constexpr std::string_view beginning = "{\"index\":";
    if (text.size() <= beginning.size())
        return beginning.starts_with(text);
    return text.starts_with(beginning) && text[beginning.size()] >= '1' && text[beginning.size()] <= '9';
}

// Kills may have left several beginnings before the first whole line.
bool tellsOfReport(const std::filesystem::path &path) {
    constexpr std::size_t enough = 1 << 20; // no line of a report is nearly as long: what is, is something else
    std::string text(enough, '\0');
    std::ifstream stream(path, std::ios::binary);
    stream.read(text.data(), static_cast<std::streamsize>(enough));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (isReportLine(Json::parse(line, nullptr, false)))
            return true;
        if (!beginsLikeReportLine(line))
            return false;
    }
    return true;
}

// What the first line that says so was made with; empty where none does.
std::string parametersIn(const std::filesystem::path &report) {
    std::ifstream stream(report, std::ios::binary);
    for (std::string line; std::getline(stream, line);) {
        const Json json = Json::parse(line, nullptr, false);
        if (isReportLine(json) && json.contains("parameters") && json["parameters"].is_string())
            return json["parameters"].get<std::string>();
    }
    return {};
}

} // namespace

void refuseOtherThanReport(const NamedFile &file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file.path, error) || std::filesystem::file_size(file.path, error) == 0)
        return;
    if (!tellsOfReport(file.path))
        throw Error(ErrorKind::Usage, inQuotes(file.path.native()) + " exists and is no report",
                    "choose another name for " + file.role + ", or delete the file; nothing was done");
}

void refuseReportOfOther(const NamedFile &report, const std::string &parameters) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(report.path, error))
        return;
    const std::string there = parametersIn(report.path);
    if (!there.empty() && there != jsonText(parameters))
        throw Error(ErrorKind::Usage,
                    inQuotes(report.path.native()) + " tells of a batch with other parameters: " + there,
                    "choose another name for " + report.role + ", or delete the file; nothing was done");
}

} // namespace tessera
