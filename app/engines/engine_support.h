// What engines on the host share: choosing a template by depth, copying channels that are not filtered, and the
// checks of a job that every engine makes.
#pragma once

#include "app/engines/engine.h"

#include <mutex>
#include <type_traits>

namespace tessera {

// Calls function(std::type_identity<T>{}) with the sample type of `depth`.
template <class Function> decltype(auto) withSampleType(Depth depth, Function &&function) {
    switch (depth) {
    case Depth::U8:
        return function(std::type_identity<std::uint8_t>{});
    case Depth::U16:
        return function(std::type_identity<std::uint16_t>{});
    case Depth::F32:
        break;
    }
    return function(std::type_identity<float>{});
}

// A sample that is not filtered: the same value, rounded and saturated where the target cannot hold it.
template <class Target, class Source> Target copySample(Source value) {
    if constexpr (std::is_same_v<Target, Source>)
        return value;
    else
        return finishValue<Target>(Finish{}, static_cast<float>(value)); // 16 bits fit a float exactly
}

// The bits of job.channelMask that the picture has.
inline unsigned filteredChannels(const ConvolutionJob &job) {
    return job.channelMask & ((1u << job.source.format.channels) - 1u);
}

// Throws Error{Internal} where the shapes of a job do not fit together and Error{Usage} where the divisor is 0 or not
// finite: mistakes of the caller, found before a pixel is touched.
void checkJob(const ConvolutionJob &job);

// Sum of |tap| over |divisor|: by how much the job can enlarge a value.
double gainOf(const ConvolutionJob &job);

// What engines multiply the taps and the divisor of float pictures by, a power of two: no bit of a quotient changes,
// but sums, which come before the division (a mean: of all taps 1), stay in the range of floats wherever the quotient
// does. 1 where the taps are small, and for integers, which never come near. Below 1e-36 the products of smaller taps
// lose bits, as the contract allows there. sumScaleKept(): a scale that makes no divisor smaller than 1, for those who
// do not divide by 1; terms that cancel may leave the range then.
double sumScale(const ConvolutionJob &job);
double sumScaleKept(const ConvolutionJob &job);
double sumScaleKept(const ConvolutionKernel &kernel, double divisor);

// Progress from several threads as one rising figure, one call at a time.
class SharedProgress {
public:
    SharedProgress(const RunControl &control, std::size_t parts) : control_(control), parts_(parts) {}

    void finishPart() {
        if (!control_.progress)
            return;
        const std::lock_guard lock(mutex_);
        control_.report(double(++finished_) / double(parts_));
    }

private:
    const RunControl &control_;
    const std::size_t parts_;
    std::size_t finished_ = 0;
    std::mutex mutex_;
};

// The processor's name as the system tells it; "CPU" where it does not.
std::string processorName();

} // namespace tessera
