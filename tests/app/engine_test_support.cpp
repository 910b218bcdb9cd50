#include "tests/app/engine_test_support.h"

#include "app/engines/engine_support.h"
#include "app/engines/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <sstream>
#include <utility>

namespace tessera::test {

namespace {

constexpr std::byte guardByte{0xC3};
constexpr std::byte poisonByte{0xA7};
constexpr std::ptrdiff_t guardSize = 256;

} // namespace

GuardedPicture::GuardedPicture(int width, int height, PixelFormat format, int extraPitchSamples)
    : width_(width), height_(height), format_(format),
      pitch_(std::ptrdiff_t(width) * format.bytesPerPixel() +
             std::ptrdiff_t(extraPitchSamples) * bytesPerSample(format.depth)),
      memory_(std::size_t(2 * guardSize + pitch_ * height + 8), guardByte) {
    poison();
}

// One sample past a round address: nothing may rely on alignment beyond the sample's own.
std::ptrdiff_t GuardedPicture::offset() const { return guardSize + bytesPerSample(format_.depth); }

PixelView GuardedPicture::view() { return {memory_.data() + offset(), width_, height_, pitch_, format_}; }
ConstPixelView GuardedPicture::view() const { return {memory_.data() + offset(), width_, height_, pitch_, format_}; }

void GuardedPicture::fillRandom(Random &random) {
    std::uniform_real_distribution<float> real(-0.25f, 1.25f);
    for (int y = 0; y < height_; ++y) {
        for (int i = 0; i < width_ * format_.channels; ++i) {
            const std::uint64_t bits = random();
            if (format_.depth == Depth::U8)
                view().row<std::uint8_t>(y)[i] = std::uint8_t(bits);
            else if (format_.depth == Depth::U16)
                view().row<std::uint16_t>(y)[i] = std::uint16_t(bits);
            else
                view().row<float>(y)[i] = real(random);
        }
    }
}

void GuardedPicture::poison() {
    for (int y = 0; y < height_; ++y)
        std::memset(view().row<std::byte>(y), int(poisonByte), std::size_t(width_ * format_.bytesPerPixel()));
}

bool GuardedPicture::isPixelByte(std::size_t index) const {
    const std::ptrdiff_t inside = std::ptrdiff_t(index) - offset();
    return inside >= 0 && inside < pitch_ * height_ &&
           inside % pitch_ < std::ptrdiff_t(width_) * format_.bytesPerPixel();
}

bool GuardedPicture::guardsIntact() const {
    for (std::size_t i = 0; i < memory_.size(); ++i)
        if (!isPixelByte(i) && memory_[i] != guardByte)
            return false;
    return true;
}

double GuardedPicture::at(int x, int y, int channel) const {
    const int i = x * format_.channels + channel;
    return withSampleType(format_.depth, [&]<class T>(std::type_identity<T>) { return double(view().row<T>(y)[i]); });
}

void GuardedPicture::set(int x, int y, int channel, double value) {
    const int i = x * format_.channels + channel;
    withSampleType(format_.depth, [&]<class T>(std::type_identity<T>) { view().row<T>(y)[i] = static_cast<T>(value); });
}

ConvolutionKernel randomKernel(int width, int height, Random &random) {
    ConvolutionKernel kernel;
    kernel.width = width;
    kernel.height = height;
    kernel.anchorX = width / 2;
    kernel.anchorY = height / 2;
    kernel.taps.resize(std::size_t(width) * std::size_t(height));
    std::uniform_real_distribution<double> real(-1.0, 1.0);
    double sum = 0;
    for (double &tap : kernel.taps)
        sum += tap = real(random);
    // A mean near 0.1 keeps the quotients in the range of the picture without making the taps alike.
    const double shift = 0.1 - sum / double(kernel.taps.size());
    for (double &tap : kernel.taps)
        tap += shift;
    return kernel;
}

Finish averaging(const ConvolutionKernel &kernel) {
    const double sum = std::accumulate(kernel.taps.begin(), kernel.taps.end(), 0.0);
    return {float(sum), 0.0f, Response::Clamp};
}

Rectangle Case::resolvedRegion() const { return region.empty() ? Rectangle{0, 0, width, height} : region; }

double Case::work() const {
    const Rectangle area = resolvedRegion();
    return double(area.width) * area.height * kernel.width * kernel.height;
}

std::string Case::text() const {
    std::ostringstream text;
    const Rectangle area = resolvedRegion();
    text << width << "x" << height << "x" << channels << " " << depthName(source) << "->" << depthName(target)
         << " border " << borderName(border.mode) << ":" << border.constant << " kernel " << kernel.width << "x"
         << kernel.height << "@" << kernel.anchorX << "," << kernel.anchorY << " divisor " << finish.divisor
         << " offset " << finish.offset << " response " << int(finish.response) << " region " << area.x << "," << area.y
         << "+" << area.width << "x" << area.height << " mask " << (channelMask & 15u) << " pitch +"
         << extraPitchSamples;
    return text.str();
}

namespace {

// What a value becomes before it is rounded.
double responded(const Finish &finish, double value, Depth target) {
    if (target == Depth::F32 || finish.response == Response::Clamp)
        return value;
    if (finish.response == Response::Absolute)
        return std::fabs(value);
    return value + (nominalMaximum(target) + 1.0) / 2.0;
}

double gainOf(const Case &what) {
    double magnitude = 0;
    for (const double tap : what.kernel.taps)
        magnitude += std::fabs(tap);
    return magnitude / std::fabs(double(what.finish.divisor));
}

// Collects the errors of one case.
class Comparison {
public:
    // `bound`: the error that the variant promises (Engine::errorBound). Float32 variants must keep to 1e-5 relative L2
    // besides, unless the terms cancel: where little is left of large terms, no float32 sum can be that close.
    // `levels`: integer pixels are judged by that bound too, as the variant rounds the taps.
    Comparison(const Case &what, const ConvolutionJob &job, double bound, bool half, bool levels)
        : case_(what), job_(job), bound_(bound), halfBound_(half ? bound : 0.0),
          levelBound_(half || levels ? bound : 0.0) {
        // The rounding error of a sum grows with the magnitude of its terms: gain times the largest source value.
        const double largest = std::max({nominalMaximum(what.source) * (what.source == Depth::F32 ? 1.25 : 1.0),
                                         std::fabs(what.border.constant), 1e-30});
        largestTerm_ = std::max(1.0, gainOf(what)) * largest;
    }

    void compare(int x, int y, int channel, double actual) {
        if ((case_.channelMask >> channel & 1u) == 0)
            return compareCopy(x, y, channel, actual);
        const double value = referenceValue(job_, x, y, channel);
        if (case_.target == Depth::F32)
            compareFloat(x, y, channel, value, actual);
        else
            compareInteger(x, y, channel, value, actual);
    }

    std::string failure() const {
        if (!failure_.empty())
            return failure_;
        const double relative = squaredNorm_ > 0 ? std::sqrt(squaredError_ / squaredNorm_) : std::sqrt(squaredError_);
        const double rms = std::sqrt(squaredError_ / double(std::max<std::size_t>(count_, 1)));
        if (halfBound_ == 0 && !(relative <= 1e-5) && !(rms <= bound_))
            return "relative L2 " + std::to_string(relative * 1e6) + "e-6";
        return {};
    }

private:
    void fail(int x, int y, int channel, double expected, double actual) {
        if (!failure_.empty())
            return;
        std::ostringstream text;
        text.precision(10);
        text << "at (" << x << ", " << y << ") channel " << channel << ": expected " << expected << ", got " << actual;
        failure_ = text.str();
    }

    void compareCopy(int x, int y, int channel, double actual) {
        const int i = x * case_.channels + channel;
        const double expected = withSampleType(case_.source, [&]<class S>(std::type_identity<S>) {
            return withSampleType(case_.target, [&]<class T>(std::type_identity<T>) {
                return double(copySample<T>(job_.source.row<S>(y)[i]));
            });
        });
        if (expected != actual)
            fail(x, y, channel, expected, actual);
    }

    void compareFloat(int x, int y, int channel, double value, double actual) {
        squaredError_ += (value - actual) * (value - actual);
        squaredNorm_ += value * value;
        ++count_;
        const double bound = halfBound_ > 0 ? halfBound_ : 1e-5 * largestTerm_;
        if (!(std::fabs(value - actual) <= bound)) // a NaN fails too
            fail(x, y, channel, value, actual);
    }

    void compareInteger(int x, int y, int channel, double value, double actual) {
        const double before = responded(case_.finish, value, case_.target);
        const auto stored = [&](double exact) {
            return withSampleType(
                case_.target, [&]<class T>(std::type_identity<T>) { return double(finishValue<T>(Finish{}, exact)); });
        };
        if (stored(before) == actual)
            return;
        if (levelBound_ > 0) {
            if (actual < stored(before - levelBound_) || actual > stored(before + levelBound_))
                fail(x, y, channel, before, actual);
            return;
        }
        const double toTie = std::fabs(before - std::floor(before) - 0.5);
        // 1e-3 of a level at 8 bit, for terms no larger than the picture's values.
        if (std::fabs(stored(before) - actual) > 1.0 || toTie > 1e-3 / 255.0 * largestTerm_)
            fail(x, y, channel, before, actual);
    }

    const Case &case_;
    const ConvolutionJob &job_;
    const double bound_;
    const double halfBound_, levelBound_;
    double largestTerm_ = 1;
    double squaredError_ = 0, squaredNorm_ = 0;
    std::size_t count_ = 0;
    std::string failure_;
};

bool hasVariant(const Engine &engine, const std::string &name) {
    const std::vector<VariantInfo> variants = engine.variants();
    return std::ranges::find(variants, name, &VariantInfo::name) != variants.end();
}

} // namespace

CaseResult runCase(Engine &engine, const std::string &variant, const Case &what, Random &random,
                   const std::vector<Rectangle> &checked) {
    const Rectangle region = what.resolvedRegion();
    GuardedPicture source(what.width, what.height, {what.source, what.channels}, what.extraPitchSamples);
    GuardedPicture target(region.width, region.height, {what.target, what.channels}, what.extraPitchSamples);
    source.fillRandom(random);

    ConvolutionJob job;
    job.source = std::as_const(source).view();
    job.target = target.view();
    job.region = region;
    job.kernel = &what.kernel;
    job.border = what.border;
    job.finish = what.finish;
    job.channelMask = what.channelMask;
    job.variant = variant;
    if (!engine.refusal(job).empty())
        return {{}, true};
    const RunTimes times = engine.convolve(job, {});
    // Where none is named, the engine says which one it chose, and that one's promises count.
    if (variant.empty() ? !hasVariant(engine, times.variant) : times.variant != variant)
        return {"ran '" + times.variant + "' instead of '" + variant + "'", false};
    if (!source.guardsIntact() || !target.guardsIntact())
        return {"wrote outside the picture", false};

    const double largest = std::max(nominalMaximum(what.source) * (what.source == Depth::F32 ? 1.25 : 1.0),
                                    std::fabs(what.border.constant));
    const bool half = times.variant.find("half") != std::string::npos;
    const bool levels = times.variant.starts_with("tensor");
    Comparison comparison(what, job, engine.errorBound(job, largest), half, levels);
    const std::vector<Rectangle> areas = checked.empty() ? std::vector{region} : checked;
    for (const Rectangle &area : areas)
        for (int y = area.y; y < area.y + area.height; ++y)
            for (int x = area.x; x < area.x + area.width; ++x)
                for (int c = 0; c < what.channels; ++c)
                    comparison.compare(x, y, c, target.at(x - region.x, y - region.y, c));
    return {comparison.failure(), false};
}

} // namespace tessera::test
