// A race as text for other programs. Both say everything that is known of each row, with units in the names; what was
// not measured is empty or left out, and simulated rows say so.
#pragma once

#include "app/race/crossover.h"
#include "app/race/race.h"

#include <span>
#include <string>

namespace tessera {

// RFC 4180: a header and a line a row, numbers with a decimal point whatever the locale.
std::string raceCsv(std::span<const RaceRow> rows);

// One object: subject ("512 x 512 8-bit RGB, ..."), devices with their ceilings, rows, and the crossover map where
// there is one.
std::string raceJson(const std::string &subject, std::span<const RaceDevice> devices, std::span<const RaceRow> rows,
                     const CrossoverMap *map = nullptr);

} // namespace tessera
