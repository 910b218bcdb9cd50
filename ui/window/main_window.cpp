#include "ui/window/main_window.h"

#include "ui/bridge/autosave.h"
#include "ui/histogram/analysis_panels.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/alt_letters.h"
#include "ui/panels/chain_panel.h"
#include "ui/panels/controls.h"
#include "ui/panels/filter_list.h"
#include "ui/panels/message_bar.h"
#include "ui/panels/parameter_panel.h"
#include "ui/panels/picture_tabs.h"
#include "ui/panels/screen_fit.h"
#include "ui/panels/start_page.h"
#include "ui/panels/step_options.h"
#include "ui/panels/undo_keys.h"
#include "ui/race/race_panel.h"
#include "ui/race/roofline_plot.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTemporaryDir>
#include <QVBoxLayout>

namespace tessera {

namespace {

// What the parameter is called in the panel and its new value, so that undo names what the user saw.
QString changeOf(const std::string &filter, const QString &parameter, double value) {
    const auto text = [](const std::string &words) { return QString::fromStdString(words); };
    if (const FilterDescription *description = findFilter(filter))
        for (const ParameterDescription &each : description->parameters) {
            if (each.name != parameter.toStdString())
                continue;
            if (each.kind == ParameterKind::Boolean)
                return (value != 0 ? MainWindow::tr("%1 on") : MainWindow::tr("%1 off")).arg(text(each.label));
            if (each.kind == ParameterKind::Choice && value >= 0 && value < double(each.choices.size()))
                return QStringLiteral("%1 %2").arg(text(each.label), text(each.choices[std::size_t(value)]));
            const QString number = QStringLiteral("%1 %2").arg(text(each.label), QString::number(value, 'g', 6));
            return each.unit.empty() ? number : QStringLiteral("%1 %2").arg(number, text(each.unit));
        }
    return QStringLiteral("%1 %2").arg(parameter, QString::number(value, 'g', 6));
}

} // namespace

MainWindow::MainWindow(QWidget *parent) : QMainWindow(parent) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setMinimumSize(800, 520);
    resize(1440, 900);
    new DialogFitter(this);
    new UndoKeys(this);
    new AltLetters(this);
    left_ = makeLeft();
    QWidget *centre = makeCentre();
    right_ = makeRight();
    columns_ = new QSplitter(Qt::Horizontal, this);
    columns_->addWidget(left_);
    columns_->addWidget(centre);
    columns_->addWidget(right_);
    columns_->setHandleWidth(1);
    columns_->setStretchFactor(0, 0);
    columns_->setStretchFactor(1, 1);
    columns_->setStretchFactor(2, 0);
    columns_->setChildrenCollapsible(false);
    columns_->setSizes({250, 920, 270});
    setCentralWidget(columns_);
    makeActions();
    makeToolBar();
    makeStatusBar();
    connectPanels();
    connectKernel();
    connectCentre();
    connectCanvas();
    connectChain();
    connectTransfer();
    connectSession();
    completeMenus();
    loadSettings();
    showDocuments();
    showChain();
    showResult();
    findChild<QPushButton *>(QStringLiteral("start.open"))->setFocus();
    session_.findEngines();
}

// The widgets go before the session does: an editor that is open commits what was typed when it is hidden.
MainWindow::~MainWindow() {
    hide();
    autosave_.reset();
    delete takeCentralWidget();
}

QWidget *MainWindow::makeLeft() {
    auto *column = new QWidget(this);
    column->setMinimumWidth(226);
    column->setMaximumWidth(460);
    auto *layout = new QVBoxLayout(column);
    layout->setContentsMargins(8, 8, 0, 8);
    layout->setSpacing(8);
    filters_ = new FilterList(column);
    // The cards below come first; the list scrolls anyhow.
    filters_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
    filters_->setMinimumHeight(190);
    auto *framed = new QHBoxLayout;
    framed->setContentsMargins(0, 0, 10, 0); // as wide as the scroll bar beside the cards
    framed->addWidget(filters_);
    layout->addLayout(framed, 1);
    auto *lower = new QWidget;
    auto *cards = new QVBoxLayout(lower);
    cards->setContentsMargins(0, 0, 0, 0);
    cards->setSpacing(8);
    chain_ = new ChainPanel(lower);
    parameters_ = new ParameterPanel(lower);
    options_ = new StepOptions(lower);
    kernel_ = new KernelPanel(lower);
    cards->addWidget(chain_);
    cards->addWidget(parameters_);
    cards->addWidget(options_);
    cards->addWidget(kernel_);
    cards->addStretch(1);
    cards_ = new CardColumn(lower, tr("Parameters, options and kernel"));
    cards_->setObjectName(QStringLiteral("left.cards"));
    layout->addWidget(cards_);
    return column;
}

QWidget *MainWindow::makeCentre() {
    auto *upper = new QWidget(this);
    auto *layout = new QVBoxLayout(upper);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    tabs_ = new PictureTabs(upper);
    tabs_->setAccessibleName(tr("Open pictures"));
    tabs_->hide();
    messages_ = new MessageBar(upper);
    canvas_ = new CanvasArea(upper);
    start_ = new StartPage(upper);
    stack_ = new QStackedWidget(upper);
    stack_->addWidget(start_);
    stack_->addWidget(canvas_);
    layout->addWidget(tabs_);
    layout->addWidget(messages_);
    layout->addWidget(stack_, 1);
    race_ = new RacePanel(this);
    rows_ = new QSplitter(Qt::Vertical, this);
    rows_->addWidget(upper);
    rows_->addWidget(race_);
    rows_->setHandleWidth(1);
    rows_->setChildrenCollapsible(false);
    rows_->setStretchFactor(0, 1);
    rows_->setStretchFactor(1, 0);
    rows_->setSizes({610, 250});
    return rows_;
}

QWidget *MainWindow::makeRight() {
    auto *content = new QWidget;
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 8, 0, 8);
    layout->setSpacing(8);
    histogram_ = new HistogramPanel(content);
    statistics_ = new StatisticsPanel(content);
    layout->addWidget(histogram_);
    layout->addWidget(statistics_);
    chart_ = new Card(tr("Roofline"), content);
    auto *roofline = new RooflinePlot(*race_->model(), chart_);
    roofline->setFixedHeight(170);
    chart_->body()->addWidget(roofline);
    chart_->hide(); // until there is a race
    layout->addWidget(chart_);
    layout->addStretch(1);
    auto *area = new CardColumn(content, tr("Histogram and statistics"));
    area->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    area->setMaximumWidth(420);
    return area;
}

void MainWindow::connectPanels() {
    connect(filters_, &FilterList::filterChosen, this, [this](const QString &name) {
        if (!session_.document())
            return showMessage(
                {Message::Kind::Information, tr("There is no picture to filter yet"), tr("open, drop or paste one")});
        session_.edit([&](Document &document) {
            if (!document.step() || document.step()->filter.name != name.toStdString() || !document.step()->enabled)
                document.setFilter({name.toStdString(), {}, {}});
        });
    });
    connect(filters_, &FilterList::filterAdded, this, [this](const QString &name) {
        if (!session_.document())
            return showMessage(
                {Message::Kind::Information, tr("There is no picture to filter yet"), tr("open, drop or paste one")});
        session_.edit([&](Document &document) { document.addStep({name.toStdString(), {}, {}}); });
    });
    connect(parameters_, &ParameterPanel::valueChanged, this, [this](const QString &name, double value) {
        session_.edit([&](Document &document) {
            if (!document.step())
                return;
            FilterStep step = *document.step();
            step.filter.values[name.toStdString()] = value;
            document.changeStep(step, changeOf(step.filter.name, name, value).toStdString(),
                                "parameter:" + name.toStdString());
        });
    });
    connect(parameters_, &ParameterPanel::editingFinished, this, [this] {
        if (session_.document())
            session_.document()->history().seal();
    });
    connect(parameters_, &ParameterPanel::resetWanted, this, [this] {
        session_.edit([this](Document &document) {
            if (!document.step())
                return;
            FilterStep step = *document.step();
            step.filter.values.clear();
            document.changeStep(step, tr("reset parameters").toStdString());
        });
    });
    connect(options_, &StepOptions::stepChanged, this,
            [this](const FilterStep &step, const QString &text, const QString &key) {
                session_.edit(
                    [&](Document &document) { document.changeStep(step, text.toStdString(), key.toStdString()); });
            });
    connect(options_, &StepOptions::depthChanged, this,
            [this](OutputDepth depth) { session_.edit([&](Document &document) { document.setDepth(depth); }); });
}

void MainWindow::connectKernel() {
    connect(kernel_, &KernelPanel::kernelEdited, this,
            [this](const ConvolutionKernel &kernel, const QString &text, const QString &key) {
                session_.edit([&](Document &document) {
                    if (!document.step())
                        return;
                    FilterStep step = *document.step();
                    step.filter = {"custom", {}, kernel};
                    step.anchor.reset(); // the kernel says it all from here on
                    step.divisor.reset();
                    step.offset.reset();
                    document.changeStep(step, text.toStdString(), key.toStdString());
                });
            });
    connect(kernel_, &KernelPanel::undoWanted, &session_, &Session::undo);
    connect(kernel_, &KernelPanel::redoWanted, &session_, &Session::redo);
    connect(kernel_, &KernelPanel::problem, this, [this](const QString &what, const QString &remedy) {
        showMessage({Message::Kind::Warning, what, remedy, pictureTopic});
    });
}

void MainWindow::connectCentre() {
    connect(race_, &RacePanel::startWanted, &session_, &Session::startRace);
    connect(race_, &RacePanel::stopWanted, &session_, &Session::stopRace);
    connect(start_, &StartPage::openWanted, this, &MainWindow::openDialog);
    connect(start_, &StartPage::fileWanted, this, [this](const QString &path) { open({path}); });
    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0 && index != session_.currentIndex())
            session_.setCurrentIndex(index);
    });
    connect(tabs_, &QTabBar::tabCloseRequested, this, [this](int index) { closePicture(index); });
    connect(canvas_, &CanvasArea::viewChanged, this, &MainWindow::showView);
    connect(canvas_, &CanvasArea::hoverChanged, this, &MainWindow::showHover);
}

} // namespace tessera
