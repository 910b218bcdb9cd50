// A crossover map as JSON, to be kept.
#pragma once

#include "app/race/crossover.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

std::string formatCrossover(const CrossoverMap &map);

// Throws Error{Input} naming `source` where the text is no such map, or contradicts itself.
CrossoverMap parseCrossover(std::string_view text, const std::string &source);

// The same map of the same devices, plan and version: measured again it would say the same.
bool stillHolds(const CrossoverMap &kept, const CrossoverMap &wanted);

} // namespace tessera
