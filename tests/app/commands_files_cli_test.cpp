// The real binary and --overwrite: it replaces outputs, never a file that the command itself reads or needs.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace tessera::test;
namespace fs = std::filesystem;

class CommandsFilesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void nothingThatIsReadIsReplaced_data();
    void nothingThatIsReadIsReplaced();
    void whatIsApartIsTaken();

private:
    QString path(const QString &name) const { return temporary_.filePath(name); }
    Run run(const QStringList &arguments) const { return runTessera(arguments, {temporary_.path(), {}, {}, 60'000}); }
    QMap<QString, QByteArray> everything() const {
        QMap<QString, QByteArray> contents;
        for (const QString &name : filesIn(temporary_.path()))
            contents[name] = readFile(path(name));
        return contents;
    }
    QTemporaryDir temporary_;
};

void CommandsFilesTest::initTestCase() {
    writePpm(path("p.ppm"), 20, 20);
    writePpm(path("q.ppm"), 20, 20);
    writeFile(path("k.txt"), "1 2 1\n2 4 2\n1 2 1\n");
    writeFile(path("list"), "p.ppm\n");
    fs::create_hard_link(path("p.ppm").toStdString(), path("hard.ppm").toStdString());
    fs::create_hard_link(path("k.txt").toStdString(), path("hard.txt").toStdString());
    fs::create_symlink("p.ppm", path("soft").toStdString());
    fs::create_symlink("k.txt", path("soft.txt").toStdString());
    fs::create_symlink("new.csv", path("dangling").toStdString());
    fs::create_symlink(".", path("here").toStdString());
    EXPECT_CODE(run({"batch", "p.ppm", "-o", "out", "--filter", "box", "--report", "r.jsonl"}), 0);
    fs::create_symlink(".tessera-batch.jsonl", path("out/record").toStdString());
    writeFile(path("base.json"), "{}");
}

void CommandsFilesTest::nothingThatIsReadIsReplaced_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto bench = [](const QStringList &more) {
        return QStringList{"bench", "--overwrite", "--samples", "1", "--device", "cpu"} + more;
    };
    QTest::newRow("bench, picture") << bench({"--image", "p.ppm", "--json", "p.ppm"});
    QTest::newRow("bench, picture, hard link") << bench({"--image", "p.ppm", "--csv", "hard.ppm"});
    QTest::newRow("bench, picture, link") << bench({"--image", "p.ppm", "--json", "soft"});
    QTest::newRow("bench, picture, another way") << bench({"--image", "p.ppm", "--json", "here/p.ppm"});
    QTest::newRow("bench, kernel") << bench({"--size", "64x64", "--kernel", "k.txt", "--csv", "./k.txt"});
    QTest::newRow("bench, baseline") << bench({"--size", "64x64", "--baseline", "base.json", "--csv", "base.json"});
    QTest::newRow("bench, both reports") << bench({"--size", "64x64", "--json", "new.x", "--csv", "new.x"});
    QTest::newRow("bench, both reports, link") << bench({"--size", "64x64", "--json", "new.csv", "--csv", "dangling"});
    const auto batch = [](const QStringList &more) {
        return QStringList{"batch", "--overwrite", "-o", "out", "--filter", "box"} + more;
    };
    QTest::newRow("report, kernel") << batch({"p.ppm", "--kernel", "k.txt", "--report", "k.txt"});
    QTest::newRow("report, kernel, link") << batch({"p.ppm", "--kernel", "soft.txt", "--report", "hard.txt"});
    QTest::newRow("report, list") << batch({"--files-from", "list", "--report", "list"});
    QTest::newRow("report, picture") << batch({"p.ppm", "--report", "hard.ppm"});
    QTest::newRow("report, picture of another part")
        << batch({"p.ppm", "q.ppm", "--shard", "1/2", "--report", "q.ppm"});
    QTest::newRow("report, output of another part")
        << batch({"p.ppm", "q.ppm", "--shard", "1/2", "--report", "out/q-box.ppm"});
    QTest::newRow("report, record") << batch({"p.ppm", "--report", "out/.tessera-batch.jsonl"});
    QTest::newRow("report, record, link") << batch({"p.ppm", "--report", "out/record"});
    QTest::newRow("report, record of another part")
        << batch({"p.ppm", "--shard", "1/2", "--report", "out/.tessera-batch.2-of-2.jsonl"});
    QTest::newRow("report, resumed") << batch({"p.ppm", "--skip-existing", "--kernel", "k.txt", "--report", "k.txt"});
    QTest::newRow("output, record") << batch({"p.ppm", "--name", ".tessera-batch.jsonl", "--format", "png"});
    QTest::newRow("output, new record") << QStringList{
        "batch", "p.ppm", "-o", "new", "--filter", "box", "--name", ".tessera-batch.jsonl", "--format", "png"};
    QTest::newRow("output, kernel") << QStringList{"batch", "--overwrite", "p.ppm", "-o",       ".",  "--kernel",
                                                   "k.txt", "--name",      "k.txt", "--format", "ppm"};
    QTest::newRow("output, list") << QStringList{"batch",    "--overwrite", "--files-from", "list", "-o",     ".",
                                                 "--filter", "box",         "--format",     "ppm",  "--name", "list"};
    QTest::newRow("list, record") << batch({"--files-from", "out/.tessera-batch.jsonl"});
    QTest::newRow("merge") << QStringList{"report", "merge", "--overwrite", "r.jsonl", "-o", "r.jsonl"};
    QTest::newRow("merge, another way") << QStringList{"report",  "merge", "--overwrite",
                                                       "r.jsonl", "-o",    "here/r.jsonl"};
}

void CommandsFilesTest::nothingThatIsReadIsReplaced() {
    QFETCH(QStringList, arguments);
    const QMap<QString, QByteArray> before = everything();
    EXPECT_CODE(run(arguments), 2);
    QCOMPARE(everything(), before);
}

void CommandsFilesTest::whatIsApartIsTaken() {
    EXPECT_CODE(run({"batch", "p.ppm", "-o", "o2", "--kernel", "k.txt", "--report", "/dev/null", "--overwrite"}), 0);
    EXPECT_CODE(run({"batch", "p.ppm", "-o", "o2", "--kernel", "k.txt", "--report", "o2/r.jsonl", "--overwrite"}), 0);
    EXPECT_CODE(run({"batch", "p.ppm", "-o", "o2", "--kernel", "k.txt", "--report", "o2/r.jsonl", "--overwrite"}), 0);
    EXPECT_CODE(run({"report", "merge", "r.jsonl", "-o", "merged.jsonl"}), 0);
    EXPECT_CODE(run({"report", "merge", "r.jsonl", "-o", "merged.jsonl", "--overwrite"}), 0);
}

QTEST_APPLESS_MAIN(CommandsFilesTest)
#include "commands_files_cli_test.moc"
