#include "ui/panels/command_palette.h"

#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace tessera {

namespace {

constexpr int detailRole = Qt::UserRole;
constexpr int indexRole = Qt::UserRole + 1;

class CommandRows : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override {
        return {100, option.fontMetrics.height() + 9};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        const bool selected = option.state & QStyle::State_Selected;
        if (selected)
            painter->fillRect(option.rect, theme().accent);
        const QRect text = option.rect.adjusted(10, 0, -10, 0);
        painter->setPen(selected ? theme().accentText : theme().text);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
        painter->setPen(selected ? theme().accentText : theme().muted);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignRight, index.data(detailRole).toString());
    }
};

} // namespace

std::optional<int> matchScore(const QString &typed, const QString &text) {
    const QString wanted = typed.simplified();
    if (wanted.isEmpty())
        return 0;
    if (const qsizetype at = text.indexOf(wanted, 0, Qt::CaseInsensitive); at >= 0)
        return int(at) - (at == 0 || !text[at - 1].isLetter() ? 100 : 0);
    qsizetype position = 0, gaps = 0;
    for (const QChar letter : wanted) {
        if (letter.isSpace())
            continue;
        const qsizetype found = text.indexOf(letter, position, Qt::CaseInsensitive);
        if (found < 0)
            return std::nullopt;
        gaps += found - position;
        position = found + 1;
    }
    return 200 + int(gaps);
}

CommandPalette::CommandPalette(std::vector<PaletteCommand> commands, QWidget *parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint), commands_(std::move(commands)), field_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setAccessibleName(tr("Command palette"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    field_->setPlaceholderText(tr("Type a command or a filter"));
    field_->setAccessibleName(tr("Command"));
    field_->setObjectName(QStringLiteral("palette.field"));
    field_->installEventFilter(this);
    list_->setAccessibleName(tr("Commands"));
    list_->setItemDelegate(new CommandRows(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFocusPolicy(Qt::NoFocus);
    layout->addWidget(field_);
    layout->addWidget(list_, 1);
    nothing_ = new QLabel(tr("nothing found"), this);
    nothing_->setObjectName(QStringLiteral("palette.nothing"));
    nothing_->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    setForegroundMuted(nothing_);
    layout->addWidget(nothing_, 1);
    const int width = std::min(560, parent->width() - 80);
    setFixedSize(width, std::min(420, parent->height() - 120));
    move(parent->mapToGlobal(QPoint((parent->width() - width) / 2, 70)));
    connect(field_, &QLineEdit::textChanged, this, &CommandPalette::narrow);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    narrow({});
    field_->setFocus();
}

void CommandPalette::narrow(const QString &text) {
    std::vector<std::pair<int, int>> found; // score, index
    for (int i = 0; i < int(commands_.size()); ++i)
        if (const auto score = matchScore(text, commands_[std::size_t(i)].text))
            found.emplace_back(*score, i);
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    list_->clear();
    for (const auto &[score, index] : found) {
        auto *item = new QListWidgetItem(commands_[std::size_t(index)].text, list_);
        item->setData(detailRole, commands_[std::size_t(index)].detail);
        item->setData(indexRole, index);
    }
    list_->setCurrentRow(0);
    list_->setVisible(!found.empty());
    nothing_->setVisible(found.empty());
}

void CommandPalette::runCurrent() {
    const QListWidgetItem *item = list_->currentItem();
    if (!item)
        return;
    const auto run = commands_[std::size_t(item->data(indexRole).toInt())].run;
    close(); // first, so that a dialog that the command opens gets the keyboard
    run();
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event) {
    if (watched != field_ || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    const int count = list_->count(), row = list_->currentRow();
    switch (key->key()) {
    case Qt::Key_Down:
        list_->setCurrentRow(std::min(count - 1, row + 1));
        return true;
    case Qt::Key_Up:
        list_->setCurrentRow(std::max(0, row - 1));
        return true;
    case Qt::Key_PageDown:
        list_->setCurrentRow(std::min(count - 1, row + 10));
        return true;
    case Qt::Key_PageUp:
        list_->setCurrentRow(std::max(0, row - 10));
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        runCurrent();
        return true;
    case Qt::Key_Escape:
        close();
        return true;
    default:
        return false;
    }
}

} // namespace tessera
