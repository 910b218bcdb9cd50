// The steps in order: switch each on or off, move, remove, choose which one the panels show.
#pragma once

#include "app/session/chain.h"
#include "ui/panels/card.h"

class QListWidget;
class QListWidgetItem;
class QToolButton;

namespace tessera {

class ChainPanel : public Card {
    Q_OBJECT

public:
    explicit ChainPanel(QWidget *parent = nullptr);

    void setChain(const Chain *chain, std::size_t current); // hidden while the chain is empty
    QListWidget *list() const { return list_; }

signals:
    void stepSelected(std::size_t index);
    void stepToggled(std::size_t index, bool enabled);
    void stepMoved(std::size_t from, std::size_t to);
    void stepRemoved(std::size_t index);
    void stepAdded(const QString &filterName);
    void presetSaveWanted();
    void presetLoadWanted();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QToolButton *makeButton(const QString &text, const QString &help, const QString &name);
    void onRowsMoved(int from, int to);
    void fillAddMenu(class QMenu &menu);

    QListWidget *list_ = nullptr;
    QToolButton *up_, *down_, *remove_;
    bool showing_ = false;
};

} // namespace tessera
