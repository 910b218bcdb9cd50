// The steps before and after a transform, in the simulator, with a plain Fourier transform in the library's place.
#include "gpu/launch/convolution.h"
#include "gpu/peers/fft_tiling.h"
#include "gpu/peers/tile_launch.h"
#include "gpu/sim/sim_launcher.h"

#include <QtTest>

#include <complex>
#include <numbers>
#include <random>

using namespace tessera;

namespace {

using Complex = std::complex<double>;

struct Job {
    int width, height, channels;
    int tapsWidth, tapsHeight, anchorX, anchorY;
    Border border;
    TileGrid tiles;
};

// The half spectrum of a real plane, as R2C transforms lay it out: height rows of width / 2 + 1.
void transform(const float *plane, float *spectrum, const TileGrid &tiles) {
    for (int ky = 0; ky < tiles.height; ++ky)
        for (int kx = 0; kx <= tiles.width / 2; ++kx) {
            Complex sum = 0;
            for (int y = 0; y < tiles.height; ++y)
                for (int x = 0; x < tiles.width; ++x)
                    sum += double(plane[y * tiles.width + x]) *
                           std::polar(1.0, -2 * std::numbers::pi *
                                               (double(kx) * x / tiles.width + double(ky) * y / tiles.height));
            *spectrum++ = float(sum.real());
            *spectrum++ = float(sum.imag());
        }
}

// Unscaled, as C2R transforms are; the half that is not stored is the conjugate of the other.
void transformBack(const float *spectrum, float *plane, const TileGrid &tiles) {
    const auto at = [&](int kx, int ky) {
        const bool stored = kx <= tiles.width / 2;
        const int x = stored ? kx : tiles.width - kx;
        const int y = stored ? ky : (tiles.height - ky) % tiles.height;
        const float *value = spectrum + 2 * (y * (tiles.width / 2 + 1) + x);
        return stored ? Complex(value[0], value[1]) : Complex(value[0], -value[1]);
    };
    for (int y = 0; y < tiles.height; ++y)
        for (int x = 0; x < tiles.width; ++x) {
            Complex sum = 0;
            for (int ky = 0; ky < tiles.height; ++ky)
                for (int kx = 0; kx < tiles.width; ++kx)
                    sum += at(kx, ky) *
                           std::polar(1.0, 2 * std::numbers::pi *
                                               (double(kx) * x / tiles.width + double(ky) * y / tiles.height));
            plane[y * tiles.width + x] = float(sum.real());
        }
}

} // namespace

class TilesSimTest : public QObject {
    Q_OBJECT

private slots:
    void convolvesThroughSpectra_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(jobs().size()); ++i)
            QTest::addRow("job %d", i) << i;
    }
    void convolvesThroughSpectra();
    void copiesHoldTheBorder();

private:
    static const std::vector<Job> &jobs() {
        static const std::vector<Job> list{
            {9, 7, 1, 3, 3, 1, 1, {BorderMode::Zero, 0}, {12, 12, 9, 7, 1, 1}},     // one tile
            {9, 7, 1, 4, 2, 0, 1, {BorderMode::Replicate, 0}, {8, 8, 5, 7, 2, 1}},  // two, the last one short
            {11, 10, 4, 3, 5, 2, 0, {BorderMode::Constant, 3}, {8, 8, 6, 4, 2, 3}}, // four channels
            {2, 3, 1, 5, 5, 2, 2, {BorderMode::Reflect101, 0}, {8, 8, 2, 3, 1, 1}}, // kernel larger than the picture
            {13, 12, 4, 3, 3, 1, 1, {BorderMode::Wrap, 0}, {16, 16, 13, 12, 1, 1}}};
        return list;
    }
};

void TilesSimTest::convolvesThroughSpectra() {
    QFETCH(int, index);
    const Job &job = jobs()[std::size_t(index)];
    std::mt19937 random(unsigned(index) + 5);
    std::uniform_real_distribution<float> real(-1, 1);
    std::vector<float> source(std::size_t(job.width * job.height * job.channels));
    for (float &value : source)
        value = real(random);
    Taps taps;
    taps.width = job.tapsWidth;
    taps.height = job.tapsHeight;
    taps.anchorX = job.anchorX;
    taps.anchorY = job.anchorY;
    for (int i = 0; i < taps.count(); ++i)
        taps.value[i] = real(random);

    ConvolutionRequest request;
    const std::ptrdiff_t pitch = std::ptrdiff_t(4) * job.width * job.channels;
    std::vector<float> through(source.size(), std::nanf("")), direct(source.size(), std::nanf(""));
    request.source = {source.data(), job.width, job.height, pitch, ScalarType::F32, job.channels};
    request.target = request.source;
    request.target.data = through.data();
    request.border = job.border;
    request.finish = {2.0f, 0.25f, Response::Clamp};
    request.channelMask = job.channels == 4 ? 0b1011u : 1u;
    request.taps = &taps;

    sim::RecordingLauncher launcher(sim::ThreadOrder::Shuffled);
    const TileGrid &tiles = job.tiles;
    const int planes = tiles.count() * job.channels;
    const std::size_t plane = std::size_t(tiles.planeValues());
    const int pairs = (tiles.width / 2 + 1) * tiles.height / 2;
    // Aligned as device memory is: the product takes 16 bytes at a time.
    std::vector<MultiplySpectra::Pair> kernelSpectrum(static_cast<std::size_t>(pairs)),
        spectra(kernelSpectrum.size() * std::size_t(planes));
    std::vector<float> values(plane * std::size_t(planes), std::nanf(""));
    scatterTiles(launcher, request, tiles, values.data());
    transform(peers::kernelPlane(taps, tiles, 1.0 / double(tiles.planeValues())).data(), kernelSpectrum.front().channel,
              tiles);
    for (int i = 0; i < planes; ++i)
        transform(values.data() + plane * std::size_t(i), spectra[std::size_t(pairs) * std::size_t(i)].channel, tiles);
    multiplySpectra(launcher, spectra.data(), kernelSpectrum.data(), pairs, planes);
    for (int i = 0; i < planes; ++i)
        transformBack(spectra[std::size_t(pairs) * std::size_t(i)].channel, values.data() + plane * std::size_t(i),
                      tiles);
    gatherTiles(launcher, request, tiles, values.data());
    QVERIFY(launcher.report().faults.empty());

    request.target.data = direct.data();
    sim::SimLauncher plain;
    launchVariant(plain, planConvolution(KernelVariant::Naive, shapeOf(request), {}).plan, request);
    for (std::size_t i = 0; i < direct.size(); ++i)
        QVERIFY2(std::abs(direct[i] - through[i]) <= 1e-5f,
                 qPrintable(
                     QString("value %1: %2 through the spectrum, %3 directly").arg(i).arg(through[i]).arg(direct[i])));
}

void TilesSimTest::copiesHoldTheBorder() {
    std::vector<std::uint8_t> source{1, 2, 3, 4, 5, 6}; // 3x2
    std::vector<std::uint8_t> target(7 * 4, 99);
    ConvolutionRequest request;
    request.source = {source.data(), 3, 2, 3, ScalarType::U8, 1};
    const auto copied = [&](Border border) {
        request.border = border;
        sim::RecordingLauncher launcher;
        copyBordered(launcher, request, {target.data(), 7, 4, 7, ScalarType::U8, 1}, -2, -1);
        return launcher.report().faults.empty() ? target : std::vector<std::uint8_t>{};
    };
    QCOMPARE(copied({BorderMode::Zero, 0}), (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, //
                                                                       0, 0, 1, 2, 3, 0, 0, //
                                                                       0, 0, 4, 5, 6, 0, 0, //
                                                                       0, 0, 0, 0, 0, 0, 0}));
    QCOMPARE(copied({BorderMode::Replicate, 0}), (std::vector<std::uint8_t>{1, 1, 1, 2, 3, 3, 3, //
                                                                            1, 1, 1, 2, 3, 3, 3, //
                                                                            4, 4, 4, 5, 6, 6, 6, //
                                                                            4, 4, 4, 5, 6, 6, 6}));
    QCOMPARE(copied({BorderMode::Constant, 7})[0], std::uint8_t(7));
}

QTEST_APPLESS_MAIN(TilesSimTest)
#include "tiles_sim_test.moc"
