#include "ui/window/style_painting.h"

#include "ui/window/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>

namespace tessera {

namespace {

// Painter state that goes back by itself.
struct Saved {
    explicit Saved(QPainter &p) : painter(p) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
    }
    ~Saved() { painter.restore(); }
    Saved(const Saved &) = delete;
    Saved &operator=(const Saved &) = delete;
    QPainter &painter;
};

QColor faded(QColor colour, bool enabled) {
    if (!enabled)
        colour.setAlphaF(colour.alphaF() * 0.45f);
    return colour;
}

void paintArrow(QPainter &painter, const QPointF &centre, bool up, const QColor &colour, double size = 3.5) {
    const Saved saved(painter);
    const double tip = up ? -size / 2 : size / 2;
    QPainterPath path;
    path.moveTo(centre + QPointF(-size, -tip));
    path.lineTo(centre + QPointF(0, tip));
    path.lineTo(centre + QPointF(size, -tip));
    painter.setPen(QPen(colour, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
}

bool has(QStyle::State state, QStyle::StateFlag flag) { return state.testFlag(flag); }

} // namespace

void paintChevron(QPainter &painter, const QRect &rect, bool down) {
    const Saved saved(painter);
    painter.translate(QRectF(rect).center());
    if (!down)
        painter.rotate(-90);
    paintArrow(painter, {0, 0}, false, theme().muted);
}

void paintBox(QPainter &painter, const QRect &rect, const QColor &fill, const QColor &border, double radius) {
    const Saved saved(painter);
    painter.setPen(QPen(border, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
}

void paintFocus(QPainter &painter, const QRect &rect) {
    const Saved saved(painter);
    painter.setPen(QPen(theme().focus, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.8, 0.8, -0.8, -0.8), 3, 3);
}

void paintButton(QPainter &painter, const QRect &rect, QStyle::State state, bool flat) {
    const Theme &t = theme();
    const bool enabled = has(state, QStyle::State_Enabled), on = has(state, QStyle::State_On);
    const bool hover = enabled && has(state, QStyle::State_MouseOver), down = has(state, QStyle::State_Sunken);
    if (flat && has(state, QStyle::State_AutoRaise) && !on && !hover && !down)
        return;
    QColor fill = on ? t.accent : down ? t.cardBorder : hover ? t.buttonHover : t.button;
    QColor border = on ? t.focus.darker(115) : t.buttonBorder;
    if (has(state, QStyle::State_HasFocus) && has(state, QStyle::State_KeyboardFocusChange))
        border = t.focus;
    paintBox(painter, rect, faded(fill, enabled), faded(border, enabled), 4);
}

void paintField(QPainter &painter, const QRect &rect, QStyle::State state) {
    const Theme &t = theme();
    const bool enabled = has(state, QStyle::State_Enabled);
    const QColor border = has(state, QStyle::State_HasFocus) ? t.focus : t.buttonBorder;
    paintBox(painter, rect, t.field, faded(border, enabled), 4);
}

void paintCheckBox(QPainter &painter, const QRect &rect, QStyle::State state) {
    const Theme &t = theme();
    const bool enabled = has(state, QStyle::State_Enabled), on = has(state, QStyle::State_On);
    const QColor border = has(state, QStyle::State_HasFocus) ? t.focus : on ? t.accent : t.buttonBorder;
    paintBox(painter, rect, faded(on ? t.accent : t.field, enabled), faded(border, enabled), 3);
    if (!on)
        return;
    const Saved saved(painter);
    painter.setPen(QPen(faded(t.accentText, enabled), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QRectF r(rect);
    const QPointF tick[3] = {{r.left() + r.width() * 0.26, r.top() + r.height() * 0.52},
                             {r.left() + r.width() * 0.44, r.top() + r.height() * 0.70},
                             {r.left() + r.width() * 0.75, r.top() + r.height() * 0.32}};
    painter.drawPolyline(tick, 3);
}

void paintRadioButton(QPainter &painter, const QRect &rect, QStyle::State state) {
    const Theme &t = theme();
    const bool enabled = has(state, QStyle::State_Enabled), on = has(state, QStyle::State_On);
    const Saved saved(painter);
    const QRectF r = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(faded(has(state, QStyle::State_HasFocus) ? t.focus : t.buttonBorder, enabled), 1));
    painter.setBrush(faded(on ? t.accent : t.field, enabled));
    painter.drawEllipse(r);
    if (on) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(faded(t.accentText, enabled));
        painter.drawEllipse(r.center(), r.width() * 0.2, r.height() * 0.2);
    }
}

void paintTab(QPainter &painter, const QRect &rect, QStyle::State state) {
    const Theme &t = theme();
    const bool selected = has(state, QStyle::State_Selected);
    painter.fillRect(rect, selected ? t.card : has(state, QStyle::State_MouseOver) ? t.button : t.bar);
    if (selected)
        painter.fillRect(QRect(rect.left(), rect.bottom() - 1, rect.width(), 2), t.focus);
}

void paintTabClose(QPainter &painter, const QRect &rect, QStyle::State state) {
    const Theme &t = theme();
    const bool hover = has(state, QStyle::State_MouseOver) && has(state, QStyle::State_Enabled);
    const QRectF box = QRectF(rect.center() - QPoint(7, 7), QSizeF(15, 15));
    const Saved saved(painter);
    if (hover) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.buttonBorder);
        painter.drawRoundedRect(box, 3, 3);
    }
    painter.setPen(QPen(hover ? t.text : t.muted, 1.3, Qt::SolidLine, Qt::RoundCap));
    const QRectF cross = box.adjusted(4.5, 4.5, -4.5, -4.5);
    painter.drawLine(cross.topLeft(), cross.bottomRight());
    painter.drawLine(cross.topRight(), cross.bottomLeft());
}

void paintProgress(QPainter &painter, const QStyleOptionProgressBar &option) {
    const Theme &t = theme();
    const QRect inside = option.rect.adjusted(1, 1, -1, -1);
    const int range = option.maximum - option.minimum;
    if (range <= 0) { // how long is unknown
        paintBox(painter, inside, t.accent, t.accent, 2);
        return;
    }
    QRect done = inside;
    done.setWidth(int(double(inside.width()) * (option.progress - option.minimum) / range));
    if (done.width() > 1)
        paintBox(painter, done, t.bar1, t.bar1, 2);
}

void paintMenuBarItem(const QStyle &style, QPainter &painter, const QStyleOptionMenuItem &option,
                      const QWidget *widget) {
    const Theme &t = theme();
    painter.fillRect(option.rect, t.bar);
    const bool active = has(option.state, QStyle::State_Selected) && has(option.state, QStyle::State_Enabled);
    if (active)
        paintBox(painter, option.rect.adjusted(1, 3, -1, -3), t.buttonHover, t.buttonHover, 3);
    int alignment = Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextSingleLine;
    if (!style.styleHint(QStyle::SH_UnderlineShortcut, &option, widget))
        alignment |= Qt::TextHideMnemonic;
    style.drawItemText(&painter, option.rect, alignment, option.palette, has(option.state, QStyle::State_Enabled),
                       option.text, QPalette::WindowText);
}

void paintComboBox(const QStyle &style, QPainter &painter, const QStyleOptionComboBox &option, const QWidget *widget) {
    const Theme &t = theme();
    QStyle::State state = option.state;
    state.setFlag(QStyle::State_On, false);
    if (option.editable)
        paintField(painter, option.rect, state);
    else
        paintButton(painter, option.rect, state, false);
    if (has(state, QStyle::State_HasFocus) && !option.editable)
        paintFocus(painter, option.rect);
    const QRect arrow = style.subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxArrow, widget);
    paintArrow(painter, QRectF(arrow).center(), false, faded(t.muted, has(state, QStyle::State_Enabled)));
}

void paintSpinBox(const QStyle &style, QPainter &painter, const QStyleOptionSpinBox &option, const QWidget *widget) {
    const Theme &t = theme();
    if (option.frame)
        paintField(painter, option.rect, option.state);
    if (option.buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    const auto arrow = [&](QStyle::SubControl part, bool up, QAbstractSpinBox::StepEnabledFlag step) {
        const QRect rect = style.subControlRect(QStyle::CC_SpinBox, &option, part, widget);
        const bool enabled = has(option.state, QStyle::State_Enabled) && option.stepEnabled.testFlag(step);
        const bool active = option.activeSubControls.testFlag(part) && has(option.state, QStyle::State_MouseOver);
        paintArrow(painter, QRectF(rect).center(), up, faded(active ? t.text : t.muted, enabled), 2.6);
    };
    arrow(QStyle::SC_SpinBoxUp, true, QAbstractSpinBox::StepUpEnabled);
    arrow(QStyle::SC_SpinBoxDown, false, QAbstractSpinBox::StepDownEnabled);
}

void paintSlider(const QStyle &style, QPainter &painter, const QStyleOptionSlider &option, const QWidget *widget) {
    const Theme &t = theme();
    const bool enabled = has(option.state, QStyle::State_Enabled);
    const QRectF handle = style.subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, widget);
    const Saved saved(painter);
    painter.setPen(Qt::NoPen);
    QRectF groove = option.rect, done;
    if (option.orientation == Qt::Horizontal) {
        groove = QRectF(groove.left() + 2, groove.center().y() - 1.5, groove.width() - 4, 3);
        done = groove;
        done.setRight(handle.center().x());
    } else {
        groove = QRectF(groove.center().x() - 1.5, groove.top() + 2, 3, groove.height() - 4);
        done = groove;
        done.setTop(handle.center().y());
    }
    painter.setBrush(faded(t.buttonBorder, enabled));
    painter.drawRoundedRect(groove, 1.5, 1.5);
    painter.setBrush(faded(t.bar1, enabled));
    painter.drawRoundedRect(done, 1.5, 1.5);
    const double radius = has(option.state, QStyle::State_MouseOver) ? 6 : 5.2;
    painter.setBrush(enabled ? (t.dark ? QColor(0xe6, 0xe8, 0xea) : QColor(Qt::white)) : t.muted);
    painter.setPen(QPen(has(option.state, QStyle::State_HasFocus) ? t.focus : t.buttonBorder,
                        has(option.state, QStyle::State_HasFocus) ? 2 : 1));
    painter.drawEllipse(handle.center(), radius, radius);
}

QRect scrollBarPart(const QStyleOptionSlider &option, QStyle::SubControl part) {
    const QRect &r = option.rect;
    const bool horizontal = option.orientation == Qt::Horizontal;
    const int extent = horizontal ? r.width() : r.height();
    const int range = option.maximum - option.minimum;
    int length = extent;
    if (range > 0)
        length = std::max(24, int(qint64(extent) * option.pageStep / (range + option.pageStep)));
    length = std::min(length, extent);
    const int start = QStyle::sliderPositionFromValue(option.minimum, option.maximum, option.sliderPosition,
                                                      extent - length, option.upsideDown);
    const auto along = [&](int from, int size) {
        return horizontal ? QRect(r.left() + from, r.top(), size, r.height())
                          : QRect(r.left(), r.top() + from, r.width(), size);
    };
    switch (part) {
    case QStyle::SC_ScrollBarGroove:
        return r;
    case QStyle::SC_ScrollBarSlider:
        return along(start, length);
    case QStyle::SC_ScrollBarSubPage:
        return along(0, start);
    case QStyle::SC_ScrollBarAddPage:
        return along(start + length, extent - start - length);
    default:
        return {}; // no buttons at the ends
    }
}

void paintScrollBar(const QStyle &style, QPainter &painter, const QStyleOptionSlider &option, const QWidget *widget) {
    const Theme &t = theme();
    if (option.maximum <= option.minimum)
        return;
    const QRect slider = style.subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, widget);
    const bool active = has(option.state, QStyle::State_MouseOver) || has(option.state, QStyle::State_Sunken);
    const Saved saved(painter);
    painter.setPen(Qt::NoPen);
    painter.setBrush(active ? t.muted : t.buttonBorder);
    painter.drawRoundedRect(QRectF(slider).adjusted(2, 2, -2, -2), 3, 3);
}

} // namespace tessera
