#include "ui/panels/card.h"

#include "ui/panels/controls.h"
#include "ui/window/style_painting.h"
#include "ui/window/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

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

void Card::setNote(const QString &note) { note_->setText(note); }

void Card::addToHeader(QWidget *widget) { header_->addWidget(widget); }

void Card::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    paintBox(painter, rect(), theme().card, theme().cardBorder, 4);
}

} // namespace tessera
