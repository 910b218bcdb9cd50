// The real binary: what is refused, with which exit code and which words.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace tessera::test;

class CommandsErrorsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void refusals_data();
    void refusals();
    void missingDevices_data();
    void missingDevices();
    void noUsableInput_data();
    void noUsableInput();
    void messagesHaveOneForm();
    void jsonModeKeepsStandardOutputEmptyOnErrors();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsErrorsTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    writePgm(path("a.pgm"), 3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    writePgm(path("b.pgm"), 1, 1, {1});
    QDir(temporary_->path()).mkdir("x");
    QDir(temporary_->path()).mkdir("empty");
    writePgm(path("x/a.pgm"), 1, 1, {1});
    writeFile(path("bad.png"), "no picture");
    writeFile(path("notes.txt"), "text");
    writeFile(path("kernel.txt"), "1 2 1\n2 x 2\n1 2 1\n");
    writeFile(path("package.json"), "{\n  \"name\": \"x\"\n}\n");
    writeFile(path("data.jsonl"), "{\"index\":{\"id\":1}}\n{\"label\":\"cat\"}\n");
    writeFile(path("good.jsonl"), "{\"index\":1,\"status\":\"done\",\"input\":\"a.pgm\"}\n");
}

void CommandsErrorsTest::refusals_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("word");
    const QStringList good{"batch", "a.pgm", "-o", "out"};
    const auto batch = [&](const QStringList &more) { return good + QStringList{"--filter", "box"} + more; };
    const auto row = [](const QByteArray &name, const QStringList &arguments, const char *word) {
        QTest::newRow(name.constData()) << arguments << QByteArray(word);
    };
    row("mistyped command", {"bacth", "a.pgm"}, "did you mean 'tessera batch'?");
    row("option before the command", {"--json", "filters"}, "options follow it: tessera filters --json");
    row("mistyped root option", {"--verison"}, "did you mean '--version'?");
    row("mistyped option", batch({"--boder", "zero"}), "did you mean '--border'?");
    row("mistyped option with =", batch({"--boder=zero"}), "did you mean '--border'?");
    row("unknown option", {"stats", "--frobnicate", "a.pgm"}, "--frobnicate");
    row("unknown filter", good + QStringList{"--filter", "gausian"}, "gaussian");
    row("unknown parameter", good + QStringList{"--filter", "gaussian:sgima=2"}, "sigma");
    row("parameter out of range", good + QStringList{"--filter", "gaussian:sigma=1000"}, "sigma");
    row("broken kernel file", good + QStringList{"--kernel", "kernel.txt"}, "kernel.txt:2:3");
    row("no kernel at all", good + QStringList{"--kernel", "missing.txt"}, "missing.txt");
    row("short kernel", good + QStringList{"--kernel", "3x3: 1,2,3"}, "9");
    row("no filter", good, "needs a --filter or a --kernel");
    row("no output", {"batch", "a.pgm", "--filter", "box"}, "needs -o DIR");
    row("no input", {"batch", "-o", "out", "--filter", "box"}, "needs INPUT");
    row("value missing", {"batch", "a.pgm", "--filter", "box", "-o"}, "-o");
    row("given twice", batch({"--quality", "5", "--quality", "6"}), "more than once");
    row("a switch with a value", batch({"--overwrite=no"}), "--overwrite takes no value");
    row("a switch with a number", batch({"--linear=0"}), "--linear takes no value");
    row("border", batch({"--border", "refelct"}), "did you mean 'reflect'?");
    row("border value", batch({"--border", "constant"}), "constant:128");
    row("anchor outside", batch({"--anchor", "3,0"}), "anchor");
    row("anchor malformed", batch({"--anchor", "1"}), "--anchor");
    row("divisor zero", batch({"--divisor", "0"}), "divisor");
    row("divisor and normalize", batch({"--divisor", "2", "--normalize"}), "--normalize and --divisor");
    row("response", batch({"--response", "clmap"}), "did you mean 'clamp'?");
    row("channels", batch({"--channels", "x"}), "--channels");
    row("alpha", batch({"--alpha", "premultiplid"}), "did you mean 'premultiplied'?");
    row("depth", batch({"--depth", "12"}), "--depth");
    row("format", batch({"--format", "pgn"}), "--format");
    row("depth and format", batch({"--format", "jpg", "--depth", "16"}), "jpg");
    row("quality", batch({"--quality", "101"}), "from 1 to 100");
    row("jobs", batch({"--jobs", "0"}), "--jobs");
    row("memory", batch({"--max-memory", "lots"}), "512M");
    row("shard", batch({"--shard", "3/2"}), "--shard");
    row("shard auto outside a job", batch({"--shard", "auto"}), "--shard i/n");
    row("name", batch({"--name", "{setm}.png"}), "did you mean 'stem'?");
    row("name leaves the folder", batch({"--name", "../{stem}.png"}), "below the output folder");
    row("variant", batch({"--variant", "tield"}), "tield");
    row("variant elsewhere", batch({"--variant", "tiled", "--device", "cpu"}), "tiled");
    row("device", batch({"--device", "gpu"}), "gpu");
    row("progress", batch({"--progress", "sometimes"}), "--progress");
    row("output is a file", {"batch", "a.pgm", "-o", "b.pgm", "--filter", "box"}, "not a folder");
    row("collision", {"batch", "a.pgm", "x/a.pgm", "-o", "out", "--filter", "box"}, "would all become");
    row("output is an input", {"batch", "a.pgm", "-o", ".", "--filter", "box", "--name", "{stem}.{ext}"},
        "itself an input");
    row("report is a picture", batch({"--report", "a.pgm", "--overwrite"}), "one of the pictures");
    row("report replaces another file", batch({"--report", "kernel.txt", "--overwrite"}), "is no report");
    row("report appends to another file", batch({"--report", "kernel.txt", "--skip-existing"}), "is no report");
    row("report replaces other JSON", batch({"--report", "package.json", "--overwrite"}), "is no report");
    row("report replaces other JSON lines", batch({"--report", "data.jsonl", "--overwrite"}), "is no report");
    row("report appends to other JSON lines", batch({"--report", "data.jsonl", "--skip-existing"}), "is no report");
    row("report replaces, tried dry", batch({"--report", "data.jsonl", "--overwrite", "--dry-run"}), "is no report");
    row("report is there, tried dry", batch({"--report", "data.jsonl", "--dry-run"}), "exists already");
    const auto report = [&](const char *name, const QStringList &more) {
        return batch(QStringList{"--report", name} + more);
    };
    for (const QStringList &more :
         {QStringList(), QStringList{"--overwrite"}, QStringList{"--skip-existing"}, QStringList{"--dry-run"},
          QStringList{"--dry-run", "--skip-existing"}, QStringList{"--dry-run", "--overwrite"}}) {
        const QByteArray options = " " + more.join(' ').toUtf8();
        row("report in no folder" + options, report("nodir/r", more), "No such file or directory");
        row("report below a file" + options, report("b.pgm/r", more), "Not a directory");
        row("report is a folder" + options, report("x", more), "is a folder (add a file name)");
        row("report without a name" + options, report("out/", more), "add a file name");
    }
    row("an empty input", {"batch", "a.pgm", "", "-o", "out", "--filter", "box"}, "an INPUT is empty");
    row("a report of measurements without a name", {"bench", "--size", "64x64", "--json", ""}, "add a file name");
    row("a table of measurements to a device", {"bench", "--size", "64x64", "--csv", "/dev/null", "--overwrite"},
        "is a pipe or a device");
    row("merged report without a name", {"report", "merge", "good.jsonl", "-o", ""}, "add a file name");
    row("merged report to a device", {"report", "merge", "good.jsonl", "-o", "/dev/null", "--overwrite"},
        "is a pipe or a device");
    row("output below a file", {"batch", "a.pgm", "-o", "b.pgm/out", "--filter", "box"}, "Not a directory");
    row("merged report in no folder", {"report", "merge", "good.jsonl", "-o", "nodir/r"}, "create it first");
    row("merged report is a folder", {"report", "merge", "good.jsonl", "-o", "x", "--overwrite"}, "is a folder");
    row("merged report replaces a picture", {"report", "merge", "good.jsonl", "-o", "a.pgm", "--overwrite"},
        "is no report");
    row("merged report replaces other JSON", {"report", "merge", "good.jsonl", "-o", "data.jsonl", "--overwrite"},
        "is no report");
    row("merged report and totals to one place", {"report", "merge", "good.jsonl", "-o", "-", "--json"}, "with -o");
    row("report to standard output", batch({"--report", "-"}), "take --json");
    row("a filter's name missing", good + QStringList{"--filter"}, "--filter needs a value");
    row("an option for a value", {"batch", "a.pgm", "--filter", "-o", "out"}, "'-o' is an option");
    row("an offset beyond float", batch({"--offset", "1e39"}), "at most 3.4e38");
    row("a border beyond float", batch({"--border", "constant:-1e39"}), "at most 3.4e38");
    row("a tap beyond float", good + QStringList{"--kernel", "1x1: 1e39"}, "at most 3.4e38");
    row("a folder among reports", {"report", "merge", "x"}, "is a folder");
    row("stats without a picture", {"stats"}, "needs IMAGE...");
    row("list with an argument", {"filters", "gaussian"}, "has no use for 'gaussian'");
}

void CommandsErrorsTest::refusals() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, word);
    const auto contents = [&] {
        QMap<QString, QByteArray> files;
        for (const QString &name : filesIn(temporary_->path()))
            files[name] = readFile(path(name));
        return files;
    };
    const QMap<QString, QByteArray> before = contents();
    const Run run = runTessera(arguments, {temporary_->path(), {}, {}, 60'000});
    EXPECT_CODE(run, 2);
    EXPECT_IN(run.err, word);
    QVERIFY2(run.err.startsWith("tessera: "), run.err.constData());
    QVERIFY2(run.out.isEmpty(), run.out.constData());
    QCOMPARE(contents(), before); // nothing was done
    QVERIFY(!QDir(path("out")).exists());
}

void CommandsErrorsTest::missingDevices_data() {
    QTest::addColumn<QString>("device");
    QTest::newRow("cuda:7") << "cuda:7";
    QTest::newRow("cuda:4096") << "cuda:4096";
}

void CommandsErrorsTest::missingDevices() {
    QFETCH(QString, device);
    const Run run = runTessera({"batch", path("a.pgm"), "-o", path("out"), "--filter", "box", "--device", device});
    EXPECT_CODE(run, 4);
    EXPECT_IN(run.err, device.toUtf8());
    QVERIFY(!QDir(path("out")).exists());
}

void CommandsErrorsTest::noUsableInput_data() {
    QTest::addColumn<QStringList>("inputs");
    QTest::newRow("an empty folder") << QStringList{"empty"};
    QTest::newRow("a missing file") << QStringList{"missing.png"};
    QTest::newRow("bad files only") << QStringList{"bad.png", "missing.png"};
    QTest::newRow("an empty list") << QStringList{"--files-from", "empty.txt"};
    QTest::newRow("a missing list") << QStringList{"--files-from", "missing.txt"};
}

void CommandsErrorsTest::noUsableInput() {
    QFETCH(QStringList, inputs);
    writeFile(path("empty.txt"), "\n\n");
    const Run run = runTessera(QStringList{"batch"} + inputs + QStringList{"-o", "out", "--filter", "box"},
                               {temporary_->path(), {}, {}, 60'000});
    EXPECT_CODE(run, 3);
    QVERIFY(!run.err.isEmpty());
}

void CommandsErrorsTest::messagesHaveOneForm() {
    // One line, what went wrong, and the remedy in brackets; control characters cannot reach the terminal.
    const Run run = runTessera({"stats", path("no\nsuch\x1b[31m.png")});
    EXPECT_CODE(run, 3);
    QVERIFY2(
        QRegularExpression("^tessera: .*no\\\\x0asuch\\\\x1b\\[31m\\.png.* \\(.*\\)\\n$").match(run.err).hasMatch(),
        run.err.constData());
}

void CommandsErrorsTest::jsonModeKeepsStandardOutputEmptyOnErrors() {
    const Run run = runTessera({"compare", "--json", path("a.pgm"), path("missing.pgm")});
    EXPECT_CODE(run, 3);
    QVERIFY(run.out.isEmpty());
}

QTEST_APPLESS_MAIN(CommandsErrorsTest)
#include "commands_errors_cli_test.moc"
