#include "app/commands/variant_list.h"

#include "app/engines/engine.h"
#include "app/engines/peers/peer_names.h"

#include <algorithm>

namespace tessera {

namespace {

struct KnownVariant {
    const char *name;
    const char *title;
    const char *missing; // why it may not be there
};

constexpr const char *needsGpuOrSimulator = "needs an NVIDIA GPU or a build with the simulator";
constexpr const char *needsGpu = "needs an NVIDIA GPU";
constexpr const char *notYet = "not part of this version yet";

// The names of the contract in their order. Engines describe the variants that they have; this list is for the others.
constexpr KnownVariant knownVariants[] = {
    {"naive", "Naive", needsGpuOrSimulator},
    {"naive-float4", "Naive, four values at once", needsGpuOrSimulator},
    {"naive-half2", "Naive, half precision in pairs", needsGpuOrSimulator},
    {"tiled", "Tiled, shared memory", needsGpuOrSimulator},
    {"tiled-float4", "Tiled, four values at once", needsGpuOrSimulator},
    {"tiled-half2", "Tiled, half precision in pairs", needsGpuOrSimulator},
    {"blocked", "Register-blocked", needsGpu},
    {"separable", "Separable, two passes fused", notYet},
    {"tensor", "Tensor cores", "needs an NVIDIA GPU of compute capability 8.0 or later"},
    {"fft", "Fourier transform", notYet},
    {"cpu", "CPU", "this build has no CPU engine"},
    {"opencv", "OpenCV on the CPU", "this build was made without OpenCV"},
    {"npp", "NVIDIA NPP", needsGpu},
    {"cudnn", "NVIDIA cuDNN", needsGpu},
};

VariantEntry &entryFor(std::vector<VariantEntry> &entries, const VariantInfo &info) {
    auto found = std::ranges::find(entries, info.name, &VariantEntry::name);
    if (found == entries.end())
        found = entries.insert(entries.end(), VariantEntry{info.name, {}, {}, {}, {}});
    found->title = info.title;
    found->description = info.description;
    return *found;
}

} // namespace

std::vector<VariantEntry> listVariants() {
    std::vector<VariantEntry> entries;
    for (const KnownVariant &known : knownVariants)
        entries.push_back({known.name, known.title, {}, {}, known.missing});
    for (const auto &engine : availableEngines()) {
        for (const VariantInfo &info : engine->variants()) {
            VariantEntry &entry = entryFor(entries, info);
            entry.reason.clear();
            if (std::ranges::find(entry.devices, engine->deviceId()) == entry.devices.end())
                entry.devices.push_back(engine->deviceId());
        }
    }
    for (VariantEntry &entry : entries)
        if (!entry.available() && isPeerVariant(entry.name))
            if (std::string missing = missingPeer(entry.name); !missing.empty())
                entry.reason = std::move(missing);
    return entries;
}

} // namespace tessera
