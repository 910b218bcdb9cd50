// A dot before the name; a bar of the median with a whisker over the middle 90 % and a mark where the device's ceiling
// is.
#pragma once

#include "ui/race/race_model.h"

#include <QStyledItemDelegate>

namespace tessera {

class RaceDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    RaceDelegate(const RaceModel &model, QObject *parent) : QStyledItemDelegate(parent), model_(model) {}
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    void paintBar(QPainter &painter, const QRect &room, const RaceRow &row) const;
    const RaceModel &model_;
};

} // namespace tessera
