#include "app/commands/batch/verification.h"

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

bool hasReducedPrecision(const std::string &variant) {
    return variant.find("half") != std::string::npos || variant == "tensor";
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
    return verification;
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
