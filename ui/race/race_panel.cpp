#include "ui/race/race_panel.h"

#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace tessera {

namespace {

// A dot before the name; a bar of the median with a whisker from the fastest to the slowest sample.
class RaceDelegate : public QStyledItemDelegate {
public:
    explicit RaceDelegate(const RaceModel &model, QObject *parent) : QStyledItemDelegate(parent), model_(model) {}

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        const RaceRow &row = model_.row(index.row());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(theme().cardBorder);
        painter->drawLine(QPointF(option.rect.left(), option.rect.bottom() + 0.5),
                          QPointF(option.rect.right() + 1, option.rect.bottom() + 0.5));
        QStyleOptionViewItem text = option;
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect.adjusted(0, 0, 0, -1), theme().button);
        text.state &= ~(QStyle::State_Selected | QStyle::State_HasFocus | QStyle::State_MouseOver);
        if (index.column() == RaceModel::Variant) {
            painter->setPen(row.state == RaceState::Done && !row.simulated ? QPen(Qt::NoPen)
                                                                           : QPen(RaceModel::colour(row), 1.2));
            painter->setBrush(row.state == RaceState::Done && !row.simulated ? QBrush(RaceModel::colour(row))
                                                                             : QBrush(Qt::NoBrush));
            painter->drawEllipse(QPointF(option.rect.left() + 11, option.rect.center().y() + 0.5), 3.6, 3.6);
            text.rect.adjust(18, 0, 0, 0);
        }
        if (index.column() == RaceModel::Bar)
            paintBar(*painter, option.rect.adjusted(12, 0, -10, 0), row, option.font);
        painter->restore();
        if (index.column() != RaceModel::Bar)
            QStyledItemDelegate::paint(painter, text, index);
    }

private:
    void paintBar(QPainter &painter, const QRect &room, const RaceRow &row, const QFont &font) const {
        const QString state = RaceModel::state(row);
        if (!row.medianMs) {
            painter.setPen(theme().muted);
            painter.setFont(font);
            painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                             painter.fontMetrics().elidedText(state, Qt::ElideRight, room.width()));
            return;
        }
        // The slowest sample may lie beyond the slowest median.
        const double scale = room.width() / std::max(1e-9, model_.slowestMs() * 1.15);
        const auto x = [&](double ms) { return room.left() + std::min<double>(room.width(), ms * scale); };
        const QRectF groove(room.left(), room.center().y() - 4, room.width(), 8);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().field);
        painter.drawRoundedRect(groove, 2, 2);
        QRectF bar = groove;
        bar.setRight(std::max(groove.left() + 2, x(*row.medianMs)));
        painter.setBrush(theme().bar1);
        painter.drawRoundedRect(bar, 2, 2);
        if (row.samples > 1) {
            painter.setPen(QPen(theme().text, 1.2));
            const double y = groove.center().y(), from = x(*row.fastestMs), to = x(*row.slowestMs);
            painter.drawLine(QPointF(from, y), QPointF(to, y));
            painter.drawLine(QPointF(from, y - 3), QPointF(from, y + 3));
            painter.drawLine(QPointF(to, y - 3), QPointF(to, y + 3));
        }
    }

    const RaceModel &model_;
};

} // namespace

RacePanel::RacePanel(QWidget *parent)
    : QWidget(parent), model_(new RaceModel(this)), title_(new ElidedLabel(this)), note_(new QLabel(this)),
      button_(new QPushButton(this)), table_(new QTableView(this)) {
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(4);
    auto *head = new QHBoxLayout;
    title_->setFont(headingFont());
    setForegroundMuted(title_);
    head->addWidget(title_, 1);
    head->addWidget(button_);
    layout->addLayout(head);
    setUpTable();
    layout->addWidget(table_, 1);
    note_->setFont(smallFont());
    note_->setWordWrap(true);
    setForegroundMuted(note_);
    layout->addWidget(note_);
    filler_ = new QWidget(this);
    layout->addWidget(filler_, 1);
    connect(model_, &QAbstractItemModel::dataChanged, this, &RacePanel::layOut);
    connect(button_, &QPushButton::clicked, this, [this] { running_ ? emit stopWanted() : emit startWanted(); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RacePanel::explain);
    button_->setObjectName(QStringLiteral("race.start"));
    setMinimumHeight(110);
    clear();
}

void RacePanel::setUpTable() {
    table_->setModel(model_);
    table_->setItemDelegate(new RaceDelegate(*model_, this));
    table_->setAccessibleName(tr("Race: time of every variant"));
    table_->setFont(smallFont());
    table_->horizontalHeader()->setFont(smallFont());
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setFixedHeight(20);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setMinimumSectionSize(10);
    table_->verticalHeader()->setDefaultSectionSize(21);
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setTabKeyNavigation(false);
    table_->setWordWrap(false);
    table_->viewport()->setAutoFillBackground(false);
    table_->installEventFilter(this);
    table_->viewport()->installEventFilter(this);
}

void RacePanel::setSubject(const QString &subject) {
    subject_ = subject;
    title_->setText(subject.isEmpty() ? tr("RACE") : tr("RACE · %1").arg(subject));
    button_->setEnabled(!subject.isEmpty() || running_);
    explain();
}

void RacePanel::begin() {
    running_ = true;
    button_->setText(tr("Stop"));
    button_->setToolTip(tr("Stop the race (Esc)"));
    model_->setRows(raceRows());
    explain();
}

void RacePanel::end(bool) {
    running_ = false;
    button_->setText(tr("Race"));
    button_->setToolTip(tr("Run every variant on this picture (Ctrl+R)"));
    button_->setEnabled(!subject_.isEmpty());
    model_->stopWaiting();
    explain();
}

void RacePanel::clear() {
    model_->setRows({});
    end(false);
}

void RacePanel::explain() {
    table_->setVisible(model_->rowCount() > 0);
    filler_->setVisible(model_->rowCount() == 0);
    const int row = table_->currentIndex().row();
    if (row >= 0 && row < model_->rowCount()) {
        const RaceRow &shown = model_->row(row);
        QString text = QStringLiteral("%1: %2").arg(QString::fromStdString(shown.title),
                                                    QString::fromStdString(shown.description));
        if (shown.simulated)
            text += QLatin1Char(' ') + tr("Simulated on the CPU: right values, but no time of a GPU.");
        note_->setText(text);
    } else if (model_->rowCount() == 0) {
        note_->setText(
            subject_.isEmpty()
                ? tr("Open a picture and choose a filter: then every implementation can run it, side by side.")
                : tr("Press Race to run this filter through every implementation on this machine."));
    } else {
        note_->setText(
            tr("Times are from the call to the finished picture; the error is against float64, before rounding."));
    }
}

void RacePanel::layOut() {
    const int room = table_->viewport()->width();
    const bool wide = room > 640;
    table_->setColumnHidden(RaceModel::Kernel, !wide);
    table_->setColumnHidden(RaceModel::Copies, !wide || !model_->knowsCopies());
    const int number = wide ? 74 : 56;
    const int widths[] = {wide ? 132 : 100, wide ? 84 : 66, number, number, number, number + 8, number};
    int used = 0;
    for (int c = RaceModel::Variant; c < RaceModel::Bar; ++c) {
        table_->setColumnWidth(c, widths[c]);
        used += table_->isColumnHidden(c) ? 0 : widths[c];
    }
    table_->setColumnWidth(RaceModel::Bar, std::max(60, room - used));
}

void RacePanel::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    layOut();
}

void RacePanel::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

bool RacePanel::eventFilter(QObject *watched, QEvent *event) {
    if (watched == table_->viewport() && event->type() == QEvent::Resize)
        layOut();
    const bool copy = (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) &&
                      static_cast<QKeyEvent *>(event)->matches(QKeySequence::Copy);
    if (copy && event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (copy) {
        QApplication::clipboard()->setText(model_->asText(QLatin1Char('\t')));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace tessera
