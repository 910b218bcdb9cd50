// The kernel editor in a window of its own, for kernels that have no room in a card.
#pragma once

#include <QDialog>

namespace tessera {

class KernelPanel;

class KernelWindow : public QDialog {
    Q_OBJECT

public:
    explicit KernelWindow(QWidget *parent = nullptr);
    KernelPanel *panel() const { return panel_; }

signals:
    void undoWanted();
    void redoWanted();

private:
    KernelPanel *panel_;
};

} // namespace tessera
