#include "app/image/memory_limit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace tessera {

namespace {

// "max" (no limit) and missing files leave `limit` as it is.
void lower(std::uint64_t &limit, const std::filesystem::path &file) {
    std::uint64_t value = 0;
    if (std::ifstream stream(file); stream >> value && value > 0)
        limit = std::min(limit, value);
}

// A limit may stand at any level from the process's own group up to the root.
void lowerAlong(std::uint64_t &limit, const std::filesystem::path &root, std::string group, const char *file) {
    while (true) {
        lower(limit, root / group.substr(std::min<std::size_t>(1, group.size())) / file);
        const std::size_t slash = group.find_last_of('/');
        if (group.size() <= 1 || slash == std::string::npos)
            return;
        group.resize(std::max<std::size_t>(slash, 1));
    }
}

std::uint64_t findUsableMemory() {
    std::uint64_t limit = std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGE_SIZE));
    std::ifstream groups("/proc/self/cgroup"); // lines "ID:CONTROLLERS:/PATH"; version 2 is "0::/PATH"
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty())
            lowerAlong(limit, "/sys/fs/cgroup", group, "memory.max");
        else if (("," + controllers + ",").find(",memory,") != std::string::npos)
            lowerAlong(limit, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    }
    return limit;
}

} // namespace

std::uint64_t usableMemory() {
    static const std::uint64_t memory = findUsableMemory();
    return memory;
}

std::string memorySizeText(std::uint64_t bytes) {
    constexpr std::uint64_t kibi = 1024, mebi = kibi * kibi;
    const auto up = [bytes](std::uint64_t unit) { return std::to_string(bytes / unit + (bytes % unit > 0 ? 1 : 0)); };
    return bytes < 8 * mebi ? up(kibi) + "K" : up(mebi) + "M";
}

} // namespace tessera
