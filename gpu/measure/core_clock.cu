#include "gpu/device/check.h"
#include "gpu/measure/core_clock.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::cuda {

namespace {

struct Stamp {
    long long cycles;
    unsigned long long nanoseconds; // 0: none
};

__global__ void stampClocks(Stamp *stamps, int multiprocessors) {
    unsigned place;
    asm volatile("mov.u32 %0, %smid;" : "=r"(place));
    if (place >= unsigned(multiprocessors))
        return;
    Stamp now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now.nanoseconds));
    now.cycles = clock64();
    stamps[place] = now;
}

} // namespace

CoreClock::CoreClock(int multiprocessors) : multiprocessors_(multiprocessors) {
    stamps_.reserve(2 * std::size_t(multiprocessors) * sizeof(Stamp));
}

void CoreClock::stamp(StreamView stream, int end) {
    Stamp *const stamps = reinterpret_cast<Stamp *>(stamps_.data()) + std::ptrdiff_t(end) * multiprocessors_;
    std::fill_n(stamps, multiprocessors_, Stamp{}); // the stream has done with those of the stretch before
    stampClocks<<<unsigned(multiprocessors_), 1, 0, stream>>>(stamps, multiprocessors_);
    TESSERA_CUDA_CHECK(cudaGetLastError());
}

std::optional<double> CoreClock::mhz() const {
    const Stamp *const first = reinterpret_cast<const Stamp *>(stamps_.data()), *const last = first + multiprocessors_;
    std::vector<double> found;
    for (int i = 0; i < multiprocessors_; ++i)
        if (first[i].nanoseconds > 0 && last[i].nanoseconds >= first[i].nanoseconds + 10'000)
            found.push_back(1e3 * double(last[i].cycles - first[i].cycles) /
                            double(last[i].nanoseconds - first[i].nanoseconds));
    if (found.empty())
        return std::nullopt;
    std::ranges::nth_element(found, found.begin() + std::ptrdiff_t(found.size() / 2));
    return found[found.size() / 2];
}

} // namespace tessera::cuda
