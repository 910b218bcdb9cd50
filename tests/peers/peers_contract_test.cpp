// Every peer that is here against float64, on a real GPU: the same picture as the product's own kernels, within the
// error that the peer states. TESSERA_PEER_PATH tells where the libraries are.
#include "tests/gpu/device_requirement.h"
#include "tests/peers/peer_pictures.h"

#include <QtTest>

#include <map>
#include <random>

using namespace tessera;
using namespace tessera::test;

namespace {

struct Shape {
    int width, height, anchorX, anchorY;
};
constexpr Shape shapes[] = {{1, 1, 0, 0}, {3, 3, 1, 1},  {5, 5, 2, 2},    {4, 4, 1, 2},
                            {3, 5, 0, 4}, {13, 9, 6, 4}, {31, 31, 15, 15}};
constexpr Border borders[] = {{BorderMode::Zero, 0},    {BorderMode::Replicate, 0},  {BorderMode::Constant, 0.5},
                              {BorderMode::Reflect, 0}, {BorderMode::Reflect101, 0}, {BorderMode::Wrap, 0}};
constexpr std::pair<int, int> sizes[] = {{1, 1}, {33, 17}, {150, 101}};

constexpr Kind kinds[] = {{ScalarType::F32, 1, "f32"}, {ScalarType::F32, 4, "rgba32f"}, {ScalarType::F16, 1, "f16"},
                          {ScalarType::U8, 1, "u8"},   {ScalarType::U8, 4, "rgba8"},    {ScalarType::U16, 1, "u16"}};

} // namespace

class PeersContractTest : public QObject {
    Q_OBJECT

private:
    std::mt19937 random_{20};

    // Asymmetric, with negative ones.
    Taps randomTaps(const Shape &shape) {
        std::uniform_real_distribution<float> real(-1.0f, 1.5f);
        Taps taps;
        taps.width = shape.width;
        taps.height = shape.height;
        taps.anchorX = shape.anchorX;
        taps.anchorY = shape.anchorY;
        for (int i = 0; i < taps.count(); ++i)
            taps.value[i] = real(random_);
        return taps;
    }
    static ConvolutionRequest requestFor(const Picture &picture, const Taps &taps, Border border) {
        ConvolutionRequest request;
        request.source = picture.view(picture.source);
        request.target = picture.view(picture.target);
        request.border = border;
        request.finish.divisor = std::max(1.0f, float(taps.count()) / 3.0f);
        request.taps = &taps;
        return request;
    }
    void addPeers() {
        QTest::addColumn<QString>("peer");
        QTest::addColumn<bool>("directOnly");
        for (const cuda::ConvolutionPeer *peer : cuda::convolutionPeers()) {
            const QString name = QString::fromStdString(std::string(peer->name()));
            QTest::addRow("%s", qPrintable(name)) << name << false;
            if (name == "cudnn")
                QTest::addRow("%s direct", qPrintable(name)) << name << true;
        }
    }
    const cuda::ConvolutionPeer &peer() const {
        QFETCH(QString, peer);
        return *cuda::findConvolutionPeer(peer.toStdString());
    }

    std::string failureOf(const Kind &kind, Border border, const Shape &shape, int width, int height, bool directOnly,
                          std::string &refused);

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(); !why.empty())
            QSKIP(why.c_str());
    }
    void convolves_data() { addPeers(); }
    void convolves();
    void regions_data() { addPeers(); }
    void regions();
    void rotates_data() { addPeers(); }
    void rotates();
    void histograms_data();
    void histograms();
};

// Empty, or why the case failed; `refused` says why it did not run.
std::string PeersContractTest::failureOf(const Kind &kind, Border border, const Shape &shape, int width, int height,
                                         bool directOnly, std::string &refused) {
    Picture picture(width, height, kind, random_);
    const Taps taps = randomTaps(shape);
    const ConvolutionRequest request = requestFor(picture, taps, border);
    refused = peer().refusal(request);
    std::unique_ptr<cuda::PreparedConvolution> prepared;
    try {
        if (refused.empty())
            prepared = peer().prepare({&request, 1}, nullptr, {.directOnly = directOnly});
    } catch (const cuda::PeerError &error) {
        refused = error.what();
    }
    if (!prepared)
        return {};
    TESSERA_CUDA_CHECK(cudaMemset(picture.target.data(), 0xa5, picture.host.size()));
    prepared->run(0, nullptr);
    TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
    const double bound = peer().errorBound(request, largestValue(kind.type), {.directOnly = directOnly});
    const std::string failure = mismatch(picture, request, bound, prepared->choice().rounding);
    if (failure.empty())
        return {};
    return std::string(kind.name) + " " + std::to_string(width) + "x" + std::to_string(height) + " border " +
           std::string(borderName(border.mode)) + " kernel " + std::to_string(shape.width) + "x" +
           std::to_string(shape.height) + ", " + prepared->choice().algorithm + ": " + failure;
}

void PeersContractTest::convolves() {
    QFETCH(bool, directOnly);
    if (!peer().missing().empty())
        QSKIP(peer().missing().c_str());
    int ran = 0;
    std::map<std::string, int> said;
    // Preparing takes a while in some libraries: two borders a case, all of them in turn.
    std::size_t turn = 0;
    for (const Kind &kind : kinds)
        for (const Shape &shape : shapes) {
            ++turn; // so that each size meets every border
            for (const auto &[width, height] : sizes)
                for (int repeat = 0; repeat < 2; ++repeat) {
                    std::string refused;
                    const std::string failure = failureOf(kind, borders[turn++ % std::size(borders)], shape, width,
                                                          height, directOnly, refused);
                    QVERIFY2(failure.empty(), failure.c_str());
                    ran += refused.empty() ? 1 : 0;
                    if (!refused.empty())
                        ++said[std::string(kind.name) + ": " + refused];
                }
        }
    for (const auto &[why, count] : said)
        qInfo("refused %d times: %s", count, why.c_str());
    qInfo("%d cases ran", ran);
    QVERIFY(ran >= 42); // the cases of float32 with one channel
}

// A part of the picture, once with its window reaching outside and once not.
void PeersContractTest::regions() {
    QFETCH(bool, directOnly);
    if (!peer().missing().empty())
        QSKIP(peer().missing().c_str());
    for (const int origin : {0, 1, 9}) {
        Picture picture(80, 61, kinds[0], random_);
        const Taps taps = randomTaps({7, 5, 3, 1});
        ConvolutionRequest request = requestFor(picture, taps, {BorderMode::Reflect, 0});
        request.originX = request.originY = origin;
        request.target.width = 40;
        request.target.height = 30;
        request.target.pitch = 160;
        const auto prepared = peer().prepare({&request, 1}, nullptr, {.directOnly = directOnly});
        prepared->run(0, nullptr);
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
        const std::string failure = mismatch(
            picture, request, peer().errorBound(request, 1, {.directOnly = directOnly}), prepared->choice().rounding);
        QVERIFY2(failure.empty(), failure.c_str());
    }
}

// Several pictures through one prepared job, on a stream, and again after one has changed.
void PeersContractTest::rotates() {
    QFETCH(bool, directOnly);
    if (!peer().missing().empty())
        QSKIP(peer().missing().c_str());
    for (const Border border : {Border{BorderMode::Zero, 0}, Border{BorderMode::Replicate, 0}}) {
        std::vector<Picture> pictures;
        std::vector<ConvolutionRequest> rotation;
        std::unique_ptr<cuda::PreparedConvolution> prepared;
        cuda::Stream stream;
        auto taps = std::make_unique<Taps>(randomTaps({5, 5, 2, 2}));
        for (int i = 0; i < 3; ++i)
            pictures.emplace_back(128, 90, kinds[0], random_);
        for (const Picture &picture : pictures)
            rotation.push_back(requestFor(picture, *taps, border));
        prepared = peer().prepare(rotation, stream.view(), {.directOnly = directOnly});
        const Taps kept = *taps;
        taps.reset(); // they are read while preparing, and not later
        for (int round = 0; round < 2; ++round) {
            pictures[1].fill(random_);
            TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
            prepared->stage(1, stream.view());
            for (std::size_t i = 0; i < pictures.size(); ++i) {
                TESSERA_CUDA_CHECK(
                    cudaMemsetAsync(pictures[i].target.data(), 0xa5, pictures[i].host.size(), stream.view()));
                prepared->run(i, stream.view());
            }
            stream.synchronize();
            for (std::size_t i = 0; i < pictures.size(); ++i) {
                ConvolutionRequest request = rotation[i];
                request.taps = &kept;
                const std::string failure =
                    mismatch(pictures[i], request, peer().errorBound(request, 1, {.directOnly = directOnly}),
                             prepared->choice().rounding);
                QVERIFY2(failure.empty(), failure.c_str());
            }
        }
    }
}

void PeersContractTest::histograms_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < int(cuda::histogramPeers().size()); ++i)
        QTest::addRow("%s", std::string(cuda::histogramPeers()[std::size_t(i)]->name()).c_str()) << i;
}

void PeersContractTest::histograms() {
    QFETCH(int, index);
    const cuda::HistogramPeer &counter = *cuda::histogramPeers()[std::size_t(index)];
    if (!counter.missing().empty())
        QSKIP(counter.missing().c_str());
    for (const int channels : {1, 4})
        for (const auto &[width, height] : sizes) {
            const Kind kind{ScalarType::U8, channels, "u8"};
            Picture picture(width, height, kind, random_);
            const std::size_t values = std::size_t(channels) * 256;
            cuda::DeviceBuffer counts;
            cuda::HistogramRequest request{picture.view(picture.source),
                                           static_cast<unsigned *>(counts.reserve(values * sizeof(unsigned)))};
            const auto prepared = counter.prepare({&request, 1}, nullptr);
            TESSERA_CUDA_CHECK(cudaMemset(counts.data(), 0xa5, values * sizeof(unsigned)));
            prepared->run(0, nullptr);
            std::vector<unsigned> counted(values), expected(values, 0);
            TESSERA_CUDA_CHECK(
                cudaMemcpy(counted.data(), counts.data(), values * sizeof(unsigned), cudaMemcpyDeviceToHost));
            for (std::size_t i = 0; i < picture.host.size(); ++i)
                ++expected[i % std::size_t(channels) * 256 + std::to_integer<std::size_t>(picture.host[i])];
            QVERIFY(counted == expected);
        }
}

QTEST_APPLESS_MAIN(PeersContractTest)
#include "peers_contract_test.moc"
