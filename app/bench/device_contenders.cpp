#include "app/bench/device_contenders.h"

#include "app/bench/algorithm.h"
#include "app/engines/kernel_variants.h"
#include "app/engines/spectrum_cache.h"
#include "gpu/launch/cuda_launcher.h"

#include <optional>

namespace tessera::bench {

ConvolutionRequest deviceRequest(DevicePictures &pictures, int set, const Workload &workload, const Taps &taps) {
    ConvolutionRequest request;
    request.source = pictures.source(set);
    request.target = pictures.target(set);
    request.border = workload.border;
    request.taps = &taps;
    return request;
}

namespace {

// Larger kernels than these hold are for the fft variant alone, which does not read them.
Taps tapsThatFit(const ConvolutionKernel &kernel) {
    return kernel.width <= maximumTapsSide && kernel.height <= maximumTapsSide ? tapsFrom(kernel) : Taps{};
}

class KernelContender final : public DeviceConvolution {
public:
    KernelContender(std::string variant, const VariantChoice &choice, const LaunchPlan &plan, const Engine &engine,
                    Scope wanted, std::shared_ptr<const ConvolutionTask> task, std::shared_ptr<DeviceSession> session,
                    std::shared_ptr<DevicePictures> pictures)
        : DeviceConvolution(std::move(variant), engine, wanted, std::move(task), std::move(session),
                            std::move(pictures)),
          plan_(plan), taps_(tapsThatFit(workload().kernel)) {
        if (choice.variant == KernelVariant::Separable)
            factors_ = separableFactors(workload().kernel);
        if (choice.variant == KernelVariant::Fft)
            prepareSpectrum();
        for (int set = 0; set < rotations(); ++set)
            requests_.push_back(requestOf(set, choice));
        stated = statedErrorOf(engine, workload(), name);
        unit = arithmeticUnitOf(name);
        dense = countsDenseWork(name, workload());
    }

    void run(int rotation) override {
        cuda::launchConvolution(plan_, requests_[std::size_t(rotation)], this->session().stream());
    }

private:
    // The kernel's spectrum is made once a filter, as the engine does it.
    void prepareSpectrum() {
        ConvolutionShape shape = shapeOf(deviceRequest(pictures(), 0, workload(), taps_));
        shape.tapsWidth = workload().kernel.width;
        shape.tapsHeight = workload().kernel.height;
        session().makeCurrent();
        fourier_ = spectrum_.operandsFor(workload().kernel, planFourier(shape), session().stream());
    }

    ConvolutionRequest requestOf(int set, const VariantChoice &choice) {
        ConvolutionRequest request = deviceRequest(pictures(), set, workload(), taps_);
        request.sumInFloat = choice.sumInFloat;
        request.tensorTerms = choice.terms;
        // Each contender at its best: what is compiled for the taps is compiled before anything is timed.
        request.specialise =
            choice.specialise == jit::Specialisation::Auto ? jit::Specialisation::Always : choice.specialise;
        request.factors = factors_ ? &*factors_ : nullptr;
        request.fourier = fourier_ ? &*fourier_ : nullptr;
        return request;
    }

    LaunchPlan plan_;
    Taps taps_;
    std::optional<model::SeparableFactors> factors_;
    SpectrumCache spectrum_;
    std::optional<FourierOperands> fourier_;
    std::vector<ConvolutionRequest> requests_;
};

// As the engine refuses: by the planner, and by the range of halves.
std::string refusalOf(const Engine &engine, const std::string &variant, const std::string &planned,
                      const Workload &workload) {
    if (workload.pixel.channels != 1 && workload.pixel.channels != 4)
        return "the kernels take one channel or four";
    if (!planned.empty())
        return planned;
    return engine.refusal(emptyJobOf(workload, variant));
}

} // namespace

Contenders kernelContenders(const std::shared_ptr<DeviceSession> &session, const Engine &engine,
                            const std::shared_ptr<const ConvolutionTask> &task, const ContenderWish &wish,
                            const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut) {
    Contenders contenders;
    const ConvolutionKernel &kernel = task->workload.kernel;
    const Taps taps = tapsThatFit(kernel);
    ConvolutionShape shape = shapeOf(deviceRequest(*pictures, 0, task->workload, taps));
    shape.tapsWidth = kernel.width;
    shape.tapsHeight = kernel.height;
    shape.centredSide = centredSide(kernel.width, kernel.height, kernel.anchorX, kernel.anchorY);
    const auto factors = separableFactors(kernel);
    shape.terms = factors ? termsOf(*factors) : maximumSeparableTerms + 1;
    for (const VariantInfo &info : engine.variants()) {
        if (!isKernelVariant(info.name)) // a vendor's library behind the engine
            continue;
        for (const std::string &variant : wish.spellings(info.name)) {
            const VariantChoice choice = parseVariant(variant, KernelVariant::Tiled);
            const PlanResult planned = planConvolution(choice.variant, shape, session->properties.limits);
            const std::string refusal = refusalOf(engine, variant, planned.refusal, task->workload);
            if (!refusal.empty()) {
                leftOut.push_back({variant, engine.deviceId(), {}, refusal});
                continue;
            }
            for (const Scope scope : {Scope::Kernel, Scope::Call})
                if (wish.wants(scope))
                    contenders.push_back(std::make_unique<KernelContender>(variant, choice, planned.plan, engine, scope,
                                                                           task, session, pictures));
        }
    }
    return contenders;
}

} // namespace tessera::bench
