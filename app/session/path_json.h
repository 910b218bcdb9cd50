// Names of files in JSON, which is UTF-8 where a name is any bytes.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace tessera {

// Sets object[key] to the name as text. Where its bytes are no UTF-8, the text shows them as \xNN and a second key,
// key + "_bytes_hex", holds all of them.
void setPath(nlohmann::ordered_json &object, const std::string &key, const std::filesystem::path &path);

// The inverse.
std::filesystem::path pathFrom(const nlohmann::ordered_json &object, const std::string &key);

} // namespace tessera
