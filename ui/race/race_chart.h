// Speed against error: each measured variant a dot, faster to the left, more exact below. Both axes are logarithmic.
#pragma once

#include <QWidget>

namespace tessera {

class RaceModel;

class RaceChart : public QWidget {
    Q_OBJECT

public:
    explicit RaceChart(const RaceModel &model, QWidget *parent = nullptr);
    QSize sizeHint() const override { return {220, 150}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const RaceModel &model_;
};

} // namespace tessera
