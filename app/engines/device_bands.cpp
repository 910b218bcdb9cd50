#include "app/engines/device_bands.h"

#include "app/engines/kernel_variants.h"
#include "app/engines/source_window.h"
#include "gpu/launch/fourier.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tessera {

namespace {

// Windows begin at a multiple of these pixels before the region, so that outputs keep to whole vectors of any type.
constexpr int windowAlignment = 16;

// A multiple of the rows of every variant's tiles but those of transforms.
constexpr int tileRows = 64;

constexpr int fewestRows = 16;

// Bytes of a row of the source, and of the target, in all the forms that they take on the device.
struct RowBytes {
    std::uint64_t source = 0, target = 0;
};

RowBytes rowBytes(const ConvolutionJob &job) {
    const DeviceFormats as = deviceFormats(job);
    const auto row = [](int width, PixelFormat format) { return std::uint64_t(devicePitch(width, format)); };
    const int sent = deviceWindow(job, KernelVariant::Naive).width;
    RowBytes bytes{row(sent, as.raw), row(job.region.width, as.target)};
    if (as.source != as.raw)
        bytes.source += row(sent, as.source);
    if (as.rawTarget != as.target)
        bytes.target += row(job.region.width, as.rawTarget);
    return bytes;
}

std::uint64_t workspaceBytes(const ConvolutionJob &job, KernelVariant variant) {
    return variant == KernelVariant::Fft ? planFourier(kernelShape(job)).workspaceBytes + fourierSpectrumBytes : 0;
}

std::uint64_t bandBytes(const ConvolutionJob &job, KernelVariant variant, const DeviceBands &bands) {
    std::uint64_t most = 0;
    for (int first = 0; first < job.region.height; first += bands.rows)
        most = std::max(most, deviceBytes(bandOf(job, bands, first), variant));
    return most;
}

// Transforms take a band's rows together, and other rows in other bands: as many as there are at a time anyway, if that
// is little enough.
std::optional<DeviceBands> bandsAsTransformed(const ConvolutionJob &job, std::uint64_t budget) {
    const DeviceBands bands{planFourier(kernelShape(job)).bandRows, true};
    if (bands.rows < job.region.height && bandBytes(job, KernelVariant::Fft, bands) <= budget)
        return bands;
    return std::nullopt;
}

} // namespace

DeviceFormats deviceFormats(const ConvolutionJob &job) {
    const PixelFormat from = job.source.format, to = job.target.format;
    const int channels = packedChannels(from.channels);
    return {from, {needsFloatSource(job) ? Depth::F32 : from.depth, channels}, {to.depth, channels}, to};
}

std::ptrdiff_t devicePitch(int width, PixelFormat format) {
    constexpr std::ptrdiff_t alignment = 256; // as cudaMallocPitch lays rows
    const std::ptrdiff_t bytes = std::ptrdiff_t(width) * format.bytesPerPixel();
    return (bytes + alignment - 1) / alignment * alignment;
}

Rectangle deviceWindow(const ConvolutionJob &job, KernelVariant variant) {
    Rectangle window = sourceWindow(job, windowAlignment);
    if (variant == KernelVariant::Tensor) {
        const int end = std::min(job.source.height, window.y + window.height + tileRows);
        window.y = std::max(0, window.y - tileRows);
        window.height = end - window.y;
    }
    return window;
}

std::uint64_t deviceBytes(const ConvolutionJob &job, KernelVariant variant) {
    const RowBytes bytes = rowBytes(job);
    return bytes.source * std::uint64_t(deviceWindow(job, variant).height) +
           bytes.target * std::uint64_t(job.region.height) + workspaceBytes(job, variant);
}

std::unique_lock<std::timed_mutex> BandTurns::take(const RunControl &control) {
    constexpr std::chrono::milliseconds step{5};
    std::unique_lock turn(mutex_, std::defer_lock);
    while (!turn.try_lock_for(step))
        control.checkpoint();
    return turn;
}

ConvolutionJob bandOf(const ConvolutionJob &job, const DeviceBands &bands, int first) {
    ConvolutionJob band = job;
    band.region.y += first;
    band.region.height = std::min(bands.rows, job.region.height - first);
    band.target = job.target.part({0, first, job.target.width, band.region.height});
    return band;
}

std::optional<DeviceBands> deviceBands(const ConvolutionJob &job, KernelVariant variant, std::uint64_t budget) {
    const std::uint64_t each = budget / deviceBandsAtATime;
    if (variant == KernelVariant::Fft)
        if (const auto bands = bandsAsTransformed(job, each))
            return bands;
    DeviceBands bands{job.region.height, variant != KernelVariant::Fft};
    while (bands.rows > fewestRows && bandBytes(job, variant, bands) > each) {
        const int half = (bands.rows + 1) / 2;
        bands.rows = half > tileRows ? (half + tileRows - 1) / tileRows * tileRows : half;
        if (bands.rows <= tileRows)
            bands.exact = bands.exact && variant != KernelVariant::Tensor;
    }
    if (bands.rows <= fewestRows && bandBytes(job, variant, bands) > each)
        return std::nullopt;
    return bands;
}

// Bands of some 9 MB were the fastest for 24 megapixels, larger ones for larger pictures (tests/bench/gpu-notes.md).
std::optional<DeviceBands> overlappingBands(const ConvolutionJob &job, KernelVariant variant,
                                            std::optional<std::uint64_t> budget) {
    constexpr std::uint64_t fewestBytes = std::uint64_t{8} << 20;
    constexpr int fewestBands = 3, mostBands = 8;
    const auto wholeTiles = [](int rows) { return (rows + tileRows - 1) / tileRows * tileRows; };
    const std::uint64_t row = std::uint64_t(devicePitch(job.region.width, job.source.format));
    const int worthwhile = int(std::min<std::uint64_t>(fewestBytes / row + 1, std::uint64_t(job.region.height)));
    const DeviceBands bands{wholeTiles(std::max({worthwhile, job.region.height / mostBands, tileRows + 1})), true};
    if (variant == KernelVariant::Fft || job.region.height < fewestBands * bands.rows)
        return std::nullopt;
    std::int64_t read = 0;
    for (int first = 0; first < job.region.height; first += bands.rows)
        read += deviceWindow(bandOf(job, bands, first), variant).height;
    if (read > std::int64_t(deviceWindow(job, variant).height) * 3 / 2)
        return std::nullopt;
    if (budget && bandBytes(job, variant, bands) * deviceBandsAtATime > *budget)
        return std::nullopt;
    return bands;
}

namespace {

class BandRun {
public:
    BandRun(const ConvolutionJob &job, const DeviceBands &bands, const RunControl &control, const BandRunner &run)
        : job_(job), bands_(bands), control_(control), run_(run) {}

    RunTimes finish() {
        {
            std::vector<std::jthread> others;
            try {
                for (int i = 1; i < deviceBandsAtATime; ++i)
                    others.emplace_back([this] { work(); });
            } catch (const std::system_error &) { // no more threads: fewer bands at a time
            }
            work();
        }
        if (failure_)
            std::rethrow_exception(failure_);
        return times_;
    }

private:
    void work() noexcept {
        try {
            for (int first = take(); first < job_.region.height; first = take()) {
                control_.checkpoint();
                add(run_(bandOf(job_, bands_, first)));
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_)
                failure_ = std::current_exception();
            next_ = job_.region.height;
        }
    }
    int take() {
        const std::lock_guard lock(mutex_);
        const int first = next_;
        next_ = std::min(next_ + bands_.rows, job_.region.height);
        return first;
    }
    void add(RunTimes times) {
        const std::lock_guard lock(mutex_);
        const RunTimes before = std::exchange(times_, std::move(times));
        if (done_ > 0) {
            times_.kernelMs = sumOfTimes(before.kernelMs, times_.kernelMs);
            times_.copyMs = sumOfTimes(before.copyMs, times_.copyMs);
            times_.roundsLocally = times_.roundsLocally && before.roundsLocally;
        }
        ++done_;
        control_.report(std::min(1.0, double(done_) * bands_.rows / job_.region.height));
    }

    const ConvolutionJob &job_;
    const DeviceBands &bands_;
    const RunControl &control_;
    const BandRunner &run_;
    std::mutex mutex_;
    RunTimes times_;
    std::exception_ptr failure_;
    int next_ = 0, done_ = 0;
};

} // namespace

RunTimes runInBands(const ConvolutionJob &job, const DeviceBands &bands, const RunControl &control,
                    const BandRunner &run) {
    return BandRun(job, bands, control, run).finish();
}

std::optional<std::uint64_t> deviceMemoryLimit() {
    const char *const given = std::getenv("TESSERA_GPU_MEMORY");
    if (given == nullptr || *given == '\0')
        return std::nullopt;
    const std::string_view text = given;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(std::size_t(end - text.data()));
    const std::size_t letter = unit.empty() ? 0 : std::string_view("KMG").find(char(std::toupper(unit[0])));
    const std::size_t power = unit.empty() ? 0 : letter + 1;
    if (error != std::errc() || value == 0 || unit.size() > 1 || letter > 2 || value >> (63 - 10 * power) != 0)
        throw Error(ErrorKind::Usage, "the environment's TESSERA_GPU_MEMORY is '" + std::string(text) + "', no size",
                    "set it to bytes or to a size such as 2G, or leave it out");
    return value << (10 * power);
}

} // namespace tessera
