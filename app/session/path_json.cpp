#include "app/session/path_json.h"

#include "app/image/display_name.h"

namespace tessera {

using Json = nlohmann::ordered_json;

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

} // namespace tessera
