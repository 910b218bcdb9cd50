// The transforms of gpu/kernels/fourier_butterflies.h against sums in double, and how the fft variant is laid out.
#include "gpu/kernels/fourier_butterflies.h"
#include "gpu/launch/fourier.h"

#include <QTest>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

using namespace tessera;

namespace {

using Exact = std::complex<double>;

std::vector<Complex> randomSignal(int count) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> value(-1.0f, 1.0f);
    std::vector<Complex> signal;
    for (int i = 0; i < count; ++i)
        signal.push_back({value(random), value(random)});
    return signal;
}

Exact exactSum(const std::vector<Complex> &signal, int k, double sign) {
    Exact sum = 0.0;
    const auto count = double(signal.size());
    for (std::size_t n = 0; n < signal.size(); ++n)
        sum += Exact(signal[n].re, signal[n].im) *
               std::polar(1.0, sign * 2.0 * std::numbers::pi * double((n * std::size_t(k)) % signal.size()) / count);
    return sum;
}

double distance(Complex value, Exact expected) { return std::abs(Exact(value.re, value.im) - expected); }

} // namespace

class FourierTest : public QObject {
    Q_OBJECT

private slots:
    void transformsThirtyTwo_data() {
        QTest::addColumn<bool>("inverse");
        QTest::newRow("forward") << false;
        QTest::newRow("inverse") << true;
    }
    void transformsThirtyTwo() {
        QFETCH(bool, inverse);
        const std::vector<Complex> signal = randomSignal(fourierRadix);
        Complex x[fourierRadix];
        std::copy(signal.begin(), signal.end(), x);
        inverse ? transform<true>(x) : transform<false>(x);
        for (int k = 0; k < fourierRadix; ++k)
            QVERIFY(distance(x[reversed(k)], exactSum(signal, k, inverse ? 1.0 : -1.0)) < 4e-6);
    }

    // The four steps that a warp takes: 32 transforms, factors, exchange, 32 transforms.
    void transformsTileSide() {
        const std::vector<Complex> signal = randomSignal(fourierSide);
        std::vector<Complex> twiddles(fourierSide), square(fourierSide), spectrum(fourierSide);
        fillTwiddles(twiddles.data());
        for (int j = 0; j < fourierRadix; ++j) {
            Complex x[fourierRadix];
            for (int k = 0; k < fourierRadix; ++k)
                x[k] = signal[std::size_t(j + k * fourierRadix)];
            transform<false>(x);
            for (int k = 0; k < fourierRadix; ++k)
                square[std::size_t(k * fourierRadix + j)] =
                    x[reversed(k)] * twiddles[std::size_t(k * fourierRadix + j)];
        }
        for (int j = 0; j < fourierRadix; ++j) {
            Complex x[fourierRadix];
            std::copy_n(square.begin() + j * fourierRadix, fourierRadix, x);
            transform<false>(x);
            for (int k = 0; k < fourierRadix; ++k)
                spectrum[std::size_t(j + k * fourierRadix)] = x[reversed(k)];
        }
        for (int k = 0; k < fourierSide; k += 13)
            QVERIFY(distance(spectrum[std::size_t(k)], exactSum(signal, k, -1.0)) < 3e-5);
    }

    void twiddlesAreExact() {
        std::vector<Complex> twiddles(fourierSide);
        fillTwiddles(twiddles.data());
        for (int k = 0; k < fourierRadix; ++k)
            for (int j = 0; j < fourierRadix; ++j)
                QVERIFY(distance(twiddles[std::size_t(k * fourierRadix + j)],
                                 std::polar(1.0, -2.0 * std::numbers::pi * j * k / fourierSide)) < 1e-7);
    }

    void planCoversThePicture() {
        ConvolutionShape shape{8192, 8192, 127, 127, 4, 1};
        const FourierPlan plan = planFourier(shape);
        QVERIFY(plan.refusal.empty());
        QCOMPARE(plan.tileColumns, 10); // 898 columns of a tile are valid
        QCOMPARE(plan.tileRows, 5);     // of the 4096 packed rows
        QCOMPARE(plan.bandRows, 8192);
        shape.channels = 4;
        QCOMPARE(planFourier(shape).planes, 2);
    }

    void bandsKeepTheWorkspaceSmall() {
        const ConvolutionShape shape{40000, 25000, 63, 63, 1, 4};
        const FourierPlan plan = planFourier(shape);
        QVERIFY(plan.refusal.empty());
        QVERIFY(plan.bandRows < 25000);
        QVERIFY(plan.workspaceBytes <= defaultFourierWorkspace);
    }

    void refusesWhatNoTileHolds() {
        QVERIFY(planFourier({100, 100, 513, 3, 4, 1}).refusal.find("513x3") != std::string::npos);
        QVERIFY(planFourier({100, 100, maximumFourierTapsSide, maximumFourierTapsSide, 4, 1}).refusal.empty());
    }
};

QTEST_GUILESS_MAIN(FourierTest)
#include "fourier_test.moc"
