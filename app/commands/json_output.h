// JSON on standard output. Keys keep the order in which they were written, so that people can read it too.
#pragma once

#include "app/image/image.h"
#include "app/session/path_json.h" // setPath, pathFrom

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

// "output": null for what has none, as a folder that cannot be read.
void setOutput(Json &object, const std::filesystem::path &output);

// "width", "height", "channels", "depth".
void setShape(Json &object, int width, int height, PixelFormat format);

} // namespace tessera
