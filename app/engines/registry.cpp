#include "app/engines/registry.h"

#include "app/engines/cpu/cpu_engine.h"
#if defined(TESSERA_WITH_OPENCV_ENGINE)
#include "app/engines/opencv_engine.h"
#endif
#if defined(TESSERA_WITH_CUDA_ENGINE)
#include "app/engines/cuda_engine.h"
#endif
#include "app/engines/peers/peer_names.h"
#include "app/engines/sim_engine.h"

#include <algorithm>
#include <array>
#include <optional>

namespace tessera {

namespace {

using EngineList = std::span<const std::shared_ptr<Engine>>;

std::vector<std::shared_ptr<Engine>> makeEngines() {
    std::vector<std::shared_ptr<Engine>> engines;
#if defined(TESSERA_WITH_CUDA_ENGINE)
    engines = makeCudaEngines();
#endif
    engines.push_back(makeCpuEngine());
#if defined(TESSERA_WITH_OPENCV_ENGINE)
    engines.push_back(makeOpencvEngine());
#endif
    engines.push_back(makeSimEngine());
    return engines;
}

// Variants that this build or machine may lack, so that asking for one is answered with where it runs.
struct KnownVariant {
    std::string_view name;
    std::string_view where;
};
constexpr std::array knownVariants{
    KnownVariant{"naive", "CUDA devices and the simulator"},
    KnownVariant{"naive-float4", "CUDA devices and the simulator"},
    KnownVariant{"naive-half2", "CUDA devices and the simulator"},
    KnownVariant{"tiled", "CUDA devices and the simulator"},
    KnownVariant{"tiled-float4", "CUDA devices and the simulator"},
    KnownVariant{"tiled-half2", "CUDA devices and the simulator"},
    KnownVariant{"blocked", "CUDA devices"},
    KnownVariant{"separable", "CUDA devices"},
    KnownVariant{"tensor", "CUDA devices"},
    KnownVariant{"fft", "CUDA devices"},
    KnownVariant{"npp", "CUDA devices, where NVIDIA's NPP is found"},
    KnownVariant{"cudnn", "CUDA devices, where cuDNN is found"},
    KnownVariant{"opencv", "the CPU, in builds with OpenCV"},
    KnownVariant{"cpu", "the CPU"},
};

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "none" : text;
}

void addOnce(std::vector<std::string> &words, std::string word) {
    if (std::ranges::find(words, word) == words.end())
        words.push_back(std::move(word));
}

bool hasVariant(const Engine &engine, std::string_view variant) {
    const std::vector<VariantInfo> variants = engine.variants();
    const std::string_view name = variant.substr(0, variant.find(':')); // options follow, which the engine checks
    return std::ranges::any_of(variants, [&](const VariantInfo &info) { return info.name == name; });
}

std::string variantNames(EngineList engines) {
    std::vector<std::string> names;
    for (const auto &engine : engines)
        for (const VariantInfo &info : engine->variants())
            addOnce(names, info.name);
    return joined(names);
}

std::string deviceNames(EngineList engines) {
    std::vector<std::string> names;
    for (const auto &engine : engines)
        addOnce(names, engine->deviceId());
    return joined(names);
}

bool isAuto(std::string_view word) { return word.empty() || word == "auto"; }

// Of "auto:precision=level"; nothing where it is no automatic choice.
std::optional<Precision> automaticPrecision(std::string_view variant) {
    constexpr std::string_view prefix = "auto:";
    if (isAuto(variant))
        return Precision::Float32;
    if (!variant.starts_with(prefix))
        return std::nullopt;
    const std::string_view option = variant.substr(prefix.size());
    if (option == "precision=float32")
        return Precision::Float32;
    if (option == "precision=level")
        return Precision::Level;
    throw Error(ErrorKind::Usage, "the variant 'auto' has no option '" + std::string(option) + "'",
                "it takes precision=float32 (the default) or precision=level, within one level of exact");
}

bool isCudaName(std::string_view device) {
    if (device == "cuda")
        return true;
    if (!device.starts_with("cuda:") || device.size() == 5 || device.size() > 9)
        return false;
    return std::ranges::all_of(device.substr(5), [](char c) { return c >= '0' && c <= '9'; });
}

// The engines that `device` names, in order. "all" spreads files over devices in batch; one picture runs on one of
// them, so that here it is auto.
std::vector<std::shared_ptr<Engine>> enginesOfDevice(EngineList engines, std::string_view device) {
    std::vector<std::shared_ptr<Engine>> matching;
    const bool any = isAuto(device) || device == "all";
    if (!any && device != "cpu" && device != "sim" && !isCudaName(device))
        throw Error(ErrorKind::Usage, "unknown device '" + std::string(device) + "'",
                    "devices are auto, cpu, sim, cuda, cuda:N and all; here: " + deviceNames(engines));
    for (const auto &engine : engines)
        if (any || engine->deviceId() == device || (device == "cuda" && engine->deviceKind() == DeviceKind::Cuda))
            matching.push_back(engine);
    if (!matching.empty())
        return matching;
    const std::string why = device == "sim"    ? "this build has no simulator"
                            : device == "cpu"  ? "this build has no CPU engine"
                            : device == "cuda" ? "no CUDA device was found"
                                               : "there is no device '" + std::string(device) + "'";
    throw Error(ErrorKind::Device, why,
                "devices here: " + deviceNames(engines) + "; --device auto takes the best of them");
}

std::string missingLibrary(std::string_view variant) {
    const std::string missing = isPeerVariant(variant) ? missingPeer(variant) : std::string();
    return missing.empty() ? missing : "; " + missing;
}

[[noreturn]] void throwMissingVariant(EngineList all, EngineList onDevice, std::string_view variant,
                                      std::string_view device) {
    const std::string name = "'" + std::string(variant) + "'";
    std::vector<std::string> elsewhere;
    for (const auto &engine : all)
        if (hasVariant(*engine, variant))
            addOnce(elsewhere, engine->deviceId());
    if (!elsewhere.empty())
        throw Error(ErrorKind::Usage, "the variant " + name + " does not run on device '" + std::string(device) + "'",
                    "it runs on: " + joined(elsewhere) + "; variants of this device: " + variantNames(onDevice));
    const auto known = std::ranges::find(knownVariants, variant, &KnownVariant::name);
    if (known != knownVariants.end())
        throw Error(ErrorKind::Usage,
                    "the variant " + name + " is not available here: it runs on " + std::string(known->where) +
                        missingLibrary(variant),
                    "variants available: auto, " + variantNames(onDevice));
    throw Error(ErrorKind::Usage, "unknown variant " + name, "variants available: auto, " + variantNames(onDevice));
}

std::string why(const Engine &engine, EngineList all, bool deviceNamed, bool variantNamed) {
    if (deviceNamed)
        return variantNamed ? "as asked for" : "the device asked for";
    const bool hasGpu = std::ranges::any_of(all, [](const auto &one) { return one->deviceKind() == DeviceKind::Cuda; });
    switch (engine.deviceKind()) {
    case DeviceKind::Cuda:
        return variantNamed ? "the CUDA device found" : "a CUDA device was found";
    case DeviceKind::Simulator:
        return hasGpu ? "this variant runs in the simulator only"
                      : "no CUDA device was found, so the simulator runs the kernel: exact, but slow";
    case DeviceKind::Cpu:
        break;
    }
    if (variantNamed)
        return "as asked for";
    return hasGpu ? "the fastest found" : "no CUDA device was found";
}

} // namespace

const std::vector<std::shared_ptr<Engine>> &availableEngines() {
    static const std::vector<std::shared_ptr<Engine>> engines = makeEngines();
    return engines;
}

EngineChoice chooseEngineFrom(EngineList engines, std::string_view variant, std::string_view device) {
    const std::vector<std::shared_ptr<Engine>> candidates = enginesOfDevice(engines, device);
    const bool deviceNamed = !isAuto(device) && device != "all";
    EngineChoice choice;
    const std::optional<Precision> precision = automaticPrecision(variant);
    choice.automatic = precision.has_value();
    choice.precision = precision.value_or(Precision::Float32);
    for (const auto &engine : candidates) {
        if (!choice.automatic && !hasVariant(*engine, variant))
            continue;
        choice.engine = engine;
        choice.variant = choice.automatic ? engine->variants().front().name : std::string(variant);
        break;
    }
    if (!choice.engine)
        throwMissingVariant(engines, candidates, variant, isAuto(device) ? "auto" : device);
    const bool byJob = choice.automatic && choice.engine->choosesByJob();
    choice.reason = (byJob ? "the fastest variant for each filter" : choice.variant) + " on " +
                    choice.engine->deviceId() + " (" + choice.engine->deviceName() +
                    "): " + why(*choice.engine, engines, deviceNamed, !choice.automatic);
    return choice;
}

EngineChoice chooseEngine(std::string_view variant, std::string_view device) {
    return chooseEngineFrom(availableEngines(), variant, device);
}

} // namespace tessera
