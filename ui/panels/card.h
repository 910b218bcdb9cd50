// A titled panel: the quiet box that groups what belongs together.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace tessera {

class Card : public QFrame {
    Q_OBJECT

public:
    explicit Card(const QString &title, QWidget *parent = nullptr);

    void setTitle(const QString &title); // shown in capitals
    void setNote(const QString &note);   // beside the title, or below where there is no room; in the muted colour
    QVBoxLayout *body() const { return body_; }
    void addToHeader(QWidget *widget); // at the right end

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool event(QEvent *event) override;

private:
    void placeNote();

    QLabel *title_;
    QLabel *note_;
    QHBoxLayout *header_;
    QVBoxLayout *body_;
    bool noteBelow_ = false;
};

} // namespace tessera
