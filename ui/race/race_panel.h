// The race: every variant on this picture, as a table and as charts, with why each takes what it takes.
#pragma once

#include "app/race/crossover.h"
#include "ui/race/race_model.h"

#include <QWidget>

#include <map>

class QButtonGroup;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace tessera {

class CrossoverView;
class RacePlot;
class RaceTable;
class RooflinePlot;

enum class RaceView { Table, Times, Roofline, Error, Crossover };

class RacePanel : public QWidget {
    Q_OBJECT

public:
    explicit RacePanel(QWidget *parent = nullptr);

    // "512 × 512 8-bit RGB · 5 × 5 kernel · replicate"; empty: nothing to race, for want of a filter or of a picture.
    void setSubject(const QString &subject, bool pictureOpen);
    // What the rows were measured of; without rows, what a race would measure.
    const QString &measuredSubject() const { return model_->rowCount() > 0 ? measured_ : subject_; }
    bool showsEarlierRace() const; // the rows are of another subject than the present one
    void begin();                  // all rows waiting
    void setRow(int index, const RaceRow &row) { model_->setRow(index, row); }
    void setDevice(const RaceDevice &device);
    void setWorking(const QString &what); // beside the rows; empty: nothing
    void setPaused(bool paused);
    void end(bool cancelled);
    void clear();
    void setMap(const CrossoverMap &map);
    void setMeasuringMap(bool measuring);
    void setEndless(bool endless);

    void setView(RaceView view);
    RaceView view() const { return view_; }
    RaceModel *model() const { return model_; }
    RaceTable *table() const { return table_; }
    RacePlot *plot(RaceView view) const; // nullptr for the table
    CrossoverView *crossover() const { return crossover_; }
    CrossoverPlan crossoverPlan() const; // as chosen
    QSize sizeHint() const override { return {600, 250}; }
    QSize minimumSizeHint() const override;

signals:
    void startWanted();
    void stopWanted();
    void pauseWanted(bool paused);
    void endlessWanted(bool endless);
    void exportWanted();
    void exportAllWanted();
    void mapWanted(bool afresh); // measure crossoverPlan()
    void mapStopWanted();
    void mapLoadWanted();
    void earlierChanged(bool earlier); // showsEarlierRace()

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    // race_panel_controls.cpp
    QToolButton *makeButton(const QString &text, const QString &help, const QString &name);
    void orderTab(const QLayout &head);
    void addViews(QHBoxLayout *head);
    void addControls(QHBoxLayout *head);
    QWidget *makeMapControls();
    void addExport(QHBoxLayout *head);
    void fitHead();
    QString titleFor(int room) const; // in pixels
    const QString &titleSubject() const;

    void explain();
    QString explanation() const;
    void showControls();
    void showDevices();

    RaceModel *model_;
    QLabel *title_, *note_;
    QComboBox *viewBox_, *deviceBox_;
    QButtonGroup *viewButtons_;
    QWidget *viewBar_, *mapControls_;
    QComboBox *mapKind_, *mapScope_;
    QToolButton *mapButton_, *mapAgain_, *pause_, *endless_, *export_;
    QPushButton *button_;
    QStackedWidget *stack_;
    RaceTable *table_;
    RooflinePlot *roofline_;
    CrossoverView *crossover_;
    QHBoxLayout *head_, *belowHead_; // below: the map's controls, where the head has no room for them
    std::map<RaceView, RacePlot *> plots_;
    RaceView view_ = RaceView::Table;
    bool running_ = false, paused_ = false, measuringMap_ = false;
    QString subject_, measured_, working_;
    bool pictureOpen_ = false, toldEarlier_ = false;
};

} // namespace tessera
