#include "app/bench/device_contenders.h"

#include "app/bench/algorithm.h"
#include "app/engines/kernel_variants.h"
#include "app/engines/spectrum_cache.h"
#include "app/engines/variant_advice.h"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/plan_tiles.h"

#include <algorithm>
#include <optional>

namespace tessera::bench {

bool tapsFit(const Workload &workload) {
    return std::max(workload.kernel.width, workload.kernel.height) <= maximumTapsSide;
}

ConvolutionRequest deviceRequest(DevicePictures &pictures, int set, const Workload &workload, const Taps &taps) {
    ConvolutionRequest request;
    request.source = pictures.source(set);
    request.target = pictures.target(set);
    request.border = workload.border;
    request.taps = &taps;
    return request;
}

namespace {

// What a launch reads besides the pictures, made once: preparing a filter is no part of running it.
class PreparedKernel {
public:
    PreparedKernel(const Workload &workload, const VariantChoice &choice, const DeviceLimits &limits)
        : taps_(tapsFit(workload) ? tapsFrom(workload.kernel) : Taps{}),
          request_(requestFor(emptyJobOf(workload, {}), choice, taps_)) {
        if (choice.variant == KernelVariant::Separable && (factors_ = separableFactors(workload.kernel)))
            request_.factors = &*factors_;
        ConvolutionRequest shaped = request_;
        shaped.source.type = shaped.target.type = workload.pixel.type;
        shaped.source.channels = shaped.target.channels = workload.pixel.channels;
        shaped.target.width = workload.width;
        shaped.target.height = workload.height;
        if (choice.variant == KernelVariant::Fft) {
            fourier_.tapsWidth = workload.kernel.width;
            fourier_.tapsHeight = workload.kernel.height;
            request_.fourier = shaped.fourier = &fourier_;
        }
        shape_ = shapeOf(shaped);
        planned_ = planConvolution(choice.variant, shape_, limits);
        planned_.plan.variant = choice.variant;
    }
    PreparedKernel(const PreparedKernel &) = delete; // the request points into it

    const PlanResult &planned() const { return planned_; }

    // For kernels that come as a spectrum; the others need nothing on the device.
    void prepare(const ConvolutionKernel &kernel, cuda::StreamView stream) {
        if (!request_.fourier)
            return;
        fourier_ = spectrum_.operandsFor(kernel, planFourier(shape_), stream);
        TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
    }

    ConvolutionRequest request(const RawView &source, const RawView &target) const {
        ConvolutionRequest request = request_;
        request.source = source;
        request.target = target;
        return request;
    }

private:
    Taps taps_;
    std::optional<model::SeparableFactors> factors_;
    FourierOperands fourier_;
    SpectrumCache spectrum_;
    ConvolutionRequest request_;
    ConvolutionShape shape_;
    PlanResult planned_;
};

class KernelContender final : public DeviceConvolution {
public:
    KernelContender(std::string variant, const std::string &runs, std::shared_ptr<const PreparedKernel> kernel,
                    const Engine &engine, Scope wanted, std::shared_ptr<const ConvolutionTask> task,
                    std::shared_ptr<DeviceSession> session, std::shared_ptr<DevicePictures> pictures)
        : DeviceConvolution(std::move(variant), engine, wanted, std::move(task), std::move(session),
                            std::move(pictures)),
          kernel_(std::move(kernel)) {
        for (int set = 0; set < rotations(); ++set)
            requests_.push_back(kernel_->request(this->pictures().source(set), this->pictures().target(set)));
        stated = statedErrorOf(engine, workload(), runs);
        unit = arithmeticUnitOf(runs);
        dense = countsDenseWork(runs, workload());
    }

    void run(int rotation) override {
        cuda::launchConvolution(kernel_->planned().plan, requests_[std::size_t(rotation)], session().stream());
    }

private:
    std::shared_ptr<const PreparedKernel> kernel_;
    std::vector<ConvolutionRequest> requests_;
};

// As the engine refuses, and as the planner does for halves, which no engine takes.
std::string refusalOf(const Engine &engine, const std::string &variant, const VariantChoice &choice,
                      const Workload &workload, const DeviceLimits &limits) {
    if (std::string refusal = engine.refusal(emptyJobOf(workload, variant)); !refusal.empty())
        return refusal;
    return PreparedKernel(workload, choice, limits).planned().refusal;
}

struct Entry {
    std::string variant; // the row's name
    VariantChoice choice;
    std::string note;
    std::string runs; // the variant that the engine knows
};

// What the planner takes: the same kernel as under its own name, so that its row shows what the choice is worth.
std::optional<Entry> automaticEntry(const DeviceSession &session, const Workload &workload) {
    if (workload.pixel.type == ScalarType::F16) // no engine takes halves
        return std::nullopt;
    const VariantAdvice advice = adviseVariant(emptyJobOf(workload, {}), session.properties.limits, session.speeds);
    Entry entry{"auto", advice.choice, advice.reason, std::string(kernelVariantName(advice.choice.variant))};
    if (entry.choice.variant == KernelVariant::Blocked)
        entry.choice.specialise = jit::Specialisation::Never; // as it begins
    return entry;
}

bool mayBeCompiled(const LaunchPlan &plan, const Workload &workload) {
    const int side = std::max(workload.kernel.width, workload.kernel.height);
    return plan.form == BlockedForm::March || (plan.form == BlockedForm::Tiles && side >= smallestCompiledTile);
}

// `blocked` compiles a kernel for the very taps once that pays, which would fall into the middle of a measurement: here
// the two states that it can be in run beside each other.
std::vector<Entry> entriesOf(const std::string &variant) {
    const VariantChoice choice = parseVariant(variant, KernelVariant::Tiled);
    if (choice.variant != KernelVariant::Blocked || choice.specialise != jit::Specialisation::Auto)
        return {{variant, choice, {}, variant}};
    Entry compiled{variant, choice, "the taps compiled in where they can be", variant}, general = compiled;
    compiled.choice.specialise = jit::Specialisation::Always;
    general.choice.specialise = jit::Specialisation::Never;
    general.variant += ":specialise=never";
    general.note.clear();
    return {compiled, general};
}

} // namespace

Contenders kernelContenders(const std::shared_ptr<DeviceSession> &session, const Engine &engine,
                            const std::shared_ptr<const ConvolutionTask> &task, const ContenderWish &wish,
                            const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut) {
    Contenders contenders;
    const DeviceLimits &limits = session->properties.limits;
    const auto add = [&](const Entry &entry) {
        const std::string refusal = refusalOf(engine, entry.runs, entry.choice, task->workload, limits);
        if (!refusal.empty()) {
            leftOut.push_back({entry.variant, engine.deviceId(), {}, refusal});
            return;
        }
        const auto kernel = std::make_shared<PreparedKernel>(task->workload, entry.choice, limits);
        if (entry.variant == "blocked:specialise=never" && !mayBeCompiled(kernel->planned().plan, task->workload) &&
            wish.variants.empty())
            return; // the two would be one
        kernel->prepare(task->workload.kernel, session->stream());
        for (const Scope scope : {Scope::Kernel, Scope::Call})
            if (wish.wants(scope)) {
                contenders.push_back(std::make_unique<KernelContender>(entry.variant, entry.runs, kernel, engine, scope,
                                                                       task, session, pictures));
                contenders.back()->note = entry.note;
            }
    };
    for (const VariantInfo &info : engine.variants()) {
        if (!isKernelVariant(info.name)) // a vendor's library behind the engine
            continue;
        for (const std::string &variant : wish.spellings(info.name))
            for (const Entry &entry : entriesOf(variant))
                add(entry);
    }
    if (wish.wants("auto"))
        if (const auto entry = automaticEntry(*session, task->workload))
            add(*entry);
    return contenders;
}

} // namespace tessera::bench
