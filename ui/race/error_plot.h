// Speed against error: each measured variant a dot, faster to the left, more exact below. Both axes are logarithmic.
#pragma once

#include "ui/race/race_plot.h"

namespace tessera {

class ErrorPlot : public RacePlot {
    Q_OBJECT

public:
    explicit ErrorPlot(const RaceModel &model, QWidget *parent = nullptr);
    QString hint() const override;

protected:
    std::vector<PlotSpot> paint(QPainter &painter, const QRect &room) const override;
};

} // namespace tessera
