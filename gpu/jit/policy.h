// Whether compiling a kernel for one filter pays. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace tessera::jit {

enum class Specialisation { Never, Auto, Always };

std::optional<Specialisation> specialisationFromName(std::string_view name); // "never", "auto", "always"
std::string_view specialisationName(Specialisation mode);

inline constexpr double defaultCompileMilliseconds = 300; // before any was measured

struct SpecialisationEvidence {
    double megapixels = 0;               // filtered so far with this kernel
    double millisecondsPerMegapixel = 0; // of the general kernel
    double specialisedMilliseconds = 0;  // a megapixel of the specialised one, estimated
    double compileMilliseconds = 0;      // measured; 0: not yet, the default counts
};

// What is saved if as much work comes again as there was already, in milliseconds; negative where the specialised
// kernel is the slower one. (How long a filter will stay is unknown; that it lasts about as long again as it has
// lasted is the guess that is never far off: the cost is then at most about twice that of knowing beforehand, as with
// the rental of skis.)
double expectedSaving(const SpecialisationEvidence &evidence);

// Auto: the expected saving exceeds the cost. Evidence that is no number never pays.
bool worthCompiling(Specialisation mode, const SpecialisationEvidence &evidence);

} // namespace tessera::jit
