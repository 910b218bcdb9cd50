#include "app/bench/report.h"
#include "app/bench/report_text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tessera::bench {

namespace {

std::string mebibytes(double bytes) {
    const double mib = bytes / (1 << 20);
    return mib >= 1024 ? fixed(mib / 1024, 0) + " GiB"
           : mib >= 1  ? fixed(mib, 0) + " MiB"
                       : fixed(mib * 1024, 0) + " KiB";
}

std::string copiesText(const std::vector<CopyRate> &rates) {
    std::string text;
    for (const CopyRate &rate : rates)
        text += (text.empty() ? "" : ", ") + bytesPerSecondText(rate.bytesPerSecond) + " at " + mebibytes(rate.bytes);
    return text;
}

std::string arithmeticText(const DeviceCeilings &ceilings) {
    std::string text;
    const auto add = [&](const char *name, const std::optional<double> &rate) {
        if (rate)
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + operationsPerSecondText(*rate);
    };
    add("float multiply-adds", ceilings.fp32);
    add("packed halves", ceilings.half2);
    add("tensor cores", ceilings.tensor);
    return text;
}

std::string clocksText(const DeviceReport &device) {
    const ClockRecord &clocks = device.clocks;
    if (!device.clocksMissing.empty())
        return "- Clocks: " + device.clocksMissing + "\n";
    if (!clocks.highestMhz)
        return {};
    std::string text =
        "- Clocks: " + std::to_string(*clocks.lowestMhz) + " to " + std::to_string(*clocks.highestMhz) + " MHz";
    if (clocks.memoryMhz)
        text += ", memory " + std::to_string(*clocks.memoryMhz) + " MHz";
    if (clocks.temperature)
        text += ", at most " + std::to_string(*clocks.temperature) + " degrees Celsius";
    if (clocks.throttling.empty())
        return text + ", never throttled\n";
    text += "; THROTTLED:";
    for (const std::string &reason : clocks.throttling)
        text += " " + reason + (&reason == &clocks.throttling.back() ? "" : ",");
    return text + "\n";
}

std::string deviceText(const DeviceReport &device) {
    std::string text =
        "**" + device.name + "** (" + device.id + (device.detail.empty() ? "" : ", " + device.detail) + ")\n\n";
    const DeviceCeilings &ceilings = device.ceilings;
    if (!ceilings.cold.empty())
        text += "- Copy, read plus written, cold: " + copiesText(ceilings.cold) + "\n";
    if (!ceilings.hot.empty())
        text += "- Copy, hot: " + copiesText(ceilings.hot) + "\n";
    if (const std::string arithmetic = arithmeticText(ceilings); !arithmetic.empty())
        text += "- Arithmetic: " + arithmetic + "\n";
    if (ceilings.upload && ceilings.download)
        text += "- Upload " + bytesPerSecondText(*ceilings.upload) + ", download " +
                bytesPerSecondText(*ceilings.download) + " (pinned memory)\n";
    if (ceilings.emptyCallMs)
        text += "- An empty launch, from the call to its end: " + fixed(1e3 * *ceilings.emptyCallMs, 1) + " us\n";
    return text + clocksText(device) + "\n";
}

// Rows of one table: everything alike but the kernel.
std::string tableTitle(ContestKey key) {
    std::string text = std::to_string(key.width) + "x" + std::to_string(key.height) + " " + key.pixel;
    text += key.work == "convolution" ? ", border " + key.border : ", " + key.work;
    const std::string scope = key.scope == Scope::EndToEnd ? "end to end" : std::string(scopeName(key.scope));
    return text + ": " + scope + ", " + std::string(cacheStateName(key.cache));
}

std::string kernelText(const ContestKey &key) {
    if (key.work != "convolution")
        return key.distribution;
    std::string text = std::to_string(key.kernelWidth) + "x" + std::to_string(key.kernelHeight);
    return key.kernel == "random" ? text : text + " " + key.kernel;
}

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string speedText(const Row &row) {
    if (const auto rate = row.operationsPerSecond(); rate && row.work.operations > 0)
        return operationsPerSecondText(*rate);
    return bytesPerSecondText(1e3 * row.work.bytes / row.time.median);
}

std::vector<std::string> cellsOf(const Row &row, const DeviceReport *device) {
    if (!row.ranked())
        return {kernelText(row.key),
                contenderName(row),
                "-",
                "failed",
                "",
                "",
                "",
                "",
                "",
                "",
                shortError(row.check.maxError),
                shortError(row.check.relativeL2),
                row.failure};
    std::string remarks = row.tieWith.empty() ? "" : "tie with " + joined(row.tieWith);
    if (row.fp32FloorMs && row.work.unit == model::ArithmeticUnit::Tensor)
        remarks += (remarks.empty() ? "" : "; ") + fixed(*row.fp32FloorMs / row.time.median, 2) +
                   " times the speed of the float floor";
    if (device && row.heldBack(*device))
        remarks += (remarks.empty() ? "at " : "; at ") + std::to_string(std::lround(*row.clockMhz)) + " MHz";
    if (!row.note.empty())
        remarks += (remarks.empty() ? "" : "; ") + row.note;
    const std::string marked = row.work.dense ? "" : " *";
    return {kernelText(row.key),
            contenderName(row),
            std::to_string(row.rank),
            milliseconds(row.time.median),
            milliseconds(row.time.p5),
            milliseconds(row.time.p95),
            std::to_string(row.time.samples),
            row.floor ? milliseconds(row.floor->ms) : "-",
            row.share() ? fixed(*row.share(), 3) + marked : "-",
            speedText(row),
            shortError(row.check.maxError),
            shortError(row.check.relativeL2),
            remarks};
}

std::string tablesText(const Report &report) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const Row *>> groups;
    for (const Row &row : report.rows) {
        const std::string title = tableTitle(row.key);
        if (!groups.contains(title))
            order.push_back(title);
        groups[title].push_back(&row);
    }
    std::string text;
    for (const std::string &title : order) {
        const bool convolution = groups[title].front()->key.work == "convolution";
        MarkdownTable table({convolution ? "kernel" : "values", "variant", "rank", "median ms", "p5", "p95", "n",
                             "floor ms", "share", "speed", "max error", "rel. L2", "remarks"},
                            2);
        for (const Row *row : groups[title])
            table.addRow(cellsOf(*row, report.deviceReport(row->device)));
        text += "### " + title + "\n\n" + table.text() + "\n";
    }
    return text;
}

std::string checkText(const Report &report) {
    const bool whole = std::ranges::all_of(
        report.rows, [](const Row &row) { return row.check.pixelsChecked == row.check.pixelsWhole; });
    const bool borders = std::ranges::all_of(report.rows, [](const Row &row) { return row.check.wholeBorder; });
    return std::string("Every result was checked before its time was taken, on fresh random data with poisoned "
                       "outputs, against float64: ") +
           (whole     ? "every pixel."
            : borders ? "the whole border band, and rows and single pixels of the inside."
                      : "part of the border band, and rows and single pixels of the inside.") +
           " Errors are in the picture's units; of integer pictures in levels from the correctly rounded result.";
}

std::string legend(const Report &report) {
    std::vector<std::string> lines;
    if (!report.rows.empty()) {
        lines.push_back(checkText(report));
        lines.push_back(
            "Floor: the larger of the bytes over the copy rate at that size and the K*K operations over the "
            "peak of the unit used, both of this session. Share: floor over median.");
        lines.push_back("A rank counts those that are faster for certain: whose intervals of the median (95 %) lie "
                        "wholly below.");
    }
    if (std::ranges::any_of(report.rows, [](const Row &row) { return !row.work.dense; }))
        lines.push_back("* does not make the definition's K*K operations: a share of the memory floor alone.");
    if (std::ranges::any_of(report.rows, [&](const Row &row) {
            const DeviceReport *device = report.deviceReport(row.device);
            return row.ranked() && device && row.heldBack(*device);
        }))
        lines.push_back(
            "At ... MHz: what the multiprocessors' clock fell to while that work ran, as a rule for want of "
            "power; floors are those of the full clock.");
    std::string text;
    for (const std::string &line : lines)
        text += line + "\n";
    return text;
}

} // namespace

std::string markdownReport(const Report &report) {
    std::string text = "# tessera bench" + (report.suite.empty() ? "" : " --suite " + report.suite) + "\n\n";
    text += "tessera " + report.version + ", " + report.started + ", seed " + std::to_string(report.seed) + "\n\n";
    text += deviceText(report.device);
    if (report.host)
        text += deviceText(*report.host);
    for (const DeviceReport &device : report.others)
        text += deviceText(device);
    for (const std::string &note : report.notes)
        text += "> " + note + "\n";
    if (!report.notes.empty())
        text += "\n";
    text += tablesText(report) + legend(report);
    if (!report.leftOut.empty()) {
        text += "\nLeft out:\n\n";
        for (const LeftOut &one : report.leftOut)
            text += "- " + one.variant + (one.device.empty() || one.device == one.variant ? "" : " on " + one.device) +
                    (one.what.empty() ? "" : " (" + one.what + ")") + ": " + one.reason + "\n";
    }
    return text;
}

} // namespace tessera::bench
