#include "app/bench/baseline.h"

#include "app/bench/report_text.h"

#include <algorithm>
#include <cmath>

namespace tessera::bench {

namespace {

constexpr double leastChange = 0.01;

bool sameContender(const Row &a, const Row &b) {
    const bool bothDevices = a.device.starts_with("cuda") && b.device.starts_with("cuda"); // numbers may have moved
    return a.key == b.key && a.variant == b.variant && (a.device == b.device || bothDevices);
}

const Row *findRow(const Report &report, const Row &like) {
    const auto found = std::ranges::find_if(report.rows, [&](const Row &row) { return sameContender(row, like); });
    return found == report.rows.end() ? nullptr : &*found;
}

ChangeKind kindOf(const Row &before, const Row &now) {
    if (!before.ranked() || !now.ranked())
        return before.ranked() ? ChangeKind::Failed : now.ranked() ? ChangeKind::Mended : ChangeKind::Same;
    const double ratio = now.time.median / before.time.median;
    if (!apart(before.time.interval, now.time.interval) || std::fabs(ratio - 1) <= leastChange)
        return ChangeKind::Same;
    return ratio < 1 ? ChangeKind::Faster : ChangeKind::Slower;
}

void addRemarks(const Report &before, const Report &now, std::vector<std::string> &remarks) {
    if (before.device.name != now.device.name)
        remarks.push_back("The baseline was measured on another device: " + before.device.name + ", not " +
                          now.device.name + ". Changes mix the device with the program.");
    if (before.host && now.host && before.host->name != now.host->name)
        remarks.push_back("The baseline's CPU was another one: " + before.host->name + ", not " + now.host->name + ".");
    if (before.version != now.version)
        remarks.push_back("The baseline is of version " + before.version + ", this is " + now.version + ".");
}

std::string_view word(ChangeKind kind) {
    switch (kind) {
    case ChangeKind::Same:
        return "same";
    case ChangeKind::Faster:
        return "**faster**";
    case ChangeKind::Slower:
        return "**slower**";
    case ChangeKind::New:
        return "new";
    case ChangeKind::Gone:
        return "gone";
    case ChangeKind::Failed:
        return "**fails now**";
    case ChangeKind::Mended:
        return "**works now**";
    }
    return "";
}

} // namespace

double Change::ratio() const {
    return before && now && before->ranked() && now->ranked() ? now->time.median / before->time.median : 1.0;
}

BaselineComparison compareWithBaseline(const Report &before, const Report &now) {
    BaselineComparison comparison;
    addRemarks(before, now, comparison.remarks);
    for (const Row &row : now.rows) {
        const Row *old = findRow(before, row);
        comparison.changes.push_back({old, &row, old ? kindOf(*old, row) : ChangeKind::New});
    }
    for (const Row &row : before.rows)
        if (!findRow(now, row))
            comparison.changes.push_back({&row, nullptr, ChangeKind::Gone});
    return comparison;
}

std::string markdownComparison(const BaselineComparison &comparison) {
    std::string text = "## Against the baseline\n\n";
    for (const std::string &remark : comparison.remarks)
        text += "- " + remark + "\n";
    if (!comparison.remarks.empty())
        text += "\n";
    MarkdownTable table({"work", "variant", "before ms", "now ms", "ratio", "change"}, 2);
    int same = 0, fresh = 0, gone = 0;
    for (const Change &change : comparison.changes) {
        same += change.kind == ChangeKind::Same;
        fresh += change.kind == ChangeKind::New;
        gone += change.kind == ChangeKind::Gone;
        if (!change.before || !change.now || change.kind == ChangeKind::Same)
            continue;
        const auto ms = [](const Row &row) { return row.ranked() ? milliseconds(row.time.median) : "-"; };
        table.addRow({contestTitle(change.now->key), contenderName(*change.now), ms(*change.before), ms(*change.now),
                      change.before->ranked() && change.now->ranked() ? fixed(change.ratio(), 3) : "-",
                      std::string(word(change.kind))});
    }
    text += table.rows() == 0 ? "No row changed for certain.\n" : table.text();
    text += "\n" + std::to_string(same) + " unchanged (intervals overlap, or within 1 %), " + std::to_string(fresh) +
            " not in the baseline, " + std::to_string(gone) + " only there.\n";
    return text;
}

} // namespace tessera::bench
