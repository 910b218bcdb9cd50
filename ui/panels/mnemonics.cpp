#include "ui/panels/mnemonics.h"

namespace tessera {

QString Mnemonics::mark(const QString &text) {
    const auto escaped = [](QString part) { return part.replace(QLatin1Char('&'), QStringLiteral("&&")); };
    for (qsizetype i = 0; i < text.size(); ++i)
        if (text[i].isLetterOrNumber() && text[i].unicode() < 128 && taken_.insert(text[i].toLower()).second)
            return escaped(text.left(i)) + QLatin1Char('&') + escaped(text.mid(i));
    for (const char free : "1234567890abcdefghijklmnopqrstuvwxyz")
        if (free != 0 && taken_.insert(QLatin1Char(free)).second)
            return QStringLiteral("%1 (&%2)").arg(escaped(text), QChar(QLatin1Char(free)));
    return escaped(text);
}

QString withoutMnemonic(QString text) {
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == QLatin1Char('&') && ++i == text.size())
            break;
        plain += text[i];
    }
    return plain.remove(QStringLiteral("…"));
}

} // namespace tessera
