// Mnemonics for entries whose texts are data: files, filters, presets. One letter each as far as letters go.
#pragma once

#include <QString>

#include <set>

namespace tessera {

class Mnemonics {
public:
    // `text` as it is to be read, with the first letter marked that is still free ("&&" for its own ampersands). Texts
    // whose letters are all taken get a free digit or letter in brackets: "Sobel (&7)".
    QString mark(const QString &text);

private:
    std::set<QChar> taken_;
};

// "Save &as…" read aloud: "Save as".
QString withoutMnemonic(QString text);

} // namespace tessera
