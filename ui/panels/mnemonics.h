// Mnemonics for entries whose texts are data: files, filters, presets. One letter each as far as letters go.
#pragma once

#include <QString>

#include <set>

class QMenu;

namespace tessera {

class Mnemonics {
public:
    void take(QChar letter) { taken_.insert(letter.toLower()); }
    // `text`, in which "&&" stands for an ampersand, with the first letter marked that is still free; as it is where
    // none of its letters is.
    QString mark(const QString &text);
    // The same, but then with a digit or letter in brackets: "Sobel (&7)".
    QString markOrAdd(const QString &text);

private:
    std::set<QChar> taken_;
};

// Marks what has no mnemonic yet in the menu and all below it.
void completeMnemonics(QMenu &menu);

// "Save &as…" read aloud: "Save as".
QString withoutMnemonic(const QString &text);

// A file's name as a menu or button shows it: its ampersands mark nothing.
QString withoutMarks(QString name);

} // namespace tessera
