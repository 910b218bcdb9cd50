#include "app/engines/engine_support.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace tessera {

namespace {

[[noreturn]] void reject(const std::string &why) {
    throw Error(ErrorKind::Internal, "a convolution job is malformed: " + why);
}

} // namespace

void checkJob(const ConvolutionJob &job) {
    const ConstPixelView &source = job.source;
    const Rectangle &region = job.region;
    if (job.kernel == nullptr || job.kernel->width < 1 || job.kernel->height < 1 ||
        job.kernel->taps.size() != std::size_t(job.kernel->width) * std::size_t(job.kernel->height))
        reject("it has no kernel, or one whose taps do not fit its size");
    if (source.data == nullptr || source.width < 1 || source.height < 1 || source.format.channels < 1 ||
        source.format.channels > 4)
        reject("it has no source picture");
    if (region.empty() || region.x < 0 || region.y < 0 || region.x > source.width - region.width ||
        region.y > source.height - region.height)
        reject("its region is not part of the picture");
    if (job.target.data == nullptr || job.target.width != region.width || job.target.height != region.height ||
        job.target.format.channels != source.format.channels)
        reject("its target does not have the region's size and the source's channels");
    if (!std::isfinite(job.finish.divisor) || job.finish.divisor == 0.0f)
        throw Error(ErrorKind::Usage, "the kernel's divisor is " + std::to_string(job.finish.divisor),
                    "give a divisor other than 0");
}

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("model name"))
            continue;
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "CPU";
}

double gainOf(const ConvolutionJob &job) { return job.kernel->magnitude() / std::fabs(double(job.finish.divisor)); }

namespace {

// The power of two that makes `excess` at most 1.
double scaleAway(double excess) { return excess > 1.0 ? std::exp2(-std::ceil(std::log2(excess))) : 1.0; }

} // namespace

double sumScale(const ConvolutionJob &job) {
    if (job.source.format.depth != Depth::F32)
        return 1.0;
    constexpr double largestFactor = 0x1p100; // that sums are multiplied by: far beyond, it is no float
    const double scale = scaleAway(job.kernel->magnitude());
    const bool fits = std::fabs(double(job.finish.divisor)) * scale * largestFactor >= 1.0;
    return fits ? scale : sumScaleKept(job);
}

double sumScaleKept(const ConvolutionKernel &kernel, double divisor) {
    return scaleAway(std::min(kernel.magnitude(), std::fabs(divisor)));
}

double sumScaleKept(const ConvolutionJob &job) {
    return job.source.format.depth == Depth::F32 ? sumScaleKept(*job.kernel, double(job.finish.divisor)) : 1.0;
}

double Engine::errorBound(const ConvolutionJob &job, double largest) const {
    // Every product, every addition and the division round once, and so do the taps: (n + 3) units of 2^-24 at worst.
    return gainOf(job) * largest * double(job.kernel->taps.size() + 3) * 0x1p-24;
}

} // namespace tessera
