// Where vendors' libraries are looked for, what is said of those that are missing or of no use, and the sizes of
// transforms.
#include "gpu/peers/fft_tiling.h"
#include "gpu/peers/library.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::peers;

class PeerFilesTest : public QObject {
    Q_OBJECT

private:
    static bool contains(const std::string &text, const std::string &part) {
        if (text.find(part) != std::string::npos)
            return true;
        qWarning("'%s' does not say '%s'", text.c_str(), part.c_str());
        return false;
    }

private slots:
    void cleanup() { qunsetenv("TESSERA_PEER_PATH"); }

    void emptyFolderIsNamed() {
        QTemporaryDir folder;
        qputenv("TESSERA_PEER_PATH", folder.path().toUtf8());
        const OpenLibrary library = openLibrary({"libnppif.so.13", "libnppif.so.12"}, searchPlaces());
        QVERIFY(!library.there());
        QVERIFY(contains(library.missing, "libnppif.so.13 or libnppif.so.12 was not found in "));
        QVERIFY(contains(library.missing, folder.path().toStdString()));
        QVERIFY(contains(library.missing, "TESSERA_PEER_PATH"));
    }

    void folderThatIsNotThere() {
        qputenv("TESSERA_PEER_PATH", "/nowhere/at/all::");
        const OpenLibrary library = openLibrary({"libcufft.so.12"}, searchPlaces());
        QVERIFY(contains(library.missing, "/nowhere/at/all"));
    }

    // With TESSERA_PEER_PATH set the system's own libraries do not count: libc is found by every loader.
    void pathIsExclusive() {
        QTemporaryDir folder;
        qputenv("TESSERA_PEER_PATH", folder.path().toUtf8());
        QVERIFY(!openLibrary({"libc.so.6"}, searchPlaces()).there());
        qunsetenv("TESSERA_PEER_PATH");
        QVERIFY(openLibrary({"libc.so.6"}, searchPlaces()).there());
        QVERIFY(
            contains(openLibrary({"libnone.so.1"}, searchPlaces()).missing, "neither by the system's loader nor in"));
    }

    void layouts_data() {
        QTest::addColumn<QString>("place");
        QTest::newRow("folder of libraries") << ".";
        QTest::newRow("CUDA installation") << "lib64";
        QTest::newRow("lib") << "lib";
        QTest::newRow("site-packages") << "nvidia/cu13/lib";
        QTest::newRow("site-packages/nvidia") << "cudnn/lib";
    }
    void layouts() {
        QFETCH(QString, place);
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(place));
        const QString file = folder.path() + "/" + place + "/libcudnn.so.9";
        QVERIFY(QFile::copy(TESSERA_FAKE_PEER, file));
        qputenv("TESSERA_PEER_PATH", ("/nowhere:" + folder.path()).toUtf8());
        const OpenLibrary library = openLibrary({"libcudnn.so.10", "libcudnn.so.9"}, searchPlaces());
        QVERIFY2(library.there(), library.missing.c_str());
        QVERIFY(library.missing.empty());
        QCOMPARE(QFileInfo(QString::fromStdString(library.path)).canonicalFilePath(),
                 QFileInfo(file).canonicalFilePath());
    }

    void fileThatIsNoLibrary() {
        QTemporaryDir folder;
        QFile file(folder.path() + "/libcudnn.so.9");
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not a library") > 0);
        file.close();
        qputenv("TESSERA_PEER_PATH", folder.path().toUtf8());
        const OpenLibrary library = openLibrary({"libcudnn.so.9"}, searchPlaces());
        QVERIFY(!library.there());
        QVERIFY(contains(library.missing, "/libcudnn.so.9 could not be loaded: "));
    }

    void missingFunctionIsNamed() {
        QTemporaryDir folder;
        QVERIFY(QFile::copy(TESSERA_FAKE_PEER, folder.path() + "/libcudnn.so.9"));
        qputenv("TESSERA_PEER_PATH", folder.path().toUtf8());
        OpenLibrary library = openLibrary({"libcudnn.so.9"}, searchPlaces());
        int (*present)() = nullptr;
        resolve(library, "tesseraFakePeer", present);
        QVERIFY(present && present() == 1);
        QVERIFY(library.missing.empty());
        int (*absent)() = nullptr, (*later)() = nullptr;
        resolve(library, "cudnnCreate", absent);
        resolve(library, "cudnnDestroy", later);
        QVERIFY(!absent && !later && !library.there());
        QVERIFY(contains(library.missing, "/libcudnn.so.9 has no function cudnnCreate: another version"));
    }

    void goodSizes() {
        QCOMPARE(goodTransformSize(1, 4, 7), 4);
        QCOMPARE(goodTransformSize(8222, 4, 7), 8232); // 2^3 3 7^3
        QCOMPARE(goodTransformSize(11, 1, 7), 12);
        QCOMPARE(goodTransformSize(8222, 64, 3), 9216); // 2^10 3^2
        QCOMPARE(goodTransformSize(49, 1, 5), 50);
    }

    // Every output belongs to a tile whose plane holds its whole footprint, and a spectrum is a whole number of pairs.
    void layoutsCoverThePicture() {
        for (const auto &[width, height] : {std::pair{1, 1}, {33, 17}, {4096, 31}, {1920, 1080}, {8192, 8192}})
            for (const auto &[tapsWidth, tapsHeight] : {std::pair{1, 1}, {3, 3}, {31, 5}, {63, 63}}) {
                const auto layouts = transformLayouts(width, height, tapsWidth, tapsHeight, 4, std::int64_t(1) << 31);
                QVERIFY(!layouts.empty());
                for (const TileGrid &tiles : layouts) {
                    QVERIFY(tiles.stepX * tiles.columns >= width && tiles.stepX * (tiles.columns - 1) < width);
                    QVERIFY(tiles.stepY * tiles.rows >= height && tiles.stepY * (tiles.rows - 1) < height);
                    QVERIFY(tiles.stepX + tapsWidth - 1 <= tiles.width);
                    QVERIFY(tiles.stepY + tapsHeight - 1 <= tiles.height);
                    QCOMPARE(std::int64_t(tiles.width / 2 + 1) * tiles.height % 2, std::int64_t(0));
                    QVERIFY(tiles.planeValues() * tiles.count() * 4 <= std::int64_t(1) << 31);
                }
            }
        QVERIFY(transformLayouts(8192, 8192, 3, 3, 4, 1 << 20).empty()); // nothing that small holds it
    }
};

QTEST_GUILESS_MAIN(PeerFilesTest)
#include "peer_files_test.moc"
