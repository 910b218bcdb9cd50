// Whose Ctrl+Z it is while a line of text has the focus.
#pragma once

#include <QObject>

namespace tessera {

// A line of text takes the keys of undo and redo for itself even where it has nothing to undo. Here it has them while
// it holds a change that is not yet committed; after that they are the window's. Editors within a list or grid keep
// them: they close with what they commit.
class UndoKeys : public QObject {
public:
    explicit UndoKeys(QObject *parent);
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace tessera
