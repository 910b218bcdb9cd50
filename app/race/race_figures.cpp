#include "app/race/race_figures.h"

#include "app/bench/algorithm.h"
#include "app/engines/cpu/convolution_plan.h"
#include "app/engines/kernel_variants.h"
#include "gpu/model/explain.h"

#include <algorithm>

namespace tessera {

namespace {

using model::SiteKind;

// Accesses that the recording simulator may keep for one row: some seconds at the worst. Beyond, the model counts.
constexpr std::int64_t mostRecorded = 1'500'000;

bool isLesson(const std::string &variant) {
    return std::ranges::find(kernelVariants, std::string_view(variant), kernelVariantName) != kernelVariants.end();
}

double valuesOf(const RaceTrack &track) {
    return double(track.picture().width()) * track.picture().height() * track.channels();
}

// What a plain reading of the definition asks for.
void describeDense(const RaceTrack &track, RaceRow &row) {
    const Image &picture = track.picture();
    const double kernels = double(track.kernels());
    row.bytes = 2 * kernels * double(picture.width()) * picture.height() * picture.format().bytesPerPixel();
    double operations = 0;
    for (const ConvolutionKernel &kernel : track.plan().kernels)
        operations += 2 * valuesOf(track) * kernel.width * kernel.height;
    row.operations = operations;
    row.dense = true;
    row.unit = bench::arithmeticUnitOf(row.variant);
}

void describeCpu(const RaceTrack &track, RaceRow &row) {
    const Image &picture = track.picture();
    double operations = 0;
    for (const ConvolutionKernel &kernel : track.plan().kernels) {
        const cpu::ConvolutionPlan plan =
            cpu::planConvolution(kernel, {picture.width(), picture.height(), picture.format()});
        const bool everyTap = plan.method == cpu::Method::Dense || plan.method == cpu::Method::Listed;
        row.dense = row.dense && everyTap;
        const double taps = plan.method == cpu::Method::LowRank
                                ? double(plan.terms) * (plan.core.width + plan.core.height)
                                : double(plan.taps);
        operations += 2 * valuesOf(track) * taps;
        if (plan.method == cpu::Method::Fourier)
            row.operations.reset();
        row.explanation =
            std::string(cpu::methodName(plan.method)) + " method, vector instructions on all cores; " + plan.reason;
    }
    if (row.operations)
        row.operations = operations;
}

void describeOpenCv(const RaceTrack &track, RaceRow &row) {
    const ConvolutionKernel &kernel = track.plan().kernels.front();
    row.dense = kernel.width * kernel.height < 121; // as bench::countsDenseWork says
    if (row.dense) {
        row.explanation = "Every tap is multiplied, one pass over the picture a row of taps";
    } else {
        row.operations.reset();
        row.explanation = "From 11 x 11 taps on filter2D takes a Fourier transform instead of sums";
    }
}

RaceCounts countsOf(const model::ConvolutionModel &model) {
    RaceCounts counts;
    counts.globalReads = model.total(SiteKind::GlobalLoad, &model::SiteCounts::accesses);
    counts.globalWrites = model.total(SiteKind::GlobalStore, &model::SiteCounts::accesses);
    counts.sectors = model.movedBytes() / 32;
    counts.bankConflicts = model.bankConflicts();
    counts.divergentWarps = model.divergentWarps;
    counts.simulated = false;
    return counts;
}

RaceCounts countsOf(const sim::ConvolutionSimulation &simulation) {
    const sim::SimulationReport &report = simulation.report;
    RaceCounts counts;
    counts.globalReads = std::int64_t(report.total(sim::AccessKind::GlobalLoad, &sim::SiteCounts::accesses));
    counts.globalWrites = std::int64_t(report.total(sim::AccessKind::GlobalStore, &sim::SiteCounts::accesses));
    counts.sectors = std::int64_t(report.total(sim::AccessKind::GlobalLoad, &sim::SiteCounts::sectors) +
                                  report.total(sim::AccessKind::GlobalStore, &sim::SiteCounts::sectors));
    for (const sim::SiteCounts &site : report.sites)
        counts.bankConflicts += std::int64_t(site.bankConflicts());
    counts.divergentWarps = std::int64_t(report.divergentBranches);
    counts.races = std::ranges::count(report.faults, sim::FaultKind::Race, &sim::Fault::kind);
    counts.sampled = simulation.sampled();
    return counts;
}

double passesOf(const model::ConvolutionModel &model) {
    double passes = 0;
    for (const model::SiteModel &site : model.sites)
        passes += site.kind == SiteKind::GlobalLoad || site.kind == SiteKind::GlobalStore
                      ? std::max(double(site.counts.requests), double(site.counts.sectors) / 4)
                      : double(site.counts.passes);
    return passes;
}

int lanesOf(const InspectedDevice &gpu) {
    const bool narrow =
        gpu.multiprocessor && (gpu.multiprocessor->computeMajor < 8 ||
                               (gpu.multiprocessor->computeMajor == 8 && gpu.multiprocessor->computeMinor == 0));
    return narrow ? 64 : 128;
}

InspectionRequest requestOf(const RaceTrack &track, const InspectedDevice &gpu, const RaceRow &row) {
    InspectionRequest request;
    request.variant = parseVariant(row.variant, KernelVariant::Tiled);
    request.width = track.picture().width();
    request.height = track.picture().height();
    request.pixel = pixelKindOf(scalarTypeOf(track.picture().format().depth), track.picture().format().channels);
    request.border = track.plan().border;
    request.device = gpu;
    request.simulationLimit = mostRecorded;
    return request;
}

void countFirst(InspectionRequest request, const Inspection &inspection, RaceRow &row, const RunControl &control) {
    row.counts = countsOf(inspection.model);
    request.simulate = true;
    try {
        row.counts = countsOf(*inspectVariant(request, control).simulation);
    } catch (const Error &error) {
        if (error.kind() != ErrorKind::Limit)
            throw;
    }
}

KernelTraffic describeKernel(const RaceTrack &track, const InspectedDevice &gpu, bool count, RaceRow &row,
                             const RunControl &control) {
    InspectionRequest request = requestOf(track, gpu, row);
    KernelTraffic traffic;
    traffic.lanes = lanesOf(gpu);
    row.bytes = 0;
    double operations = 0;
    for (std::size_t i = 0; i < track.kernels(); ++i) {
        request.kernel = track.plan().kernels[i];
        const Inspection inspection = inspectVariant(request, control);
        const model::Work work = inspection.model.work();
        row.bytes += work.bytes;
        operations += work.operations;
        row.unit = work.unit;
        traffic.passes += passesOf(inspection.model);
        if (i > 0)
            continue;
        row.explanation = inspection.explanation;
        if (count)
            countFirst(request, inspection, row, control);
    }
    row.operations = operations;
    return traffic;
}

model::Ceilings modelCeilings(const bench::DeviceCeilings &measured, double bytes) {
    return {measured.copyRate(bytes, bench::CacheState::Hot), measured.fp32, measured.half2, measured.tensor};
}

} // namespace

KernelTraffic describeWork(const Engine &engine, RaceTrack &track, const InspectedDevice &gpu, bool count, RaceRow &row,
                           const RunControl &control) {
    describeDense(track, row);
    if (engine.name() == "cpu") {
        describeCpu(track, row);
    } else if (engine.name() == "opencv") {
        describeOpenCv(track, row);
    } else if (isLesson(row.variant)) {
        return describeKernel(track, gpu, count, row, control);
    } else {
        const bool fewer = row.variant == "separable" || row.variant == "fft";
        row.dense = !fewer;
        if (fewer)
            row.operations.reset();
        row.explanation = row.description;
    }
    return {};
}

void applyCeilings(const RaceDevice &device, const KernelTraffic &traffic, RaceRow &row) {
    if (!row.simulated) {
        const bench::Work work{row.bytes, row.operations.value_or(0), row.unit, row.dense};
        if (const auto floor = bench::floorOf(work, device.ceilings, bench::CacheState::Hot))
            row.floorMs = floor->ms;
        if (row.floorMs && !row.dense)
            row.explanation += "; fewer operations than the definition's, so that it is held against memory alone";
    }
    const model::Ceilings ceilings = modelCeilings(device.ceilings, row.bytes);
    if (!row.operations)
        return;
    const auto roofline = model::rooflineOf({*row.operations, row.bytes, row.unit}, ceilings);
    if (!roofline)
        return;
    double seconds = roofline->floorSeconds;
    if (traffic.passes > 0 && ceilings.fp32)
        seconds = std::max(seconds, traffic.passes / (*ceilings.fp32 / (2.0 * traffic.lanes)));
    row.predictedMs = 1e3 * seconds;
    row.predictedOn = device.name;
    if (row.dense && (row.engine == "cpu" || row.engine == "opencv"))
        row.explanation += "; " + model::shortNumber(*row.operations / row.bytes) +
                           " operations a byte that must move: " +
                           (roofline->bound == model::Bound::Memory ? "bound by memory" : "bound by arithmetic");
}

std::optional<RaceDevice> predictionDevice(const InspectedDevice &gpu) {
    if (!gpu.ceilings.bytesPerSecond)
        return std::nullopt;
    RaceDevice device;
    device.name = gpu.ceilingsOf;
    device.measuredNow = false;
    device.ceilings.cold = {{1.0, *gpu.ceilings.bytesPerSecond}};
    device.ceilings.fp32 = gpu.ceilings.fp32;
    device.ceilings.half2 = gpu.ceilings.half2;
    device.ceilings.tensor = gpu.ceilings.tensor;
    return device;
}

} // namespace tessera
