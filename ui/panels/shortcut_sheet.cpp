#include "ui/panels/shortcut_sheet.h"

#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace tessera {

ShortcutSheet::ShortcutSheet(const std::vector<ShortcutGroup> &groups, QWidget *parent) : QDialog(parent) {
    setWindowTitle(tr("Keys"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(20, 16, 20, 12);
    auto *scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Keys"));
    auto *sheet = new QWidget(scroll);
    auto *columns = new QHBoxLayout(sheet);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(36);
    outer->addWidget(scroll);
    std::size_t total = 0;
    for (const ShortcutGroup &group : groups)
        total += group.rows.size() + 2;
    QVBoxLayout *column = nullptr;
    std::size_t filled = total;
    for (const ShortcutGroup &group : groups) {
        if (filled >= total / 2) { // two columns of about the same height
            column = new QVBoxLayout;
            column->setSpacing(4); // else it takes the wide one of the row of columns
            columns->addLayout(column);
            filled = 0;
        }
        filled += group.rows.size() + 2;
        auto *head = new QLabel(group.title.toUpper(), sheet);
        head->setFont(headingFont());
        setForegroundMuted(head);
        column->addWidget(head);
        auto *grid = new QGridLayout;
        grid->setHorizontalSpacing(24);
        grid->setVerticalSpacing(3);
        int row = 0;
        for (const auto &[what, keys] : group.rows) {
            auto *label = new QLabel(what, sheet);
            auto *key = new QLabel(keys, sheet);
            setForegroundMuted(key);
            grid->addWidget(label, row, 0);
            grid->addWidget(key, row++, 1, Qt::AlignRight);
        }
        grid->setColumnStretch(0, 1);
        column->addLayout(grid);
        column->addSpacing(12);
    }
    for (int i = 0; i < columns->count(); ++i)
        if (auto *made = qobject_cast<QVBoxLayout *>(columns->itemAt(i)->layout()))
            made->addStretch(1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    outer->addWidget(buttons);
    scroll->setWidget(sheet);
    // As large as the sheet, or as the screen has room for beside the frame.
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent) + 8;
    const QSize wanted = sheet->sizeHint() + QSize(bar, 0), room = screen()->availableSize() - QSize(80, 160);
    columns->setContentsMargins(0, 0, bar, 0);
    scroll->setMinimumWidth(std::min(wanted.width(), room.width()));
    resize(wanted.width() + 40, std::min(wanted.height(), room.height()) + 70);
}

} // namespace tessera
