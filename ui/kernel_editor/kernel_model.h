// The taps as a table; edits are reported, not made: the kernel comes back through setKernel.
#pragma once

#include "app/filters/kernel.h"

#include <QAbstractTableModel>
#include <QFontMetrics>

#include <optional>

namespace tessera {

// A tap as it is typed: with a point or a comma, or as a fraction such as 1/9; nullopt: it is none.
std::optional<double> readTap(const QString &text);
bool isOutOfRange(const QString &text); // written so, but no double holds it

class KernelModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setKernel(const ConvolutionKernel &kernel);
    const ConvolutionKernel &kernel() const { return kernel_; }
    double largest() const { return largest_; } // magnitude, for the colours

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

    static QString shortText(double value); // at most seven characters, for a cell
    // As many digits as fit into `width` pixels, three at most; "…" where not one does.
    static QString fittingText(double value, const QFontMetrics &metrics, int width);

signals:
    void tapEdited(int u, int v, double value);
    void badEntry(const QString &text);

private:
    ConvolutionKernel kernel_;
    double largest_ = 1;
};

} // namespace tessera
