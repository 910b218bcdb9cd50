#include "gpu/model/explain.h"

#include <cmath>
#include <cstdio>

namespace tessera::model {

namespace {

std::string counted(std::int64_t count, const std::string &what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string times(double value) {
    const std::string text = shortNumber(value);
    return text == "1" ? "once" : text == "2" ? "twice" : text + " times";
}

std::string sharedMemory(const ConvolutionModel &model) {
    const std::int64_t loads = model.total(SiteKind::SharedLoad, &SiteCounts::bytes);
    if (loads == 0)
        return {};
    const std::int64_t passes = model.total(SiteKind::SharedLoad, &SiteCounts::passes) +
                                model.total(SiteKind::SharedStore, &SiteCounts::passes);
    const double share = double(model.bankConflicts()) / double(passes);
    return ", then " + times(double(loads) / double(model.mustReadBytes)) + " from shared memory " +
           (model.bankConflicts() == 0
                ? "without bank conflicts"
                : "with " + shortNumber(100 * share) + " % of its passes lost to bank conflicts");
}

} // namespace

std::string shortNumber(double value) {
    if (!std::isfinite(value))
        return "-";
    const double magnitude = std::abs(value);
    const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    std::string number = text;
    if (number.find('.') != std::string::npos) {
        number.erase(number.find_last_not_of('0') + 1);
        if (number.back() == '.')
            number.pop_back();
    }
    return number;
}

std::string explain(const ConvolutionModel &model, const std::optional<Occupancy> &occupancy,
                    const std::optional<Roofline> &roofline) {
    const std::int64_t requests = model.total(SiteKind::GlobalLoad, &SiteCounts::requests);
    std::string text = "Each input value is read " + times(model.readsPerValue());
    if (requests > 0)
        text += ", " + shortNumber(double(model.total(SiteKind::GlobalLoad, &SiteCounts::sectors)) / double(requests)) +
                " sectors a request";
    text += sharedMemory(model);
    text += "; " + shortNumber(model.work().intensity()) + " operations a byte that must move";
    if (roofline)
        text += roofline->bound == Bound::Memory
                    ? ": bound by memory"
                    : ": bound by " + std::string(arithmeticUnitName(model.unit)) + " arithmetic";
    const bool registersKnown = occupancy && occupancy->byRegisters < Occupancy::unlimited;
    if (occupancy && occupancy->blocks > 0)
        text += "; occupancy " + std::string(registersKnown ? "" : "at most ") + shortNumber(100 * occupancy->share()) +
                " %, limited by " + limitingResources(*occupancy);
    else if (occupancy)
        text += "; no block fits on a multiprocessor for want of " + limitingResources(*occupancy);
    return text;
}

std::string explainIdle(const ConvolutionModel &model) {
    if (model.idle.total == 0)
        return "none";
    std::string text;
    if (model.idle.columns > 0)
        text = counted(model.idle.columns, "thread column") + " of the last column of blocks";
    if (model.idle.rows > 0)
        text += (text.empty() ? "" : " and ") + counted(model.idle.rows, "thread row") + " of the last row of blocks";
    return text;
}

} // namespace tessera::model
