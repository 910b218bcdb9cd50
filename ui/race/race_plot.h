// The ground of the race's plots: paints itself into a widget or into a picture of any size, and tells what lies under
// the cursor.
#pragma once

#include "ui/race/race_model.h"

#include <QImage>
#include <QWidget>

#include <vector>

namespace tessera {

// A mark of a plot, in the coordinates it was painted in.
struct PlotSpot {
    QPointF place;
    QString name;        // of the variant
    QString text;        // tool tip
    bool hollow = false; // a prediction
    bool square = false; // held against memory alone
};

class RacePlot : public QWidget {
    Q_OBJECT

public:
    explicit RacePlot(const RaceModel &model, QWidget *parent = nullptr);
    QSize sizeHint() const override { return {220, 150}; }

    QImage picture(const QSize &size, double scale) const; // for export, whatever the widget's size
    std::vector<PlotSpot> spots(const QSize &size) const;  // those painted at that size
    virtual QString hint() const { return {}; }            // how to read it, a sentence

protected:
    // Paints into `room` and returns its marks.
    virtual std::vector<PlotSpot> paint(QPainter &painter, const QRect &room) const = 0;
    const RaceModel &model() const { return model_; }

    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override; // tool tips

private:
    void paintGround(QPainter &painter, const QRect &room) const;
    const RaceModel &model_;
};

// Shared by plots: the colours' dot, filled where measured.
void paintDot(QPainter &painter, const QPointF &place, const QColor &colour, bool hollow, bool square = false);
void paintEmpty(QPainter &painter, const QRect &room, const QString &text);

} // namespace tessera
