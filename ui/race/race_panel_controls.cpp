// What stands in the head of the race: views, controls, export.
#include "ui/panels/controls.h"
#include "ui/race/crossover_view.h"
#include "ui/race/race_panel.h"
#include "ui/race/roofline_plot.h"
#include "ui/race/subject_words.h"
#include "ui/window/theme.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tessera {

namespace {
constexpr int leastTitle = 60; // in pixels: a shorter one says nothing

// As wide as the widest of what it will say.
void holdWidth(QAbstractButton *button, const QStringList &texts) {
    int widest = 0;
    for (const QString &text : texts) {
        button->setText(text);
        widest = std::max(widest, button->sizeHint().width());
    }
    button->setMinimumWidth(widest);
}
} // namespace

QToolButton *RacePanel::makeButton(const QString &text, const QString &help, const QString &name) {
    auto *button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(help);
    button->setFont(smallFont());
    button->setObjectName(name);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

// Buttons where there is room, else a box; both say the same.
void RacePanel::addViews(QHBoxLayout *head) {
    const std::tuple<RaceView, QString, QString> views[] = {
        {RaceView::Table, tr("Table"), tr("Every variant with its figures")},
        {RaceView::Times, tr("Times"), tr("Every sample with its spread")},
        {RaceView::Roofline, tr("Roofline"), tr("What the device allows and what each variant reaches")},
        {RaceView::Error, tr("Error"), tr("Speed against error")},
        {RaceView::Crossover, tr("Map"), tr("Which variant wins at which size of kernel and picture")}};
    viewBox_ = new QuietComboBox(this);
    viewBox_->setAccessibleName(tr("View of the race"));
    viewBox_->setObjectName(QStringLiteral("race.view"));
    viewBar_ = new QWidget(this);
    auto *row = new QHBoxLayout(viewBar_);
    row->setContentsMargins(0, 0, 10, 0);
    row->setSpacing(2);
    viewButtons_ = new QButtonGroup(this);
    for (const auto &[view, text, help] : views) {
        viewBox_->addItem(text, int(view));
        QToolButton *button = makeButton(text, help, QStringLiteral("race.view.%1").arg(int(view)));
        button->setCheckable(true);
        viewButtons_->addButton(button, int(view));
        row->addWidget(button);
    }
    connect(viewButtons_, &QButtonGroup::idClicked, this, [this](int id) { setView(RaceView(id)); });
    connect(viewBox_, &QComboBox::activated, this, [this] { setView(RaceView(viewBox_->currentData().toInt())); });
    head->addWidget(viewBar_);
    head->addWidget(viewBox_);
}

void RacePanel::addControls(QHBoxLayout *head) {
    deviceBox_ = new QuietComboBox(this);
    deviceBox_->setAccessibleName(tr("Device of the roofline"));
    deviceBox_->setObjectName(QStringLiteral("race.device"));
    deviceBox_->setMinimumContentsLength(12);
    deviceBox_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(deviceBox_, &QComboBox::activated, this, [this](int index) { roofline_->setDevice(index); });
    endless_ = makeButton(tr("Keep racing"), tr("Go on until stopped, and begin again after every change"),
                          QStringLiteral("race.endless"));
    endless_->setCheckable(true);
    connect(endless_, &QToolButton::toggled, this, &RacePanel::endlessWanted);
    pause_ = makeButton(tr("Pause"), tr("Hold the race, and go on with it (Ctrl+Alt+R)"), QStringLiteral("race.pause"));
    connect(pause_, &QToolButton::clicked, this, [this] { emit pauseWanted(!paused_); });
    button_->setObjectName(QStringLiteral("race.start"));
    connect(button_, &QPushButton::clicked, this, [this] { running_ ? emit stopWanted() : emit startWanted(); });
    holdWidth(pause_, {tr("Go on"), tr("Pause")});
    holdWidth(button_, {tr("Stop"), tr("Race")});
    for (QWidget *each : {static_cast<QWidget *>(deviceBox_), static_cast<QWidget *>(pause_),
                          static_cast<QWidget *>(endless_), static_cast<QWidget *>(button_)})
        head->addWidget(each);
    mapControls_ = makeMapControls();
    head->addWidget(mapControls_);
}

QWidget *RacePanel::makeMapControls() {
    auto *box = new QWidget(this);
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    mapKind_ = new QuietComboBox(box);
    mapKind_->addItem(tr("dense"), int(CrossoverKernels::Dense));
    mapKind_->addItem(tr("separable"), int(CrossoverKernels::Separable));
    mapKind_->setToolTip(tr("Dense kernels, or such as come apart into a row and a column"));
    mapKind_->setAccessibleName(tr("Kernels of the map"));
    mapKind_->setObjectName(QStringLiteral("race.map.kind"));
    mapScope_ = new QuietComboBox(box);
    mapScope_->addItem(tr("whole call"), int(CrossoverScope::Call));
    mapScope_->addItem(tr("kernel alone"), int(CrossoverScope::Kernel));
    mapScope_->setAccessibleName(tr("Which time decides"));
    mapScope_->setToolTip(tr("With transfers to the device and back, or without"));
    mapScope_->setObjectName(QStringLiteral("race.map.scope"));
    mapButton_ = makeButton({}, tr("Measure what is still missing; it can be stopped at any time"),
                            QStringLiteral("race.map.measure"));
    holdWidth(mapButton_, {tr("Stop"), tr("Measure")});
    mapAgain_ = makeButton(tr("Measure again"), tr("Forget this map and measure all of it again"),
                           QStringLiteral("race.map.again"));
    connect(mapKind_, &QComboBox::activated, this, &RacePanel::mapLoadWanted);
    connect(mapScope_, &QComboBox::activated, this,
            [this] { crossover_->setScope(CrossoverScope(mapScope_->currentData().toInt())); });
    connect(mapButton_, &QToolButton::clicked, this,
            [this] { measuringMap_ ? emit mapStopWanted() : emit mapWanted(false); });
    connect(mapAgain_, &QToolButton::clicked, this, [this] { emit mapWanted(true); });
    for (QWidget *widget : {static_cast<QWidget *>(mapKind_), static_cast<QWidget *>(mapScope_),
                            static_cast<QWidget *>(mapButton_), static_cast<QWidget *>(mapAgain_)})
        row->addWidget(widget);
    return box;
}

void RacePanel::addExport(QHBoxLayout *head) {
    export_ = makeButton(tr("Export"), tr("Rows as CSV or JSON, charts as PNG"), QStringLiteral("race.export"));
    auto *menu = new QMenu(export_);
    menu->addAction(tr("&Export…"), this, &RacePanel::exportWanted);
    menu->addAction(tr("Export e&verything…"), this, &RacePanel::exportAllWanted);
    export_->setMenu(menu);
    export_->setPopupMode(QToolButton::InstantPopup);
    export_->setMinimumWidth(export_->sizeHint().width() + 14); // for the arrow
    head->addWidget(export_);
}

namespace {
int widthOf(const QWidget *widget) { return std::max(widget->sizeHint().width(), widget->minimumWidth()); }
} // namespace

// The map is of no filter; all else is of what was measured.
const std::optional<RaceSubject> &RacePanel::titleSubject() const {
    return view_ == RaceView::Crossover ? subject_ : measuredSubject();
}

// Whole parts of the subject, as many as there is room for: the border goes first, the filter's name last.
QString RacePanel::titleFor(int room) const {
    if (room < leastTitle)
        return {};
    const QString separator = QStringLiteral(" · "),
                  bare = showsEarlierRace() && view_ != RaceView::Crossover ? tr("EARLIER RACE") : tr("RACE");
    if (titleSubject())
        for (const QString &shown : subjectWords(*titleSubject()).fromLongToShort())
            if (const QString title = bare + separator + shown; title_->fontMetrics().horizontalAdvance(title) <= room)
                return title;
    return bare;
}

// What there is no room for goes, what is least missed first: the menu has it too. Nothing else moves when a race
// begins or another view is chosen: room is kept for what is not shown just then, but for the controls of one view,
// which take a line of their own where they don't fit.
void RacePanel::fitHead() {
    const int gap = head_->spacing();
    const QMargins around = layout()->contentsMargins();
    int room = width() - around.left() - around.right() - widthOf(button_) - gap;
    for (const QWidget *views : {viewBar_, static_cast<QWidget *>(viewBox_)})
        room -= views->isHidden() ? 0 : widthOf(views) + gap;
    const bool mapShown = view_ == RaceView::Crossover;
    int unused = mapShown ? widthOf(button_) + gap : 0; // of what is kept
    const std::pair<QWidget *, bool> spare[] = {
        {pause_, running_ && !mapShown}, {endless_, !mapShown}, {export_, true}};
    for (const auto &[widget, wanted] : spare) {
        const int width = widthOf(widget) + gap;
        const bool fits = width <= room;
        widget->setVisible(fits && wanted);
        room -= fits ? width : 0;
        unused += fits && mapShown && !wanted ? width : 0;
    }
    for (const auto &[own, next] : {std::pair{static_cast<QWidget *>(deviceBox_), static_cast<QWidget *>(pause_)},
                                    std::pair{mapControls_, static_cast<QWidget *>(export_)}}) {
        const int wanted = own->isHidden() ? 0 : widthOf(own) + gap;
        const bool fits = wanted <= room + unused;
        if (fits && head_->indexOf(own) < 0)
            head_->insertWidget(head_->indexOf(next), own);
        else if (!fits && belowHead_->indexOf(own) < 0)
            belowHead_->addWidget(own, 1, Qt::AlignLeft);
        if (fits)
            room -= std::max(0, wanted - unused);
    }
    // It stays, as what gives way before the rest.
    title_->setText(titleFor(room));
    title_->setToolTip(titleSubject() ? subjectWords(*titleSubject()).all() : QString());
}

// Room for the view and the button, and for the controls of one view below them.
QSize RacePanel::minimumSizeHint() const {
    const QMargins around = layout()->contentsMargins();
    const int least = std::max(widthOf(viewBox_) + head_->spacing() + widthOf(button_), widthOf(mapControls_));
    return {around.left() + least + around.right(), 110};
}

CrossoverPlan RacePanel::crossoverPlan() const {
    CrossoverPlan plan;
    plan.kind = CrossoverKernels(mapKind_->currentData().toInt());
    return plan;
}

} // namespace tessera
