#include "ui/panels/mnemonics.h"

#include <QAction>
#include <QKeySequence>
#include <QMenu>

namespace tessera {

QString Mnemonics::mark(const QString &text) {
    for (qsizetype i = 0; i < text.size(); ++i)
        if (text[i].isLetterOrNumber() && text[i].unicode() < 128 && taken_.insert(text[i].toLower()).second)
            return QString(text).insert(i, QLatin1Char('&'));
    return text;
}

QString Mnemonics::markOrAdd(const QString &text) {
    const QString marked = mark(text);
    if (marked != text)
        return marked;
    for (const char16_t free : std::u16string_view(u"1234567890abcdefghijklmnopqrstuvwxyz"))
        if (taken_.insert(QChar(free)).second)
            return QStringLiteral("%1 (&%2)").arg(text, QChar(free));
    return text;
}

void completeMnemonics(QMenu &menu) {
    Mnemonics marks;
    QList<QAction *> unmarked;
    for (QAction *action : menu.actions()) {
        const QString key = QKeySequence::mnemonic(action->text()).toString(); // "Alt+S"
        if (!key.isEmpty())
            marks.take(key.back());
        else if (!action->isSeparator())
            unmarked << action;
        if (action->menu())
            completeMnemonics(*action->menu());
    }
    for (QAction *action : unmarked) // an action with a key of its own needs no bracket
        action->setText(action->shortcuts().isEmpty() ? marks.markOrAdd(action->text()) : marks.mark(action->text()));
}

QString withoutMnemonic(const QString &text) {
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == QLatin1Char('&') && ++i == text.size())
            break;
        plain += text[i];
    }
    return plain.remove(QStringLiteral("…"));
}

QString withoutMarks(QString name) { return name.replace(QLatin1Char('&'), QStringLiteral("&&")); }

} // namespace tessera
