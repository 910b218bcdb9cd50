#include "ui/panels/filter_list.h"

#include "ui/window/theme.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <map>

namespace tessera {

namespace {

class FilterRows : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        return {QStyledItemDelegate::sizeHint(option, index).width(), option.fontMetrics.height() + 5};
    }
};

constexpr int nameRole = Qt::UserRole;
constexpr int searchRole = Qt::UserRole + 1;
} // namespace

FilterList::FilterList(QWidget *parent)
    : Card(tr("Filters"), parent), search_(new QLineEdit(this)), tree_(new QTreeWidget(this)) {
    search_->setPlaceholderText(tr("Search (Ctrl+F)"));
    search_->setAccessibleName(tr("Search filters"));
    search_->setClearButtonEnabled(true);
    search_->setObjectName(QStringLiteral("filters.search"));
    search_->installEventFilter(this);
    tree_->setAccessibleName(tr("Filters"));
    tree_->setColumnCount(1);
    tree_->header()->hide();
    tree_->setRootIsDecorated(false);
    tree_->setItemsExpandable(false);
    tree_->setExpandsOnDoubleClick(false);
    tree_->setIndentation(8);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    tree_->setUniformRowHeights(true);
    tree_->viewport()->setAutoFillBackground(false);
    tree_->setItemDelegate(new FilterRows(tree_));
    tree_->setMouseTracking(true);
    tree_->setMinimumHeight(60);
    tree_->viewport()->installEventFilter(this);
    body()->addWidget(search_);
    body()->addWidget(tree_, 1);
    fill();
    applyColours();
    connect(&themeNotifier(), &ThemeNotifier::changed, this, &FilterList::applyColours);
    connect(search_, &QLineEdit::textChanged, this, &FilterList::narrow);
    // Moving through the list with the arrow keys shows each filter at once, as a click does.
    connect(tree_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem *item) {
        if (tree_->hasFocus())
            choose(item);
    });
    connect(tree_, &QTreeWidget::itemClicked, this, &FilterList::choose);
    connect(tree_, &QTreeWidget::itemActivated, this, &FilterList::choose);
}

void FilterList::fill() {
    std::map<QString, QTreeWidgetItem *> groups;
    for (const FilterDescription &filter : allFilters()) {
        const QString group = QString::fromStdString(filter.group);
        QTreeWidgetItem *&parent = groups[group];
        if (!parent) {
            parent = new QTreeWidgetItem(tree_, {group});
            parent->setFlags(Qt::ItemIsEnabled);
        }
        auto *item = new QTreeWidgetItem(parent, {QString::fromStdString(filter.title)});
        item->setData(0, nameRole, QString::fromStdString(filter.name));
        item->setData(0, searchRole,
                      QStringLiteral("%1 %2 %3 %4")
                          .arg(item->text(0), QString::fromStdString(filter.name), group,
                               QString::fromStdString(filter.description)));
        item->setToolTip(0, QString::fromStdString(filter.description));
    }
    tree_->expandAll();
}

void FilterList::applyColours() {
    for (int g = 0; g < tree_->topLevelItemCount(); ++g)
        tree_->topLevelItem(g)->setForeground(0, theme().muted);
}

void FilterList::narrow(const QString &text) {
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int g = 0; g < tree_->topLevelItemCount(); ++g) {
        QTreeWidgetItem *group = tree_->topLevelItem(g);
        bool any = false;
        for (int i = 0; i < group->childCount(); ++i) {
            const QString content = group->child(i)->data(0, searchRole).toString();
            bool fits = true;
            for (const QString &word : words)
                fits = fits && content.contains(word, Qt::CaseInsensitive);
            group->child(i)->setHidden(!fits);
            any = any || fits;
        }
        group->setHidden(!any);
    }
}

// The cards below the list grow and shrink with the filter: the chosen one stays in sight.
void FilterList::resizeEvent(QResizeEvent *event) {
    Card::resizeEvent(event);
    if (QTreeWidgetItem *item = tree_->currentItem())
        QTimer::singleShot(0, tree_, [this, item] {
            if (item == tree_->currentItem())
                tree_->scrollToItem(item);
        });
}

// The first filter whose title has what was typed, else the first whose description has it.
QTreeWidgetItem *FilterList::bestMatch() const {
    QTreeWidgetItem *first = nullptr;
    for (int g = 0; g < tree_->topLevelItemCount(); ++g)
        for (int i = 0; i < tree_->topLevelItem(g)->childCount(); ++i) {
            QTreeWidgetItem *item = tree_->topLevelItem(g)->child(i);
            if (item->isHidden())
                continue;
            if (item->text(0).contains(search_->text().trimmed(), Qt::CaseInsensitive))
                return item;
            first = first ? first : item;
        }
    return first;
}

void FilterList::choose(QTreeWidgetItem *item) {
    const QString name = item ? item->data(0, nameRole).toString() : QString();
    if (name.isEmpty())
        return;
    if (QApplication::keyboardModifiers() & Qt::ShiftModifier)
        emit filterAdded(name);
    else
        emit filterChosen(name);
}

void FilterList::setCurrent(const QString &filterName) {
    current_ = filterName;
    const QSignalBlocker blocker(tree_);
    for (int g = 0; g < tree_->topLevelItemCount(); ++g)
        for (int i = 0; i < tree_->topLevelItem(g)->childCount(); ++i) {
            QTreeWidgetItem *item = tree_->topLevelItem(g)->child(i);
            if (item->data(0, nameRole).toString() == filterName) {
                tree_->setCurrentItem(item);
                tree_->scrollToItem(item);
                return;
            }
        }
    tree_->setCurrentItem(nullptr);
    tree_->clearSelection();
}

// The list may scroll under a pressed pointer: no row is chosen by dragging. Headings and the empty part choose
// nothing.
bool FilterList::ignores(const QEvent &event) const {
    const bool press = event.type() == QEvent::MouseButtonPress || event.type() == QEvent::MouseButtonDblClick;
    if (!press && event.type() != QEvent::MouseMove)
        return false;
    const auto &mouse = static_cast<const QMouseEvent &>(event);
    if (!press)
        return mouse.buttons() != Qt::NoButton;
    const QTreeWidgetItem *item = tree_->itemAt(mouse.position().toPoint());
    return !item || item->data(0, nameRole).toString().isEmpty();
}

// Down and Enter in the search field go to the first filter that is left.
bool FilterList::eventFilter(QObject *watched, QEvent *event) {
    if (watched == tree_->viewport()) {
        if (ignores(*event))
            return true;
        // What the click did not apply, or took the highlight from: Ctrl takes it off the row that has it.
        if (event->type() == QEvent::MouseButtonRelease)
            QTimer::singleShot(0, tree_, [this] { setCurrent(current_); });
    }
    if (watched == search_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Escape && !search_->text().isEmpty()) {
            search_->clear();
            return true;
        }
        if (key == Qt::Key_Down || key == Qt::Key_Return || key == Qt::Key_Enter) {
            if (QTreeWidgetItem *item = bestMatch()) {
                tree_->setCurrentItem(item);
                tree_->setFocus();
                choose(item);
                return true;
            }
        }
    }
    return Card::eventFilter(watched, event);
}

} // namespace tessera
