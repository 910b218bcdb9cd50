// min, max, mean, ... a channel a column. Read by screen readers as a table, copied as tab-separated text.
#pragma once

#include "app/image/image.h"
#include "app/stats/statistics.h"

#include <QAbstractTableModel>
#include <QTableView>

#include <functional>
#include <optional>

namespace tessera {

class StatisticsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    void setTitle(const QString &title); // above the row labels
    void setStatistics(const ImageStatistics *statistics, Depth depth);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString label, help;
        std::function<QString(const ChannelStatistics &)> text;
    };
    void makeRows();

    std::optional<ImageStatistics> statistics_;
    Depth depth_ = Depth::U8;
    QString title_;
    std::vector<Row> rows_;
};

class StatisticsTable : public QTableView {
    Q_OBJECT

public:
    StatisticsTable(const QString &title, const QString &name, QWidget *parent = nullptr);
    void setStatistics(const ImageStatistics *statistics, Depth depth);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void layOut();
    StatisticsModel *model_;
};

} // namespace tessera
