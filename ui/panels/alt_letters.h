// Letters that are pressed with Alt while a line of text has the focus.
#pragma once

#include <QObject>

namespace tessera {

// Alt+S is meant for a button. Where that is disabled nobody takes the keys, and a line of text would take the letter
// for one that is typed into it.
class AltLetters : public QObject {
public:
    explicit AltLetters(QObject *parent);
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace tessera
