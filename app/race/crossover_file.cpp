#include "app/race/crossover_file.h"

#include <nlohmann/json.hpp>

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *formatName = "tessera-crossover";

Json intervalJson(const bench::Interval &interval) { return Json::array({interval.low, interval.high}); }
bench::Interval intervalFrom(const Json &json) { return {json.at(0).get<double>(), json.at(1).get<double>()}; }

Json timeJson(const CrossoverTime &time) {
    Json json{{"variant", time.variant},
              {"samples", time.samples},
              {"call_ms", time.callMs},
              {"call_interval_ms", intervalJson(time.call)}};
    if (time.kernelMs && time.kernel) {
        json["kernel_ms"] = *time.kernelMs;
        json["kernel_interval_ms"] = intervalJson(*time.kernel);
    }
    return json;
}

CrossoverTime timeFrom(const Json &json) {
    CrossoverTime time;
    time.variant = json.at("variant").get<std::string>();
    time.samples = json.at("samples").get<int>();
    time.callMs = json.at("call_ms").get<double>();
    time.call = intervalFrom(json.at("call_interval_ms"));
    if (json.contains("kernel_ms")) {
        time.kernelMs = json.at("kernel_ms").get<double>();
        time.kernel = intervalFrom(json.at("kernel_interval_ms"));
    }
    return time;
}

Json planJson(const CrossoverPlan &plan) {
    return {{"kernels", plan.kernels},
            {"pictures", plan.pictures},
            {"kind", plan.kind == CrossoverKernels::Dense ? "dense" : "separable"},
            {"bits", plan.format.depth == Depth::U8    ? 8
                     : plan.format.depth == Depth::U16 ? 16
                                                       : 32},
            {"channels", plan.format.channels},
            {"samples", plan.samples},
            {"seconds_per_variant", plan.secondsPerVariant}};
}

CrossoverPlan planFrom(const Json &json) {
    CrossoverPlan plan;
    plan.kernels = json.at("kernels").get<std::vector<int>>();
    plan.pictures = json.at("pictures").get<std::vector<int>>();
    plan.kind = json.at("kind") == "dense" ? CrossoverKernels::Dense : CrossoverKernels::Separable;
    const int bits = json.at("bits").get<int>();
    plan.format.depth = bits == 8 ? Depth::U8 : bits == 16 ? Depth::U16 : Depth::F32;
    plan.format.channels = json.at("channels").get<int>();
    plan.samples = json.at("samples").get<int>();
    plan.secondsPerVariant = json.at("seconds_per_variant").get<double>();
    return plan;
}

CrossoverMap mapFrom(const Json &json) {
    CrossoverMap map;
    map.version = json.at("version").get<std::string>();
    map.devices = json.at("devices").get<std::vector<std::string>>();
    map.plan = planFrom(json.at("plan"));
    for (const Json &cell : json.at("cells")) {
        CrossoverCell read{cell.at("kernel").get<int>(), cell.at("picture").get<int>(), {}};
        for (const Json &time : cell.at("times"))
            read.times.push_back(timeFrom(time));
        map.cells.push_back(std::move(read));
    }
    return map;
}

// The cells are those of the plan, in its order.
bool consistent(const CrossoverMap &map) {
    if (map.cells.size() != map.plan.kernels.size() * map.plan.pictures.size())
        return false;
    for (std::size_t p = 0; p < map.plan.pictures.size(); ++p)
        for (std::size_t k = 0; k < map.plan.kernels.size(); ++k)
            if (map.at(k, p).kernel != map.plan.kernels[k] || map.at(k, p).picture != map.plan.pictures[p])
                return false;
    return !map.cells.empty();
}

} // namespace

std::string formatCrossover(const CrossoverMap &map) {
    Json json{{"format", formatName}, {"version", map.version}, {"devices", map.devices}, {"plan", planJson(map.plan)}};
    json["cells"] = Json::array();
    for (const CrossoverCell &cell : map.cells) {
        Json times = Json::array();
        for (const CrossoverTime &time : cell.times)
            times.push_back(timeJson(time));
        json["cells"].push_back({{"kernel", cell.kernel}, {"picture", cell.picture}, {"times", std::move(times)}});
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

CrossoverMap parseCrossover(std::string_view text, const std::string &source) {
    try {
        const Json json = Json::parse(text);
        if (json.value("format", "") != formatName)
            throw Error(ErrorKind::Input, source + " holds no crossover map");
        CrossoverMap map = mapFrom(json);
        if (!consistent(map))
            throw Error(ErrorKind::Input, source + " contradicts itself: its cells are not those of its plan");
        return map;
    } catch (const nlohmann::json::exception &error) {
        throw Error(ErrorKind::Input, source + " holds no crossover map: " + error.what());
    }
}

bool stillHolds(const CrossoverMap &kept, const CrossoverMap &wanted) {
    return kept.version == wanted.version && kept.devices == wanted.devices && kept.plan == wanted.plan;
}

} // namespace tessera
