#include "ui/panels/card.h"

#include "ui/panels/controls.h"
#include "ui/window/style_painting.h"
#include "ui/window/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include <utility>

namespace tessera {

Card::Card(const QString &title, QWidget *parent)
    : QFrame(parent), title_(new QLabel(this)), note_(new ElidedLabel(this)), header_(new QHBoxLayout),
      body_(new QVBoxLayout(this)) {
    title_->setFont(headingFont());
    note_->setFont(smallFont());
    header_->setSpacing(6);
    header_->addWidget(title_);
    header_->addWidget(note_, 1);
    body_->setContentsMargins(9, 7, 9, 9);
    body_->setSpacing(5);
    body_->addLayout(header_);
    setForegroundMuted(title_);
    setForegroundMuted(note_);
    setTitle(title);
}

void Card::setTitle(const QString &title) {
    title_->setText(title.toUpper());
    setAccessibleName(title);
}

void Card::setNote(const QString &note) {
    note_->setText(note);
    placeNote();
}

// What stands in the header besides does not depend on where the note is: it moves there and back without an end.
void Card::placeNote() {
    const QMargins margins = body_->contentsMargins();
    int used = margins.left() + margins.right();
    for (int i = 0; i < header_->count(); ++i)
        if (const QWidget *widget = header_->itemAt(i)->widget(); widget && widget != note_ && !widget->isHidden())
            used += widget->sizeHint().width() + header_->spacing();
    const bool below =
        !note_->text().isEmpty() && used + note_->fontMetrics().horizontalAdvance(note_->text()) > width();
    if (below == std::exchange(noteBelow_, below))
        return;
    header_->removeWidget(note_);
    body_->removeWidget(note_);
    if (below)
        body_->insertWidget(1, note_);
    else
        header_->insertWidget(1, note_, 1);
}

void Card::resizeEvent(QResizeEvent *event) {
    placeNote();
    QFrame::resizeEvent(event);
}

bool Card::event(QEvent *event) {
    if (event->type() == QEvent::LayoutRequest) // something in the header has changed its size, or is hidden now
        placeNote();
    return QFrame::event(event);
}

void Card::addToHeader(QWidget *widget) { header_->addWidget(widget); }

void Card::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    paintBox(painter, rect(), theme().card, theme().cardBorder, 4);
}

} // namespace tessera
