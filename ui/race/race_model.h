// The rows of a race as a table, and the devices they are held against.
#pragma once

#include "app/race/race.h"

#include <QAbstractTableModel>
#include <QColor>

namespace tessera {

class RaceModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Variant,
        Where,
        Total,
        Kernel,
        Copies,
        SpeedUp,
        Bandwidth,
        Rate,
        Share,
        Error,
        Tie,
        Bar,
        ColumnCount
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<RaceRow> rows);
    void setRow(int index, const RaceRow &row);
    void setDevice(const RaceDevice &device); // in the place of the one of its id
    void stopWaiting();                       // the race is over: what has no time by now gets none
    const RaceRow &row(int index) const { return rows_[std::size_t(index)]; }
    const std::vector<RaceRow> &rows() const { return rows_; }
    const std::vector<RaceDevice> &devices() const { return devices_; }
    double slowestMs() const { return slowest_; }
    bool knowsCopies() const; // whether any row tells transfers apart
    QString baseline() const; // what SpeedUp compares with: "naive", else the slowest

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    QString asText() const;                   // heads and rows as they are shown, separated by tabs, for the clipboard
    QString explanation(int index) const;     // of a row, in sentences
    static QString state(const RaceRow &row); // what stands in place of the time where there is none
    static QColor colour(const RaceRow &row);
    static QColor colourOf(const std::string &variant);

signals:
    void devicesChanged();

private:
    QString cell(const RaceRow &row, int column) const;
    QString toolTip(const RaceRow &row) const;
    void measure();

    std::vector<RaceRow> rows_;
    std::vector<RaceDevice> devices_;
    double slowest_ = 0;
};

} // namespace tessera
