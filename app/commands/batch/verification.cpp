#include "app/commands/batch/verification.h"

#include "app/commands/text.h"
#include "app/engines/engine_support.h"
#include "app/engines/reach.h"
#include "app/engines/reference.h"
#include "app/image/image_io.h"
#include "app/session/bands.h"
#include "app/session/chain_reach.h"

#include <chrono>
#include <cmath>

namespace tessera {

namespace {

// The reference dressed as an engine, so that the pipeline around it (channels, alpha, chains) is the same code.
class ReferenceEngine : public Engine {
public:
    std::string_view name() const override { return "reference"; }
    DeviceKind deviceKind() const override { return DeviceKind::Cpu; }
    std::string deviceId() const override { return "cpu"; }
    std::string deviceName() const override { return "float64 reference"; }
    std::vector<VariantInfo> variants() const override { return {{"reference", "Reference", "Four loops in float64"}}; }
    std::string refusal(const ConvolutionJob &) const override { return {}; }
    RunTimes convolve(const ConvolutionJob &job, const RunControl &control) override {
        const auto start = std::chrono::steady_clock::now();
        convolveReference(job, control);
        RunTimes times;
        times.totalMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        times.variant = "reference";
        return times;
    }
};

// The colours of a row's pixels whose alpha is thin.
template <class Sample> void openThin(const ConstPixelView &expected, int y, std::uint8_t *mask) {
    const int channels = expected.format.channels;
    const Sample *row = expected.row<Sample>(y);
    const double least = thinAlpha * nominalMaximum(expected.format.depth);
    for (int x = 0; x < expected.width; ++x)
        if (!(std::fabs(double(row[(x + 1) * channels - 1])) >= least))
            mask[x] |= std::uint8_t((1u << (channels - 1)) - 1u);
}

bool isHalf(const std::string &variant) { return variant.find("half") != std::string::npos; }

bool hasReducedPrecision(const std::string &variant) { return isHalf(variant) || variant == "tensor"; }

// `error`: without what rounding to levels may make of it.
Verification::Cause causeOf(double error, const VerificationBound &bound, const std::string &variant) {
    using Cause = Verification::Cause;
    if (!(error > 0))
        return Cause::None;
    if (hasReducedPrecision(variant))
        return Cause::ReducedPrecision;
    if (error <= bound.ofSums)
        return Cause::CancellingTaps;
    if (error <= bound.ofAlpha)
        return Cause::ThinAlpha;
    return error <= bound.largest ? Cause::Stretch : Cause::None;
}

} // namespace

EngineChoice referenceEngine() {
    EngineChoice reference;
    reference.engine = std::make_shared<ReferenceEngine>();
    reference.variant = "reference";
    return reference;
}

void openThinAlpha(OpenSamples &open, const ConstPixelView &expected, std::span<const FilterStep> steps,
                   PixelFormat source) {
    if (!expected.format.hasAlpha() || !canThinAlpha(steps, source))
        return;
    if (open.samples.empty())
        open.samples = SampleMask(expected.width, expected.height);
    open.values = OpenSamples::Values::Any;
    withSampleType(expected.format.depth, [&]<class Sample>(std::type_identity<Sample>) {
        for (int y = 0; y < expected.height; ++y)
            openThin<Sample>(expected, y, open.samples.row(y));
    });
}

Verification judge(const DifferenceSums &differences, Depth output, const VerificationBound &bound,
                   const std::string &variant) {
    Verification verification;
    verification.maximumError = differences.maximumError;
    verification.relativeL2 = differences.relativeL2();
    // Where terms cancel, little is left to be relative to: then what the chain's arithmetic costs decides.
    const double rounding = output == Depth::F32 ? 0.0 : 1.0; // of results that lie on either side of a tie
    const bool withinRounding = verification.maximumError <= rounding + bound.largest &&
                                differences.rootMeanSquare() <= rounding / 2 + bound.typical;
    const bool close = output == Depth::F32 ? verification.relativeL2 <= 1e-5 : verification.maximumError <= 1.0;
    verification.mayOverflow = bound.mayOverflow;
    verification.withinBounds = close || withinRounding || hasReducedPrecision(variant);
    verification.cause = causeOf(verification.maximumError - rounding, bound, variant);
    return verification;
}

std::string coarseNote(const Verification &verification, Depth output, const std::string &variant) {
    constexpr double levelsWorthSaying = 2, shareWorthSaying = 1e-3;
    const bool floats = output == Depth::F32;
    if (floats ? verification.relativeL2 < shareWorthSaying : verification.maximumError < levelsWorthSaying)
        return {};
    const std::string far = shortNumber(verification.maximumError) + (floats ? "" : " levels") + " from ";
    switch (verification.cause) {
    case Verification::Cause::ReducedPrecision:
        return "variant " + variant + " computes in " +
               (isHalf(variant) ? "half precision" : "the precision of tensor cores") + " and ends up to " + far +
               "exact sums; another --variant would help";
    case Verification::Cause::ThinAlpha:
        return "where negative taps leave little alpha, colours that are divided by it end up to " + far +
               "exact ones; --alpha preserve would help";
    case Verification::Cause::Stretch:
        return "its results lie so close together that --response range stretches rounding with them, up to " + far +
               "exact ones";
    case Verification::Cause::CancellingTaps:
        return "its taps are so large, and cancel, that sums in 32-bit floats end up to " + far +
               "exact ones; smaller taps or --divisor would help";
    case Verification::Cause::None:
        break;
    }
    return "it ends up to " + far + "exact sums";
}

Verification verifyOutput(const Image &source, const Image &result, std::span<const FilterStep> steps,
                          OutputDepth depth, const std::string &variant, const RunControl &control) {
    PipelineTimes times;
    const Image expected = runPipeline(source, steps, referenceEngine(), depth, control, &times);
    const VerificationBound bound =
        boundOf(steps, source.format(), largestMagnitude(source.view()), depth, times.stretch);
    const bool opaque = source.format().hasAlpha() && isOpaqueBand(source.view());
    OpenSamples open = openSamples(source.view(), steps, depth, opaque);
    openThinAlpha(open, expected.view(), steps, source.format());
    return judge(differenceSums(result, expected, open), result.format().depth, bound, variant);
}

bool decodesTo(std::span<const std::byte> encoded, const Image &picture) {
    const Image decoded = decodeImage(encoded, "the encoded picture");
    const bool sameShape = decoded.width() == picture.width() && decoded.height() == picture.height() &&
                           decoded.format().depth == picture.format().depth;
    // Formats without grey store three equal channels: the shape alone tells no error then.
    if (!sameShape || decoded.format().channels != picture.format().channels)
        return sameShape;
    return compareImages(decoded, picture).maximumError == 0.0;
}

} // namespace tessera
