#include "ui/race/race_panel.h"

#include "ui/panels/controls.h"
#include "ui/race/crossover_view.h"
#include "ui/race/error_plot.h"
#include "ui/race/race_table.h"
#include "ui/race/roofline_plot.h"
#include "ui/race/time_plot.h"
#include "ui/window/theme.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tessera {

RacePanel::RacePanel(QWidget *parent)
    : QWidget(parent), model_(new RaceModel(this)), title_(new ElidedLabel(this)), note_(new QLabel(this)),
      button_(new QPushButton(this)), stack_(new QStackedWidget(this)), table_(new RaceTable(model_, this)),
      roofline_(new RooflinePlot(*model_, this)), crossover_(new CrossoverView(*model_, this)), head_(new QHBoxLayout),
      belowHead_(new QHBoxLayout) {
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(4);
    head_->setSpacing(4);
    title_->setFont(headingFont());
    setForegroundMuted(title_);
    // What comes and goes stands between what stays at either end, so that no button moves away under the cursor.
    addViews(head_);
    head_->addWidget(title_, 1);
    addControls(head_);
    addExport(head_);
    int height = 0;
    for (const QWidget *each :
         {viewBar_, static_cast<QWidget *>(viewBox_), static_cast<QWidget *>(button_), mapControls_})
        height = std::max(height, each->sizeHint().height());
    head_->addStrut(height); // whichever of them are there
    layout->addLayout(head_);
    layout->addLayout(belowHead_);
    plots_ = {{RaceView::Times, new TimePlot(*model_, this)},
              {RaceView::Roofline, roofline_},
              {RaceView::Error, new ErrorPlot(*model_, this)},
              {RaceView::Crossover, crossover_}};
    stack_->addWidget(table_);
    for (const auto &[view, plot] : plots_)
        stack_->addWidget(plot);
    layout->addWidget(stack_, 1);
    note_->setFont(smallFont());
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);
    note_->setAccessibleName(tr("What the race says"));
    setForegroundMuted(note_);
    layout->addWidget(note_);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RacePanel::explain);
    connect(model_, &QAbstractItemModel::dataChanged, this, &RacePanel::explain);
    connect(model_, &RaceModel::devicesChanged, this, &RacePanel::showDevices);
    setMinimumHeight(110);
    orderTab(*head_);
    clear();
    setView(RaceView::Table);
}

// As they stand: the head from left to right, then what fills the panel.
void RacePanel::orderTab(const QLayout &head) {
    QWidget *before = nullptr;
    const auto append = [&](QWidget *widget) {
        const bool isPopupsPart = widget->window() != window(); // the list of a box
        if (!isPopupsPart && widget->focusPolicy() & Qt::TabFocus) {
            if (before)
                setTabOrder(before, widget);
            before = widget;
        }
    };
    for (int i = 0; i < head.count(); ++i)
        if (QWidget *item = head.itemAt(i)->widget()) {
            append(item);
            for (QWidget *inner : item->findChildren<QWidget *>())
                append(inner);
        }
    append(table_);
    for (const auto &[view, plot] : plots_)
        append(plot);
}

RacePlot *RacePanel::plot(RaceView view) const {
    const auto found = plots_.find(view);
    return found == plots_.end() ? nullptr : found->second;
}

void RacePanel::setView(RaceView view) {
    view_ = view;
    RacePlot *shown = plot(view);
    stack_->setCurrentWidget(shown ? static_cast<QWidget *>(shown) : table_);
    const QSignalBlocker blocker(viewBox_);
    viewBox_->setCurrentIndex(viewBox_->findData(int(view)));
    viewButtons_->button(int(view))->setChecked(true);
    if (view == RaceView::Crossover && !crossover_->map() && !measuringMap_)
        emit mapLoadWanted();
    showControls();
    explain();
}

void RacePanel::setSubject(const std::optional<RaceSubject> &subject, bool pictureOpen) {
    subject_ = subject;
    pictureOpen_ = pictureOpen;
    showControls();
    explain();
}

bool RacePanel::showsEarlierRace() const { return model_->rowCount() > 0 && measured_ && measured_ != subject_; }

void RacePanel::showRecord(const RaceRecord &record, bool running) {
    running_ = running;
    paused_ = false;
    working_.clear();
    measured_ = record.subject;
    model_->setRows(record.rows);
    showControls();
    explain();
}

void RacePanel::setElsewhere(const QString &what) {
    elsewhere_ = what;
    explain();
}

void RacePanel::setDevice(const RaceDevice &device) { model_->setDevice(device); }

void RacePanel::setWorking(const QString &what) {
    working_ = what;
    explain();
}

void RacePanel::setPaused(bool paused) {
    paused_ = paused;
    showControls();
    explain();
}

void RacePanel::setEndless(bool endless) {
    const QSignalBlocker blocker(endless_);
    endless_->setChecked(endless);
}

void RacePanel::end(bool) {
    running_ = paused_ = false;
    working_.clear();
    model_->stopWaiting();
    showControls();
    explain();
}

void RacePanel::clear() {
    model_->setRows({});
    measured_.reset();
    end(false);
}

void RacePanel::setMap(const CrossoverMap &map) {
    crossover_->setMap(map);
    showControls();
    explain();
}

void RacePanel::setMeasuringMap(bool measuring) {
    measuringMap_ = measuring;
    crossover_->setMeasuring(measuring);
    showControls();
    explain();
}

void RacePanel::showDevices() {
    const QSignalBlocker blocker(deviceBox_);
    const int chosen = deviceBox_->currentIndex();
    deviceBox_->clear();
    for (const RaceDevice &device : model_->devices())
        deviceBox_->addItem(device.measuredNow ? QString::fromStdString(device.name)
                                               : tr("%1 (simulated)").arg(QString::fromStdString(device.name)));
    deviceBox_->setCurrentIndex(std::clamp(chosen, 0, std::max(0, deviceBox_->count() - 1)));
    roofline_->setDevice(std::max(0, deviceBox_->currentIndex()));
    showControls();
}

// Whose figures these are comes before what they say.
void RacePanel::explain() {
    const bool earlier = showsEarlierRace();
    QString text = explanation();
    if (earlier && view_ != RaceView::Crossover)
        text = earlierText() + QLatin1Char(' ') + text;
    if (!elsewhere_.isEmpty())
        text = elsewhere_ + QLatin1Char(' ') + text;
    note_->setText(text);
    if (std::exchange(toldEarlier_, earlier) != earlier)
        emit earlierChanged(earlier);
}

QString RacePanel::earlierText() const {
    if (running_)
        return tr("The race goes on with the filter that it began with.");
    return subject_ ? tr("These are the times of an earlier filter; Race measures the present one.")
                    : tr("These are the times of an earlier filter; choose one to race again.");
}

// Where the eye is: of the chosen row, else of the view.
QString RacePanel::explanation() const {
    const int row = table_->currentIndex().row();
    if (view_ == RaceView::Crossover)
        return crossover_->map() || measuringMap_ ? crossover_->hint() : QString();
    if (running_ && paused_)
        return tr("Paused: the figures are those so far.");
    if (!working_.isEmpty())
        return tr("%1…").arg(working_);
    if (view_ == RaceView::Table && row >= 0 && row < model_->rowCount())
        return model_->explanation(row);
    if (model_->rowCount() == 0)
        return !subject_ && pictureOpen_ ? tr("Choose a filter: then every implementation can run it, side by side.")
               : !subject_
                   ? tr("Open a picture and choose a filter: then every implementation can run it, side by side.")
                   : tr("Press Race to run this filter through every implementation on this machine.");
    if (const RacePlot *shown = plot(view_))
        return shown->hint();
    return tr("Times are from the call to the finished picture; the error is against float64, before "
              "rounding. Choose a row to read why it takes what it takes.");
}

void RacePanel::showControls() {
    button_->setText(running_ ? tr("Stop") : tr("Race"));
    button_->setToolTip(running_ ? tr("Stop the race (Esc)") : tr("Run every variant on this picture (Ctrl+R)"));
    button_->setEnabled(running_ || subject_);
    pause_->setText(paused_ ? tr("Go on") : tr("Pause"));
    export_->setEnabled(model_->rowCount() > 0 || crossover_->map());
    const bool mapShown = view_ == RaceView::Crossover;
    mapControls_->setVisible(mapShown);
    mapButton_->setText(measuringMap_ ? tr("Stop") : tr("Measure"));
    mapButton_->setEnabled(measuringMap_ || !crossover_->map() || !crossover_->map()->complete());
    mapAgain_->setVisible(!measuringMap_ && crossover_->map() && crossover_->map()->complete());
    mapButton_->setVisible(!mapAgain_->isVisibleTo(mapControls_));
    button_->setVisible(!mapShown);
    deviceBox_->setVisible(view_ == RaceView::Roofline && model_->devices().size() > 1);
    const bool wide = width() > 820;
    viewBar_->setVisible(wide);
    viewBox_->setVisible(!wide);
    fitHead();
}

void RacePanel::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    showControls();
}

void RacePanel::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

} // namespace tessera
