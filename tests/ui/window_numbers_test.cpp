// Numbers that are typed: out of range, with either separator, and whose Ctrl+Z it is afterwards.
#include "tests/ui/window_test_support.h"
#include "ui/kernel_editor/kernel_grid.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/kernel_editor/kernel_window.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/number_field.h"
#include "ui/window/save_dialog.h"

#include <QAction>
#include <QDialog>
#include <QHelpEvent>
#include <QLocale>
#include <QPushButton>
#include <QStatusBar>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

#include <cmath>

using namespace tessera;

namespace {

SaveSubject subject() {
    SaveSubject made;
    made.formatFor = [](OutputDepth) { return PixelFormat{Depth::U8, 3}; };
    return made;
}

class WindowNumbersTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void limitsReadWhatIsTyped();
    void whatIsTypedStaysUntilEnter();
    void noFieldMakesAnotherNumberOfWhatIsTyped();
    void fieldsNameTheirRange();
    void eitherSeparatorIsOne_data();
    void eitherSeparatorIsOne();
    void cellsAndLinesTakeEitherSeparator();
    void aCorrectedQualityKeepsTheDialogOpen();
    void undoIsTheWindowsAfterEnter();
    void undoIsTheWindowsAfterALineOfText();

private:
    double sigmaOfChain() { return document().step()->filter.values.at("sigma"); }
    QString told() { return window_->statusBar()->currentMessage(); }
};

void WindowNumbersTest::init() {
    makeWindow();
    open();
    QApplication::setActiveWindow(window_.get());
}

void WindowNumbersTest::cleanup() {
    QToolTip::hideText();
    window_.reset();
    QLocale::setDefault(QLocale::c());
}

void WindowNumbersTest::limitsReadWhatIsTyped() {
    const NumberLimits limits{0.1, 15.5, 1, QStringLiteral(" px")};
    QCOMPARE(limits.range(), QStringLiteral("0.1 to 15.5 px"));
    for (const char *text : {"2.5", "2,5", " 2.5 px", "2.5px", "2.5 p", "+2,5", "25e-1"})
        QCOMPARE(limits.read(QLatin1String(text)), std::optional(2.5));
    for (const char *text : {"", "px", "two", "1.000,5", "1,000,5", "1 5", "nan", "inf", "1e400", "-"})
        QVERIFY2(!limits.read(QLatin1String(text)), text);
    QCOMPARE(limits.read(QStringLiteral("−3")), std::optional(-3.0));
    QVERIFY(limits.complaint(QStringLiteral("Sigma"), QStringLiteral("15.5")).isEmpty());
    QCOMPARE(limits.complaint(QStringLiteral("Sigma"), QStringLiteral("20")), QStringLiteral("Sigma: 0.1 to 15.5 px"));
    QVERIFY(limits.complaint(QStringLiteral("Sigma"), QStringLiteral("2.25")).contains(QStringLiteral("rounded")));
    QVERIFY(limits.complaint(QStringLiteral("Sigma"), QStringLiteral("x")).contains(QStringLiteral("no number")));
}

void WindowNumbersTest::whatIsTypedStaysUntilEnter() {
    clickFilter(QStringLiteral("Gaussian blur"));
    for (const char *typed : {"20", "50", "100", "15.55"}) {
        type(sigma(), QStringLiteral("3"));
        QCOMPARE(sigmaOfChain(), 3.0);
        const QColor usual = line(sigma())->palette().color(QPalette::Text);
        type(sigma(), QString::fromLatin1(typed), false);
        QCOMPARE(line(sigma())->text(), QString::fromLatin1(typed) + QStringLiteral(" px"));
        QVERIFY(line(sigma())->palette().color(QPalette::Text) != usual); // it will not do
        QCOMPARE(sigmaOfChain(), 3.0);
        QTest::keyClick(sigma(), Qt::Key_Return);
        const double most = find<QDoubleSpinBox>(QStringLiteral("parameter.sigma"))->maximum();
        QCOMPARE(sigmaOfChain(), most);
        QCOMPARE(line(sigma())->palette().color(QPalette::Text), usual);
        QCOMPARE(told(), QStringLiteral("Sigma: 0.1 to %1 px").arg(most));
        window_->statusBar()->clearMessage();
    }
    // The same where the field is left, and what is no number is told and goes.
    type(sigma(), QStringLiteral("3e1"), false);
    window_->canvas().panes().front()->setFocus();
    QVERIFY2(told().startsWith(QLatin1String("Sigma: 0.1")), qPrintable(told()));
    type(sigma(), QStringLiteral("3"));
    type(sigma(), QStringLiteral("4 5"));
    QCOMPARE(sigmaOfChain(), 3.0);
    QVERIFY2(told().contains(QStringLiteral("“4 5” is no number")), qPrintable(told()));
    QVERIFY(waitUntilIdle(*window_));
}

// Every field of the window and its dialogs, so that none is forgotten: whatever is typed becomes that number, the
// nearest end, or nothing.
void WindowNumbersTest::noFieldMakesAnotherNumberOfWhatIsTyped() {
    SaveDialog save(folder_.path(QStringLiteral("a.jpg")), subject(), window_.get());
    save.show();
    clickFilter(QStringLiteral("Sharpen"));
    window_->openBatch();
    QVERIFY(find<BatchDialog>());
    int seen = 0;
    for (const char *filter : {"Gaussian blur", "Box blur", "Motion blur", "Unsharp mask"}) {
        clickFilter(QString::fromLatin1(filter));
        find<KernelPanel>()->enlarge();
        QList<QAbstractSpinBox *> boxes;
        for (QWidget *top : {static_cast<QWidget *>(window_.get()), static_cast<QWidget *>(&save)})
            for (QAbstractSpinBox *box : top->findChildren<QAbstractSpinBox *>())
                if (!boxes.contains(box))
                    boxes << box;
        for (QAbstractSpinBox *box : boxes) {
            const QByteArray name = (box->window()->windowTitle() + QLatin1Char(' ') + box->accessibleName()).toUtf8();
            auto *real = qobject_cast<NumberField *>(box);
            auto *whole = qobject_cast<WholeField *>(box);
            QVERIFY2(real || whole, name);
            const NumberLimits limits = real ? real->limits() : whole->limits();
            const QSignalBlocker blocker(box); // an edit would make the panels anew
            const auto value = [&] { return real ? real->value() : double(whole->value()); };
            for (const double wanted : {limits.maximum * 10 + 10, limits.maximum + 1, limits.minimum - 1,
                                        (limits.minimum + limits.maximum) / 2}) {
                const QString text = QString::number(wanted, 'f', limits.decimals);
                line(box)->selectAll();
                line(box)->insert(text);
                QVERIFY2(line(box)->text().startsWith(text), name);
                QTest::keyClick(box, Qt::Key_Return);
                QVERIFY2(std::abs(value() - limits.nearest(text.toDouble())) < 1e-9, name);
            }
            const double before = value();
            line(box)->selectAll();
            line(box)->insert(QStringLiteral("1.2.3"));
            QTest::keyClick(box, Qt::Key_Return);
            QCOMPARE(value(), before);
            ++seen;
        }
    }
    QVERIFY2(seen > 40, qPrintable(QString::number(seen)));
    find<BatchDialog>()->close();
}

void WindowNumbersTest::fieldsNameTheirRange() {
    clickFilter(QStringLiteral("Gaussian blur"));
    for (QAbstractSpinBox *box : window_->findChildren<QAbstractSpinBox *>()) {
        if (!box->isVisible())
            continue;
        auto *real = qobject_cast<NumberField *>(box);
        QHelpEvent help(QEvent::ToolTip, QPoint(2, 2), box->mapToGlobal(QPoint(2, 2)));
        QApplication::sendEvent(box, &help);
        const QString range = real ? real->limits().range() : static_cast<WholeField *>(box)->limits().range();
        QVERIFY2(QToolTip::text().contains(range), qPrintable(box->accessibleName()));
        QVERIFY2(QToolTip::text().contains(box->toolTip()), qPrintable(box->accessibleName()));
    }
}

void WindowNumbersTest::eitherSeparatorIsOne_data() {
    QTest::addColumn<QLocale>("locale");
    QTest::addRow("C") << QLocale::c();
    QTest::addRow("English") << QLocale(QLocale::English, QLocale::UnitedStates);
    QTest::addRow("German") << QLocale(QLocale::German, QLocale::Germany);
    QTest::addRow("Swiss") << QLocale(QLocale::German, QLocale::Switzerland);
}

void WindowNumbersTest::eitherSeparatorIsOne() {
    QFETCH(QLocale, locale);
    window_.reset();
    QLocale::setDefault(locale);
    makeWindow();
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    for (const char *typed : {"1.5", "1,5", "1,5 px"}) {
        type(sigma(), QStringLiteral("3"));
        type(sigma(), QString::fromLatin1(typed));
        QCOMPARE(sigmaOfChain(), 1.5);
        QCOMPARE(line(sigma())->text(), QStringLiteral("1.5 px")); // as the rest of the window has it
    }
    auto *offset = find<QDoubleSpinBox>(QStringLiteral("option.offset"));
    type(offset, QStringLiteral("1234,25"));
    QCOMPARE(offset->value(), 1234.25);
    type(offset, QStringLiteral("-1.234"));
    QCOMPARE(offset->value(), -1.234);
    type(offset, QStringLiteral("1.234,5")); // groups are none
    QCOMPARE(offset->value(), -1.234);
    QVERIFY(waitUntilIdle(*window_));
}

void WindowNumbersTest::cellsAndLinesTakeEitherSeparator() {
    for (const QLocale &locale : {QLocale::c(), QLocale(QLocale::English), QLocale(QLocale::German)}) {
        QLocale::setDefault(locale);
        clickFilter(QStringLiteral("Sharpen"));
        QAbstractItemModel *model = find<KernelPanel>()->grid()->model();
        for (const char *text : {"1.5", "1,5", "3,0/2"}) {
            QVERIFY(model->setData(model->index(0, 0), QStringLiteral("7"), Qt::EditRole));
            QVERIFY(model->setData(model->index(0, 0), QString::fromLatin1(text), Qt::EditRole));
            QCOMPARE(find<KernelPanel>()->kernel().at(0, 0), 1.5);
        }
        QVERIFY(model->setData(model->index(0, 0), QStringLiteral("1,000"), Qt::EditRole));
        QCOMPARE(find<KernelPanel>()->kernel().at(0, 0), 1.0);
        auto *divisor = find<QLineEdit>(QStringLiteral("kernel.divisor"));
        for (const char *text : {"2.5", "2,5"}) {
            type(divisor, QStringLiteral("7"));
            type(divisor, QString::fromLatin1(text));
            QCOMPARE(find<KernelPanel>()->kernel().divisor, std::optional(2.5));
        }
        type(find<QLineEdit>(QStringLiteral("kernel.scale")), QStringLiteral("0,5"));
        QCOMPARE(find<KernelPanel>()->kernel().at(0, 0), 0.5);
        QVERIFY(waitUntilIdle(*window_));
    }
}

void WindowNumbersTest::aCorrectedQualityKeepsTheDialogOpen() {
    SaveDialog dialog(folder_.path(QStringLiteral("a.jpg")), subject(), window_.get());
    dialog.show();
    QApplication::setActiveWindow(&dialog);
    QVERIFY(QTest::qWaitForWindowActive(&dialog));
    QTest::qWait(100); // a window that becomes active hides tool tips
    auto *quality = dialog.findChild<QSpinBox *>(QStringLiteral("save.quality"));
    quality->setValue(60);
    type(quality, QStringLiteral("150"));
    QVERIFY(dialog.isVisible()); // Enter has not saved yet: it is another number
    QCOMPARE(quality->value(), 100);
    QVERIFY2(QTest::qWaitFor([] { return QToolTip::text() == QLatin1String("Quality: 1 to 100"); }),
             qPrintable(QToolTip::text()));
    type(quality, QStringLiteral("35"), false);
    QCOMPARE(dialog.options().quality, 35); // as typed, also where a key presses the button
    QTest::keyClick(quality, Qt::Key_Return);
    QVERIFY(!dialog.isVisible());
    QCOMPARE(dialog.result(), int(QDialog::Accepted));
}

void WindowNumbersTest::undoIsTheWindowsAfterEnter() {
    clickFilter(QStringLiteral("Gaussian blur"));
    const double first = find<QDoubleSpinBox>(QStringLiteral("parameter.sigma"))->value();
    type(sigma(), QStringLiteral("4"));
    type(sigma(), QStringLiteral("5"));
    QVERIFY(sigma()->hasFocus());
    QTest::keyClick(sigma(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(sigmaOfChain(), 4.0);
    QTest::keyClick(sigma(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(find<QDoubleSpinBox>(QStringLiteral("parameter.sigma"))->value(), first);
    QTest::keyClick(sigma(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(sigmaOfChain(), 4.0);
    // What is still being typed is taken back in the field.
    type(sigma(), QStringLiteral("9"), false);
    QTest::keyClick(sigma(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(sigmaOfChain(), 4.0);
    QVERIFY(line(sigma())->text() != QStringLiteral("9"));
    // Also where the text was the value's own.
    auto *width = find<QSpinBox>(QStringLiteral("kernel.width"));
    clickFilter(QStringLiteral("Sharpen"));
    type(width, QStringLiteral("5"));
    QCOMPARE(find<KernelPanel>()->kernel().width, 5);
    QTest::keyClick(width, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(find<KernelPanel>()->kernel().width, 3);
    QVERIFY(waitUntilIdle(*window_));
}

void WindowNumbersTest::undoIsTheWindowsAfterALineOfText() {
    clickFilter(QStringLiteral("Sharpen"));
    const ConvolutionKernel before = find<KernelPanel>()->kernel();
    for (const char *name : {"kernel.divisor", "kernel.scale"}) {
        auto *field = find<QLineEdit>(QString::fromLatin1(name));
        type(field, QStringLiteral("2"));
        QVERIFY2(!(find<KernelPanel>()->kernel() == before), name);
        QVERIFY(field->hasFocus());
        QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY2(find<KernelPanel>()->kernel() == before, name);
        type(field, QStringLiteral("7"), false);
        QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY2(field->text() != QStringLiteral("7"), name);
        QVERIFY2(find<KernelPanel>()->kernel() == before, name);
    }
    QVERIFY(waitUntilIdle(*window_));
}

} // namespace

QTEST_MAIN(WindowNumbersTest)
#include "window_numbers_test.moc"
