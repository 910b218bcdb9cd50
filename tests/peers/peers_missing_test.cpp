// Peers whose libraries are missing, damaged or too old, and jobs that no library can take. Needs no GPU.
#include "gpu/peers/peer.h"
#include "gpu/peers/support.h"

#include <QtTest>

#include <functional>

using namespace tessera;

namespace {

bool says(const std::string &text, const std::string &part) {
    if (text.find(part) != std::string::npos)
        return true;
    qWarning("'%s' does not say '%s'", text.c_str(), part.c_str());
    return false;
}

} // namespace

class PeersMissingTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir folder_; // NPP is no library there, cuDNN one without functions, cuFFT is missing

    // A job that every library could take; nothing is read or written.
    ConvolutionRequest plainRequest() {
        static Taps taps;
        taps.width = taps.height = 3;
        taps.anchorX = taps.anchorY = 1;
        static float memory[64];
        ConvolutionRequest request;
        request.source = {memory, 4, 4, 16, ScalarType::F32, 1};
        request.target = {memory + 32, 4, 4, 16, ScalarType::F32, 1};
        request.taps = &taps;
        return request;
    }

private slots:
    void initTestCase() {
        QFile file(folder_.path() + "/libnppc.so.13");
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not a library") > 0);
        QVERIFY(QFile::copy(TESSERA_FAKE_PEER, folder_.path() + "/libcudnn.so.9"));
        qputenv("TESSERA_PEER_PATH", folder_.path().toUtf8()); // before any peer looks
    }

    void listsAllNames() {
        std::vector<std::string> names;
        for (const cuda::ConvolutionPeer *peer : cuda::convolutionPeers())
            names.emplace_back(peer->name());
        QCOMPARE(names, (std::vector<std::string>{"npp", "cudnn", "cufft"}));
        QVERIFY(cuda::findConvolutionPeer("cudnn") == cuda::convolutionPeers()[1]);
        QVERIFY(cuda::findConvolutionPeer("nobody") == nullptr);
        QCOMPARE(std::string(cuda::histogramPeers().front()->name()), std::string("cub"));
    }

    void missingPeersSayWhy_data() {
        QTest::addColumn<QString>("peer");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("damaged") << "npp"
                                 << "/libnppc.so.13 could not be loaded: ";
        QTest::newRow("without functions") << "cudnn"
                                           << "/libcudnn.so.9 has no function cudnnCreate";
        QTest::newRow("not there") << "cufft"
                                   << "libcufft.so.12 or libcufft.so.11 was not found in ";
    }
    void missingPeersSayWhy() {
        QFETCH(QString, peer);
        QFETCH(QString, sentence);
        const cuda::ConvolutionPeer *found = cuda::findConvolutionPeer(peer.toStdString());
        QVERIFY(found);
        if (found->missing().find("not built in") != std::string::npos)
            QSKIP(found->missing().c_str());
        QVERIFY(says(found->missing(), sentence.toStdString()));
        const ConvolutionRequest request = plainRequest();
        QCOMPARE(found->refusal(request), found->missing());
        bool threw = false;
        try {
            found->prepare({&request, 1}, nullptr);
        } catch (const cuda::PeerError &error) {
            threw = std::string(error.what()) == found->missing();
        }
        QVERIFY(threw);
    }

    void plainJobs() {
        using Change = std::function<void(ConvolutionRequest &)>;
        const auto refusalOf = [&](const Change &change) {
            ConvolutionRequest request = plainRequest();
            change(request);
            return cuda::plainJobRefusal("npp", request);
        };
        QCOMPARE(refusalOf([](auto &) {}), std::string());
        QCOMPARE(refusalOf([](auto &r) { r.finish.divisor = 9; }), std::string());
        QVERIFY(says(refusalOf([](auto &r) { r.finish.offset = 1; }), "npp adds no offset"));
        QVERIFY(says(refusalOf([](auto &r) { r.target.type = ScalarType::U8; }), "writes the type that it reads"));
        QVERIFY(says(refusalOf([](auto &r) {
                         r.source.type = r.target.type = ScalarType::U8;
                         r.finish.response = Response::Signed;
                     }),
                     "no other response"));
        QCOMPARE(refusalOf([](auto &r) { r.finish.response = Response::Signed; }), std::string()); // floats ignore it
        QVERIFY(says(refusalOf([](auto &r) {
                         r.source.channels = r.target.channels = 4;
                         r.channelMask = 7;
                     }),
                     "all channels"));
        QCOMPARE(refusalOf([](auto &r) { r.channelMask = 1; }), std::string());
        QVERIFY(says(refusalOf([](auto &r) { r.source.channels = r.target.channels = 3; }), "1 or 4 channels"));
        QVERIFY(says(refusalOf([](auto &r) { r.taps = nullptr; }), "needs taps"));
    }

    void whatLiesOutside() {
        ConvolutionRequest request = plainRequest();
        QVERIFY(cuda::coversWholePicture(request));
        QVERIFY(!cuda::readsOnlyInside(request));
        request.target.width = request.target.height = 2;
        QVERIFY(!cuda::readsOnlyInside(request));
        request.originX = request.originY = 1;
        QVERIFY(cuda::readsOnlyInside(request));
        QVERIFY(!cuda::coversWholePicture(request));
        request.originX = 2;
        QVERIFY(!cuda::readsOnlyInside(request));
    }

    void rotationsMustBeAlike() {
        std::vector<ConvolutionRequest> rotation{plainRequest(), plainRequest()};
        cuda::checkRotation("npp", rotation);
        rotation[1].target.data = nullptr; // only memory differs
        cuda::checkRotation("npp", rotation);
        rotation[1].target.pitch = 32;
        QVERIFY_EXCEPTION_THROWN(cuda::checkRotation("npp", rotation), cuda::PeerError);
        QVERIFY_EXCEPTION_THROWN(cuda::checkRotation("npp", {}), cuda::PeerError);
    }

    void histogramsRefuseOtherTypes() {
        const cuda::HistogramPeer &cub = *cuda::histogramPeers().front();
        cuda::HistogramRequest request;
        request.source = {nullptr, 10, 10, 10, ScalarType::U8, 1};
        QCOMPARE(cub.missing(), std::string());
        QCOMPARE(cub.refusal(request), std::string());
        request.source.type = ScalarType::F32;
        QVERIFY(says(cub.refusal(request), "8-bit"));
        request.source = {nullptr, 100'000, 30'000, 100'000, ScalarType::U8, 1};
        QVERIFY(says(cub.refusal(request), "2 GiB"));
    }

    void boundsGrowWithTheKernel() {
        ConvolutionRequest request = plainRequest();
        Taps taps = *request.taps;
        request.taps = &taps;
        std::fill_n(taps.value, 9, 1.0f);
        request.finish.divisor = 9;
        const double small = cuda::floatSumBound(request, 255);
        QVERIFY(small > 0 && small < 1e-3);
        taps.width = taps.height = 5;
        std::fill_n(taps.value, 25, 1.0f);
        QVERIFY(cuda::floatSumBound(request, 255) > 5 * small);
        QVERIFY(cuda::halfStorageBound(request, 255) > 100 * small);
    }
};

QTEST_GUILESS_MAIN(PeersMissingTest)
#include "peers_missing_test.moc"
