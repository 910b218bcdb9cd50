// Text that is being typed into number fields: what of it is the number, what is shown to be none, and what a dialog's
// button makes of it.
#include "tests/ui/window_test_support.h"
#include "ui/kernel_editor/kernel_grid.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/kernel_editor/kernel_window.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/message_bar.h"
#include "ui/panels/number_field.h"
#include "ui/window/save_dialog.h"
#include "ui/window/theme.h"

#include <QAbstractItemModel>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>
#include <QTest>
#include <QToolTip>

#include <utility>

using namespace tessera;

namespace {

class WindowTypingTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { window_.reset(); }

    void undoLeavesTheNumberChosen();
    void theUnitIsNeverHalfChosen();
    void theUnitIsNotDeleted();
    void whatIsNoNumberIsRed();
    void linesThatTakeNumbersAreRed();
    void aDivisorMayBeAFraction();
    void aDivisorThatIsNoneSaysWhy_data();
    void aDivisorThatIsNoneSaysWhy();
    void theKernelWindowSaysWhyToo();
    void aQualityOutOfRangeIsNotSaved_data();
    void aQualityOutOfRangeIsNotSaved();
    void aQualityOutOfRangeStartsNoBatch();
    void lettersWithAltAreNotTyped();

private:
    static bool isRed(QWidget *field) {
        auto *edit = qobject_cast<QLineEdit *>(field);
        return (edit ? edit : line(field))->palette().color(QPalette::Text) == theme().error;
    }
};

void WindowTypingTest::init() {
    makeWindow();
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    QApplication::setActiveWindow(window_.get());
}

// From a long number to a short one and back: all of it is chosen, and never a part of the unit.
void WindowTypingTest::undoLeavesTheNumberChosen() {
    for (const char *text : {"5", "12.5", "7", "15.4"})
        type(sigma(), QString::fromLatin1(text));
    QCOMPARE(line(sigma())->selectedText(), QStringLiteral("15.4"));
    for (const char *text : {"7.0", "12.5", "5.0"}) {
        QTest::keyClick(sigma(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(line(sigma())->text(), QString::fromLatin1(text) + QStringLiteral(" px"));
        sigma()->repaint(); // what is seen
        QCOMPARE(line(sigma())->selectedText(), QString::fromLatin1(text));
    }
    // And where nothing was painted meanwhile.
    QTest::keyClick(sigma(), Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(sigma(), Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(sigma(), Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(sigma(), Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClick(sigma(), Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClicks(sigma(), QStringLiteral("15.4"));
    QCOMPARE(line(sigma())->text(), QStringLiteral("15.4 px"));
    QTest::keyClick(sigma(), Qt::Key_Return);
    QCOMPARE(document().step()->filter.values.at("sigma"), 15.4);
    QVERIFY(waitUntilIdle(*window_));
}

void WindowTypingTest::theUnitIsNeverHalfChosen() {
    type(sigma(), QStringLiteral("5.5"));
    for (int start = 0; start <= 6; ++start)
        for (int length = 1; start + length <= 6; ++length) {
            line(sigma())->setSelection(start, length);
            QVERIFY(!line(sigma())->selectedText().contains(QLatin1Char('p')));
            QVERIFY(line(sigma())->cursorPosition() <= 3);
        }
    line(sigma())->setSelection(0, 6);
    QTest::keyClicks(sigma(), QStringLiteral("9"));
    QCOMPARE(line(sigma())->text(), QStringLiteral("9 px"));
    QTest::keyClick(sigma(), Qt::Key_End, Qt::ShiftModifier);
    QTest::keyClick(sigma(), Qt::Key_End, Qt::ShiftModifier);
    QTest::keyClicks(sigma(), QStringLiteral("5"));
    QCOMPARE(line(sigma())->text(), QStringLiteral("95 px"));
}

void WindowTypingTest::theUnitIsNotDeleted() {
    type(sigma(), QStringLiteral("5.5"), false);
    for (int i = 0; i < 3; ++i)
        QTest::keyClick(sigma(), Qt::Key_Delete);
    QCOMPARE(line(sigma())->text(), QStringLiteral("5.5 px"));
    line(sigma())->setCursorPosition(1);
    QTest::keyClick(sigma(), Qt::Key_Delete, Qt::ControlModifier);
    QCOMPARE(line(sigma())->text(), QStringLiteral("5 px"));
    QTest::keyClick(sigma(), Qt::Key_Backspace);
    QTest::keyClick(sigma(), Qt::Key_Delete);
    QTest::keyClicks(sigma(), QStringLiteral("7"));
    QCOMPARE(line(sigma())->text(), QStringLiteral("7 px"));
}

// However it came there: also where the unit was typed over, which Qt puts back.
void WindowTypingTest::whatIsNoNumberIsRed() {
    for (const char *text : {"abc", "15.4x", "1.234,5", "--", "5 5"}) {
        type(sigma(), QStringLiteral("5"));
        QVERIFY(!isRed(sigma()));
        type(sigma(), QString::fromLatin1(text), false);
        QVERIFY2(isRed(sigma()), text);
        type(sigma(), QStringLiteral("6"));
        line(sigma())->setText(QString::fromLatin1(text)); // as dropped text takes the place of all
        QVERIFY2(isRed(sigma()), text);
        QTest::keyClick(sigma(), Qt::Key_Return);
        QVERIFY2(window_->statusBar()->currentMessage().contains(QStringLiteral("is no number")), text);
        QVERIFY(!isRed(sigma()));
        window_->statusBar()->clearMessage();
    }
    QVERIFY(waitUntilIdle(*window_));
}

void WindowTypingTest::linesThatTakeNumbersAreRed() {
    clickFilter(QStringLiteral("Sharpen"));
    auto *divisor = find<QLineEdit>(QStringLiteral("kernel.divisor"));
    auto *scale = find<QLineEdit>(QStringLiteral("kernel.scale"));
    for (const char *text : {"abc", "0", "1.234,5", "1e400"}) {
        type(divisor, QString::fromLatin1(text), false);
        QVERIFY2(isRed(divisor), text);
    }
    for (const char *text : {"auto", "Auto", "2,5", "-3", "1/9", "-1,5/3"}) {
        type(divisor, QString::fromLatin1(text), false);
        QVERIFY2(!isRed(divisor), text);
    }
    for (const char *text : {"abc", "1/0", "1.234,5"}) {
        type(scale, QString::fromLatin1(text), false);
        QVERIFY2(isRed(scale), text);
    }
    for (const char *text : {"1/9", "2,5", "0"}) {
        type(scale, QString::fromLatin1(text), false);
        QVERIFY2(!isRed(scale), text);
    }
    KernelGrid *grid = find<KernelPanel>()->grid();
    grid->setFocus();
    grid->setCurrentIndex(grid->model()->index(0, 0));
    QTest::keyClick(grid, Qt::Key_2);
    auto *cell = grid->findChild<QLineEdit *>();
    QVERIFY(cell && !isRed(cell));
    QTest::keyClicks(cell, QStringLiteral("x"));
    QVERIFY(isRed(cell));
    QTest::keyClick(cell, Qt::Key_Escape);
    QVERIFY(waitUntilIdle(*window_));
}

void WindowTypingTest::aDivisorMayBeAFraction() {
    clickFilter(QStringLiteral("Sharpen"));
    auto *divisor = find<QLineEdit>(QStringLiteral("kernel.divisor"));
    const auto now = [&] { return find<KernelPanel>()->kernel().divisor; };
    type(divisor, QStringLiteral("1/9"));
    QCOMPARE(now(), std::optional(1.0 / 9));
    QCOMPARE(divisor->text(), QStringLiteral("0.111111"));
    const std::size_t states = window_->session().document()->history().position();
    divisor->setFocus(); // and on, with nothing typed: what is shown has fewer digits
    window_->canvas().panes().front()->setFocus();
    QTest::keyClick(divisor, Qt::Key_Return);
    QCOMPARE(now(), std::optional(1.0 / 9));
    QCOMPARE(window_->session().document()->history().position(), states);
    type(divisor, QStringLiteral("1/0"));
    QCOMPARE(now(), std::optional(1.0 / 9));
    type(divisor, QStringLiteral("auto"));
    QVERIFY(!now());
    QVERIFY(waitUntilIdle(*window_));
}

void WindowTypingTest::aDivisorThatIsNoneSaysWhy_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("why");
    QTest::newRow("0") << QStringLiteral("0") << QStringLiteral("nothing is divided by 0");
    QTest::newRow("word") << QStringLiteral("abc") << QStringLiteral("no number");
    QTest::newRow("groups") << QStringLiteral("1.234,5") << QStringLiteral("no number");
    QTest::newRow("too large") << QStringLiteral("1e400") << QStringLiteral("too large");
}

void WindowTypingTest::aDivisorThatIsNoneSaysWhy() {
    QFETCH(QString, typed);
    QFETCH(QString, why);
    clickFilter(QStringLiteral("Sharpen"));
    auto *divisor = find<QLineEdit>(QStringLiteral("kernel.divisor"));
    const QString before = divisor->text();
    for (const bool enter : {true, false}) { // or the field is left
        type(divisor, typed, enter);
        if (!enter)
            window_->canvas().panes().front()->setFocus();
        const QString said = window_->statusBar()->currentMessage();
        QVERIFY2(said.contains(typed) && said.contains(why), qPrintable(said));
        QVERIFY(QTest::qWaitFor([&] { return QToolTip::text() == said; })); // where the eyes are
        QVERIFY(find<MessageBar>()->isShowing());                           // and until it is read
        QCOMPARE(divisor->text(), before);
        QVERIFY(!isRed(divisor));
        find<MessageBar>()->clear();
        untell();
        QVERIFY(window_->statusBar()->currentMessage().isEmpty());
    }
    type(find<QLineEdit>(QStringLiteral("kernel.scale")), QStringLiteral("much"));
    QVERIFY(window_->statusBar()->currentMessage().contains(QStringLiteral("much")));
}

void WindowTypingTest::theKernelWindowSaysWhyToo() {
    clickFilter(QStringLiteral("Sharpen"));
    find<KernelPanel>()->enlarge();
    KernelWindow *editor = find<KernelPanel>()->ownWindow();
    QApplication::setActiveWindow(editor);
    QVERIFY(QTest::qWaitForWindowActive(editor));
    QTest::qWait(100); // a window that becomes active hides tool tips
    auto *divisor = editor->findChild<QLineEdit *>(QStringLiteral("kernel.divisor"));
    const auto place = [editor, grid = editor->panel()->grid()] {
        return QRect(grid->mapTo(editor, QPoint()), grid->size());
    };
    const QRect before = place();
    type(divisor, QStringLiteral("abc"));
    QVERIFY2(QTest::qWaitFor([&] { return QToolTip::text().contains(QStringLiteral("“abc” cannot be a divisor")); }),
             qPrintable(QToolTip::text()));
    auto *messages = editor->findChild<MessageBar *>();
    QVERIFY(messages->isShowing());
    QTest::qWait(50);
    QCOMPARE(place(), before); // nothing moves under the mouse
    messages->clear();
    QTest::qWait(50);
    QCOMPARE(place(), before);
}

void WindowTypingTest::aQualityOutOfRangeIsNotSaved_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<bool>("byKey"); // else with the mouse
    for (const char *text : {"150", "0", "abc", "9.5", ""})
        for (const bool byKey : {true, false})
            QTest::addRow("'%s' %s", text, byKey ? "key" : "mouse") << QString::fromLatin1(text) << byKey;
}

void WindowTypingTest::aQualityOutOfRangeIsNotSaved() {
    QFETCH(QString, typed);
    QFETCH(bool, byKey);
    window_->saveDialog();
    auto *dialog = find<SaveDialog>();
    dialog->findChild<QLineEdit *>(QStringLiteral("save.path"))->setText(folder_.path(QStringLiteral("q.jpg")));
    QApplication::setActiveWindow(dialog);
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    auto *quality = dialog->findChild<QSpinBox *>(QStringLiteral("save.quality"));
    auto *save = dialog->findChild<QPushButton *>(QStringLiteral("save.accept"));
    auto *note = dialog->findChild<QLabel *>(QStringLiteral("save.note"));
    quality->setValue(60);
    quality->setFocus();
    QTest::keyClick(quality, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(quality, Qt::Key_Delete);
    QTest::keyClicks(quality, typed);
    QVERIFY(typed.isEmpty() || isRed(quality));
    QVERIFY2(note->text().contains(QStringLiteral("1 to 100")), qPrintable(note->text()));
    QCOMPARE(note->palette().color(QPalette::WindowText), theme().error);
    if (byKey)
        QTest::keyClick(quality, Qt::Key_S, Qt::AltModifier);
    else
        QTest::mouseClick(save, Qt::LeftButton);
    QTest::qWait(20);
    QVERIFY(dialog->isVisible());
    QVERIFY(!window_->session().saving() && !QFile::exists(folder_.path(QStringLiteral("q.jpg"))));
    QCOMPARE(line(quality)->text(), typed); // still there, to be mended
    QTest::keyClick(quality, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(quality, QStringLiteral("35"));
    QVERIFY(save->isEnabled());
    QTest::keyClick(quality, Qt::Key_S, Qt::AltModifier);
    QTRY_VERIFY(!find<SaveDialog>());
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QFile::exists(folder_.path(QStringLiteral("q.jpg"))));
    QVERIFY(QFile::remove(folder_.path(QStringLiteral("q.jpg"))));
    QCOMPARE(QSettings().value(QStringLiteral("save/quality")).toInt(), 35);
}

// The button is disabled, and nobody else wants the keys.
void WindowTypingTest::lettersWithAltAreNotTyped() {
    window_->saveDialog();
    auto *dialog = find<SaveDialog>();
    auto *path = dialog->findChild<QLineEdit *>(QStringLiteral("save.path"));
    const QString missing = folder_.path(QStringLiteral("no/such/folder/q.png"));
    path->setText(missing);
    QVERIFY(!dialog->findChild<QPushButton *>(QStringLiteral("save.accept"))->isEnabled());
    path->setFocus();
    QTest::keyClick(path, Qt::Key_S, Qt::AltModifier);
    QCOMPARE(path->text(), missing);
    QTest::keyClick(path, Qt::Key_S);
    QCOMPARE(path->text(), missing + QLatin1Char('s'));
    dialog->reject();
}

void WindowTypingTest::aQualityOutOfRangeStartsNoBatch() {
    window_->openBatch();
    auto *dialog = find<BatchDialog>();
    dialog->setInputs({writeScene(folder_, QStringLiteral("in.png"), 20, 10, {Depth::U8, 3})});
    dialog->findChild<QLineEdit *>(QStringLiteral("batch.folder"))->setText(folder_.path(QStringLiteral("out")));
    QApplication::setActiveWindow(dialog);
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    auto *quality = dialog->findChild<QSpinBox *>(QStringLiteral("batch.quality"));
    auto *start = dialog->findChild<QPushButton *>(QStringLiteral("batch.start"));
    auto *state = dialog->findChild<QLabel *>(QStringLiteral("batch.state"));
    type(quality, QStringLiteral("150"), false);
    QVERIFY(isRed(quality) && !start->isEnabled());
    QVERIFY2(state->text().contains(QStringLiteral("1 to 100")), qPrintable(state->text()));
    QTest::keyClick(quality, Qt::Key_S, Qt::AltModifier);
    QVERIFY(!dialog->runner().running());
    // Where the format has no use for it, it does not stand in the way either.
    QComboBox *format = nullptr;
    for (auto *box : dialog->findChildren<QComboBox *>())
        if (box->findData(QStringLiteral("hdr")) >= 0)
            format = box;
    QVERIFY(format);
    for (const auto &[name, used] :
         {std::pair{"hdr", false}, {"png", false}, {"jpg", true}, {"webp", true}, {"", true}}) {
        format->setCurrentIndex(format->findData(QString::fromLatin1(name)));
        QVERIFY2(quality->isEnabled() == used, name);
    }
    type(quality, QStringLiteral("40"), false);
    QVERIFY(start->isEnabled() && state->text().isEmpty());
    QTest::keyClick(quality, Qt::Key_S, Qt::AltModifier);
    QVERIFY(QTest::qWaitFor([&] { return state->text().contains(QStringLiteral("1 of 1")); }, 20000));
    QCOMPARE(QSettings().value(QStringLiteral("batch/quality")).toInt(), 40);
    type(quality, QStringLiteral("150"), false); // how it went gives way to what is wrong, and comes back
    QVERIFY(state->text().contains(QStringLiteral("1 to 100")));
    type(quality, QStringLiteral("50"), false); // Enter would start
    QVERIFY(state->text().contains(QStringLiteral("1 of 1")));
    dialog->close();
}

} // namespace

QTEST_MAIN(WindowTypingTest)
#include "window_typing_test.moc"
