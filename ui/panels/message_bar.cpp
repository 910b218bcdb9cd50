#include "ui/panels/message_bar.h"

#include "ui/window/theme.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace tessera {

MessageBar::MessageBar(QWidget *parent) : QFrame(parent), text_(new QLabel(this)) {
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 6, 8, 6);
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText); // file names are nobody's markup
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAccessibleName(tr("Message"));
    auto *close = new QToolButton(this);
    close->setText(tr("Close"));
    close->setAccessibleName(tr("Close the message"));
    close->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(text_, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &QWidget::hide);
    setAccessibleName(tr("Message"));
    hide();
}

void MessageBar::show(const Message &message) {
    message_ = message;
    QString what = message.what, remedy = message.remedy;
    // A sentence begins with a capital; a file's name keeps the one it has.
    const QString first = what.section(QLatin1Char(' '), 0, 0);
    if (!first.isEmpty() && !first.contains(QLatin1Char('.')) && !first.contains(QLatin1Char('/')))
        what[0] = what[0].toUpper();
    if (!what.endsWith(QLatin1Char('.')))
        what += QLatin1Char('.');
    if (!remedy.isEmpty()) {
        remedy[0] = remedy[0].toUpper();
        if (!remedy.endsWith(QLatin1Char('.')))
            remedy += QLatin1Char('.');
        what += QLatin1Char('\n') + remedy;
    }
    text_->setText(what);
    setAccessibleDescription(what);
    QFrame::show();
    update();
    if (message.kind == Message::Kind::Information)
        timer_.start(6000);
    else
        timer_.stop();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void MessageBar::paintEvent(QPaintEvent *) {
    const Theme &t = theme();
    QPainter painter(this);
    painter.fillRect(rect(), t.card);
    const QColor stripe = message_.kind == Message::Kind::Error     ? t.error
                          : message_.kind == Message::Kind::Warning ? t.warning
                                                                    : t.focus;
    painter.fillRect(QRect(0, 0, 4, height()), stripe);
    painter.fillRect(QRect(0, height() - 1, width(), 1), t.cardBorder);
}

} // namespace tessera
