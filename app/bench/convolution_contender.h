// Contenders whose result is a picture: what they must do, and how that result is checked.
#pragma once

#include "app/bench/exact_samples.h"
#include "app/bench/workload.h"

#include <memory>

namespace tessera::bench {

// What the contenders of one workload share.
struct ConvolutionTask {
    Workload workload;
    PixelBlock source; // random; what results are checked on
    std::unique_ptr<ExactSamples> exact;

    const PixelBlock &timedPicture() const { return workload.picture ? *workload.picture : source; }
};

// Throws as ExactSamples does.
std::shared_ptr<const ConvolutionTask> makeTask(Workload workload, const RunControl &control = {});

class ConvolutionContender : public Contender {
public:
    ConvolutionContender(std::string variant, std::string deviceId, Scope wanted,
                         std::shared_ptr<const ConvolutionTask> task)
        : Contender(std::move(variant), std::move(deviceId), wanted), task_(std::move(task)) {}

    Work work() const override;
    CheckResult check() override;

    // Set by whoever makes it.
    StatedError stated;
    model::ArithmeticUnit unit = model::ArithmeticUnit::Fp32;
    bool dense = true; // see Work

protected:
    const Workload &workload() const { return task_->workload; }
    const ConvolutionTask &task() const { return *task_; }

    virtual void load(const PixelBlock &picture) = 0; // into every set of buffers
    virtual void poison(std::byte value) = 0;         // the result of set 0
    virtual void fetch(PixelBlock &result) = 0;       // of set 0

private:
    std::shared_ptr<const ConvolutionTask> task_;
};

// What an engine promises for this workload. Float sums of any order get the product's 1e-5 as well.
StatedError statedErrorOf(const Engine &engine, const Workload &workload, std::string_view variant);

} // namespace tessera::bench
