// A race as text for other programs. Both say everything that is known of each row, with units in the names; what was
// not measured is empty or left out, and simulated rows say so.
#pragma once

#include "app/race/crossover.h"
#include "app/race/race_subject.h"

#include <optional>
#include <span>
#include <string>

namespace tessera {

// RFC 4180: a header and a line a row, numbers with a decimal point whatever the locale. Every line ends with the
// subject: picture, width, height, format, filter, kernel_width, kernel_height, border, options; empty without one.
std::string raceCsv(std::span<const RaceRow> rows, const std::optional<RaceSubject> &subject = {});

// One object: subject (as describeSubject() has it), picture, step (as in a chain's file) and kernel_size, devices with
// their ceilings, rows, and the crossover map where there is one.
std::string raceJson(const std::optional<RaceSubject> &subject, std::span<const RaceDevice> devices,
                     std::span<const RaceRow> rows, const CrossoverMap *map = nullptr);

} // namespace tessera
