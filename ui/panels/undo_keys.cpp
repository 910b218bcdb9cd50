#include "ui/panels/undo_keys.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>

namespace tessera {

namespace {

const QLineEdit *lineOf(QObject *watched) {
    if (qobject_cast<QAbstractSpinBox *>(watched))
        return watched->findChild<QLineEdit *>();
    const auto *line = qobject_cast<QLineEdit *>(watched);
    const QWidget *around = line ? line->parentWidget() : nullptr;
    return around && qobject_cast<QAbstractItemView *>(around->parentWidget()) ? nullptr : line;
}

} // namespace

UndoKeys::UndoKeys(QObject *parent) : QObject(parent) { qApp->installEventFilter(this); }

bool UndoKeys::eventFilter(QObject *watched, QEvent *event) {
    if (event->type() != QEvent::ShortcutOverride)
        return false;
    const auto *key = static_cast<QKeyEvent *>(event);
    const bool redo = key->matches(QKeySequence::Redo);
    if (!redo && !key->matches(QKeySequence::Undo))
        return false;
    const QLineEdit *line = lineOf(watched);
    if (!line || line->isModified() || (redo && line->isRedoAvailable()))
        return false;
    event->ignore(); // no override: the shortcut has it
    return true;
}

} // namespace tessera
