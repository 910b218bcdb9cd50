#include "app/session/session_file.h"

#include "app/core/error.h"
#include "app/filters/kernel_file.h"
#include "app/session/path_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr std::array alphaNames{"automatic", "premultiplied", "preserve", "independent"};
constexpr std::array responseNames{"clamp", "absolute", "signed", "range"};
constexpr std::array depthNames{"keep", "8", "16", "32f"};
constexpr std::array channelNames{"rgb", "rgba", "luma", "mask"};

template <std::size_t count>
std::size_t indexOf(const std::array<const char *, count> &names, const std::string &name) {
    for (std::size_t i = 0; i < count; ++i)
        if (name == names[i])
            return i;
    throw Error(ErrorKind::Input, "'" + name.substr(0, 40) + "' is not known here");
}

Json stepJson(const FilterStep &step) {
    Json json;
    if (step.filter.name == "custom")
        json["kernel"] = Json::parse(formatKernel(step.filter.kernel, KernelNotation::Json));
    else
        json["filter"] = formatFilter(step.filter);
    const FilterStep plain;
    if (!step.enabled)
        json["enabled"] = false;
    if (!(step.border == plain.border)) {
        json["border"] = std::string(borderName(step.border.mode));
        if (step.border.mode == BorderMode::Constant)
            json["border_value"] = step.border.constant;
    }
    if (!(step.channels == plain.channels)) {
        json["channels"] = channelNames[std::size_t(step.channels.kind)];
        if (step.channels.kind == ChannelSelection::Kind::Mask)
            json["mask"] = step.channels.mask;
    }
    if (step.alpha != plain.alpha)
        json["alpha"] = alphaNames[std::size_t(step.alpha)];
    if (step.response != plain.response)
        json["response"] = responseNames[std::size_t(step.response)];
    for (const auto &[name, on] :
         {std::pair{"flip", step.flip}, {"linear", step.linear}, {"normalize", step.normalize}})
        if (on)
            json[name] = true;
    if (step.divisor)
        json["divisor"] = *step.divisor;
    if (step.offset)
        json["offset"] = *step.offset;
    if (step.anchor)
        json["anchor"] = {step.anchor->first, step.anchor->second};
    return json;
}

FilterStep stepFrom(const Json &json, std::string_view source) {
    FilterStep step;
    if (json.contains("kernel"))
        step.filter = {"custom", {}, parseKernel(json.at("kernel").dump(), source)};
    else
        step.filter = parseFilter(json.at("filter").get<std::string>());
    step.enabled = json.value("enabled", true);
    if (json.contains("border")) {
        const auto mode = borderFromName(json.at("border").get<std::string>());
        if (!mode)
            throw Error(ErrorKind::Input,
                        "the border '" + json.at("border").get<std::string>().substr(0, 40) + "' is not known");
        step.border = {*mode, json.value("border_value", 0.0)};
    }
    if (json.contains("channels"))
        step.channels = {ChannelSelection::Kind(indexOf(channelNames, json.at("channels").get<std::string>())),
                         json.value("mask", 0u)};
    if (json.contains("alpha"))
        step.alpha = AlphaMode(indexOf(alphaNames, json.at("alpha").get<std::string>()));
    if (json.contains("response"))
        step.response = ResponseMode(indexOf(responseNames, json.at("response").get<std::string>()));
    step.flip = json.value("flip", false);
    step.linear = json.value("linear", false);
    step.normalize = json.value("normalize", false);
    if (json.contains("divisor"))
        step.divisor = json.at("divisor").get<double>();
    if (json.contains("offset"))
        step.offset = json.at("offset").get<double>();
    if (json.contains("anchor"))
        step.anchor = std::pair(json.at("anchor").at(0).get<int>(), json.at("anchor").at(1).get<int>());
    return step;
}

Json rectangleJson(const Rectangle &rectangle) { return {rectangle.x, rectangle.y, rectangle.width, rectangle.height}; }

Rectangle rectangleFrom(const Json &json) {
    return {json.at(0).get<int>(), json.at(1).get<int>(), json.at(2).get<int>(), json.at(3).get<int>()};
}

Json chainJson(const Chain &chain) {
    Json json;
    json["format"] = "tessera-chain";
    json["version"] = version;
    json["depth"] = depthNames[std::size_t(chain.depth)];
    json["steps"] = Json::array();
    for (const FilterStep &step : chain.steps)
        json["steps"].push_back(stepJson(step));
    if (chain.area)
        json["area"] = rectangleJson(*chain.area);
    return json;
}

void addView(Json &json, const DocumentView &view) {
    if (!view.region.empty())
        json["region"] = rectangleJson(view.region);
    if (!view.fitted)
        json["view"] = {{"zoom", view.zoom}, {"centre", {view.centreX, view.centreY}}};
}

DocumentView viewFrom(const Json &json) {
    DocumentView view;
    if (json.contains("region"))
        view.region = rectangleFrom(json.at("region"));
    if (json.contains("view")) {
        const Json &look = json.at("view");
        view.fitted = false;
        view.zoom = look.at("zoom").get<double>();
        view.centreX = look.at("centre").at(0).get<double>();
        view.centreY = look.at("centre").at(1).get<double>();
    }
    return view;
}

Json entryJson(const SessionEntry &entry) {
    Json json;
    setPath(json, "path", entry.path);
    if (!entry.savedIn.empty())
        setPath(json, "saved_in", entry.savedIn);
    if (entry.digest) {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(*entry.digest));
        json["digest"] = digits;
    }
    json["title"] = entry.title;
    json["step"] = entry.currentStep;
    json["chain"] = chainJson(entry.chain);
    addView(json, entry.view);
    return json;
}

void checkFormat(const Json &json, const char *format) {
    if (!json.is_object() || json.value("format", std::string()) != format)
        throw Error(ErrorKind::Input, std::string("it is no ") + format + " file");
    if (json.value("version", 0) > version)
        throw Error(ErrorKind::Input, "it was written by a later version of Tessera");
}

Chain chainFrom(const Json &json, std::string_view source) {
    checkFormat(json, "tessera-chain");
    Chain chain;
    chain.depth = OutputDepth(indexOf(depthNames, json.value("depth", std::string("keep"))));
    for (const Json &step : json.at("steps"))
        chain.steps.push_back(stepFrom(step, source));
    if (json.contains("area"))
        chain.area = rectangleFrom(json.at("area"));
    return chain;
}

std::uint64_t digestFrom(const std::string &digits) {
    std::uint64_t digest = 0;
    const char *end = digits.data() + digits.size();
    if (digits.size() != 16 || std::from_chars(digits.data(), end, digest, 16).ptr != end)
        throw Error(ErrorKind::Input, "the digest of a picture is no number of 16 hexadecimal digits");
    return digest;
}

SessionEntry entryFrom(const Json &json, std::string_view source) {
    if (!json.at("path").is_string()) // else pathFrom() would take it for empty
        throw Error(ErrorKind::Input, "the path of a picture is no text");
    SessionEntry entry{pathFrom(json, "path"), json.value("title", std::string()), chainFrom(json.at("chain"), source),
                       json.value("step", std::size_t(0))};
    if (json.contains("saved_in"))
        entry.savedIn = pathFrom(json, "saved_in");
    entry.view = viewFrom(json);
    if (json.contains("digest"))
        entry.digest = digestFrom(json.at("digest").get<std::string>());
    return entry;
}

// "line 3, column 7" of the byte that the parser stumbled over, counted from 1.
std::string placeOf(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(text.size(), byte > 0 ? byte - 1 : 0));
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t lineBegin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    const auto isFirstByte = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }; // of a character
    const auto column = std::count_if(before.begin() + std::ptrdiff_t(lineBegin), before.end(), isFirstByte);
    return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column + 1);
}

// The library's words without its own number of the error.
std::string plainWords(const Json::exception &error) {
    const std::string words = error.what();
    const std::size_t end = words.find("] ");
    return words.starts_with("[json.exception") && end != std::string::npos ? words.substr(end + 2) : words;
}

// Whatever is wrong with the text, the error names the file. `what`: what the file should be.
template <class Read> auto reading(std::string_view text, std::string_view source, const char *what, Read read) {
    const std::string prefix = std::string(source) + " cannot be read: ";
    const std::string remedy = "choose a file that Tessera has saved";
    try {
        return read(Json::parse(text));
    } catch (const Json::parse_error &error) {
        throw Error(ErrorKind::Input,
                    std::string(source) + " is no " + what + ": it is no JSON text from " + placeOf(text, error.byte) +
                        " on",
                    remedy);
    } catch (const Json::exception &error) {
        throw Error(ErrorKind::Input,
                    std::string(source) + " is no " + what + " as Tessera saves it: " + plainWords(error), remedy);
    } catch (const Error &error) {
        throw Error(ErrorKind::Input, prefix + error.what(), error.remedy().empty() ? remedy : error.remedy());
    }
}

} // namespace

std::string formatChain(const Chain &chain) { return chainJson(chain).dump(2) + "\n"; }

Chain parseChain(std::string_view text, std::string_view source) {
    return reading(text, source, "chain of filters", [&](const Json &json) { return chainFrom(json, source); });
}

std::string formatSession(const SessionState &session) {
    Json json;
    json["format"] = "tessera-session";
    json["version"] = version;
    json["current"] = session.current;
    json["variant"] = session.variant;
    json["device"] = session.device;
    json["pictures"] = Json::array();
    for (const SessionEntry &entry : session.entries)
        json["pictures"].push_back(entryJson(entry));
    // A title need not be UTF-8: what is not becomes U+FFFD, instead of losing the whole session.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

SessionState parseSession(std::string_view text, std::string_view source) {
    return reading(text, source, "session", [&](const Json &json) {
        checkFormat(json, "tessera-session");
        SessionState session;
        session.current = json.value("current", -1);
        session.variant = json.value("variant", std::string("auto"));
        session.device = json.value("device", std::string("auto"));
        for (const Json &picture : json.at("pictures"))
            session.entries.push_back(entryFrom(picture, source));
        return session;
    });
}

} // namespace tessera
