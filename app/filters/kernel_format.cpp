#include "app/core/error.h"
#include "app/filters/kernel_file.h"
#include "app/filters/number_text.h"

#include <nlohmann/json.hpp>

namespace tessera {

namespace {

bool anchorIsDefault(const ConvolutionKernel &kernel) {
    return kernel.anchorX == kernel.width / 2 && kernel.anchorY == kernel.height / 2;
}

std::string rowText(const ConvolutionKernel &kernel, int v, const char *separator) {
    std::string text;
    for (int u = 0; u < kernel.width; ++u)
        text += (u == 0 ? "" : separator) + formatNumber(kernel.at(u, v));
    return text;
}

std::string rowsText(const ConvolutionKernel &kernel, const char *separator) {
    std::string text;
    for (int v = 0; v < kernel.height; ++v)
        text += rowText(kernel, v, separator) + "\n";
    return text;
}

[[noreturn]] void cannotSay(const char *notation, const char *what, const char *remedy) {
    throw Error(ErrorKind::Output, std::string(notation) + " cannot hold this kernel's " + what, remedy);
}

std::string plainText(const ConvolutionKernel &kernel) {
    if (!anchorIsDefault(kernel))
        cannotSay("plain text", "anchor", "save it as JSON");
    if (kernel.effectiveDivisor() != 1.0)
        cannotSay("plain text", "divisor", "save it as JSON or as a libvips matrix");
    if (kernel.offset != 0.0)
        cannotSay("plain text", "offset", "save it as JSON or as a libvips matrix");
    std::string text = rowsText(kernel, " ");
    return recognizeNotation(text) == KernelNotation::Plain ? text : rowsText(kernel, ", ");
}

std::string vipsText(const ConvolutionKernel &kernel) {
    if (!anchorIsDefault(kernel))
        cannotSay("a libvips matrix", "anchor", "save it as JSON");
    std::string header = std::to_string(kernel.width) + " " + std::to_string(kernel.height);
    if (kernel.effectiveDivisor() != 1.0 || kernel.offset != 0.0)
        header += " " + formatNumber(kernel.effectiveDivisor()) + " " + formatNumber(kernel.offset);
    return header + "\n" + rowsText(kernel, " ");
}

std::string imageMagickText(const ConvolutionKernel &kernel) {
    if (kernel.effectiveDivisor() != 1.0)
        cannotSay("ImageMagick's notation", "divisor", "save it as JSON or as a libvips matrix");
    if (kernel.offset != 0.0)
        cannotSay("ImageMagick's notation", "offset", "save it as JSON or as a libvips matrix");
    // The origin always, since ImageMagick's own default differs at even sizes.
    std::string text = std::to_string(kernel.width) + "x" + std::to_string(kernel.height) + "+" +
                       std::to_string(kernel.anchorX) + "+" + std::to_string(kernel.anchorY) + ":";
    for (int v = 0; v < kernel.height; ++v)
        text += " " + rowText(kernel, v, ",");
    return text;
}

std::string jsonText(const ConvolutionKernel &kernel) {
    // Written by hand so that a row of the kernel is a row of the file.
    std::string text = "{\n  \"format\": \"tessera-kernel\",\n  \"version\": 1,\n";
    if (!kernel.name.empty())
        text += "  \"name\": " +
                nlohmann::json(kernel.name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ",\n";
    text += "  \"anchor\": [" + std::to_string(kernel.anchorX) + ", " + std::to_string(kernel.anchorY) + "],\n";
    text += "  \"divisor\": " + (kernel.divisor ? formatNumber(*kernel.divisor) : "\"auto\"") + ",\n";
    text += "  \"offset\": " + formatNumber(kernel.offset) + ",\n  \"taps\": [\n";
    for (int v = 0; v < kernel.height; ++v)
        text += "    [" + rowText(kernel, v, ", ") + (v + 1 < kernel.height ? "],\n" : "]\n");
    return text + "  ]\n}\n";
}

} // namespace

std::string formatKernel(const ConvolutionKernel &kernel, KernelNotation notation) {
    switch (notation) {
    case KernelNotation::Plain:
        return plainText(kernel);
    case KernelNotation::Vips:
        return vipsText(kernel);
    case KernelNotation::ImageMagick:
        return imageMagickText(kernel);
    case KernelNotation::Json:
        return jsonText(kernel);
    }
    throw Error(ErrorKind::Internal, "unknown kernel notation");
}

} // namespace tessera
