#include "app/bench/participants.h"

#include "app/engines/registry.h"

#include <algorithm>

namespace tessera::bench {

namespace {

bool isAuto(const std::string &device) { return device.empty() || device == "auto"; }

void takeAll(std::span<const std::shared_ptr<Engine>> engines, Participants &participants) {
    for (const auto &engine : engines) {
        if (engine->deviceKind() == DeviceKind::Cuda)
            participants.gpus.push_back(engine);
        else if (engine->deviceKind() == DeviceKind::Cpu)
            participants.host.push_back(engine);
    }
}

} // namespace

Participants chooseParticipants(std::span<const std::shared_ptr<Engine>> engines, const std::string &device,
                                bool gpuOnly) {
    if (device == "sim")
        throw Error(ErrorKind::Usage, "the simulator counts what a GPU would do and has no times to compare",
                    "see 'tessera inspect --simulate' for its counts, or use --device cpu");
    Participants participants;
    takeAll(engines, participants);
    if (!isAuto(device) && device != "all") {
        const EngineChoice choice = chooseEngineFrom(engines, "auto", device); // says what is wrong with it
        const bool gpu = choice.engine->deviceKind() == DeviceKind::Cuda;
        participants.gpus = gpu ? std::vector{choice.engine} : std::vector<std::shared_ptr<Engine>>{};
        if (gpu)
            participants.host.clear();
        participants.why = "as asked for";
    } else {
        const bool several = participants.gpus.size() > 1;
        if (isAuto(device) && several)
            participants.gpus.resize(1);
        participants.why = participants.gpus.empty()   ? "no CUDA device was found"
                           : several && isAuto(device) ? "the first CUDA device; --device all takes every one"
                                                       : "every device found";
    }
    if (gpuOnly) {
        if (participants.gpus.empty())
            throw Error(ErrorKind::Device,
                        isAuto(device) || device == "all" ? "this needs a CUDA device, and none was found"
                                                          : "this needs a CUDA device, and '" + device + "' is none",
                        "the other suites run on the CPU as well: tessera bench --suite cpu");
        participants.host.clear();
    }
    return participants;
}

void checkVariants(const Participants &participants, const std::vector<std::string> &variants,
                   const std::string &device) {
    std::vector<std::shared_ptr<Engine>> engines = participants.gpus;
    engines.insert(engines.end(), participants.host.begin(), participants.host.end());
    for (const std::string &variant : variants) {
        const std::string name = variant.substr(0, variant.find(':'));
        if (name == "auto" && !participants.gpus.empty())
            continue;
        const bool there = std::ranges::any_of(engines, [&](const auto &engine) {
            return std::ranges::any_of(engine->variants(), [&](const VariantInfo &info) { return info.name == name; });
        });
        if (!there)
            chooseEngine(variant, device.empty() || device == "auto" ? "auto" : device); // throws with what there is
        if (!there)
            throw Error(ErrorKind::Usage, "the variant '" + variant + "' does not run on the devices measured here",
                        "name its device with --device, or leave it out");
    }
}

} // namespace tessera::bench
