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

    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void pasted(int u, int v, const QString &text);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    void layOut();
    int shownWidth() const; // of all columns together
    void copy();

    KernelModel *model_;
};

} // namespace tessera
