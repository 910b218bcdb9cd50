// Chains and sessions as JSON: presets, saved sessions, and what is kept against a crash.
#pragma once

#include "app/session/chain.h"
#include "app/session/document_view.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// {"format": "tessera-chain", "version": 1, "depth": "keep", "steps": [{"filter": "gaussian:sigma=2", ...}]}. Options
// that are as by default are left out; a kernel of one's own is Tessera's kernel preset, as an object. "area": [x, y,
// width, height], where the chain has one.
std::string formatChain(const Chain &chain);

// Throws Error{Input} naming `source` and what is wrong: no JSON, another format, a later version, an unknown filter.
Chain parseChain(std::string_view text, std::string_view source);

struct SessionEntry {
    std::filesystem::path path; // of the picture
    std::string title;
    Chain chain;
    std::size_t currentStep = 0;
    std::filesystem::path savedIn = {}; // the file that holds what the chain makes of it; empty: none does
    DocumentView view = {};             // may reach out of the picture
    // pictureDigest() of it, to notice that the file holds another one by now; nullopt: an older version has not kept
    // it
    std::optional<std::uint64_t> digest = {};
};

struct SessionState {
    std::vector<SessionEntry> entries;
    int current = -1;
    std::string variant = "auto", device = "auto";
};

// {"format": "tessera-session", "version": 1, "current": 0, "pictures": [{"path": ..., "title": ..., "chain": {...}}]}.
// "region": [x, y, width, height], where one is marked; "view": {"zoom": 2, "centre": [x, y]}, where it is not fitted.
// "saved_in": a path, where the result is in a file. "digest": 16 hexadecimal digits. A path that is no UTF-8 has its
// bytes beside it, as "path_bytes_hex".
std::string formatSession(const SessionState &session);
SessionState parseSession(std::string_view text, std::string_view source); // throws as parseChain does

} // namespace tessera
