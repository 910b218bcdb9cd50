#include "ui/panels/start_page.h"

#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tessera {

namespace {
constexpr QSize thumbnailSize(132, 88);
constexpr int samplesShown = 4;
constexpr int recentShown = 5;
} // namespace

StartPage::StartPage(QWidget *parent)
    : QWidget(parent), samplesBox_(new QWidget(this)), recentBox_(new QWidget(this)), samples_(new QHBoxLayout),
      recent_(new QVBoxLayout) {
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
    column->addSpacing(6);
    column->addWidget(open, 0, Qt::AlignHCenter);
    column->addSpacing(16);
    auto *samplesColumn = new QVBoxLayout(samplesBox_);
    samplesColumn->setContentsMargins(0, 0, 0, 0);
    samplesColumn->addWidget(makeHead(tr("Samples")));
    samplesColumn->addLayout(samples_);
    auto *recentColumn = new QVBoxLayout(recentBox_);
    recentColumn->setContentsMargins(0, 0, 0, 0);
    recentColumn->setSpacing(2);
    recentColumn->addWidget(makeHead(tr("Recent")));
    recentColumn->addLayout(recent_);
    column->addWidget(samplesBox_, 0, Qt::AlignHCenter);
    column->addSpacing(10);
    column->addWidget(recentBox_, 0, Qt::AlignHCenter);
    column->addStretch(3);
    samplesBox_->hide();
    recentBox_->hide();
    connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
    setAccessibleName(tr("Start page"));
}

QLabel *StartPage::makeHead(const QString &text) {
    auto *head = new QLabel(text.toUpper(), this);
    head->setFont(headingFont());
    setForegroundMuted(head);
    return head;
}

void StartPage::setRecent(const QStringList &paths) {
    while (QLayoutItem *item = recent_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const QString &path : paths.mid(0, recentShown)) {
        auto *button = new QToolButton(this);
        button->setAutoRaise(true);
        button->setText(
            fontMetrics().elidedText(path, Qt::ElideMiddle, 420).replace(QLatin1Char('&'), QStringLiteral("&&")));
        button->setAccessibleName(path);
        button->setToolTip(path.toHtmlEscaped());
        button->setFocusPolicy(Qt::StrongFocus);
        connect(button, &QToolButton::clicked, this, [this, path] { emit fileWanted(path); });
        recent_->addWidget(button, 0, Qt::AlignLeft);
    }
    recentBox_->setVisible(!paths.isEmpty() && height() > 360);
}

void StartPage::setSamples(const QStringList &paths) {
    while (QLayoutItem *item = samples_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    tiles_.clear();
    for (const QString &path : paths.mid(0, samplesShown)) {
        auto *tile = new QToolButton(this);
        tile->setAutoRaise(true);
        tile->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        tile->setIconSize(thumbnailSize);
        tile->setText(QFileInfo(path).fileName());
        tile->setToolTip(path.toHtmlEscaped());
        tile->setAccessibleName(tr("Sample %1").arg(QFileInfo(path).fileName()));
        tile->setFocusPolicy(Qt::StrongFocus);
        tile->setFixedSize(thumbnailSize + QSize(14, 30));
        connect(tile, &QToolButton::clicked, this, [this, path] { emit fileWanted(path); });
        samples_->addWidget(tile);
        tiles_[path] = tile;
    }
    samplesBox_->setVisible(!tiles_.empty());
}

void StartPage::setThumbnail(const QString &path, const QImage &picture) {
    const auto tile = tiles_.find(path);
    if (tile == tiles_.end() || picture.isNull())
        return;
    const double ratio = devicePixelRatioF();
    QPixmap pixmap =
        QPixmap::fromImage(picture.scaled(thumbnailSize * ratio, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    pixmap.setDevicePixelRatio(ratio);
    tile->second->setIcon(QIcon(pixmap));
}

// As many samples as there is room for, so that a narrow window keeps its panels.
void StartPage::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    const int room = (width() - 64) / (thumbnailSize.width() + 22);
    for (int i = 0; i < samples_->count(); ++i)
        samples_->itemAt(i)->widget()->setVisible(i < std::max(1, room));
    recentBox_->setVisible(recent_->count() > 0 && height() > 360);
}

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
