#include "ui/panels/start_page.h"

#include "ui/bridge/file_name.h"
#include "ui/panels/controls.h"
#include "ui/panels/mnemonics.h"
#include "ui/window/theme.h"

#include <QApplication>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tessera {

namespace {
constexpr QSize thumbnailSize(132, 88);
constexpr int samplesShown = 4;
constexpr int recentShown = 5;
constexpr int frame = 18; // around all, with the dashed line in it
} // namespace

StartPage::StartPage(QWidget *parent)
    : QWidget(parent), scroll_(new QScrollArea(this)), page_(new QWidget), samplesBox_(new QWidget(page_)),
      recentBox_(new QWidget(page_)), samples_(new QGridLayout), recent_(new QVBoxLayout) {
    auto *whole = new QVBoxLayout(this);
    whole->setContentsMargins(frame, frame, frame, frame);
    whole->addWidget(scroll_);
    scroll_->setObjectName(QStringLiteral("start.scroll"));
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setWidget(page_);
    for (QWidget *ground : {scroll_->viewport(), page_})
        ground->setAutoFillBackground(false); // the canvas shows through
    auto *column = new QVBoxLayout(page_);
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
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *, QWidget *now) {
        if (now && page_->isAncestorOf(now))
            scroll_->ensureWidgetVisible(now);
    });
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
        button->setAccessibleName(shownName(path));
        button->setToolTip(shownName(path).toHtmlEscaped());
        button->setFocusPolicy(Qt::StrongFocus);
        connect(button, &QToolButton::clicked, this, [this, path] { emit fileWanted(path); });
        recent_->addWidget(button, 0, Qt::AlignLeft);
    }
    recentBox_->setVisible(!paths.isEmpty());
    layOut();
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
        tile->setText(withoutMarks(shownFileName(path)));
        tile->setToolTip(shownName(path).toHtmlEscaped());
        tile->setAccessibleName(tr("Sample %1").arg(shownFileName(path)));
        tile->setFocusPolicy(Qt::StrongFocus);
        tile->setFixedSize(thumbnailSize + QSize(14, 30));
        connect(tile, &QToolButton::clicked, this, [this, path] { emit fileWanted(path); });
        tiles_.emplace_back(path, tile);
    }
    layOut();
    samplesBox_->setVisible(!tiles_.empty());
}

void StartPage::setThumbnail(const QString &path, const QImage &picture) {
    const auto tile = std::find_if(tiles_.begin(), tiles_.end(), [&](const auto &one) { return one.first == path; });
    if (tile == tiles_.end() || picture.isNull())
        return;
    const double ratio = devicePixelRatioF();
    QPixmap pixmap =
        QPixmap::fromImage(picture.scaled(thumbnailSize * ratio, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    pixmap.setDevicePixelRatio(ratio);
    tile->second->setIcon(QIcon(pixmap));
}

void StartPage::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    layOut();
}

// Samples in as many rows as they take, and names of files no wider than the page.
void StartPage::layOut() {
    const int room = width() - 2 * frame - 32;
    const int columns = std::max(1, room / (thumbnailSize.width() + 22));
    for (int i = 0; i < int(tiles_.size()); ++i)
        samples_->addWidget(tiles_[std::size_t(i)].second, i / columns, i % columns);
    for (int i = 0; i < recent_->count(); ++i) {
        auto *button = qobject_cast<QToolButton *>(recent_->itemAt(i)->widget());
        button->setText(withoutMarks(
            fontMetrics().elidedText(button->accessibleName(), Qt::ElideMiddle, std::clamp(room - 24, 80, 420))));
    }
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
