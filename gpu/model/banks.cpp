#include "gpu/model/banks.h"

#include <algorithm>
#include <array>

namespace tessera::model {

namespace {

int lanesAtOnce(const Request &request) {
    const int bytes = request.empty() ? bankBytes : request.front().bytes;
    return 32 / std::clamp(bytes / bankBytes, 1, 4);
}

// Passes for the lanes of one half or quarter.
int passesOfPart(std::vector<std::int64_t> &words) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<int, banks> onBank{};
    for (const std::int64_t word : words)
        ++onBank[std::size_t(word % banks)];
    return *std::max_element(onBank.begin(), onBank.end());
}

} // namespace

int passesOf(const Request &request) {
    const int atOnce = lanesAtOnce(request);
    std::array<std::vector<std::int64_t>, 4> parts;
    for (const LaneAccess &access : request)
        for (std::int64_t word = access.address / bankBytes; word <= (access.address + access.bytes - 1) / bankBytes;
             ++word)
            parts[std::size_t(access.lane % 32 / atOnce)].push_back(word);
    int passes = 0;
    for (auto &words : parts)
        passes += passesOfPart(words);
    return passes;
}

int leastPassesOf(const Request &request) {
    const int atOnce = lanesAtOnce(request);
    std::array<bool, 4> used{};
    for (const LaneAccess &access : request)
        used[std::size_t(access.lane % 32 / atOnce)] = true;
    return int(std::count(used.begin(), used.end(), true));
}

} // namespace tessera::model
