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
    const auto json = nlohmann::json::parse(raceJson("a subject", std::span(&device, 1), rows()));
    QCOMPARE(json.at("subject").get<std::string>(), std::string("a subject"));
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
    const auto json = nlohmann::json::parse(raceJson("", {}, {}, &map));
    QCOMPARE(json.at("crossover").at("cells").size(), map.cells.size());
}

} // namespace

QTEST_APPLESS_MAIN(RaceReportTest)
#include "race_report_test.moc"
