// Statistics and histogram of one picture as work for contenders. The distribution of the values matters here: equal
// neighbours make the threads of a GPU wait for one counter.
#pragma once

#include "app/bench/contender.h"
#include "app/bench/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::bench {

// uniform, constant, two-values, photograph, ramp.
const std::vector<std::string> &distributionNames();

// 8 and 16 bits. Throws Error{Internal} for an unknown name. "photograph": smooth noise of several octaves with a
// little grain, so that neighbours are near each other and the histogram has hills and gaps.
PixelBlock distributedPicture(const std::string &distribution, const PixelKind &pixel, int width, int height,
                              std::uint64_t seed);

// What is counted; contenders are ranked among those that count the same.
enum class StatisticsKind : std::uint8_t { Histogram, Statistics, Both };
std::string_view statisticsKindName(StatisticsKind kind); // "histogram", "statistics", "statistics + histogram"

struct ChannelCounts {
    std::uint64_t sum = 0, minimum = 0, maximum = 0;
    std::vector<std::uint64_t> histogram;
};

// Of the picture's channels.
std::vector<ChannelCounts> exactCounts(const PixelBlock &picture);

struct StatisticsTask {
    std::string distribution;
    PixelBlock picture;
    std::vector<ChannelCounts> exact;

    double bytes() const { return double(picture.bytes.size()); }
};

std::shared_ptr<const StatisticsTask> makeStatisticsTask(const std::string &distribution, const PixelKind &pixel,
                                                         int width, int height, std::uint64_t seed);

// Counts are whole numbers: any difference is a failure. Only the parts of `kind` are looked at.
CheckResult compareCounts(const StatisticsTask &task, const std::vector<ChannelCounts> &found, StatisticsKind kind);

class StatisticsContender : public Contender {
public:
    StatisticsContender(std::string variant, std::string deviceId, Scope wanted, StatisticsKind counted,
                        std::shared_ptr<const StatisticsTask> task)
        : Contender(std::move(variant), std::move(deviceId), wanted), kind(counted), task_(std::move(task)) {}

    const StatisticsKind kind;

    // One read of the picture. Its arithmetic is of a kind that no ceiling was measured for.
    Work work() const override {
        Work work;
        work.bytes = task_->bytes();
        work.dense = false;
        return work;
    }
    CheckResult check() override {
        prepare();
        run(0);
        finish();
        return compareCounts(*task_, fetch(), kind);
    }

protected:
    const StatisticsTask &task() const { return *task_; }

    virtual void prepare() {}                       // the picture where it is read from, results poisoned
    virtual std::vector<ChannelCounts> fetch() = 0; // of the run before

private:
    std::shared_ptr<const StatisticsTask> task_;
};

} // namespace tessera::bench
