#include "ui/histogram/statistics_table.h"

#include "ui/window/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {
constexpr int rowHeightPixels = 18;

// "1.23e-5", without the sign and the zero that say nothing: a column has room for seven characters.
QString withShortExponent(double value, int digits) {
    static const QRegularExpression padding(QStringLiteral("e\\+?(-?)0*"));
    return QString::number(value, 'e', digits - 1).replace(padding, QStringLiteral("e\\1"));
}

QString significant(double value, bool crowded) {
    const double size = std::abs(value);
    const bool tight = crowded && value < 0; // the sign takes the place of a digit
    if (size != 0 && (size < (tight ? 1e-2 : 1e-3) || size >= (crowded ? 1e5 : 1e6)))
        return withShortExponent(value, crowded ? 2 : 3);
    const int decimals = size >= 1000 && crowded ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 || tight ? 3 : 4;
    return QString::number(value, 'f', decimals);
}

// Plain text to the edges of its cell: five channels must fit into a narrow column of the window.
class FigureDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        const bool label = index.column() == 0;
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, theme().button);
        painter->setPen(label ? theme().muted : theme().text);
        const QRect room = option.rect.adjusted(label ? 3 : 1, 0, label ? 0 : -3, 0);
        const QString whole = index.data().toString();
        painter->setFont(option.font);
        const QString text = painter->fontMetrics().elidedText(whole, Qt::ElideRight, room.width());
        painter->drawText(room, (label ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, text);
    }
};

} // namespace

void StatisticsModel::makeRows() {
    using Channel = const ChannelStatistics &;
    const Depth depth = depth_;
    const bool crowded = statistics_->channels.size() > 4; // colours, alpha and luminance: narrower columns
    const auto level = [depth, crowded](double value) {
        return depth == Depth::F32 ? significant(value, crowded) : QString::number(value, 'f', 0);
    };
    const auto figure = [depth, crowded](double value) {
        if (crowded && depth == Depth::U8 && value >= 100)
            return QString::number(value, 'f', 0);
        return depth == Depth::U16  ? QString::number(value, 'f', 0)
               : depth == Depth::U8 ? QString::number(value, 'f', 1)
                                    : significant(value, crowded);
    };
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
        const double percent = whole ? 100.0 * double(part) / double(whole) : 0.0;
        return part && percent < 0.05 ? QStringLiteral("<0.1") : QString::number(percent, 'f', 1);
    };
    // Of a channel without a finite value there is nothing to say.
    const auto levelOf = [=](Channel c, double value) { return c.count ? level(value) : QStringLiteral("–"); };
    const auto figureOf = [=](Channel c, double value) { return c.count ? figure(value) : QStringLiteral("–"); };
    rows_ = {
        {tr("min"), tr("Smallest value"), [=](Channel c) { return levelOf(c, c.minimum); }},
        {tr("max"), tr("Largest value"), [=](Channel c) { return levelOf(c, c.maximum); }},
        {tr("mean"), tr("Mean"), [=](Channel c) { return figureOf(c, c.mean); }},
        {tr("std dev"), tr("Standard deviation of the population"),
         [=](Channel c) { return figureOf(c, c.standardDeviation); }},
        {tr("median"), tr("Median"), [=](Channel c) { return levelOf(c, c.median); }},
        {tr("1 %"), tr("One value in a hundred lies below"),
         [=](Channel c) { return levelOf(c, c.percentiles.front()); }},
        {tr("99 %"), tr("One value in a hundred lies above"),
         [=](Channel c) { return levelOf(c, c.percentiles.back()); }},
        {tr("entropy"), tr("Entropy of the histogram in bits"),
         [](Channel c) { return c.count ? QString::number(c.entropy, 'f', 2) : QStringLiteral("–"); }},
        {tr("clip %"), tr("Share of values at or beyond the ends of the range"),
         [=](Channel c) { return share(c.clippedLow + c.clippedHigh, c.count); }},
    };
    bool strange = false;
    for (const ChannelStatistics &channel : statistics_->channels)
        strange = strange || channel.nan || channel.infinite;
    if (strange) {
        rows_.push_back({tr("NaN"), tr("Values that are no number"), [](Channel c) { return QString::number(c.nan); }});
        rows_.push_back({tr("infinite"), tr("Infinite values"), [](Channel c) { return QString::number(c.infinite); }});
    }
}

void StatisticsModel::setTitle(const QString &title) { title_ = title; }

void StatisticsModel::setStatistics(const ImageStatistics *statistics, Depth depth) {
    beginResetModel();
    statistics_ = statistics ? std::optional(*statistics) : std::nullopt;
    depth_ = depth;
    rows_.clear();
    if (statistics_)
        makeRows();
    endResetModel();
}

int StatisticsModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : int(rows_.size()); }
int StatisticsModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() || !statistics_ ? 0 : int(statistics_->channels.size()) + 1;
}

QVariant StatisticsModel::data(const QModelIndex &index, int role) const {
    const Row &row = rows_[std::size_t(index.row())];
    if (role == Qt::TextAlignmentRole)
        return int((index.column() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return row.help;
    if (role == Qt::ForegroundRole && index.column() == 0)
        return theme().muted;
    if (role == Qt::DisplayRole)
        return index.column() ? row.text(statistics_->channels[std::size_t(index.column() - 1)]) : row.label;
    return {};
}

QVariant StatisticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::DisplayRole && section == 0)
        return title_;
    if (role == Qt::FontRole && section == 0)
        return headingFont();
    if (role == Qt::DisplayRole && section > 0) {
        const QString name = QString::fromStdString(statistics_->channels[std::size_t(section - 1)].name);
        return name == QLatin1String("Luminance") ? tr("Y") : name;
    }
    if (role == Qt::ToolTipRole && section > 0)
        return QString::fromStdString(statistics_->channels[std::size_t(section - 1)].name);
    if (role == Qt::ForegroundRole)
        return theme().muted;
    return {};
}

StatisticsTable::StatisticsTable(const QString &title, const QString &name, QWidget *parent)
    : QTableView(parent), model_(new StatisticsModel(this)) {
    model_->setTitle(title);
    setModel(model_);
    setItemDelegate(new FigureDelegate(this));
    setSelectionBehavior(SelectRows);
    setAccessibleName(name);
    setFont(smallFont());
    horizontalHeader()->setFont(smallFont());
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(10);
    horizontalHeader()->setFixedHeight(rowHeightPixels);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(10);
    verticalHeader()->setDefaultSectionSize(rowHeightPixels);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setAutoFillBackground(false);
    setTabKeyNavigation(false);
    setEditTriggers(NoEditTriggers);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setWordWrap(false);
}

void StatisticsTable::setStatistics(const ImageStatistics *statistics, Depth depth) {
    model_->setStatistics(statistics, depth);
    layOut();
    updateGeometry();
}

QSize StatisticsTable::sizeHint() const {
    const int rows = model_->rowCount();
    return {220, rows ? (rows + 1) * rowHeightPixels : 0};
}

void StatisticsTable::layOut() {
    const int columns = model_->columnCount();
    if (columns < 2)
        return;
    // A figure that is cut says something wrong: rather smaller type, down to what is still legible.
    for (const double share : {1.0, 0.93, 0.86, 0.79, 0.72}) {
        QFont type = smallFont();
        type.setPointSizeF(type.pointSizeF() * share);
        const QFontMetrics metrics(type);
        int label = 0, figure = 0;
        for (int r = 0; r < model_->rowCount(); ++r)
            for (int c = 0; c < columns; ++c) {
                int &widest = c ? figure : label;
                widest = std::max(widest, metrics.horizontalAdvance(model_->index(r, c).data().toString()));
            }
        const QString head = model_->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString();
        label = std::max(label, QFontMetrics(headingFont()).horizontalAdvance(head)) + 12;
        const int room = width() - label;
        setFont(type);
        setColumnWidth(0, label);
        for (int c = 1; c < columns; ++c)
            setColumnWidth(c, room * c / (columns - 1) - room * (c - 1) / (columns - 1));
        if (figure + 5 <= room / (columns - 1))
            break;
    }
}

void StatisticsTable::resizeEvent(QResizeEvent *event) {
    QTableView::resizeEvent(event);
    layOut();
}

void StatisticsTable::keyPressEvent(QKeyEvent *event) {
    if (!event->matches(QKeySequence::Copy))
        return QTableView::keyPressEvent(event);
    QStringList lines;
    QStringList heads;
    for (int c = 0; c < model_->columnCount(); ++c)
        heads << model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
    lines << heads.join(QLatin1Char('\t'));
    for (int r = 0; r < model_->rowCount(); ++r) {
        QStringList cells;
        for (int c = 0; c < model_->columnCount(); ++c)
            cells << model_->index(r, c).data().toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace tessera
