// What the race's plots share: logarithmic axes, labels that keep out of each other's way, numbers as people read them.
#pragma once

#include <QPolygonF>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

class QPainter;

namespace tessera {

// Whole decades from the least to the largest value held.
class LogAxis {
public:
    void hold(double value); // ignores what is not above 0
    bool empty() const { return empty_; }
    int low() const { return low_; } // powers of ten
    int high() const { return high_; }
    double position(double value) const; // 0..1, limited
    double valueAt(double position) const;

private:
    bool empty_ = true;
    int low_ = 0, high_ = 1;
};

QString powerText(int exponent);     // 10⁻⁶
QString millisecondsText(double ms); // "0.275", "16.3"
QString shortExponent(double value); // "1.3e-6": an exponent without its zeros
QString rateText(double perSecond);  // "1952" of 1.952e12: in units of 1e9, three digits that count
QString ratedText(double perSecond, const QString &unit); // "62.9 TFLOP/s"
QString timeTick(int exponentOfMs);                       // "10 µs", "100 ms", "1 s"
QString rateTick(int exponent, const QString &unit);      // "10 GFLOP/s", "1 TFLOP/s"

// Finds room for labels beside their dots: right, left, above, below, else nowhere.
class LabelPlacer {
public:
    explicit LabelPlacer(const QRectF &room) : room_(room) {}
    void block(const QRectF &taken) { taken_.push_back(taken); }
    void blockLine(const QPolygonF &line); // no label lies on it
    bool take(const QRectF &rect);         // whether it was free, and is taken now
    std::optional<QRectF> place(const QPointF &dot, const QSizeF &label, double gap = 7);
    // Draws it where there is room; the tool tip has it anyhow.
    void draw(QPainter &painter, const QPointF &dot, const QString &text);

private:
    bool isFree(const QRectF &rect) const;
    QRectF room_;
    std::vector<QRectF> taken_;
};

} // namespace tessera
