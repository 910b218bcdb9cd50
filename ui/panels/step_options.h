// What every step has beside its filter's own parameters: border, channels, alpha, response, flip, linear light, and
// the depth of the whole result.
#pragma once

#include "app/session/pipeline.h"
#include "ui/panels/card.h"

#include <functional>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QToolButton;

namespace tessera {

class BorderDiagram;
class NumberField;

class StepOptions : public Card {
    Q_OBJECT

public:
    explicit StepOptions(QWidget *parent = nullptr);

    void setStep(const FilterStep *step, OutputDepth depth); // nullptr: nothing to set
    bool expanded() const;
    void setExpanded(bool expanded);

signals:
    // `step` is the step with the change, `text` what changed, for undo.
    void stepChanged(const FilterStep &step, const QString &text, const QString &mergeKey);
    void depthChanged(OutputDepth depth);
    void expandedChanged(bool expanded);

private:
    QComboBox *addCombo(QGridLayout &grid, int row, const QString &label, const QStringList &items, const QString &name,
                        const QString &help);
    void makeBorder(QGridLayout &grid);
    void makeChoices(QGridLayout &grid);
    void makeSwitches(QGridLayout &grid);
    void connectControls();
    void change(const std::function<void(FilterStep &)> &edit, const QString &text, const QString &mergeKey = {});
    void showStep();

    FilterStep step_;
    bool showing_ = false; // what the widgets report while it is set is our own doing
    QWidget *content_;
    QComboBox *border_, *channels_, *alpha_, *response_, *depth_;
    NumberField *constant_, *offset_;
    BorderDiagram *diagram_;
    QCheckBox *flip_, *linear_, *normalize_;
    QToolButton *toggle_;
};

} // namespace tessera
