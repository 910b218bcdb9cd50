#include "ui/race/race_table.h"

#include "ui/race/race_delegate.h"
#include "ui/window/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>

namespace tessera {

RaceTable::RaceTable(RaceModel *model, QWidget *parent) : QTableView(parent), model_(model) {
    setModel(model);
    setItemDelegate(new RaceDelegate(*model, this));
    setAccessibleName(tr("Race: time of every variant"));
    setFont(smallFont());
    horizontalHeader()->setFont(smallFont());
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setFixedHeight(20);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(10);
    verticalHeader()->setDefaultSectionSize(21);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setHorizontalScrollMode(ScrollPerPixel);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setWordWrap(false);
    viewport()->setAutoFillBackground(false);
    connect(model, &QAbstractItemModel::dataChanged, this, &RaceTable::layOut);
    connect(model, &QAbstractItemModel::modelReset, this, [this] {
        clearSpans(); // else those of the rows before stay
        spanned_.clear();
        layOut();
    });
}

void RaceTable::layOut() {
    const int room = viewport()->width();
    const bool wide = room > 860, middling = room > 640;
    setColumnHidden(RaceModel::Where, !middling);
    setColumnHidden(RaceModel::Kernel, !wide);
    setColumnHidden(RaceModel::Copies, !wide || !model_->knowsCopies());
    setColumnHidden(RaceModel::Bandwidth, !middling);
    setColumnHidden(RaceModel::Rate, !middling);
    const int number = wide ? 66 : middling ? 58 : 54;
    const int widths[] = {wide ? 124 : 100,  wide ? 78 : 66, number,     number,      number,
                          number + 8,        number - 4,     number + 2, number + 14, number - 4,
                          middling ? 38 : 36};
    int used = 0;
    for (int c = RaceModel::Variant; c < RaceModel::Bar; ++c) {
        setColumnWidth(c, widths[c]);
        used += isColumnHidden(c) ? 0 : widths[c];
    }
    // The bars are the first to go; where the figures alone have no room they are scrolled.
    const bool bars = room - used >= 40;
    setColumnHidden(RaceModel::Bar, !bars);
    if (bars)
        setColumnWidth(RaceModel::Bar, room - used);
    spanRows();
}

void RaceTable::spanRows() {
    spanned_.resize(std::size_t(model_->rowCount()), false);
    for (int i = 0; i < model_->rowCount(); ++i) {
        const bool words = !model_->row(i).medianMs;
        if (words == spanned_[std::size_t(i)])
            continue;
        spanned_[std::size_t(i)] = words;
        setSpan(i, RaceModel::Total, 1, words ? RaceModel::Error - RaceModel::Total : 1);
    }
}

void RaceTable::resizeEvent(QResizeEvent *event) {
    QTableView::resizeEvent(event);
    layOut();
}

bool RaceTable::event(QEvent *event) {
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent *>(event)->matches(QKeySequence::Copy)) {
        event->accept(); // the rows, not the window's picture
        return true;
    }
    return QTableView::event(event);
}

void RaceTable::keyPressEvent(QKeyEvent *event) {
    if (event->matches(QKeySequence::Copy))
        QApplication::clipboard()->setText(model_->asText());
    else
        QTableView::keyPressEvent(event);
}

QPixmap RaceTable::picture(int width) const {
    RaceTable whole(model_);
    whole.setAttribute(Qt::WA_DontShowOnScreen);
    whole.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    whole.resize(width, 22 + 21 * model_->rowCount());
    whole.ensurePolished();
    whole.layOut();
    return whole.grab();
}

} // namespace tessera
