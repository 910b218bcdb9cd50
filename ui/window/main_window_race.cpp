// The race in the window: its menu, what it tells, and what is exported of it.
#include "app/image/image_io.h"
#include "ui/bridge/file_name.h"
#include "ui/panels/card.h"
#include "ui/race/crossover_view.h"
#include "ui/race/race_export.h"
#include "ui/race/race_panel.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>

#include <tuple>

namespace tessera {

namespace {

void writeWhole(const QString &path, const QByteArray &content) {
    writeFileAtomically(pathFrom(path), std::as_bytes(std::span(content.constData(), std::size_t(content.size()))),
                        true);
}

} // namespace

void MainWindow::connectRace() {
    RaceRunner &race = session_.race();
    connect(&race, &RaceRunner::started, this, &MainWindow::showRace);
    connect(&race, &RaceRunner::rowChanged, this, [this](int index, const RaceRow &row) {
        if (showsRunningRace())
            race_->setRow(index, row);
    });
    connect(&race, &RaceRunner::deviceMeasured, race_, &RacePanel::setDevice);
    connect(&race, &RaceRunner::workingOn, this, [this](const QString &what) {
        if (showsRunningRace())
            race_->setWorking(what);
    });
    connect(&race, &RaceRunner::pausedChanged, this, [this](bool paused) {
        if (showsRunningRace())
            race_->setPaused(paused);
        showRaceElsewhere();
    });
    connect(&race, &RaceRunner::finished, race_, &RacePanel::end);
    connect(&race, &RaceRunner::finished, this, &MainWindow::showRaceElsewhere);
    connect(race_, &RacePanel::earlierChanged, chart_,
            [this](bool earlier) { chart_->setNote(earlier ? tr("of an earlier race") : QString()); });
    connect(race_, &RacePanel::pauseWanted, &race, &RaceRunner::setPaused);
    connect(race_, &RacePanel::endlessWanted, this, [this](bool endless) {
        session_.setRaceEndless(endless);
        findChild<QAction *>(QStringLiteral("race.keep"))->setChecked(endless);
    });
    CrossoverRunner &map = session_.crossover();
    connect(&map, &CrossoverRunner::changed, race_, &RacePanel::setMap);
    connect(&map, &CrossoverRunner::stateChanged, race_, [this, &map] { race_->setMeasuringMap(map.running()); });
    connect(race_, &RacePanel::mapWanted, this,
            [this](bool afresh) { session_.startCrossover(race_->crossoverPlan(), afresh); });
    connect(race_, &RacePanel::mapStopWanted, &map, &CrossoverRunner::cancel);
    connect(race_, &RacePanel::mapLoadWanted, this, [this, &map] { map.load(race_->crossoverPlan()); });
    connect(race_, &RacePanel::exportWanted, this, &MainWindow::exportRace);
    connect(race_, &RacePanel::exportAllWanted, this, &MainWindow::exportWholeRace);
}

bool MainWindow::showsRunningRace() const {
    return session_.document() && session_.races().racing() == session_.document();
}

void MainWindow::showRace() {
    race_->setSubject(session_.raceSubject(), session_.document());
    const RaceRecord *record = session_.races().of(session_.document());
    chart_->setVisible(record);
    if (record)
        race_->showRecord(*record, showsRunningRace());
    else
        race_->clear();
    if (showsRunningRace()) {
        race_->setPaused(session_.race().paused());
        race_->setWorking(session_.races().working());
    }
    showRaceElsewhere();
}

void MainWindow::showRaceElsewhere() {
    const Document *racing = session_.documentAt(session_.indexOf(session_.races().racing()));
    if (!racing || showsRunningRace())
        return race_->setElsewhere({});
    const QString what = session_.race().paused() ? tr("The race of %1 is paused; Race ends it and begins one here.")
                         : session_.raceEndless()
                             ? tr("The race of %1 waits until it is shown again; Race ends it and begins one here.")
                             : tr("The race of %1 goes on; Race ends it and begins one here.");
    race_->setElsewhere(what.arg(QString::fromStdString(racing->title())));
}

void MainWindow::makeRaceMenu() {
    QMenu *menu = menuBar()->addMenu(tr("&Race"));
    needPicture_.push_back(addAction(
        menu, tr("&Start the race"), QKeySequence(QStringLiteral("Ctrl+R")), [this] { session_.startRace(); },
        QStringLiteral("race.run")));
    addAction(menu, tr("&Pause, go on"), QKeySequence(QStringLiteral("Ctrl+Alt+R")), [this] {
        if (session_.race().running())
            session_.race().setPaused(!session_.race().paused());
    });
    addAction(menu, tr("S&top the race"), {}, [this] { session_.stopRace(); });
    QAction *keep = addAction(
        menu, tr("&Keep racing"), {}, [] {}, QStringLiteral("race.keep"));
    keep->setCheckable(true);
    connect(keep, &QAction::toggled, this, [this](bool endless) {
        race_->setEndless(endless);
        session_.setRaceEndless(endless);
    });
    menu->addSeparator();
    const std::tuple<QString, QString, RaceView> views[] = {
        {tr("Show the ta&ble"), QStringLiteral("Alt+1"), RaceView::Table},
        {tr("Show the ti&mes"), QStringLiteral("Alt+2"), RaceView::Times},
        {tr("Show the &roofline"), QStringLiteral("Alt+3"), RaceView::Roofline},
        {tr("Show speed a&gainst error"), QStringLiteral("Alt+4"), RaceView::Error},
        {tr("Show the &crossover map"), QStringLiteral("Alt+5"), RaceView::Crossover}};
    for (const auto &[text, keys, view] : views)
        addAction(menu, text, QKeySequence(keys), [this, view = view] {
            findChild<QAction *>(QStringLiteral("view.race"))->setChecked(true);
            race_->setView(view);
        });
    menu->addSeparator();
    addAction(menu, tr("&Export…"), {}, [this] { exportRace(); });
    addAction(menu, tr("Export e&verything…"), {}, [this] { exportWholeRace(); });
}

// Whether there is something to export; else it is told that there is not.
bool MainWindow::mayExportRace() {
    if (race_->model()->rowCount() > 0 || race_->crossover()->map())
        return true;
    showMessage(
        {Message::Kind::Information, tr("There is no race to export yet"), tr("start one first"), pictureTopic});
    return false;
}

void MainWindow::exportRace() {
    if (!mayExportRace())
        return;
    const QString table = tr("Table (*.csv)"), json = tr("JSON (*.json)"), picture = tr("Picture of this view (*.png)");
    const bool hasRows = race_->model()->rowCount() > 0; // a crossover map by itself is no table
    QString chosen = hasRows ? table : json;
    const QString proposed = hasRows ? QStringLiteral("/race.csv") : QStringLiteral("/crossover.json");
    QString path = QFileDialog::getSaveFileName(
        this, tr("Export the race"), lastRace_.isEmpty() || !hasRows ? lastFolder_ + proposed : lastRace_,
        (hasRows ? QStringList{table, json, picture} : QStringList{json, picture}).join(QStringLiteral(";;")), &chosen);
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += chosen == json      ? QStringLiteral(".json")
                : chosen == picture ? QStringLiteral(".png")
                                    : QStringLiteral(".csv");
    lastRace_ = path;
    try {
        if (!hasRows && raceFormatOf(path) == RaceFormat::Csv)
            throw Error(ErrorKind::Output, tr("a table holds a race's rows, and there are none yet").toStdString(),
                        tr("choose a name that ends in .json or .png, or start a race first").toStdString());
        writeWhole(path, tessera::exportRace(*race_, raceFormatOf(path))); // the dialog has asked before replacing
        session_.fileReplaced(path);
        showMessage({Message::Kind::Information, tr("Saved %1").arg(shownName(path)), {}});
    } catch (const Error &error) {
        showMessage(messageFrom(error));
    }
}

void MainWindow::exportWholeRace() {
    if (!mayExportRace())
        return;
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Export the race into a folder"), lastFolder_);
    if (folder.isEmpty())
        return;
    try {
        const auto files = tessera::exportWholeRace(*race_);
        for (const auto &[name, content] : files) // nobody was asked about these names
            if (QFileInfo::exists(folder + QLatin1Char('/') + name))
                throw Error(ErrorKind::Output, tr("there is a file %1 in this folder already").arg(name).toStdString(),
                            tr("choose another folder").toStdString());
        for (const auto &[name, content] : files)
            writeWhole(folder + QLatin1Char('/') + name, content);
        showMessage(
            {Message::Kind::Information, tr("Saved %1 files in %2").arg(files.size()).arg(shownName(folder)), {}});
    } catch (const Error &error) {
        showMessage(messageFrom(error));
    }
}

} // namespace tessera
