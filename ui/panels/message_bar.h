// Messages above the canvas: what happened, why, what to do. They take no focus and block nothing. Errors and warnings
// gather until they are closed, so that of ten files none fails unseen; a piece of information goes by itself.
#pragma once

#include "ui/bridge/message.h"

#include <QFrame>
#include <QTimer>

#include <deque>

class QLabel;
class QToolButton;

namespace tessera {

class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget *parent = nullptr);

    void reservePlace(); // for one message, so that nothing around moves when it comes and goes
    void show(const Message &message);
    void settle(const QString &topic); // what was said about it, or about "topic/...", holds no more
    void clear();
    void clearPassing(); // all but those that stand, and why the run failed whose picture is still shown
    const Message &message() const { return messages_.front(); } // the newest; only while isShowing()
    std::size_t count() const { return messages_.size(); }
    bool isShowing() const { return !isHidden(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QStringList lines() const;
    void openAll();
    void refresh();

    std::deque<Message> messages_; // the newest first
    QLabel *text_;
    QToolButton *all_; // where there are more than the bar shows
    QTimer timer_;
};

} // namespace tessera
