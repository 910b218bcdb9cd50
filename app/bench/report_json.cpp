#include "app/bench/report.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace tessera::bench {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
template <class T> Json optional(const std::optional<T> &value) { return value ? Json(*value) : Json(nullptr); }

Json clocksJson(const ClockRecord &clocks) {
    return {{"lowest_mhz", optional(clocks.lowestMhz)},
            {"highest_mhz", optional(clocks.highestMhz)},
            {"memory_mhz", optional(clocks.memoryMhz)},
            {"temperature_c", optional(clocks.temperature)},
            {"throttling", clocks.throttling}};
}

Json copyJson(const std::vector<CopyRate> &rates) {
    Json list = Json::array();
    for (const CopyRate &rate : rates)
        list.push_back({{"bytes", rate.bytes}, {"bytes_per_second", rate.bytesPerSecond}});
    return list;
}

Json ceilingsJson(const DeviceCeilings &ceilings) {
    return {{"copy_cold", copyJson(ceilings.cold)},
            {"copy_hot", copyJson(ceilings.hot)},
            {"fp32_operations_per_second", optional(ceilings.fp32)},
            {"half2_operations_per_second", optional(ceilings.half2)},
            {"tensor_operations_per_second", optional(ceilings.tensor)},
            {"upload_bytes_per_second", optional(ceilings.upload)},
            {"download_bytes_per_second", optional(ceilings.download)},
            {"empty_call_ms", optional(ceilings.emptyCallMs)}};
}

Json deviceJson(const DeviceReport &device) {
    Json json{{"id", device.id},
              {"name", device.name},
              {"detail", device.detail},
              {"cache_bytes", device.cacheBytes},
              {"clocks", clocksJson(device.clocks)}};
    if (!device.clocksMissing.empty())
        json["clocks_missing"] = device.clocksMissing;
    return json;
}

Json deviceWithCeilings(const DeviceReport &device) {
    Json json = deviceJson(device);
    json["ceilings"] = ceilingsJson(device.ceilings);
    return json;
}

void addTimes(Json &json, const Row &row) {
    const bool there = row.ranked();
    const auto time = [&](double value) { return there ? number(value) : Json(nullptr); };
    json["median_ms"] = time(row.time.median);
    json["p5_ms"] = time(row.time.p5);
    json["p95_ms"] = time(row.time.p95);
    json["median_low_ms"] = time(row.time.interval.low);
    json["median_high_ms"] = time(row.time.interval.high);
    json["samples"] = row.time.samples;
    json["warmups"] = row.warmups;
    json["bytes"] = row.work.bytes;
    json["operations"] = row.work.operations;
    json["unit"] = std::string(model::arithmeticUnitName(row.work.unit));
    json["floor_ms"] = row.floor ? number(row.floor->ms) : Json(nullptr);
    if (row.fp32FloorMs)
        json["fp32_floor_ms"] = *row.fp32FloorMs;
    json["share"] = optional(row.share());
    json["share_of"] = row.work.dense ? "roofline" : "memory";
}

void addAccuracy(Json &json, const Row &row) {
    const CheckResult &check = row.check;
    json["max_error"] = number(check.maxError);
    json["relative_l2"] = number(check.relativeL2);
    json["border_max_error"] = number(check.borderMaxError);
    json["checked_pixels"] = check.pixelsChecked;
    json["whole_pixels"] = check.pixelsWhole;
    json["whole_border"] = check.wholeBorder;
}

Json rowJson(const Row &row) {
    const ContestKey &key = row.key;
    Json json{{"variant", row.variant},
              {"device", row.device},
              {"work", key.work},
              {"width", key.width},
              {"height", key.height},
              {"kernel_width", key.kernelWidth},
              {"kernel_height", key.kernelHeight},
              {"kernel", key.kernel},
              {"pixel", key.pixel},
              {"border", key.border},
              {"cache", std::string(cacheStateName(key.cache))},
              {"scope", std::string(scopeName(key.scope))}};
    if (!key.distribution.empty())
        json["distribution"] = key.distribution;
    addTimes(json, row);
    addAccuracy(json, row);
    json["tie_with"] = row.tieWith;
    json["rank"] = row.rank > 0 ? Json(row.rank) : Json(nullptr);
    json["failure"] = row.failure.empty() ? Json(nullptr) : Json(row.failure);
    if (!row.note.empty())
        json["note"] = row.note;
    json["clocks"] = clocksJson(row.clocks);
    json["clock_mhz"] = row.clockMhz ? Json(std::round(*row.clockMhz)) : Json(nullptr);
    return json;
}

} // namespace

std::string jsonReport(const Report &report) {
    Json json{{"version", report.version}, {"started", report.started}};
    json["suite"] = report.suite.empty() ? Json(nullptr) : Json(report.suite);
    json["seed"] = report.seed;
    json["interrupted"] = report.interrupted;
    json["device"] = deviceJson(report.device);
    json["ceilings"] = ceilingsJson(report.device.ceilings);
    if (report.host)
        json["host"] = deviceWithCeilings(*report.host);
    if (!report.others.empty()) {
        json["other_devices"] = Json::array();
        for (const DeviceReport &device : report.others)
            json["other_devices"].push_back(deviceWithCeilings(device));
    }
    json["rows"] = Json::array();
    for (const Row &row : report.rows)
        json["rows"].push_back(rowJson(row));
    json["left_out"] = Json::array();
    for (const LeftOut &one : report.leftOut)
        json["left_out"].push_back(
            {{"variant", one.variant}, {"device", one.device}, {"what", one.what}, {"reason", one.reason}});
    json["notes"] = report.notes;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tessera::bench
