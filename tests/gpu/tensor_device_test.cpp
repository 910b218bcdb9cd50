// The tensor-core kernel on a real GPU against float64: every kind of pixel, every instance, awkward sizes, pitches,
// anchors and regions, guarded and poisoned targets. Also made for compute-sanitizer.
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/tensor_plan.h"
#include "gpu/launch/tensor_taps.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>
#include <vector>

using namespace tessera;

namespace {

using Random = std::mt19937;

int anyOf(Random &random, int least, int most) { return least + int(random() % unsigned(most - least + 1)); }

double valueOf(const unsigned char *at, ScalarType type) {
    switch (type) {
    case ScalarType::U8:
        return *at;
    case ScalarType::U16: {
        std::uint16_t bits;
        std::memcpy(&bits, at, 2);
        return bits;
    }
    case ScalarType::F16: {
        std::uint16_t bits;
        std::memcpy(&bits, at, 2);
        return double(floatFromHalfBits(bits));
    }
    default: {
        float value;
        std::memcpy(&value, at, 4);
        return double(value);
    }
    }
}

void setValue(unsigned char *at, ScalarType type, float value) {
    const std::uint16_t bits = type == ScalarType::F16 ? halfBitsFromFloat(value) : std::uint16_t(int(value));
    if (type == ScalarType::U8)
        *at = static_cast<unsigned char>(value);
    else if (type == ScalarType::F32)
        std::memcpy(at, &value, 4);
    else
        std::memcpy(at, &bits, 2);
}

// A picture on the host and on the device, its rows padded by some samples and its first one off a round address.
class Picture {
public:
    Picture(int width, int height, ScalarType type, int channels, int offset, int padding)
        : width_(width), height_(height), channels_(channels), type_(type),
          begin_(guard + std::size_t(offset * channels * scalarBytes(type))),
          pitch_(std::ptrdiff_t(width + padding) * channels * scalarBytes(type)),
          bytes_(begin_ + std::size_t(pitch_) * std::size_t(height) + guard, poison) {}

    unsigned char *sample(int x, int y, int channel) {
        return bytes_.data() + begin_ + y * pitch_ + (std::ptrdiff_t(x) * channels_ + channel) * scalarBytes(type_);
    }
    double at(int x, int y, int channel) { return valueOf(sample(x, y, channel), type_); }
    void set(int x, int y, int channel, float value) { setValue(sample(x, y, channel), type_, value); }

    void upload() {
        TESSERA_CUDA_CHECK(
            cudaMemcpy(device_.reserve(bytes_.size()), bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice));
    }
    // False where something besides the pixels was written.
    bool download() {
        TESSERA_CUDA_CHECK(cudaMemcpy(bytes_.data(), device_.data(), bytes_.size(), cudaMemcpyDeviceToHost));
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            const std::ptrdiff_t inside = std::ptrdiff_t(i) - std::ptrdiff_t(begin_);
            const bool pixel = inside >= 0 && inside < pitch_ * height_ &&
                               inside % pitch_ < std::ptrdiff_t(width_) * channels_ * scalarBytes(type_);
            if (!pixel && bytes_[i] != poison)
                return false;
        }
        return true;
    }
    RawView view() {
        return {static_cast<unsigned char *>(device_.data()) + begin_, width_, height_, pitch_, type_, channels_};
    }
    int width() const { return width_; }
    int height() const { return height_; }

private:
    static constexpr std::size_t guard = 256;
    static constexpr unsigned char poison = 0xC3;

    int width_, height_, channels_;
    ScalarType type_;
    std::size_t begin_;
    std::ptrdiff_t pitch_;
    std::vector<unsigned char> bytes_;
    cuda::DeviceBuffer device_;
};

struct TypePair {
    ScalarType source, target;
};
constexpr std::array<TypePair, 8> typePairs{{{ScalarType::U8, ScalarType::U8},
                                             {ScalarType::F32, ScalarType::F32},
                                             {ScalarType::F16, ScalarType::F16},
                                             {ScalarType::F16, ScalarType::F32},
                                             {ScalarType::U16, ScalarType::U16},
                                             {ScalarType::U8, ScalarType::F32},
                                             {ScalarType::F32, ScalarType::U8},
                                             {ScalarType::F32, ScalarType::U16}}};
constexpr std::array<Extent, 15> kernelSizes{{{1, 1},
                                              {3, 3},
                                              {7, 1},
                                              {1, 7},
                                              {4, 4},
                                              {9, 9},
                                              {13, 9},
                                              {15, 15},
                                              {17, 16},
                                              {18, 3},
                                              {31, 31},
                                              {34, 5},
                                              {49, 4},
                                              {50, 3},
                                              {63, 63}}};

struct Case {
    TypePair types{};
    int channels = 1;
    int width = 1, height = 1;
    Extent kernel;
    bool wholeTaps = false;
    bool unusual = false; // infinities and NaNs here and there
    bool plain = false;   // aligned, no finish, all channels: the fast ways
    int terms = 0;
};

class Run {
public:
    Run(const Case &what, Random &random) : case_(what), random_(random), taps_(std::make_unique<Taps>()) {}

    std::string failure() {
        makeTaps();
        Picture source(case_.width, case_.height, case_.types.source, case_.channels, case_.plain ? 0 : any(0, 3),
                       case_.plain ? (16 - case_.width % 16) % 16 : any(0, 5));
        fill(source);
        const int x = case_.plain ? 0 : any(0, case_.width - 1), y = case_.plain ? 0 : any(0, case_.height - 1);
        const int width = case_.plain ? case_.width : any(1, case_.width - x);
        const int height = case_.plain ? case_.height : any(1, case_.height - y);
        Picture target(width, height, case_.types.target, case_.channels, case_.plain ? 0 : any(0, 3),
                       case_.plain ? (16 - width % 16) % 16 : any(0, 5));
        source.upload();
        target.upload();
        makeRequest(source, target, x, y);
        LaunchPlan plan;
        plan.variant = KernelVariant::Tensor;
        cuda::launchConvolution(plan, request_, cuda::StreamView(nullptr));
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
        if (!target.download())
            return text() + ": wrote outside the picture";
        for (int j = 0; j < height; ++j)
            for (int i = 0; i < width; ++i)
                for (int c = 0; c < case_.channels; ++c)
                    if (std::string wrong = compare(source, i, j, c, target.at(i, j, c)); !wrong.empty())
                        return text() + wrong;
        return {};
    }

private:
    int any(int least, int most) { return anyOf(random_, least, most); }

    void makeTaps() {
        taps_->width = case_.kernel.x;
        taps_->height = case_.kernel.y;
        taps_->anchorX = case_.plain ? case_.kernel.x / 2 : any(0, case_.kernel.x - 1);
        taps_->anchorY = case_.plain ? case_.kernel.y / 2 : any(0, case_.kernel.y - 1);
        for (int i = 0; i < taps_->count(); ++i) {
            taps_->value[i] =
                case_.wholeTaps ? float(any(-4, 5)) : (float(any(0, 2000)) - 600.0f) / 700.0f / float(taps_->count());
            gain_ += std::fabs(double(taps_->value[i]));
        }
    }

    void fill(Picture &picture) {
        const bool integer = case_.types.source == ScalarType::U8 || case_.types.source == ScalarType::U16;
        largest_ = case_.types.source == ScalarType::U8 ? 255 : case_.types.source == ScalarType::U16 ? 65535 : 1.25;
        for (int y = 0; y < case_.height; ++y)
            for (int x = 0; x < case_.width; ++x)
                for (int c = 0; c < case_.channels; ++c) {
                    float value = integer ? float(any(0, int(largest_))) : float(any(-2500, 12500)) / 10000.0f;
                    if (case_.unusual && any(0, 400) == 0)
                        value = any(0, 2) == 0   ? std::numeric_limits<float>::quiet_NaN()
                                : any(0, 1) == 0 ? std::numeric_limits<float>::infinity()
                                                 : -std::numeric_limits<float>::infinity();
                    picture.set(x, y, c, value);
                }
    }

    void makeRequest(Picture &source, Picture &target, int x, int y) {
        request_.source = source.view();
        request_.target = target.view();
        request_.originX = x;
        request_.originY = y;
        request_.border = {BorderMode(any(0, 5)), case_.types.source == ScalarType::U8 ? 77.0 : 0.625};
        request_.taps = taps_.get();
        request_.tensorTerms = case_.terms;
        if (case_.plain)
            return;
        request_.channelMask = any(0, 2) == 0 ? unsigned(any(0, 15)) : ~0u;
        request_.finish = {any(0, 1) == 0 ? 1.0f : 3.0f, any(0, 1) == 0 ? 0.0f : 0.25f * float(any(0, 8)),
                           Response(any(0, 2))};
    }

    // The exact value before it is stored, and how far off a result may be.
    double exactSum(Picture &source, int x, int y, int channel) {
        const int left = x + request_.originX - taps_->anchorX, top = y + request_.originY - taps_->anchorY;
        const bool constant = request_.border.mode == BorderMode::Constant;
        const double outside = !constant ? 0.0
                               : case_.types.source == ScalarType::U16 || case_.types.source == ScalarType::U8
                                   ? std::rint(request_.border.constant)
                                   : request_.border.constant;
        double sum = 0;
        for (int v = 0; v < taps_->height; ++v)
            for (int u = 0; u < taps_->width; ++u) {
                const int i = borderIndex(request_.border.mode, left + u, source.width());
                const int j = borderIndex(request_.border.mode, top + v, source.height());
                sum += double(taps_->at(u, v)) * (i < 0 || j < 0 ? outside : source.at(i, j, channel));
            }
        return sum;
    }
    double bound(double value) const {
        const double divisor = std::fabs(double(request_.finish.divisor));
        const double magnitude = gain_ * largest_ / divisor;
        if (tensorNumber(case_.types.source, case_.types.target) == TensorNumber::Whole)
            return wholeTaps(tapsOf(request_), case_.terms).error * largest_ / divisor + magnitude * 0x1p-21 + 1e-6;
        const double sum = magnitude * (3 * 0x1p-22 + 130 * 0x1p-23 + 16 * 0x1p-24);
        return case_.types.target == ScalarType::F16 ? sum + std::fabs(value) * 0x1p-11 + 0x1p-24 : sum + 1e-9;
    }

    std::string compare(Picture &source, int x, int y, int channel, double actual) {
        const Finish &how = request_.finish;
        double exact = 0, slack = 0;
        const bool integer = case_.types.target == ScalarType::U8 || case_.types.target == ScalarType::U16;
        const double highest = case_.types.target == ScalarType::U8 ? 255 : 65535;
        if (request_.channelMask >> channel & 1u) {
            exact = exactSum(source, x, y, channel) / double(how.divisor) + double(how.offset);
            slack = bound(exact);
            if (integer && how.response == Response::Absolute)
                exact = std::fabs(exact);
            else if (integer && how.response == Response::Signed)
                exact += (highest + 1) / 2;
        } else {
            exact = source.at(x + request_.originX, y + request_.originY, channel);
        }
        bool right = false;
        if (integer) {
            const auto stored = [&](double value) {
                return std::isnan(value) ? 0.0 : std::clamp(std::rint(value), 0.0, highest);
            };
            right = actual >= stored(exact - slack) && actual <= stored(exact + slack);
        } else if (std::isfinite(exact)) {
            right = std::fabs(actual - exact) <= slack;
        } else {
            right = std::isnan(exact) ? std::isnan(actual) : actual == exact;
        }
        if (right)
            return {};
        std::ostringstream text;
        text.precision(10);
        text << " at (" << x << ", " << y << ") channel " << channel << ": expected " << exact << " +- " << slack
             << ", got " << actual;
        return text.str();
    }

    std::string text() const {
        std::ostringstream text;
        text << "types " << int(case_.types.source) << "->" << int(case_.types.target) << " x" << case_.channels << " "
             << case_.width << "x" << case_.height << " kernel " << taps_->width << "x" << taps_->height << "@"
             << taps_->anchorX << "," << taps_->anchorY << " border " << int(request_.border.mode) << " region "
             << request_.originX << "," << request_.originY << "+" << request_.target.width << "x"
             << request_.target.height << " mask " << request_.channelMask << " divisor " << request_.finish.divisor
             << " offset " << request_.finish.offset << " response " << int(request_.finish.response) << " terms "
             << case_.terms << (case_.plain ? " plain" : "") << (case_.unusual ? " unusual" : "");
        return text.str();
    }

    const Case case_;
    Random &random_;
    std::unique_ptr<Taps> taps_;
    ConvolutionRequest request_;
    double gain_ = 0, largest_ = 1;
};

} // namespace

class TensorDeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(80); !why.empty())
            QSKIP(why.c_str());
    }

    void everyKindOfPixelAndKernel() {
        Random random(11);
        for (const TypePair &types : typePairs)
            for (const int channels : {1, 4})
                for (const Extent &kernel : kernelSizes)
                    for (const bool plain : {false, true}) {
                        Case what;
                        what.types = types;
                        what.channels = channels;
                        what.kernel = kernel;
                        what.plain = plain;
                        const bool large = kernel.area() > 1000;
                        what.width = plain ? (large ? 48 : 160) : anyOf(random, 1, large ? 40 : 150);
                        what.height = plain ? (large ? 33 : 96) : anyOf(random, 1, large ? 30 : 90);
                        what.wholeTaps = anyOf(random, 0, 3) == 0;
                        const std::string failure = Run(what, random).failure();
                        QVERIFY2(failure.empty(), failure.c_str());
                    }
    }

    void fewerTermsKeepTheirBound() {
        Random random(12);
        for (const Extent &kernel : {Extent{9, 9}, {15, 15}, {31, 31}})
            for (const bool plain : {false, true}) {
                Case what;
                what.types = typePairs[0];
                what.kernel = kernel;
                what.plain = plain;
                what.width = 140;
                what.height = 70;
                what.terms = 1;
                const std::string failure = Run(what, random).failure();
                QVERIFY2(failure.empty(), failure.c_str());
            }
    }

    // Where a window holds an infinity or a NaN, the output is what float arithmetic makes of it; nowhere else.
    void infinitiesAndNaNsStayInTheirWindows() {
        Random random(13);
        for (const TypePair &types : {typePairs[1], typePairs[2], typePairs[3]})
            for (const int channels : {1, 4})
                for (const Extent &kernel : {Extent{3, 3}, {9, 9}, {15, 11}})
                    for (const bool plain : {false, true}) {
                        Case what;
                        what.types = types;
                        what.channels = channels;
                        what.kernel = kernel;
                        what.plain = plain;
                        what.width = 144;
                        what.height = 80;
                        what.unusual = true;
                        const std::string failure = Run(what, random).failure();
                        QVERIFY2(failure.empty(), failure.c_str());
                    }
    }
};

QTEST_GUILESS_MAIN(TensorDeviceTest)
#include "tensor_device_test.moc"
