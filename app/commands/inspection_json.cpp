#include "app/commands/inspection_output.h"
#include "gpu/model/explain.h"

namespace tessera {

namespace {

using model::SiteKind;
using sim::AccessKind;

const char *kindName(SiteKind kind) {
    switch (kind) {
    case SiteKind::GlobalLoad:
        return "global_load";
    case SiteKind::GlobalStore:
        return "global_store";
    case SiteKind::SharedLoad:
        return "shared_load";
    case SiteKind::SharedStore:
        return "shared_store";
    }
    return "global_load";
}

const char *kindName(AccessKind kind) {
    switch (kind) {
    case AccessKind::GlobalLoad:
        return "global_load";
    case AccessKind::GlobalStore:
        return "global_store";
    case AccessKind::GlobalAtomic:
        return "global_atomic";
    case AccessKind::SharedLoad:
        return "shared_load";
    case AccessKind::SharedStore:
        return "shared_store";
    case AccessKind::SharedAtomic:
        return "shared_atomic";
    }
    return "global_load";
}

const char *kindName(sim::FaultKind kind) {
    switch (kind) {
    case sim::FaultKind::OutOfBounds:
        return "out_of_bounds";
    case sim::FaultKind::Unaligned:
        return "unaligned";
    case sim::FaultKind::Race:
        return "race";
    case sim::FaultKind::UninitialisedShared:
        return "uninitialised_shared";
    }
    return "race";
}

// The path from the project's root on: where the program was built says nothing.
std::string sourceFile(const std::string &file) {
    const std::size_t at = file.rfind("gpu/");
    return at == std::string::npos ? file : file.substr(at);
}

Json planJson(const Inspection &inspection) {
    const LaunchPlan &plan = inspection.plan();
    Json object;
    object["grid"] = {plan.grid.x, plan.grid.y};
    object["block"] = {plan.block.x, plan.block.y};
    object["shared_bytes"] = plan.sharedBytes;
    object["blocks"] = plan.blocks();
    object["threads"] = plan.threads();
    object["idle"] = inspection.model.idle.total;
    object["idle_columns"] = inspection.model.idle.columns;
    object["idle_rows"] = inspection.model.idle.rows;
    object["outputs_per_thread"] = plan.outputsPerThread;
    return object;
}

Json siteJson(const model::SiteModel &site) {
    Json object;
    object["name"] = site.name;
    object["kind"] = kindName(site.kind);
    object["bytes_per_access"] = site.bytesPerAccess;
    object["accesses"] = site.counts.accesses;
    object["bytes"] = site.counts.bytes;
    object["requests"] = site.counts.requests;
    if (isGlobal(site.kind)) {
        object["sectors"] = site.counts.sectors;
    } else {
        object["passes"] = site.counts.passes;
        object["bank_conflicts"] = site.counts.bankConflicts();
    }
    return object;
}

Json occupancyJson(const Inspection &inspection) {
    if (!inspection.occupancy)
        return nullptr;
    const model::Occupancy &occupancy = *inspection.occupancy;
    const auto limit = [](int blocks) { return blocks >= model::Occupancy::unlimited ? Json(nullptr) : Json(blocks); };
    Json object;
    object["blocks"] = occupancy.blocks;
    object["warps"] = occupancy.warps;
    object["maximum_warps"] = occupancy.maximumWarps;
    object["share"] = occupancy.share();
    object["limits"] = {{"blocks", limit(occupancy.byBlocks)},
                        {"warps", limit(occupancy.byWarps)},
                        {"registers", limit(occupancy.byRegisters)},
                        {"shared_memory", limit(occupancy.bySharedMemory)}};
    object["limited_by"] = model::limitingResources(occupancy);
    object["registers_known"] = inspection.loaded.has_value();
    const auto rounds = inspection.rounds();
    object["rounds"] = rounds ? jsonNumber(*rounds) : Json(nullptr);
    return object;
}

Json rooflineJson(const Inspection &inspection) {
    if (!inspection.roofline)
        return nullptr;
    const model::Roofline &roofline = *inspection.roofline;
    Json object;
    object["ceilings_of"] = inspection.request.device.ceilingsOf;
    object["bound"] = roofline.bound == model::Bound::Memory ? "memory" : "arithmetic";
    object["ridge"] = jsonNumber(roofline.ridge);
    object["attainable_operations_per_second"] = jsonNumber(roofline.attainable);
    object["floor_ms"] = jsonNumber(1e3 * roofline.floorSeconds);
    return object;
}

Json modelJson(const Inspection &inspection) {
    const model::ConvolutionModel &counts = inspection.model;
    Json object;
    object["global_reads"] = counts.total(SiteKind::GlobalLoad, &model::SiteCounts::accesses);
    object["global_writes"] = counts.total(SiteKind::GlobalStore, &model::SiteCounts::accesses);
    object["sectors"] = counts.movedBytes() / 32;
    object["bank_conflicts"] = counts.bankConflicts();
    object["divergent_warps"] = counts.divergentWarps;
    object["barriers"] = counts.barriers;
    object["reads_per_value"] = counts.readsPerValue();
    object["bytes"] = {{"must_read", counts.mustReadBytes},
                       {"must_write", counts.mustWriteBytes},
                       {"asked", counts.askedBytes()},
                       {"moved", counts.movedBytes()}};
    object["operations"] = counts.operations;
    object["intensity"] = counts.work().intensity();
    object["unit"] = model::arithmeticUnitName(counts.unit);
    object["sites"] = Json::array();
    for (const model::SiteModel &site : counts.sites)
        object["sites"].push_back(siteJson(site));
    object["occupancy"] = occupancyJson(inspection);
    object["roofline"] = rooflineJson(inspection);
    object["explanation"] = inspection.explanation;
    return object;
}

std::uint64_t faultsOf(const sim::SimulationReport &report, sim::FaultKind kind) {
    std::uint64_t count = 0;
    for (const sim::Fault &fault : report.faults)
        count += fault.kind == kind;
    return count;
}

Json simulatedJson(const sim::ConvolutionSimulation &simulation) {
    const sim::SimulationReport &report = simulation.report;
    Json object;
    object["blocks_run"] = simulation.blocksRun;
    object["blocks"] = simulation.blocks;
    object["sampled"] = simulation.sampled();
    object["global_reads"] = report.total(AccessKind::GlobalLoad, &sim::SiteCounts::accesses);
    object["global_writes"] = report.total(AccessKind::GlobalStore, &sim::SiteCounts::accesses);
    object["sectors"] = report.total(AccessKind::GlobalLoad, &sim::SiteCounts::sectors) +
                        report.total(AccessKind::GlobalStore, &sim::SiteCounts::sectors);
    std::uint64_t conflicts = 0;
    for (const sim::SiteCounts &site : report.sites)
        conflicts += site.bankConflicts();
    object["bank_conflicts"] = conflicts;
    object["divergent_warps"] = report.divergentBranches;
    object["barriers"] = report.barriers;
    object["races"] = faultsOf(report, sim::FaultKind::Race);
    object["out_of_bounds"] = faultsOf(report, sim::FaultKind::OutOfBounds);
    object["unaligned"] = faultsOf(report, sim::FaultKind::Unaligned);
    object["uninitialised_shared"] = faultsOf(report, sim::FaultKind::UninitialisedShared);
    object["sites"] = Json::array();
    for (const sim::SiteCounts &site : report.sites) {
        Json entry{{"file", sourceFile(site.file)}, {"line", site.line},   {"kind", kindName(site.kind)},
                   {"accesses", site.accesses},     {"bytes", site.bytes}, {"requests", site.requests}};
        if (sim::isGlobal(site.kind))
            entry["sectors"] = site.sectors;
        else
            entry.update({{"passes", site.wavefronts}, {"bank_conflicts", site.bankConflicts()}});
        object["sites"].push_back(std::move(entry));
    }
    object["faults"] = Json::array();
    for (const sim::Fault &fault : report.faults)
        object["faults"].push_back({{"kind", kindName(fault.kind)},
                                    {"file", sourceFile(fault.file)},
                                    {"line", fault.line},
                                    {"what", fault.what}});
    return object;
}

Json deviceJson(const Inspection &inspection) {
    const LoadedKernel &loaded = *inspection.loaded;
    Json object;
    object["name"] = inspection.request.device.name;
    object["registers"] = loaded.registers;
    object["shared_bytes"] = loaded.staticSharedBytes;
    object["local_bytes"] = loaded.localBytes;
    object["maximum_threads"] = loaded.maximumThreads;
    object["blocks_per_multiprocessor"] = loaded.blocksPerMultiprocessor;
    object["compiled_for"] =
        std::to_string(loaded.binaryVersion / 10) + "." + std::to_string(loaded.binaryVersion % 10);
    return object;
}

} // namespace

Json inspectionJson(const Inspection &inspection) {
    const InspectionRequest &request = inspection.request;
    Json object;
    object["variant"] = kernelVariantName(inspection.plan().variant);
    object["width"] = request.width;
    object["height"] = request.height;
    object["kernel_width"] = request.kernel.width;
    object["kernel_height"] = request.kernel.height;
    object["pixel"] = request.pixel.name;
    object["border"] = borderName(request.border.mode);
    object["inside_only"] = request.insideOnly;
    object["for"] = request.device.name;
    object["plan"] = planJson(inspection);
    object["model"] = modelJson(inspection);
    if (inspection.simulation)
        object["simulated"] = simulatedJson(*inspection.simulation);
    if (inspection.loaded)
        object["device"] = deviceJson(inspection);
    return object;
}

} // namespace tessera
