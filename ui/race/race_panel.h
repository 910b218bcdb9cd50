// The race: every variant on this picture, as a table and as charts, with why each takes what it takes.
#pragma once

#include "app/race/crossover.h"
#include "app/race/race_subject.h"
#include "ui/race/race_model.h"

#include <QWidget>

#include <map>
#include <optional>

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

    // What a race would measure; empty: nothing, for want of a filter or of a picture.
    void setSubject(const std::optional<RaceSubject> &subject, bool pictureOpen);
    // What the rows were measured of; without rows, what a race would measure.
    const std::optional<RaceSubject> &measuredSubject() const { return model_->rowCount() > 0 ? measured_ : subject_; }
    bool showsEarlierRace() const; // the rows are of another subject than the present one
    void showRecord(const RaceRecord &record, bool running);
    // What becomes of another picture's race meanwhile, a sentence; empty: none is under way.
    void setElsewhere(const QString &what);
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
    const std::optional<RaceSubject> &titleSubject() const;

    void explain();
    QString earlierText() const;
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
    std::optional<RaceSubject> subject_, measured_;
    QString working_, elsewhere_;
    bool pictureOpen_ = false, toldEarlier_ = false;
};

} // namespace tessera
