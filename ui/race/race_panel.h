// The race: every variant on this picture, with its time, spread and error.
#pragma once

#include "ui/race/race_model.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QTableView;

namespace tessera {

class RacePanel : public QWidget {
    Q_OBJECT

public:
    explicit RacePanel(QWidget *parent = nullptr);

    void setSubject(const QString &subject); // "512 × 512 8-bit RGB · 5 × 5 kernel · replicate"; empty: nothing to race
    void begin();                            // all rows waiting
    void setRow(int index, const RaceRow &row) { model_->setRow(index, row); }
    void end(bool cancelled);
    void clear();
    RaceModel *model() const { return model_; }
    QPushButton *button() const { return button_; }
    QSize sizeHint() const override { return {600, 230}; }

signals:
    void startWanted();
    void stopWanted();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void setUpTable();
    void layOut();
    void explain();

    RaceModel *model_;
    QLabel *title_, *note_;
    QPushButton *button_;
    QTableView *table_;
    QWidget *filler_; // in the table's place while it is empty
    bool running_ = false;
    QString subject_;
};

} // namespace tessera
