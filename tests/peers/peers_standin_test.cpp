// The peers' own side without a GPU: what they hand to a library and make of its answer, with stand-ins for the
// libraries and for the CUDA runtime (tests/peers/standin). What the vendors' libraries really do, only
// peers_contract_test on a GPU tells.
#include "tests/peers/peer_pictures.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr Kind kinds[] = {{ScalarType::F32, 1, "f32"}, {ScalarType::F32, 4, "rgba32f"}, {ScalarType::F16, 1, "f16"},
                          {ScalarType::U8, 1, "u8"},   {ScalarType::U8, 4, "rgba8"},    {ScalarType::U16, 1, "u16"}};
constexpr int shapes[][4] = {{1, 1, 0, 0}, {3, 3, 1, 1}, {4, 4, 1, 2}, {3, 5, 0, 4}, {9, 7, 4, 3}};

} // namespace

class PeersStandinTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("TESSERA_PEER_PATH", TESSERA_STANDIN_LIBRARIES); }
    void convolves_data();
    void convolves();
    void roundsAsTheLibraryDoes();

private:
    std::mt19937 random_{7};
};

void PeersStandinTest::convolves_data() {
    QTest::addColumn<QString>("peer");
    QTest::addColumn<bool>("directOnly");
    QTest::addColumn<int>("least");
    QTest::newRow("npp") << "npp" << false << 360;
    QTest::newRow("cudnn") << "cudnn" << false << 180; // floats and halves
    QTest::newRow("cudnn direct") << "cudnn" << true << 180;
    QTest::newRow("cufft") << "cufft" << false << 360;
}

void PeersStandinTest::convolves() {
    QFETCH(QString, peer);
    QFETCH(bool, directOnly);
    QFETCH(int, least);
    const cuda::ConvolutionPeer &library = *cuda::findConvolutionPeer(peer.toStdString());
    QVERIFY2(library.missing().empty(), library.missing().c_str());
    int ran = 0;
    for (const Kind &kind : kinds)
        for (const BorderName &border : borderNames)
            for (const auto &shape : shapes)
                for (const auto &[width, height] : {std::pair{1, 1}, {23, 17}}) {
                    const Picture picture(width, height, kind, random_);
                    Taps taps;
                    taps.width = shape[0];
                    taps.height = shape[1];
                    taps.anchorX = shape[2];
                    taps.anchorY = shape[3];
                    std::uniform_real_distribution<float> real(-1.0f, 1.5f);
                    for (int i = 0; i < taps.count(); ++i)
                        taps.value[i] = real(random_);
                    ConvolutionRequest request;
                    request.source = picture.view(picture.source);
                    request.target = picture.view(picture.target);
                    request.border = {border.mode, 0.5};
                    request.finish.divisor = std::max(1.0f, float(taps.count()) / 3.0f);
                    request.taps = &taps;
                    if (!library.refusal(request).empty())
                        continue;
                    const auto prepared = library.prepare({&request, 1}, nullptr, {.directOnly = directOnly});
                    prepared->run(0, nullptr);
                    const double bound =
                        library.errorBound(request, largestValue(kind.type), {.directOnly = directOnly});
                    const std::string failure = mismatch(picture, request, bound, prepared->choice().rounding);
                    QVERIFY2(failure.empty(), (std::string(kind.name) + ", " + std::string(border.name) + ", " +
                                               prepared->choice().algorithm + ": " + failure)
                                                  .c_str());
                    QVERIFY(!directOnly || !prepared->choice().transforms);
                    ++ran;
                }
    QCOMPARE(ran, least);
}

// The convention that TESSERA_STANDIN_NPP gives the library is found out by the peer.
void PeersStandinTest::roundsAsTheLibraryDoes() {
    const QByteArray convention = qgetenv("TESSERA_STANDIN_NPP");
    const Picture picture(12, 9, kinds[3], random_);
    Taps taps;
    taps.value[0] = 0.5f;
    ConvolutionRequest request;
    request.source = picture.view(picture.source);
    request.target = picture.view(picture.target);
    request.taps = &taps;
    const auto prepared = cuda::findConvolutionPeer("npp")->prepare({&request, 1}, nullptr);
    QCOMPARE(int(prepared->choice().rounding), int(convention.contains("cut")  ? cuda::Rounding::Truncated
                                                   : convention.contains("up") ? cuda::Rounding::HalfUp
                                                                               : cuda::Rounding::NearestEven));
}

QTEST_GUILESS_MAIN(PeersStandinTest)
#include "peers_standin_test.moc"
