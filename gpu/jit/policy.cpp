#include "gpu/jit/policy.h"

#include <array>
#include <utility>

namespace tessera::jit {

namespace {

constexpr std::array<std::pair<Specialisation, std::string_view>, 3> names{
    {{Specialisation::Never, "never"}, {Specialisation::Auto, "auto"}, {Specialisation::Always, "always"}}};

} // namespace

std::optional<Specialisation> specialisationFromName(std::string_view name) {
    for (const auto &[mode, text] : names)
        if (text == name)
            return mode;
    return std::nullopt;
}

std::string_view specialisationName(Specialisation mode) {
    for (const auto &[entry, text] : names)
        if (entry == mode)
            return text;
    return "unknown";
}

double expectedSaving(const SpecialisationEvidence &evidence) {
    return evidence.megapixels * (evidence.millisecondsPerMegapixel - evidence.specialisedMilliseconds);
}

bool worthCompiling(Specialisation mode, const SpecialisationEvidence &evidence) {
    if (mode != Specialisation::Auto)
        return mode == Specialisation::Always;
    const double cost = evidence.compileMilliseconds > 0 ? evidence.compileMilliseconds : defaultCompileMilliseconds;
    return evidence.megapixels > 0 && expectedSaving(evidence) > cost; // false where either is NaN
}

} // namespace tessera::jit
