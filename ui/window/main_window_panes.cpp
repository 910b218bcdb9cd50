// What the panes show.
#include "app/session/chain_run.h"
#include "ui/histogram/analysis_panels.h"
#include "ui/panels/message_bar.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QKeyEvent>
#include <QMenu>
#include <QTimer>

namespace tessera {

namespace {

constexpr int pendingAfterMs = 150;

} // namespace

void MainWindow::connectCanvas() {
    connect(canvas_, &CanvasArea::menuWanted, this, &MainWindow::openCanvasMenu);
    connect(canvas_, &CanvasArea::regionChanged, this, &MainWindow::takeRegion);
    connect(canvas_, &CanvasArea::paneViewsChanged, this, [this] {
        session_.variantRuns().want(canvas_->shownVariants());
        showVariants();
    });
    connectVariants();
}

void MainWindow::connectVariants() {
    VariantRuns &runs = session_.variantRuns();
    connect(&runs, &VariantRuns::previewReady, this, [this](const QString &key, const FilterPreview &preview) {
        canvas_->setVariantPatch(key, ResultPatch{preview.level, preview.region, preview.pixels, preview.exact, 0});
    });
    connect(&runs, &VariantRuns::resultReady, this,
            [this](const QString &key, const std::shared_ptr<FilterResult> &result) {
                const PipelineTimes &times = result->times;
                canvas_->setVariantPicture(
                    key, result->picture.stack,
                    times.engine == "sim" ? tr("simulated") : milliseconds(times.kernelMs.value_or(times.totalMs)));
                canvas_->setVariantCaption(key, variantTitle(key));
            });
    connect(&runs, &VariantRuns::failed, this, [this](const QString &key, const Message &message) {
        canvas_->setVariantPicture(key, {}, {});
        canvas_->setVariantCaption(key, QStringLiteral("%1: %2").arg(variantTitle(key), message.what), true);
    });
    connect(&runs, &VariantRuns::outdated, canvas_, &CanvasArea::setVariantsOutdated);
}

QString MainWindow::variantTitle(const QString &key) const {
    const QString variant = key.section(QLatin1Char('@'), 0, 0), device = key.section(QLatin1Char('@'), 1);
    for (const EngineEntry &engine : engines_)
        if (engine.deviceId == device)
            return tr("%1 · %2").arg(variant, engine.label);
    return variant;
}

void MainWindow::showVariants() {
    const QStringList shown = canvas_->shownVariants();
    for (const QString &key : shown)
        if (const auto made = canvas_->content().variants.find(key);
            made == canvas_->content().variants.end() || !made->second.failed)
            canvas_->setVariantCaption(key, variantTitle(key));
}

QStringList MainWindow::paneNames() const {
    static const char *const names[] = {"original", "result", "split", "difference", "variant:"};
    QStringList panes;
    for (int i = 0; i < canvas_->paneCount(); ++i) {
        const PaneView view = canvas_->paneView(i);
        panes << QLatin1String(names[int(view.kind)]) + view.variant;
    }
    return panes;
}

// What a later version may have written, or a hand, is passed over.
void MainWindow::restorePanes(const QStringList &names) {
    static const QStringList kinds{QStringLiteral("original"), QStringLiteral("result"), QStringLiteral("split"),
                                   QStringLiteral("difference")};
    for (int i = 0; i < int(names.size()) && i < canvas_->paneCount(); ++i) {
        const QString &name = names[i];
        if (name.startsWith(QLatin1String("variant:")) && name.contains(QLatin1Char('@')))
            canvas_->setPaneView(i, {PaneKind::Variant, name.mid(8)});
        else if (const auto kind = kinds.indexOf(name); kind >= 0)
            canvas_->setPaneView(i, {PaneKind(kind), {}});
    }
}

void MainWindow::fillPaneMenu(QMenu *menu, int pane) {
    menu->clear();
    auto *kinds = new QActionGroup(menu);
    const std::pair<QString, PaneKind> choices[] = {{tr("&Original"), PaneKind::Original},
                                                    {tr("&Result"), PaneKind::Result},
                                                    {tr("&Split"), PaneKind::Split},
                                                    {tr("&Difference"), PaneKind::Difference}};
    for (const auto &[text, kind] : choices) {
        QAction *action = menu->addAction(text, this, [this, pane, kind = kind] {
            canvas_->setPaneView(pane, {kind, {}});
        });
        action->setCheckable(true);
        action->setChecked(canvas_->paneView(pane).kind == kind);
        kinds->addAction(action);
    }
    addVariantsTo(menu, pane);
}

void MainWindow::addVariantsTo(QMenu *menu, int pane) {
    const PaneView now = canvas_->paneView(pane);
    QMenu *variants = menu->addMenu(tr("One &variant"));
    for (const EngineEntry &engine : engines_) {
        variants->addSection(engine.label);
        for (const auto &[name, help] : engine.variants) {
            const QString key = variantKey(name.toStdString(), engine.deviceId.toStdString());
            QAction *action = variants->addAction(name, this, [this, pane, key] {
                canvas_->setPaneView(pane, {PaneKind::Variant, key});
            });
            action->setCheckable(true);
            action->setChecked(now == PaneView{PaneKind::Variant, key});
            action->setToolTip(help);
        }
    }
    variants->setToolTipsVisible(true);
    variants->setEnabled(!engines_.empty());
}

void MainWindow::openCanvasMenu(int pane, const QPoint &place) {
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("canvas.menu"));
    fillPaneMenu(menu, pane);
    menu->addSeparator();
    for (const char *name : {"view.fit", "view.whole", "view.largest"})
        menu->addAction(findChild<QAction *>(QLatin1String(name)));
    menu->addSeparator();
    for (const char *name : {"region.visible", "region.remove", "filter.region"})
        menu->addAction(findChild<QAction *>(QLatin1String(name)));
    menu->addSeparator();
    menu->addAction(copy_);
    menu->popup(place);
}

void MainWindow::makeInspectorActions(QMenu *menu) {
    QAction *table = addAction(
        menu, tr("Sum of the pixel, tap by tap"), QKeySequence(Qt::Key_T), [] {}, QStringLiteral("view.taps"));
    table->setCheckable(true);
    connect(table, &QAction::toggled, canvas_, &CanvasArea::setTapTable);
    QAction *next = addAction(menu, tr("Sum of the next channel"), QKeySequence(QStringLiteral("Shift+T")), [this] {
        if (const Document *now = session_.document())
            canvas_->setTapChannel((canvas_->content().tapChannel + 1) % now->picture().format().colourChannels());
    });
    needPicture_.insert(needPicture_.end(), {table, next});
}

void MainWindow::showPreview(const FilterPreview &preview) {
    ResultPatch patch;
    patch.level = preview.level;
    patch.region = preview.region;
    patch.pixels = preview.pixels;
    patch.exact = preview.exact;
    canvas_->setPatch(patch);
    // What was explained so far belongs to the picture from before.
    canvas_->setExplained(preview.exact && session_.document() ? onlyStep(session_.document()->chain()) : std::nullopt);
    canvas_->setCaptions(currentFilterTitle(), {});
}

// Whether what is shown of a result belongs to one from before the chain that is there now.
bool MainWindow::statisticsAreEarlier() const {
    const Document *now = session_.document();
    if (!statisticsOfResult_ || !now)
        return false;
    return !now->resultIsCurrent() || !now->result() || !now->result()->picture.statistics;
}

void MainWindow::markStatistics(bool earlier) {
    statisticsMarked_ = earlier;
    const Rectangle region = session_.region();
    QStringList notes;
    if (statisticsOfRegion_)
        notes << tr("region %1 × %2").arg(region.width).arg(region.height);
    if (earlier)
        notes << tr("of the earlier result");
    for (Card *card : {static_cast<Card *>(histogram_), static_cast<Card *>(statistics_)})
        card->setNote(notes.join(QStringLiteral(", ")));
}

void MainWindow::showRunState() {
    const bool working = session_.filtering() || session_.busyWithFiles();
    setCursor(QCursor()); // no busy cursor: the window stays usable
    if (!working)
        showProgress({}, -1);
    if (session_.filtering())
        // A quick filter is done before anyone could read that it is on its way.
        QTimer::singleShot(pendingAfterMs, this, [this, run = session_.runner().currentRun()] {
            const Document *now = session_.document();
            if (!session_.filtering() || session_.runner().currentRun() != run)
                return;
            messages_->settle(filterTopic); // why the run before failed; this one has not
            if (now && !now->resultIsCurrent() && !canvas_->content().patch)
                canvas_->setPending(true);
            if (statisticsAreEarlier())
                markStatistics(true);
        });
    else
        canvas_->setPending(false);
    if (!session_.filtering() && canvas_->content().patch) { // the run was stopped: what was shown ahead is no result
        canvas_->setPatch(std::nullopt);
        showResult();
    }
    if (!session_.filtering() && statisticsAreEarlier()) // stopped or failed
        markStatistics(true);
}

// Holding O shows the original, whichever part of the window has the keyboard, unless that part takes letters.
void MainWindow::keyPressEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_O && event->modifiers() == Qt::NoModifier && session_.document())
        canvas_->setFlipped(true);
    else
        QMainWindow::keyPressEvent(event);
}

void MainWindow::keyReleaseEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_O && !event->isAutoRepeat())
        canvas_->setFlipped(false);
    else
        QMainWindow::keyReleaseEvent(event);
}

void MainWindow::changeEvent(QEvent *event) {
    if (event->type() == QEvent::ActivationChange && canvas_ && !isActiveWindow())
        canvas_->setFlipped(false); // the key's release goes to another window
    QMainWindow::changeEvent(event);
}

} // namespace tessera
