// The table of a race: columns come and go with the room there is, and what has no time says so across its columns.
#pragma once

#include "ui/race/race_model.h"

#include <QPixmap>
#include <QTableView>

namespace tessera {

class RaceTable : public QTableView {
    Q_OBJECT

public:
    explicit RaceTable(RaceModel *model, QWidget *parent = nullptr);
    QPixmap picture(int width) const; // all rows, whatever is scrolled, for export

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void layOut();
    void spanRows();

    RaceModel *model_;
    std::vector<bool> spanned_;
};

} // namespace tessera
