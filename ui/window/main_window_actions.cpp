// Menus and keys.
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/filter_list.h"
#include "ui/panels/message_bar.h"
#include "ui/race/race_panel.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>

namespace tessera {

QAction *MainWindow::addAction(QMenu *menu, const QString &text, const QKeySequence &keys, std::function<void()> action,
                               const QString &name) {
    auto *made = new QAction(text, this);
    made->setShortcut(keys);
    made->setObjectName(name);
    QString tip = text;
    tip.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    made->setToolTip(keys.isEmpty() ? tip
                                    : QStringLiteral("%1 (%2)").arg(tip, keys.toString(QKeySequence::NativeText)));
    connect(made, &QAction::triggered, this, [action = std::move(action)] { action(); });
    menu->addAction(made);
    return made;
}

void MainWindow::makeActions() {
    makeFileMenu();
    makeEditMenu();
    makeViewMenu();
    makeFilterMenu();
    QMenu *batch = menuBar()->addMenu(tr("&Batch"));
    needPicture_.push_back(addAction(
        batch, tr("Run the chain over &files…"), QKeySequence(QStringLiteral("Ctrl+B")), [this] { openBatch(); },
        QStringLiteral("batch.open")));
    makeHelpMenu();
}

void MainWindow::makeFileMenu() {
    QMenu *menu = menuBar()->addMenu(tr("&File"));
    addAction(
        menu, tr("&Open…"), QKeySequence::Open, [this] { openDialog(); }, QStringLiteral("file.open"))
        ->setIconText(tr("Open"));
    recentMenu_ = menu->addMenu(tr("Open &recent"));
    connect(recentMenu_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    save_ = addAction(
        menu, tr("&Save as…"), QKeySequence(QStringLiteral("Ctrl+S")), [this] { saveDialog(); },
        QStringLiteral("file.save"));
    save_->setIconText(tr("Save as"));
    close_ = addAction(
        menu, tr("&Close picture"), QKeySequence(QStringLiteral("Ctrl+W")),
        [this] { closePicture(session_.currentIndex()); }, QStringLiteral("file.close"));
    reopen_ = addAction(
        menu, tr("Reopen closed &picture"), QKeySequence(QStringLiteral("Ctrl+Shift+T")),
        [this] { session_.reopenClosed(); }, QStringLiteral("file.reopen"));
    menu->addSeparator();
    addAction(menu, tr("Open s&ession…"), {}, [this] { openSessionDialog(); });
    needPicture_.push_back(addAction(menu, tr("Save sessio&n…"), {}, [this] { saveSessionDialog(); }));
    menu->addSeparator();
    addAction(menu, tr("&Quit"), QKeySequence(QStringLiteral("Ctrl+Q")), [this] { close(); });
    needPicture_.insert(needPicture_.end(), {save_, close_});
}

void MainWindow::makeEditMenu() {
    QMenu *menu = menuBar()->addMenu(tr("&Edit"));
    undo_ = addAction(
        menu, tr("&Undo"), QKeySequence::Undo, [this] { session_.undo(); }, QStringLiteral("edit.undo"));
    redo_ = addAction(
        menu, tr("&Redo"), QKeySequence(QStringLiteral("Ctrl+Shift+Z")), [this] { session_.redo(); },
        QStringLiteral("edit.redo"));
    redo_->setShortcuts({QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y"))});
    undo_->setIconText(tr("Undo"));
    redo_->setIconText(tr("Redo"));
    menu->addSeparator();
    historyMenu_ = menu->addMenu(tr("&History"));
    connect(historyMenu_, &QMenu::aboutToShow, this, &MainWindow::fillHistory);
    menu->addSeparator();
    copy_ = addAction(
        menu, tr("&Copy result"), QKeySequence::Copy, [this] { copyResult(); }, QStringLiteral("edit.copy"));
    addAction(
        menu, tr("&Paste picture"), QKeySequence::Paste, [this] { paste(); }, QStringLiteral("edit.paste"));
    needPicture_.push_back(copy_);
}

void MainWindow::makeViewMenu() {
    QMenu *menu = menuBar()->addMenu(tr("&View"));
    modes_ = new QActionGroup(this);
    const std::tuple<QString, QString, CanvasMode> modes[] = {
        {tr("One"), tr("The result alone; hold O for the original"), CanvasMode::One},
        {tr("Two"), tr("Original and result side by side"), CanvasMode::Two},
        {tr("Three"), tr("Original, result and difference"), CanvasMode::Three},
        {tr("Four"), tr("Original, result, split and difference"), CanvasMode::Four},
        {tr("Split"), tr("Original and result, divided by a line to drag"), CanvasMode::Split},
        {tr("Difference"), tr("The result and what it changed"), CanvasMode::Difference}};
    int number = 0;
    for (const auto &[text, help, mode] : modes) {
        QAction *action = addAction(
            menu, text, QKeySequence(QStringLiteral("Ctrl+%1").arg(++number)),
            [this, mode = mode] { setCanvasMode(mode); }, QStringLiteral("view.%1").arg(int(mode)));
        action->setCheckable(true);
        action->setChecked(mode == canvas_->mode());
        action->setToolTip(QStringLiteral("%1 (Ctrl+%2)").arg(help).arg(number));
        modes_->addAction(action);
    }
    paneMenu_ = menu->addMenu(tr("The pane sho&ws"));
    connect(paneMenu_, &QMenu::aboutToShow, this, [this] { fillPaneMenu(paneMenu_, canvas_->activePane()); });
    makeDifferenceMenu(menu);
    menu->addSeparator();
    QAction *in = addAction(menu, tr("Zoom &in"), {}, [this] { canvas_->zoomIn(); });
    in->setShortcuts({QKeySequence(Qt::Key_Plus), QKeySequence(Qt::Key_Equal), QKeySequence::ZoomIn});
    QAction *out = addAction(menu, tr("Zoom &out"), {}, [this] { canvas_->zoomOut(); });
    out->setShortcuts({QKeySequence(Qt::Key_Minus), QKeySequence::ZoomOut});
    QAction *fit = addAction(
        menu, tr("&Fit to window"), QKeySequence(Qt::Key_0), [this] { canvas_->view().fit(); },
        QStringLiteral("view.fit"));
    QAction *whole = addAction(
        menu, tr("&100 %"), QKeySequence(Qt::Key_1), [this] { canvas_->view().setZoom(1); },
        QStringLiteral("view.whole"));
    QAction *worst = addAction(
        menu, tr("Go to the &largest change"), QKeySequence(QStringLiteral("Ctrl+L")),
        [this] { session_.findLargestChange(); }, QStringLiteral("view.largest"));
    needPicture_.insert(needPicture_.end(), {in, out, fit, whole, worst});
    makeInspectorActions(menu);
    menu->addSeparator();
    makeRegionActions(menu);
    menu->addSeparator();
    const auto toggle = [&](const QString &text, const QString &keys, QWidget *widget, const QString &name) {
        QAction *action = addAction(
            menu, text, QKeySequence(keys), [] {}, name);
        action->setCheckable(true);
        action->setChecked(true);
        connect(action, &QAction::toggled, widget, &QWidget::setVisible);
    };
    toggle(tr("Filters and &kernel"), QStringLiteral("F7"), left_, QStringLiteral("view.left"));
    toggle(tr("Histogram and &statistics"), QStringLiteral("F8"), right_, QStringLiteral("view.right"));
    toggle(tr("&Race"), QStringLiteral("F9"), race_, QStringLiteral("view.race"));
    menu->addSeparator();
    addAction(menu, tr("Next pa&nel"), QKeySequence(QStringLiteral("F6")), [this] { stepThroughPanels(1); });
    addAction(menu, tr("Previous pan&el"), QKeySequence(QStringLiteral("Shift+F6")), [this] { stepThroughPanels(-1); });
    addAction(menu, tr("Ne&xt picture"), QKeySequence(QStringLiteral("Ctrl+Tab")), [this] { stepThroughPictures(1); });
    addAction(menu, tr("&Previous picture"), QKeySequence(QStringLiteral("Ctrl+Shift+Tab")),
              [this] { stepThroughPictures(-1); });
    menu->addSeparator();
    makeThemeMenu(menu);
    addAction(menu, tr("F&ull screen"), QKeySequence(Qt::Key_F11),
              [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
}

void MainWindow::makeDifferenceMenu(QMenu *menu) {
    QMenu *difference = menu->addMenu(tr("Difference s&hows"));
    differences_ = new QActionGroup(this);
    const std::tuple<QString, DifferenceMode, double> differences[] = {
        {tr("&Signed, grey where equal"), DifferenceMode::Signed, 1},
        {tr("&Absolute"), DifferenceMode::Absolute, 1},
        {tr("Amplified × &4"), DifferenceMode::Amplified, 4},
        {tr("Amplified × &8"), DifferenceMode::Amplified, 8},
        {tr("Amplified × &64"), DifferenceMode::Amplified, 64},
        {tr("&False colour × 1"), DifferenceMode::FalseColour, 1},
        {tr("False &colour × 8"), DifferenceMode::FalseColour, 8}};
    for (const auto &[text, mode, gain] : differences) {
        QAction *action =
            addAction(difference, text, {}, [this, mode = mode, gain = gain] { canvas_->setDifference(mode, gain); });
        action->setCheckable(true);
        action->setChecked(mode == DifferenceMode::Amplified && gain == 4);
        differences_->addAction(action);
    }
}

void MainWindow::makeThemeMenu(QMenu *menu) {
    QMenu *theme = menu->addMenu(tr("&Theme"));
    themes_ = new QActionGroup(this);
    const std::pair<QString, ThemeChoice> themes[] = {{tr("&As the desktop"), ThemeChoice::System},
                                                      {tr("&Light"), ThemeChoice::Light},
                                                      {tr("&Dark"), ThemeChoice::Dark}};
    for (const auto &[text, choice] : themes) {
        QAction *action = addAction(theme, text, {}, [this, choice = choice] { setThemeChoice(choice); });
        action->setCheckable(true);
        action->setData(int(choice));
        themes_->addAction(action);
    }
}

void MainWindow::makeFilterMenu() {
    QMenu *menu = menuBar()->addMenu(tr("Fi&lter"));
    addAction(menu, tr("&Search filters"), QKeySequence::Find, [this] {
        filters_->searchField()->setFocus();
        filters_->searchField()->selectAll();
    });
    needPicture_.push_back(
        addAction(menu, tr("Filter &again"), QKeySequence(Qt::Key_F5), [this] { session_.runAgain(); }));
    addAction(
        menu, tr("&Cancel"), QKeySequence(Qt::Key_Escape),
        [this] {
            if (!session_.filtering() && !session_.busyWithFiles() && !session_.race().running() &&
                !session_.crossover().running() && !session_.variantRuns().running())
                return messages_->clear(); // nothing to cancel: what was said has been read
            session_.cancel();
        },
        QStringLiteral("filter.cancel"));
    needPicture_.push_back(addAction(menu, tr("&No filter"), QKeySequence(QStringLiteral("Ctrl+Backspace")), [this] {
        session_.edit([](Document &document) {
            Chain none;
            none.area = document.chain().area;
            document.replaceChain(none, tr("no filter").toStdString());
        });
    }));
    needPicture_.push_back(addAction(
        menu, tr("&Edit the kernel"), QKeySequence(QStringLiteral("Ctrl+K")), [this] { kernel_->enlarge(); },
        QStringLiteral("kernel.edit")));
    menu->addSeparator();
    presetsMenu_ = menu->addMenu(tr("Prese&ts"));
    connect(presetsMenu_, &QMenu::aboutToShow, this, &MainWindow::fillPresets);
    needPicture_.push_back(addAction(menu, tr("Save chain as &preset…"), {}, [this] { savePreset(); }));
    needPicture_.push_back(addAction(menu, tr("&Load preset…"), {}, [this] { loadPreset(); }));
    makeRaceMenu();
}

void MainWindow::setCanvasMode(CanvasMode mode) {
    canvas_->setMode(mode);
    for (QAction *action : modes_->actions())
        if (action->objectName() == QStringLiteral("view.%1").arg(int(mode)))
            action->setChecked(true);
}

void MainWindow::setThemeChoice(ThemeChoice choice) {
    themeChoice_ = choice;
    applyTheme(choice);
    for (QAction *action : themes_->actions())
        action->setChecked(action->data().toInt() == int(choice));
    keepSettings();
}

} // namespace tessera
