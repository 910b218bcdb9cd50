#include "app/bench/nvml.h"

#include <array>
#include <dlfcn.h>

namespace tessera::bench {

namespace {

// Of NVIDIA's documentation of nvmlClocksThrottleReasons and nvmlClockType_t; the library's header is no part of every
// CUDA installation.
struct Reason {
    unsigned long long bit;
    const char *name;
};
constexpr std::array reasons{
    Reason{0x04, "power cap"},          Reason{0x08, "hardware slowdown"},  Reason{0x10, "sync boost"},
    Reason{0x20, "thermal (software)"}, Reason{0x40, "thermal (hardware)"}, Reason{0x80, "power brake"},
    Reason{0x100, "display clocks"},
};
constexpr int clockOfMultiprocessors = 1, clockOfMemory = 2, sensorOfGpu = 0;

} // namespace

std::vector<std::string> throttleReasons(unsigned long long mask) {
    std::vector<std::string> names;
    for (const Reason &reason : reasons)
        if (mask & reason.bit)
            names.emplace_back(reason.name);
    return names;
}

struct ClockReader::Library {
    void *handle = nullptr;
    int (*shutdown)() = nullptr;
    int (*clock)(void *, int, unsigned *) = nullptr;
    int (*throttling)(void *, unsigned long long *) = nullptr;
    int (*temperature)(void *, int, unsigned *) = nullptr;

    template <class Function> bool find(Function *&function, const char *name) {
        function = reinterpret_cast<Function *>(dlsym(handle, name));
        return function != nullptr;
    }
    ~Library() {
        if (shutdown)
            shutdown();
        if (handle)
            dlclose(handle);
    }
};

ClockReader::ClockReader(const std::string &pciBusId) : library_(std::make_unique<Library>()) {
    Library &library = *library_;
    library.handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) {
        missing_ = "not known: the driver's libnvidia-ml.so.1 was not found";
        return;
    }
    int (*start)() = nullptr;
    int (*findDevice)(const char *, void **) = nullptr;
    library.find(library.clock, "nvmlDeviceGetClockInfo");
    library.find(library.throttling, "nvmlDeviceGetCurrentClocksThrottleReasons");
    library.find(library.temperature, "nvmlDeviceGetTemperature");
    if (!library.find(start, "nvmlInit_v2") || !library.find(findDevice, "nvmlDeviceGetHandleByPciBusId_v2") ||
        start() != 0) {
        missing_ = "not known: libnvidia-ml.so.1 does not start";
        return;
    }
    library.find(library.shutdown, "nvmlShutdown");
    if (findDevice(pciBusId.c_str(), &device_) != 0) {
        device_ = nullptr;
        missing_ = "not known: libnvidia-ml.so.1 does not find this device";
    }
}

ClockReader::~ClockReader() = default;

ClockRecord ClockReader::read() const {
    ClockRecord record;
    if (!device_)
        return record;
    unsigned value = 0;
    if (library_->clock && library_->clock(device_, clockOfMultiprocessors, &value) == 0)
        record.lowestMhz = record.highestMhz = int(value);
    if (library_->clock && library_->clock(device_, clockOfMemory, &value) == 0)
        record.memoryMhz = int(value);
    if (library_->temperature && library_->temperature(device_, sensorOfGpu, &value) == 0)
        record.temperature = int(value);
    unsigned long long mask = 0;
    if (library_->throttling && library_->throttling(device_, &mask) == 0)
        record.throttling = throttleReasons(mask);
    return record;
}

} // namespace tessera::bench
