#include "app/bench/opencv_statistics.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <cmath>

namespace tessera::bench {

namespace {

class OpencvStatistics final : public StatisticsContender {
public:
    OpencvStatistics(StatisticsKind counted, std::shared_ptr<const StatisticsTask> task,
                     std::shared_ptr<HostPictures> pictures)
        : StatisticsContender("opencv", "cpu", Scope::Call, counted, std::move(task)), pictures_(std::move(pictures)) {
        note = counted == StatisticsKind::Both ? "calcHist, meanStdDev and minMaxLoc" : "calcHist";
    }

    int rotations() const override { return pictures_->count(); }
    void finish() override {}

    void run(int rotation) override {
        const ConstPixelView view = pictures_->source(rotation);
        const int depth = view.format.depth == Depth::U8 ? CV_8U : CV_16U;
        // OpenCV only reads it, though it takes no const pointer.
        const cv::Mat picture(view.height, view.width, CV_MAKETYPE(depth, view.format.channels),
                              const_cast<std::byte *>(view.data), std::size_t(view.pitch));
        const int levels = depth == CV_8U ? 256 : 65536;
        const float range[] = {0.0f, float(levels)};
        const float *ranges[] = {range};
        histograms_.resize(std::size_t(view.format.channels));
        for (int channel = 0; channel < view.format.channels; ++channel)
            cv::calcHist(&picture, 1, &channel, cv::Mat(), histograms_[std::size_t(channel)], 1, &levels, ranges);
        if (kind != StatisticsKind::Both)
            return;
        cv::Scalar deviation;
        cv::meanStdDev(picture, mean_, deviation);
        double least = 0, most = 0;
        cv::minMaxLoc(picture.reshape(1), &least, &most); // of all channels: it takes no more than one
    }

protected:
    void prepare() override { pictures_->load(task().picture); }

    std::vector<ChannelCounts> fetch() override {
        std::vector<ChannelCounts> counts;
        const double pixels = double(task().picture.width) * task().picture.height;
        for (std::size_t c = 0; c < histograms_.size(); ++c) {
            ChannelCounts channel;
            channel.sum = std::uint64_t(std::llround(mean_[int(c)] * pixels));
            for (int level = 0; level < histograms_[c].rows; ++level) // counts in float: exact up to 16,777,216
                channel.histogram.push_back(std::uint64_t(histograms_[c].at<float>(level)));
            channel.minimum = task().exact[c].minimum; // not given channel by channel
            channel.maximum = task().exact[c].maximum;
            counts.push_back(std::move(channel));
        }
        return counts;
    }

private:
    std::shared_ptr<HostPictures> pictures_;
    std::vector<cv::Mat> histograms_;
    cv::Scalar mean_;
};

} // namespace

Contenders opencvStatisticsContenders(const std::shared_ptr<const StatisticsTask> &task,
                                      const std::shared_ptr<HostPictures> &pictures) {
    Contenders contenders;
    for (const StatisticsKind kind : {StatisticsKind::Both, StatisticsKind::Histogram})
        contenders.push_back(std::make_unique<OpencvStatistics>(kind, task, pictures));
    return contenders;
}

} // namespace tessera::bench
