// Names of files, whatever they hold: shown on one line and as they are, and opened, kept and found again all the same.
#include "app/image/display_name.h"
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/bridge/file_name.h"
#include "ui/bridge/listing.h"
#include "ui/panels/message_bar.h"
#include "ui/panels/start_page.h"

#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QProcess>
#include <QSettings>
#include <QStatusBar>
#include <QTabBar>
#include <QTest>
#include <QToolButton>
#include <QUrl>

using namespace tessera;

namespace {

class WindowNamesTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void bytesComeBackAsTheyWere_data();
    void bytesComeBackAsTheyWere();
    void aNameIsShownOnOneLine_data();
    void aNameIsShownOnOneLine();
    void noNameIsCapitalised();
    void aNameThatIsNoUtf8IsOpened();
    void aNameThatIsNoUtf8ComesBackWithItsSession();
    void aNameThatIsNoUtf8IsDropped();
    void theCommandLineTakesAnyName();
    void aDialogsNameThatLostItsBytesIsSaid();
    void aFolderCalledAsAPlaceIsKeptIn();
    void severalAreListed();

private:
    MessageBar &bar() { return *find<MessageBar>(); }
    QString shownText() { return bar().findChild<QLabel *>(QStringLiteral("message.text"))->text(); }
    QString writeLatin1(); // "caf\xe9.png", as text
};

QString WindowNamesTest::writeLatin1() {
    const std::filesystem::path path = folder_.path(QStringLiteral("caf")).toStdString() + "\xe9.png";
    saveImage(testScene(40, 30, {Depth::U8, 3}), path, {.format = {}, .overwrite = true});
    return textFrom(path);
}

void WindowNamesTest::bytesComeBackAsTheyWere_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("none") << QByteArray();
    QTest::newRow("plain") << QByteArray("/a/b c.png");
    QTest::newRow("letters") << QByteArray("/\xc3\xa9/\xf0\x9f\x98\x80.png");
    QTest::newRow("Latin-1") << QByteArray("/caf\xe9.png");
    QTest::newRow("cut off") << QByteArray("\xf0\x9f\x98");
    QTest::newRow("behind a pair of surrogates") << QByteArray("\xf0\x9f\x98\x80\xb0\xff");
    QTest::newRow("surrogates as bytes") << QByteArray("\xed\xb3\xa9");
    QTest::newRow("replacement character") << QByteArray("\xef\xbf\xbd\x80");
    QTest::newRow("byte order mark") << QByteArray("\xef\xbb\xbf.png\xff\xef\xbb\xbf");
    QByteArray all;
    for (int byte = 1; byte < 256; ++byte)
        all += char(byte);
    QTest::newRow("every byte") << all;
}

void WindowNamesTest::bytesComeBackAsTheyWere() {
    QFETCH(QByteArray, bytes);
    const QString text = textFrom(bytes.toStdString());
    QCOMPARE(QByteArray::fromStdString(pathFrom(text).native()), bytes);
    QCOMPARE(text.isValidUtf16(), isUtf8(bytes.toStdString()));
    for (const QStringList &names : {QStringList{}, QStringList{text}, QStringList{text, QStringLiteral("b"), text}}) {
        const QString file = folder_.path(QStringLiteral("names.ini"));
        QFile::remove(file);
        {
            QSettings settings(file, QSettings::IniFormat);
            settings.setValue(QStringLiteral("names"), settingFrom(names));
        }
        QCOMPARE(namesFrom(QSettings(file, QSettings::IniFormat).value(QStringLiteral("names"))), names);
    }
    QCOMPARE(namesFrom(QStringList{QStringLiteral("a"), QStringLiteral("b")}).size(), 2); // as older settings have it
}

void WindowNamesTest::aNameIsShownOnOneLine_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("shown");
    QTest::newRow("line break") << QStringLiteral("two\nlines.png") << QStringLiteral("two\\x0alines.png");
    QTest::newRow("line separator") << QStringLiteral("ls\u2028sep.png") << QStringLiteral("ls\\xe2\\x80\\xa8sep.png");
    QTest::newRow("right to left") << QStringLiteral("rtl\u202egpj.png") << QStringLiteral("rtl\\xe2\\x80\\xaegpj.png");
    QTest::newRow("isolate") << QStringLiteral("is\u2067o.png") << QStringLiteral("is\\xe2\\x81\\xa7o.png");
}

// Wherever it stands: tab, status bar, title, start page, menu, messages.
void WindowNamesTest::aNameIsShownOnOneLine() {
    QFETCH(QString, name);
    QFETCH(QString, shown);
    const QString path = writeScene(folder_, name, 40, 30, {Depth::U8, 3});
    QVERIFY(openAndWait(*window_, path));
    QCOMPARE(QString::fromStdString(window_->session().document()->title()), shown);
    QCOMPARE(find<QTabBar>()->tabText(0), shown);
    QVERIFY(window_->windowTitle().contains(shown));
    bool inStatusBar = false, onStartPage = false;
    for (const QLabel *label : window_->statusBar()->findChildren<QLabel *>())
        inStatusBar |= label->text() == shown;
    for (const QToolButton *button : find<StartPage>()->findChildren<QToolButton *>())
        onStartPage |= button->accessibleName().endsWith(shown);
    QVERIFY(inStatusBar && onStartPage);
    for (QMenu *menu : window_->findChildren<QMenu *>()) {
        emit menu->aboutToShow();
        for (const QAction *action : menu->actions())
            QVERIFY2(!action->text().contains(name), qPrintable(action->text()));
    }
    QCOMPARE(window_->session().document()->path(), std::filesystem::path(path.toStdString()));
    const QString out = QStringLiteral("out") + name;
    window_->session().save(folder_.path(out), {}, OutputDepth::Keep);
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }));
    QVERIFY2(shownText().contains(shown), qPrintable(shownText()));
    window_->session().save(folder_.path(out), {.format = "none"}, OutputDepth::Keep); // fails
    QVERIFY(QTest::qWaitFor([&] { return bar().message().kind == Message::Kind::Error; }));
    QVERIFY2(shownText().contains(shown) && !shownText().contains(name), qPrintable(shownText()));
}

// A sentence begins with a capital, and a name keeps its letters: of a folder, of a file, with and without an ending.
void WindowNamesTest::noNameIsCapitalised() {
    const auto said = [&](const QString &name) {
        QVERIFY(waitUntilIdle(*window_));
        QVERIFY(bar().isShowing());
        const QString text = shownText();
        QVERIFY2(text.contains(name), qPrintable(text));
        QVERIFY2(text[0].isUpper() || text[0] == QLatin1Char('/'), qPrintable(text));
        bar().clear();
    };
    for (const char *name : {"img", "a", "my pictures"}) {
        QVERIFY(QDir().mkpath(folder_.path(QLatin1String(name))));
        window_->open({folder_.path(QLatin1String(name))});
        said(QLatin1String(name));
    }
    put(folder_.path(QStringLiteral("own picture.png")), "no picture");
    window_->open({folder_.path(QStringLiteral("own picture.png"))});
    said(QStringLiteral("own picture.png"));
    put(folder_.path(QStringLiteral("own work.tessera")), "no session");
    window_->open({folder_.path(QStringLiteral("own work.tessera"))});
    said(QStringLiteral("own work.tessera"));
    open();
    window_->session().save(folder_.path(QStringLiteral("no folder/result file.png")), {}, OutputDepth::Keep);
    said(QStringLiteral("result file.png"));
    window_->session().saveSession(folder_.path(QStringLiteral("no folder/work file")));
    said(QStringLiteral("work file"));
    put(folder_.path(QStringLiteral("own preset.json")), "no preset");
    window_->loadPresetFile(folder_.path(QStringLiteral("own preset.json")));
    said(QStringLiteral("own preset.json"));
    window_->loadPresetFile(folder_.path(QStringLiteral("gone preset")));
    said(QStringLiteral("gone preset"));
}

void WindowNamesTest::aNameThatIsNoUtf8IsOpened() {
    const QString path = writeLatin1(), shown = QStringLiteral("caf\\xe9.png");
    QVERIFY(!path.isValidUtf16());
    QVERIFY(openAndWait(*window_, path));
    QCOMPARE(find<QTabBar>()->tabText(0), shown);
    QVERIFY(samePixels(document().picture(), testScene(40, 30, {Depth::U8, 3})));
    QVERIFY(!bar().isShowing());
    QVERIFY(waitUntilIdle(*window_));
    makeWindow(); // another start: it is among the recent files
    bool found = false;
    for (QToolButton *button : find<StartPage>()->findChildren<QToolButton *>())
        if (button->accessibleName().endsWith(shown)) {
            found = true;
            button->click();
            break;
        }
    QVERIFY(found);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    window_->session().closeDocument(0);
    window_->session().reopenClosed();
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    // A result beside it has a name that every program can read, and Qt's dialogs are not sent where they see nothing.
    clickFilter(QStringLiteral("Emboss"));
    QSettings settings;
    QVERIFY(settings.value(QStringLiteral("files/folder")).toString().isValidUtf16());
}

void WindowNamesTest::aNameThatIsNoUtf8ComesBackWithItsSession() {
    const QString kept = folder_.path(QStringLiteral("kept"));
    window_->startAutosave(kept);
    QVERIFY(openAndWait(*window_, writeLatin1()));
    const std::filesystem::path path = document().path();
    clickFilter(QStringLiteral("Emboss"));
    const QString session = textFrom(folder_.path(QStringLiteral("work")).toStdString() + "\xfc.tessera");
    window_->session().saveSession(session);
    QVERIFY(QTest::qWaitFor([&] { return std::filesystem::exists(pathFrom(session)); }, 20000));
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(kept + QStringLiteral("/0/session.json")); }, 20000));
    makeWindow(); // as after a crash
    window_->startAutosave(kept);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QCOMPARE(document().path(), path);
    makeWindow();
    window_->open({session});
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QCOMPARE(document().path(), path);
    QCOMPARE(document().chain().steps.size(), std::size_t(1));
}

void WindowNamesTest::aNameThatIsNoUtf8IsDropped() {
    const QString path = writeLatin1();
    QMimeData data;
    data.setData(QStringLiteral("text/uri-list"),
                 "file://" + QByteArray::fromStdString(pathFrom(path).native()).toPercentEncoding("/") + "\r\n");
    QCOMPARE(localFiles(data), QStringList{path});
    QMimeData plain;
    plain.setUrls(
        {QUrl::fromLocalFile(QStringLiteral("/a b/\u00e9%41#?.png")), QUrl(QStringLiteral("http://a/b.png"))});
    QCOMPARE(localFiles(plain), QStringList{QStringLiteral("/a b/\u00e9%41#?.png")});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &drop);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
}

// The program itself: its arguments are bytes, and so is the folder that it works in.
void WindowNamesTest::theCommandLineTakesAnyName() {
    const QString program = QCoreApplication::applicationDirPath() + QStringLiteral("/tessera");
    if (!QFile::exists(program))
        QSKIP("the program itself was not built");
    const std::filesystem::path path = pathFrom(writeLatin1());
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), folder_.path(QStringLiteral("data")));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder_.path(QStringLiteral("config")));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(QString::fromStdString(path.parent_path().string()));
    process.start(QStringLiteral("/bin/sh"),
                  {QStringLiteral("-c"),
                   QStringLiteral("folder=$(printf 'w\\374') && mkdir $folder && mv caf* $folder && cd $folder && "
                                  "exec \"$0\" -platform offscreen caf*"),
                   program});
    QVERIFY(process.waitForStarted());
    const QString file = folder_.path(QStringLiteral("data/Tessera/Tessera/autosave/0/session.json"));
    const char *place = "2f77fc2f636166e92e706e67"; // "/w\xfc/caf\xe9.png"
    const bool kept = QTest::qWaitFor([&] { return content(file).contains(place); }, 30000);
    process.kill();
    process.waitForFinished();
    QVERIFY2(kept, process.readAllStandardError().constData());
}

// Qt's own dialogs cannot name such a file; that is what must be said, not that there is none.
void WindowNamesTest::aDialogsNameThatLostItsBytesIsSaid() {
    window_->open({folder_.path(QStringLiteral("bad\ufffd\ufffd.png"))});
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }));
    QVERIFY2(bar().message().what.contains(QStringLiteral("not valid UTF-8")), qPrintable(bar().message().what));
    QVERIFY(bar().message().remedy.contains(QStringLiteral("rename it")));
}

// "%2" is where a text takes its second word, and no place in a name.
void WindowNamesTest::aFolderCalledAsAPlaceIsKeptIn() {
    const QString kept = folder_.path(QStringLiteral("50%2 of %3/kept"));
    window_->startAutosave(kept);
    window_->session().openPicture(testScene(40, 30, {Depth::U8, 3}), QStringLiteral("pasted"));
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(kept + QStringLiteral("/0/session.json")); }, 20000));
    QVERIFY(QTest::qWaitFor(
        [&] { return QDir(kept + QStringLiteral("/0")).entryList({QStringLiteral("picture-*")}).size() == 1; }, 20000));
    makeWindow(); // the old window goes without being closed
    window_->startAutosave(kept);
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QVERIFY(samePixels(*window_->session().shownPicture(), testScene(40, 30, {Depth::U8, 3})));
    QCOMPARE(QDir(folder_.path({})).entryList({QStringLiteral("50*")}), QStringList{QStringLiteral("50%2 of %3")});
}

void WindowNamesTest::severalAreListed() {
    const QStringList names{QStringLiteral("50%2.png"), QStringLiteral("b%1"), QStringLiteral("c"),
                            QStringLiteral("d")};
    QCOMPARE(listed({}), QString());
    QCOMPARE(listed(names.first(1)), QStringLiteral("50%2.png"));
    QCOMPARE(listed(names.first(2)), QStringLiteral("50%2.png and b%1"));
    QCOMPARE(listed(names, Joined::Or), QStringLiteral("50%2.png, b%1, c or d"));
    QCOMPARE(listedInBrief({}), QString());
    QCOMPARE(listedInBrief(names.first(3)), QStringLiteral("50%2.png, b%1 and c"));
    QCOMPARE(listedInBrief(names), QStringLiteral("50%2.png, b%1, c and 1 more"));
    QCOMPARE(listedInBrief(names.first(1), 7), QStringLiteral("50%2.png and 7 more"));
    QCOMPARE(listedInBrief(names, 2), QStringLiteral("50%2.png, b%1, c and 3 more"));
}

} // namespace

QTEST_MAIN(WindowNamesTest)
#include "window_names_test.moc"
