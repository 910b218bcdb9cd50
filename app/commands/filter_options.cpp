#include "app/commands/filter_options.h"

#include "app/commands/option_values.h"
#include "app/commands/suggest.h"
#include "app/commands/text.h"
#include "app/filters/kernel_file.h"
#include "app/filters/number_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace tessera {

namespace {

const std::vector<std::string> responseNames{"clamp", "absolute", "signed", "range"};
const std::vector<std::string> alphaNames{"auto", "premultiplied", "preserve", "independent"};
const std::vector<std::string> depthNames{"keep", "8", "16", "32f"};

// A name that a file name can hold.
std::string fileNamePart(std::string name) {
    for (char &character : name)
        if (character == '/' || character == '\0' || static_cast<unsigned char>(character) < 0x20)
            character = '_';
    return name.empty() || name == "." || name == ".." ? "kernel" : name;
}

std::string channelsText(const ChannelSelection &selection) {
    switch (selection.kind) {
    case ChannelSelection::Kind::Rgb:
        return "rgb";
    case ChannelSelection::Kind::Rgba:
        return "rgba";
    case ChannelSelection::Kind::Luma:
        return "luma";
    case ChannelSelection::Kind::Mask:
        break;
    }
    std::string text;
    for (unsigned channel = 0; channel < 4; ++channel)
        if (selection.mask >> channel & 1u)
            text += std::string(text.empty() ? "" : ",") + "rgba"[channel];
    return text;
}

std::string onOneLine(const std::string &json) {
    return nlohmann::ordered_json::parse(json).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// What 'auto' means for a filter: the sum of its taps, or 1 where that is 0, whatever divisor it states itself. The
// kernels of one filter (directions of an edge) agree in it.
double automaticDivisor(const FilterInstance &filter) {
    ConvolutionKernel kernel = buildFilter(filter).kernels.front();
    kernel.divisor.reset();
    return kernel.effectiveDivisor();
}

} // namespace

Border parseBorder(const std::string &text) {
    std::vector<std::string> names;
    for (const BorderName &entry : borderNames)
        names.emplace_back(entry.name);
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const auto mode = borderFromName(name);
    if (!mode)
        throw Error(ErrorKind::Usage, "--border does not take " + inQuotes(text), suggestion(name, names));
    if (*mode != BorderMode::Constant && colon != std::string::npos)
        throw Error(ErrorKind::Usage, "--border " + name + " takes no value", "only constant does: constant:128");
    if (*mode == BorderMode::Constant && colon == std::string::npos)
        throw Error(ErrorKind::Usage, "--border constant needs its value",
                    "in the picture's own units, as in constant:128; zero is --border zero");
    Border border{*mode, 0.0};
    if (*mode == BorderMode::Constant)
        border.constant = parseFloat32("--border constant", text.substr(colon + 1));
    return border;
}

ChannelSelection parseChannels(const std::string &text) {
    if (text == "rgb")
        return {ChannelSelection::Kind::Rgb, 0};
    if (text == "rgba")
        return {ChannelSelection::Kind::Rgba, 0};
    if (text == "luma")
        return {ChannelSelection::Kind::Luma, 0};
    constexpr std::array<std::string_view, 4> letters{"r", "g", "b", "a"};
    ChannelSelection selection{ChannelSelection::Kind::Mask, 0};
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const auto letter =
            std::find(letters.begin(), letters.end(), std::string_view(text).substr(begin, end - begin));
        if (letter == letters.end())
            throw Error(ErrorKind::Usage, "--channels does not take " + inQuotes(text),
                        "rgb, rgba, luma, or a list of r, g, b and a such as r,b");
        selection.mask |= 1u << (letter - letters.begin());
        begin = end + 1;
    }
    return selection;
}

const char *depthOptionName(OutputDepth depth) { return depthNames[static_cast<std::size_t>(depth)].c_str(); }

void FilterOptions::addFilter(const std::string &text) {
    FilterInstance filter = parseFilter(text);
    if (filter.name == "custom")
        throw Error(ErrorKind::Usage, "the filter 'custom' has no kernel of its own", "give one with --kernel");
    std::string name = fileNamePart(filter.name);
    chain_.push_back({std::move(filter), std::move(name)});
}

void FilterOptions::addKernel(const std::string &argument) {
    FilterInstance filter{"custom", {}, kernelFromArgument(argument)};
    std::error_code error;
    const bool fromFile = std::filesystem::is_regular_file(argument, error);
    if (fromFile)
        kernelFiles_.emplace_back(argument);
    std::string name = fromFile ? std::filesystem::path(argument).stem().string() : filter.kernel.name;
    chain_.push_back({std::move(filter), fileNamePart(std::move(name))});
}

OptionGroup FilterOptions::chainGroup() {
    return {
        "What to do (at least one; several are applied in the order given)",
        {{"--filter", "NAME[:P=V,...]",
          "A filter with its parameters; 'tessera filters' lists them. Repeat it to chain filters.",
          [this](const std::string &text) { addFilter(text); }, true},
         {"--kernel", "FILE|'WxH: ...'",
          "A kernel of your own: a text file of rows, a libvips matrix, ImageMagick's notation or a Tessera preset, "
          "or the kernel itself, as in '3x3: 0,-1,0, -1,5,-1, 0,-1,0' or '2x2+0+0: 1,1,1,1' (+X+Y: the origin).",
          [this](const std::string &text) { addKernel(text); }, true}}};
}

OptionGroup FilterOptions::kernelGroup() {
    return {
        "How the kernel is applied",
        {{"--flip", "",
          "True convolution: the kernel rotated by 180 degrees. Without it the kernel is laid on the picture as "
          "written (correlation, as in OpenCV, GIMP and ImageJ).",
          [this](const std::string &) { details_.flip = true; }},
         {"--border", "MODE",
          "What lies outside the picture: zero, constant:V, replicate (aaa|abcd|ddd), reflect (cba|abcd|dcb), "
          "reflect101 (dcb|abcd|cba) or wrap (bcd|abcd|abc). Default replicate.",
          [this](const std::string &text) { details_.border = parseBorder(text); }},
         {"--anchor", "X,Y", "The kernel's origin, from its top left corner. Default width/2,height/2.",
          [this](const std::string &text) { details_.anchor = parsePoint("--anchor", text); }},
         {"--divisor", "auto|V",
          "What the sum is divided by; auto: the sum of the taps, or 1 where that is 0. Default 1, or what the "
          "filter or kernel file states.",
          [this](const std::string &text) {
              divisorAuto_ = text == "auto";
              details_.divisor = divisorAuto_ ? std::nullopt : std::optional(parseReal("--divisor", text));
              if (details_.divisor == 0.0)
                  throw Error(ErrorKind::Usage, "--divisor cannot be 0", "use auto, or any other number");
              // Divisions run in float32, which ends near 1e38 at one side and 1e-38 at the other.
              if (details_.divisor && (std::fabs(*details_.divisor) < 1e-30 || std::fabs(*details_.divisor) > 1e30))
                  throw Error(ErrorKind::Usage, "--divisor " + text + " is out of range",
                              "its magnitude must lie between 1e-30 and 1e30");
          }},
         {"--offset", "V",
          "Added after the division of every filter, in the picture's own units (0-255, 0-65535, float). Default 0.",
          [this](const std::string &text) { details_.offset = parseFloat32("--offset", text); }},
         {"--normalize", "", "Divide the kernel by the sum of its taps, where that is not 0.",
          [this](const std::string &) { details_.normalize = true; }}}};
}

OptionGroup FilterOptions::pixelGroup() {
    return {
        "How the result becomes pixels",
        {{"--response", "MODE",
          "How integer pixels show what they cannot hold, after the last filter: clamp, absolute (the magnitude), "
          "signed (half the range is added) or range (min..max is stretched to the full range). Default clamp. Alpha "
          "answers only where it is independent, and to range only where it is filtered alone: the range is that of "
          "the colours, without those of pixels that end up wholly transparent unless alpha is independent. Between "
          "two filters values of integer pictures are cut to their range, and not rounded.",
          [this](const std::string &text) {
              details_.response = static_cast<ResponseMode>(parseChoice("--response", text, responseNames));
          }},
         {"--channels", "LIST",
          "Which channels are filtered: rgb (the colours, and alpha as --alpha says), rgba, luma, or a list such as "
          "r,b: these alone, the others are copied. Default rgb.",
          [this](const std::string &text) { details_.channels = parseChannels(text); }},
         {"--alpha", "MODE",
          "How transparency takes part: premultiplied, preserve or independent. Default: premultiplied for kernels "
          "without negative taps, else preserve. What only moves pixels takes their alpha along.",
          [this](const std::string &text) {
              details_.alpha = static_cast<AlphaMode>(parseChoice("--alpha", text, alphaNames));
          }},
         {"--linear", "", "Filter in linear light instead of the stored values.",
          [this](const std::string &) { details_.linear = true; }},
         {"--depth", "keep|8|16|32f", "Depth of the output; a format that cannot hold it is refused. Default keep.",
          [this](const std::string &text) {
              depth = static_cast<OutputDepth>(parseChoice("--depth", text, depthNames));
          }}}};
}

OptionGroup FilterOptions::engineGroup() {
    return {"Where",
            {{"--variant", "NAME", "Which implementation; 'tessera variants' lists them. Default auto.",
              [this](const std::string &text) { variant = text; }},
             {"--device", "auto|cpu|sim|cuda:N|all",
              "Where it runs; all: every CUDA device, or the CPU where there is none. Another device that is missing "
              "is an error (exit 4). Default auto, which "
              "says what it took.",
              [this](const std::string &text) { device = text; }}}};
}

std::vector<FilterStep> FilterOptions::steps() const {
    if ((divisorAuto_ || details_.divisor) && details_.normalize)
        throw Error(ErrorKind::Usage, "--normalize and --divisor both set what the sum is divided by",
                    "give one of them");
    std::vector<FilterStep> steps;
    for (const Link &link : chain_) {
        FilterStep step = details_;
        step.filter = link.filter;
        if (&link != &chain_.back()) // between filters nothing becomes an integer pixel
            step.response = ResponseMode::Clamp;
        if (divisorAuto_)
            step.divisor = automaticDivisor(step.filter);
        steps.push_back(std::move(step));
    }
    checkSteps(steps);
    return steps;
}

std::string FilterOptions::chainName() const {
    std::string name;
    for (const Link &link : chain_)
        name += (name.empty() ? "" : "-") + link.fileName;
    return name;
}

void checkEngineTakes(const EngineChoice &choice, const std::vector<FilterStep> &steps) {
    Image picture(1, 1, {Depth::F32, 1});
    Image result(1, 1, {Depth::F32, 1});
    for (const FilterStep &step : steps) {
        for (const ConvolutionKernel &kernel : buildFilter(step.filter).kernels) {
            ConvolutionJob job;
            job.source = picture.view();
            job.target = result.view();
            job.region = {0, 0, 1, 1};
            job.kernel = &kernel;
            job.border = step.border;
            job.variant = choice.variant;
            const std::string refusal = choice.automatic ? std::string() : choice.engine->refusal(job);
            if (!refusal.empty())
                throw Error(ErrorKind::Usage, refusal, "choose another --variant, or auto");
        }
    }
}

std::string FilterOptions::canonicalText() const {
    std::string text;
    const auto add = [&](const std::string &option) { text += (text.empty() ? "" : " ") + option; };
    for (const FilterStep &step : steps()) {
        const bool custom = step.filter.name == "custom";
        add(custom ? "--kernel '" + onOneLine(formatKernel(step.filter.kernel, KernelNotation::Json)) + "'"
                   : "--filter " + formatFilter(step.filter));
    }
    const Border &border = details_.border;
    add("--border " + std::string(borderName(border.mode)));
    if (border.mode == BorderMode::Constant)
        text += ":" + formatNumber(border.constant);
    if (details_.anchor)
        add("--anchor " + std::to_string(details_.anchor->first) + "," + std::to_string(details_.anchor->second));
    if (divisorAuto_ || details_.divisor)
        add("--divisor " + (divisorAuto_ ? "auto" : formatNumber(*details_.divisor)));
    if (details_.offset)
        add("--offset " + formatNumber(*details_.offset));
    for (const auto &[given, option] :
         {std::pair{details_.flip, "--flip"}, {details_.normalize, "--normalize"}, {details_.linear, "--linear"}})
        if (given)
            add(option);
    add("--response " + responseNames[static_cast<std::size_t>(details_.response)]);
    add("--channels " + channelsText(details_.channels));
    add("--alpha " + alphaNames[static_cast<std::size_t>(details_.alpha)]);
    add(std::string("--depth ") + depthOptionName(depth));
    add("--variant " + variant);
    return text;
}

} // namespace tessera
