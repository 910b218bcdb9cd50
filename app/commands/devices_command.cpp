// tessera devices: where filters can run on this machine.
#include "app/commands/command.h"
#include "app/commands/json_output.h"
#include "app/commands/table.h"
#include "app/commands/text.h"
#include "app/core/thread_pool.h"
#include "app/engines/engine.h"
#include "app/filters/nearest_name.h"
#include "app/image/memory_limit.h"
#if defined(TESSERA_WITH_CUDA)
#include "gpu/device/properties.h"
#endif

#include <algorithm>

namespace tessera {

namespace {

// One device with everything that runs on it: several engines may share the CPU.
struct DeviceEntry {
    std::string id, kind, name;
    std::vector<std::string> engines;
    std::vector<std::string> variants;
    Json properties = Json::object();
    std::string details; // the properties, for the table
};

const char *kindName(DeviceKind kind) {
    switch (kind) {
    case DeviceKind::Cpu:
        return "cpu";
    case DeviceKind::Simulator:
        return "simulator";
    case DeviceKind::Cuda:
        return "cuda";
    }
    return "cpu";
}

void describeHost(DeviceEntry &device) {
    device.properties["cores"] = availableCores();
    device.properties["memory_bytes"] = usableMemory();
    device.details = counted(availableCores(), "core") + ", " + binarySize(usableMemory()) + " of memory";
}

#if defined(TESSERA_WITH_CUDA)
void describeCuda(DeviceEntry &device) {
    for (const cuda::DeviceProperties &properties : cuda::findDevices().devices) {
        if (device.id != "cuda:" + std::to_string(properties.index))
            continue;
        const std::string capability =
            std::to_string(properties.computeMajor) + "." + std::to_string(properties.computeMinor);
        device.properties["memory_bytes"] = properties.memoryBytes;
        device.properties["compute_capability"] = capability;
        device.properties["multiprocessors"] = properties.multiprocessors;
        device.properties["l2_bytes"] = properties.l2Bytes;
        device.details = binarySize(properties.memoryBytes) + " of memory, compute capability " + capability + ", " +
                         counted(static_cast<std::uint64_t>(properties.multiprocessors), "multiprocessor");
    }
}
std::string whyNoCuda() { return cuda::findDevices().reason; }
#else
void describeCuda(DeviceEntry &) {}
std::string whyNoCuda() { return "this build was made without CUDA"; }
#endif

void addOnce(std::vector<std::string> &words, const std::string &word) {
    if (std::ranges::find(words, word) == words.end())
        words.push_back(word);
}

std::vector<DeviceEntry> listDevices() {
    std::vector<DeviceEntry> devices;
    for (const auto &engine : availableEngines()) {
        auto device = std::ranges::find(devices, engine->deviceId(), &DeviceEntry::id);
        if (device == devices.end()) {
            device = devices.insert(devices.end(), DeviceEntry{});
            device->id = engine->deviceId();
            device->kind = kindName(engine->deviceKind());
            device->name = engine->deviceName();
            if (engine->deviceKind() == DeviceKind::Cuda)
                describeCuda(*device);
            else if (engine->deviceKind() == DeviceKind::Cpu)
                describeHost(*device);
            else
                device->details = "runs the GPU's kernels on the CPU and counts what a GPU would do: exact, but slow";
        }
        addOnce(device->engines, std::string(engine->name()));
        for (const VariantInfo &variant : engine->variants())
            addOnce(device->variants, variant.name);
    }
    return devices;
}

class DevicesCommand : public Command {
public:
    std::string_view name() const override { return "devices"; }
    std::string_view summary() const override { return "list where filters can run on this machine"; }

    CommandSyntax syntax() override {
        CommandSyntax syntax;
        syntax.description =
            "Lists the devices of this machine that can filter: NVIDIA GPUs, the CPU and the simulator, "
            "with the implementations that run on each.";
        syntax.examples = {
            {"tessera devices", "what there is"},
            {"tessera devices --json | jq -r '.devices[] | select(.kind==\"cuda\") | .id'", "the GPUs, for --device"}};
        syntax.notes =
            "Choose one with --device ID. A device that is named but missing is an error (exit code 4); with "
            "--device auto, the default, Tessera takes the best there is and says which.";
        return syntax;
    }

    ExitCode run(Console &console) override {
        const std::vector<DeviceEntry> devices = listDevices();
        const bool hasCuda =
            std::ranges::any_of(devices, [](const DeviceEntry &device) { return device.kind == "cuda"; });
        const std::string reason = hasCuda ? "" : whyNoCuda();
        if (console.options.json)
            printAsJson(devices, reason);
        else
            printAsTable(devices, reason);
        return ExitCode::Done;
    }

private:
    static void printAsJson(const std::vector<DeviceEntry> &devices, const std::string &whyNone) {
        Json object;
        object["devices"] = Json::array();
        for (const DeviceEntry &device : devices) {
            Json entry;
            entry["id"] = device.id;
            entry["kind"] = device.kind;
            entry["name"] = jsonText(device.name);
            entry.update(device.properties);
            entry["engines"] = device.engines;
            entry["variants"] = device.variants;
            object["devices"].push_back(std::move(entry));
        }
        object["no_cuda_reason"] = whyNone.empty() ? Json(nullptr) : Json(jsonText(whyNone));
        printJson(object);
    }

    static void printAsTable(const std::vector<DeviceEntry> &devices, const std::string &whyNone) {
        TextTable table({{"DEVICE"}, {"NAME"}, {"WHAT IT HAS"}});
        for (const DeviceEntry &device : devices)
            table.addRow({device.id, device.name, device.details + "\nvariants: " + joinNames(device.variants)});
        print(table.text());
        if (!whyNone.empty())
            print("\nNo CUDA device: " + displayText(whyNone) + ".\n");
    }
};

} // namespace

std::unique_ptr<Command> makeDevicesCommand() { return std::make_unique<DevicesCommand>(); }

} // namespace tessera
