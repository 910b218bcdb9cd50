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

void setOutput(Json &object, const std::filesystem::path &output) {
    if (output.empty())
        object["output"] = nullptr;
    else
        setPath(object, "output", output);
}

void setShape(Json &object, int width, int height, PixelFormat format) {
    object["width"] = width;
    object["height"] = height;
    object["channels"] = format.channels;
    object["depth"] = depthName(format.depth);
}

} // namespace tessera
