// Two reports side by side: which rows really changed.
#pragma once

#include "app/bench/report.h"

#include <string>
#include <vector>

namespace tessera::bench {

enum class ChangeKind { Same, Faster, Slower, New, Gone, Failed, Mended };

struct Change {
    const Row *before = nullptr; // null: not in the baseline
    const Row *now = nullptr;    // null: no longer measured
    ChangeKind kind = ChangeKind::Same;

    double ratio() const; // time now over time before; 1 where one is missing
};

struct BaselineComparison {
    std::vector<Change> changes;      // in the order of the new report, then what is gone
    std::vector<std::string> remarks; // another device, other data
};

// A change is real where the intervals of the medians are apart and the medians differ by more than a hundredth: from
// one session to the next clocks and placement alone make that much. The reports must outlive the result.
BaselineComparison compareWithBaseline(const Report &before, const Report &now);

std::string markdownComparison(const BaselineComparison &comparison);

} // namespace tessera::bench
