// Small controls that several panels share.
#pragma once

#include "ui/panels/number_field.h"

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QSlider>
#include <QStyledItemDelegate>

namespace tessera {

// A wheel over a panel scrolls the panel; it changes a value only where the control has the focus.
class QuietSlider : public QSlider {
    Q_OBJECT
public:
    using QSlider::QSlider;

protected:
    void wheelEvent(QWheelEvent *event) override;
};

class QuietComboBox : public QComboBox {
    Q_OBJECT
public:
    explicit QuietComboBox(QWidget *parent = nullptr);

protected:
    void wheelEvent(QWheelEvent *event) override;
};

// One line of text that ends in "…" where there is no room for it; the tool tip has it all.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget *parent = nullptr);
    QSize minimumSizeHint() const override { return {20, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;
};

// A column of cards, as high as they are where there is room, scrolling where there is not. It sizes its content
// itself: QScrollArea's own resizing loops for ever over content whose height depends on its width. For the same reason
// room for the scroll bar is always kept.
class CardColumn : public QScrollArea {
    Q_OBJECT
public:
    CardColumn(QWidget *content, const QString &name);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {sizeHint().width(), 60}; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    int heightFor(int width) const;
    void place();
};

// Rows of a list with room for the ring around the current one.
class RoomyRows : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 6);
    }
};

void setForeground(QLabel *label, const QColor &colour);
// Text in the muted colour of the theme, kept so when the theme changes.
void setForegroundMuted(QLabel *label);

} // namespace tessera
