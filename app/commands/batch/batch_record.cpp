#include "app/commands/batch/batch_record.h"

#include "app/commands/batch/content_hash.h"
#include "app/commands/file_roles.h"
#include "app/commands/json_output.h"
#include "app/commands/text.h"
#include "app/core/error.h"
#include "app/image/format_limits.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace tessera {

namespace {

namespace fs = std::filesystem;

constexpr const char *recordPrefix = ".tessera-batch.";
constexpr const char *recordSuffix = "jsonl";

bool isRecordName(std::string_view name) { return name.starts_with(recordPrefix) && name.ends_with(recordSuffix); }

std::vector<fs::path> recordFiles(const fs::path &folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entries(folder, error); !error && entries != fs::directory_iterator();
         entries.increment(error)) {
        const std::string name = entries->path().filename().native();
        if (isRecordName(name))
            files.push_back(entries->path());
    }
    // A record tells of the last run that wrote an output; of several files the one written last decides.
    std::sort(files.begin(), files.end(), [](const fs::path &a, const fs::path &b) {
        std::error_code ignored;
        return fs::last_write_time(a, ignored) < fs::last_write_time(b, ignored);
    });
    return files;
}

// A link would have another's file grow, a pipe would have the batch wait for ever.
void refuseSpecial(const fs::path &file) {
    std::error_code error;
    if (const fs::file_status status = fs::symlink_status(file, error);
        fs::exists(status) && !fs::is_regular_file(status))
        throw Error(ErrorKind::Usage,
                    inQuotes(file.native()) + ", the record of what a batch wrote, is no regular file",
                    "delete it, or choose another output folder; nothing was done");
}

} // namespace

bool isRecord(const fs::path &path, const fs::path &outputFolder) {
    const fs::path place = placeOfFile(path);
    return isRecordName(place.filename().native()) &&
           place.parent_path() == placeOfFile(outputFolder / "any").parent_path();
}

fs::path recordFile(const fs::path &outputFolder, const Shard &shard) {
    std::string name = recordPrefix;
    if (!shard.isWhole())
        name += std::to_string(shard.index) + "-of-" + std::to_string(shard.count) + ".";
    return outputFolder / (name + recordSuffix);
}

void checkRecord(const fs::path &record) {
    std::error_code error;
    if (!fs::is_regular_file(record, error) || ::access(record.c_str(), R_OK | W_OK) == 0)
        return;
    const int problem = errno;
    throw Error(ErrorKind::Usage,
                inQuotes(record.native()) + ", the record of what a batch wrote, cannot be read and written: " +
                    std::generic_category().message(problem),
                "check its permissions, or choose another output folder; nothing was done");
}

std::string recordLine(const OutputRecord &record) {
    Json line;
    setPath(line, "output", record.outputName);
    line["input_hash"] = record.inputHash;
    line["output_hash"] = record.outputHash;
    line["parameters"] = record.parameters;
    line["version"] = record.version;
    return jsonLine(line);
}

namespace {

std::optional<OutputRecord> recordIn(const std::string &line) {
    const Json object = Json::parse(line, nullptr, false);
    if (!object.is_object())
        return std::nullopt;
    const auto text = [&](const char *key) {
        const auto found = object.find(key);
        return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    OutputRecord record{pathFrom(object, "output"), text("input_hash"), text("output_hash"), text("parameters"),
                        text("version")};
    return record.outputName.empty() ? std::nullopt : std::optional(std::move(record));
}

// Every line of every record, in the order in which they count.
template <class Take> void forEachLine(const fs::path &outputFolder, const Take &take) {
    for (const fs::path &file : recordFiles(outputFolder)) {
        refuseSpecial(file);
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);)
            take(line);
    }
}

} // namespace

BatchRecords BatchRecords::read(const fs::path &outputFolder) {
    BatchRecords records;
    forEachLine(outputFolder, [&](const std::string &line) {
        if (std::optional<OutputRecord> record = recordIn(line))
            records.add(std::move(*record));
    });
    return records;
}

void BatchRecords::add(OutputRecord record) {
    const auto [place, isNew] = records_.try_emplace(record.outputName, record);
    if (isNew)
        return;
    if (place->second.outputHash != record.outputHash)
        replaced_[record.outputName].push_back(place->second.outputHash);
    place->second = std::move(record);
}

std::vector<std::string> BatchRecords::hashesOf(const fs::path &outputName) const {
    std::vector<std::string> hashes;
    if (const OutputRecord *last = find(outputName))
        hashes.push_back(last->outputHash);
    if (const auto before = replaced_.find(outputName); before != replaced_.end())
        hashes.insert(hashes.end(), before->second.begin(), before->second.end());
    return hashes;
}

std::optional<OutputRecord> findRecord(const fs::path &outputFolder, const fs::path &outputName,
                                       const std::string &outputHash) {
    std::optional<OutputRecord> found;
    if (outputHash.empty())
        return found;
    forEachLine(outputFolder, [&](const std::string &line) {
        if (line.find(outputHash) == std::string::npos) // most lines; reading them as JSON would take long
            return;
        std::optional<OutputRecord> record = recordIn(line);
        if (record && record->outputName == outputName && record->outputHash == outputHash)
            found = std::move(record);
    });
    return found;
}

const OutputRecord *BatchRecords::find(const fs::path &outputName) const {
    const auto found = records_.find(outputName);
    return found == records_.end() ? nullptr : &found->second;
}

namespace {

// Without an option and its value at the end.
std::string withoutLast(const std::string &parameters, const std::string &option) {
    const std::size_t at = parameters.rfind(option + " ");
    const bool last = at != std::string::npos && parameters.find(' ', at + option.size() + 1) == std::string::npos;
    if (!last)
        return parameters;
    const std::string before = parameters.substr(0, at);
    return before.substr(0, before.find_last_not_of(' ') + 1);
}

std::string withoutIdle(std::string parameters, const std::string &format, const fs::path &output) {
    const FormatInfo *const info = formatForExtension(format);
    const std::string shortened = withoutLast(parameters, "--quality"), quality = parameters.substr(shortened.size());
    const bool nameTells = formatForExtension(output.extension().native()) != nullptr;
    return (nameTells ? withoutLast(shortened, "--format") : shortened) +
           (info && !usesQuality(*info) ? std::string() : quality);
}

} // namespace

std::string whyNotUpToDate(const OutputRecord &record, const std::string &parameters, const std::string &format,
                           const fs::path &input, const fs::path &output) {
    if (record.version != TESSERA_VERSION)
        return "it was made by version " + record.version;
    if (record.parameters != parameters &&
        withoutIdle(record.parameters, format, output) != withoutIdle(parameters, format, output))
        return "it was made with other parameters";
    if (fileHash(input) != record.inputHash)
        return "its input has changed";
    if (fileHash(output) != record.outputHash)
        return "it was changed afterwards";
    return {};
}

} // namespace tessera
