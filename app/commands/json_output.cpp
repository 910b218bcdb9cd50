#include "app/commands/json_output.h"

#include "app/commands/console.h"
#include "app/commands/text.h"

#include <cmath>

namespace tessera {

void printJson(const Json &value) {
    print(value.dump(2, ' ', false, Json::error_handler_t::replace));
    print("\n");
}

std::string jsonLine(const Json &value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json jsonNumber(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void setPath(Json &object, const std::string &key, const std::filesystem::path &path) {
    const std::string &bytes = path.native();
    object[key] = jsonText(bytes);
    if (!isUtf8(bytes))
        object[key + "_bytes_hex"] = hexadecimal(bytes);
}

std::filesystem::path pathFrom(const Json &object, const std::string &key) {
    const auto hex = object.find(key + "_bytes_hex");
    if (hex != object.end() && hex->is_string())
        return bytesFromHexadecimal(hex->get_ref<const std::string &>());
    const auto text = object.find(key);
    return text != object.end() && text->is_string() ? text->get<std::string>() : std::string();
}

void setShape(Json &object, int width, int height, PixelFormat format) {
    object["width"] = width;
    object["height"] = height;
    object["channels"] = format.channels;
    object["depth"] = depthName(format.depth);
}

} // namespace tessera
