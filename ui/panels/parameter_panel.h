// The parameters of the current filter, built from its description alone: a new filter needs no line of code here.
#pragma once

#include "app/filters/filter.h"
#include "ui/panels/card.h"

#include <functional>
#include <vector>

class QGridLayout;
class QLabel;
class QToolButton;

namespace tessera {

class ParameterPanel : public Card {
    Q_OBJECT

public:
    explicit ParameterPanel(QWidget *parent = nullptr);

    // nullptr: no filter is chosen.
    void setFilter(const FilterInstance *filter);

signals:
    void valueChanged(const QString &parameter, double value);
    void editingFinished(); // the end of a drag or an entry: undo takes what was since the last as one
    void resetWanted();

private:
    struct Row {
        std::string name;
        double defaultValue = 0;
        std::function<void(double)> show;
    };

    void build(const FilterDescription &description);
    void addNumber(const ParameterDescription &parameter, int row);
    void addAngle(const ParameterDescription &parameter, int row);
    void addChoice(const ParameterDescription &parameter, int row);
    void addBoolean(const ParameterDescription &parameter, int row);
    QLabel *addLabel(const ParameterDescription &parameter, int row, QWidget *buddy);
    void remember(const ParameterDescription &parameter, std::function<void(double)> show);

    std::string shown_; // name of the filter the rows belong to
    QWidget *content_ = nullptr;
    QGridLayout *grid_ = nullptr;
    QLabel *hint_;
    QToolButton *reset_ = nullptr;
    std::vector<Row> rows_;
};

} // namespace tessera
