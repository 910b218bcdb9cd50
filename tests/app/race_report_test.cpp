#include "app/race/race_report.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

using namespace tessera;

namespace {

std::vector<RaceRow> rows() {
    RaceRow cpu;
    cpu.engine = "cpu";
    cpu.deviceId = "cpu";
    cpu.device = "Fast \"one\", 2 GHz";
    cpu.variant = "cpu";
    cpu.state = RaceState::Done;
    cpu.samples = 9;
    cpu.medianMs = 0.5;
    cpu.kernelMs = 0.25;
    cpu.interval = {0.4, 0.6};
    cpu.bytes = 1e6;
    cpu.operations = 5e6;
    cpu.floorMs = 0.125;
    cpu.maximumError = 0;
    cpu.relativeL2 = 0;
    cpu.tieWith = {"opencv"};
    cpu.note = "line one\nline two";
    RaceRow other = cpu;
    other.variant = other.engine = "opencv";
    other.medianMs = 2;
    other.tieWith = {"cpu"};
    RaceRow naive;
    naive.engine = "sim";
    naive.variant = "naive";
    naive.simulated = true;
    naive.state = RaceState::Done;
    naive.counts = RaceCounts{100, 10, 40, 0, 2, 0, true, false};
    RaceRow refused;
    refused.variant = "tiled";
    refused.state = RaceState::Refused;
    refused.note = "too large, sorry";
    return {cpu, other, naive, refused};
}

RaceSubject subject() {
    FilterStep step;
    step.filter = parseFilter("gaussian:sigma=1.1");
    step.border = {BorderMode::Constant, 0.25};
    step.linear = true;
    return raceSubject(Image(30, 20, {Depth::U16, 1}), "a, \"b\".png", step);
}

// Fields of the line that begins with the variant, RFC 4180.
std::map<std::string, std::string> lineOf(const std::string &csv, std::size_t wanted) {
    std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
    bool quoted = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"')
            lines.back().back() += csv[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == ',')
            lines.back().emplace_back();
        else if (!quoted && c == '\n')
            lines.emplace_back(1);
        else if (quoted || c != '\r')
            lines.back().back() += c;
    }
    std::map<std::string, std::string> fields;
    for (std::size_t i = 0; i < lines[0].size(); ++i)
        fields[lines[0][i]] = lines.at(wanted).at(i);
    return fields;
}

class RaceReportTest : public QObject {
    Q_OBJECT

private slots:
    void csvSaysEverything();
    void jsonSaysEverything();
    void jsonHoldsTheMap();
    void everyLineNamesTheSubject();
    void aSubjectIsAllThatIsMeasured();
    void aRaceThatIsOverWaitsForNothing();
};

void RaceReportTest::csvSaysEverything() {
    const std::string csv = raceCsv(rows());
    QCOMPARE(std::ranges::count(csv, '\n'), 5 + 2); // two notes hold a line break
    const auto cpu = lineOf(csv, 1);
    QCOMPARE(cpu.at("variant"), std::string("cpu"));
    QCOMPARE(cpu.at("device"), std::string("Fast \"one\", 2 GHz"));
    QCOMPARE(cpu.at("median_ms"), std::string("0.5"));
    QCOMPARE(cpu.at("interval_high_ms"), std::string("0.6"));
    QCOMPARE(cpu.at("speed_up"), std::string("4")); // over the slowest, as no naive is timed
    QCOMPARE(cpu.at("gigabytes_per_second"), std::string("4"));
    QCOMPARE(cpu.at("gigaflops"), std::string("20"));
    QCOMPARE(cpu.at("share"), std::string("0.5"));
    QCOMPARE(cpu.at("share_of"), std::string("roofline"));
    QCOMPARE(cpu.at("error_of"), std::string("sum"));
    QCOMPARE(cpu.at("tie_with"), std::string("opencv"));
    QCOMPARE(cpu.at("note"), std::string("line one\nline two"));
    const auto naive = lineOf(csv, 3);
    QCOMPARE(naive.at("simulated"), std::string("yes"));
    QCOMPARE(naive.at("median_ms"), std::string());
    QCOMPARE(naive.at("speed_up"), std::string());
    QCOMPARE(naive.at("sectors"), std::string("40"));
    QCOMPARE(lineOf(csv, 4).at("state"), std::string("refused"));
    // Fewer operations than the definition: none of its are achieved, and memory alone is the measure.
    std::vector<RaceRow> fewer = rows();
    fewer[0].dense = false;
    fewer[0].errorRounded = true;
    const auto passes = lineOf(raceCsv(fewer), 1);
    QCOMPARE(passes.at("gigaflops"), std::string());
    QCOMPARE(passes.at("share_of"), std::string("memory"));
    QCOMPARE(passes.at("error_of"), std::string("rounded"));
}

void RaceReportTest::jsonSaysEverything() {
    RaceDevice device{"cpu", "Fast one", {}, true};
    device.ceilings.hot = {{1e6, 2e10}};
    device.ceilings.fp32 = 1e11;
    const auto json = nlohmann::json::parse(raceJson(subject(), std::span(&device, 1), rows()));
    QCOMPARE(json.at("subject").get<std::string>(), describeSubject(subject()));
    QCOMPARE(json.at("picture").at("name").get<std::string>(), std::string("a, \"b\".png"));
    QCOMPARE(json.at("picture").at("width").get<int>(), 30);
    QCOMPARE(json.at("picture").at("format").get<std::string>(), std::string("16-bit grey"));
    QCOMPARE(json.at("step").at("filter").get<std::string>(), std::string("gaussian:sigma=1.1"));
    QCOMPARE(json.at("step").at("border_value").get<double>(), 0.25);
    QCOMPARE(json.at("kernel_size").at(0).get<int>(), subject().kernelWidth);
    QCOMPARE(json.at("devices").at(0).at("copy_hot").at(0).at("bytes_per_second").get<double>(), 2e10);
    QCOMPARE(json.at("devices").at(0).at("fp32_operations_per_second").get<double>(), 1e11);
    const auto &list = json.at("rows");
    QCOMPARE(list.size(), std::size_t(4));
    QCOMPARE(list.at(0).at("kernel_ms").get<double>(), 0.25);
    QCOMPARE(list.at(0).at("tie_with").at(0).get<std::string>(), std::string("opencv"));
    QVERIFY(list.at(2).at("simulated").get<bool>());
    QVERIFY(!list.at(2).contains("median_ms")); // never a time
    QCOMPARE(list.at(2).at("counts").at("by").get<std::string>(), std::string("simulator"));
    QCOMPARE(list.at(2).at("counts").at("divergent_warps").get<int>(), 2);
    QVERIFY(!json.contains("crossover"));
}

void RaceReportTest::jsonHoldsTheMap() {
    const CrossoverMap map = emptyCrossover({}, "1");
    const auto json = nlohmann::json::parse(raceJson({}, {}, {}, &map));
    QCOMPARE(json.at("crossover").at("cells").size(), map.cells.size());
}

void RaceReportTest::everyLineNamesTheSubject() {
    const std::string csv = raceCsv(rows(), subject());
    for (std::size_t line = 1; line <= 4; ++line) {
        const auto fields = lineOf(csv, line);
        QCOMPARE(fields.at("picture"), std::string("a, \"b\".png"));
        QCOMPARE(fields.at("width") + "x" + fields.at("height"), std::string("30x20"));
        QCOMPARE(fields.at("format"), std::string("16-bit grey"));
        QCOMPARE(fields.at("filter"), std::string("gaussian:sigma=1.1"));
        QCOMPARE(fields.at("kernel_width"), std::to_string(subject().kernelWidth));
        QCOMPARE(fields.at("border"), std::string("constant:0.25"));
        QCOMPARE(fields.at("options"), std::string("linear=true"));
    }
    const auto unnamed = lineOf(raceCsv(rows()), 1);
    QCOMPARE(unnamed.at("picture") + unnamed.at("filter") + unnamed.at("options"), std::string());
    QCOMPARE(unnamed.at("note"), std::string("line one\nline two"));
    // A kernel of one's own has no other name than its taps.
    RaceSubject own = subject();
    own.step.filter = {"custom", {}, ConvolutionKernel::centred(3, 1, {1, 2, 5})};
    QVERIFY(lineOf(raceCsv(rows(), own), 1).at("filter").find('5') != std::string::npos);
}

void RaceReportTest::aSubjectIsAllThatIsMeasured() {
    QCOMPARE(describeSubject(subject()),
             std::string("a, \"b\".png, 30 × 20 16-bit grey · Gaussian blur, sigma 1.1 px, 9 × 9 kernel · "
                         "constant:0.25 border · linear=true"));
    QVERIFY(subject() == subject());
    const Image picture(30, 20, {Depth::U16, 1});
    const auto differs = [&](auto change) {
        FilterStep step = subject().step;
        change(step);
        return !(raceSubject(picture, subject().picture, step) == subject());
    };
    QVERIFY(!differs([](FilterStep &step) { step.enabled = false; })); // it is raced all the same
    // As many taps, but others.
    QVERIFY(differs([](FilterStep &step) { step.filter = parseFilter("gaussian:sigma=1.15"); }));
    QVERIFY(differs([](FilterStep &step) { step.border.constant = 0.5; }));
    QVERIFY(differs([](FilterStep &step) { step.border.mode = BorderMode::Replicate; }));
    QVERIFY(differs([](FilterStep &step) { step.linear = false; }));
    QVERIFY(!(raceSubject(Image(30, 21, {Depth::U16, 1}), subject().picture, subject().step) == subject()));
    QVERIFY(!(raceSubject(Image(30, 20, {Depth::U8, 1}), subject().picture, subject().step) == subject()));
    QVERIFY(!(raceSubject(picture, "c.png", subject().step) == subject()));
    // Switches and choices as words; defaults too.
    FilterStep step;
    step.filter = parseFilter("sobel:normalized=yes");
    QCOMPARE(filterParameters(raceSubject(picture, {}, step)), std::vector<std::string>{"normalised"});
    step.filter = parseFilter("laplacian");
    QCOMPARE(filterParameters(raceSubject(picture, {}, step)), std::vector<std::string>{"neighbours 4"});
    step.filter = parseFilter("emboss:angle=30");
    QCOMPARE(filterParameters(raceSubject(picture, {}, step)), (std::vector<std::string>{"angle 30°", "depth 1"}));
}

void RaceReportTest::aRaceThatIsOverWaitsForNothing() {
    std::vector<RaceRow> all(4);
    all[1].state = all[2].state = RaceState::Running;
    all[2].samples = 3;
    all[3].state = RaceState::Refused;
    settleRows(all);
    QVERIFY(all[0].state == RaceState::Stopped && all[1].state == RaceState::Stopped);
    QVERIFY(all[2].state == RaceState::Done && all[3].state == RaceState::Refused);
}

} // namespace

QTEST_APPLESS_MAIN(RaceReportTest)
#include "race_report_test.moc"
