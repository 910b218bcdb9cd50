// An angle to turn by hand: 0° points right, angles grow counter-clockwise as in mathematics.
#pragma once

#include <QWidget>

namespace tessera {

class AngleDial : public QWidget {
    Q_OBJECT

public:
    explicit AngleDial(QWidget *parent = nullptr);

    void setRange(double minimum, double maximum);
    void setValue(double degrees);
    double value() const { return value_; }
    QSize sizeHint() const override { return {30, 30}; }

signals:
    void valueChanged(double degrees); // by the user
    void released();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void turnTo(QPointF position, bool coarse);
    void change(double degrees);

    double minimum_ = 0, maximum_ = 360, value_ = 0;
};

} // namespace tessera
