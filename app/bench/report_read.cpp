#include "app/bench/report.h"
#include "app/core/error.h"
#include "app/image/display_name.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>

namespace tessera::bench {

namespace {

using Json = nlohmann::json;

// What is missing or of another type becomes the default: reports of other programs hold only what the contract names.
template <class T> T field(const Json &json, const char *key, T otherwise = {}) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null())
        return otherwise;
    try {
        return found->get<T>();
    } catch (const Json::exception &) {
        return otherwise;
    }
}

template <class T> std::optional<T> optionalField(const Json &json, const char *key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number())
        return std::nullopt;
    return found->get<T>();
}

std::vector<CopyRate> readCopies(const Json &json, const char *key) {
    std::vector<CopyRate> rates;
    if (const auto list = json.find(key); list != json.end() && list->is_array())
        for (const Json &rate : *list)
            rates.push_back({field<double>(rate, "bytes"), field<double>(rate, "bytes_per_second")});
    return rates;
}

DeviceCeilings readCeilings(const Json &json) {
    DeviceCeilings ceilings;
    ceilings.cold = readCopies(json, "copy_cold");
    ceilings.hot = readCopies(json, "copy_hot");
    ceilings.fp32 = optionalField<double>(json, "fp32_operations_per_second");
    ceilings.half2 = optionalField<double>(json, "half2_operations_per_second");
    ceilings.tensor = optionalField<double>(json, "tensor_operations_per_second");
    ceilings.upload = optionalField<double>(json, "upload_bytes_per_second");
    ceilings.download = optionalField<double>(json, "download_bytes_per_second");
    ceilings.emptyCallMs = optionalField<double>(json, "empty_call_ms");
    return ceilings;
}

ClockRecord readClocks(const Json &json) {
    ClockRecord clocks;
    clocks.lowestMhz = optionalField<int>(json, "lowest_mhz");
    clocks.highestMhz = optionalField<int>(json, "highest_mhz");
    clocks.memoryMhz = optionalField<int>(json, "memory_mhz");
    clocks.temperature = optionalField<int>(json, "temperature_c");
    clocks.throttling = field<std::vector<std::string>>(json, "throttling");
    return clocks;
}

DeviceReport readDevice(const Json &json) {
    DeviceReport device;
    if (json.is_string()) { // other programs name it, no more
        device.id = device.name = json.get<std::string>();
        return device;
    }
    device.id = field<std::string>(json, "id");
    device.name = field<std::string>(json, "name");
    device.detail = field<std::string>(json, "detail");
    device.cacheBytes = field<double>(json, "cache_bytes");
    device.clocksMissing = field<std::string>(json, "clocks_missing");
    if (const auto clocks = json.find("clocks"); clocks != json.end() && clocks->is_object())
        device.clocks = readClocks(*clocks);
    if (const auto ceilings = json.find("ceilings"); ceilings != json.end() && ceilings->is_object())
        device.ceilings = readCeilings(*ceilings);
    return device;
}

Scope scopeFrom(const std::string &name) {
    for (const Scope scope : {Scope::Kernel, Scope::Call, Scope::EndToEnd})
        if (scopeName(scope) == name)
            return scope;
    throw Error(ErrorKind::Input, "a row has the scope '" + name + "', which is none");
}

ContestKey readKey(const Json &json) {
    ContestKey key;
    key.work = field<std::string>(json, "work", "convolution");
    key.width = field<int>(json, "width");
    key.height = field<int>(json, "height");
    key.kernelWidth = field<int>(json, "kernel_width");
    key.kernelHeight = field<int>(json, "kernel_height");
    key.kernel = field<std::string>(json, "kernel", "random");
    key.pixel = field<std::string>(json, "pixel");
    key.border = field<std::string>(json, "border");
    key.distribution = field<std::string>(json, "distribution");
    key.cache = field<std::string>(json, "cache") == "hot" ? CacheState::Hot : CacheState::Cold;
    key.scope = scopeFrom(field<std::string>(json, "scope"));
    return key;
}

SampleSummary readTime(const Json &json) {
    SampleSummary time;
    if (!optionalField<double>(json, "median_ms"))
        return time;
    time.samples = field<int>(json, "samples");
    time.median = field<double>(json, "median_ms");
    time.p5 = field<double>(json, "p5_ms", time.median);
    time.p95 = field<double>(json, "p95_ms", time.median);
    // Without the median's own interval the samples' spread has to do: wider, so that too little is called a change.
    time.interval.low = field<double>(json, "median_low_ms", time.p5);
    time.interval.high = field<double>(json, "median_high_ms", time.p95);
    return time;
}

model::ArithmeticUnit unitFrom(const std::string &name) {
    for (const auto unit : {model::ArithmeticUnit::Half2, model::ArithmeticUnit::Tensor})
        if (model::arithmeticUnitName(unit) == name)
            return unit;
    return model::ArithmeticUnit::Fp32;
}

Row readRow(const Json &json) {
    Row row;
    row.key = readKey(json);
    row.variant = field<std::string>(json, "variant");
    row.device = field<std::string>(json, "device");
    row.time = readTime(json);
    row.warmups = field<int>(json, "warmups");
    row.work.bytes = field<double>(json, "bytes");
    row.work.operations = field<double>(json, "operations");
    row.work.unit = unitFrom(field<std::string>(json, "unit"));
    row.work.dense = field<std::string>(json, "share_of", "roofline") == "roofline";
    if (const auto floor = optionalField<double>(json, "floor_ms"))
        row.floor = Floor{*floor, 0, 0, 0};
    row.fp32FloorMs = optionalField<double>(json, "fp32_floor_ms");
    row.check.maxError = field<double>(json, "max_error");
    row.check.relativeL2 = field<double>(json, "relative_l2");
    row.check.borderMaxError = field<double>(json, "border_max_error");
    row.check.pixelsChecked = field<std::uint64_t>(json, "checked_pixels");
    row.check.pixelsWhole = field<std::uint64_t>(json, "whole_pixels");
    row.check.wholeBorder = field<bool>(json, "whole_border");
    row.tieWith = field<std::vector<std::string>>(json, "tie_with");
    row.rank = field<int>(json, "rank");
    row.failure = field<std::string>(json, "failure");
    row.note = field<std::string>(json, "note");
    if (const auto clocks = json.find("clocks"); clocks != json.end() && clocks->is_object())
        row.clocks = readClocks(*clocks);
    row.clockMhz = optionalField<double>(json, "clock_mhz");
    return row;
}

Report readReport(const Json &json) {
    for (const char *key : {"device", "ceilings", "rows"})
        if (!json.is_object() || !json.contains(key))
            throw Error(ErrorKind::Input, std::string("it has no '") + key + "'");
    if (!json["rows"].is_array())
        throw Error(ErrorKind::Input, "its 'rows' are no list");
    Report report;
    report.version = field<std::string>(json, "version");
    report.started = field<std::string>(json, "started");
    report.suite = field<std::string>(json, "suite");
    report.seed = field<std::uint64_t>(json, "seed");
    report.interrupted = field<bool>(json, "interrupted");
    report.notes = field<std::vector<std::string>>(json, "notes");
    report.device = readDevice(json["device"]);
    if (json["ceilings"].is_object())
        report.device.ceilings = readCeilings(json["ceilings"]);
    if (const auto host = json.find("host"); host != json.end() && host->is_object())
        report.host = readDevice(*host);
    if (const auto others = json.find("other_devices"); others != json.end() && others->is_array())
        for (const Json &other : *others)
            report.others.push_back(readDevice(other));
    for (const Json &row : json["rows"])
        report.rows.push_back(readRow(row));
    if (const auto list = json.find("left_out"); list != json.end() && list->is_array())
        for (const Json &one : *list)
            report.leftOut.push_back({field<std::string>(one, "variant"), field<std::string>(one, "device"),
                                      field<std::string>(one, "what"), field<std::string>(one, "reason")});
    return report;
}

} // namespace

Report parseJsonReport(std::string_view text, std::string_view name) {
    const std::string what = displayText(name) + " is no report of tessera bench: ";
    const std::string remedy = "give a file that 'tessera bench --json FILE' wrote";
    try {
        return readReport(Json::parse(text));
    } catch (const Json::exception &) {
        throw Error(ErrorKind::Input, what + "it is no valid JSON", remedy);
    } catch (const Error &error) {
        throw Error(ErrorKind::Input, what + error.what(), remedy);
    }
}

Report readJsonReport(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path))
        throw Error(ErrorKind::Input, displayName(path) + " cannot be read", "check the name of the baseline");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return parseJsonReport(text, displayName(path));
}

} // namespace tessera::bench
