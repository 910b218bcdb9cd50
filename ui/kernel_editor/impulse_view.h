// What the kernel makes of a single bright pixel: the picture that tells correlation from convolution at a glance.
#pragma once

#include "app/session/kernel_analysis.h"

#include <QWidget>

#include <optional>

namespace tessera {

class ImpulseView : public QWidget {
    Q_OBJECT

public:
    explicit ImpulseView(QWidget *parent = nullptr);
    void setKernel(const ConvolutionKernel *kernel, bool flip); // nullptr: none
    const std::optional<ImpulseResponse> &response() const { return response_; }
    QSize sizeHint() const override { return {180, 92}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintPicture(QPainter &painter, const QRect &room, double largest) const;
    void paintCourse(QPainter &painter, const QRect &plot, double least, double largest) const;

    std::optional<ImpulseResponse> response_;
};

} // namespace tessera
