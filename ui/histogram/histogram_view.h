// A picture's histogram: filled columns a channel, one column a screen pixel.
#pragma once

#include "app/stats/statistics.h"

#include <QImage>
#include <QWidget>

#include <optional>

namespace tessera {

enum class HistogramScale { Linear, SquareRoot, Logarithmic };

class HistogramView : public QWidget {
    Q_OBJECT

public:
    explicit HistogramView(QWidget *parent = nullptr);

    void setStatistics(const ImageStatistics *statistics); // copied; nullptr: none
    void setScale(HistogramScale scale);
    // Bits 0..2 the colours (bit 0 grey), bit 3 luminance.
    void setChannels(unsigned mask);
    QSize sizeHint() const override { return {220, 110}; }
    // What the columns under this x stand for, a line a curve; empty outside the plot.
    QString textAt(double x) const;
    QString missing() const; // the channels that have no value to draw; empty: none

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    struct Curve {
        const ChannelStatistics *channel;
        QColor colour;
    };
    // A column's fill reaches from the bottom to `top`, its outline from `low` to there, in device pixels.
    struct Column {
        int low, top;
    };
    std::vector<Curve> curves() const;
    void render();
    std::vector<std::vector<Column>> columnsOf(const std::vector<Curve> &shown, int columns, int room) const;
    int margin() const; // at each side, in device pixels
    int columns() const;
    double height(double count, double peak) const; // 0..1

    std::optional<ImageStatistics> statistics_;
    HistogramScale scale_ = HistogramScale::SquareRoot;
    unsigned channels_ = 7;
    QImage picture_; // empty: to be rendered
};

} // namespace tessera
