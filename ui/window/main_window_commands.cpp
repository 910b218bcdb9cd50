// Help, the command palette and the sheet of keys: all read from the menus, so that nothing is listed twice.
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/chain_panel.h"
#include "ui/panels/command_palette.h"
#include "ui/panels/filter_list.h"
#include "ui/panels/mnemonics.h"
#include "ui/panels/parameter_panel.h"
#include "ui/panels/shortcut_sheet.h"
#include "ui/panels/step_options.h"
#include "ui/race/race_panel.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>
#include <QStackedWidget>

#include <array>

namespace tessera {

namespace {

QString keysOf(const QAction &action) {
    QStringList keys;
    for (const QKeySequence &sequence : action.shortcuts())
        keys << sequence.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

// Calls visit(menu title, action) for every action of the menus, submenus included.
void forEachAction(const QMenuBar &bar, const std::function<void(const QString &, QAction *)> &visit) {
    const std::function<void(const QString &, const QMenu &)> walk = [&](const QString &title, const QMenu &menu) {
        for (QAction *action : menu.actions())
            if (action->menu())
                walk(QStringLiteral("%1: %2").arg(title, withoutMnemonic(action->text())), *action->menu());
            else if (!action->isSeparator())
                visit(title, action);
    };
    for (const QAction *top : bar.actions())
        if (top->menu())
            walk(withoutMnemonic(top->text()), *top->menu());
}

} // namespace

// Last of all: what a panel fills its menu with is in it by then.
void MainWindow::completeMenus() {
    for (QMenu *menu : findChildren<QMenu *>())
        connect(menu, &QMenu::aboutToShow, menu, [menu] { completeMnemonics(*menu); });
}

void MainWindow::makeHelpMenu() {
    QMenu *help = menuBar()->addMenu(tr("&Help"));
    addAction(
        help, tr("&Command palette…"), QKeySequence(QStringLiteral("Ctrl+Shift+P")), [this] { openPalette(); },
        QStringLiteral("help.palette"));
    addAction(
        help, tr("&Keys"), QKeySequence(Qt::Key_Question), [this] { openShortcuts(); }, QStringLiteral("help.keys"));
    help->addSeparator();
    addAction(help, tr("&About Tessera"), {}, [this] {
        QMessageBox::about(
            this, tr("About Tessera"),
            tr("Tessera %1\n\nFilters pictures, shows what a filter does, and races its implementations.")
                .arg(QApplication::applicationVersion()));
    });
    addAction(help, tr("About &Qt"), {}, [] { QApplication::aboutQt(); });
}

namespace {

// The first child that the keyboard can go to, in the order of Tab; null: none.
QWidget *firstFocusable(const QWidget &panel) {
    if (!panel.isVisible())
        return nullptr;
    for (QWidget *at = panel.nextInFocusChain(); at && at != &panel; at = at->nextInFocusChain())
        if (panel.isAncestorOf(at) && at->isVisible() && at->isEnabled() && (at->focusPolicy() & Qt::TabFocus))
            return at;
    return nullptr;
}

} // namespace

void MainWindow::stepThroughPanels(int step) {
    const std::array<const QWidget *, 8> panels{filters_, chain_, parameters_, options_,
                                                kernel_,  stack_, race_,       right_};
    const int count = int(panels.size());
    int at = step > 0 ? -1 : count;
    for (int i = 0; i < count; ++i)
        if (focusWidget() && panels[std::size_t(i)]->isAncestorOf(focusWidget()))
            at = i;
    for (int tried = 0; tried < count; ++tried) {
        at = (at + step + count) % count;
        if (QWidget *target = firstFocusable(*panels[std::size_t(at)]))
            return target->setFocus(Qt::TabFocusReason);
    }
}

void MainWindow::openPalette() {
    fillRecent();
    fillPresets();
    historyMenu_->clear(); // states are no commands
    std::vector<PaletteCommand> commands;
    forEachAction(*menuBar(), [&](const QString &menu, QAction *action) {
        if (action->isEnabled() && action->objectName() != QLatin1String("help.palette"))
            commands.push_back({QStringLiteral("%1: %2").arg(menu, withoutMnemonic(action->text())), keysOf(*action),
                                [action = QPointer(action)] {
                                    if (action) // those of changing menus may be gone by then
                                        action->trigger();
                                }});
    });
    if (session_.document())
        for (const FilterDescription &filter : allFilters())
            commands.push_back({QString::fromStdString(filter.title), QString::fromStdString(filter.group),
                                [this, name = filter.name] {
                                    session_.edit([&](Document &document) { document.setFilter({name, {}, {}}); });
                                }});
    (new CommandPalette(std::move(commands), this))->show();
}

void MainWindow::openShortcuts() {
    std::vector<ShortcutGroup> groups;
    forEachAction(*menuBar(), [&](const QString &menu, QAction *action) {
        const QString keys = keysOf(*action);
        if (keys.isEmpty())
            return;
        if (groups.empty() || groups.back().title != menu)
            groups.push_back({menu, {}});
        groups.back().rows.emplace_back(withoutMnemonic(action->iconText()), keys); // "Undo", whatever is undone
    });
    groups.push_back({tr("On the picture"),
                      {{tr("Zoom at the cursor"), tr("Wheel")},
                       {tr("Pan"), tr("Drag, arrow keys")},
                       {tr("Mark a region"), tr("Shift+drag")},
                       {tr("Show the original"), tr("Hold O")},
                       {tr("Inspect the next pixel"), tr("Ctrl+arrow keys")},
                       {tr("Move the split"), tr("Drag, Alt+Left, Alt+Right")},
                       {tr("Choose what the pane shows"), tr("Menu key, click its caption")},
                       {tr("Fit, or 100 %"), tr("Double click")}}});
    groups.push_back({tr("In the kernel"),
                      {{tr("Change a tap"), tr("Type a number, Enter")},
                       {tr("Set what is selected to 0"), tr("Delete")},
                       {tr("Copy, paste cells"), tr("Ctrl+C, Ctrl+V")}}});
    groups.push_back({tr("In the race"), {{tr("Copy the table"), tr("Ctrl+C")}}});
    groups.push_back(
        {tr("In the chain"), {{tr("Move the step"), tr("Alt+Up, Alt+Down")}, {tr("Remove the step"), tr("Delete")}}});
    (new ShortcutSheet(groups, this))->show();
}

} // namespace tessera
