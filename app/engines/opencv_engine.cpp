#include "app/engines/opencv_engine.h"

#include "app/core/thread_pool.h"
#include "app/engines/engine_support.h"
#include "app/engines/reach.h"
#include "app/engines/source_window.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <chrono>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

int openCvDepth(Depth depth) { return depth == Depth::U8 ? CV_8U : depth == Depth::U16 ? CV_16U : CV_32F; }

// Sums stay unrounded and unsaturated, in a type that holds them: 16-bit pixels times a large kernel need more than
// the 24 bits of a float for the last level to be right.
int sumDepth(Depth depth) { return depth == Depth::U16 ? CV_64F : CV_32F; }

int openCvBorder(BorderMode mode) {
    switch (mode) {
    case BorderMode::Replicate:
        return cv::BORDER_REPLICATE;
    case BorderMode::Reflect:
        return cv::BORDER_REFLECT;
    case BorderMode::Reflect101:
        return cv::BORDER_REFLECT_101;
    default:
        return cv::BORDER_CONSTANT;
    }
}

cv::Mat wholePicture(const ConstPixelView &view) {
    const int type = CV_MAKETYPE(openCvDepth(view.format.depth), view.format.channels);
    // filter2D only reads its source; OpenCV has no read-only Mat.
    return {view.height, view.width, type, const_cast<std::byte *>(view.data), std::size_t(view.pitch)};
}

// From so many taps on (11x11) filter2D goes by way of the Fourier transform.
constexpr int tapsOfFourier = 121;

// filter2D's own borders have no wrap and no constant but 0, and its folding modes are made for kernels that fit into
// the picture; by way of the transform they are wrong where the origin is not the kernel's middle (OpenCV 4.6 and 5.0).
bool canUseOwnBorder(const ConvolutionJob &job) {
    const ConvolutionKernel &kernel = *job.kernel;
    const bool modeFits =
        job.border.mode != BorderMode::Wrap && (job.border.mode != BorderMode::Constant || job.border.constant == 0.0);
    const bool folds = job.border.mode == BorderMode::Reflect || job.border.mode == BorderMode::Reflect101;
    const bool centred = 2 * kernel.anchorX + 1 == kernel.width && 2 * kernel.anchorY + 1 == kernel.height;
    if (folds && !centred && kernel.width * kernel.height >= tapsOfFourier)
        return false;
    return modeFits && job.region == job.source.bounds() && job.kernel->width <= job.source.width &&
           job.kernel->height <= job.source.height;
}

// The region and its halo as float or double, with the border already resolved.
template <class Source, class Padded> cv::Mat paddedRegion(const ConvolutionJob &job) {
    const ConvolutionKernel &kernel = *job.kernel;
    const int channels = job.source.format.channels;
    const Padded outside = job.border.mode == BorderMode::Constant ? Padded(job.border.constant) : Padded(0);
    const int height = job.region.height + kernel.height - 1;
    const int width = job.region.width + kernel.width - 1;
    cv::Mat padded(height, width, CV_MAKETYPE(cv::DataType<Padded>::depth, channels));
    std::vector<int> columns(static_cast<std::size_t>(width));
    for (int x = 0; x < width; ++x)
        columns[std::size_t(x)] = borderIndex(job.border.mode, job.region.x - kernel.anchorX + x, job.source.width);

    ThreadPool::shared().parallelFor(std::size_t(height), [&](std::size_t y) {
        const int row = borderIndex(job.border.mode, job.region.y - kernel.anchorY + int(y), job.source.height);
        const Source *from = row < 0 ? nullptr : job.source.row<Source>(row);
        Padded *to = padded.ptr<Padded>(int(y));
        for (const int column : columns)
            for (int channel = 0; channel < channels; ++channel)
                *to++ = from == nullptr || column < 0 ? outside : Padded(from[column * channels + channel]);
    });
    return padded;
}

cv::Mat paddedRegion(const ConvolutionJob &job) {
    return withSampleType(job.source.format.depth, [&]<class Source>(std::type_identity<Source>) {
        using Padded = std::conditional_t<std::is_same_v<Source, std::uint16_t>, double, float>;
        return paddedRegion<Source, Padded>(job);
    });
}

cv::Mat tapsOf(const ConvolutionKernel &kernel) {
    return {kernel.height, kernel.width, CV_64F, const_cast<double *>(kernel.taps.data())};
}

// `padded`: the region and its halo. A part of a larger Mat: filter2D reads the surrounding pixels, which are the halo,
// so its border never counts.
cv::Mat sumsOfPadded(const ConvolutionJob &job, const cv::Mat &padded, int depth) {
    const ConvolutionKernel &kernel = *job.kernel;
    const cv::Mat region = padded(cv::Rect(kernel.anchorX, kernel.anchorY, job.region.width, job.region.height));
    cv::Mat result;
    cv::filter2D(region, result, depth, tapsOf(kernel), {kernel.anchorX, kernel.anchorY}, 0.0, cv::BORDER_CONSTANT);
    return result;
}

// The sums of products over the region.
cv::Mat sums(const ConvolutionJob &job) {
    const int depth = sumDepth(job.source.format.depth);
    if (!canUseOwnBorder(job))
        return sumsOfPadded(job, paddedRegion(job), depth);
    cv::Mat result;
    cv::filter2D(wholePicture(job.source), result, depth, tapsOf(*job.kernel),
                 {job.kernel->anchorX, job.kernel->anchorY}, 0.0, openCvBorder(job.border.mode));
    return result;
}

// In the transform a value that is not finite spoils a whole block, as does one whose sums leave the range of floats.
bool isHardForFourier(const ConvolutionJob &job, const SampleMask &reached) {
    constexpr double blockGrowth = 1e8; // sums over a block, there and back, with much room
    const double growth = blockGrowth * std::max(1.0, job.kernel->magnitude());
    return !reached.empty() ||
           largestMagnitude(job.source.part(sourceWindow(job))) > double(std::numeric_limits<float>::max()) / growth;
}

// In double, which has room for them all, of the finite values; `reached` outputs are made NaN.
cv::Mat guardedSums(const ConvolutionJob &job, const SampleMask &reached) {
    cv::Mat padded = paddedRegion<float, double>(job);
    padded.reshape(1).forEach<double>([](double &value, const int *) { value = std::isfinite(value) ? value : 0.0; });
    cv::Mat result = sumsOfPadded(job, padded, CV_64F);
    const int channels = result.channels();
    for (int y = 0; y < reached.height; ++y)
        for (int i = 0; i < reached.width * channels; ++i)
            if (reached.row(y)[i / channels] >> (i % channels) & 1)
                result.ptr<double>(y)[i] = std::numeric_limits<double>::quiet_NaN();
    return result;
}

// The job's kernel and divisor times sumScale().
ConvolutionKernel scaleSums(ConvolutionJob &job) {
    const double scale = sumScale(job);
    ConvolutionKernel kernel = *job.kernel;
    for (double &tap : kernel.taps)
        tap *= scale;
    job.finish.divisor *= float(scale);
    return kernel;
}

template <class Source, class Target> void finish(const ConvolutionJob &job, const cv::Mat &sums) {
    const int channels = job.source.format.channels;
    const unsigned filtered = filteredChannels(job);
    const auto finishRow = [&]<class Sum>(std::type_identity<Sum>, int y) {
        const Sum *sum = sums.ptr<Sum>(y);
        const Source *source = job.source.row<Source>(job.region.y + y) + std::ptrdiff_t(job.region.x) * channels;
        Target *target = job.target.row<Target>(y);
        for (int i = 0, channel = 0; i < job.region.width * channels; ++i) {
            target[i] =
                filtered >> channel & 1u ? finishValue<Target>(job.finish, sum[i]) : copySample<Target>(source[i]);
            channel = channel + 1 == channels ? 0 : channel + 1;
        }
    };
    ThreadPool::shared().parallelFor(std::size_t(job.region.height), [&](std::size_t y) {
        if (sums.depth() == CV_64F)
            finishRow(std::type_identity<double>{}, int(y));
        else
            finishRow(std::type_identity<float>{}, int(y));
    });
}

class OpencvEngine final : public Engine {
public:
    std::string_view name() const override { return "opencv"; }
    DeviceKind deviceKind() const override { return DeviceKind::Cpu; }
    std::string deviceId() const override { return "cpu"; }
    std::string deviceName() const override { return processorName(); }
    int workingCopies() const override { return 4; } // with its border, and the sums, both in double
    std::vector<VariantInfo> variants() const override {
        return {{"opencv", "OpenCV filter2D",
                 "The library most programs use on the CPU: direct sums for small kernels, a Fourier transform for "
                 "large ones"}};
    }
    std::string refusal(const ConvolutionJob &job) const override {
        return job.variant.empty() || job.variant == "opencv"
                   ? ""
                   : "opencv has no variant '" + std::string(job.variant) + "'";
    }

    // One call of filter2D can't be interrupted: cancellation takes effect before and after it.
    RunTimes convolve(const ConvolutionJob &wanted, const RunControl &control) override {
        const Clock::time_point start = Clock::now();
        checkJob(wanted);
        if (const std::string reason = refusal(wanted); !reason.empty())
            throw Error(ErrorKind::Usage, reason);
        control.checkpoint();
        ConvolutionJob job = wanted;
        const ConvolutionKernel kernel = scaleSums(job);
        job.kernel = &kernel;
        RunTimes times;
        times.variant = "opencv";
        times.roundsLocally = job.kernel->width * job.kernel->height < tapsOfFourier;
        try {
            const bool byFourier = job.source.format.depth == Depth::F32 && !times.roundsLocally;
            const SampleMask reached = byFourier ? reachedOutputs(nonfiniteSamples(job.source), rectangleOf(kernel),
                                                                  job.border.mode, job.region)
                                                 : SampleMask();
            const bool guarded = byFourier && isHardForFourier(job, reached);
            const cv::Mat unfinished = guarded ? guardedSums(job, reached) : sums(job);
            if (!reached.empty())
                times.note = "OpenCV's Fourier transform takes no NaN and no infinities: what they reach became NaN";
            times.kernelMs = millisecondsSince(start);
            control.checkpoint();
            withSampleType(job.source.format.depth, [&]<class Source>(std::type_identity<Source>) {
                withSampleType(job.target.format.depth, [&]<class Target>(std::type_identity<Target>) {
                    finish<Source, Target>(job, unfinished);
                });
            });
        } catch (const cv::Exception &failure) {
            throw Error(failure.code == cv::Error::StsNoMem ? ErrorKind::Limit : ErrorKind::Internal,
                        "OpenCV could not filter the picture: " + failure.err, "use the variant cpu");
        }
        control.report(1.0);
        times.totalMs = millisecondsSince(start);
        return times;
    }
};

} // namespace

std::shared_ptr<Engine> makeOpencvEngine() { return std::make_shared<OpencvEngine>(); }

} // namespace tessera
