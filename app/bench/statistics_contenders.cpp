#include "app/bench/statistics_contenders.h"

#include "app/bench/host_pictures.h"
#include "app/engines/engine_support.h"
#include "app/stats/statistics.h"

#if defined(TESSERA_WITH_OPENCV)
#include "app/bench/opencv_statistics.h"
#endif

#include <algorithm>
#include <cmath>

namespace tessera::bench {

namespace {

class ProgramStatistics final : public StatisticsContender {
public:
    ProgramStatistics(std::shared_ptr<const StatisticsTask> task, std::shared_ptr<HostPictures> pictures)
        : StatisticsContender("cpu", "cpu", Scope::Call, StatisticsKind::Both, std::move(task)),
          pictures_(std::move(pictures)) {}

    int rotations() const override { return pictures_->count(); }
    void run(int rotation) override { found_ = computeStatistics(pictures_->source(rotation)); }
    void finish() override {}

protected:
    void prepare() override { pictures_->load(task().picture); }
    std::vector<ChannelCounts> fetch() override {
        std::vector<ChannelCounts> counts;
        for (std::size_t c = 0; c < std::size_t(task().picture.pixel.channels); ++c) { // luminance comes after
            const ChannelStatistics &channel = found_.channels.at(c);
            counts.push_back({std::uint64_t(std::llround(channel.mean * double(channel.count))),
                              std::uint64_t(channel.minimum), std::uint64_t(channel.maximum), channel.histogram});
        }
        return counts;
    }

private:
    std::shared_ptr<HostPictures> pictures_;
    ImageStatistics found_;
};

} // namespace

Contenders hostStatisticsContenders(const std::shared_ptr<const StatisticsTask> &task, bool cold) {
    const PixelBlock &picture = task->picture;
    const auto pictures =
        std::make_shared<HostPictures>(picture.pixel, picture.width, picture.height, cold, /*withTargets=*/false);
    Contenders contenders;
    contenders.push_back(std::make_unique<ProgramStatistics>(task, pictures));
#if defined(TESSERA_WITH_OPENCV)
    Contenders more = opencvStatisticsContenders(task, pictures);
    std::ranges::move(more, std::back_inserter(contenders));
#endif
    return contenders;
}

} // namespace tessera::bench
