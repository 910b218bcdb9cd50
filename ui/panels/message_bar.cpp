#include "ui/panels/message_bar.h"

#include "ui/window/theme.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace tessera {

namespace {

constexpr qsizetype shownAtOnce = 4;
constexpr std::size_t keptAtMost = 200;

QString sentence(QString text) {
    // A sentence begins with a capital; a file's name keeps the one it has.
    const QString first = text.section(QLatin1Char(' '), 0, 0);
    if (!first.isEmpty() && !first.contains(QLatin1Char('.')) && !first.contains(QLatin1Char('/')))
        text[0] = text[0].toUpper();
    if (!text.isEmpty() && !text.endsWith(QLatin1Char('.')))
        text += QLatin1Char('.');
    return text;
}

} // namespace

MessageBar::MessageBar(QWidget *parent) : QFrame(parent), text_(new QLabel(this)) {
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 6, 8, 6);
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText); // file names are nobody's markup
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAccessibleName(tr("Message"));
    auto *close = new QToolButton(this);
    close->setText(tr("Close"));
    close->setToolTip(tr("Close the message (Esc)"));
    close->setAccessibleName(tr("Close the message"));
    close->setObjectName(QStringLiteral("message.close"));
    close->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(text_, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &MessageBar::clear);
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, [this] {
        std::erase_if(messages_, [](const Message &m) { return m.kind == Message::Kind::Information; });
        refresh();
    });
    setAccessibleName(tr("Message"));
    hide();
}

void MessageBar::show(const Message &message) {
    std::erase_if(messages_, [&](const Message &old) {
        return old.kind == Message::Kind::Information || (!message.topic.isEmpty() && old.topic == message.topic) ||
               (old.topic == message.topic && old.what == message.what && old.remedy == message.remedy);
    });
    messages_.push_front(message);
    if (messages_.size() > keptAtMost)
        messages_.pop_back();
    if (message.kind == Message::Kind::Information)
        timer_.start(6000);
    refresh();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void MessageBar::settle(const QString &topic) {
    const QString within = topic + QLatin1Char('/');
    if (std::erase_if(messages_, [&](const Message &message) {
            return message.topic == topic || message.topic.startsWith(within);
        }))
        refresh();
}

void MessageBar::clear() {
    messages_.clear();
    refresh();
}

// One line a message; the same words on two topics are one.
QStringList MessageBar::lines() const {
    QStringList lines;
    for (const Message &message : messages_) {
        QString line = sentence(message.what);
        if (!message.remedy.isEmpty())
            line += (messages_.size() == 1 ? QLatin1Char('\n') : QLatin1Char(' ')) + sentence(message.remedy);
        if (!lines.contains(line))
            lines << line;
    }
    return lines;
}

void MessageBar::refresh() {
    QStringList shown = lines();
    const qsizetype more = shown.size() - shownAtOnce;
    if (more > 0) {
        shown = shown.mid(0, shownAtOnce);
        shown << tr("And %n more.", nullptr, int(more));
    }
    text_->setText(shown.join(QLatin1Char('\n')));
    setAccessibleDescription(text_->text());
    setVisible(!messages_.empty());
    update();
}

void MessageBar::paintEvent(QPaintEvent *) {
    const Theme &t = theme();
    QPainter painter(this);
    painter.fillRect(rect(), t.card);
    Message::Kind worst = Message::Kind::Information;
    for (const Message &message : messages_)
        worst = std::max(worst, message.kind);
    const QColor stripe = worst == Message::Kind::Error     ? t.error
                          : worst == Message::Kind::Warning ? t.warning
                                                            : t.focus;
    painter.fillRect(QRect(0, 0, 4, height()), stripe);
    painter.fillRect(QRect(0, height() - 1, width(), 1), t.cardBorder);
}

} // namespace tessera
