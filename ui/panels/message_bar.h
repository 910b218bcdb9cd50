// Messages above the canvas: what happened, why, what to do. They take no focus and block nothing.
#pragma once

#include "ui/bridge/message.h"

#include <QFrame>
#include <QTimer>

class QLabel;

namespace tessera {

class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget *parent = nullptr);

    void show(const Message &message); // replaces the one shown; errors stay until closed, others for some seconds
    const Message &message() const { return message_; }
    bool isShowing() const { return !isHidden(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Message message_;
    QLabel *text_;
    QTimer timer_;
};

} // namespace tessera
