#include "app/engines/speed_store.h"

#include "app/image/image_io.h"
#include "gpu/jit/cubin_store.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>
#include <optional>

namespace tessera {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int formVersion = 1;                                                  // of the file
constexpr std::array<std::string_view, 4> typeNames{"u8", "u16", "f16", "f32"}; // in ScalarType's order

json jsonOf(const SpeedPoint &point) {
    return {{"variant", kernelVariantName(point.key.variant)},
            {"pixel", typeNames[std::size_t(point.key.type)]},
            {"channels", point.key.channels},
            {"terms", point.key.terms},
            {"work", point.work},
            {"ms_per_megapixel", point.millisecondsPerMegapixel}};
}

// Throws json::exception for another form; nothing for values that no measurement has.
std::optional<SpeedPoint> pointOf(const json &object) {
    SpeedPoint point;
    const auto variant = kernelVariantNamed(object.at("variant").get<std::string>());
    const auto type = std::ranges::find(typeNames, object.at("pixel").get<std::string>());
    point.key.channels = object.at("channels").get<int>();
    point.key.terms = object.at("terms").get<int>();
    point.work = object.at("work").get<double>();
    point.millisecondsPerMegapixel = object.at("ms_per_megapixel").get<double>();
    if (!variant || type == typeNames.end() || (point.key.channels != 1 && point.key.channels != 4) ||
        point.key.terms < 0 || !(point.work >= 0) || !(point.millisecondsPerMegapixel > 0) ||
        !std::isfinite(point.work) || !std::isfinite(point.millisecondsPerMegapixel))
        return std::nullopt;
    point.key.variant = *variant;
    point.key.type = ScalarType(type - typeNames.begin());
    return point;
}

// How much slower the points are than the table says, in the geometric mean.
double paceOf(std::span<const SpeedPoint> points, const SpeedTable &table) {
    double sum = 0;
    int count = 0;
    for (const SpeedPoint &point : points)
        if (const auto there = table.predict(point.key, point.work)) {
            sum += std::log(point.millisecondsPerMegapixel / *there);
            ++count;
        }
    return count > 0 ? std::exp(sum / count) : 1.0;
}

} // namespace

fs::path SpeedStore::defaultFolder() {
    const fs::path kernels = jit::CubinStore::defaultFolder();
    return kernels.empty() ? fs::path() : kernels.parent_path() / "speeds";
}

fs::path SpeedStore::fileOf(std::string_view device) const {
    std::string name(device);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
    return folder_ / (name + ".json");
}

std::vector<SpeedPoint> SpeedStore::read(std::string_view device) const {
    std::vector<SpeedPoint> points;
    std::ifstream file(fileOf(device), std::ios::binary);
    if (folder_.empty() || !file)
        return points;
    try {
        const json content = json::parse(file);
        if (content.at("form") != formVersion || content.at("device") != device)
            return points;
        for (const json &object : content.at("points"))
            if (const auto point = pointOf(object))
                points.push_back(*point);
    } catch (const json::exception &) {
        points.clear();
    }
    return points;
}

SpeedTable SpeedStore::load(const std::string &device) const {
    SpeedTable table = builtInSpeeds();
    const std::vector<SpeedPoint> measured = read(device);
    if (measured.empty())
        return table;
    // Times of two devices are not to be compared: those of the other one are brought to this one's pace.
    if (device != table.device) {
        const double pace = paceOf(measured, table);
        for (SpeedPoint &point : table.points)
            point.millisecondsPerMegapixel *= pace;
    }
    table.merge(measured);
    table.device = device;
    return table;
}

bool SpeedStore::add(const std::string &device, std::span<const SpeedPoint> points) const {
    if (folder_.empty() || points.empty())
        return false;
    SpeedTable table{device, read(device)};
    table.merge(points);
    json content{{"form", formVersion}, {"device", device}, {"points", json::array()}};
    for (const SpeedPoint &point : table.points)
        content["points"].push_back(jsonOf(point));
    const std::string text = content.dump(1) + "\n";
    try {
        fs::create_directories(folder_);
        writeFileAtomically(fileOf(device), std::as_bytes(std::span(text)), /*overwrite=*/true);
    } catch (const std::exception &) {
        return false;
    }
    return true;
}

} // namespace tessera
