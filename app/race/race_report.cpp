#include "app/race/race_report.h"

#include "app/bench/csv_text.h"
#include "app/filters/number_text.h"
#include "app/race/crossover_file.h"
#include "app/session/display.h"
#include "app/session/session_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

using bench::csvField;
using bench::joinedWords;
using Json = nlohmann::ordered_json;
using Figure = std::pair<const char *, std::optional<double>>;

std::vector<Figure> figuresOf(const RaceRow &row, double baselineMs) {
    const auto low = row.interval ? std::optional(row.interval->low) : std::nullopt;
    const auto high = row.interval ? std::optional(row.interval->high) : std::nullopt;
    const auto perNano = [](const std::optional<double> &rate) {
        return rate ? std::optional(*rate * 1e-9) : std::nullopt;
    };
    return {{"median_ms", row.medianMs},
            {"interval_low_ms", low},
            {"interval_high_ms", high},
            {"p5_ms", row.p5Ms},
            {"p95_ms", row.p95Ms},
            {"fastest_ms", row.fastestMs},
            {"slowest_ms", row.slowestMs},
            {"kernel_ms", row.kernelMs},
            {"copy_ms", row.copyMs},
            {"speed_up", row.medianMs && *row.medianMs > 0 ? std::optional(baselineMs / *row.medianMs) : std::nullopt},
            {"bytes", row.bytes > 0 ? std::optional(row.bytes) : std::nullopt},
            {"operations", row.operations},
            {"gigabytes_per_second", perNano(row.bytesPerSecond())},
            {"gigaflops", perNano(row.achievedOperationsPerSecond())},
            {"floor_ms", row.floorMs},
            {"share", row.share()},
            {"predicted_ms", row.predictedMs},
            {"max_error", row.maximumError},
            {"relative_l2", row.relativeL2}};
}

std::vector<std::pair<const char *, std::optional<std::int64_t>>> countsOf(const RaceRow &row) {
    const auto count = [&](std::int64_t RaceCounts::*member) {
        return row.counts ? std::optional((*row.counts).*member) : std::nullopt;
    };
    return {{"global_reads", count(&RaceCounts::globalReads)},
            {"global_writes", count(&RaceCounts::globalWrites)},
            {"sectors", count(&RaceCounts::sectors)},
            {"bank_conflicts", count(&RaceCounts::bankConflicts)},
            {"divergent_warps", count(&RaceCounts::divergentWarps)},
            {"races", count(&RaceCounts::races)}};
}

// What `share` is a share of; empty where there is none. As the benchmark's rows call it.
const char *shareOf(const RaceRow &row) { return !row.share() ? "" : row.dense ? "roofline" : "memory"; }

// What the errors are of; empty where there are none.
const char *errorOf(const RaceRow &row) { return !row.maximumError ? "" : row.errorRounded ? "rounded" : "sum"; }

const char *stateName(RaceState state) {
    switch (state) {
    case RaceState::Waiting:
        return "waiting";
    case RaceState::Running:
        return "running";
    case RaceState::Done:
        return "done";
    case RaceState::Refused:
        return "refused";
    case RaceState::Stopped:
        return "stopped";
    case RaceState::Failed:
        return "failed";
    }
    return "";
}

Json deviceJson(const RaceDevice &device) {
    Json json{{"id", device.id}, {"name", device.name}, {"measured_now", device.measuredNow}};
    const bench::DeviceCeilings &ceilings = device.ceilings;
    for (const auto &[name, rates] : {std::pair{"copy_cold", &ceilings.cold}, std::pair{"copy_hot", &ceilings.hot}}) {
        Json list = Json::array();
        for (const bench::CopyRate &rate : *rates)
            list.push_back({{"bytes", rate.bytes}, {"bytes_per_second", rate.bytesPerSecond}});
        if (!list.empty())
            json[name] = std::move(list);
    }
    for (const auto &[name, rate] :
         {Figure{"fp32", ceilings.fp32}, {"half2", ceilings.half2}, {"tensor", ceilings.tensor}})
        if (rate)
            json[std::string(name) + "_operations_per_second"] = *rate;
    return json;
}

constexpr const char *subjectFields = ",picture,width,height,format,filter,kernel_width,kernel_height,border,options";

// As subjectFields has them, each after its comma.
std::string subjectCsv(const std::optional<RaceSubject> &subject) {
    if (!subject)
        return std::string(std::size_t(std::ranges::count(std::string_view(subjectFields), ',')), ',');
    std::string text;
    for (const std::string &field :
         {subject->picture, std::to_string(subject->width), std::to_string(subject->height),
          describeFormat(subject->format), filterOption(*subject), std::to_string(subject->kernelWidth),
          std::to_string(subject->kernelHeight), borderOption(*subject), otherOptions(*subject)})
        text += "," + csvField(field);
    return text;
}

void addSubject(Json &json, const RaceSubject &subject) {
    Chain chain;
    chain.steps = {subject.step};
    json["picture"] = {{"name", subject.picture},
                       {"width", subject.width},
                       {"height", subject.height},
                       {"format", describeFormat(subject.format)}};
    json["step"] = Json::parse(formatChain(chain)).at("steps").at(0);
    json["kernel_size"] = {subject.kernelWidth, subject.kernelHeight};
}

Json rowJson(const RaceRow &row, double baselineMs) {
    Json json{{"variant", row.variant},
              {"engine", row.engine},
              {"device", row.device},
              {"simulated", row.simulated},
              {"state", stateName(row.state)}};
    for (const auto &[name, value] : figuresOf(row, baselineMs))
        if (value && std::isfinite(*value))
            json[name] = *value;
    if (row.share())
        json["share_of"] = shareOf(row);
    if (row.maximumError)
        json["error_of"] = errorOf(row);
    if (row.samples)
        json["samples"] = row.samples;
    if (row.medianMs)
        json["tie_with"] = row.tieWith;
    if (row.predictedMs)
        json["predicted_on"] = row.predictedOn;
    if (row.counts) {
        Json counts{{"by", row.counts->simulated ? "simulator" : "model"}, {"sampled", row.counts->sampled}};
        for (const auto &[name, value] : countsOf(row))
            counts[name] = *value;
        json["counts"] = std::move(counts);
    }
    for (const auto &[name, text] : {std::pair{"explanation", &row.explanation}, std::pair{"note", &row.note}})
        if (!text->empty())
            json[name] = *text;
    return json;
}

} // namespace

std::string raceCsv(std::span<const RaceRow> rows, const std::optional<RaceSubject> &subject) {
    const double baselineMs = raceBaseline(rows).ms;
    std::string text = "variant,engine,device,simulated,state,samples";
    for (const auto &[name, value] : figuresOf({}, 0))
        text += std::string(",") + name;
    for (const auto &[name, value] : countsOf({}))
        text += std::string(",") + name;
    text += std::string(",share_of,error_of,tie_with,explanation,note") + subjectFields + "\r\n";
    const std::string ofSubject = subjectCsv(subject);
    for (const RaceRow &row : rows) {
        text += csvField(row.variant) + "," + csvField(row.engine) + "," + csvField(row.device) + "," +
                (row.simulated ? "yes" : "no") + "," + stateName(row.state) + "," + std::to_string(row.samples);
        for (const auto &[name, value] : figuresOf(row, baselineMs))
            text += "," + (value && std::isfinite(*value) ? formatNumber(*value) : std::string());
        for (const auto &[name, value] : countsOf(row))
            text += "," + (value ? std::to_string(*value) : std::string());
        text += std::string(",") + shareOf(row) + "," + errorOf(row) + "," + csvField(joinedWords(row.tieWith)) + "," +
                csvField(row.explanation) + "," + csvField(row.note) + ofSubject + "\r\n";
    }
    return text;
}

std::string raceJson(const std::optional<RaceSubject> &subject, std::span<const RaceDevice> devices,
                     std::span<const RaceRow> rows, const CrossoverMap *map) {
    const RaceBaseline baseline = raceBaseline(rows);
    Json json{{"subject", subject ? describeSubject(*subject) : std::string()}};
    if (subject)
        addSubject(json, *subject);
    json["speed_up_over"] = baseline.name;
    json["devices"] = Json::array();
    for (const RaceDevice &device : devices)
        json["devices"].push_back(deviceJson(device));
    json["rows"] = Json::array();
    for (const RaceRow &row : rows)
        json["rows"].push_back(rowJson(row, baseline.ms));
    if (map)
        json["crossover"] = Json::parse(formatCrossover(*map));
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tessera
