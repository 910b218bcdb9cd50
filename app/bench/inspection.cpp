#include "app/bench/inspection.h"

#include "gpu/model/explain.h"
#if defined(TESSERA_WITH_CUDA)
#include "gpu/device/check.h"
#include "gpu/device/properties.h"
#include "gpu/launch/attributes.h"
#endif

#include <cstdlib>
#include <memory>

namespace tessera {

namespace {

// Rows on a device start on 256-byte boundaries; the model and the simulator take the same.
constexpr std::int64_t pitchAlignment = 256;

std::int64_t pitchOf(int width, const PixelKind &pixel) {
    const std::int64_t bytes = std::int64_t(width) * pixel.bytes();
    return (bytes + pitchAlignment - 1) / pitchAlignment * pitchAlignment;
}

// Memory that costs nothing until it is touched: a sampled simulation touches little of a large picture.
class LazyPicture {
public:
    LazyPicture(std::int64_t pitch, int height) {
        const auto bytes = std::size_t(pitch) * std::size_t(height) + std::size_t(pitchAlignment);
        memory_.reset(std::calloc(bytes, 1));
        if (!memory_)
            throw Error(ErrorKind::Limit,
                        "there is no address space for a picture of " + std::to_string(bytes) + " bytes to simulate",
                        "inspect a smaller --size");
    }
    void *data() const {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        const auto alignment = std::uintptr_t(pitchAlignment);
        return reinterpret_cast<void *>((address + alignment - 1) / alignment * alignment);
    }

private:
    struct Free {
        void operator()(void *pointer) const { std::free(pointer); }
    };
    std::unique_ptr<void, Free> memory_;
};

// The launch on pictures without memory.
struct Launch {
    std::unique_ptr<Taps> taps;
    ConvolutionRequest request;
    PlanResult planned;
};

Launch launchOf(const InspectionRequest &wanted) {
    Launch launch;
    if (wanted.kernel.width > maximumTapsSide || wanted.kernel.height > maximumTapsSide) {
        launch.planned = planConvolution(wanted.variant.variant,
                                         {wanted.width, wanted.height, wanted.kernel.width, wanted.kernel.height,
                                          scalarBytes(wanted.pixel.type), wanted.pixel.channels},
                                         wanted.device.limits);
        return launch;
    }
    launch.taps = std::make_unique<Taps>(tapsFrom(wanted.kernel));
    const int width = wanted.insideOnly ? wanted.width - wanted.kernel.width + 1 : wanted.width;
    const int height = wanted.insideOnly ? wanted.height - wanted.kernel.height + 1 : wanted.height;
    ConvolutionRequest &request = launch.request;
    request.source = {nullptr,           wanted.width,         wanted.height, pitchOf(wanted.width, wanted.pixel),
                      wanted.pixel.type, wanted.pixel.channels};
    request.target = {nullptr, width, height, pitchOf(width, wanted.pixel), wanted.pixel.type, wanted.pixel.channels};
    request.originX = wanted.insideOnly ? wanted.kernel.anchorX : 0;
    request.originY = wanted.insideOnly ? wanted.kernel.anchorY : 0;
    request.border = wanted.border;
    request.taps = launch.taps.get();
    request.sumInFloat = wanted.variant.sumInFloat;
    if (width < 1 || height < 1)
        launch.planned.refusal = "no window of a kernel of " + std::to_string(wanted.kernel.width) + "x" +
                                 std::to_string(wanted.kernel.height) + " lies inside a picture of " +
                                 std::to_string(wanted.width) + "x" + std::to_string(wanted.height);
    else
        launch.planned = planConvolution(wanted.variant.variant, shapeOf(request), wanted.device.limits);
    return launch;
}

// All blocks where that is not too much, else one of each kind.
sim::ConvolutionSimulation simulate(const InspectionRequest &wanted, const model::ConvolutionModel &model,
                                    Launch &launch, const RunControl &control) {
    const model::LaunchClasses classes = model::launchClasses(model.launch);
    const std::int64_t cost = sim::simulationCost(model);
    const bool sample = cost > wanted.simulationLimit;
    const std::int64_t kinds = std::int64_t(classes.columns.size()) * std::int64_t(classes.rows.size());
    const std::int64_t blocks = sample ? kinds : launch.planned.plan.blocks();
    if (sample && cost / launch.planned.plan.blocks() * kinds > wanted.simulationLimit)
        throw Error(ErrorKind::Limit,
                    "simulating one block of each kind (" + std::to_string(kinds) + ") would record " +
                        std::to_string(cost / launch.planned.plan.blocks() * kinds) + " accesses, the limit is " +
                        std::to_string(wanted.simulationLimit),
                    "raise --simulate-limit, or inspect a smaller picture or kernel");
    const LazyPicture source(launch.request.source.pitch, launch.request.source.height);
    const LazyPicture target(launch.request.target.pitch, launch.request.target.height);
    launch.request.source.data = source.data();
    launch.request.target.data = target.data();
    std::int64_t done = 0;
    const auto between = [&] {
        control.checkpoint();
        control.report(double(done++) / double(blocks));
    };
    return sample ? sim::simulateSample(launch.planned.plan, launch.request, sim::ThreadOrder::Forward, between)
                  : sim::simulateConvolution(launch.planned.plan, launch.request, sim::ThreadOrder::Forward, between);
}

void addCeilings(InspectedDevice &device) {
    if (const model::MeasuredCeilings *measured = model::measuredCeilings(device.name)) {
        device.ceilings = measured->ceilings;
        device.ceilingsOf = measured->device;
    }
}

#if defined(TESSERA_WITH_CUDA)
std::optional<LoadedKernel> loadKernel(const InspectedDevice &device, const Launch &launch) {
    if (!device.present)
        return std::nullopt;
    try {
        TESSERA_CUDA_CHECK(cudaSetDevice(device.index));
        const cuda::KernelAttributes attributes = cuda::kernelAttributes(launch.planned.plan, launch.request);
        return LoadedKernel{attributes.registers,      attributes.staticSharedBytes,       attributes.localBytes,
                            attributes.maximumThreads, attributes.blocksPerMultiprocessor, attributes.binaryVersion};
    } catch (const cuda::CudaError &error) {
        throw Error(ErrorKind::Device, device.name + " did not load the kernel: " + error.what(),
                    "--arch 9.0 inspects without the GPU");
    }
}

std::optional<InspectedDevice> presentDevice() {
    const cuda::DeviceList list = cuda::findDevices();
    if (list.devices.empty())
        return std::nullopt;
    const cuda::DeviceProperties &found = list.devices.front();
    InspectedDevice device;
    device.name = found.name;
    device.present = true;
    device.index = found.index;
    device.multiprocessors = found.multiprocessors;
    device.limits = found.limits;
    device.multiprocessor = model::multiprocessorLimits(found.computeMajor, found.computeMinor);
    addCeilings(device);
    return device;
}
#else
std::optional<LoadedKernel> loadKernel(const InspectedDevice &, const Launch &) { return std::nullopt; }
std::optional<InspectedDevice> presentDevice() { return std::nullopt; }
#endif

} // namespace

std::optional<double> Inspection::rounds() const {
    if (!occupancy || occupancy->blocks < 1 || request.device.multiprocessors < 1)
        return std::nullopt;
    return double(plan().blocks()) / (double(occupancy->blocks) * request.device.multiprocessors);
}

InspectedDevice inspectedDevice(int computeMajor, int computeMinor) {
    const auto limits = model::multiprocessorLimits(computeMajor, computeMinor);
    if (!limits) {
        std::string known;
        for (const model::MultiprocessorLimits &one : model::knownMultiprocessors())
            known +=
                (known.empty() ? "" : ", ") + std::to_string(one.computeMajor) + "." + std::to_string(one.computeMinor);
        throw Error(ErrorKind::Usage,
                    "compute capability " + std::to_string(computeMajor) + "." + std::to_string(computeMinor) +
                        " is not known",
                    "the model knows " + known);
    }
    InspectedDevice device;
    device.name = "compute capability " + std::to_string(computeMajor) + "." + std::to_string(computeMinor);
    device.multiprocessor = limits;
    device.limits.sharedBytesPerBlock = limits->sharedBytesPerBlock;
    device.limits.threadsPerBlock = limits->threadsPerBlock;
    return device;
}

InspectedDevice defaultInspectedDevice() {
    if (auto present = presentDevice())
        return *present;
    InspectedDevice device = inspectedDevice(9, 0);
    const std::string name = device.name;
    device.name = "NVIDIA H200"; // what to look its ceilings up by
    addCeilings(device);
    device.name = name;
    return device;
}

std::string inspectionRefusal(const InspectionRequest &request) { return launchOf(request).planned.refusal; }

Inspection inspectVariant(const InspectionRequest &request, const RunControl &control) {
    if (request.width < 1 || request.height < 1)
        throw Error(ErrorKind::Usage, "a picture of " + std::to_string(request.width) + "x" +
                                          std::to_string(request.height) + " has nothing to inspect");
    Launch launch = launchOf(request);
    if (!launch.planned.refusal.empty())
        throw Error(ErrorKind::Usage, launch.planned.refusal, "choose another --variant");
    Inspection inspection;
    inspection.request = request;
    inspection.model = model::modelOf(sim::caseOf(launch.planned.plan, launch.request));
    inspection.loaded = loadKernel(request.device, launch);
    const LaunchPlan &plan = inspection.plan();
    if (request.device.multiprocessor)
        inspection.occupancy =
            model::occupancyOf({plan.block.area(), inspection.loaded ? inspection.loaded->registers : 0,
                                plan.sharedBytes + (inspection.loaded ? inspection.loaded->staticSharedBytes : 0)},
                               *request.device.multiprocessor);
    inspection.roofline = model::rooflineOf(inspection.model.work(), request.device.ceilings);
    inspection.explanation = model::explain(inspection.model, inspection.occupancy, inspection.roofline);
    if (request.simulate)
        inspection.simulation = simulate(request, inspection.model, launch, control);
    return inspection;
}

} // namespace tessera
