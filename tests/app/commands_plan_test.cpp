// Which output each input gets, what is refused, what is resumed, and the memory gate.
#include "app/commands/batch/batch_plan.h"
#include "app/commands/batch/batch_progress.h"
#include "app/commands/batch/batch_record.h"
#include "app/commands/batch/batch_resume.h"
#include "app/commands/batch/content_hash.h"
#include "app/commands/batch/line_file.h"
#include "app/commands/batch/memory_gate.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/resource.h>
#include <thread>

using namespace tessera;
namespace fs = std::filesystem;

namespace {

void write(const fs::path &path, const std::string &content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

template <class Action> QString errorText(Action &&action) {
    try {
        action();
    } catch (const Error &error) {
        return QString::fromStdString(error.fullText());
    }
    return "no error";
}

std::string hashOf(const std::string &text) { return contentHash(std::as_bytes(std::span(text))); }

} // namespace

class CommandsPlanTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void outputsGetTheTemplatesName();
    void formatsDecideTheExtension();
    void namesWithoutAFormatFailThatFileOnly();
    void aNameAgainstTheFormatIsRefused();
    void collisionsAreRefused();
    void collisionsAcrossShardsAreRefusedToo();
    void collisionsThroughLinksAreRefused();
    void outputsThatAreInputsAreRefused();
    void existingOutputsAreRefusedOrReplaced();
    void resumeSkipsWhatMatches();
    void resumeRefusesWhatDoesNot_data();
    void resumeRefusesWhatDoesNot();
    void recordsSurviveACrash();
    void linesAfterACutOneAreWhole();
    void linesOfADeletedFileAreRefused();
    void recordsHoldAnyName();
    void hashesAreXxh3();
    void theMemoryGateHolds();
    void theMemoryGateRefusesTheImpossible();
    void progressTellsRateAndRest();

private:
    PlanRequest request() const;
    PlannedFile plannedWithOutput(const std::string &inputContent, const std::string &outputContent) const;

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path root_;
};

void CommandsPlanTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    root_ = fs::canonical(temporary_->path().toStdString());
}

PlanRequest CommandsPlanTest::request() const {
    PlanRequest request;
    request.outputFolder = root_ / "out";
    request.filterName = "box";
    return request;
}

void CommandsPlanTest::outputsGetTheTemplatesName() {
    const auto files = planOutputs({{root_ / "a.png", {}}, {root_ / "b.JPG", {}}}, request());
    QCOMPARE(files.size(), std::size_t(2));
    QCOMPARE(files[0].output, root_ / "out/a-box.png");
    QCOMPARE(files[0].format, std::string("png"));
    QCOMPARE(files[1].output, root_ / "out/b-box.JPG");
    QCOMPARE(files[1].format, std::string("jpg"));
    QCOMPARE(files[1].index, std::size_t(2));
}

void CommandsPlanTest::formatsDecideTheExtension() {
    PlanRequest asJpeg = request();
    asJpeg.format = "jpg";
    const auto files = planOutputs({{root_ / "a.png", {}}, {root_ / "b.jpeg", {}}}, asJpeg);
    QCOMPARE(files[0].output, root_ / "out/a-box.jpg");
    QCOMPARE(files[1].output, root_ / "out/b-box.jpeg"); // it is a JPEG's name already
    QCOMPARE(files[1].format, std::string("jpg"));
}

void CommandsPlanTest::namesWithoutAFormatFailThatFileOnly() {
    std::ofstream(root_ / "a.dat") << "something";
    const auto files = planOutputs({{root_ / "a.dat", {}}, {root_ / "b.png", {}}, {root_ / "mistyped", {}}}, request());
    QVERIFY(files[0].problem.has_value());
    QVERIFY(QString(files[0].problem->what()).contains("tells no format"));
    QVERIFY(!files[1].problem.has_value());
    QVERIFY(QString(files[2].problem->what()).contains("No such file"));
}

void CommandsPlanTest::aNameAgainstTheFormatIsRefused() {
    PlanRequest contradiction = request();
    contradiction.format = "jpg";
    contradiction.nameTemplate = NameTemplate("{stem}.png");
    QVERIFY(errorText([&] { planOutputs({{root_ / "a.png", {}}}, contradiction); }).contains("but --format is jpg"));
}

void CommandsPlanTest::collisionsAreRefused() {
    const std::vector<BatchInput> inputs{{root_ / "x/a.png", {}}, {root_ / "y/a.png", {}}};
    const QString message = errorText([&] { planOutputs(inputs, request()); });
    QVERIFY2(message.contains("x/a.png") && message.contains("y/a.png") && message.contains("{parent}"),
             qPrintable(message));
    PlanRequest apart = request();
    apart.nameTemplate = NameTemplate("{parent}-{stem}.{ext}");
    QCOMPARE(planOutputs(inputs, apart)[1].output, root_ / "out/y-a.png");
}

void CommandsPlanTest::collisionsAcrossShardsAreRefusedToo() {
    PlanRequest half = request();
    half.shard = {1, 2};
    QVERIFY(errorText([&] {
                planOutputs({{root_ / "x/a.png", {}}, {root_ / "y/a.png", {}}}, half);
            }).contains("become"));
    const auto files = planOutputs({{root_ / "a.png", {}}, {root_ / "b.png", {}}, {root_ / "c.png", {}}}, half);
    QCOMPARE(files.size(), std::size_t(2));
    QCOMPARE(files[1].index, std::size_t(3)); // of the whole list
}

void CommandsPlanTest::collisionsThroughLinksAreRefused() {
    fs::create_directories(root_ / "out/real");
    fs::create_directory_symlink("real", root_ / "out/link");
    PlanRequest byParent = request();
    byParent.nameTemplate = NameTemplate("{parent}/a.png");
    QVERIFY(errorText([&] {
                planOutputs({{root_ / "real/a.png", {}}, {root_ / "link/a.png", {}}}, byParent);
            }).contains("would all become"));
}

void CommandsPlanTest::outputsThatAreInputsAreRefused() {
    write(root_ / "a.png", "1");
    PlanRequest onto = request();
    onto.outputFolder = root_;
    onto.nameTemplate = NameTemplate("{stem}.{ext}");
    QVERIFY(errorText([&] { planOutputs({{root_ / "a.png", {}}}, onto); }).contains("is itself an input"));

    // The same file under another name.
    fs::create_directories(root_ / "out");
    fs::create_hard_link(root_ / "a.png", root_ / "out/a-box.png");
    QVERIFY(errorText([&] { planOutputs({{root_ / "a.png", {}}}, request()); }).contains("is itself an input"));
}

PlannedFile CommandsPlanTest::plannedWithOutput(const std::string &input, const std::string &output) const {
    write(root_ / "a.png", input);
    write(root_ / "out/a-box.png", output);
    return planOutputs({{root_ / "a.png", {}}}, request()).front();
}

void CommandsPlanTest::existingOutputsAreRefusedOrReplaced() {
    const PlannedFile file = plannedWithOutput("in", "out");
    QVERIFY(file.outputExists);
    const QString message = errorText([&] { resolveExisting({file}, ExistingOutputs::Refuse, {}, "p", 1); });
    QVERIFY2(message.contains("a-box.png") && message.contains("--overwrite"), qPrintable(message));
    QCOMPARE(resolveExisting({file}, ExistingOutputs::Overwrite, {}, "p", 1).toDo.size(), std::size_t(1));
}

void CommandsPlanTest::resumeSkipsWhatMatches() {
    const PlannedFile file = plannedWithOutput("in", "out");
    LineFile(recordFile(root_ / "out", {}), LineFile::Existing::Append)
        .append(recordLine({"a-box.png", hashOf("in"), hashOf("out"), "p", TESSERA_VERSION}));
    const ResumePlan plan = resolveExisting({file}, ExistingOutputs::Skip, BatchRecords::read(root_ / "out"), "p", 2);
    QCOMPARE(plan.upToDate.size(), std::size_t(1));
    QVERIFY(plan.toDo.empty());
}

void CommandsPlanTest::resumeRefusesWhatDoesNot_data() {
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("output");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QString>("version");
    QTest::addColumn<QString>("reason");
    QTest::newRow("input changed") << "other"
                                   << "out"
                                   << "p" << TESSERA_VERSION << "its input has changed";
    QTest::newRow("output changed") << "in"
                                    << "other"
                                    << "p" << TESSERA_VERSION << "changed afterwards";
    QTest::newRow("parameters") << "in"
                                << "out"
                                << "q" << TESSERA_VERSION << "other parameters";
    QTest::newRow("version") << "in"
                             << "out"
                             << "p"
                             << "0.0.1"
                             << "version 0.0.1";
}

void CommandsPlanTest::resumeRefusesWhatDoesNot() {
    QFETCH(QString, input);
    QFETCH(QString, output);
    QFETCH(QString, parameters);
    QFETCH(QString, version);
    QFETCH(QString, reason);
    const PlannedFile file = plannedWithOutput("in", "out");
    LineFile(recordFile(root_ / "out", {}), LineFile::Existing::Append)
        .append(recordLine({"a-box.png", hashOf(input.toStdString()), hashOf(output.toStdString()),
                            parameters.toStdString(), version.toStdString()}));
    const BatchRecords records = BatchRecords::read(root_ / "out");
    const QString message = errorText([&] { resolveExisting({file}, ExistingOutputs::Skip, records, "p", 1); });
    QVERIFY2(message.contains(reason), qPrintable(message));
    QCOMPARE(resolveExisting({file}, ExistingOutputs::SkipOrOverwrite, records, "p", 1).toDo.size(), std::size_t(1));
}

void CommandsPlanTest::recordsSurviveACrash() {
    const fs::path file = recordFile(root_, {});
    write(file, recordLine({"a.png", "1", "2", "p", "v"}) + "{\"output\": \"b.p"); // cut off in the middle
    LineFile(file, LineFile::Existing::Append).append(recordLine({"c.png", "3", "4", "p", "v"}));
    write(recordFile(root_, {2, 3}), recordLine({"d.png", "5", "6", "p", "v"}) + "[1]\nnull\n{}\n");
    const BatchRecords records = BatchRecords::read(root_);
    QCOMPARE(records.all().size(), std::size_t(3));
    QVERIFY(records.find("a.png") && records.find("c.png") && records.find("d.png"));
    QCOMPARE(records.find("c.png")->inputHash, std::string("3"));
}

// A full disk cuts a line off; when there is room again the next one is whole.
void CommandsPlanTest::linesAfterACutOneAreWhole() {
    const fs::path file = recordFile(root_, {});
    LineFile lines(file, LineFile::Existing::Append);
    lines.append(recordLine({"a.png", "1", "2", "p", "v"}));
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit full{fs::file_size(file) + 20, limit.rlim_max};
    std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &full);
    const QString message = errorText([&] { lines.append(recordLine({"b.png", "3", "4", "p", "v"})); });
    ::setrlimit(RLIMIT_FSIZE, &limit);
    QVERIFY2(message.contains("cannot be written"), qPrintable(message));
    QCOMPARE(fs::file_size(file), std::uintmax_t(full.rlim_cur)); // half a line stands there
    lines.append(recordLine({"c.png", "5", "6", "p", "v"}));
    const BatchRecords records = BatchRecords::read(root_);
    QVERIFY(records.find("a.png") && !records.find("b.png") && records.find("c.png"));
}

void CommandsPlanTest::linesOfADeletedFileAreRefused() {
    const fs::path file = recordFile(root_, {});
    LineFile lines(file, LineFile::Existing::Append);
    lines.append("{}\n");
    fs::remove(file);
    const QString message = errorText([&] { lines.append("{}\n"); });
    QVERIFY2(message.contains("was deleted while the batch ran"), qPrintable(message));
}

void CommandsPlanTest::recordsHoldAnyName() {
    const fs::path name = "br\xfc"
                          "cke\n\\xfc \"q\".png";
    LineFile(recordFile(root_, {}), LineFile::Existing::Append).append(recordLine({name, "1", "2", "p", "v"}));
    QVERIFY(BatchRecords::read(root_).find(name));
}

void CommandsPlanTest::hashesAreXxh3() {
    // The published value of XXH3's 128 bits for no input at all.
    QCOMPARE(contentHash({}), std::string("99aa06d3014798d86001c324468d497f"));
    std::string large(3'000'000, 'x');
    large[1'500'000] = 'y';
    write(root_ / "large", large);
    QCOMPARE(fileHash(root_ / "large"), hashOf(large)); // in pieces as at once
    QVERIFY(fileHash(root_ / "missing").empty());
}

void CommandsPlanTest::theMemoryGateHolds() {
    constexpr std::uint64_t limit = 100;
    MemoryGate gate(limit, [] { return false; });
    std::atomic<std::uint64_t> used{0}, most{0};
    std::vector<std::thread> threads;
    for (std::uint64_t worker = 0; worker < 8; ++worker)
        threads.emplace_back([&, worker] {
            for (int round = 0; round < 200; ++round) {
                const std::uint64_t bytes = 1 + (worker * 37 + std::uint64_t(round) * 11) % 100;
                const MemoryGate::Share share = gate.acquire(bytes);
                const std::uint64_t now = used += bytes;
                for (std::uint64_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                }
                used -= bytes;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    QVERIFY(most > 0 && most <= limit);
}

void CommandsPlanTest::theMemoryGateRefusesTheImpossible() {
    std::atomic<bool> stopped{false};
    MemoryGate gate(100, [&] { return stopped.load(); });
    QVERIFY(errorText([&] { gate.acquire(101); }).contains("--max-memory"));
    const MemoryGate::Share all = gate.acquire(100);
    stopped = true; // whoever waits gives up
    QCOMPARE(errorText([&] { gate.acquire(1); }), QString("not started"));
}

void CommandsPlanTest::progressTellsRateAndRest() {
    QCOMPARE(progressText({4, 0, 0, 100, 0, 0, 0}), std::string("0/4 files"));
    // A quarter of the bytes in 10 s: 30 s are left, whatever the number of files.
    QCOMPARE(progressText({4, 2, 1, 100, 25, 80, 10}),
             std::string("2/4 files, 0.2 files/s, 8 megapixels/s, 0:30 left, 1 failed"));
    QCOMPARE(progressText({4, 4, 0, 100, 100, 80, 10}), std::string("4/4 files, 0.4 files/s, 8 megapixels/s"));
}

QTEST_APPLESS_MAIN(CommandsPlanTest)
#include "commands_plan_test.moc"
