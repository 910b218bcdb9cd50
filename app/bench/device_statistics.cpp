#include "app/bench/device_statistics.h"

#include "gpu/launch/cuda_launcher.h"

#include <algorithm>

namespace tessera::bench {

namespace {

class OwnStatistics final : public DeviceStatistics {
public:
    using DeviceStatistics::DeviceStatistics;

    void run(int rotation) override {
        const RawView source = pictures().source(rotation);
        const cuda::StreamView stream = session().stream();
        if (kind == StatisticsKind::Statistics)
            return cuda::launchStatistics(source, partial_.data(), blocks(), stream);
        auto *counts = static_cast<unsigned long long *>(counts_.data());
        TESSERA_CUDA_CHECK(cudaMemsetAsync(counts, 0, countBytes(), stream));
        if (kind == StatisticsKind::Both)
            cuda::launchHistogramAndStatistics(source, counts, partial_.data(), blocks(), stream);
        else
            cuda::launchHistogram(source, counts, blocks(), stream);
    }

protected:
    void prepare() override {
        DeviceStatistics::prepare();
        blocks_ = cuda::statisticsBlocks(pixel().type, pixel().channels);
        TESSERA_CUDA_CHECK(cudaMemset(partial_.reserve(partialBytes()), 0xa5, partialBytes()));
        TESSERA_CUDA_CHECK(cudaMemset(counts_.reserve(countBytes()), 0xa5, countBytes()));
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
        if (pixel().channels == 4 && kind != StatisticsKind::Statistics)
            note = "counts luminance as well";
    }

    std::vector<ChannelCounts> fetch() override {
        std::vector<ChannelCounts> found(std::size_t(pixel().channels));
        if (kind != StatisticsKind::Histogram)
            pixel().type == ScalarType::U16 ? fetchTotals<std::uint16_t>(found) : fetchTotals<std::uint8_t>(found);
        if (kind != StatisticsKind::Statistics)
            fetchCounts(found);
        return found;
    }

private:
    const PixelKind &pixel() const { return task().picture.pixel; }
    int blocks() const { return blocks_; }
    std::size_t levels() const { return pixel().type == ScalarType::U16 ? 65536 : 256; }
    std::size_t partialBytes() { return cuda::statisticsBytes(pixel().type, pixel().channels, blocks()); }
    std::size_t countBytes() const { // a row more than there are channels: of luminance
        return std::size_t(pixel().channels == 1 ? 1 : pixel().channels + 1) * levels() * sizeof(unsigned long long);
    }

    template <class T> void fetchTotals(std::vector<ChannelCounts> &found) {
        std::vector<ChannelTotals<T>> totals(std::size_t(blocks()) * found.size());
        TESSERA_CUDA_CHECK(cudaMemcpy(totals.data(), partial_.data(), partialBytes(), cudaMemcpyDeviceToHost));
        for (std::size_t c = 0; c < found.size(); ++c) {
            ChannelTotals<T> sum = ChannelTotals<T>::identity();
            for (std::size_t i = c; i < totals.size(); i += found.size())
                sum.merge(totals[i]);
            found[c].sum = std::uint64_t(sum.sum);
            found[c].minimum = sum.minimum;
            found[c].maximum = sum.maximum;
        }
    }

    void fetchCounts(std::vector<ChannelCounts> &found) {
        std::vector<unsigned long long> counts(countBytes() / sizeof(unsigned long long));
        TESSERA_CUDA_CHECK(cudaMemcpy(counts.data(), counts_.data(), countBytes(), cudaMemcpyDeviceToHost));
        for (std::size_t c = 0; c < found.size(); ++c) {
            const auto row = counts.begin() + std::ptrdiff_t(c * levels());
            found[c].histogram.assign(row, row + std::ptrdiff_t(levels()));
        }
    }

    int blocks_ = 1;
    cuda::DeviceBuffer partial_, counts_;
};

} // namespace

Contenders deviceStatisticsContenders(const std::shared_ptr<DeviceSession> &session, const std::string &deviceId,
                                      const std::shared_ptr<const StatisticsTask> &task, const ContenderWish &wish,
                                      const std::shared_ptr<DevicePictures> &pictures) {
    Contenders contenders;
    for (const Scope scope : {Scope::Kernel, Scope::Call})
        for (const StatisticsKind kind : {StatisticsKind::Histogram, StatisticsKind::Statistics, StatisticsKind::Both})
            if (wish.wants(scope))
                contenders.push_back(
                    std::make_unique<OwnStatistics>("tessera", deviceId, scope, kind, task, session, pictures));
    return contenders;
}

} // namespace tessera::bench
