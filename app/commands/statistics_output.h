// Statistics as JSON and as a table, for stats and for batch reports.
#pragma once

#include "app/commands/json_output.h"
#include "app/stats/statistics.h"

namespace tessera {

enum class Histograms { Leave, Include };

// An array with one object a channel.
Json statisticsJson(const ImageStatistics &statistics, Histograms histograms);

// A row a channel, and below a histogram a channel drawn in one line.
std::string statisticsTable(const ImageStatistics &statistics);

} // namespace tessera
