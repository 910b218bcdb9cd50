// The grid of taps: green for positive, red for negative, stronger for larger. Cells are edited in place; large kernels
// turn into a coloured picture whose cells still take the keyboard.
#pragma once

#include "ui/kernel_editor/kernel_model.h"

#include <QTableView>

namespace tessera {

class KernelGrid : public QTableView {
    Q_OBJECT

public:
    explicit KernelGrid(QWidget *parent = nullptr);

    void setKernel(const ConvolutionKernel &kernel);
    KernelModel *kernelModel() const { return model_; }
    bool showsNumbers() const;
    // In a window of its own the grid takes what room there is; in a card it is as high as its width asks for.
    void setRoomy(bool roomy);
    const QFont &numberFont() const { return numberFont_; } // as large as the longest number of the kernel allows

    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return !roomy_; }
    int heightForWidth(int width) const override;

signals:
    void pasted(int u, int v, const QString &text);
    void cleared(const QRect &taps); // set to 0: columns and rows

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    void layOut();
    QSize shownSize() const; // of all cells together
    void chooseFont(const QSize &cell);
    QRect selectedPart() const;
    void copy();

    KernelModel *model_;
    QFont numberFont_;
    bool roomy_ = false;
};

} // namespace tessera
