// What holds for every control: a name, a key, a place in the order of Tab.
#include "tests/ui/window_test_support.h"
#include "ui/kernel_editor/kernel_grid.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/kernel_editor/kernel_window.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/command_palette.h"
#include "ui/panels/controls.h"
#include "ui/panels/mnemonics.h"
#include "ui/panels/picture_tabs.h"
#include "ui/panels/screen_fit.h"
#include "ui/panels/shortcut_sheet.h"
#include "ui/panels/step_options.h"
#include "ui/race/race_panel.h"
#include "ui/window/save_dialog.h"

#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

#include <map>

using namespace tessera;

namespace {

QString describe(const QObject *object) {
    QStringList path;
    for (const QObject *at = object; at; at = at->parent())
        path.prepend(QStringLiteral("%1'%2'").arg(QLatin1String(at->metaObject()->className()), at->objectName()));
    return path.join(QStringLiteral(" > "));
}

// Parts that Qt builds its controls of, and scroll bars, which follow what they scroll.
bool isPartOfAControl(const QWidget *widget) {
    if (qobject_cast<const QScrollBar *>(widget) || qobject_cast<const QHeaderView *>(widget) ||
        widget->objectName().startsWith(QStringLiteral("qt_")))
        return true;
    for (const QWidget *at = widget->parentWidget(); at && !at->isWindow(); at = at->parentWidget())
        if (qobject_cast<const QAbstractSpinBox *>(at) || qobject_cast<const QComboBox *>(at) ||
            qobject_cast<const QLineEdit *>(at))
            return true;
    return widget->inherits("QTableCornerButton") || widget->window()->inherits("QComboBoxPrivateContainer") ||
           qobject_cast<const QMenu *>(widget);
}

bool isInteractive(const QWidget *widget) {
    return widget->focusPolicy() != Qt::NoFocus || qobject_cast<const QAbstractButton *>(widget) ||
           qobject_cast<const QComboBox *>(widget) || qobject_cast<const QAbstractSpinBox *>(widget) ||
           qobject_cast<const QAbstractSlider *>(widget) || qobject_cast<const QLineEdit *>(widget) ||
           qobject_cast<const QAbstractItemView *>(widget);
}

class WindowMannersTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void everyControlHasAName_data();
    void everyControlHasAName();
    void everyActionHasAKey();
    void mnemonicsDoNotClash();
    void noShortcutIsGivenTwice();
    void tabReachesEverything();
    void tabFollowsTheEye();
    void panelsAreReachedWithOneKey();
    void marksMnemonics();
    void fitsASmallScreen();
    void fittedWindows();
    void tabsKeepTheirNames();
    void nothingIsWarnedOf();

private:
    void showEverything();
    QList<QWidget *> tabRound();
};

// A picture, a filter with parameters, all panels open, a chain, a message.
void WindowMannersTest::showEverything() {
    open();
    open(QStringLiteral("second.png"), 64, 48, {Depth::U16, 4});
    window_->session().edit([](Document &d) { d.setFilter(parseFilter("unsharp:sigma=3,amount=1.4")); });
    window_->session().edit([](Document &d) { d.addStep(parseFilter("emboss:angle=30")); });
    QVERIFY(waitUntilIdle(*window_));
    find<StepOptions>()->setExpanded(true);
    window_->showMessage({Message::Kind::Error, QStringLiteral("something failed"), {}});
    QTest::qWait(20);
}

void WindowMannersTest::everyControlHasAName_data() {
    QTest::addColumn<QString>("state");
    for (const char *state : {"empty", "everything", "palette", "keys", "batch", "save"})
        QTest::newRow(state) << QString::fromLatin1(state);
}

void WindowMannersTest::everyControlHasAName() {
    QFETCH(QString, state);
    if (state != QLatin1String("empty"))
        showEverything();
    if (state == QLatin1String("palette"))
        window_->openPalette();
    else if (state == QLatin1String("keys"))
        window_->openShortcuts();
    else if (state == QLatin1String("batch"))
        window_->openBatch();
    else if (state == QLatin1String("save"))
        window_->saveDialog();
    int checked = 0;
    QStringList nameless;
    for (QWidget *widget : window_->findChildren<QWidget *>()) {
        if (!isInteractive(widget) || isPartOfAControl(widget))
            continue;
        ++checked;
        QAccessibleInterface *face = QAccessible::queryAccessibleInterface(widget);
        QString name = face ? face->text(QAccessible::Name) : QString();
        if (name.isEmpty()) // a bar without tabs speaks through its tabs alone
            name = widget->accessibleName();
        // A sign alone says nothing when it is read aloud.
        if (name.isEmpty() || (name.size() == 1 && !name[0].isLetterOrNumber()))
            nameless << describe(widget);
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
    QVERIFY(checked > 30);
}

// By a shortcut, or by its letter where it stands in a menu.
void WindowMannersTest::everyActionHasAKey() {
    showEverything();
    QStringList without;
    int checked = 0;
    for (QMenu *menu : window_->findChildren<QMenu *>())
        emit menu->aboutToShow();
    for (QMenu *menu : window_->findChildren<QMenu *>())
        for (const QAction *action : menu->actions()) {
            if (action->isSeparator())
                continue;
            ++checked;
            if (action->shortcuts().isEmpty() && QKeySequence::mnemonic(action->text()).isEmpty())
                without << QStringLiteral("%1 > %2").arg(menu->title(), action->text());
        }
    for (const QAction *action : window_->menuBar()->actions())
        if (QKeySequence::mnemonic(action->text()).isEmpty())
            without << action->text();
    for (const auto *bar : window_->findChildren<QToolBar *>())
        for (QAction *action : bar->actions())
            if (!action->isSeparator() && !bar->widgetForAction(action)->inherits("QComboBox") &&
                !action->text().isEmpty() && action->shortcuts().isEmpty())
                without << action->text();
    QVERIFY2(without.isEmpty(), qPrintable(without.join(QLatin1Char('\n'))));
    QVERIFY(checked > 60);
}

void WindowMannersTest::mnemonicsDoNotClash() {
    showEverything();
    QStringList clashes;
    const auto add = [&clashes](std::map<QString, QString> &taken, const QString &text) {
        const QString key = QKeySequence::mnemonic(text).toString();
        if (key.isEmpty())
            return;
        if (const auto [found, fresh] = taken.emplace(key, text); !fresh)
            clashes << QStringLiteral("%1: %2 and %3").arg(key, found->second, text);
    };
    for (QMenu *menu : window_->findChildren<QMenu *>())
        emit menu->aboutToShow();
    for (QMenu *menu : window_->findChildren<QMenu *>()) {
        std::map<QString, QString> taken;
        for (const QAction *action : menu->actions())
            add(taken, action->text());
    }
    const auto checkWindow = [&](const QWidget &window, std::map<QString, QString> taken) {
        for (const QWidget *widget : window.findChildren<QWidget *>()) {
            if (!widget->isVisible() || widget->window() != &window)
                continue;
            if (const auto *label = qobject_cast<const QLabel *>(widget); label && label->buddy())
                add(taken, label->text());
            else if (const auto *button = qobject_cast<const QAbstractButton *>(widget))
                add(taken, button->text());
        }
    };
    std::map<QString, QString> menus;
    for (const QAction *action : window_->menuBar()->actions())
        add(menus, action->text());
    checkWindow(*window_, menus);
    window_->openBatch();
    checkWindow(*find<BatchDialog>(), {});
    window_->saveDialog();
    checkWindow(*find<SaveDialog>(), {});
    QVERIFY2(clashes.isEmpty(), qPrintable(clashes.join(QLatin1Char('\n'))));
}

void WindowMannersTest::noShortcutIsGivenTwice() {
    std::map<QString, QString> taken;
    for (const QAction *action : window_->findChildren<QAction *>())
        for (const QKeySequence &keys : action->shortcuts()) {
            const auto [found, fresh] = taken.emplace(keys.toString(), action->text());
            QVERIFY2(fresh || found->second == action->text(),
                     qPrintable(keys.toString() + QStringLiteral(": ") + found->second + action->text()));
        }
}

// Presses Tab until the focus comes back to where it began.
QList<QWidget *> WindowMannersTest::tabRound() {
    QApplication::setActiveWindow(window_.get());
    QWidget *first = window_->findChild<QLineEdit *>(QStringLiteral("filters.search"));
    first->setFocus();
    QList<QWidget *> visited;
    for (QWidget *now = first; now && !visited.contains(now) && visited.size() < 500; now = window_->focusWidget()) {
        visited << now;
        QTest::keyClick(now, Qt::Key_Tab);
    }
    return visited;
}

void WindowMannersTest::tabReachesEverything() {
    showEverything();
    const QList<QWidget *> visited = tabRound();
    QStringList missed;
    for (QWidget *widget : window_->findChildren<QWidget *>()) {
        if (widget->window() != window_.get() || !widget->isVisible() || !widget->isEnabled() ||
            !(widget->focusPolicy() & Qt::TabFocus) || isPartOfAControl(widget) || widget->focusProxy())
            continue;
        if (!visited.contains(widget))
            missed << describe(widget);
    }
    QVERIFY2(missed.isEmpty(), qPrintable(missed.join(QLatin1Char('\n'))));
    QVERIFY(visited.size() > 20);
}

// Left column, picture, race, right column; each from the top down, and along a row from left to right.
void WindowMannersTest::tabFollowsTheEye() {
    showEverything();
    const auto columnOf = [this](const QWidget *widget) {
        const auto *race = find<RacePanel>();
        if (widget == race || race->isAncestorOf(widget))
            return 2;
        if (find<QToolBar>(QStringLiteral("tools"))->isAncestorOf(widget))
            return 4;
        const int x = widget->mapTo(window_.get(), QPoint(widget->width() / 2, 0)).x();
        const QWidget &canvas = window_->canvas();
        const int left = canvas.mapTo(window_.get(), QPoint()).x();
        return x < left ? 0 : x < left + canvas.width() ? 1 : 3;
    };
    const QList<QWidget *> visited = tabRound();
    for (auto *column : window_->findChildren<CardColumn *>()) // the focus has scrolled them
        column->verticalScrollBar()->setValue(0);
    QWidget *before = nullptr;
    for (QWidget *now : visited) {
        if (before) {
            const int column = columnOf(now), columnBefore = columnOf(before);
            const QString what = describe(before) + QStringLiteral("\nthen ") + describe(now);
            QVERIFY2(column >= columnBefore, qPrintable(what));
            if (column == columnBefore) {
                const QPoint a = before->mapTo(window_.get(), before->rect().topLeft());
                const QPoint b = now->mapTo(window_.get(), now->rect().topLeft());
                const int overlap = std::min(a.y() + before->height(), b.y() + now->height()) - std::max(a.y(), b.y());
                const bool sameRow = 2 * overlap > std::min(before->height(), now->height());
                QVERIFY2(sameRow ? a.x() < b.x() : a.y() < b.y(), qPrintable(what));
            }
        }
        before = now;
    }
}

void WindowMannersTest::panelsAreReachedWithOneKey() {
    showEverything();
    QApplication::setActiveWindow(window_.get());
    find<QLineEdit>(QStringLiteral("filters.search"))->setFocus();
    QList<QWidget *> visited{window_->focusWidget()};
    for (int i = 0; i < 20; ++i) {
        QTest::keyClick(window_.get(), Qt::Key_F6);
        if (visited.contains(window_->focusWidget()))
            break;
        visited << window_->focusWidget();
    }
    QVERIFY(visited.size() >= 6);
    QVERIFY(std::any_of(visited.begin(), visited.end(), [&](QWidget *w) { return window_->canvas().isAncestorOf(w); }));
    QVERIFY(
        std::any_of(visited.begin(), visited.end(), [&](QWidget *w) { return find<RacePanel>()->isAncestorOf(w); }));
    QWidget *here = window_->focusWidget();
    QTest::keyClick(window_.get(), Qt::Key_F6);
    QTest::keyClick(window_.get(), Qt::Key_F6, Qt::ShiftModifier);
    QCOMPARE(window_->focusWidget(), here);
}

void WindowMannersTest::marksMnemonics() {
    Mnemonics marks;
    QCOMPARE(marks.mark(QStringLiteral("Box")), QStringLiteral("&Box"));
    QCOMPARE(marks.mark(QStringLiteral("Bob")), QStringLiteral("B&ob"));
    QCOMPARE(marks.mark(QStringLiteral("Bob && Ob")), QStringLiteral("Bob && Ob"));
    QCOMPARE(marks.markOrAdd(QStringLiteral("Bob && Ob")), QStringLiteral("Bob && Ob (&1)"));
    QCOMPARE(withoutMnemonic(QStringLiteral("Save && &close…")), QStringLiteral("Save & close"));
}

void WindowMannersTest::fitsASmallScreen() {
    showEverything();
    window_->resize(1024, 700);
    QTest::qWait(50);
    QCOMPARE(window_->size(), QSize(1024, 700)); // no panel asks for more
    for (const QComboBox *box : {find<QComboBox>(QStringLiteral("variant")), find<QComboBox>(QStringLiteral("device"))})
        QVERIFY(box->isVisible() && window_->rect().contains(box->mapTo(window_.get(), box->rect().bottomRight())));
    for (const CanvasPane *pane : window_->canvas().panes())
        QVERIFY(!pane->isVisible() || (pane->width() > 150 && pane->height() > 150));
    window_->resize(3840, 2160);
    QTest::qWait(50);
    QVERIFY(window_->canvas().width() > 2600); // what a large screen gives goes to the picture
}

void WindowMannersTest::fittedWindows() {
    const QRect room(0, 20, 1024, 680);
    const QMargins frame(2, 24, 2, 2);
    QCOMPARE(fittedTo(room, QRect(100, 100, 300, 200), frame), QRect(100, 100, 300, 200)); // as it was
    QCOMPARE(fittedTo(room, QRect(0, 0, 1120, 800), frame), QRect(2, 44, 1020, 654));
    QCOMPARE(fittedTo(room, QRect(900, 600, 300, 200), frame), QRect(722, 498, 300, 200));
    QCOMPARE(fittedTo(room, QRect(-900, -60, 300, 200), frame), QRect(2, 44, 300, 200));
    QCOMPARE(fittedTo(room, QRect(50, 50, 1500, 200), frame, QSize(1100, 100)), QRect(2, 50, 1100, 200));
    open();
    find<KernelPanel>()->enlarge();
    const QWidget *editor = find<KernelPanel>()->ownWindow();
    QVERIFY(editor->screen()->availableSize().width() < 1120);
    QVERIFY(editor->screen()->availableGeometry().contains(editor->geometry()));
}

void WindowMannersTest::tabsKeepTheirNames() {
    window_->resize(1024, 700);
    for (int i = 1; i <= 6; ++i)
        window_->session().openPicture(testScene(40, 30, {Depth::U8, 3}),
                                       QStringLiteral("A picture of a lake, number %1").arg(i));
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 6; }));
    QVERIFY(waitUntilIdle(*window_));
    QTest::qWait(50);
    auto *tabs = find<PictureTabs>();
    QCOMPARE(tabs->count(), 6);
    for (int i = 0; i < 6; ++i) {
        QVERIFY2(tabs->tabRect(i).width() >= PictureTabs::leastWidth, qPrintable(QString::number(i)));
        tabs->setCurrentIndex(i);
        QTest::qWait(10);
        const QRect chosen = tabs->tabRect(i) & tabs->rect();
        QVERIFY2(chosen.width() >= PictureTabs::leastWidth / 2, qPrintable(QString::number(i))); // scrolled to
    }
    QCOMPARE(tabs->elideMode(), Qt::ElideRight);
    const auto buttons = tabs->findChildren<QToolButton *>();
    QVERIFY(std::any_of(buttons.begin(), buttons.end(), [](const QToolButton *b) { return b->isVisible(); }));
}

QStringList warnings;

// What Qt writes to the terminal is read by nobody but those who begin the program there.
void WindowMannersTest::nothingIsWarnedOf() {
    window_.reset();
    warnings.clear();
    const QtMessageHandler before =
        qInstallMessageHandler([](QtMsgType type, const QMessageLogContext &, const QString &text) {
            if (type != QtDebugMsg && type != QtInfoMsg && !text.contains(QStringLiteral("does not support")))
                warnings << text;
        });
    makeWindow();
    showEverything();
    for (const FilterDescription &filter : allFilters()) {
        window_->session().edit([&](Document &d) { d.setFilter({filter.name, {}, {}}); });
        QTest::qWait(1);
    }
    find<RacePanel>()->setView(RaceView::Roofline);
    for (QComboBox *box : find<RacePanel>()->findChildren<QComboBox *>())
        if (box->isVisible()) {
            box->showPopup();
            box->hidePopup();
        }
    window_->openPalette();
    window_->openShortcuts();
    window_->openBatch();
    window_->saveDialog();
    find<KernelPanel>()->enlarge();
    QTest::qWait(20);
    window_.reset();
    qInstallMessageHandler(before);
    QVERIFY2(warnings.isEmpty(), qPrintable(warnings.join(QLatin1Char('\n'))));
}

} // namespace

QTEST_MAIN(WindowMannersTest)
#include "window_manners_test.moc"
