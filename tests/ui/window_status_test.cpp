// What the status bar and the message bar say, and for how long it holds.
#include "app/core/error.h"
#include "tests/ui/window_test_support.h"
#include "ui/kernel_editor/kernel_grid.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/kernel_editor/kernel_window.h"
#include "ui/panels/message_bar.h"

#include <QAbstractSpinBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QStatusBar>
#include <QTabBar>
#include <QTest>
#include <QToolTip>

#include <atomic>
#include <functional>
#include <thread>

using namespace tessera;

namespace {

class WindowStatusTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aNoticeStandsBesideTheRest();
    void thePixelIsOfThePictureShown();
    void theDeviceIsOfThePictureShown();
    void anErrorGoesWithTheEngineThatCausedIt();
    void anErrorGoesOnceTheNextRunComputes();
    void anErrorGoesWithTheFilter();
    void anErrorGoesWithItsPicture();
    void aNoticeGoesWithItsPicture();
    void whatWasTypedWrongGoesWithTheNextChange();
    void whatTheKernelWindowSaysGoesWithItsPicture();
    void aFolderIsNotSaidToBeDropped();
    void oneIsNotMany();

private:
    MessageBar &bar() { return *find<MessageBar>(); }
    QLabel *label(const QString &name) {
        for (QLabel *each : window_->statusBar()->findChildren<QLabel *>())
            if (each->accessibleName() == name)
                return each;
        return nullptr;
    }
    void choose(const QString &box, const QString &entry);
    QStringList overlaps() const;
};

// As the user does it: the entry, and the signal that only users cause.
void WindowStatusTest::choose(const QString &box, const QString &entry) {
    auto *combo = find<QComboBox>(box);
    QVERIFY(QTest::qWaitFor([&] { return combo->findData(entry) >= 0; }, 20000));
    combo->setCurrentIndex(combo->findData(entry));
    emit combo->activated(combo->currentIndex());
}

// Pairs of what stands in the status bar over one another.
QStringList WindowStatusTest::overlaps() const {
    QList<QWidget *> shown;
    for (QWidget *each : window_->statusBar()->findChildren<QWidget *>(Qt::FindDirectChildrenOnly))
        if (each->isVisible())
            shown << each;
    QStringList pairs;
    for (const QWidget *a : shown)
        for (const QWidget *b : shown)
            if (a < b && a->geometry().intersects(b->geometry()))
                pairs << a->accessibleName() + QStringLiteral(" over ") + b->accessibleName();
    return pairs;
}

void WindowStatusTest::aNoticeStandsBesideTheRest() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"), 90, 60);
    QApplication::setActiveWindow(window_.get());
    find<QTabBar>()->setCurrentIndex(0);
    window_->copyResult();
    QVERIFY(QTest::qWaitFor([&] { return !window_->statusBar()->currentMessage().isEmpty(); }, 20000));
    auto *notice = find<QLabel>(QStringLiteral("status.notice"));
    QCOMPARE(notice->text(), QStringLiteral("Copied to the clipboard"));
    window_->canvas().view().setZoom(2); // what is shown beside it is shown anew
    window_->canvas().view().setHover(QPoint(20, 10));
    emit window_->session().documentsChanged();
    QTest::qWait(50);
    QCOMPARE(window_->statusBar()->currentMessage(), QStringLiteral("Copied to the clipboard"));
    QVERIFY(notice->isVisible() && notice->width() > notice->fontMetrics().horizontalAdvance(notice->text()));
    for (const char *name : {"File", "Size and depth", "Zoom", "Pixel under the cursor"})
        QVERIFY2(label(QString::fromLatin1(name))->isVisible(), name);
    QCOMPARE(label(QStringLiteral("File"))->text(), QStringLiteral("one.png"));
    QVERIFY2(overlaps().isEmpty(), qPrintable(overlaps().join(QStringLiteral(", "))));
    // The bar itself writes nothing: without its label it looks as it does without a message.
    notice->hide();
    const QImage with = window_->statusBar()->grab().toImage();
    window_->statusBar()->clearMessage();
    QCOMPARE(window_->statusBar()->grab().toImage(), with);
    QVERIFY(notice->text().isEmpty());
}

void WindowStatusTest::thePixelIsOfThePictureShown() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"), 40, 30);
    open(QStringLiteral("three.png"), 40, 30); // also where the size is the same
    QLabel *pixel = label(QStringLiteral("Pixel under the cursor"));
    for (const auto &[from, to, place] : {std::tuple{0, 1, QPoint(150, 110)}, {1, 2, QPoint(30, 20)}}) {
        find<QTabBar>()->setCurrentIndex(from);
        QVERIFY(waitUntilIdle(*window_));
        window_->canvas().view().setHover(place);
        QCOMPARE(pixel->text(), QStringLiteral("x %1  y %2").arg(place.x()).arg(place.y()));
        find<QTabBar>()->setCurrentIndex(to);
        QVERIFY2(pixel->text().isEmpty(), qPrintable(pixel->text()));
        QVERIFY(!window_->canvas().view().hover());
    }
    // Where the cursor is over the canvas it is told what lies there now.
    find<QTabBar>()->setCurrentIndex(0);
    CanvasPane *pane = window_->canvas().panes().front();
    QCursor::setPos(pane->mapToGlobal(pane->rect().center()));
    QTest::mouseMove(pane, pane->rect().center() + QPoint(3, 3));
    if (!QTest::qWaitFor([&] { return pane->underMouse() && !pixel->text().isEmpty(); }, 1000))
        QSKIP("no mouse on this platform");
    find<QTabBar>()->setCurrentIndex(1);
    const auto there = window_->canvas().view().hover();
    QVERIFY(there && QRect(0, 0, 40, 30).contains(*there));
    QCOMPARE(pixel->text(), QStringLiteral("x %1  y %2").arg(there->x()).arg(there->y()));
}

void WindowStatusTest::theDeviceIsOfThePictureShown() {
    const QLabel *device = label(QStringLiteral("Device"));
    open(QStringLiteral("one.png"));
    const QString usual = device->text();
    open(QStringLiteral("two.png"));
    choose(QStringLiteral("device"), QStringLiteral("sim"));
    clickFilter(QStringLiteral("Sharpen"));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!device->text().isEmpty() && device->text() != usual);
    find<QTabBar>()->setCurrentIndex(0); // nothing is filtered there
    QCOMPARE(device->text(), usual);
}

void WindowStatusTest::anErrorGoesWithTheEngineThatCausedIt() {
    open();
    clickFilter(QStringLiteral("Gaussian blur"));
    std::atomic<bool> gate = false;
    window_->session().setEngineChooser([&](const std::string &variant, const std::string &device) {
        while (device == "auto" && !gate)
            std::this_thread::yield();
        return chooseEngine(device == "auto" ? "auto" : variant, device);
    });
    window_->session().findEngines();
    choose(QStringLiteral("device"), QStringLiteral("cpu"));
    QVERIFY(waitUntilIdle(*window_));
    choose(QStringLiteral("variant"), QStringLiteral("naive"));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
    QCOMPARE(bar().message().kind, Message::Kind::Error);
    choose(QStringLiteral("device"), QStringLiteral("auto"));
    const bool computing = window_->session().filtering(), said = bar().isShowing();
    gate = true;
    QVERIFY(computing);
    QVERIFY(!said);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!bar().isShowing());
}

void WindowStatusTest::anErrorGoesOnceTheNextRunComputes() {
    open();
    std::atomic<bool> gate = false, fails = true;
    window_->session().setEngineChooser([&](const std::string &variant, const std::string &device) {
        if (fails)
            throw Error(ErrorKind::Usage, "it cannot", "do something else");
        while (!gate)
            std::this_thread::yield();
        return chooseEngine(variant, device);
    });
    clickFilter(QStringLiteral("Gaussian blur"));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
    fails = false;
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("box")); });
    const bool gone = QTest::qWaitFor([&] { return !bar().isShowing(); }, 5000);
    const bool computing = window_->session().filtering();
    gate = true;
    QVERIFY(gone && computing);
    QVERIFY(waitUntilIdle(*window_));
}

void WindowStatusTest::anErrorGoesWithTheFilter() {
    open();
    window_->session().setEngineChooser([](const std::string &, const std::string &) -> EngineChoice {
        throw Error(ErrorKind::Usage, "it cannot", "do something else");
    });
    clickFilter(QStringLiteral("Gaussian blur"));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
    window_->session().undo();
    QVERIFY(!bar().isShowing());
}

void WindowStatusTest::anErrorGoesWithItsPicture() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"));
    window_->session().setEngineChooser([](const std::string &, const std::string &) -> EngineChoice {
        throw Error(ErrorKind::Usage, "it cannot", "do something else");
    });
    clickFilter(QStringLiteral("Gaussian blur"));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
    find<QTabBar>()->setCurrentIndex(0);
    QVERIFY2(!bar().isShowing(), qPrintable(bar().accessibleDescription()));
    find<QTabBar>()->setCurrentIndex(1); // it comes back with its picture
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
    QCOMPARE(bar().message().kind, Message::Kind::Error);
}

// Each of them: what is on the clipboard, where the largest change is, that a kernel was copied.
void WindowStatusTest::aNoticeGoesWithItsPicture() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"));
    clickFilter(QStringLiteral("Sharpen"));
    QApplication::setActiveWindow(window_.get());
    const std::function<void()> causes[] = {
        [&] { window_->copyResult(); },
        [&] { window_->session().findLargestChange(); },
        [&] { emit find<KernelPanel>()->copied(QStringLiteral("The kernel is on the clipboard")); },
        [&] { emit find<KernelPanel>()->problem(QStringLiteral("that is no kernel"), {}); },
    };
    for (const auto &cause : causes) {
        for (const bool byUndo : {false, true}) {
            find<QTabBar>()->setCurrentIndex(1);
            clickFilter(QStringLiteral("Emboss"));
            clickFilter(QStringLiteral("Sharpen"));
            bar().clear();
            cause();
            QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
            if (byUndo)
                window_->session().undo();
            else
                find<QTabBar>()->setCurrentIndex(0);
            QVERIFY2(!bar().isShowing(), qPrintable(bar().accessibleDescription()));
            QVERIFY2(window_->statusBar()->currentMessage().isEmpty(),
                     qPrintable(window_->statusBar()->currentMessage()));
            QVERIFY(waitUntilIdle(*window_));
        }
    }
}

void WindowStatusTest::whatWasTypedWrongGoesWithTheNextChange() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"));
    clickFilter(QStringLiteral("Gaussian blur"));
    QApplication::setActiveWindow(window_.get());
    for (const bool byUndo : {true, false}) {
        find<QTabBar>()->setCurrentIndex(1);
        for (const char *typed : {"3", "abc"}) {
            sigma()->setFocus();
            sigma()->selectAll();
            QTest::keyClicks(sigma(), QString::fromLatin1(typed));
            QTest::keyClick(sigma(), Qt::Key_Return);
        }
        const QString said = QStringLiteral("“abc” is no number");
        QVERIFY2(window_->statusBar()->currentMessage().startsWith(said),
                 qPrintable(window_->statusBar()->currentMessage()));
        QVERIFY(QTest::qWaitFor([&] { return QToolTip::text().startsWith(said); }));
        if (byUndo)
            QTest::keyClick(sigma(), Qt::Key_Z, Qt::ControlModifier);
        else
            find<QTabBar>()->setCurrentIndex(0);
        QVERIFY2(window_->statusBar()->currentMessage().isEmpty(), qPrintable(window_->statusBar()->currentMessage()));
        QTRY_VERIFY(!QToolTip::isVisible() || !QToolTip::text().startsWith(said));
        QVERIFY(waitUntilIdle(*window_));
    }
}

void WindowStatusTest::whatTheKernelWindowSaysGoesWithItsPicture() {
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"));
    for (const int tab : {0, 1}) {
        find<QTabBar>()->setCurrentIndex(tab);
        clickFilter(QStringLiteral("Sharpen"));
    }
    find<KernelPanel>()->enlarge();
    KernelWindow *editor = find<KernelPanel>()->ownWindow();
    QAbstractItemModel *model = editor->panel()->grid()->model();
    auto *said = editor->findChild<MessageBar *>();
    QVERIFY(!model->setData(model->index(0, 0), QStringLiteral("one"), Qt::EditRole));
    QVERIFY(said->isShowing());
    find<QTabBar>()->setCurrentIndex(0);
    QVERIFY(!said->isShowing());
}

void WindowStatusTest::aFolderIsNotSaidToBeDropped() {
    window_->open({folder_.path(QString())}); // as the command line gives it
    QVERIFY(bar().isShowing());
    QVERIFY2(!bar().accessibleDescription().contains(QStringLiteral("dropped")),
             qPrintable(bar().accessibleDescription()));
    QVERIFY(bar().accessibleDescription().contains(QStringLiteral("batch")));
}

void WindowStatusTest::oneIsNotMany() {
    open(QStringLiteral("one.png"));
    window_->session().edit([](Document &document) {
        FilterInstance filter = parseFilter("custom");
        filter.kernel = ConvolutionKernel::centred(1, 1, {2});
        document.setFilter(filter);
    });
    QVERIFY(waitUntilIdle(*window_));
    QStringList texts;
    for (const QLabel *each : find<KernelPanel>()->findChildren<QLabel *>())
        texts << each->text();
    QVERIFY2(!texts.filter(QStringLiteral("1 taps")).size(), qPrintable(texts.join(QLatin1Char('|'))));
    QVERIFY(texts.filter(QStringLiteral("One tap")).size());
    // Of two pictures that are not saved it is said what becomes of them both.
    open(QStringLiteral("two.png"));
    clickFilter(QStringLiteral("Sharpen"));
    window_->setAsksBeforeClosing(true);
    answerNext(QStringLiteral("Keep"));
    window_->close();
    QCOMPARE(asked_, QStringLiteral("one.png and two.png are not saved.\nWhat was done is lost when they are closed."));
    window_->setAsksBeforeClosing(false);
}

} // namespace

QTEST_MAIN(WindowStatusTest)
#include "window_status_test.moc"
