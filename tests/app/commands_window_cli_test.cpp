// `tessera` without a command: what happens where the window is, where it is not, and where there is no display.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace tessera::test;

class CommandsWindowTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void theWindowGetsTheArguments();
    void itsExitCodeIsHandedOn();
    void withoutADisplayNothingAborts_data();
    void withoutADisplayNothingAborts();
    void aBuildWithoutAWindowSaysSo();
    void headlessCommandsLoadNoQt();

private:
    // Runs the copy of the program in `installation_`, beside which the stub stands or not.
    Run run(const QStringList &arguments, const QMap<QString, QString> &environment = {}) const;
    QString installed(const QString &name) const { return installation_->filePath(name); }
    std::unique_ptr<QTemporaryDir> installation_;
};

void CommandsWindowTest::initTestCase() {
    installation_ = std::make_unique<QTemporaryDir>();
    QDir(installation_->path()).mkdir("bin");
    QDir(installation_->path()).mkdir("lib");
    QVERIFY(QFile::copy(executable(), installed("bin/tessera")));
    QVERIFY(QFile::copy(TESSERA_WINDOW_STUB, installed("lib/libtessera-window.so")));
}

Run CommandsWindowTest::run(const QStringList &arguments, const QMap<QString, QString> &environment) const {
    QProcess process;
    RunSettings settings;
    settings.environment = environment;
    prepare(process, arguments, settings);
    process.setProgram(installed("bin/tessera"));
    process.start();
    Run result;
    if (!process.waitForFinished(60'000))
        return result;
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    result.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    return result;
}

void CommandsWindowTest::theWindowGetsTheArguments() {
    const QMap<QString, QString> offscreen{{"QT_QPA_PLATFORM", "offscreen"}};
    const Run none = run({}, offscreen);
    EXPECT_CODE(none, 0);
    QCOMPARE(none.out, QByteArray("\n"));
    const Run pictures = run({"a.png", "b c.png"}, offscreen);
    EXPECT_CODE(pictures, 0);
    QCOMPARE(pictures.out, QByteArray("[a.png][b c.png]\n"));
    const Run dashes = run({"--", "-x.png"}, offscreen);
    QCOMPARE(dashes.out, QByteArray("[--][-x.png]\n"));
    // The platform may be given as an option of Qt's instead.
    const Run platform =
        run({"-platform", "offscreen"}, {{"QT_QPA_PLATFORM", ""}, {"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}});
    QCOMPARE(platform.out, QByteArray("[-platform][offscreen]\n"));
}

void CommandsWindowTest::itsExitCodeIsHandedOn() {
    EXPECT_CODE(run({"a.png", "b.png", "c.png"}, {{"QT_QPA_PLATFORM", "offscreen"}}), 3);
}

void CommandsWindowTest::withoutADisplayNothingAborts_data() {
    QTest::addColumn<QString>("display");
    QTest::addColumn<QString>("wayland");
    QTest::addColumn<QByteArray>("word");
    QTest::newRow("none") << ""
                          << "" << QByteArray("has no display");
    QTest::newRow("X that is not there") << ":987"
                                         << "" << QByteArray("does not answer");
    QTest::newRow("X of a host that is not there") << "localhost:59000.0"
                                                   << "" << QByteArray("does not answer");
    QTest::newRow("nonsense") << "nonsense"
                              << "" << QByteArray("does not answer");
    QTest::newRow("Wayland that is not there") << ""
                                               << "wayland-987" << QByteArray("does not answer");
}

void CommandsWindowTest::withoutADisplayNothingAborts() {
    QFETCH(QString, display);
    QFETCH(QString, wayland);
    QFETCH(QByteArray, word);
    const Run result = run({}, {{"QT_QPA_PLATFORM", ""}, {"DISPLAY", display}, {"WAYLAND_DISPLAY", wayland}});
    EXPECT_CODE(result, 2);
    EXPECT_IN(result.err, word);
    EXPECT_IN(result.err, "tessera batch");
    QVERIFY(result.out.isEmpty());
}

void CommandsWindowTest::aBuildWithoutAWindowSaysSo() {
    QVERIFY(QFile::rename(installed("lib/libtessera-window.so"), installed("lib/away")));
    const Run result = run({}, {{"QT_QPA_PLATFORM", "offscreen"}});
    QVERIFY(QFile::rename(installed("lib/away"), installed("lib/libtessera-window.so")));
    EXPECT_CODE(result, 2);
    EXPECT_IN(result.err, "window");
    for (const char *command : {"batch", "bench", "report", "compare", "stats", "inspect", "filters", "devices"})
        EXPECT_IN(result.err, command);
}

void CommandsWindowTest::headlessCommandsLoadNoQt() {
    // The loader lists what it would load, and runs nothing.
    const Run result = run({"filters"}, {{"LD_TRACE_LOADED_OBJECTS", "1"}});
    EXPECT_CODE(result, 0);
    EXPECT_IN(result.out, "libc.so");
    QVERIFY2(!result.out.contains("libQt"), result.out.constData());
}

QTEST_APPLESS_MAIN(CommandsWindowTest)
#include "commands_window_cli_test.moc"
