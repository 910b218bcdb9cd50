// What a race measures: one filter step on one picture. Times of another subject are those of an earlier race.
#pragma once

#include "app/race/race.h"

#include <string>
#include <vector>

namespace tessera {

struct RaceSubject {
    std::string picture; // its name as it is shown
    int width = 0, height = 0;
    PixelFormat format;
    FilterStep step;                       // with its parameters, border and options; always enabled
    int kernelWidth = 0, kernelHeight = 0; // taps, of the largest kernel; 0 for a filter that cannot be built

    friend bool operator==(const RaceSubject &, const RaceSubject &) = default;
};

// A race and what it is of.
struct RaceRecord {
    RaceSubject subject;
    std::vector<RaceRow> rows;
};

RaceSubject raceSubject(const Image &picture, const std::string &name, const FilterStep &step);

// "Gaussian blur".
std::string filterTitle(const RaceSubject &subject);
// "sigma 1.1 px", every parameter with its value, defaults too; a switch only where it is on.
std::vector<std::string> filterParameters(const RaceSubject &subject);
// "constant:0.5", as the command line takes it.
std::string borderOption(const RaceSubject &subject);
// "gaussian:sigma=1.1", as the command line takes it; a kernel of one's own as JSON.
std::string filterOption(const RaceSubject &subject);
// "linear=true channels=luma": what is not as by default beside filter and border, by its names in a chain's file.
std::string otherOptions(const RaceSubject &subject);

// "a.png, 512 × 512 8-bit RGB · Gaussian blur, sigma 1.1 px, 9 × 9 kernel · replicate border", for reports.
std::string describeSubject(const RaceSubject &subject);

} // namespace tessera
