#include "ui/panels/message_bar.h"

#include "ui/window/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tessera {

namespace {

constexpr qsizetype shownAtOnce = 4;
constexpr std::size_t keptAtMost = 200;

// A sentence begins with a capital. What is named in it keeps the letters that it has: the window's own messages begin
// with a word, those from below with a word or a path, and what else they may begin with (a device "cuda:0", a filter
// "gaussian:", a notation) is followed by or holds what no plain word does.
QString sentence(QString text) {
    static const QRegularExpression word(QStringLiteral("^\\p{Ll}[\\p{L}'’-]*(?=[ ,;]|$)"));
    if (word.match(text).hasMatch())
        text[0] = text[0].toUpper();
    if (!text.isEmpty() && !text.endsWith(QLatin1Char('.')))
        text += QLatin1Char('.');
    return text;
}

} // namespace

MessageBar::MessageBar(QWidget *parent) : QFrame(parent), text_(new QLabel(this)), all_(new QToolButton(this)) {
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 6, 8, 6);
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText); // file names are nobody's markup
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAccessibleName(tr("Message"));
    text_->setObjectName(QStringLiteral("message.text"));
    auto *close = new QToolButton(this);
    close->setText(tr("Close"));
    close->setToolTip(tr("Close the message (Esc)"));
    close->setAccessibleName(tr("Close the message"));
    close->setObjectName(QStringLiteral("message.close"));
    close->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(text_, 1);
    all_->setText(tr("Show all…"));
    all_->setToolTip(tr("All messages, to read and to copy"));
    all_->setAccessibleName(tr("Show all messages"));
    all_->setObjectName(QStringLiteral("message.all"));
    all_->setFocusPolicy(Qt::TabFocus);
    connect(all_, &QToolButton::clicked, this, &MessageBar::openAll);
    layout->addWidget(all_, 0, Qt::AlignTop);
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

void MessageBar::reservePlace() {
    QSizePolicy policy = sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    setSizePolicy(policy);
    const QMargins around = layout()->contentsMargins();
    setMinimumHeight(2 * text_->fontMetrics().lineSpacing() + around.top() + around.bottom()); // what, and the remedy
}

void MessageBar::show(const Message &message) {
    std::erase_if(messages_, [&](const Message &old) {
        return (old.kind == Message::Kind::Information && !old.standing) ||
               (!message.topic.isEmpty() && old.topic == message.topic) ||
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

void MessageBar::clearPassing() {
    std::erase_if(messages_,
                  [](const Message &message) { return !message.standing && message.topic != filterRunTopic; });
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

void MessageBar::openAll() {
    auto *dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Messages"));
    dialog->resize(640, 360);
    auto *text = new QPlainTextEdit(lines().join(QLatin1Char('\n')), dialog);
    text->setReadOnly(true);
    text->setTabChangesFocus(true);
    text->setAccessibleName(tr("All messages"));
    text->setObjectName(QStringLiteral("message.list"));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QPushButton *copy = buttons->addButton(tr("&Copy all"), QDialogButtonBox::ActionRole);
    copy->setObjectName(QStringLiteral("message.copy"));
    auto *layout = new QVBoxLayout(dialog);
    layout->addWidget(text);
    layout->addWidget(buttons);
    connect(copy, &QPushButton::clicked, text, [text] { QApplication::clipboard()->setText(text->toPlainText()); });
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    dialog->open();
}

void MessageBar::refresh() {
    QStringList shown = lines();
    const QStringList whole = shown;
    const qsizetype more = shown.size() - shownAtOnce;
    if (more > 1) { // "And 1 more" would take the line that the one needs
        shown = shown.mid(0, shownAtOnce);
        shown << tr("And %n more.", nullptr, int(more));
    }
    all_->setVisible(more > 1);
    text_->setText(shown.join(QLatin1Char('\n')));
    text_->setToolTip(
        more > 1 ? whole.join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>"))
                 : QString());
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
