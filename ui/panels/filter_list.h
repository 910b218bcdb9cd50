// All filters, grouped as their descriptions say, narrowed by typing.
#pragma once

#include "app/filters/filter.h"
#include "ui/panels/card.h"

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace tessera {

class FilterList : public Card {
    Q_OBJECT

public:
    explicit FilterList(QWidget *parent = nullptr);

    void setCurrent(const QString &filterName); // empty: none
    QTreeWidget *tree() const { return tree_; }
    QLineEdit *searchField() const { return search_; }

signals:
    void filterChosen(const QString &filterName);
    void filterAdded(const QString &filterName); // Shift: behind the current step instead of in its place

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fill();
    void narrow(const QString &text);
    QTreeWidgetItem *bestMatch() const;
    void choose(QTreeWidgetItem *item);
    void applyColours();
    bool ignores(const QEvent &event) const;

    QLineEdit *search_;
    QTreeWidget *tree_;
    QString current_; // the filter that is applied
};

} // namespace tessera
