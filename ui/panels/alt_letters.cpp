#include "ui/panels/alt_letters.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>

namespace tessera {

AltLetters::AltLetters(QObject *parent) : QObject(parent) { qApp->installEventFilter(this); }

bool AltLetters::eventFilter(QObject *watched, QEvent *event) {
    if (event->type() != QEvent::KeyPress)
        return false;
    if (!qobject_cast<QLineEdit *>(watched) && !qobject_cast<QAbstractSpinBox *>(watched))
        return false;
    const auto *key = static_cast<QKeyEvent *>(event);
    // With Ctrl it is what some keyboards send for AltGr, which does type.
    return (key->modifiers() & (Qt::AltModifier | Qt::ControlModifier)) == Qt::AltModifier && !key->text().isEmpty() &&
           key->text().front().isPrint();
}

} // namespace tessera
