// The roofline of a device: what its memory and its arithmetic allow at each intensity, as measured, with a dot for
// every variant and a hollow one where the model expects it.
#pragma once

#include "ui/race/race_plot.h"

namespace tessera {

class RooflinePlot : public RacePlot {
    Q_OBJECT

public:
    explicit RooflinePlot(const RaceModel &model, QWidget *parent = nullptr);
    QString hint() const override;

    // Of RaceModel::devices(); the first is shown unless another is chosen.
    void setDevice(int index);
    int device() const { return device_; }

protected:
    std::vector<PlotSpot> paint(QPainter &painter, const QRect &room) const override;

private:
    int device_ = 0;
};

} // namespace tessera
