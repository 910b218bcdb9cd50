#include "ui/race/race_delegate.h"

#include "ui/window/theme.h"

#include <QPainter>

#include <algorithm>

namespace tessera {

void RaceDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const {
    const RaceRow &row = model_.row(index.row());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(theme().cardBorder);
    painter->drawLine(QPointF(option.rect.left(), option.rect.bottom() + 0.5),
                      QPointF(option.rect.right() + 1, option.rect.bottom() + 0.5));
    QStyleOptionViewItem text = option;
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect.adjusted(0, 0, 0, -1), theme().button);
    text.state &= ~(QStyle::State_Selected | QStyle::State_HasFocus | QStyle::State_MouseOver);
    if (index.column() == RaceModel::Variant) {
        const bool timed = row.medianMs && row.state == RaceState::Done;
        const QColor colour = RaceModel::colour(row);
        painter->setPen(timed ? QPen(Qt::NoPen) : QPen(colour, 1.2));
        painter->setBrush(timed ? QBrush(colour) : QBrush(Qt::NoBrush));
        painter->drawEllipse(QPointF(option.rect.left() + 11, option.rect.center().y() + 0.5), 3.6, 3.6);
        text.rect.adjust(18, 0, 0, 0);
    }
    if (index.column() == RaceModel::Bar && row.medianMs)
        paintBar(*painter, option.rect.adjusted(12, 0, -10, 0), row);
    painter->restore();
    if (index.column() != RaceModel::Bar)
        QStyledItemDelegate::paint(painter, text, index);
}

void RaceDelegate::paintBar(QPainter &painter, const QRect &room, const RaceRow &row) const {
    // The slowest sample may lie beyond the slowest median.
    const double scale = room.width() / std::max(1e-9, model_.slowestMs() * 1.15);
    const auto x = [&](double ms) { return room.left() + std::min<double>(room.width(), ms * scale); };
    const QRectF groove(room.left(), room.center().y() - 4, room.width(), 8);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().field);
    painter.drawRoundedRect(groove, 2, 2);
    QRectF bar = groove;
    bar.setRight(std::max(groove.left() + 2, x(*row.medianMs)));
    painter.setBrush(theme().bar1);
    painter.drawRoundedRect(bar, 2, 2);
    const double y = groove.center().y();
    if (row.samples > 1 && row.p5Ms && row.p95Ms) {
        painter.setPen(QPen(theme().text, 1.2));
        const double from = x(*row.p5Ms), to = x(*row.p95Ms);
        painter.drawLine(QPointF(from, y), QPointF(to, y));
        painter.drawLine(QPointF(from, y - 3), QPointF(from, y + 3));
        painter.drawLine(QPointF(to, y - 3), QPointF(to, y + 3));
    }
    if (row.floorMs) {
        painter.setPen(QPen(theme().mark, 1.6));
        painter.drawLine(QPointF(x(*row.floorMs), y - 6), QPointF(x(*row.floorMs), y + 6));
    }
}

} // namespace tessera
