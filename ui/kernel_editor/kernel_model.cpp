#include "ui/kernel_editor/kernel_model.h"

#include "app/session/kernel_edit.h"
#include "ui/panels/number_field.h"

#include <algorithm>
#include <cmath>

namespace tessera {

std::optional<double> readTap(const QString &text) { return parseTap(withPoint(text).toStdString()); }
bool isOutOfRange(const QString &text) { return isOutOfRange(withPoint(text).toStdString()); }

void KernelModel::setKernel(const ConvolutionKernel &kernel) {
    const bool sameShape = kernel.width == kernel_.width && kernel.height == kernel_.height;
    if (!sameShape)
        beginResetModel();
    kernel_ = kernel;
    largest_ = 0;
    for (const double tap : kernel_.taps)
        largest_ = std::max(largest_, std::abs(tap));
    if (!sameShape)
        endResetModel();
    else
        emit dataChanged(index(0, 0), index(kernel_.height - 1, kernel_.width - 1));
}

int KernelModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : kernel_.height; }
int KernelModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : kernel_.width; }

namespace {

// Without the zeros that say nothing: ".25", "4e-7".
QString withDigits(double value, int digits) {
    QString text = QString::number(value, 'g', digits);
    if (text.startsWith(QLatin1String("0.")))
        text.remove(0, 1);
    else if (text.startsWith(QLatin1String("-0.")))
        text.remove(1, 1);
    return text.replace(QLatin1String("e-0"), QLatin1String("e-")).replace(QLatin1String("e+0"), QLatin1String("e"));
}

} // namespace

QString KernelModel::shortText(double value) {
    if (value == std::round(value) && std::abs(value) < 1e5)
        return QString::number(value, 'f', 0);
    return withDigits(value, std::abs(value) >= 0.1 ? 3 : 2);
}

QString KernelModel::fittingText(double value, const QFontMetrics &metrics, int width) {
    QString text = shortText(value);
    for (int digits = 2; digits > 0 && metrics.horizontalAdvance(text) > width; --digits)
        text = withDigits(value, digits);
    return metrics.horizontalAdvance(text) > width ? QStringLiteral("…") : text;
}

QVariant KernelModel::data(const QModelIndex &index, int role) const {
    const double value = kernel_.at(index.column(), index.row());
    switch (role) {
    case Qt::DisplayRole:
        return shortText(value);
    case Qt::EditRole:
        return QString::number(value, 'g', 17).toDouble() == QString::number(value, 'g', 10).toDouble()
                   ? QString::number(value, 'g', 10)
                   : QString::number(value, 'g', 17);
    case Qt::ToolTipRole:
        return tr("column %1, row %2: %3").arg(index.column()).arg(index.row()).arg(value, 0, 'g', 10);
    case Qt::AccessibleTextRole:
        return tr("tap at column %1, row %2: %3").arg(index.column()).arg(index.row()).arg(value, 0, 'g', 6);
    case Qt::TextAlignmentRole:
        return int(Qt::AlignCenter);
    default:
        return {};
    }
}

bool KernelModel::setData(const QModelIndex &index, const QVariant &value, int role) {
    if (role != Qt::EditRole)
        return false;
    const QString text = value.toString().trimmed();
    const std::optional<double> number = readTap(text); // also "1/9", as kernels are written
    if (!number) {
        emit badEntry(text);
        return false;
    }
    if (*number != kernel_.at(index.column(), index.row()))
        emit tapEdited(index.column(), index.row(), *number);
    return true;
}

Qt::ItemFlags KernelModel::flags(const QModelIndex &) const {
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable;
}

} // namespace tessera
