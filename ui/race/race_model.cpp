#include "ui/race/race_model.h"

#include "ui/bridge/message.h"
#include "ui/race/plot_axis.h"
#include "ui/window/theme.h"

#include <QLocale>

#include <algorithm>

namespace tessera {

namespace {

QString milliseconds(const std::optional<double> &ms) { return ms ? millisecondsText(*ms) : QString(); }

QString errorText(const RaceRow &row) {
    if (!row.maximumError)
        return {};
    if (*row.maximumError == 0)
        return RaceModel::tr("exact");
    return shortExponent(*row.maximumError / row.fullRange);
}

QString percentText(double share) {
    return RaceModel::tr("%1 %").arg(100 * share, 0, 'f', share < 0.001 ? 2 : share < 0.0995 ? 1 : 0);
}

// "44 %", or "mem 4.1 %" where memory alone is the measure.
QString shareText(const RaceRow &row) {
    if (!row.share())
        return {};
    const QString text = percentText(*row.share());
    return row.dense ? text : RaceModel::tr("mem %1").arg(text);
}

// 16.8 M: counts of a whole picture are long.
QString countText(std::int64_t count) {
    const double value = double(count);
    const auto text = [](double scaled, const QString &unit) {
        return QStringLiteral("%1 %2").arg(QString::number(scaled, 'f', scaled >= 100 ? 0 : 1), unit);
    };
    if (value >= 1e9)
        return text(value * 1e-9, QStringLiteral("G"));
    if (value >= 1e6)
        return text(value * 1e-6, QStringLiteral("M"));
    return QLocale::c().toString(qlonglong(count));
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
                     this->index(rowCount() - 1, ColumnCount - 1)); // bars and ties are relative to each other
    emit headerDataChanged(Qt::Horizontal, SpeedUp, SpeedUp);
}

void RaceModel::setDevice(const RaceDevice &device) {
    const auto known = std::ranges::find(devices_, device.id, &RaceDevice::id);
    if (known == devices_.end())
        devices_.push_back(device);
    else
        *known = device;
    emit devicesChanged();
}

void RaceModel::stopWaiting() {
    settleRows(rows_);
    if (rowCount())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void RaceModel::measure() {
    slowest_ = 0;
    for (const RaceRow &row : rows_)
        slowest_ = std::max(slowest_, row.medianMs.value_or(0));
    markTies(rows_);
}

bool RaceModel::knowsCopies() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const RaceRow &row) { return row.copyMs.has_value(); });
}

QString RaceModel::baseline() const { return raceBaseline(rows_).name == "naive" ? tr("naive") : tr("slowest"); }

int RaceModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : int(rows_.size()); }
int RaceModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString RaceModel::state(const RaceRow &row) {
    switch (row.state) {
    case RaceState::Waiting:
        return tr("waiting");
    case RaceState::Running:
        return row.samples == 0    ? tr("checking the result")
               : row.wantedSamples ? tr("measuring (%1 of %2)").arg(row.samples).arg(row.wantedSamples)
                                   : tr("measuring (%1)").arg(row.samples);
    case RaceState::Refused:
        return tr("not for this picture: %1").arg(inWindowTerms(row.note));
    case RaceState::Failed:
        return inWindowTerms(row.note);
    case RaceState::Stopped:
        return tr("not run: the race was stopped");
    case RaceState::Done:
        if (!row.simulated)
            return {};
        if (!row.counts)
            return tr("simulated: no time");
        return tr("%1: %2 reads, %3 sectors, %4 conflicts%5")
            .arg(row.counts->simulated ? tr("simulated") : tr("modelled"), countText(row.counts->globalReads),
                 countText(row.counts->sectors), countText(row.counts->bankConflicts),
                 row.counts->races == 0 ? QString() : tr(", %1 races").arg(row.counts->races));
    }
    return {};
}

QColor RaceModel::colourOf(const std::string &variant) {
    const Theme &t = theme();
    const std::pair<std::string_view, QColor> colours[] = {{"naive", t.red},
                                                           {"tiled", t.blue},
                                                           {"cpu", t.good},
                                                           {"opencv", t.warning},
                                                           {"blocked", t.bar1},
                                                           {"separable", QColor(0x2a, 0xa1, 0x98)},
                                                           {"fft", QColor(0x9b, 0x59, 0xb6)},
                                                           {"tensor", QColor(0xd0, 0x6f, 0x2e)}};
    for (const auto &[name, colour] : colours)
        if (variant.starts_with(name))
            return colour;
    return t.grey;
}

QColor RaceModel::colour(const RaceRow &row) {
    const bool runs =
        row.state != RaceState::Refused && row.state != RaceState::Failed && row.state != RaceState::Stopped;
    return runs ? colourOf(row.variant) : theme().muted;
}

QString RaceModel::cell(const RaceRow &row, int column) const {
    const auto rate = [](const std::optional<double> &perSecond) {
        return perSecond ? rateText(*perSecond) : QString();
    };
    if (!row.medianMs && column == Total)
        return state(row);
    if (row.simulated && column > Total && column < Error)
        return {};
    switch (column) {
    case Variant:
        return QString::fromStdString(row.variant);
    case Where:
        return row.simulated ? tr("simulated") : QString::fromStdString(row.engine);
    case Total:
        return milliseconds(row.medianMs);
    case Kernel:
        return milliseconds(row.kernelMs);
    case Copies:
        return milliseconds(row.copyMs);
    case SpeedUp:
        return row.medianMs && *row.medianMs > 0
                   ? QStringLiteral("%1×").arg(raceBaseline(rows_).ms / *row.medianMs, 0, 'f', 1)
                   : QString();
    case Bandwidth:
        return rate(row.bytesPerSecond());
    case Rate:
        // Operations that a Fourier transform or passes do not make are not achieved.
        return rate(row.achievedOperationsPerSecond());
    case Share:
        return shareText(row);
    case Error:
        return errorText(row);
    case Tie:
        if (!row.tieWith.empty())
            return tr("tie");
        return row.medianMs && row.samples == 1 && row.state == RaceState::Done ? tr("1 run") : QString();
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
    case Qt::TextAlignmentRole: {
        const bool words = index.column() <= Where || (index.column() == Total && !shown.medianMs);
        return int((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    case Qt::ForegroundRole:
        if (index.column() == Where || index.column() == Tie || !shown.medianMs)
            return theme().muted;
        return {};
    case Qt::ToolTipRole:
        return toolTip(shown);
    default:
        return {};
    }
}

QVariant RaceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section <= Where ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole)
        return theme().muted;
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const std::pair<QString, QString> heads[ColumnCount] = {
        {tr("Variant"), tr("The implementation")},
        {tr("Engine"), tr("Where it runs")},
        {tr("ms"), tr("Median from the call to the finished picture, transfers included")},
        {tr("kernel"), tr("Milliseconds of the computation alone")},
        {tr("copies"), tr("Milliseconds of the transfers to the device and back")},
        {tr("vs %1").arg(baseline()), tr("How many times faster, end to end")},
        {tr("GB/s"), tr("What must be read and written once, over the kernel's time")},
        {tr("GFLOP/s"), tr("Multiplications and additions of the definition, over the kernel's time; empty where a "
                           "variant makes fewer")},
        {tr("of roof"),
         tr("Share of what the measured ceilings of the device allow, caches warm; mem: of what its memory alone "
            "allows, as the variant makes fewer operations than the definition")},
        {tr("error"), tr("Largest error before rounding against float64, of the full range")},
        {QString(),
         tr("A tie: the intervals of the medians overlap; 1 run: there was time for one alone, so that nothing is "
            "known of its spread")},
        {QString(), tr("Median, with a whisker from the 5th to the 95th percentile; yellow: what the device allows")}};
    return role == Qt::DisplayRole ? heads[section].first : heads[section].second;
}

QString RaceModel::asText() const {
    constexpr QLatin1Char separator('\t');
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
