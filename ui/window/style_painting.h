// The strokes behind TesseraStyle, one function a control.
#pragma once

#include <QStyle>

class QPainter;
class QColor;
class QStyleOptionComboBox;
class QStyleOptionMenuItem;
class QStyleOptionProgressBar;
class QStyleOptionSlider;
class QStyleOptionSpinBox;

namespace tessera {

// A filled box with a border one pixel wide that lies inside `rect`.
void paintBox(QPainter &painter, const QRect &rect, const QColor &fill, const QColor &border, double radius);
void paintFocus(QPainter &painter, const QRect &rect);
void paintButton(QPainter &painter, const QRect &rect, QStyle::State state, bool flat);
void paintChevron(QPainter &painter, const QRect &rect, bool down);
void paintField(QPainter &painter, const QRect &rect, QStyle::State state);
void paintCheckBox(QPainter &painter, const QRect &rect, QStyle::State state);
void paintRadioButton(QPainter &painter, const QRect &rect, QStyle::State state);
void paintTab(QPainter &painter, const QRect &rect, QStyle::State state);
void paintTabClose(QPainter &painter, const QRect &rect, QStyle::State state);
void paintProgress(QPainter &painter, const QStyleOptionProgressBar &option);
void paintMenuBarItem(const QStyle &style, QPainter &painter, const QStyleOptionMenuItem &option,
                      const QWidget *widget);
void paintComboBox(const QStyle &style, QPainter &painter, const QStyleOptionComboBox &option, const QWidget *widget);
void paintSpinBox(const QStyle &style, QPainter &painter, const QStyleOptionSpinBox &option, const QWidget *widget);
void paintSlider(const QStyle &style, QPainter &painter, const QStyleOptionSlider &option, const QWidget *widget);
void paintScrollBar(const QStyle &style, QPainter &painter, const QStyleOptionSlider &option, const QWidget *widget);
QRect scrollBarPart(const QStyleOptionSlider &option, QStyle::SubControl part);

} // namespace tessera
