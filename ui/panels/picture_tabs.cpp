#include "ui/panels/picture_tabs.h"

#include <algorithm>

namespace tessera {

PictureTabs::PictureTabs(QWidget *parent) : QTabBar(parent) {
    setTabsClosable(true);
    setExpanding(false);
    setDrawBase(false);
    setElideMode(Qt::ElideRight);
    setUsesScrollButtons(true);
}

QSize PictureTabs::minimumTabSizeHint(int index) const {
    const QSize whole = tabSizeHint(index);
    return {std::min(whole.width(), leastWidth), whole.height()};
}

} // namespace tessera
