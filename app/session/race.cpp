#include "app/session/race.h"

#include "app/engines/reference.h"
#include "app/session/step_plan.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The convolutions of the step on the picture, and what is needed to run them.
class RaceTrack {
public:
    RaceTrack(const Image &picture, const FilterStep &step)
        : picture_(picture), plan_(planStep(step, picture.format(), false)),
          target_(picture.width(), picture.height(), picture.format()) {}

    std::size_t kernels() const { return plan_.kernels.size(); }
    Rectangle whole() const { return picture_.view().bounds(); }

    ConvolutionJob job(std::size_t kernel, const Rectangle &region, const PixelView &target) const {
        ConvolutionJob job;
        job.source = picture_.view();
        job.target = target;
        job.region = region;
        job.kernel = &plan_.kernels[kernel];
        job.border = plan_.border;
        job.finish.divisor = float(plan_.divisors[kernel]);
        job.finish.offset = float(plan_.offset);
        job.channelMask = plan_.channels;
        return job;
    }
    ConvolutionJob wholeJob(std::size_t kernel) { return job(kernel, whole(), target_.view()); }

    // Parts that show borders and the inside, small enough for the plain reference whatever the kernel.
    std::vector<Rectangle> samples() const {
        const double taps = double(plan_.kernels.front().width) * plan_.kernels.front().height;
        const int side = std::clamp(int(std::sqrt(4e7 / (taps * picture_.format().channels))), 16, 128);
        const int width = std::min(side, picture_.width()), height = std::min(side, picture_.height());
        const int right = picture_.width() - width, bottom = picture_.height() - height;
        std::vector<Rectangle> parts{{0, 0, width, height}};
        for (const Rectangle &part :
             {Rectangle{right / 2, bottom / 2, width, height}, Rectangle{right, bottom, width, height}})
            if (!(part == parts.back()))
                parts.push_back(part);
        return parts;
    }

private:
    const Image &picture_;
    StepPlan plan_;
    Image target_;
};

// Errors are taken before rounding, on float targets: rounding would hide all of them behind half a level.
void measureError(Engine &engine, const RaceTrack &track, RaceRow &row, const RunControl &control) {
    double largest = 0, squares = 0, reference = 0;
    for (const Rectangle &part : track.samples()) {
        ConvolutionJob job = track.job(0, part, {});
        const PixelFormat floats{Depth::F32, job.source.format.channels};
        Image wanted(part.width, part.height, floats), got(part.width, part.height, floats);
        job.target = wanted.view();
        convolveReference(job, control);
        job.target = got.view();
        job.variant = row.variant;
        if (const std::string refusal = engine.refusal(job); !refusal.empty())
            return; // this variant writes no floats: the error stays unknown
        engine.convolve(job, control);
        for (int y = 0; y < part.height; ++y) {
            const float *a = wanted.view().row<float>(y), *b = got.view().row<float>(y);
            for (int i = 0; i < part.width * floats.channels; ++i) {
                const double delta = double(b[i]) - double(a[i]);
                largest = std::max(largest, std::abs(delta));
                squares += delta * delta;
                reference += double(a[i]) * double(a[i]);
            }
        }
    }
    row.maximumError = largest;
    row.relativeL2 = reference > 0 ? std::sqrt(squares / reference) : std::sqrt(squares);
}

struct Timings {
    std::vector<double> total, kernel, copy;

    void add(const RunTimes &sum, bool knowsKernel, bool knowsCopy) {
        total.push_back(sum.totalMs);
        if (knowsKernel)
            kernel.push_back(*sum.kernelMs);
        if (knowsCopy)
            copy.push_back(*sum.copyMs);
    }
    void show(RaceRow &row) const {
        row.samples = int(total.size());
        row.medianMs = medianOf(total);
        const auto [fastest, slowest] = std::minmax_element(total.begin(), total.end());
        row.fastestMs = *fastest;
        row.slowestMs = *slowest;
        if (kernel.size() == total.size())
            row.kernelMs = medianOf(kernel);
        if (copy.size() == total.size())
            row.copyMs = medianOf(copy);
    }
};

// All kernels of the step once.
void runOnce(Engine &engine, RaceTrack &track, RaceRow &row, const RunControl &control, Timings *timings) {
    RunTimes sum;
    sum.kernelMs = sum.copyMs = 0.0;
    bool knowsKernel = true, knowsCopy = true;
    for (std::size_t k = 0; k < track.kernels(); ++k) {
        ConvolutionJob job = track.wholeJob(k);
        job.variant = row.variant;
        const RunTimes times = engine.convolve(job, control);
        sum.totalMs += times.totalMs;
        knowsKernel = knowsKernel && times.kernelMs;
        knowsCopy = knowsCopy && times.copyMs;
        *sum.kernelMs += times.kernelMs.value_or(0);
        *sum.copyMs += times.copyMs.value_or(0);
        if (const std::string &remark = times.note.empty() ? times.plan : times.note; !remark.empty())
            row.note = remark;
    }
    if (timings)
        timings->add(sum, knowsKernel, knowsCopy);
}

void raceOne(Engine &engine, RaceTrack &track, RaceRow &row, const RaceOptions &options, const RunControl &control,
             const std::function<void()> &changed) {
    ConvolutionJob job = track.wholeJob(0);
    job.variant = row.variant;
    if (std::string refusal = engine.refusal(job); !refusal.empty()) {
        row.state = RaceState::Refused;
        row.note = std::move(refusal);
        return;
    }
    row.state = RaceState::Running;
    changed();
    const auto idle = [&] {
        control.checkpoint();
        if (options.waitUntilIdle)
            options.waitUntilIdle();
        control.checkpoint();
    };
    idle();
    measureError(engine, track, row, control);
    changed();
    if (!row.simulated) {
        Timings timings;
        idle();
        Timings warmUp; // buffers are made and code is loaded outside the measurement
        runOnce(engine, track, row, control, &warmUp);
        double spent = warmUp.total.front() / 1000;
        for (int i = 0; i < options.samples && (i == 0 || spent < options.secondsPerVariant); ++i) {
            idle();
            runOnce(engine, track, row, control, &timings);
            spent += timings.total.back() / 1000;
            timings.show(row);
            changed();
        }
    }
    row.state = RaceState::Done;
}

} // namespace

std::vector<RaceRow> raceRows() {
    std::vector<RaceRow> rows;
    for (const auto &engine : availableEngines())
        for (const VariantInfo &variant : engine->variants()) {
            RaceRow row;
            row.engine = engine->name();
            row.device = engine->deviceName();
            row.variant = variant.name;
            row.title = variant.title;
            row.description = variant.description;
            row.simulated = engine->deviceKind() == DeviceKind::Simulator;
            rows.push_back(std::move(row));
        }
    return rows;
}

std::string raceJson(const std::vector<RaceRow> &rows) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const RaceRow &row : rows) {
        nlohmann::ordered_json json{
            {"variant", row.variant}, {"engine", row.engine}, {"device", row.device}, {"simulated", row.simulated}};
        const std::pair<const char *, std::optional<double>> figures[] = {
            {"median_ms", row.medianMs},    {"fastest_ms", row.fastestMs}, {"slowest_ms", row.slowestMs},
            {"kernel_ms", row.kernelMs},    {"copy_ms", row.copyMs},       {"max_error", row.maximumError},
            {"relative_l2", row.relativeL2}};
        for (const auto &[name, value] : figures)
            if (value)
                json[name] = *value;
        if (row.samples)
            json["samples"] = row.samples;
        if (!row.note.empty())
            json["note"] = row.note;
        list.push_back(std::move(json));
    }
    return list.dump(2) + "\n";
}

void runRace(const Image &picture, const FilterStep &step, const RaceOptions &options, const RunControl &control,
             const std::function<void(std::size_t, const RaceRow &)> &changed) {
    RaceTrack track(picture, step);
    std::vector<RaceRow> rows = raceRows();
    std::size_t index = 0;
    for (const auto &engine : availableEngines())
        for (std::size_t v = engine->variants().size(); v > 0; --v, ++index) {
            RaceRow &row = rows[index];
            row.wantedSamples = options.samples;
            row.fullRange = nominalMaximum(picture.format().depth);
            try {
                raceOne(*engine, track, row, options, control, [&] { changed(index, row); });
            } catch (const Error &error) {
                if (error.kind() == ErrorKind::Cancelled)
                    throw;
                row.state = RaceState::Failed;
                row.note = error.fullText();
            }
            changed(index, row);
        }
}

} // namespace tessera
