#include "ui/race/race_model.h"

#include "ui/window/theme.h"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

QString milliseconds(const std::optional<double> &ms) {
    if (!ms)
        return {};
    return QString::number(*ms, 'f', *ms >= 100 ? 1 : *ms >= 10 ? 2 : 3);
}

// "1.3e-6": an exponent without its zeros.
QString shortExponent(double value) {
    QString text = QString::number(value, 'e', 1);
    return text.replace(QStringLiteral("e-0"), QStringLiteral("e-"))
        .replace(QStringLiteral("e+0"), QStringLiteral("e"));
}

QString errorText(const RaceRow &row) {
    if (!row.maximumError)
        return {};
    if (*row.maximumError == 0)
        return RaceModel::tr("exact");
    return shortExponent(*row.maximumError / row.fullRange);
}

} // namespace

void RaceModel::setRows(std::vector<RaceRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    measure();
    endResetModel();
}

void RaceModel::setRow(int index, const RaceRow &row) {
    if (index < 0 || index >= int(rows_.size()))
        return;
    rows_[std::size_t(index)] = row;
    measure();
    emit dataChanged(this->index(0, 0),
                     this->index(rowCount() - 1, ColumnCount - 1)); // bars are relative to each other
    emit headerDataChanged(Qt::Horizontal, SpeedUp, SpeedUp);
}

void RaceModel::stopWaiting() {
    for (RaceRow &row : rows_)
        if (row.state == RaceState::Running)
            row.state = row.samples ? RaceState::Done : RaceState::Waiting;
    if (rowCount())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void RaceModel::measure() {
    slowest_ = 0;
    for (const RaceRow &row : rows_)
        slowest_ = std::max(slowest_, row.medianMs.value_or(0));
}

bool RaceModel::knowsCopies() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const RaceRow &row) { return row.copyMs.has_value(); });
}

double RaceModel::baselineMs() const {
    for (const RaceRow &row : rows_)
        if (row.variant == "naive" && row.medianMs)
            return *row.medianMs;
    return slowest_;
}

QString RaceModel::baseline() const {
    const bool naive = std::any_of(rows_.begin(), rows_.end(),
                                   [](const RaceRow &row) { return row.variant == "naive" && row.medianMs; });
    return naive ? tr("naive") : tr("slowest");
}

int RaceModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : int(rows_.size()); }
int RaceModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString RaceModel::state(const RaceRow &row) {
    switch (row.state) {
    case RaceState::Waiting:
        return tr("waiting");
    case RaceState::Running:
        return row.simulated ? tr("checking") : tr("measuring (%1 of %2)").arg(row.samples).arg(row.wantedSamples);
    case RaceState::Refused:
        return tr("not for this picture: %1").arg(QString::fromStdString(row.note));
    case RaceState::Failed:
        return QString::fromStdString(row.note);
    case RaceState::Done:
        return row.simulated ? tr("simulated: no time") : QString();
    }
    return {};
}

QColor RaceModel::colour(const RaceRow &row) {
    const Theme &t = theme();
    if (row.simulated || row.state == RaceState::Refused || row.state == RaceState::Failed)
        return t.muted;
    if (row.variant == "naive")
        return t.red;
    if (row.variant.starts_with("tiled"))
        return t.blue;
    return row.engine == "opencv" ? t.warning : row.engine == "cpu" ? t.good : t.bar1;
}

QString RaceModel::cell(const RaceRow &row, int column) const {
    switch (column) {
    case Variant:
        return QString::fromStdString(row.variant);
    case Where:
        return row.simulated ? tr("simulated") : QString::fromStdString(row.engine);
    case Total:
        return row.medianMs ? milliseconds(row.medianMs) : QString();
    case Kernel:
        return row.simulated ? QString() : milliseconds(row.kernelMs);
    case Copies:
        return row.simulated ? QString() : milliseconds(row.copyMs);
    case SpeedUp:
        return row.medianMs && *row.medianMs > 0 ? QStringLiteral("%1×").arg(baselineMs() / *row.medianMs, 0, 'f', 1)
                                                 : QString();
    case Error:
        return errorText(row);
    default:
        return {};
    }
}

QVariant RaceModel::data(const QModelIndex &index, int role) const {
    const RaceRow &shown = rows_[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return cell(shown, index.column());
    case Qt::AccessibleTextRole: {
        const QString text = cell(shown, index.column());
        return index.column() == Bar || text.isEmpty() ? state(shown) : text;
    }
    case Qt::TextAlignmentRole:
        return int((index.column() <= Where ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == Where || shown.simulated || shown.state == RaceState::Refused)
            return theme().muted;
        return {};
    case Qt::ToolTipRole: {
        QStringList lines{
            QStringLiteral("%1 — %2").arg(QString::fromStdString(shown.title), QString::fromStdString(shown.device))};
        if (shown.medianMs)
            lines << tr("median %1 ms of %2, from %3 to %4 ms")
                         .arg(milliseconds(shown.medianMs))
                         .arg(shown.samples)
                         .arg(milliseconds(shown.fastestMs), milliseconds(shown.slowestMs));
        if (shown.maximumError)
            lines << tr("largest error %1 of %2, relative L2 %3, against float64 on parts of the picture")
                         .arg(*shown.maximumError, 0, 'g', 3)
                         .arg(shown.fullRange)
                         .arg(*shown.relativeL2, 0, 'g', 3);
        if (!shown.note.empty())
            lines << QString::fromStdString(shown.note);
        return lines.join(QLatin1Char('\n'));
    }
    default:
        return {};
    }
}

QVariant RaceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        switch (section) {
        case Variant:
            return tr("Variant");
        case Where:
            return tr("Engine");
        case Total:
            return tr("ms");
        case Kernel:
            return tr("kernel");
        case Copies:
            return tr("copies");
        case SpeedUp:
            return tr("vs %1").arg(baseline());
        case Error:
            return tr("error");
        default:
            return QString();
        }
    if (role == Qt::TextAlignmentRole)
        return int((section <= Where ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole)
        return theme().muted;
    return {};
}

QString RaceModel::asText(QChar separator) const {
    QStringList lines;
    QStringList heads;
    for (int c = 0; c < Bar; ++c)
        heads << headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
    lines << heads.join(separator);
    for (const RaceRow &row : rows_) {
        QStringList cells;
        for (int c = 0; c < Bar; ++c)
            cells << cell(row, c);
        lines << cells.join(separator);
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace tessera
