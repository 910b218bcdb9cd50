#include "app/commands/inspection_output.h"
#include "app/commands/table.h"
#include "app/commands/text.h"
#include "gpu/model/explain.h"

namespace tessera {

namespace {

using Align = TextTable::Align;
using model::SiteKind;
using sim::AccessKind;

// 16,777,216.
std::string grouped(std::int64_t value) {
    std::string digits = std::to_string(value);
    for (std::ptrdiff_t at = std::ptrdiff_t(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
        digits.insert(std::size_t(at), ",");
    return digits;
}

std::string extent(Extent size) { return std::to_string(size.x) + "x" + std::to_string(size.y); }

const char *kindText(SiteKind kind) {
    switch (kind) {
    case SiteKind::GlobalLoad:
        return "global read";
    case SiteKind::GlobalStore:
        return "global write";
    case SiteKind::SharedLoad:
        return "shared read";
    case SiteKind::SharedStore:
        return "shared write";
    }
    return "";
}

std::string heading(const Inspection &inspection) {
    const InspectionRequest &request = inspection.request;
    return std::string(kernelVariantName(inspection.plan().variant)) + ": " + std::to_string(request.width) + "x" +
           std::to_string(request.height) + " " + std::string(request.pixel.name) + " under " +
           std::to_string(request.kernel.width) + "x" + std::to_string(request.kernel.height) + " taps, border " +
           std::string(borderName(request.border.mode)) + (request.insideOnly ? ", outputs inside only" : "") +
           ", for " + request.device.name + "\n";
}

std::string planText(const Inspection &inspection) {
    const LaunchPlan &plan = inspection.plan();
    const auto &idle = inspection.model.idle;
    std::string text = "PLAN\n  " + extent(plan.grid) + " blocks of " + extent(plan.block) + " threads, " +
                       counted(std::uint64_t(plan.outputsPerThread), "output") + " a thread, " +
                       grouped(std::int64_t(plan.sharedBytes)) + " bytes of shared memory a block\n  " +
                       grouped(plan.threads()) + " threads, ";
    text += idle.total == 0 ? "none of them idle\n"
                            : grouped(idle.total) + " of them idle: " + model::explainIdle(inspection.model) + "\n";
    return text;
}

std::string sitesText(const model::ConvolutionModel &counts) {
    TextTable table({{"LINE"},
                     {"KIND"},
                     {"BYTES", Align::Right},
                     {"ACCESSES", Align::Right},
                     {"REQUESTS", Align::Right},
                     {"SECTORS", Align::Right},
                     {"PASSES", Align::Right},
                     {"A REQUEST", Align::Right},
                     {"CONFLICTS", Align::Right}});
    for (const model::SiteModel &site : counts.sites) {
        if (site.counts.accesses == 0)
            continue; // a path that this picture does not take
        const bool global = isGlobal(site.kind);
        table.addRow({site.name, kindText(site.kind), std::to_string(site.bytesPerAccess),
                      grouped(site.counts.accesses), grouped(site.counts.requests),
                      global ? grouped(site.counts.sectors) : "", global ? "" : grouped(site.counts.passes),
                      model::shortNumber(site.perRequest()), global ? "" : grouped(site.counts.bankConflicts())});
    }
    return table.text(160);
}

std::uint64_t raceCount(const sim::SimulationReport &report) {
    std::uint64_t races = 0;
    for (const sim::Fault &fault : report.faults)
        races += fault.kind == sim::FaultKind::Race;
    return races;
}

// The totals, beside the simulator's where it ran.
std::string totalsText(const Inspection &inspection) {
    const model::ConvolutionModel &counts = inspection.model;
    struct Row {
        const char *name;
        std::int64_t modelled;
        std::uint64_t simulated;
    };
    std::vector<Row> rows{{"global reads", counts.total(SiteKind::GlobalLoad, &model::SiteCounts::accesses), 0},
                          {"global writes", counts.total(SiteKind::GlobalStore, &model::SiteCounts::accesses), 0},
                          {"sectors", counts.movedBytes() / 32, 0},
                          {"bank conflicts", counts.bankConflicts(), 0},
                          {"divergent warps", counts.divergentWarps, 0},
                          {"barriers", counts.barriers, 0}};
    if (!inspection.simulation) {
        TextTable table({{"TOTAL"}, {"MODEL", Align::Right}});
        for (const Row &row : rows)
            table.addRow({row.name, grouped(row.modelled)});
        return table.text();
    }
    const sim::SimulationReport &report = inspection.simulation->report;
    rows[0].simulated = report.total(AccessKind::GlobalLoad, &sim::SiteCounts::accesses);
    rows[1].simulated = report.total(AccessKind::GlobalStore, &sim::SiteCounts::accesses);
    rows[2].simulated = report.total(AccessKind::GlobalLoad, &sim::SiteCounts::sectors) +
                        report.total(AccessKind::GlobalStore, &sim::SiteCounts::sectors);
    for (const sim::SiteCounts &site : report.sites)
        rows[3].simulated += site.bankConflicts();
    rows[4].simulated = report.divergentBranches;
    rows[5].simulated = report.barriers;
    TextTable table({{"TOTAL"}, {"MODEL", Align::Right}, {"SIMULATED", Align::Right}});
    for (const Row &row : rows)
        table.addRow({row.name, grouped(row.modelled), grouped(std::int64_t(row.simulated))});
    table.addRow({"races", "", grouped(std::int64_t(raceCount(report)))});
    table.addRow({"faults", "", grouped(std::int64_t(report.faultCount))});
    std::string text = table.text();
    if (inspection.simulation->sampled())
        text += "  Simulated: one block of each kind, " + grouped(inspection.simulation->blocksRun) + " of " +
                grouped(inspection.simulation->blocks) + "; their counts stand for their kind.\n";
    for (const sim::Fault &fault : report.faults)
        text += "  FAULT at line " + std::to_string(fault.line) + ": " + fault.what + "\n";
    return text;
}

std::string reasonsText(const Inspection &inspection) {
    const model::ConvolutionModel &counts = inspection.model;
    std::string text = "WHY\n";
    for (const std::string &line : wrapText(inspection.explanation + ".", 110))
        text += "  " + line + "\n";
    text += "  " + binarySize(std::uint64_t(counts.mustReadBytes + counts.mustWriteBytes)) +
            " must move, threads ask for " + binarySize(std::uint64_t(counts.askedBytes())) + ", in sectors of " +
            binarySize(std::uint64_t(counts.movedBytes())) + "; " + grouped(counts.operations) + " " +
            std::string(model::arithmeticUnitName(counts.unit)) + " operations.\n";
    if (inspection.roofline)
        text += "  Roofline of " + inspection.request.device.ceilingsOf + ", as measured: no faster than " +
                shortNumber(1e3 * inspection.roofline->floorSeconds, 3) + " ms; memory bounds below " +
                model::shortNumber(inspection.roofline->ridge) + " operations a byte.\n";
    if (inspection.occupancy)
        text += "  A multiprocessor holds " + counted(std::uint64_t(inspection.occupancy->blocks), "block") + ", " +
                std::to_string(inspection.occupancy->warps) + " of " +
                std::to_string(inspection.occupancy->maximumWarps) + " warps" +
                (inspection.loaded ? "" : "; registers are not known without a GPU and count as no limit") + ".\n";
    if (const auto rounds = inspection.rounds())
        text += "  The launch fills the GPU " + model::shortNumber(*rounds) + " times.\n";
    if (inspection.loaded)
        text += "  Loaded kernel: " + std::to_string(inspection.loaded->registers) + " registers and " +
                std::to_string(inspection.loaded->localBytes) + " bytes of local memory a thread, " +
                std::to_string(inspection.loaded->staticSharedBytes) + " bytes of static shared memory a block.\n";
    return text;
}

} // namespace

std::string inspectionText(const Inspection &inspection) {
    return heading(inspection) + "\n" + planText(inspection) + "\n" + sitesText(inspection.model) + "\n" +
           totalsText(inspection) + "\n" + reasonsText(inspection);
}

std::string inspectionOverview(const std::vector<Inspection> &inspections,
                               const std::vector<std::pair<std::string, std::string>> &refusals) {
    TextTable table({{"VARIANT"},
                     {"BLOCK"},
                     {"SHARED", Align::Right},
                     {"IDLE", Align::Right},
                     {"READS", Align::Right},
                     {"A VALUE", Align::Right},
                     {"SECTORS", Align::Right},
                     {"WHY"}});
    for (const Inspection &inspection : inspections) {
        const model::ConvolutionModel &counts = inspection.model;
        table.addRow({std::string(kernelVariantName(inspection.plan().variant)), extent(inspection.plan().block),
                      grouped(std::int64_t(inspection.plan().sharedBytes)), grouped(counts.idle.total),
                      grouped(counts.total(SiteKind::GlobalLoad, &model::SiteCounts::accesses)),
                      model::shortNumber(counts.readsPerValue()), grouped(counts.movedBytes() / 32),
                      inspection.explanation});
    }
    for (const auto &[variant, reason] : refusals)
        table.addRow({variant, "-", "-", "-", "-", "-", "-", "cannot run: " + reason});
    return table.text(150);
}

} // namespace tessera
