// All keys on one page.
#pragma once

#include <QDialog>
#include <QString>

#include <utility>
#include <vector>

namespace tessera {

struct ShortcutGroup {
    QString title;
    std::vector<std::pair<QString, QString>> rows; // what, keys
};

class ShortcutSheet : public QDialog {
    Q_OBJECT

public:
    ShortcutSheet(const std::vector<ShortcutGroup> &groups, QWidget *parent);
};

} // namespace tessera
