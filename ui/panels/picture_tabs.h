// A tab for every open picture. Where they have no room, they scroll rather than lose their names.
#pragma once

#include <QTabBar>

namespace tessera {

class PictureTabs : public QTabBar {
    Q_OBJECT

public:
    static constexpr int leastWidth = 128; // with room for the beginning of a name, in pixels

    explicit PictureTabs(QWidget *parent = nullptr);

protected:
    QSize minimumTabSizeHint(int index) const override;
};

} // namespace tessera
