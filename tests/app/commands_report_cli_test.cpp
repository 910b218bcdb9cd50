// The real binary joins the reports of a batch in parts.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace tessera::test;

class CommandsReportTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void partsBecomeOne();
    void whatCountsOfSeveralTries();
    void missingPartsAreToldOf();
    void aMissingTailIsToldOf();
    void anotherListIsToldApart();
    void partsOfTwoListsOfOneLengthAreToldApart();
    void anotherBatchIsNotAppended();
    void aReportThatCannotBeWrittenIsToldWithTheRest();
    void olderReportsAreNotKnownToBeWhole();
    void olderReportsHaveNoNamesToCompare();
    void differentBatchesAreRefused();
    void damagedReports();
    void linesOfAnyLengthAreRead();

private:
    QString path(const QString &name) const { return temporary_->filePath(name); }
    Run run(const QStringList &arguments) const { return runTessera(arguments, {temporary_->path(), {}, {}, 60'000}); }
    Run part(int index, const QStringList &more = {}) const {
        return run(QStringList{"batch", "in", "-o", "out", "--filter", "box", "--shard", QString("%1/3").arg(index),
                               "--report", QString("part-%1.jsonl").arg(index)} +
                   more);
    }
    QList<QJsonObject> merged(const QString &name) const {
        QList<QJsonObject> lines;
        for (const QByteArray &line : readFile(path(name)).trimmed().split('\n'))
            lines << QJsonDocument::fromJson(line).object();
        return lines;
    }
    std::unique_ptr<QTemporaryDir> temporary_;
};

void CommandsReportTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    QDir(temporary_->path()).mkdir("in");
    for (int i = 0; i < 8; ++i)
        writePpm(path(QString("in/%1.ppm").arg(i)), 20, 20 + i);
}

void CommandsReportTest::partsBecomeOne() {
    for (const int index : {3, 1, 2})
        EXPECT_CODE(part(index), 0);
    const Run all =
        run({"report", "merge", "part-2.jsonl", "part-3.jsonl", "part-1.jsonl", "-o", "all.jsonl", "--json"});
    EXPECT_CODE(all, 0);
    QCOMPARE(all.json()["done"].toInt(), 8);
    const QList<QJsonObject> lines = merged("all.jsonl");
    QCOMPARE(lines.size(), 8);
    for (int i = 0; i < 8; ++i)
        QCOMPARE(lines[i]["input"].toString(), QString("in/%1.ppm").arg(i));     // the order of the list
    EXPECT_CODE(run({"report", "merge", "part-1.jsonl", "-o", "all.jsonl"}), 2); // exists
    const Run toOutput = run({"report", "merge", "part-1.jsonl", "part-2.jsonl", "part-3.jsonl"});
    QCOMPARE(toOutput.out, readFile(path("all.jsonl")));
    const Run dash = run({"report", "merge", "part-1.jsonl", "part-2.jsonl", "part-3.jsonl", "-o", "-"});
    QCOMPARE(dash.out, toOutput.out);
    QVERIFY(!QFile::exists(path("-")));
    EXPECT_CODE(
        run({"report", "merge", "part-1.jsonl", "part-2.jsonl", "part-3.jsonl", "-o", "all.jsonl", "--overwrite"}), 0);
}

void CommandsReportTest::whatCountsOfSeveralTries() {
    writeFile(path("in/4.ppm"), "broken");
    const Run first = part(1), second = part(2), third = part(3); // a macro would run them twice
    EXPECT_CODE(first, 0);
    EXPECT_CODE(second, 1); // of 1, 4 and 7
    EXPECT_CODE(third, 0);
    const QStringList merge{"report", "merge", "part-1.jsonl", "part-2.jsonl", "part-3.jsonl", "-o"};
    const Run failed = run(merge + QStringList{"a.jsonl"});
    EXPECT_CODE(failed, 1);
    EXPECT_IN(failed.err, "8 files: 7 done, 1 failed");
    writePpm(path("in/4.ppm"), 9, 9);
    const Run resumed = part(2, {"--skip-existing"}); // appends: two skipped, one done
    EXPECT_CODE(resumed, 0);
    QCOMPARE(readFile(path("part-2.jsonl")).count('\n'), 6);
    const Run mended = run(merge + QStringList{"b.jsonl"});
    EXPECT_CODE(mended, 0);
    EXPECT_IN(mended.err, "8 files: 8 done");
    for (const QJsonObject &line : merged("b.jsonl"))
        QVERIFY2(line["status"] == "done" && line["width"].toInt() > 0, "a skipped file tells less than a done one");
}

void CommandsReportTest::missingPartsAreToldOf() {
    EXPECT_CODE(part(1), 0);
    EXPECT_CODE(part(3), 0);
    const Run two = run({"report", "merge", "part-1.jsonl", "part-3.jsonl", "-o", "a.jsonl"});
    EXPECT_CODE(two, 1);
    EXPECT_IN(two.err, "8 files: 5 done, 3 in no report");
    EXPECT_IN(two.err, "no report tells of file 2, 5, 8 of the list");
}

// What comes after the highest number that is told of.
void CommandsReportTest::aMissingTailIsToldOf() {
    EXPECT_CODE(part(1), 0);
    EXPECT_CODE(run({"batch", "in", "-o", "whole", "--filter", "box", "--report", "whole.jsonl", "--jobs", "1"}), 0);
    QList<QByteArray> lines = readFile(path("whole.jsonl")).trimmed().split('\n');
    // Files come to their end in any order.
    std::ranges::sort(lines, {}, [](const QByteArray &line) { return QJsonDocument::fromJson(line)["index"].toInt(); });
    QCOMPARE(QJsonDocument::fromJson(lines[0]).object()["list_length"].toInt(), 8);
    QCOMPARE(QJsonDocument::fromJson(lines[0]).object()["shard"].toString(), QString("1/1"));
    QCOMPARE(QJsonDocument::fromJson(readFile(path("part-1.jsonl")).split('\n')[0]).object()["shard"].toString(),
             QString("1/3"));
    writeFile(path("killed.jsonl"), lines.mid(0, 5).join('\n') + "\n");
    const Run killed = run({"report", "merge", "killed.jsonl", "-o", "a.jsonl", "--json"});
    EXPECT_CODE(killed, 1);
    EXPECT_IN(killed.err, "8 files: 5 done, 3 in no report");
    EXPECT_IN(killed.err, "file 6, 7, 8 of the list");
    QCOMPARE(killed.json()["missing"].toInt(), 3);
    QCOMPARE(killed.json()["complete"], QJsonValue(false));
    EXPECT_CODE(part(2), 0);
    const Run two = run({"report", "merge", "part-1.jsonl", "part-2.jsonl", "-o", "b.jsonl"});
    EXPECT_CODE(two, 1);
    EXPECT_IN(two.err, "8 files: 6 done, 2 in no report");
    const Run whole = run({"report", "merge", "whole.jsonl", "-o", "c.jsonl", "--json"});
    EXPECT_CODE(whole, 0);
    QCOMPARE(whole.json()["complete"], QJsonValue(true));
}

void CommandsReportTest::anotherListIsToldApart() {
    EXPECT_CODE(part(1), 0);
    writePpm(path("in/9.ppm"), 5, 5); // the last of the list
    EXPECT_CODE(part(2), 0);
    const Run parts = run({"report", "merge", "part-1.jsonl", "part-2.jsonl"});
    EXPECT_CODE(parts, 2);
    EXPECT_IN(parts.err, "the same list");
    // One report that was appended to after the list had grown: its later lines tell of all of it.
    const QStringList batch{"batch", "in", "-o", "whole", "--filter", "box", "--report", "whole.jsonl"};
    EXPECT_CODE(run(batch), 0);
    writePpm(path("in/00.ppm"), 5, 5); // the first, which moves all others
    EXPECT_CODE(run(batch + QStringList{"--skip-existing"}), 0);
    const Run grown = run({"report", "merge", "whole.jsonl", "-o", "all.jsonl"});
    EXPECT_CODE(grown, 0);
    EXPECT_IN(grown.err, "10 files: 1 done, 9 skipped");
    QCOMPARE(merged("all.jsonl")[1]["input"].toString(), QString("in/00.ppm"));
}

void CommandsReportTest::partsOfTwoListsOfOneLengthAreToldApart() {
    EXPECT_CODE(run({"batch", "in", "-o", "a", "--filter", "box", "--shard", "1/2", "--report", "1.jsonl"}), 0);
    const QStringList names = QDir(path("in")).entryList(QDir::Files, QDir::Name);
    QVERIFY(QFile::rename(path("in/" + names.first()), path("in/zzz.ppm"))); // now the last
    EXPECT_CODE(run({"batch", "in", "-o", "b", "--filter", "box", "--shard", "2/2", "--report", "2.jsonl"}), 0);
    const Run both = run({"report", "merge", "1.jsonl", "2.jsonl", "-o", "both.jsonl"});
    EXPECT_CODE(both, 2);
    EXPECT_IN(both.err, "other names");
    QVERIFY(!QFile::exists(path("both.jsonl")));
}

void CommandsReportTest::anotherBatchIsNotAppended() {
    const Run folder = run({"batch", "in", "-o", "f", "--filter", "box", "--report", "in"});
    EXPECT_CODE(folder, 2);
    EXPECT_IN(folder.err, "is a folder (add a file name)");
    const QStringList batch{"batch", "in", "--report", "one.jsonl", "--filter"};
    EXPECT_CODE(run(batch + QStringList{"box", "-o", "a"}), 0);
    const QByteArray before = readFile(path("one.jsonl"));
    const Run other = run(batch + QStringList{"gaussian", "-o", "b", "--skip-existing"});
    EXPECT_CODE(other, 2);
    EXPECT_IN(other.err, "other parameters");
    QCOMPARE(readFile(path("one.jsonl")), before);
    QVERIFY(!QFile::exists(path("b")));
}

void CommandsReportTest::aReportThatCannotBeWrittenIsToldWithTheRest() {
    if (!QFile::exists("/dev/full"))
        QSKIP("skipped: no /dev/full");
    const Run full = run({"batch", "in", "-o", "out", "--filter", "box", "--report", "/dev/full", "--overwrite",
                          "--json", "--jobs", "1"});
    EXPECT_CODE(full, 1);
    EXPECT_IN(full.err, "No space left");
    EXPECT_IN(full.err, "--skip-existing does the rest");
    const QJsonObject summary = full.json()["summary"].toObject();
    QVERIFY(summary["done"].toInt() >= 1 && summary["not_started"].toInt() >= 1);
    QCOMPARE(QDir(path("out")).entryList(QDir::Files).size(), summary["done"].toInt());
    QVERIFY2(!full.err.contains("--max-failures"), full.err.constData());
}

void CommandsReportTest::olderReportsAreNotKnownToBeWhole() {
    EXPECT_CODE(run({"batch", "in", "-o", "whole", "--filter", "box", "--report", "new.jsonl"}), 0);
    QByteArray old;
    for (const QJsonObject &line : merged("new.jsonl")) {
        QJsonObject without = line;
        without.remove("list_length");
        without.remove("list_hash");
        without.remove("shard");
        old += QJsonDocument(without).toJson(QJsonDocument::Compact) + "\n";
    }
    writeFile(path("old.jsonl"), old);
    const Run run = this->run({"report", "merge", "old.jsonl", "-o", "a.jsonl", "--json"});
    EXPECT_CODE(run, 0);
    EXPECT_IN(run.err, "is not known");
    QVERIFY(run.json()["complete"].isNull());
    const Run known = this->run({"report", "merge", "old.jsonl", "new.jsonl", "-o", "b.jsonl"});
    EXPECT_CODE(known, 0);
    QVERIFY(!known.err.contains("is not known"));
}

void CommandsReportTest::olderReportsHaveNoNamesToCompare() {
    EXPECT_CODE(part(1), 0);
    EXPECT_CODE(part(2), 0);
    QByteArray old;
    for (QJsonObject line : merged("part-1.jsonl")) {
        line.remove("list_hash");
        old += QJsonDocument(line).toJson(QJsonDocument::Compact) + "\n";
    }
    writeFile(path("old.jsonl"), old);
    const QByteArray note = "same names could not be checked";
    const auto merge = [&](const QStringList &reports) { return run(QStringList{"report", "merge"} + reports).err; };
    QCOMPARE(merge({"old.jsonl", "part-2.jsonl"}).count(note), 1);
    QVERIFY(!merge({"part-1.jsonl", "part-2.jsonl"}).contains(note));
    QVERIFY(!merge({"old.jsonl"}).contains(note)); // with nothing to compare it with
}

void CommandsReportTest::differentBatchesAreRefused() {
    EXPECT_CODE(part(1), 0);
    EXPECT_CODE(run({"batch", "in", "-o", "other", "--filter", "gaussian", "--report", "other.jsonl"}), 0);
    const Run parameters = run({"report", "merge", "part-1.jsonl", "other.jsonl"});
    EXPECT_CODE(parameters, 2);
    EXPECT_IN(parameters.err, "other parameters");
    writePpm(path("in/00.ppm"), 5, 5); // first in the list, from now on
    EXPECT_CODE(run({"batch", "in", "-o", "third", "--filter", "box", "--report", "third.jsonl"}), 0);
    const Run list = run({"report", "merge", "part-1.jsonl", "third.jsonl"});
    EXPECT_CODE(list, 2);
    EXPECT_IN(list.err, "the same list");
    EXPECT_CODE(run({"report", "split", "part-1.jsonl"}), 2);
    EXPECT_CODE(run({"report", "merge"}), 2);
}

void CommandsReportTest::damagedReports() {
    EXPECT_CODE(part(1), 0);
    const QByteArray whole = readFile(path("part-1.jsonl"));
    writeFile(path("cut.jsonl"), whole.left(whole.size() - 30));
    const Run cut = run({"report", "merge", "cut.jsonl", "-o", "a.jsonl", "--json"});
    EXPECT_CODE(cut, 1); // files 2 and 3 of the list belong to other parts
    QCOMPARE(cut.json()["broken_lines"].toInt(), 1);
    QCOMPARE(merged("a.jsonl").size(), 2);
    // What a kill left of the first line is a report still, to be resumed or replaced.
    for (const int left : {1, 5, 9, 10, 40}) {
        writeFile(path("part-1.jsonl"), whole.left(left));
        const Run resumed = part(1, {"--skip-existing"}); // a macro would run it twice
        EXPECT_CODE(resumed, 0);
        QCOMPARE(readFile(path("part-1.jsonl")).count('\n'), 4);
        writeFile(path("part-1.jsonl"), whole.left(left));
        const Run again = part(1, {"--overwrite"});
        EXPECT_CODE(again, 0);
        QCOMPARE(readFile(path("part-1.jsonl")).count('\n'), 3);
    }
    writeFile(path("text.jsonl"), "this is no report\n");
    EXPECT_CODE(run({"report", "merge", "text.jsonl"}), 3);
    EXPECT_CODE(run({"report", "merge", "missing.jsonl"}), 3);
    EXPECT_CODE(run({"report", "merge", "/dev/zero"}), 3); // which has no end
}

// Read piece by piece: whatever a line has more or less than a piece.
void CommandsReportTest::linesOfAnyLengthAreRead() {
    EXPECT_CODE(part(1), 0);
    const QByteArray first = readFile(path("part-1.jsonl")).split('\n').first();
    QByteArray report;
    int count = 0;
    for (const int length : {16382, 16383, 16384, 16385, 32766, 32767, 32768, 100'000}) {
        QJsonObject line = QJsonDocument::fromJson(first).object();
        line["list_length"] = 8;
        line["index"] = ++count;
        line["input"] = "";
        const qsizetype without = QJsonDocument(line).toJson(QJsonDocument::Compact).size();
        line["input"] = QString(length - without, 'x');
        const QByteArray text = QJsonDocument(line).toJson(QJsonDocument::Compact);
        QCOMPARE(text.size(), length);
        report += text + "\n";
    }
    report.chop(1); // the last one is whole without its end
    writeFile(path("long.jsonl"), report);
    const Run run = this->run({"report", "merge", "long.jsonl", "-o", "all.jsonl", "--json"});
    EXPECT_CODE(run, 0);
    QCOMPARE(run.json()["broken_lines"].toInt(), 0);
    QCOMPARE(merged("all.jsonl").size(), count);
    QCOMPARE(merged("all.jsonl").last()["input"].toString().size(),
             merged("long.jsonl").last()["input"].toString().size());
}

QTEST_APPLESS_MAIN(CommandsReportTest)
#include "commands_report_cli_test.moc"
