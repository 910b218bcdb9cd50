// The crossover map: kernel sizes across, picture sizes down, in each cell who wins there and by how much.
#pragma once

#include "app/race/crossover.h"
#include "ui/race/race_plot.h"

#include <optional>

namespace tessera {

class CrossoverView : public RacePlot {
    Q_OBJECT

public:
    explicit CrossoverView(const RaceModel &model, QWidget *parent = nullptr);
    QString hint() const override;

    void setMap(const CrossoverMap &map);
    const std::optional<CrossoverMap> &map() const { return map_; }
    void setScope(CrossoverScope scope);
    void setMeasuring(bool measuring);

protected:
    std::vector<PlotSpot> paint(QPainter &painter, const QRect &room) const override;

private:
    QString tip(const CrossoverCell &cell) const;
    void paintHeads(QPainter &painter, const QRect &grid, double wide, double high) const;
    PlotSpot paintCell(QPainter &painter, const QRectF &rect, const CrossoverCell &cell) const;

    std::optional<CrossoverMap> map_;
    CrossoverScope scope_ = CrossoverScope::Call;
    bool measuring_ = false;
};

} // namespace tessera
