#include "app/bench/engine_contender.h"

#include "app/bench/algorithm.h"

#include <cstring>

namespace tessera::bench {

namespace {

class EngineContender final : public ConvolutionContender {
public:
    EngineContender(std::shared_ptr<Engine> engine, std::string variant, Scope wanted,
                    std::shared_ptr<const ConvolutionTask> task, std::shared_ptr<HostPictures> pictures)
        : ConvolutionContender(std::move(variant), engine->deviceId(), wanted, std::move(task)),
          engine_(std::move(engine)), pictures_(std::move(pictures)) {
        stated = statedErrorOf(*engine_, workload(), name);
        unit = arithmeticUnitOf(name);
        dense = countsDenseWork(name, workload());
    }

    int rotations() const override { return pictures_->count(); }

    void run(int rotation) override {
        ConvolutionJob job = jobOf(workload(), pictures_->source(rotation), pictures_->target(rotation));
        job.variant = name;
        const RunTimes times = engine_->convolve(job, {});
        if (note.empty())
            note = times.note.empty() ? times.plan : times.note;
    }
    void finish() override {} // an engine returns with the result

protected:
    void load(const PixelBlock &picture) override { pictures_->load(picture); }
    void poison(std::byte value) override {
        const PixelView target = pictures_->target(0);
        for (int y = 0; y < target.height; ++y)
            std::memset(target.row<std::byte>(y), int(value),
                        std::size_t(target.width * target.format.bytesPerPixel()));
    }
    void fetch(PixelBlock &result) override { copyRows(pictures_->target(0), result); }

private:
    std::shared_ptr<Engine> engine_;
    std::shared_ptr<HostPictures> pictures_;
};

} // namespace

std::unique_ptr<ConvolutionContender> makeEngineContender(std::shared_ptr<Engine> engine, std::string variant,
                                                          Scope scope, std::shared_ptr<const ConvolutionTask> task,
                                                          std::shared_ptr<HostPictures> pictures) {
    return std::make_unique<EngineContender>(std::move(engine), std::move(variant), scope, std::move(task),
                                             std::move(pictures));
}

std::string engineRefusal(const Engine &engine, std::string_view variant, const Workload &workload) {
    if (workload.pixel.type == ScalarType::F16)
        return "pictures in host memory are 8-bit, 16-bit or float, not half";
    return engine.refusal(emptyJobOf(workload, variant));
}

} // namespace tessera::bench
