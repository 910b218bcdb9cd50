#include "app/engines/cpu/cpu_engine.h"

#include "app/engines/engine_support.h"

#include <algorithm>
#include <chrono>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int rowsPerBand = 32; // enough rows to share the halo's conversion, few enough to cancel and balance well

// Converts one row of the source, border columns included, so that the inner loops run over plain float memory.
class RowReader {
public:
    explicit RowReader(const ConvolutionJob &job) : job_(job) {
        const int width = job.region.width + job.kernel->width - 1;
        columns_.resize(std::size_t(width));
        for (int x = 0; x < width; ++x)
            columns_[std::size_t(x)] =
                borderIndex(job.border.mode, job.region.x - job.kernel->anchorX + x, job.source.width);
    }

    std::size_t samples() const { return columns_.size() * std::size_t(job_.source.format.channels); }

    template <class Source> void read(int y, float *to) const {
        const int channels = job_.source.format.channels;
        const float outside = job_.border.mode == BorderMode::Constant ? float(job_.border.constant) : 0.0f;
        const int row = borderIndex(job_.border.mode, y, job_.source.height);
        if (row < 0) {
            std::fill_n(to, samples(), outside);
            return;
        }
        const Source *from = job_.source.row<Source>(row);
        for (const int column : columns_)
            for (int channel = 0; channel < channels; ++channel)
                *to++ = column < 0 ? outside : float(from[column * channels + channel]);
    }

private:
    const ConvolutionJob &job_;
    std::vector<int> columns_;
};

void addScaled(float *sums, const float *row, float tap, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        sums[i] += tap * row[i];
}

template <class Source, class Target>
void finishRow(const ConvolutionJob &job, int row, const std::vector<float> &sums) {
    const int channels = job.source.format.channels;
    const Source *source = job.source.row<Source>(job.region.y + row) + std::ptrdiff_t(job.region.x) * channels;
    Target *target = job.target.row<Target>(row);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const unsigned channel = unsigned(i % std::size_t(channels));
        target[i] =
            job.channelMask >> channel & 1u ? finishValue<Target>(job.finish, sums[i]) : copySample<Target>(source[i]);
    }
}

// Keeps the kernel's height of converted rows in a ring while it moves down the band.
template <class Source, class Target>
void convolveBand(const ConvolutionJob &job, const RowReader &reader, int firstRow, int endRow,
                  const RunControl &control) {
    const ConvolutionKernel &kernel = *job.kernel;
    const std::size_t channels = std::size_t(job.source.format.channels);
    const std::size_t samples = reader.samples();
    std::vector<float> ring(samples * std::size_t(kernel.height));
    std::vector<float> sums(std::size_t(job.region.width) * channels);
    const auto ringRow = [&](int index) { return ring.data() + std::size_t(index % kernel.height) * samples; };
    const int top = job.region.y - kernel.anchorY;
    for (int i = firstRow; i < firstRow + kernel.height - 1; ++i)
        reader.read<Source>(top + i, ringRow(i));

    for (int row = firstRow; row < endRow; ++row) {
        control.checkpoint();
        const int newest = row + kernel.height - 1;
        reader.read<Source>(top + newest, ringRow(newest));
        std::ranges::fill(sums, 0.0f);
        for (int v = 0; v < kernel.height; ++v)
            for (int u = 0; u < kernel.width; ++u)
                if (const float tap = float(kernel.at(u, v)); tap != 0.0f)
                    addScaled(sums.data(), ringRow(row + v) + std::size_t(u) * channels, tap, sums.size());
        finishRow<Source, Target>(job, row, sums);
    }
}

class CpuEngine final : public Engine {
public:
    explicit CpuEngine(ThreadPool &pool) : pool_(pool) {}

    std::string_view name() const override { return "cpu"; }
    DeviceKind deviceKind() const override { return DeviceKind::Cpu; }
    std::string deviceId() const override { return "cpu"; }
    std::string deviceName() const override { return processorName(); }
    std::vector<VariantInfo> variants() const override {
        return {{"cpu", "CPU, all cores",
                 "Rows converted once to float and summed tap by tap, bands of rows on all cores"}};
    }
    std::string refusal(const ConvolutionJob &job) const override {
        return job.variant.empty() || job.variant == "cpu" ? ""
                                                           : "cpu has no variant '" + std::string(job.variant) + "'";
    }

    RunTimes convolve(const ConvolutionJob &job, const RunControl &control) override {
        const Clock::time_point start = Clock::now();
        checkJob(job);
        if (const std::string reason = refusal(job); !reason.empty())
            throw Error(ErrorKind::Usage, reason);
        const RowReader reader(job);
        withSampleType(job.source.format.depth, [&]<class Source>(std::type_identity<Source>) {
            withSampleType(job.target.format.depth, [&]<class Target>(std::type_identity<Target>) {
                convolveBands<Source, Target>(job, reader, control);
            });
        });
        RunTimes times;
        times.totalMs = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        times.kernelMs = times.totalMs;
        times.variant = "cpu";
        return times;
    }

private:
    template <class Source, class Target>
    void convolveBands(const ConvolutionJob &job, const RowReader &reader, const RunControl &control) {
        const int bands = (job.region.height + rowsPerBand - 1) / rowsPerBand;
        SharedProgress progress(control, std::size_t(bands));
        pool_.parallelFor(std::size_t(bands), [&](std::size_t band) {
            const int first = int(band) * rowsPerBand;
            convolveBand<Source, Target>(job, reader, first, std::min(first + rowsPerBand, job.region.height), control);
            progress.finishPart();
        });
    }

    ThreadPool &pool_;
};

} // namespace

std::shared_ptr<Engine> makeCpuEngine(ThreadPool &pool) { return std::make_shared<CpuEngine>(pool); }

} // namespace tessera
