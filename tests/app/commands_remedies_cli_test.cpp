// The real binary: what it says where something is lost or cannot be, and what can be done about it.
#include "tests/app/commands_support.h"

#include <QDir>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace tessera::test;

class CommandsRemediesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void aFullDiskNamesTheOutput_data();
    void aFullDiskNamesTheOutput();
    void theRemedyFitsTheCause();
    void kernelFilesThatAreNone();
    void tooLargeToInspect();
    void lossesAreNoted();
    void anEmptyTiffSaysWhy();
    void aReaderThatGoesAwayIsNoFullDisk();
    void aListMayBeginWithAByteOrderMark();
    void withoutAWindowAllCommandsAreNamed();

private:
    QString path(const QString &name) const { return temporary_.filePath(name); }
    Run run(const QStringList &arguments, RunSettings settings = {}) const {
        settings.folder = temporary_.path();
        return runTessera(arguments, settings);
    }
    QTemporaryDir temporary_;
};

void CommandsRemediesTest::initTestCase() {
    // Noise, which no format makes small.
    QByteArray ppm = "P6\n700 900\n255\n";
    unsigned state = 3;
    for (int i = 0; i < 700 * 900 * 3; ++i) {
        state = state * 1664525u + 1013904223u;
        ppm += char(state >> 24);
    }
    writeFile(path("in.ppm"), ppm);
    writePpm(path("small.ppm"), 30, 20);
    QDir(temporary_.path()).mkdir("folder");
}

void CommandsRemediesTest::aFullDiskNamesTheOutput_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<bool>("bands");
    for (const char *format : {"jpg", "png", "tiff", "ppm"})
        for (const bool bands : {false, true})
            QTest::addRow("%s%s", format, bands ? ", bands" : "") << QString(format) << bands;
}

void CommandsRemediesTest::aFullDiskNamesTheOutput() {
    QFETCH(QString, format);
    QFETCH(bool, bands);
    RunSettings settings;
    settings.fileSizeLimit = 100'000;
    const Run run = this->run({"batch", "in.ppm", "-o", "full", "--filter", "box", "--format", format, "--name",
                               "x.{ext}", "--max-memory", bands ? "3M" : "1G"},
                              settings);
    EXPECT_CODE(run, 1);
    EXPECT_IN(run.err, "full/x.");
    EXPECT_IN(run.err, "ulimit -f"); // the remedy
    QVERIFY2(!run.err.contains("in.ppm:"), run.err.constData());
    for (const QString &name : filesIn(path("full")))
        QCOMPARE(name, QString(".tessera-batch.jsonl"));
}

// No depth gives JPEG an alpha channel; one does give it the samples of a 16-bit picture.
void CommandsRemediesTest::theRemedyFitsTheCause() {
    const QByteArray alpha = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n";
    writeFile(path("rgba.pam"), alpha + QByteArray(8, '\x40'));
    writeFile(path("deep.pgm"), "P5\n2 1\n65535\n" + QByteArray(4, '\x40'));
    const Run transparent = this->run({"batch", "rgba.pam", "-o", "fits", "--filter", "box", "--format", "jpg"});
    EXPECT_CODE(transparent, 1);
    EXPECT_IN(transparent.err, "alpha channel");
    EXPECT_IN(transparent.err, "choose another --format");
    QVERIFY2(!transparent.err.contains("--depth"), transparent.err.constData());
    const Run deep = this->run({"batch", "deep.pgm", "-o", "fits", "--filter", "box", "--format", "jpg"});
    EXPECT_CODE(deep, 1);
    EXPECT_IN(deep.err, "choose another --format or --depth");
    EXPECT_CODE(this->run({"batch", "deep.pgm", "-o", "fits", "--filter", "box", "--format", "jpg", "--depth", "8"}),
                0);
}

void CommandsRemediesTest::kernelFilesThatAreNone() {
    for (const char *kernel : {"folder", "missing.txt"}) {
        const Run run = this->run({"batch", "small.ppm", "-o", "k", "--kernel", kernel});
        EXPECT_CODE(run, 2);
        EXPECT_IN(run.err, kernel);
    }
}

void CommandsRemediesTest::tooLargeToInspect() {
    const Run picture = run({"inspect", "--size", "1000000x1000000", "--filter", "box"});
    EXPECT_CODE(picture, 2);
    EXPECT_IN(picture.err, "choose a smaller picture");
    const Run kernel = run({"inspect", "--size", "5x5", "--filter", "box:size=9", "--inside"});
    EXPECT_CODE(kernel, 2);
    EXPECT_IN(kernel.err, "choose a smaller kernel");
}

void CommandsRemediesTest::lossesAreNoted() {
    // A profile of 128 bytes, as far as is looked at: its length, colour space and signature.
    QByteArray profile(132, '\0');
    profile[3] = char(132);
    profile.replace(12, 4, "mntr").replace(16, 4, "RGB ").replace(20, 4, "XYZ ").replace(36, 4, "acsp");
    EXPECT_CODE(run({"batch", "small.ppm", "-o", "made", "--filter", "identity", "--format", "jpg", "--name", "p.jpg"}),
                0);
    const QByteArray plain = readFile(path("made/p.jpg"));
    const QByteArray segment = QByteArray("ICC_PROFILE\0\1\1", 14) + profile;
    writeFile(path("profile.jpg"),
              plain.left(2) + "\xff\xe2" + char(0) + char(segment.size() + 2) + segment + plain.mid(2));
    for (const char *format : {"bmp", "tga", "ppm"}) {
        const Run run =
            this->run({"batch", "profile.jpg", "-o", "lost", "--filter", "box", "--format", format, "--json"});
        EXPECT_CODE(run, 0);
        EXPECT_IN(run.err, "colour profile");
        EXPECT_IN(run.json()["files"][0].toObject()["note"].toString().toUtf8(), "colour profile");
    }
    const Run bands =
        run({"batch", "profile.jpg", "-o", "lost2", "--filter", "box", "--format", "ppm", "--max-memory", "20K"});
    if (bands.code == 0)
        EXPECT_IN(bands.err, "colour profile");
    for (const QStringList &kept : {QStringList{"profile.jpg", "--format", "png"}, {"small.ppm", "--format", "bmp"}}) {
        const Run run = this->run(QStringList{"batch", "-o", "kept", "--filter", "box"} + kept);
        EXPECT_CODE(run, 0);
        QVERIFY2(!run.err.contains("colour profile"), run.err.constData());
    }
    const QStringList webp{"batch", "-o", "webp", "--filter", "box", "--format", "webp", "--name"};
    const Run lossless = run(webp + QStringList{"a.webp", "small.ppm", "--quality", "100"});
    if (lossless.code == 2)
        QSKIP("this build has no WebP");
    EXPECT_CODE(lossless, 0);
    QVERIFY2(!lossless.err.contains("lossy"), lossless.err.constData());
    const Run lossy = run(webp + QStringList{"b.webp", "webp/a.webp"});
    EXPECT_CODE(lossy, 0);
    EXPECT_IN(lossy.err, "--quality 100 keeps it lossless");
    for (const QStringList &silent :
         {QStringList{"c.webp", "webp/a.webp", "--quality", "100"}, {"d.webp", "webp/b.webp"}})
        QVERIFY(!run(webp + silent).err.contains("lossy"));
}

void CommandsRemediesTest::anEmptyTiffSaysWhy() {
    writeFile(path("classic.tif"), QByteArray("II*\0\0\0\0\0", 8));
    writeFile(path("big.tif"), QByteArray("II+\0\x08\0\0\0\0\0\0\0\0\0\0\0", 16));
    for (const char *name : {"classic.tif", "big.tif"}) {
        const Run run = this->run({"stats", name});
        EXPECT_CODE(run, 3);
        QVERIFY2(!run.err.contains("TIFF:  (") && !run.err.contains(":  ("), run.err.constData());
    }
}

void CommandsRemediesTest::aReaderThatGoesAwayIsNoFullDisk() {
    QProcess process;
    process.setWorkingDirectory(temporary_.path());
    process.start("sh", {"-c", "\"$0\" batch in.ppm -o piped --filter gaussian:sigma=5 --json | true", executable()});
    QVERIFY(process.waitForFinished(60'000));
    const QByteArray error = process.readAllStandardError();
    EXPECT_IN(error, "ended before it had everything");
    QVERIFY2(!error.contains("free some space"), error.constData());
}

void CommandsRemediesTest::aListMayBeginWithAByteOrderMark() {
    writeFile(path("list.txt"), "\xEF\xBB\xBFsmall.ppm\r\n");
    EXPECT_CODE(run({"batch", "--files-from", "list.txt", "-o", "listed", "--filter", "box"}), 0);
    QVERIFY(filesIn(path("listed")).contains("small-box.ppm"));
}

void CommandsRemediesTest::withoutAWindowAllCommandsAreNamed() {
    RunSettings settings;
    settings.environment = {{"QT_QPA_PLATFORM", ""}, {"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}};
    const Run run = this->run({}, settings);
    EXPECT_CODE(run, 2);
    for (const char *command :
         {"batch", "bench", "compare", "devices", "filters", "inspect", "report", "stats", "variants"})
        EXPECT_IN(run.err, command);
}

QTEST_APPLESS_MAIN(CommandsRemediesTest)
#include "commands_remedies_cli_test.moc"
