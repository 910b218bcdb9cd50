// The times of every measured variant on one logarithmic axis: each sample a point, the middle 90 % a line, the
// interval of the median a box, the median a tick, the floor a mark.
#pragma once

#include "ui/race/race_plot.h"

namespace tessera {

class TimePlot : public RacePlot {
    Q_OBJECT

public:
    explicit TimePlot(const RaceModel &model, QWidget *parent = nullptr);
    QString hint() const override;

protected:
    std::vector<PlotSpot> paint(QPainter &painter, const QRect &room) const override;
};

} // namespace tessera
