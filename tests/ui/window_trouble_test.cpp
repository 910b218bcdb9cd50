// What goes wrong is told with what to do about it, the work goes on, and nothing that was open is lost.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/panels/message_bar.h"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
#include <QTest>

#include <atomic>
#include <sys/stat.h>

using namespace tessera;

namespace {

// A GPU as far as the program can tell: it answers through the CPU engine until it fails for good.
class FailingDevice final : public Engine {
public:
    explicit FailingDevice(int picturesUntilLoss)
        : left_(picturesUntilLoss), cpu_(chooseEngine("auto", "cpu").engine) {}

    std::string_view name() const override { return "cuda"; }
    DeviceKind deviceKind() const override { return DeviceKind::Cuda; }
    std::string deviceId() const override { return "cuda:0"; }
    std::string deviceName() const override { return "Test GPU"; }
    std::vector<VariantInfo> variants() const override { return {{"tiled", "Tiled", ""}}; }
    bool isLost() const override { return lost_; }
    std::string refusal(const ConvolutionJob &) const override { return lost_ ? "the device was lost" : ""; }
    void prepare(int threads) noexcept override { prepared += threads; }
    RunTimes convolve(const ConvolutionJob &job, const RunControl &control) override {
        if (left_-- <= 0) {
            lost_ = true;
            throw Error(ErrorKind::Device, "an illegal memory access was encountered on cuda:0");
        }
        ++done;
        ConvolutionJob own = job;
        own.variant = {};
        return cpu_->convolve(own, control);
    }

    std::atomic<int> done{0}, prepared{0};

private:
    std::atomic<int> left_;
    std::atomic<bool> lost_{false};
    std::shared_ptr<Engine> cpu_;
};

class WindowTroubleTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aLostDeviceIsToldAndTheCpuGoesOn();
    void aLostDeviceThatWasNamedGoesOnToo();
    void aSessionFromAMachineWithAnotherDevice();
    void aDeviceThatIsNotThereIsToldWhenChosen();
    void hostileFiles_data();
    void hostileFiles();
    void everyBadFileIsNamed();
    void aGoodFileHidesNoBadOne();
    void aFilterThatCannotRunIsSettledByOneThatCan();
    void optionsOfTheCommandLineAreNotAdvised_data();
    void optionsOfTheCommandLineAreNotAdvised();
    void noRoomAdvisesAnOption();
    void aPictureThatIsTooLarge();
    void messagesGatherAndClose();
    void aRaceCanBeCancelled();

private:
    MessageBar &bar() { return *find<MessageBar>(); }
    void useDevice(const std::shared_ptr<FailingDevice> &device);
};

void WindowTroubleTest::useDevice(const std::shared_ptr<FailingDevice> &device) {
    window_->session().setEngineChooser([device](const std::string &variant, const std::string &where) {
        if (where == "cpu" || (where == "auto" && device->isLost()))
            return chooseEngine(variant, "cpu");
        EngineChoice choice;
        choice.engine = device;
        choice.variant = "tiled";
        choice.automatic = variant == "auto";
        return choice;
    });
}

void WindowTroubleTest::aLostDeviceIsToldAndTheCpuGoesOn() {
    const auto device = std::make_shared<FailingDevice>(1);
    useDevice(device);
    open();
    open(QStringLiteral("other.png"), 80, 60, {Depth::U16, 1});
    QVERIFY2(QTest::qWaitFor([&] { return device->prepared == 4; }),
             "for bands and what is seen, before anything is filtered");
    filter("gaussian:sigma=2");
    QVERIFY(device->done >= 1);
    QVERIFY(!bar().isShowing());
    filter("emboss");
    QVERIFY(device->isLost());
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }));
    QVERIFY(bar().message().kind == Message::Kind::Warning);
    QVERIFY2(bar().message().what.contains(QStringLiteral("Test GPU")), qPrintable(bar().message().what));
    QVERIFY2(bar().message().what.contains(QStringLiteral("illegal memory access")), qPrintable(bar().message().what));
    QVERIFY(!bar().message().remedy.isEmpty());
    // The very run that lost the device has its result, and so have those that follow.
    QVERIFY(document().resultIsCurrent());
    QVERIFY(samePixels(*shown(), expected()));
    bar().clear();
    filter("sobel");
    QVERIFY(samePixels(*shown(), expected()));
    QVERIFY2(!bar().isShowing(), "told once, not at every run");
    QCOMPARE(window_->session().count(), 2);
    window_->session().undo();
    window_->session().undo();
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().step()->filter.name, std::string("gaussian"));
    window_->session().setCurrentIndex(0);
    QVERIFY(samePixels(document().picture(), testScene(160, 120, {Depth::U8, 3})));
}

void WindowTroubleTest::aLostDeviceThatWasNamedGoesOnToo() {
    const auto device = std::make_shared<FailingDevice>(0);
    useDevice(device);
    open();
    window_->session().setEngine("auto", "cuda:0");
    filter("gaussian:sigma=2");
    QVERIFY(device->isLost());
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }));
    QVERIFY(samePixels(*shown(), expected()));
    filter("sharpen");
    QVERIFY(document().resultIsCurrent());
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowTroubleTest::aSessionFromAMachineWithAnotherDevice() {
    FilterStep step;
    step.filter = parseFilter("sobel");
    SessionState state;
    state.entries.push_back({writeScene(folder_, QStringLiteral("scene.png"), 90, 70, {Depth::U8, 3}).toStdString(),
                             "scene.png",
                             {{step}, OutputDepth::Keep},
                             0});
    state.current = 0;
    state.variant = "naive";
    state.device = "cuda:99";
    const std::string text = formatSession(state);
    window_->open({put(folder_.path(QStringLiteral("server.tessera")), QByteArray::fromStdString(text))});
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }));
    QVERIFY(bar().message().kind == Message::Kind::Warning);
    QVERIFY2(bar().message().what.contains(QStringLiteral("cuda:99")), qPrintable(bar().message().what));
    QVERIFY(samePixels(*shown(), expected()));
    QCOMPARE(find<QComboBox>(QStringLiteral("device"))->currentData().toString(), QStringLiteral("auto"));
}

void WindowTroubleTest::aDeviceThatIsNotThereIsToldWhenChosen() {
    open();
    filter("gaussian:sigma=2");
    const Image before = shown()->clone();
    window_->session().setEngine("auto", "cuda:99");
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }));
    QVERIFY(bar().message().kind == Message::Kind::Error);
    QVERIFY(!bar().message().remedy.isEmpty());
    QVERIFY(samePixels(*shown(), before)); // what was there stays
    window_->session().setEngine("auto", "auto");
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return !bar().isShowing(); })); // settled by the run that went well
}

void WindowTroubleTest::hostileFiles_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    const QByteArray pngHead = QByteArray::fromHex("89504e470d0a1a0a0000000d49484452");
    QTest::newRow("empty") << QStringLiteral("empty.png") << QByteArray();
    QTest::newRow("text") << QStringLiteral("text.jpg") << QByteArray("dear diary");
    QTest::newRow("bomb") << QStringLiteral("bomb.png")
                          << pngHead + QByteArray::fromHex("7fffffff7fffffff0806000000deadbeef");
    QTest::newRow("zeros") << QStringLiteral("zeros.tif") << QByteArray(5000, '\0');
    QTest::newRow("head only") << QStringLiteral("head.webp") << QByteArray("RIFF\xff\xff\xff\xffWEBPVP8 ");
    QTest::newRow("markup in its name") << QStringLiteral("<b>bold<img src=x>&amp;.png") << QByteArray("x");
    QTest::newRow("line break in its name") << QStringLiteral("two\nlines.png") << QByteArray("x");
    QTest::newRow("session that is none") << QStringLiteral("none.tessera") << QByteArray("[1,2");
}

void WindowTroubleTest::hostileFiles() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    open();
    filter("gaussian:sigma=2");
    const Chain chain = document().chain();
    const QString path = put(folder_.path(name), content);
    QVERIFY(!path.isEmpty());
    window_->open({path});
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(bar().isShowing());
    QVERIFY(bar().message().kind == Message::Kind::Error);
    QVERIFY(!bar().message().what.isEmpty());
    QCOMPARE(bar().findChild<QLabel *>()->textFormat(), Qt::PlainText);
    QCOMPARE(window_->session().count(), 1);
    QVERIFY(document().chain() == chain);
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowTroubleTest::everyBadFileIsNamed() {
    QStringList paths;
    for (int i = 0; i < 6; ++i)
        paths << put(folder_.path(QStringLiteral("bad%1.png").arg(i)), "no picture");
    const QByteArray pipe = folder_.path(QStringLiteral("pipe.png")).toLocal8Bit();
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0); // nobody ever writes to it
    paths << QString::fromLocal8Bit(pipe) << folder_.path(QStringLiteral("missing.png"));
    window_->open(paths);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return bar().count() == std::size_t(paths.size()); }));
    const QString text = bar().accessibleDescription();
    QVERIFY2(text.contains(QStringLiteral("And 4 more")), qPrintable(text));
}

void WindowTroubleTest::aGoodFileHidesNoBadOne() {
    window_->open({put(folder_.path(QStringLiteral("bad.png")), "no picture"),
                   writeScene(folder_, QStringLiteral("good.png"), 40, 30, {Depth::U8, 3})});
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 1; }, 20000));
    QVERIFY(bar().isShowing());
    QVERIFY(bar().message().what.contains(QStringLiteral("bad.png")));
    open(QStringLiteral("next.png")); // the user goes on: the old trouble is gone
    QVERIFY(!bar().isShowing());
}

void WindowTroubleTest::aFilterThatCannotRunIsSettledByOneThatCan() {
    open();
    window_->session().edit([](Document &d) {
        d.setFilter(parseFilter("gaussian:sigma=2"));
        FilterStep step = *d.step();
        step.divisor = 0;
        d.changeStep(step, "divisor");
    });
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }));
    window_->session().undo();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return !bar().isShowing(); }));
    QVERIFY(samePixels(*shown(), expected()));
}

void WindowTroubleTest::optionsOfTheCommandLineAreNotAdvised_data() {
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("shown");
    const auto row = [](const char *said, const char *shown) {
        QTest::newRow(said) << QString::fromLatin1(said) << QString::fromLatin1(shown);
    };
    row("raise --max-memory to 123M, or use a machine with more memory",
        "use a machine with more memory, or a smaller picture");
    row("raise --max-memory, or save it again with the EXIF data in front",
        "save it again with the EXIF data in front");
    row("raise --max-pixels if the picture is meant to be that large",
        "if the picture is meant to be that large, filter it outside the window: 'tessera batch --max-pixels N'");
    row("choose a format that can: png, tiff; or convert with --depth 16",
        "choose a format that can: png, tiff; or choose 16 bits as the depth");
    row("choose another name, or allow overwriting (--overwrite)", "choose another name, or allow overwriting");
    row("use --device cpu, or start the program again", "choose the CPU as the device, or start the program again");
    row("devices here: cpu, sim; --device auto takes the best of them",
        "devices here: cpu, sim; the device 'auto' takes the best of them");
    row("leave the choice to --variant auto", "choose the variant 'auto'");
    row("raise --some-limit, or inspect a smaller picture", "inspect a smaller picture"); // of no known option
    row("raise --some-limit", "");
    row("choose another name than a--b.png", "choose another name than a--b.png");
}

void WindowTroubleTest::optionsOfTheCommandLineAreNotAdvised() {
    QFETCH(QString, said);
    QFETCH(QString, shown);
    QCOMPARE(messageFrom(Error(ErrorKind::Input, "it failed", said.toStdString())).remedy, shown);
}

// Of the batch, what the window has no part in.
bool isOfTheCommandAlone(const QString &path) {
    static const QRegularExpression parts(
        QStringLiteral("/batch/"
                       "(batch_command|batch_list|batch_syntax|batch_options|batch_resume|batch_"
                       "report|batch_run|batch_progress|report_target|shard|"
                       "dry_run|interruption|verification)[^/]*$"));
    return path.contains(parts);
}

// Whatever the rooms below the window may say: every text in them that names an option, bare or put together, comes
// out without, and what the window can reach comes out with something to do.
void WindowTroubleTest::noRoomAdvisesAnOption() {
    static const QRegularExpression literal(QStringLiteral("\"(?:[^\"\\\\\n]|\\\\.)*\"")),
        putTogether(QStringLiteral("\"\\s*\\+\\s*[a-zA-Z][\\w:.()]*\\s*\\+\\s*\"")),
        option(QStringLiteral("(?<![^\\s(])--[a-z]")), command(QStringLiteral("'tessera [^']*'"));
    int found = 0;
    for (const char *room : {"core", "image", "filters", "stats", "engines", "session", "race", "commands/batch"}) {
        QDirIterator files(QStringLiteral(TESSERA_SOURCE_DIR "/app/%1").arg(QLatin1String(room)),
                           {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (isOfTheCommandAlone(file.fileName()))
                continue;
            QVERIFY(file.open(QFile::ReadOnly));
            const QString source = QString::fromUtf8(file.readAll()).replace(putTogether, QStringLiteral("7M"));
            auto texts = literal.globalMatch(source);
            while (texts.hasNext()) {
                QString text = texts.next().captured().chopped(1).mid(1);
                if (text.endsWith(QLatin1Char(' ')))
                    text += QStringLiteral("16"); // a value follows
                if (!text.contains(option) || text.startsWith(QStringLiteral("--kernel")) ||
                    text.contains(QStringLiteral("--files-from")))
                    continue; // the arguments of these names are the command line's alone
                ++found;
                const QString shown = messageFrom(Error(ErrorKind::Input, "it failed", text.toStdString())).remedy;
                QVERIFY2(!shown.isEmpty(), qPrintable(file.fileName() + QLatin1String(": ") + text));
                QVERIFY2(!QString(shown).remove(command).contains(option), qPrintable(shown));
            }
        }
    }
    QVERIFY(found > 10);
}

void WindowTroubleTest::aPictureThatIsTooLarge() {
    const QString huge = put(folder_.path(QStringLiteral("huge.pgm")), "P5\n100000 100000\n255\n");
    QVERIFY(QFile::resize(huge, 10'000'000'100)); // a hole: the pixels are there and take no room
    window_->open({huge});
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
    QVERIFY2(bar().message().what.contains(QStringLiteral("over the limit of")), qPrintable(bar().message().what));
    QVERIFY2(bar().message().remedy.contains(QStringLiteral("'tessera batch --max-pixels N'")),
             qPrintable(bar().message().remedy));
}

void WindowTroubleTest::messagesGatherAndClose() {
    bar().show({Message::Kind::Error, QStringLiteral("one failed"), QStringLiteral("mend it")});
    bar().show({Message::Kind::Information, QStringLiteral("two was saved"), {}});
    bar().show({Message::Kind::Information, QStringLiteral("three was saved"), {}});
    bar().show({Message::Kind::Error, QStringLiteral("one failed"), QStringLiteral("mend it")});
    QCOMPARE(bar().count(), std::size_t(1)); // the same trouble once, and no stale information
    bar().show({Message::Kind::Warning, QStringLiteral("four is odd"), {}, QStringLiteral("topic")});
    bar().show({Message::Kind::Warning, QStringLiteral("four is odd still"), {}, QStringLiteral("topic")});
    QCOMPARE(bar().count(), std::size_t(2));
    bar().settle(QStringLiteral("topic"));
    QCOMPARE(bar().count(), std::size_t(1));
    QVERIFY(waitUntilIdle(*window_));
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(!bar().isShowing());
}

void WindowTroubleTest::aRaceCanBeCancelled() {
    open(QStringLiteral("large.png"), 1600, 1200);
    filter("disk:radius=9");
    window_->session().startRace();
    QVERIFY(window_->session().race().running());
    QTest::qWait(100);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(QTest::qWaitFor([&] { return !window_->session().race().running(); }, 20000));
    filter("sobel");
    QVERIFY(samePixels(*shown(), expected()));
}

} // namespace

QTEST_MAIN(WindowTroubleTest)
#include "window_trouble_test.moc"
