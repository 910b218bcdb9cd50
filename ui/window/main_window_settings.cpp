// What is remembered between starts.
#include "ui/bridge/file_name.h"
#include "ui/histogram/analysis_panels.h"
#include "ui/panels/screen_fit.h"
#include "ui/panels/start_page.h"
#include "ui/panels/step_options.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QSplitter>
#include <QTimer>

#include <algorithm>

namespace tessera {

namespace {
constexpr int recentLimit = 12;
constexpr int settingsDelayMs = 200;
constexpr const char *panels[] = {"view.left", "view.right", "view.race"}; // the actions that show them
} // namespace

void MainWindow::remember(const QString &path) {
    const QString absolute = absoluteName(path);
    recent_.removeAll(absolute);
    recent_.prepend(absolute);
    recent_ = recent_.mid(0, recentLimit);
    if (const QString folder = QFileInfo(absolute).absolutePath(); folder.isValidUtf16()) // else no dialog finds it
        lastFolder_ = folder;
    start_->setRecent(recent_);
    QSettings settings;
    settings.setValue(QStringLiteral("files/recent"), settingFrom(recent_));
    settings.setValue(QStringLiteral("files/folder"), lastFolder_);
}

// Where the samples lie: beside the program in a build, under share in an installation.
QStringList MainWindow::samplePictures() const {
    const QString program = QApplication::applicationDirPath();
    for (const QString &folder :
         {program + QStringLiteral("/../share/tessera/samples"), program + QStringLiteral("/../samples"),
          program + QStringLiteral("/../assets/samples")}) {
        QStringList paths;
        for (const QFileInfo &file : QDir(folder).entryInfoList(
                 {QStringLiteral("*.png"), QStringLiteral("*.jpg"), QStringLiteral("*.tif*"), QStringLiteral("*.pfm")},
                 QDir::Files, QDir::Name | QDir::Reversed)) // photographs before charts
            paths << file.absoluteFilePath();
        if (!paths.isEmpty())
            return paths;
    }
    return {};
}

void MainWindow::loadSettings() {
    const QSettings settings;
    if (settings.contains(QStringLiteral("window/geometry")))
        restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    fitToScreen(*this); // it may have been a larger screen
    if (settings.contains(QStringLiteral("window/columns")))
        columns_->restoreState(settings.value(QStringLiteral("window/columns")).toByteArray());
    if (settings.contains(QStringLiteral("window/rows")))
        rows_->restoreState(settings.value(QStringLiteral("window/rows")).toByteArray());
    for (const char *name : panels)
        findChild<QAction *>(QLatin1String(name))
            ->setChecked(settings.value(QStringLiteral("window/") + QLatin1String(name), true).toBool());
    const int mode = settings.value(QStringLiteral("canvas/mode"), int(CanvasMode::Two)).toInt();
    setCanvasMode(CanvasMode(std::clamp(mode, int(CanvasMode::One), int(CanvasMode::Three))));
    restorePanes(settings.value(QStringLiteral("canvas/panes")).toStringList());
    const QList<QAction *> differences = differences_->actions();
    differences[std::clamp(settings.value(QStringLiteral("canvas/difference"), 2).toInt(), 0,
                           int(differences.size()) - 1)]
        ->trigger();
    setThemeChoice(ThemeChoice(std::clamp(settings.value(QStringLiteral("window/theme"), 0).toInt(), 0, 2)));
    options_->setExpanded(settings.value(QStringLiteral("panels/options"), false).toBool());
    histogram_->setScale(
        HistogramScale(std::clamp(settings.value(QStringLiteral("histogram/scale"), 1).toInt(), 0, 2)));
    histogram_->setChannels(settings.value(QStringLiteral("histogram/channels"), 7u).toUInt());
    std::error_code ignored;
    for (const QString &path : namesFrom(settings.value(QStringLiteral("files/recent"))))
        if (std::filesystem::exists(pathFrom(path), ignored))
            recent_ << path;
    lastFolder_ = settings.value(QStringLiteral("files/folder")).toString();
    start_->setRecent(recent_);
    const QStringList samples = samplePictures();
    start_->setSamples(samples);
    session_.makeThumbnails(samples, 256);
    watchSettings();
}

void MainWindow::watchSettings() {
    settingsTimer_ = new QTimer(this);
    settingsTimer_->setSingleShot(true);
    settingsTimer_->setInterval(settingsDelayMs);
    connect(settingsTimer_, &QTimer::timeout, this, &MainWindow::saveSettings);
    for (const char *name : panels)
        connect(findChild<QAction *>(QLatin1String(name)), &QAction::toggled, this, &MainWindow::keepSettings);
    connect(differences_, &QActionGroup::triggered, this, &MainWindow::keepSettings); // others keep theirs themselves
    for (QSplitter *splitter : {columns_, rows_})
        connect(splitter, &QSplitter::splitterMoved, this, &MainWindow::keepSettings);
    connect(canvas_, &CanvasArea::paneViewsChanged, this, &MainWindow::keepSettings);
    connect(histogram_, &HistogramPanel::optionsChanged, this, &MainWindow::keepSettings);
    connect(options_, &StepOptions::expandedChanged, this, &MainWindow::keepSettings);
}

void MainWindow::keepSettings() {
    if (settingsTimer_ && !settingsTimer_->isActive()) // not put off by a long drag
        settingsTimer_->start();
}

void MainWindow::resizeEvent(QResizeEvent *event) {
    QMainWindow::resizeEvent(event);
    keepSettings();
}

void MainWindow::moveEvent(QMoveEvent *event) {
    QMainWindow::moveEvent(event);
    keepSettings();
}

void MainWindow::saveSettings() {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/columns"), columns_->saveState());
    settings.setValue(QStringLiteral("window/rows"), rows_->saveState());
    for (const char *name : panels)
        settings.setValue(QStringLiteral("window/") + QLatin1String(name),
                          findChild<QAction *>(QLatin1String(name))->isChecked());
    settings.setValue(QStringLiteral("canvas/mode"), int(canvas_->mode()));
    settings.setValue(QStringLiteral("canvas/panes"), paneNames());
    settings.setValue(QStringLiteral("canvas/difference"),
                      int(differences_->actions().indexOf(differences_->checkedAction())));
    settings.setValue(QStringLiteral("window/theme"), int(themeChoice_));
    settings.setValue(QStringLiteral("panels/options"), options_->expanded());
    settings.setValue(QStringLiteral("histogram/scale"), int(histogram_->scale()));
    settings.setValue(QStringLiteral("histogram/channels"), histogram_->channels());
    settings.setValue(QStringLiteral("files/recent"), settingFrom(recent_));
    settings.setValue(QStringLiteral("files/folder"), lastFolder_);
    settings.sync(); // now, not when the event loop has time
}

} // namespace tessera
