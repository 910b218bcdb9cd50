#include "app/bench/device_ceilings.h"

#include "app/bench/sample_statistics.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

namespace tessera::bench {

namespace {

using Stop = std::function<bool()>;
constexpr std::size_t mebibyte = std::size_t(1) << 20;

bool stopped(const Stop &stop) { return stop && stop(); }

template <class Sample> double medianOf(int warmups, int samples, Sample &&sample) {
    std::vector<double> times;
    for (int i = 0; i < warmups + samples; ++i) {
        const double ms = sample(i);
        if (i >= warmups)
            times.push_back(ms);
    }
    return summarize(times).median;
}

// One large block that sources and targets are taken from in turns.
class CopyTrack {
public:
    CopyTrack(DeviceSession &session, std::size_t bytes) : session_(session), bytes_(bytes) {
        TESSERA_CUDA_CHECK(cudaMemset(block_.reserve(bytes), 1, bytes));
    }

    // The better of the driver's copy and a kernel of our own: bytes read plus written a second.
    double rate(std::size_t each, bool cold) {
        const std::size_t places = cold ? std::max<std::size_t>(bytes_ / (2 * each), 1) : 1;
        const auto at = [&](int i) {
            return static_cast<std::byte *>(block_.data()) + std::size_t(i) % places * 2 * each;
        };
        const auto driver = [&](int i) {
            TESSERA_CUDA_CHECK(cudaMemcpyAsync(at(i) + each, at(i), each, cudaMemcpyDeviceToDevice, session_.stream()));
        };
        const auto kernel = [&](int i) {
            cuda::launchCopy(at(i), at(i) + each, each, session_.properties.multiprocessors, session_.stream());
        };
        const double ms = std::min(medianOf(10, 40, [&](int i) { return session_.measure([&] { driver(i); }); }),
                                   medianOf(10, 40, [&](int i) { return session_.measure([&] { kernel(i); }); }));
        return 2e3 * double(each) / ms;
    }

private:
    DeviceSession &session_;
    std::size_t bytes_;
    cuda::DeviceBuffer block_;
};

void measureCopies(DeviceSession &session, DeviceCeilings &ceilings, const Stop &stop) {
    std::size_t free = 0, total = 0;
    TESSERA_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    const std::size_t track = std::min(8192 * mebibyte, free / 2) / mebibyte * mebibyte;
    CopyTrack copies(session, track);
    for (std::size_t each = mebibyte; 2 * each <= track && !stopped(stop); each *= 4)
        ceilings.hot.push_back({2.0 * double(each), copies.rate(each, false)});
    // A rate of smaller ones would be that of starting a kernel, no limit of memory.
    for (std::size_t each = 64 * mebibyte; 2 * each <= track && !stopped(stop); each *= 2)
        ceilings.cold.push_back({2.0 * double(each), copies.rate(each, true)});
}

std::optional<double> peakOf(DeviceSession &session, model::ArithmeticUnit unit, void *sink, const Stop &stop) {
    double best = 0;
    for (int loop = 0; loop < cuda::peakLoopCount(unit) && !stopped(stop); ++loop) {
        double operations = 0;
        const double ms = medianOf(5, 15, [&](int) {
            return session.measure([&] {
                operations =
                    cuda::launchPeakLoop(unit, loop, session.properties.multiprocessors, sink, session.stream());
            });
        });
        best = std::max(best, 1e3 * operations / ms);
    }
    return best > 0 ? std::optional(best) : std::nullopt;
}

void measureTransfers(DeviceSession &session, DeviceCeilings &ceilings) {
    constexpr std::size_t bytes = 256 * mebibyte;
    cuda::PinnedBuffer host;
    cuda::DeviceBuffer device;
    std::memset(host.reserve(bytes), 1, bytes);
    device.reserve(bytes);
    const auto rate = [&](void *to, const void *from, cudaMemcpyKind kind) {
        return 1e3 * double(bytes) / medianOf(2, 9, [&](int) {
                   return session.measure(
                       [&] { TESSERA_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, session.stream())); });
               });
    };
    ceilings.upload = rate(device.data(), host.data(), cudaMemcpyHostToDevice);
    ceilings.download = rate(host.data(), device.data(), cudaMemcpyDeviceToHost);
}

double emptyCallMs(DeviceSession &session) {
    using Clock = std::chrono::steady_clock;
    return medianOf(50, 500, [&](int) {
        const auto start = Clock::now();
        cuda::launchNothing(session.stream());
        session.synchronize();
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    });
}

} // namespace

DeviceCeilings measureDeviceCeilings(DeviceSession &session, const Stop &stop) {
    session.makeCurrent();
    DeviceCeilings ceilings;
    cuda::DeviceBuffer sink;
    sink.reserve(256);
    ceilings.fp32 = peakOf(session, model::ArithmeticUnit::Fp32, sink.data(), stop);
    ceilings.half2 = peakOf(session, model::ArithmeticUnit::Half2, sink.data(), stop);
    if (session.properties.computeMajor >= 8)
        ceilings.tensor = peakOf(session, model::ArithmeticUnit::Tensor, sink.data(), stop);
    measureCopies(session, ceilings, stop);
    if (!stopped(stop))
        measureTransfers(session, ceilings);
    if (!stopped(stop))
        ceilings.emptyCallMs = emptyCallMs(session);
    return ceilings;
}

} // namespace tessera::bench
