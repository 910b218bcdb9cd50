#include "app/engines/variant_advice.h"

#include "app/engines/engine_support.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace tessera {

namespace {

// Half-precision variants are not among them: they state errors of whole levels.
constexpr std::array contenders{KernelVariant::Blocked, KernelVariant::TiledFloat4, KernelVariant::NaiveFloat4,
                                KernelVariant::Tiled,   KernelVariant::Naive,       KernelVariant::Separable,
                                KernelVariant::Tensor,  KernelVariant::Fft};

constexpr double tie = 0.97;

struct Candidate {
    VariantChoice choice;
    double milliseconds = 0;
    int terms = 0;
};

std::string nameOf(const Candidate &candidate) {
    std::string name(kernelVariantName(candidate.choice.variant));
    if (candidate.terms > 1)
        name += " in " + std::to_string(candidate.terms) + " terms";
    return name;
}

std::string milliseconds(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 0.1 ? "%.3f" : "%.2f", value);
    return text;
}

std::string reasonOf(const std::vector<Candidate> &ranked, const std::string &device) {
    std::string reason = nameOf(ranked[0]) + ": " + milliseconds(ranked[0].milliseconds) + " ms expected";
    if (ranked.size() > 1)
        reason += ", " + nameOf(ranked[1]) + " " + milliseconds(ranked[1].milliseconds);
    return reason + " (as measured on " + device + ")";
}

ScalarType sourceType(const ConvolutionJob &job) {
    return needsFloatSource(job) ? ScalarType::F32 : scalarTypeOf(job.source.format.depth);
}

int termsOfJob(const ConvolutionJob &job) {
    const auto factors = separableFactors(*job.kernel);
    return factors && factors->exact ? termsOf(*factors) : 0;
}

double largestOf(const ConvolutionJob &job) {
    const Depth depth = job.source.format.depth;
    const double nominal = depth == Depth::F32 ? 1.0 : nominalMaximum(depth);
    return job.border.mode == BorderMode::Constant ? std::max(nominal, std::fabs(job.border.constant)) : nominal;
}

// Nothing where the variant can't run the job, is not precise enough or was never measured.
std::optional<Candidate> candidateFor(const ConvolutionJob &job, KernelVariant variant, int terms,
                                      const DeviceLimits &limits, const SpeedTable &speeds) {
    Candidate candidate;
    candidate.choice.variant = variant;
    if (job.precision == Precision::Level && variant == KernelVariant::Tensor && kernelShape(job).eightBit) {
        candidate.choice.terms = 1;
        if (!preciseEnough(job, candidate.choice, largestOf(job)))
            candidate.choice.terms = 0;
    }
    if (variant == KernelVariant::Separable && terms == 0)
        return std::nullopt;
    candidate.terms = variant == KernelVariant::Separable ? terms : 0;
    if (!kernelRefusal(job, candidate.choice, limits).empty() || !preciseEnough(job, candidate.choice, largestOf(job)))
        return std::nullopt;
    const SpeedKey key{variant, sourceType(job),
                       variant == KernelVariant::Fft ? 1 : packedChannels(job.source.format.channels), candidate.terms};
    const auto speed = speeds.predict(key, workOf(variant, job.kernel->width, job.kernel->height));
    if (!speed)
        return std::nullopt;
    candidate.milliseconds = launchMilliseconds(variant) + *speed * megapixelsOf(variant, kernelShape(job));
    return candidate;
}

// The winner first, then the others by time.
void rank(std::vector<Candidate> &candidates) {
    std::ranges::stable_sort(candidates, {}, &Candidate::milliseconds);
    const auto order = [](const Candidate &candidate) {
        return std::ranges::find(contenders, candidate.choice.variant) - contenders.begin();
    };
    auto winner = candidates.begin();
    for (auto other = candidates.begin(); other != candidates.end(); ++other)
        if (candidates.front().milliseconds > tie * other->milliseconds && order(*other) < order(*winner))
            winner = other;
    std::rotate(candidates.begin(), winner, winner + 1);
}

} // namespace

bool preciseEnough(const ConvolutionJob &job, const VariantChoice &choice, double largest) {
    const double bound = kernelErrorBound(job, choice, largest);
    const double plain = kernelErrorBound(job, VariantChoice{KernelVariant::Naive, true}, largest);
    if (job.target.format.depth != Depth::F32)
        return bound <= std::max(plain, job.precision == Precision::Level ? 0.5 : 0.02);
    return bound <= std::max(plain, 2e-5 * gainOf(job) * largest);
}

VariantAdvice adviseVariant(const ConvolutionJob &job, const DeviceLimits &limits, const SpeedTable &speeds,
                            bool finite) {
    const int terms = termsOfJob(job);
    const bool spreads = !finite && sourceType(job) == ScalarType::F32;
    std::vector<Candidate> candidates;
    for (const KernelVariant variant : contenders)
        if (auto candidate = candidateFor(job, variant, terms, limits, speeds))
            candidates.push_back(*candidate);
    const auto isSpreading = [](const Candidate &one) { return spreadsNonfinite(one.choice.variant); };
    if (spreads && !std::ranges::all_of(candidates, isSpreading))
        std::erase_if(candidates, isSpreading);
    if (candidates.empty())
        return {VariantChoice{KernelVariant::Naive, true}, 0, "naive: no variant that runs this filter was measured"};
    rank(candidates);
    return {candidates[0].choice, candidates[0].milliseconds,
            reasonOf(candidates, speeds.device) +
                (spreads
                     ? "; fft and separable would spread what the picture holds of NaN, infinities or far too bright"
                     : "")};
}

bool AdviceCache::Question::matches(const ConvolutionJob &job, bool wantedFinite) const {
    const ConvolutionKernel &other = *job.kernel;
    return finite == wantedFinite && width == job.region.width && height == job.region.height &&
           from == job.source.format && to == job.target.format && border == job.border.mode &&
           constant == job.border.constant && divisor == job.finish.divisor && precision == job.precision &&
           kernel.width == other.width && kernel.height == other.height && kernel.anchorX == other.anchorX &&
           kernel.anchorY == other.anchorY && kernel.taps == other.taps;
}

VariantAdvice AdviceCache::adviceFor(const ConvolutionJob &job, const DeviceLimits &limits, const SpeedTable &speeds,
                                     bool finite) {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::ranges::find_if(answers_, [&](const auto &answer) { return answer.first.matches(job, finite); });
    if (known != answers_.end()) {
        std::rotate(answers_.begin(), known, known + 1);
        return answers_.front().second;
    }
    answers_.emplace_front(Question{*job.kernel, job.region.width, job.region.height, job.source.format,
                                    job.target.format, job.border.mode, job.border.constant, job.finish.divisor,
                                    job.precision, finite},
                           adviseVariant(job, limits, speeds, finite));
    if (answers_.size() > kept)
        answers_.pop_back();
    return answers_.front().second;
}

} // namespace tessera
