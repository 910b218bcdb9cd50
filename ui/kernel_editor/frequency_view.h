// The kernel's frequency response: a picture of |H| (0 in the middle, 1/2 cycle a pixel at the edges) and its course
// across and down.
#pragma once

#include "app/filters/kernel.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace tessera {

class FrequencyView : public QWidget {
    Q_OBJECT

public:
    explicit FrequencyView(QWidget *parent = nullptr);
    void setKernel(const ConvolutionKernel *kernel); // nullptr: none
    QSize sizeHint() const override { return {180, 92}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    static constexpr int side = 64;
    // Divisible by many sides of kernels, so that the zeros of their means are met.
    static constexpr int intervals = 720;
    void paintCourse(QPainter &painter, const QRect &plot, const std::vector<double> &course, const QColor &colour,
                     double peak) const;

    std::optional<ConvolutionKernel> kernel_;
    std::vector<double> across_, down_; // the courses, as response_
    std::vector<float> response_;       // empty: not worked out yet, as nobody looked
};

} // namespace tessera
