// The kernel editor in a window of its own, for kernels that have no room in a card.
#pragma once

#include <QDialog>

namespace tessera {

class KernelPanel;
class MessageBar;

class KernelWindow : public QDialog {
    Q_OBJECT

public:
    explicit KernelWindow(QWidget *parent = nullptr);
    KernelPanel *panel() const { return panel_; }
    void settle(); // what is said holds no more

signals:
    void undoWanted();
    void redoWanted();

private:
    KernelPanel *panel_;
    MessageBar *messages_; // the main window's may lie behind this one
};

} // namespace tessera
