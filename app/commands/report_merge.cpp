#include "app/commands/report_merge.h"

#include "app/commands/report_line.h"
#include "app/commands/text.h"
#include "app/core/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace tessera {

namespace {

namespace fs = std::filesystem;

std::string textOf(const Json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// 0 where the line does not state it.
std::size_t lengthIn(const Json &line) {
    const auto found = line.find("list_length");
    return found != line.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

// How much a line tells; see the class's comment.
int worth(const Json &line) {
    const std::string status = textOf(line, "status");
    return status == "done" ? 3 : status == "skipped" ? 2 : status == "failed" ? 1 : 0;
}

// Within one report, where lines follow each other in time.
bool replaces(const Json &later, const Json &earlier) {
    const std::string status = textOf(later, "status");
    if (status == "not started")
        return false;
    return !(status == "skipped" && textOf(earlier, "status") == "done");
}

} // namespace

void MergedReport::take(Json line, const fs::path &report, Part &part) {
    const std::string parameters = textOf(line, "parameters");
    if (lines_ == 0)
        parameters_ = parameters;
    if (parameters != parameters_)
        throw Error(ErrorKind::Usage,
                    displayText(report.native()) +
                        ": it tells of a batch with other parameters than the reports before",
                    "merge the reports of one batch only");
    ++lines_;
    const auto index = line["index"].get<std::size_t>();
    const std::size_t length = lengthIn(line);
    const std::string hash = textOf(line, "list_hash");
    if (length != part.listLength || hash != part.listHash) {
        part.files.clear();
        part.listLength = length;
        part.listHash = hash;
    }
    const auto [place, isNew] = part.files.try_emplace(index, line);
    if (!isNew && replaces(line, place->second))
        place->second = std::move(line);
}

void MergedReport::takeLength(const Part &part, const fs::path &report) {
    if (part.listLength == 0)
        return;
    if (listLength_ != 0 && listLength_ != part.listLength)
        throw Error(ErrorKind::Usage,
                    displayText(report.native()) + ": its list has " + counted(part.listLength, "file") +
                        ", that of the reports before " + std::to_string(listLength_),
                    "all parts of a batch must see the same list of inputs");
    listLength_ = part.listLength;
    if (!listHash_.empty() && !part.listHash.empty() && listHash_ != part.listHash)
        throw Error(ErrorKind::Usage,
                    displayText(report.native()) + ": its list has other names than that of the reports before",
                    "all parts of a batch must see the same list of inputs");
    if (!part.listHash.empty())
        listHash_ = part.listHash;
}

namespace {

[[noreturn]] void failWithoutLine(const fs::path &report) {
    throw Error(ErrorKind::Input, displayText(report.native()) + ": it holds no line of a report",
                "name files that 'tessera batch --report' wrote");
}

// As std::getline(), of what may be no text and have no end. No line of a report is nearly as long as what is refused.
bool nextLine(std::ifstream &stream, std::string &line, const fs::path &report) {
    constexpr std::size_t longest = std::size_t{1} << 24;
    std::array<char, 16384> piece;
    line.clear();
    while (line.size() <= longest) {
        stream.getline(piece.data(), piece.size());
        const auto count = static_cast<std::size_t>(stream.gcount());
        if (stream.good()) { // the line's end counts, too
            line.append(piece.data(), count - 1);
            return true;
        }
        line.append(piece.data(), count);
        if (stream.eof() || stream.bad())
            return !line.empty();
        stream.clear(); // the piece is full
    }
    failWithoutLine(report);
}

} // namespace

void MergedReport::add(const fs::path &report) {
    std::ifstream stream(report, std::ios::binary);
    if (!stream)
        throw Error(ErrorKind::Input, displayText(report.native()) + ": cannot be opened: " + std::strerror(errno),
                    "check the name and its permissions");
    Part part;
    std::size_t good = 0, broken = 0;
    for (std::string text; nextLine(stream, text, report);) {
        if (text.empty())
            continue;
        Json line = Json::parse(text, nullptr, false);
        if (!isReportLine(line)) {
            ++broken;
            continue;
        }
        ++good;
        take(std::move(line), report, part);
    }
    if (good == 0 && broken > 0)
        failWithoutLine(report);
    brokenLines_ += broken;
    reports_ += good > 0 ? 1 : 0;
    withoutHash_ += good > 0 && part.listHash.empty() ? 1 : 0;
    takeLength(part, report);
    for (auto &[index, line] : part.files) {
        const auto [place, isNew] = files_.try_emplace(index, line);
        if (isNew)
            continue;
        if (textOf(place->second, "input") != textOf(line, "input"))
            throw Error(ErrorKind::Usage,
                        "file " + std::to_string(index) + " is " + inQuotes(textOf(place->second, "input")) +
                            " in one report and " + inQuotes(textOf(line, "input")) + " in " +
                            displayText(report.native()),
                        "all parts of a batch must see the same list of inputs");
        if (worth(line) > worth(place->second))
            place->second = std::move(line);
    }
}

MergedReport::Totals MergedReport::totals() const {
    Totals totals;
    totals.files = files_.size();
    totals.brokenLines = brokenLines_;
    totals.lines = lines_;
    for (const auto &[index, line] : files_) {
        const int kind = worth(line);
        ++(kind == 3 ? totals.done : kind == 2 ? totals.skipped : kind == 1 ? totals.failed : totals.notStarted);
    }
    totals.missing = expected() - files_.size();
    totals.lengthKnown = listLength_ > 0;
    totals.namesCompared = reports_ < 2 || withoutHash_ == 0;
    return totals;
}

std::size_t MergedReport::expected() const {
    return std::max(listLength_, files_.empty() ? 0 : files_.rbegin()->first);
}

std::vector<std::size_t> MergedReport::missingIndices(std::size_t most) const {
    std::vector<std::size_t> missing;
    const std::size_t last = expected();
    for (std::size_t index = 1; index <= last && missing.size() < most; ++index)
        if (!files_.contains(index))
            missing.push_back(index);
    return missing;
}

std::string MergedReport::lines() const {
    std::string text;
    for (const auto &[index, line] : files_)
        text += jsonLine(line);
    return text;
}

} // namespace tessera
