// The kernel of the current filter, and what can be done to it. Any edit makes it a kernel of one's own.
#pragma once

#include "app/filters/filter.h"
#include "app/session/kernel_code.h"
#include "ui/panels/card.h"

#include <functional>

class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace tessera {

class FrequencyView;
class KernelGrid;
class NumberField;

class KernelPanel : public Card {
    Q_OBJECT

public:
    explicit KernelPanel(QWidget *parent = nullptr);

    // The kernels the filter comes down to (several for gradient magnitudes); nullptr: no filter.
    void setFilter(const FilterInstance *filter);
    const ConvolutionKernel &kernel() const { return kernel_; }
    KernelGrid *grid() const { return grid_; }

signals:
    void twoPassesWanted();
    void codeWanted(tessera::CodeTarget target); // to the clipboard; the step knows border and flip
    void kernelEdited(const ConvolutionKernel &kernel, const QString &text, const QString &mergeKey);
    void problem(const QString &what, const QString &remedy);

private:
    QWidget *makeGeometry();
    QWidget *makeArithmetic();
    QWidget *makeButtons();
    QSpinBox *makeSide(const QString &name, const QString &help, int minimum, int maximum);
    QToolButton *makeButton(const QString &label, const QString &help, std::function<void()> action);
    void showKernel();
    void edit(const ConvolutionKernel &kernel, const QString &text, const QString &mergeKey = {});
    void editDivisor();
    void showRank();
    void fillPresets(class QMenu *menu);
    void importKernel();
    void exportKernel();
    // Runs the edit; an Error becomes problem().
    void guarded(const std::function<void()> &action);

    std::vector<ConvolutionKernel> kernels_;
    std::size_t shown_ = 0;
    ConvolutionKernel kernel_;
    bool hasFilter_ = false;
    bool showing_ = false;
    KernelGrid *grid_;
    QWidget *controls_;
    QLabel *hint_;
    QToolButton *next_;
    QSpinBox *width_, *height_, *anchorX_, *anchorY_;
    QLineEdit *divisor_;
    NumberField *offset_;
    FrequencyView *frequency_;
    QToolButton *twoPasses_ = nullptr;
};

} // namespace tessera
