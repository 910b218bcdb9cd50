#include "app/bench/system_memory.h"

#include "app/image/memory_limit.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

namespace tessera::bench {

namespace {

// "32768K", "32M"
std::size_t sizeFromText(const std::string &text) {
    char *end = nullptr;
    const std::size_t number = std::strtoull(text.c_str(), &end, 10);
    return end && *end == 'M' ? number << 20 : end && *end == 'K' ? number << 10 : number;
}

std::optional<std::size_t> numberInFile(const char *path) {
    std::ifstream file(path);
    std::size_t number = 0;
    if (file >> number)
        return number;
    return std::nullopt; // no such file, or "max"
}

} // namespace

std::size_t lastLevelCacheBytes() {
    std::size_t largest = 0;
    for (int index = 0; index < 8; ++index) {
        std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
        if (std::string text; file >> text)
            largest = std::max(largest, sizeFromText(text));
    }
    return largest > 0 ? largest : std::size_t(32) << 20;
}

std::size_t freeHostMemory() {
    std::size_t available = 0;
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("MemAvailable:"))
            available = std::strtoull(line.c_str() + 13, nullptr, 10) << 10;
    if (available == 0)
        available = std::size_t(1) << 30;
    available = std::min<std::size_t>(available, usableMemory());
    const auto limit = numberInFile("/sys/fs/cgroup/memory.max");
    const auto used = numberInFile("/sys/fs/cgroup/memory.current");
    if (limit && used)
        available = std::min(available, *limit > *used ? *limit - *used : 0);
    return available;
}

std::optional<double> loadAverage() {
    std::ifstream file("/proc/loadavg");
    double load = 0;
    if (file >> load)
        return load;
    return std::nullopt;
}

} // namespace tessera::bench
