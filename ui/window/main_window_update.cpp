// What changes in the window when the session does.
#include "app/session/chain_run.h"
#include "ui/bridge/file_name.h"
#include "ui/histogram/analysis_panels.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/card.h"
#include "ui/panels/chain_panel.h"
#include "ui/panels/controls.h"
#include "ui/panels/drag_handle.h"
#include "ui/panels/filter_list.h"
#include "ui/panels/message_bar.h"
#include "ui/panels/parameter_panel.h"
#include "ui/panels/start_page.h"
#include "ui/panels/step_options.h"
#include "ui/race/race_panel.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {

QString MainWindow::milliseconds(double ms) {
    return ms >= 1000 ? MainWindow::tr("%1 s").arg(ms / 1000, 0, 'f', 2)
                      : MainWindow::tr("%1 ms").arg(ms, 0, 'f',
                                                    ms >= 100  ? 0
                                                    : ms >= 10 ? 1
                                                               : 3);
}

void MainWindow::connectSession() {
    connect(&session_, &Session::documentsChanged, this, &MainWindow::showDocuments);
    connect(&session_, &Session::chainChanged, this, &MainWindow::settleMessages);
    connect(&session_, &Session::chainChanged, this, &MainWindow::showChain);
    connect(&session_, &Session::resultChanged, this, &MainWindow::showResult);
    connect(&session_.runner(), &FilterRunner::finished, this, &MainWindow::showResult);
    connect(&session_, &Session::previewReady, this, &MainWindow::showPreview);
    connect(&session_, &Session::runStateChanged, this, &MainWindow::showRunState);
    connect(&session_, &Session::progressChanged, this, &MainWindow::showProgress);
    connect(&session_, &Session::messageWanted, this, &MainWindow::showMessage);
    connect(&session_, &Session::enginesFound, this, &MainWindow::showEngines);
    connect(&session_, &Session::regionStatistics, this,
            [this](const ImageStatistics &before, const std::optional<ImageStatistics> &after) {
                const SharedImage shown = session_.shownPicture();
                statisticsOfRegion_ = true;
                showStatistics(&before, after ? &*after : nullptr, shown->format().depth);
            });
    connect(&session_, &Session::largestChangeFound, this, [this](const LargestDifference &where) {
        ViewState &view = canvas_->view();
        view.centreOn(QPointF(where.x + 0.5, where.y + 0.5));
        view.setZoom(std::max(view.zoom(), 32.0 * devicePixelRatioF()));
        view.setHover(QPoint(where.x, where.y));
        showMessage({Message::Kind::Information,
                     tr("The largest change is %1 % of the full range, at x %2, y %3")
                         .arg(where.share * 100, 0, 'g', 3)
                         .arg(where.x)
                         .arg(where.y),
                     {},
                     pictureTopic});
    });
    connect(&session_, &Session::thumbnailReady, start_, &StartPage::setThumbnail);
    connect(&session_, &Session::opened, this, [this](const QString &path) { remember(path); });
    connect(&session_, &Session::saved, this, [this](const QString &path) {
        remember(path);
        showChain();
        showMessage({Message::Kind::Information, tr("Saved %1").arg(shownName(path)), {}});
        if (const auto next = std::exchange(afterSave_, {}))
            next();
    });
    connect(&session_, &Session::saveFailed, this, [this] { afterSave_ = {}; });
    connect(&session_.runner(), &FilterRunner::resultReady, messages_, [this] { messages_->settle(filterTopic); });
    connect(&session_, &Session::messageSettled, messages_, &MessageBar::settle);
    connectRace();
}

void MainWindow::showMessage(const Message &message) { messages_->show(message); }

void MainWindow::showDocuments() {
    const QSignalBlocker blocker(tabs_);
    while (tabs_->count() > session_.count())
        tabs_->removeTab(tabs_->count() - 1);
    while (tabs_->count() < session_.count())
        tabs_->addTab(QString());
    showTabs();
    reopen_->setEnabled(session_.canReopen());
    tabs_->setCurrentIndex(session_.currentIndex());
    tabs_->setVisible(session_.count() > 1);
    forgetClosedChoices();
    const Document *now = session_.document();
    stack_->setCurrentWidget(now ? static_cast<QWidget *>(canvas_) : start_);
    for (QAction *action : needPicture_)
        action->setEnabled(now);
    if (now != shownDocument_) {
        shownDocument_ = now;
        shownResult_ = nullptr;
        statisticsOfRegion_ = false;
        messages_->settle(filterRunTopic); // it runs again where it is needed
        tellNote({});                      // and its own note is told again; the rest goes with the chain
        showRace();
        cards_->verticalScrollBar()->setValue(0); // another picture, another chain: from its heading on
        showPicture();
        if (now)
            canvas_->panes().front()->setFocus();
        showView();
    }
    fileLabel_->setText(now ? QString::fromStdString(now->title()) : tr("no picture"));
    showFormat();
    dragHandle_->setVisible(now);
    zoomLabel_->setVisible(now);
    hoverLabel_->setVisible(now);
}

void MainWindow::showFormat() {
    const Document *now = session_.document();
    const Image *picture = now ? &now->picture() : nullptr;
    const bool isFloat = picture && picture->format().depth == Depth::F32,
               linear = picture && holdsLinearLight(*picture);
    formatLabel_->setText(picture ? QStringLiteral("%1 × %2 · %3%4")
                                        .arg(picture->width())
                                        .arg(picture->height())
                                        .arg(QString::fromStdString(describeFormat(picture->format())),
                                             linear ? tr(" · linear light") : QString())
                                  : QString());
    formatLabel_->setToolTip(linear ? tr("Its values are taken for linear light and shown through the sRGB curve, as "
                                         "is usual for OpenEXR, Radiance HDR and PFM")
                             : isFloat ? tr("Its values are shown as they are stored, as sRGB: 0 is black, 1 white")
                                       : QString());
    formatLabel_->setAccessibleDescription(formatLabel_->toolTip());
}

QString MainWindow::currentFilterTitle() const {
    const Document *now = session_.document();
    if (!now || now->chain().steps.empty())
        return {};
    QStringList titles;
    for (const FilterStep &step : now->chain().steps)
        if (step.enabled) {
            const FilterDescription *description = findFilter(step.filter.name);
            titles << QString::fromStdString(description ? description->title : step.filter.name);
        }
    return titles.size() > 3 ? tr("%1 filters").arg(titles.size()) : titles.join(QStringLiteral(" → "));
}

void MainWindow::showChain() {
    Document *now = session_.document();
    const FilterStep *step = now ? now->step() : nullptr;
    filters_->setCurrent(step ? QString::fromStdString(step->filter.name) : QString());
    chain_->setChain(now ? &now->chain() : nullptr, now ? now->currentStep() : 0);
    parameters_->setFilter(step ? &step->filter : nullptr);
    options_->setStep(step, now ? now->chain().depth : OutputDepth::Keep);
    kernel_->setFilter(step ? &step->filter : nullptr, step && step->flip);
    showArea();
    const bool canUndo = now && now->history().canUndo(), canRedo = now && now->history().canRedo();
    undo_->setEnabled(canUndo);
    redo_->setEnabled(canRedo);
    undo_->setText(canUndo ? tr("&Undo %1").arg(QString::fromStdString(now->history().undoText())) : tr("&Undo"));
    redo_->setText(canRedo ? tr("&Redo %1").arg(QString::fromStdString(now->history().redoText())) : tr("&Redo"));
    undo_->setIconText(tr("Undo"));
    redo_->setIconText(tr("Redo"));
    setWindowTitle(now ? tr("%1[*] – Tessera").arg(QString::fromStdString(now->title())) : tr("Tessera"));
    setWindowModified(now && now->needsSaving());
    showTabs();
    race_->setSubject(session_.raceSubject(), now);
}

void MainWindow::showResult() {
    const Document *now = session_.document();
    const FilterResult *result = now ? now->result() : nullptr;
    if (result && result->picture.stack.empty())
        result = nullptr;
    const Image *picture = result ? result->picture.stack.picture().get() : nullptr;
    if (picture != shownResult_ || !picture) {
        shownResult_ = picture;
        if (picture) {
            canvas_->setAfter(result->picture.stack);
        } else {
            canvas_->clearAfter();
            canvas_->clearVariants();
            showVariants();
        }
    }
    showCaptions(result);
    const auto statistics = [](const AnalysedPicture &analysed) {
        return analysed.statistics ? &*analysed.statistics : nullptr;
    };
    const ImageStatistics *before = now ? statistics(now->source()) : nullptr;
    const ImageStatistics *after = result ? statistics(result->picture) : nullptr;
    if (result && !after)
        return; // the new result's statistics follow; the old ones stay until then
    if (session_.region().empty() || !statisticsOfRegion_) { // else the region's own follow
        statisticsOfRegion_ = false;
        showStatistics(before, after, picture ? picture->format().depth : Depth::U8);
    }
}

void MainWindow::showCaptions(const FilterResult *result) {
    if (!result) {
        tellNote({});
        deviceLabel_->setText(engines_.empty() ? QString() : engines_.front().deviceName); // not another picture's
        deviceLabel_->setToolTip({});
        return canvas_->setCaptions({}, {});
    }
    const Document &now = *session_.document();
    const PipelineTimes &times = result->times;
    const bool current = now.resultIsCurrent();
    canvas_->setExplained(current ? onlyStep(now.chain()) : std::nullopt);
    // What a simulator takes says nothing about a GPU.
    const QString time = times.engine == "sim" ? tr("simulated") : milliseconds(times.kernelMs.value_or(times.totalMs));
    // After a failure or a cancelled run the picture is older than what the panels say.
    canvas_->setCaptions(
        current ? QStringLiteral("%1 · %2").arg(currentFilterTitle(), QString::fromStdString(times.variant))
                : tr("Earlier result"),
        current ? time : QString());
    QString device = QString::fromStdString(times.device);
    for (const EngineEntry &engine : engines_)
        if (engine.deviceId == device) {
            device = engine.deviceName;
            break;
        }
    deviceLabel_->setText(device);
    const QString note = inWindowTerms(times.note);
    deviceLabel_->setToolTip(note.isEmpty() ? QString::fromStdString(times.plan) : note);
    tellNote(note);
}

// A device that was lost, an option that has no effect: told once, and gone once the run that is shown has no such
// note.
void MainWindow::tellNote(const QString &note) {
    if (note == lastNote_)
        return;
    lastNote_ = note;
    if (note.isEmpty())
        messages_->settle(noteTopic);
    else
        showMessage({Message::Kind::Information, note, {}, noteTopic, true}); // until it holds no more
}

void MainWindow::showStatistics(const ImageStatistics *before, const ImageStatistics *after, Depth depthAfter) {
    const Document *now = session_.document();
    statisticsOfResult_ = after;
    // While a filter runs, the mark comes as late as that of the panes.
    markStatistics(statisticsAreEarlier() && (statisticsMarked_ || !session_.filtering()));
    histogram_->setStatistics(before, after);
    statistics_->setStatistics(before, now ? now->picture().format().depth : Depth::U8, after, depthAfter);
}

void MainWindow::showProgress(const QString &what, double fraction) {
    const bool visible = fraction >= 0;
    progress_->setVisible(visible);
    progressLabel_->setVisible(visible);
    cancel_->setVisible(visible);
    progressLabel_->setText(what);
    progress_->setRange(0, fraction > 0 ? 1000 : 0);
    progress_->setValue(int(fraction * 1000));
}

void MainWindow::showEngines(const std::vector<EngineEntry> &engines) {
    engines_ = engines;
    const QString wantedDevice = device_->currentData().toString(), wantedVariant = variant_->currentData().toString();
    device_->clear();
    device_->addItem(tr("auto"), QStringLiteral("auto"));
    for (const EngineEntry &engine : engines)
        if (device_->findData(engine.deviceId) < 0) {
            device_->addItem(engine.lost ? tr("%1 (lost)").arg(engine.label) : engine.label, engine.deviceId);
            device_->setItemData(device_->count() - 1, engine.deviceName, Qt::ToolTipRole);
        }
    device_->setCurrentIndex(std::max(0, device_->findData(wantedDevice)));
    variant_->clear();
    variant_->addItem(tr("auto"), QStringLiteral("auto"));
    for (const EngineEntry &engine : engines)
        for (const auto &[name, help] : engine.variants)
            if (variant_->findData(name) < 0) {
                variant_->addItem(name, name);
                variant_->setItemData(variant_->count() - 1, help, Qt::ToolTipRole);
            }
    variant_->setCurrentIndex(std::max(0, variant_->findData(wantedVariant)));
    showVariants();
    if (deviceLabel_->text().isEmpty() && !engines.empty())
        deviceLabel_->setText(engines.front().deviceName);
}

void MainWindow::chooseEngine() {
    session_.setEngine(variant_->currentData().toString().toStdString(),
                       device_->currentData().toString().toStdString());
}

} // namespace tessera
