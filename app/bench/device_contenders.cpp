#include "app/bench/device_contenders.h"

#include "app/bench/algorithm.h"
#include "app/engines/kernel_variants.h"
#include "gpu/launch/cuda_launcher.h"

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

class KernelContender final : public DeviceConvolution {
public:
    KernelContender(std::string variant, const VariantChoice &choice, const LaunchPlan &plan, const Engine &engine,
                    Scope wanted, std::shared_ptr<const ConvolutionTask> task, std::shared_ptr<DeviceSession> session,
                    std::shared_ptr<DevicePictures> pictures)
        : DeviceConvolution(std::move(variant), engine, wanted, std::move(task), std::move(session),
                            std::move(pictures)),
          plan_(plan), taps_(tapsFrom(workload().kernel)) {
        for (int set = 0; set < rotations(); ++set) {
            requests_.push_back(deviceRequest(this->pictures(), set, workload(), taps_));
            requests_.back().sumInFloat = choice.sumInFloat;
        }
        stated = statedErrorOf(engine, workload(), name);
        unit = arithmeticUnitOf(name);
        dense = countsDenseWork(name, workload());
    }

    void run(int rotation) override {
        cuda::launchConvolution(plan_, requests_[std::size_t(rotation)], this->session().stream());
    }

private:
    LaunchPlan plan_;
    Taps taps_;
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
    const Taps taps = tapsFrom(task->workload.kernel);
    const ConvolutionShape shape = shapeOf(deviceRequest(*pictures, 0, task->workload, taps));
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
