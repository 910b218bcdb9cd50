#include "ui/panels/chain_panel.h"

#include "ui/window/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QListWidget>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <map>

namespace tessera {

namespace {

constexpr int rowHeightPixels = 22;
constexpr int visibleRows = 5;

QString summaryOf(const FilterStep &step) {
    const FilterDescription *description = findFilter(step.filter.name);
    QString text = QString::fromStdString(description ? description->title : step.filter.name);
    if (step.filter.name == "custom")
        return QStringLiteral("%1  %2 × %3").arg(text).arg(step.filter.kernel.width).arg(step.filter.kernel.height);
    QStringList values;
    if (description)
        for (const ParameterDescription &parameter : description->parameters) {
            const auto given = step.filter.values.find(parameter.name);
            if (given != step.filter.values.end() &&
                (parameter.kind == ParameterKind::Real || parameter.kind == ParameterKind::Integer))
                values << QString::number(given->second, 'g', 4);
        }
    return values.isEmpty() ? text : QStringLiteral("%1  %2").arg(text, values.join(QStringLiteral(", ")));
}

} // namespace

// Tab goes in the order in which the controls are made.
ChainPanel::ChainPanel(QWidget *parent) : Card(tr("Chain"), parent) {
    auto *add = makeButton(QStringLiteral("+"),
                           tr("Add a filter behind the current one (Shift+click in the list does the same)"),
                           tr("Add a filter"));
    auto *menu = new QMenu(add);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillAddMenu(*menu); });
    connect(add, &QToolButton::clicked, menu, [add, menu] { menu->popup(add->mapToGlobal(QPoint(0, add->height()))); });
    up_ = makeButton(QStringLiteral("↑"), tr("Move the step up (Alt+Up)"), tr("Move up"));
    down_ = makeButton(QStringLiteral("↓"), tr("Move the step down (Alt+Down)"), tr("Move down"));
    remove_ = makeButton(QStringLiteral("×"), tr("Remove the step (Delete)"), tr("Remove the step"));
    auto *more = makeButton(QStringLiteral("…"), tr("Presets"), tr("Presets of chains"));
    auto *presets = new QMenu(more);
    presets->addAction(tr("&Save chain as preset…"), this, &ChainPanel::presetSaveWanted);
    presets->addAction(tr("&Load preset…"), this, &ChainPanel::presetLoadWanted);
    connect(more, &QToolButton::clicked, presets,
            [more, presets] { presets->popup(more->mapToGlobal(QPoint(0, more->height()))); });
    for (QToolButton *button : {add, up_, down_, remove_, more})
        addToHeader(button);
    connect(up_, &QToolButton::clicked, this,
            [this] { emit stepMoved(std::size_t(list_->currentRow()), std::size_t(list_->currentRow() - 1)); });
    connect(down_, &QToolButton::clicked, this,
            [this] { emit stepMoved(std::size_t(list_->currentRow()), std::size_t(list_->currentRow() + 1)); });
    connect(remove_, &QToolButton::clicked, this, [this] { emit stepRemoved(std::size_t(list_->currentRow())); });

    list_ = new QListWidget(this);
    list_->setAccessibleName(tr("Steps of the chain"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->viewport()->setAutoFillBackground(false);
    list_->setDragDropMode(QAbstractItemView::InternalMove);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setTextElideMode(Qt::ElideRight);
    list_->setMouseTracking(true);
    list_->installEventFilter(this);
    body()->addWidget(list_);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (!showing_ && row >= 0)
            emit stepSelected(std::size_t(row));
    });
    connect(list_, &QListWidget::itemChanged, this, [this](QListWidgetItem *item) {
        if (!showing_)
            emit stepToggled(std::size_t(list_->row(item)), item->checkState() == Qt::Checked);
    });
    connect(list_->model(), &QAbstractItemModel::rowsMoved, this,
            [this](const QModelIndex &, int from, int, const QModelIndex &, int to) {
                onRowsMoved(from, to > from ? to - 1 : to);
            });
    setChain(nullptr, 0);
}

QToolButton *ChainPanel::makeButton(const QString &text, const QString &help, const QString &name) {
    auto *button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(name);
    button->setAutoRaise(true);
    button->setFixedSize(22, 20);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

// The list has moved its row already; the chain follows, and comes back through setChain.
void ChainPanel::onRowsMoved(int from, int to) {
    if (!showing_ && from != to)
        QMetaObject::invokeMethod(
            this, [this, from, to] { emit stepMoved(std::size_t(from), std::size_t(to)); }, Qt::QueuedConnection);
}

void ChainPanel::setChain(const Chain *chain, std::size_t current) {
    const int count = chain ? int(chain->steps.size()) : 0;
    setVisible(count > 0);
    showing_ = true;
    while (list_->count() > count)
        delete list_->takeItem(list_->count() - 1);
    for (int i = 0; i < count; ++i) {
        const FilterStep &step = chain->steps[std::size_t(i)];
        QListWidgetItem *item = list_->item(i);
        if (!item) {
            item = new QListWidgetItem(list_);
            item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemIsDragEnabled);
            item->setSizeHint({0, rowHeightPixels});
        }
        item->setText(summaryOf(step));
        item->setToolTip(
            QString::fromStdString(step.filter.name == "custom" ? step.filter.name : formatFilter(step.filter)));
        item->setCheckState(step.enabled ? Qt::Checked : Qt::Unchecked);
    }
    list_->setCurrentRow(count ? int(current) : -1);
    list_->setFixedHeight(std::max(1, std::min(count, visibleRows)) * rowHeightPixels + 2);
    up_->setEnabled(count && current > 0);
    down_->setEnabled(count && int(current) + 1 < count);
    remove_->setEnabled(count);
    showing_ = false;
}

void ChainPanel::fillAddMenu(QMenu &menu) {
    menu.clear();
    std::map<std::string, QMenu *> groups;
    for (const FilterDescription &filter : allFilters()) {
        QMenu *&group = groups[filter.group];
        if (!group)
            group = menu.addMenu(QString::fromStdString(filter.group));
        group->addAction(QString::fromStdString(filter.title), this,
                         [this, name = QString::fromStdString(filter.name)] { emit stepAdded(name); });
    }
}

bool ChainPanel::eventFilter(QObject *watched, QEvent *event) {
    if (watched == list_ && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        QToolButton *button = key->key() == Qt::Key_Delete                                       ? remove_
                              : key->key() == Qt::Key_Up && key->modifiers() & Qt::AltModifier   ? up_
                              : key->key() == Qt::Key_Down && key->modifiers() & Qt::AltModifier ? down_
                                                                                                 : nullptr;
        if (button) {
            button->click();
            return true;
        }
    }
    return Card::eventFilter(watched, event);
}

} // namespace tessera
