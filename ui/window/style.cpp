#include "ui/window/style.h"

#include "ui/window/style_painting.h"
#include "ui/window/theme.h"

#include <QPainter>
#include <QStyleOption>
#include <QToolButton>

namespace tessera {

TesseraStyle::TesseraStyle() : QProxyStyle(QStringLiteral("fusion")) {}

void TesseraStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                                 const QWidget *widget) const {
    switch (element) {
    case PE_PanelButtonCommand:
    case PE_PanelButtonTool:
        return paintButton(*painter, option->rect, option->state, element == PE_PanelButtonTool);
    case PE_FrameDefaultButton:
        return;
    case PE_FrameFocusRect:
        return paintFocus(*painter, option->rect);
    case PE_FrameLineEdit:
    case PE_PanelLineEdit:
        if (const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option); frame && frame->lineWidth > 0)
            return paintField(*painter, option->rect, option->state);
        painter->fillRect(option->rect, option->palette.brush(QPalette::Base));
        return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        return paintCheckBox(*painter, option->rect, option->state);
    case PE_IndicatorRadioButton:
        return paintRadioButton(*painter, option->rect, option->state);
    case PE_IndicatorTabClose:
        return paintTabClose(*painter, option->rect, option->state);
    case PE_PanelMenu:
        painter->fillRect(option->rect, theme().card);
        return;
    case PE_FrameMenu:
    case PE_PanelTipLabel:
        return paintBox(*painter, option->rect, theme().card, theme().buttonBorder, 0);
    case PE_PanelStatusBar:
        painter->fillRect(option->rect, theme().bar);
        painter->fillRect(QRect(option->rect.left(), option->rect.top(), option->rect.width(), 1), theme().cardBorder);
        return;
    case PE_IndicatorArrowDown:
    case PE_IndicatorArrowRight:
        if (const auto *button = qobject_cast<const QToolButton *>(widget); button && button->menu())
            return paintChevron(*painter, QRect(button->width() - 16, 0, 12, button->height()), true);
        return paintChevron(*painter, option->rect, element == PE_IndicatorArrowDown);
    case PE_FrameStatusBarItem:
    case PE_IndicatorToolBarSeparator:
    case PE_PanelScrollAreaCorner:
        return;
    case PE_PanelItemViewItem:
        if (option->state & State_Selected)
            return paintBox(*painter, option->rect.adjusted(0, 1, 0, -1), theme().accent, theme().accent, 3);
        if (option->state & State_MouseOver && option->state & State_Enabled)
            return paintBox(*painter, option->rect.adjusted(0, 1, 0, -1), theme().button, theme().button, 3);
        return;
    case PE_PanelItemViewRow:
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void TesseraStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                               const QWidget *widget) const {
    switch (element) {
    case CE_ToolBar:
        painter->fillRect(option->rect, theme().bar);
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                          theme().cardBorder);
        return;
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, theme().bar);
        return;
    case CE_ToolButtonLabel:
        if (widget && widget->objectName() == QLatin1String("qt_toolbar_ext_button")) {
            // Qt's own mark for what a tool bar has no room for is a black picture, whatever the theme.
            const QRect rect = option->rect;
            for (const int part : {-1, 1})
                paintChevron(*painter, rect.translated(part * 3, 0), false);
            return;
        }
        // On the accent's ground the text takes the accent's ink.
        if (const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option);
            button && button->state & State_On) {
            QStyleOptionToolButton inked = *button;
            inked.palette.setColor(QPalette::ButtonText, theme().accentText);
            return QProxyStyle::drawControl(element, &inked, painter, widget);
        }
        break;
    case CE_MenuBarItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option))
            return paintMenuBarItem(*this, *painter, *item, widget);
        break;
    case CE_Splitter:
        return;
    case CE_HeaderSection: // headers lie on whatever ground their table has
        return;
    case CE_ProgressBarGroove:
        return paintBox(*painter, option->rect, theme().field, theme().cardBorder, 3);
    case CE_ProgressBarContents:
        if (const auto *bar = qstyleoption_cast<const QStyleOptionProgressBar *>(option))
            return paintProgress(*painter, *bar);
        break;
    case CE_TabBarTabShape:
        return paintTab(*painter, option->rect, option->state);
    case CE_ComboBoxLabel:
        if (const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option)) {
            const QRect text = subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget).adjusted(2, 0, -2, 0);
            const QString shown = combo->fontMetrics.elidedText(combo->currentText, Qt::ElideRight, text.width());
            return drawItemText(painter, text, Qt::AlignVCenter | Qt::AlignLeft, combo->palette,
                                combo->state & State_Enabled, shown, QPalette::ButtonText);
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void TesseraStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                      const QWidget *widget) const {
    switch (control) {
    case CC_ComboBox:
        if (const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option))
            return paintComboBox(*this, *painter, *combo, widget);
        break;
    case CC_SpinBox:
        if (const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option))
            return paintSpinBox(*this, *painter, *spin, widget);
        break;
    case CC_Slider:
        if (const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option))
            return paintSlider(*this, *painter, *slider, widget);
        break;
    case CC_ScrollBar:
        if (const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option))
            return paintScrollBar(*this, *painter, *slider, widget);
        break;
    default:
        break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect TesseraStyle::subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl subControl,
                                   const QWidget *widget) const {
    const QRect &r = option->rect;
    if (control == CC_ScrollBar)
        if (const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option))
            return scrollBarPart(*slider, subControl);
    if (control == CC_SpinBox) {
        const int arrows = 14, half = r.height() / 2;
        const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option);
        const bool bare = spin && spin->buttonSymbols == QAbstractSpinBox::NoButtons;
        switch (subControl) {
        case SC_SpinBoxUp:
            return bare ? QRect() : QRect(r.right() - arrows, r.top() + 1, arrows, half - 1);
        case SC_SpinBoxDown:
            return bare ? QRect() : QRect(r.right() - arrows, r.top() + half, arrows, r.height() - half - 1);
        case SC_SpinBoxEditField:
            return r.adjusted(3, 1, bare ? -3 : -arrows - 1, -1);
        default:
            return r;
        }
    }
    if (control == CC_ComboBox) {
        if (subControl == SC_ComboBoxEditField)
            return r.adjusted(6, 1, -20, -1);
        if (subControl == SC_ComboBoxArrow)
            return QRect(r.right() - 19, r.top(), 18, r.height());
    }
    return QProxyStyle::subControlRect(control, option, subControl, widget);
}

QRect TesseraStyle::subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const {
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    const auto *frame = element == SE_LineEditContents ? qstyleoption_cast<const QStyleOptionFrame *>(option) : nullptr;
    return frame && frame->lineWidth > 0 ? rect.adjusted(3, 0, -3, 0) : rect;
}

QSize TesseraStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                     const QWidget *widget) const {
    QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_PushButton:
        return {size.width() + 20, std::max(24, size.height() + 8)};
    case CT_ToolButton:
        return {size.width() + 14, std::max(24, size.height() + 4)};
    case CT_ComboBox:
        return {size.width() + 34, std::max(24, size.height() + 8)};
    case CT_SpinBox:
    case CT_LineEdit:
        return {wanted.width(), std::max(22, size.height() + 4)};
    case CT_MenuBarItem:
        return {wanted.width() + 4, 26};
    case CT_MenuItem:
        return {wanted.width() + 8, wanted.height() > 12 ? std::max(24, wanted.height()) : wanted.height()};
    default:
        return wanted;
    }
}

int TesseraStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const {
    switch (metric) {
    case PM_ScrollBarExtent:
        return 10;
    case PM_ScrollBarSliderMin:
        return 24;
    case PM_SliderThickness:
    case PM_SliderControlThickness:
        return 18;
    case PM_SliderLength:
        return 12;
    case PM_SplitterWidth:
        return 5;
    case PM_ToolBarItemSpacing:
        return 6;
    case PM_ToolBarItemMargin:
    case PM_ToolBarFrameWidth:
        return 3;
    case PM_MenuPanelWidth:
        return 1;
    case PM_MenuVMargin:
    case PM_MenuHMargin:
        return 4;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return 14;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int TesseraStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                            QStyleHintReturn *returnData) const {
    switch (hint) {
    case SH_Slider_AbsoluteSetButtons:
        return Qt::LeftButton; // a click on the groove goes there
    case SH_EtchDisabledText:
    case SH_ComboBox_Popup:
    case SH_DialogButtonBox_ButtonsHaveIcons:
        return 0;
    case SH_ToolTip_WakeUpDelay:
        return 500;
    case SH_ItemView_ShowDecorationSelected:
        return 1;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

} // namespace tessera
