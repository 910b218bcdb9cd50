// One CUDA device under measurement. Everything that needs CUDA to compile stands behind it.
#pragma once

#include "app/bench/bench_plan.h"
#include "app/bench/convolution_contender.h"
#include "app/bench/report.h"
#include "app/bench/statistics_workload.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::bench {

using Contenders = std::vector<std::unique_ptr<Contender>>;

// What the contenders of one contest are chosen by.
struct ContenderWish {
    std::vector<std::string> variants; // empty: all
    std::vector<Scope> scopes;
    bool cold = true; // buffers to take turns over are needed
    bool peers = false;
    bool statistics = false; // convolutions that count their output's statistics as well

    bool wants(std::string_view variant) const; // by name, options after a colon aside
    bool wants(Scope scope) const;
    // The names asked for that are this variant with options, or the variant itself.
    std::vector<std::string> spellings(const std::string &variant) const;
};

class DeviceBench {
public:
    virtual ~DeviceBench() = default;

    virtual std::string id() const = 0; // "cuda:0"

    // Measures its ceilings: some seconds. What `stop` cuts off is missing.
    virtual DeviceReport describe(const std::function<bool()> &stop) = 0;

    virtual ClockRecord readClocks() = 0; // empty where the driver's library is not there

    // Scopes kernel and call: pictures lie on the device.
    virtual Contenders convolutions(std::shared_ptr<const ConvolutionTask> task, const ContenderWish &wish,
                                    std::vector<LeftOut> &leftOut) = 0;
    virtual Contenders statistics(std::shared_ptr<const StatisticsTask> task, const ContenderWish &wish,
                                  std::vector<LeftOut> &leftOut) = 0;
};

// Of a CUDA engine of availableEngines(). Throws Error{Device}; always in a build without CUDA.
std::unique_ptr<DeviceBench> openDeviceBench(std::shared_ptr<Engine> engine);

} // namespace tessera::bench
