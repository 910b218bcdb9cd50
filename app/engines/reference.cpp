#include "app/engines/reference.h"

#include "app/core/thread_pool.h"
#include "app/engines/engine_support.h"
#include "app/engines/reach.h"

#include <cmath>

namespace tessera {

namespace {

// `negligible`: negligibleTap() of the job's kernel.
template <class Source> double sumOfProducts(const ConvolutionJob &job, int x, int y, int channel, double negligible) {
    const ConvolutionKernel &kernel = *job.kernel;
    const ConstPixelView &source = job.source;
    double sum = 0;
    for (int v = 0; v < kernel.height; ++v) {
        const int row = borderIndex(job.border.mode, y + v - kernel.anchorY, source.height);
        for (int u = 0; u < kernel.width; ++u) {
            const int column = borderIndex(job.border.mode, x + u - kernel.anchorX, source.width);
            double value = job.border.mode == BorderMode::Constant ? job.border.constant : 0.0;
            if (row >= 0 && column >= 0)
                value = double(source.row<Source>(row)[column * source.format.channels + channel]);
            if (std::is_integral_v<Source> || std::isfinite(value) || std::fabs(kernel.at(u, v)) > negligible)
                sum += kernel.at(u, v) * value;
        }
    }
    return sum;
}

template <class Source, class Target> void convolveRow(const ConvolutionJob &job, int row, double negligible) {
    const int channels = job.source.format.channels;
    const int y = job.region.y + row;
    Target *target = job.target.row<Target>(row);
    for (int column = 0; column < job.region.width; ++column) {
        const int x = job.region.x + column;
        for (int channel = 0; channel < channels; ++channel, ++target) {
            if (job.channelMask >> channel & 1u)
                *target = finishValue<Target>(job.finish, sumOfProducts<Source>(job, x, y, channel, negligible));
            else
                *target = copySample<Target>(job.source.row<Source>(y)[x * channels + channel]);
        }
    }
}

} // namespace

double referenceValue(const ConvolutionJob &job, int x, int y, int channel) {
    const double sum = withSampleType(job.source.format.depth, [&]<class Source>(std::type_identity<Source>) {
        return sumOfProducts<Source>(job, x, y, channel, negligibleTap(*job.kernel));
    });
    return sum / double(job.finish.divisor) + double(job.finish.offset);
}

void convolveReference(const ConvolutionJob &job, const RunControl &control) {
    checkJob(job);
    const double negligible = negligibleTap(*job.kernel);
    const auto convolve = [&]<class Source>(std::type_identity<Source>) {
        withSampleType(job.target.format.depth, [&]<class Target>(std::type_identity<Target>) {
            ThreadPool::shared().parallelFor(std::size_t(job.region.height), [&](std::size_t row) {
                control.checkpoint();
                convolveRow<Source, Target>(job, int(row), negligible);
            });
        });
    };
    withSampleType(job.source.format.depth, convolve);
}

} // namespace tessera
