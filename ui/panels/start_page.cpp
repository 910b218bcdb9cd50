#include "ui/panels/start_page.h"

#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace tessera {

StartPage::StartPage(QWidget *parent) : QWidget(parent), samples_(new QVBoxLayout), recent_(new QVBoxLayout) {
    auto *column = new QVBoxLayout(this);
    column->setSpacing(8);
    column->addStretch(2);
    auto *title = new QLabel(tr("Open a picture to begin"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.7);
    title->setFont(large);
    title->setAlignment(Qt::AlignCenter);
    column->addWidget(title);
    auto *hint = new QLabel(tr("Drop files here, paste with Ctrl+V, or choose one from the disk."), this);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    setForegroundMuted(hint);
    column->addWidget(hint);
    auto *open = new QPushButton(tr("&Open a picture…"), this);
    open->setDefault(true);
    open->setObjectName(QStringLiteral("start.open"));
    auto *row = new QHBoxLayout;
    row->addStretch();
    row->addWidget(open);
    row->addStretch();
    column->addSpacing(6);
    column->addLayout(row);
    column->addSpacing(14);
    auto *lists = new QHBoxLayout;
    lists->addStretch();
    lists->addLayout(samples_);
    lists->addSpacing(36);
    lists->addLayout(recent_);
    lists->addStretch();
    column->addLayout(lists);
    column->addStretch(3);
    connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
    setAccessibleName(tr("Start page"));
}

void StartPage::fill(QVBoxLayout *list, const QString &title, const QStringList &paths) {
    while (QLayoutItem *item = list->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (paths.isEmpty())
        return;
    auto *head = new QLabel(title.toUpper(), this);
    head->setFont(headingFont());
    setForegroundMuted(head);
    list->addWidget(head);
    for (const QString &path : paths) {
        auto *button = new QPushButton(QFileInfo(path).fileName(), this);
        button->setFlat(true);
        button->setToolTip(path);
        button->setCursor(Qt::PointingHandCursor);
        connect(button, &QPushButton::clicked, this, [this, path] { emit fileWanted(path); });
        list->addWidget(button);
    }
    list->addStretch();
}

void StartPage::setRecent(const QStringList &paths) { fill(recent_, tr("Recent"), paths.mid(0, 6)); }
void StartPage::setSamples(const QStringList &paths) { fill(samples_, tr("Samples"), paths.mid(0, 6)); }

void StartPage::setDropHighlight(bool on) {
    highlight_ = on;
    update();
}

void StartPage::paintEvent(QPaintEvent *) {
    const Theme &t = theme();
    QPainter painter(this);
    painter.fillRect(rect(), t.canvas);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(highlight_ ? t.focus : t.buttonBorder, highlight_ ? 2 : 1, Qt::DashLine));
    painter.drawRoundedRect(QRectF(rect()).adjusted(16.5, 16.5, -16.5, -16.5), 8, 8);
}

} // namespace tessera
