// JSON on standard output. Keys keep the order in which they were written, so that people can read it too.
#pragma once

#include "app/image/image.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

using Json = nlohmann::ordered_json;

// The one JSON value of a command, indented. Never throws for odd text: invalid UTF-8 is replaced.
void printJson(const Json &value);

// One line without line breaks, for JSON Lines.
std::string jsonLine(const Json &value);

// JSON has no infinities and no NaN: they become null.
Json jsonNumber(double value);

// Sets object[key] to the name as text. Where its bytes are no UTF-8, the text shows them as \xNN and a second key,
// key + "_bytes_hex", holds all of them.
void setPath(Json &object, const std::string &key, const std::filesystem::path &path);

// The inverse.
std::filesystem::path pathFrom(const Json &object, const std::string &key);

// "width", "height", "channels", "depth".
void setShape(Json &object, int width, int height, PixelFormat format);

} // namespace tessera
