#include "app/stats/level_counts.h"

#include "app/core/error.h"
#include "app/stats/level_counter.h"
#include "app/stats/statistics_parts.h"

#include <mutex>
#include <variant>

namespace tessera {

// Counters are lent: as many come to be as threads count at once.
class LevelCounts::Counters {
public:
    void count(const ConstPixelView &part) {
        Counter counter = borrow(part.format);
        std::visit([&](auto &levels) { levels.count(part); }, counter);
        const std::lock_guard lock(mutex_);
        pixels_ += std::uint64_t(part.width) * std::uint64_t(part.height);
        idle_.push_back(std::move(counter));
    }

    ImageStatistics statistics() {
        const std::lock_guard lock(mutex_);
        ImageStatistics statistics;
        statistics.pixels = pixels_;
        if (idle_.empty())
            return statistics;
        for (std::string &name : statisticsChannels(format_))
            statistics.channels.emplace_back().name = std::move(name);
        for (Counter &counter : idle_)
            std::visit(
                [&]<class T>(LevelCounter<T> &levels) {
                    for (ChannelStatistics &channel : statistics.channels)
                        channel.histogram.resize(LevelCounter<T>::levels);
                    levels.addTo([&](std::size_t c) -> auto & { return statistics.channels[c].histogram; });
                },
                counter);
        for (ChannelStatistics &channel : statistics.channels)
            summarizeLevels(channel, pixels_);
        return statistics;
    }

private:
    using Counter = std::variant<LevelCounter<std::uint8_t>, LevelCounter<std::uint16_t>>;

    Counter borrow(PixelFormat format) {
        const std::lock_guard lock(mutex_);
        if (format.depth == Depth::F32 || (pixels_ > 0 && format != format_))
            throw Error(ErrorKind::Internal, "levels are counted of pictures of integers, all of one format");
        format_ = format;
        if (idle_.empty())
            return format.depth == Depth::U8 ? Counter(LevelCounter<std::uint8_t>(format))
                                             : Counter(LevelCounter<std::uint16_t>(format));
        Counter counter = std::move(idle_.back());
        idle_.pop_back();
        return counter;
    }

    std::mutex mutex_;
    PixelFormat format_;
    std::uint64_t pixels_ = 0;
    std::vector<Counter> idle_;
};

LevelCounts::LevelCounts() : counters_(std::make_unique<Counters>()) {}
LevelCounts::~LevelCounts() = default;
void LevelCounts::count(const ConstPixelView &part) { counters_->count(part); }
ImageStatistics LevelCounts::statistics() const { return counters_->statistics(); }

} // namespace tessera
