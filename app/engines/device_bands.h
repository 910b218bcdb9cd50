// Pictures that want more memory than a device has, or may use, go through it in bands of rows, several at a time: one
// is computed while others are on their way to the device or back. Sizes alone; the work is the engine's.
#pragma once

#include "app/engines/engine.h"
#include "gpu/launch/plan.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace tessera {

inline constexpr int deviceBandsAtATime = 3; // one each way and one that is computed

struct DeviceBands {
    int rows = 0;      // of the region, in a band; the last one has what is left
    bool exact = true; // the result is that of the whole region at once to the last bit, else to within rounding
};

// Bytes of the device's memory that the job takes when it is done at once: pictures, and the workspace of transforms.
std::uint64_t deviceBytes(const ConvolutionJob &job, KernelVariant variant);

// Bands of which deviceBandsAtATime take no more than `budget` bytes. Nothing where none do: rows that wrap around need
// all of the picture, and some rows there must be.
std::optional<DeviceBands> deviceBands(const ConvolutionJob &job, KernelVariant variant, std::uint64_t budget);

// Bands of a large picture whose copies each way and whose computing overlap, to the last bit the result of the whole
// at once. Nothing where there is too little to overlap, bands would read much twice, or those under way together would
// take more than `budget` bytes. What holds a NaN some variants compute otherwise band by band: not asked here.
std::optional<DeviceBands> overlappingBands(const ConvolutionJob &job, KernelVariant variant,
                                            std::optional<std::uint64_t> budget);

// One picture at a time goes through a device in bands for want of memory: several would each count on all the memory
// that is free.
class BandTurns {
public:
    // Waits until nobody else has the turn, which lasts as long as what it returns. Throws Error{Cancelled} once a stop
    // was requested.
    std::unique_lock<std::timed_mutex> take(const RunControl &control);

private:
    std::timed_mutex mutex_;
};

// The part of the job that makes the band from row `first` of the region on.
ConvolutionJob bandOf(const ConvolutionJob &job, const DeviceBands &bands, int first);

// Runs a job's bands, deviceBandsAtATime of them at once on so many threads, the caller's among them; what `run` throws
// ends all of them. Times are summed, but for the total, which is the caller's. Progress is told on the calling
// thread's behalf, one call at a time.
using BandRunner = std::function<RunTimes(const ConvolutionJob &band)>;
RunTimes runInBands(const ConvolutionJob &job, const DeviceBands &bands, const RunControl &control,
                    const BandRunner &run);

// What a device must be sent: sourceWindow(), and of a variant whose tiles look at rows that they do not use, those as
// well, since they show in the last bits.
Rectangle deviceWindow(const ConvolutionJob &job, KernelVariant variant);

// In what form a job's pictures lie on the device: as they come and go, and as kernels take them, one channel or four.
// Where both are the same there is one picture.
struct DeviceFormats {
    PixelFormat raw, source, target, rawTarget;
};
DeviceFormats deviceFormats(const ConvolutionJob &job);

// Bytes a row of the device's pictures takes.
std::ptrdiff_t devicePitch(int width, PixelFormat format);

// The most that one picture may take of a device's memory: TESSERA_GPU_MEMORY, bytes or with K, M or G behind (of
// 1024). Throws Error{Usage} where that is something else.
std::optional<std::uint64_t> deviceMemoryLimit();

} // namespace tessera
