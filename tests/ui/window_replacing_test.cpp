// What a batch may replace, asked before it does; and a batch that ends while something is asked about it.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/panels/batch_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QTimer>

using namespace tessera;

namespace {

class WindowReplacingTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { window_.reset(); }

    void namesWhatWouldBeReplaced();
    void aNameThatHoldsAPlaceStaysAsItIs();
    void cancelReplacesNothing_data();
    void cancelReplacesNothing();
    void onlyWhatABatchHasMade();
    void whatWasMadeAndIsUpToDateIsNotAskedFor();
    void anInputIsNeverReplaced_data();
    void anInputIsNeverReplaced();
    void aFolderOrALinkInTheWay();
    void aFileThatComesMeanwhileStays();
    void theQuestionGoesWithTheBatch();
    void theListStaysWhereTheBatchEndsMeanwhile();

private:
    QString in(const QString &name = {}) { return folder_.path(QStringLiteral("in/") + name); }
    QString out(const QString &name = {}) { return folder_.path(QStringLiteral("out/") + name); }
    void prepare(const QStringList &inputs, const QString &folder) {
        window_->openBatch();
        find<BatchDialog>()->setInputs(inputs);
        find<QLineEdit>("batch.folder")->setText(folder);
        find<QCheckBox>("batch.overwrite")->setChecked(true);
        find<QCheckBox>("batch.skip")->setChecked(false);
    }
    void start() { QTest::mouseClick(find<QPushButton>("batch.start"), Qt::LeftButton); }
    bool ended() {
        return QTest::qWaitFor([&] { return !find<BatchDialog>()->runner().running(); }, 60000);
    }
    QString state() { return find<QLabel>("batch.state")->text(); }
    QMessageBox *question() { return find<QMessageBox>(QStringLiteral("batch.replacing")); }
    bool isAsked() {
        return QTest::qWaitFor([&] { return question() && question()->isVisible(); }, 20000);
    }
    void press(const QString &text) {
        for (QAbstractButton *choice : question()->buttons())
            if (QString(choice->text()).remove(QLatin1Char('&')) == text)
                return choice->click();
        QFAIL("there is no such button");
    }
};

void WindowReplacingTest::init() {
    makeWindow();
    open();
    clickFilter(QStringLiteral("Emboss"));
    for (const QString &folder : {in(), out()}) {
        QDir(folder).removeRecursively();
        QVERIFY(QDir().mkpath(folder));
    }
    for (const char *name : {"a", "b", "c", "d", "e"})
        writeScene(folder_, QStringLiteral("in/%1.png").arg(QLatin1String(name)), 40, 30, {Depth::U8, 3});
}

void WindowReplacingTest::namesWhatWouldBeReplaced() {
    for (const char *name : {"a", "b", "c", "d"})
        put(out(QStringLiteral("%1-emboss.png").arg(QLatin1String(name))), "mine");
    prepare({in()}, out());
    start();
    QVERIFY(isAsked());
    QTest::qWait(100); // and nothing is written before the answer
    QCOMPARE(content(out(QStringLiteral("a-emboss.png"))), QByteArray("mine"));
    QVERIFY(!QFile::exists(out(QStringLiteral("e-emboss.png"))));
    QCOMPARE(question()->text(), QStringLiteral("4 files that exist would be replaced: a-emboss.png, b-emboss.png, "
                                                "c-emboss.png and 1 more."));
    QVERIFY2(question()->informativeText().startsWith(QStringLiteral("No batch has made them")),
             qPrintable(question()->informativeText()));
    QCOMPARE(question()->defaultButton(), question()->button(QMessageBox::Cancel));
    press(QStringLiteral("Replace"));
    QVERIFY(ended());
    QCOMPARE(state(), QStringLiteral("5 of 5 files done"));
    for (const char *name : {"a", "b", "c", "d", "e"})
        QCOMPARE(loadImage(out(QStringLiteral("%1-emboss.png").arg(QLatin1String(name))).toStdString()).width(), 40);
    // As the batch has left them: it is still asked, and said whose they are.
    start();
    QVERIFY(isAsked());
    QVERIFY2(question()->informativeText().startsWith(QStringLiteral("An earlier batch has made them")),
             qPrintable(question()->informativeText()));
    press(QStringLiteral("Cancel"));
    QVERIFY(ended());
}

// "%2" is where a text takes its second word, and no place in a name.
void WindowReplacingTest::aNameThatHoldsAPlaceStaysAsItIs() {
    writeScene(folder_, QStringLiteral("in/50%2.png"), 40, 30, {Depth::U8, 3});
    for (const char *name : {"50%2", "a", "b", "c"})
        put(out(QStringLiteral("%1-emboss.png").arg(QLatin1String(name))), "mine");
    prepare({in()}, out());
    start();
    QVERIFY(isAsked());
    QCOMPARE(question()->text(), QStringLiteral("4 files that exist would be replaced: 50%2-emboss.png, a-emboss.png, "
                                                "b-emboss.png and 1 more."));
    question()->reject();
    QVERIFY(ended());
}

void WindowReplacingTest::cancelReplacesNothing_data() {
    QTest::addColumn<int>("how");
    QTest::newRow("button") << 0;
    QTest::newRow("Escape") << 1;
    QTest::newRow("Enter") << 2; // the default
}

void WindowReplacingTest::cancelReplacesNothing() {
    QFETCH(int, how);
    put(out(QStringLiteral("a-emboss.png")), "mine");
    prepare({in()}, out());
    start();
    QVERIFY(isAsked());
    if (how == 0)
        press(QStringLiteral("Cancel"));
    else
        QTest::keyClick(question(), how == 1 ? Qt::Key_Escape : Qt::Key_Return);
    QVERIFY(ended());
    QCOMPARE(QDir(out()).entryList({QStringLiteral("*.png")}, QDir::Files),
             QStringList{QStringLiteral("a-emboss.png")});
    QCOMPARE(content(out(QStringLiteral("a-emboss.png"))), QByteArray("mine"));
    QVERIFY2(state().startsWith(QStringLiteral("Cancelled")), qPrintable(state()));
    QVERIFY(!find<QCheckBox>("batch.skip")->isChecked()); // nothing is to go on with
    QVERIFY(find<BatchDialog>()->isVisible());
    QTRY_VERIFY(!question());
    QCOMPARE(find<QListWidget>("batch.inputs")->count(), 1);
}

void WindowReplacingTest::onlyWhatABatchHasMade() {
    prepare({in()}, out());
    start();
    QVERIFY(ended());
    put(out(QStringLiteral("b-emboss.png")), "changed since");
    const QString own = out(QStringLiteral("a-emboss.png"));
    const QByteArray made = content(own);
    writeScene(folder_, QStringLiteral("in/a.png"), 44, 30, {Depth::U8, 3}); // another picture by now
    start();
    QVERIFY(isAsked());
    QVERIFY2(question()->informativeText().startsWith(QStringLiteral("1 of them no batch has made")) &&
                 question()->informativeText().contains(QStringLiteral("b-emboss.png")),
             qPrintable(question()->informativeText()));
    press(QStringLiteral("Only what a batch has made"));
    QVERIFY(ended());
    QCOMPARE(content(out(QStringLiteral("b-emboss.png"))), QByteArray("changed since"));
    QVERIFY(content(own) != made);
    QCOMPARE(loadImage(own.toStdString()).width(), 44);
    QCOMPARE(find<QListWidget>("batch.failures")->count(), 1);
    QVERIFY(find<QListWidget>("batch.failures")
                ->item(0)
                ->text()
                .contains(QStringLiteral("b-emboss.png exists, and no "
                                         "batch has made it")));
    start(); // and all of them, once that is said
    QVERIFY(isAsked());
    press(QStringLiteral("Replace all"));
    QVERIFY(ended());
    QCOMPARE(loadImage(out(QStringLiteral("b-emboss.png")).toStdString()).width(), 40);
    QCOMPARE(find<QListWidget>("batch.failures")->count(), 0);
}

void WindowReplacingTest::whatWasMadeAndIsUpToDateIsNotAskedFor() {
    prepare({in()}, out());
    start();
    QVERIFY(ended());
    find<QCheckBox>("batch.skip")->setChecked(true);
    start(); // a question would hold it up
    QVERIFY(ended());
    QCOMPARE(state(), QStringLiteral("5 of 5 files done, 5 of them by an earlier run"));
    QVERIFY(!question());
}

void WindowReplacingTest::anInputIsNeverReplaced_data() {
    QTest::addColumn<int>("how");
    QTest::newRow("itself") << 0;
    QTest::newRow("another input") << 1;
    QTest::newRow("through a link") << 2;
    QTest::newRow("a file of its own name in the same folder") << 3;
}

void WindowReplacingTest::anInputIsNeverReplaced() {
    QFETCH(int, how);
    QString folder = in();
    if (how == 1) {
        writeScene(folder_, QStringLiteral("in/a-emboss.png"), 40, 30, {Depth::U8, 3});
    } else if (how == 2) {
        folder = folder_.path(QStringLiteral("out"));
        QVERIFY(QFile::link(in(QStringLiteral("b.png")), out(QStringLiteral("a-emboss.png"))));
    }
    QHash<QString, QByteArray> before;
    for (const QString &name : QDir(in()).entryList(QDir::Files))
        before[name] = content(in(name));
    prepare({in()}, folder);
    const QString names = find<QLineEdit>("batch.names")->text();
    if (how == 0 || how == 3)
        find<QLineEdit>("batch.names")->setText(QStringLiteral("{stem}.{ext}"));
    if (how == 3)
        find<BatchDialog>()->setInputs({in(QStringLiteral("a.png"))});
    start();
    QVERIFY(ended()); // without a question
    QVERIFY(!question());
    QVERIFY(find<QListWidget>("batch.failures")->count() >= 1);
    QVERIFY2(find<QListWidget>("batch.failures")->item(0)->text().contains(QStringLiteral("itself an input")),
             qPrintable(find<QListWidget>("batch.failures")->item(0)->text()));
    for (auto file = before.cbegin(); file != before.cend(); ++file)
        QVERIFY2(content(in(file.key())) == file.value(), qPrintable(file.key()));
    find<QLineEdit>("batch.names")->setText(names);
    QSettings().remove(QStringLiteral("batch/names"));
}

// Neither is an output to replace; the link is somebody's, and goes itself, not what it leads to.
void WindowReplacingTest::aFolderOrALinkInTheWay() {
    QVERIFY(QDir().mkpath(out(QStringLiteral("a-emboss.png"))));
    put(folder_.path(QStringLiteral("kept.png")), "mine");
    QVERIFY(QFile::link(folder_.path(QStringLiteral("kept.png")), out(QStringLiteral("b-emboss.png"))));
    prepare({in()}, out());
    start();
    QVERIFY(isAsked());
    QVERIFY2(question()->text().startsWith(QStringLiteral("1 file that exists would be replaced: b-emboss.png")),
             qPrintable(question()->text()));
    press(QStringLiteral("Replace"));
    QVERIFY(ended());
    QVERIFY(QFileInfo(out(QStringLiteral("a-emboss.png"))).isDir());
    QCOMPARE(find<QListWidget>("batch.failures")->count(), 1);
    QVERIFY(find<QListWidget>("batch.failures")->item(0)->text().contains(QStringLiteral("is no file")));
    QCOMPARE(content(folder_.path(QStringLiteral("kept.png"))), QByteArray("mine"));
    QVERIFY(!QFileInfo(out(QStringLiteral("b-emboss.png"))).isSymLink());
}

void WindowReplacingTest::aFileThatComesMeanwhileStays() {
    put(out(QStringLiteral("a-emboss.png")), "mine");
    prepare({in()}, out());
    start();
    QVERIFY(isAsked());
    put(out(QStringLiteral("b-emboss.png")), "it came while the question stood");
    press(QStringLiteral("Replace"));
    QVERIFY(ended());
    QCOMPARE(content(out(QStringLiteral("b-emboss.png"))), QByteArray("it came while the question stood"));
    QCOMPARE(find<QListWidget>("batch.failures")->count(), 1);
    QCOMPARE(loadImage(out(QStringLiteral("a-emboss.png")).toStdString()).width(), 40);
}

// Closed with its dialog, or the whole window, it leaves everything as it is.
void WindowReplacingTest::theQuestionGoesWithTheBatch() {
    put(out(QStringLiteral("a-emboss.png")), "mine");
    for (const bool whole : {false, true}) {
        prepare({in()}, out());
        start();
        QVERIFY(isAsked());
        QPointer<QMessageBox> asked = question();
        QPointer<BatchDialog> dialog = find<BatchDialog>();
        if (whole)
            window_->close();
        else
            dialog->close();
        QTRY_VERIFY(asked.isNull() || !asked->isVisible());
        if (whole)
            QVERIFY(!window_->isVisible());
        else
            QTRY_VERIFY(dialog.isNull());
        QCOMPARE(content(out(QStringLiteral("a-emboss.png"))), QByteArray("mine"));
        QVERIFY(!QFile::exists(out(QStringLiteral("b-emboss.png"))));
    }
}

// The question whether to stop it closes itself, and the dialog stays with what it has to tell.
void WindowReplacingTest::theListStaysWhereTheBatchEndsMeanwhile() {
    put(in(QStringLiteral("broken.png")), "no picture");
    prepare({in()}, out());
    auto *dialog = find<BatchDialog>();
    dialog->setAsksBeforeClosing(true);
    start();
    QVERIFY(dialog->runner().running());
    QStringList said;
    QTimer watch;
    connect(&watch, &QTimer::timeout, this, [&] {
        if (auto *asked = qobject_cast<QMessageBox *>(QApplication::activeModalWidget()); asked && asked->isVisible())
            said << asked->text();
    });
    watch.start(0);
    QVERIFY(!dialog->close()); // comes back without an answer
    watch.stop();
    QVERIFY(!dialog->runner().running());
    QVERIFY(dialog->isVisible());
    QVERIFY2(said.value(0).startsWith(QStringLiteral("The batch is still running")), qPrintable(said.value(0)));
    QCOMPARE(find<QListWidget>("batch.failures")->count(), 1);
    QVERIFY2(state().startsWith(QStringLiteral("5 of 6 files done")), qPrintable(state()));
    QVERIFY(dialog->close()); // now there is nothing to ask
}

} // namespace

QTEST_MAIN(WindowReplacingTest)
#include "window_replacing_test.moc"
