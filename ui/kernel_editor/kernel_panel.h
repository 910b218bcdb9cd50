// The kernel of the current filter, and what can be done to it. Any edit makes it a kernel of one's own.
#pragma once

#include "app/filters/filter.h"
#include "app/filters/kernel_file.h"
#include "app/session/kernel_code.h"
#include "app/session/kernel_edit.h"
#include "ui/panels/card.h"

#include <functional>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QSpinBox;
class QToolButton;

namespace tessera {

class FrequencyView;
class ImpulseView;
class KernelGrid;
class KernelWindow;
class NumberField;

class KernelPanel : public Card {
    Q_OBJECT

public:
    // In the column of cards, or filling a window of its own with a grid that has room for numbers.
    enum class Form { Card, Window };
    explicit KernelPanel(QWidget *parent = nullptr, Form form = Form::Card);

    // The kernels the filter comes down to (several for gradient magnitudes); nullptr: no filter. `flip`: it is run as
    // true convolution. A window opened by enlarge() follows.
    void setFilter(const FilterInstance *filter, bool flip = false);
    const ConvolutionKernel &kernel() const { return kernel_; }
    KernelGrid *grid() const { return grid_; }
    void enlarge(); // the editor in a window of its own, not modal; what it edits comes through this panel's signals
    KernelWindow *ownWindow() const { return window_; }
    void settle(); // what its own window says is about another kernel
    void importKernel(const QString &path);
    void exportKernel(const QString &path, KernelNotation notation); // replaces a file

signals:
    void undoWanted(); // by the keys of the window of its own
    void redoWanted();
    void twoPassesWanted();
    void codeWanted(tessera::CodeTarget target); // to the clipboard; the step knows border and flip
    void kernelEdited(const ConvolutionKernel &kernel, const QString &text, const QString &mergeKey);
    void copied(const QString &what); // to the clipboard, a sentence
    void problem(const QString &what, const QString &remedy);

private:
    QWidget *makeGeometry();
    QWidget *makeArithmetic();
    QWidget *makeButtons();
    QSpinBox *makeSide(const QString &name, const QString &help, int minimum, int maximum);
    QToolButton *makeButton(const QString &label, const QString &help, std::function<void()> action);
    QWidget *makeScale();
    QWidget *makeTwoPasses();
    QComboBox *makeSymmetry();
    QMenu *makeFileMenu(QToolButton *button);
    QMenu *makeScaleMenu(QToolButton *button);
    void layOutCard();
    void layOutWindow();
    void connectGrid();
    KernelSymmetry symmetry() const;
    void scaleBy(const QString &text);
    void clearTaps(const QRect &part);
    void showKernel();
    void showTap();
    void showResponses(bool shown);
    void edit(const ConvolutionKernel &kernel, const QString &text, const QString &mergeKey = {});
    void replace(const ConvolutionKernel &kernel, const QString &text); // by one with a name of its own
    QString shownDivisor() const;
    void editDivisor();
    static bool meansAuto(const QString &divisor);
    static QString divisorTrouble(const QString &text); // why it cannot be a divisor; empty: it can
    void complain(QWidget &field, const QString &what, const QString &remedy); // of what was typed into the field
    void showRank();
    void fillPresets(QMenu *menu);
    void importDialog();
    void exportDialog();
    // Runs the edit; an Error becomes problem().
    void guarded(const std::function<void()> &action);

    std::vector<ConvolutionKernel> kernels_;
    std::size_t shown_ = 0;
    ConvolutionKernel kernel_;
    const Form form_;
    std::optional<FilterInstance> filter_;
    bool flip_ = false;
    bool showing_ = false;
    QToolButton *next_;    // made in the order of Tab
    QToolButton *enlarge_; // of the card alone
    KernelGrid *grid_;
    QWidget *controls_;
    QLabel *hint_;
    QSpinBox *width_, *height_, *anchorX_, *anchorY_;
    QLineEdit *divisor_;
    NumberField *offset_;
    ImpulseView *impulse_;
    FrequencyView *frequency_;
    QToolButton *responses_ = nullptr;
    QToolButton *twoPasses_ = nullptr;
    QLabel *rank_ = nullptr;
    QLabel *tap_;
    QLineEdit *scale_ = nullptr;
    QComboBox *symmetry_ = nullptr;
    KernelWindow *window_ = nullptr;
    QString lastExport_ = QStringLiteral("kernel.json"); // as it was named last
};

} // namespace tessera
