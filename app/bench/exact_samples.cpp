#include "app/bench/exact_samples.h"

#include "app/core/thread_pool.h"
#include "app/engines/reference.h"
#include "gpu/image/finish.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tessera::bench {

namespace {

constexpr double budgetPerThread = 4e8; // the reference makes about as many multiply-adds a second
constexpr double mostPlaces = 4e6;      // which take 20 bytes and more each

// Half a unit in the last place of what the type can hold near `value`.
double outputRounding(ScalarType type, double value) {
    switch (type) {
    case ScalarType::U8:
    case ScalarType::U16:
        return 0.5;
    case ScalarType::F16:
        return std::fabs(value) * 0x1p-11 + 0x1p-25;
    case ScalarType::F32:
        break;
    }
    return std::fabs(value) * 0x1p-24;
}

double saturated(ScalarType type, double value) {
    if (type == ScalarType::U8)
        return std::clamp(value, 0.0, 255.0);
    if (type == ScalarType::U16)
        return std::clamp(value, 0.0, 65535.0);
    return value;
}

bool isInteger(ScalarType type) { return type == ScalarType::U8 || type == ScalarType::U16; }

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

std::string at(int x, int y, int channel) {
    return "at (" + std::to_string(x) + ", " + std::to_string(y) + "), channel " + std::to_string(channel);
}

} // namespace

bool ExactSamples::isBorder(const Workload &workload, int x, int y) const {
    const ConvolutionKernel &kernel = workload.kernel;
    return x < kernel.anchorX || y < kernel.anchorY || x + kernel.width - kernel.anchorX > workload.width ||
           y + kernel.height - kernel.anchorY > workload.height;
}

void ExactSamples::addBorder(const Workload &workload, double limit) {
    std::vector<Place> band;
    for (int y = 0; y < workload.height; ++y)
        for (int x = 0; x < workload.width; ++x) {
            if (isBorder(workload, x, y))
                band.push_back({x, y, true});
            else // the inside of this row is one piece
                x = std::max(x, workload.width - (workload.kernel.width - workload.kernel.anchorX));
        }
    const auto most = std::size_t(std::max(limit, 4096.0));
    wholeBorder_ = band.size() <= most;
    if (wholeBorder_) {
        places_ = std::move(band);
        return;
    }
    const double step = double(band.size() - 1) / double(most - 1); // first and last, so that corners are among them
    for (std::size_t i = 0; i < most; ++i)
        places_.push_back(band[std::size_t(double(i) * step)]);
}

// Whole rows find what goes wrong along a row, single pixels what goes wrong in few places.
void ExactSamples::addInside(const Workload &workload, double limit) {
    std::minstd_rand random(std::uint32_t(workload.seed | 1u));
    const auto add = [&](int x, int y) {
        if (!isBorder(workload, x, y))
            places_.push_back({x, y, false});
    };
    const int rows = int(std::clamp(0.75 * limit / workload.width, 1.0, 64.0));
    for (int i = 0; i < rows; ++i) {
        const int y = int(random() % unsigned(workload.height));
        for (int x = 0; x < workload.width; ++x)
            add(x, y);
    }
    const auto single = std::size_t(std::clamp(0.25 * limit, 1024.0, 65536.0));
    for (std::size_t i = 0; i < single; ++i)
        add(int(random() % unsigned(workload.width)), int(random() % unsigned(workload.height)));
}

void ExactSamples::choosePlaces(const Workload &workload, double budget) {
    const double perPixel = double(workload.kernel.width) * workload.kernel.height * workload.pixel.channels;
    const double pixels = std::min(budget / perPixel, mostPlaces);
    if (double(wholePixels_) <= pixels) {
        for (int y = 0; y < workload.height; ++y)
            for (int x = 0; x < workload.width; ++x)
                places_.push_back({x, y, isBorder(workload, x, y)});
        return;
    }
    addBorder(workload, pixels * 0.7);
    addInside(workload, std::max(pixels - double(places_.size()), pixels * 0.3));
}

ExactSamples::ExactSamples(const Workload &workload, const PixelBlock &source, const RunControl &control, double budget)
    : wholePixels_(std::uint64_t(workload.width) * std::uint64_t(workload.height)) {
    ThreadPool &pool = ThreadPool::shared();
    choosePlaces(workload, budget > 0 ? budget : budgetPerThread * pool.threads());
    const Image image = imageOf(source);
    const ConvolutionJob job = jobOf(workload, image.view(), {});
    const auto channels = std::size_t(workload.pixel.channels);
    values_.resize(places_.size() * channels);
    constexpr std::size_t part = 1024;
    pool.parallelFor((places_.size() + part - 1) / part, [&](std::size_t index) {
        control.checkpoint();
        for (std::size_t i = index * part; i < std::min((index + 1) * part, places_.size()); ++i)
            for (std::size_t channel = 0; channel < channels; ++channel)
                values_[i * channels + channel] = referenceValue(job, places_[i].x, places_[i].y, int(channel));
    });
}

CheckResult ExactSamples::compare(const PixelBlock &result, const StatedError &stated) const {
    CheckResult check;
    check.pixelsChecked = pixels();
    check.pixelsWhole = wholePixels_;
    check.wholeBorder = wholeBorder_;
    const ScalarType type = result.pixel.type;
    const auto channels = std::size_t(result.pixel.channels);
    double squares = 0, squaredErrors = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const Place &place = places_[i / channels];
        const int channel = int(i % channels);
        const double exact = saturated(type, values_[i]);
        const double got = result.value(place.x, place.y, channel);
        const double shown = isInteger(type) ? std::rint(exact) : exact;
        const double error = std::fabs(got - shown);
        squares += shown * shown;
        squaredErrors += error * error;
        check.maxError = std::max(check.maxError, std::isnan(error) ? HUGE_VAL : error);
        if (place.border)
            check.borderMaxError = std::max(check.borderMaxError, std::isnan(error) ? HUGE_VAL : error);
        const double allowed = stated.absolute + outputRounding(type, exact);
        if (check.failure.empty() && !(std::fabs(got - exact) <= allowed * (1 + 1e-9)))
            check.failure = at(place.x, place.y, channel) + " it gives " + number(got) + " for " + number(exact) +
                            ", further off than its stated " + number(allowed);
    }
    check.relativeL2 = squares > 0 ? std::sqrt(squaredErrors / squares) : std::sqrt(squaredErrors);
    if (check.failure.empty() && stated.relativeL2 && type == ScalarType::F32 &&
        !(check.relativeL2 <= *stated.relativeL2))
        check.failure = "its relative L2 error of " + number(check.relativeL2) + " is above the stated " +
                        number(*stated.relativeL2);
    return check;
}

} // namespace tessera::bench
