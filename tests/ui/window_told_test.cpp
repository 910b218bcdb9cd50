// What must be told and is easily missed: a crash behind a picture that opens at once, values that were narrowed, and
// whose picture it is that there is no memory for.
#include "app/image/image_io.h"
#include "tests/ui/window_test_support.h"
#include "ui/histogram/statistics_table.h"
#include "ui/panels/message_bar.h"

#include <QFile>
#include <QLabel>
#include <QTest>

#include <cmath>
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>

using namespace tessera;

namespace {

class WindowToldTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aCrashIsToldBesideAPicture();
    void informationThatStandsHasItsTime();
    void narrowedValuesAreToldOfEveryFile();
    void sumsBeyondFloatsAreTold();
    void aNoteStaysForAsLongAsItHolds();
    void aNoteGoesAndComesWithItsPicture();
    void channelsWithoutAValueHaveNoFigures();
    void noFigureIsCut_data();
    void noFigureIsCut();
    void noMemoryNamesWhatWasSaved();
    void noMemoryNamesWhatWasOpened();
    void noMemoryForAFilterIsSaidInWords();

private:
    MessageBar &bar() { return *find<MessageBar>(); }
    QString text() { return bar().isShowing() ? bar().accessibleDescription() : QString(); }
    void filterBy(double tap);
};

void WindowToldTest::filterBy(double tap) {
    window_->session().edit([&](Document &d) {
        FilterInstance filter = parseFilter("custom");
        filter.kernel = ConvolutionKernel::centred(3, 1, {tap, tap, -tap});
        filter.kernel.divisor = 1.0;
        d.setFilter(filter);
    });
    QVERIFY(waitUntilIdle(*window_));
}

// As the program does it: what was open is opened again, and at the same moment what it was started with.
void WindowToldTest::aCrashIsToldBesideAPicture() {
    const QString kept = folder_.path(QStringLiteral("kept"));
    window_->startAutosave(kept);
    open(QStringLiteral("before.png"));
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(kept + QStringLiteral("/0/session.json")); }, 20000));
    const QString wide = writeWideFloats(folder_, QStringLiteral("wide.tif"));
    const QString other = writeScene(folder_, QStringLiteral("other.png"), 40, 30, {Depth::U8, 3});
    makeWindow(); // as after a crash
    window_->startAutosave(kept);
    window_->open({other, wide});
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 3; }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(text().contains(QStringLiteral("did not end by itself")), qPrintable(text()));
    QVERIFY2(text().contains(QStringLiteral("wide.tif")), qPrintable(text()));
}

void WindowToldTest::informationThatStandsHasItsTime() {
    bar().show({Message::Kind::Information, QStringLiteral("it stands"), {}, {}, true});
    bar().show({Message::Kind::Information, QStringLiteral("it passes"), {}});
    bar().show({Message::Kind::Information, QStringLiteral("it passes, too"), {}});
    QCOMPARE(bar().count(), std::size_t(2));
    bar().clearPassing();
    QCOMPARE(bar().count(), std::size_t(1));
    QVERIFY(bar().message().what == QStringLiteral("it stands"));
    bar().clear();
    QVERIFY(!bar().isShowing());
}

void WindowToldTest::narrowedValuesAreToldOfEveryFile() {
    window_->open({writeWideFloats(folder_, QStringLiteral("one.tif")),
                   writeWideFloats(folder_, QStringLiteral("two.tif")),
                   writeScene(folder_, QStringLiteral("plain.tif"), 40, 30, {Depth::F32, 1})});
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 3; }, 20000));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(QTest::qWaitFor([&] { return bar().count() == 2; }));
    for (const char *name : {"one.tif", "two.tif"})
        QVERIFY2(text().contains(folder_.path(QLatin1String(name)) +
                                 QStringLiteral(": its 64-bit floats were read as 32-bit ones.")),
                 qPrintable(text()));
    bar().clear();
    const QString session = folder_.path(QStringLiteral("work.tessera"));
    window_->session().saveSession(session);
    QVERIFY(waitUntilIdle(*window_));
    makeWindow();
    window_->open({session}); // a session opens its files anew
    QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 3; }, 20000));
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }));
    QVERIFY2(text().contains(QStringLiteral("one.tif: its 64-bit")), qPrintable(text()));
}

void WindowToldTest::sumsBeyondFloatsAreTold() {
    open();
    filterBy(1e30);
    QVERIFY2(!text().contains(QStringLiteral("range of 32-bit floats")), qPrintable(text()));
    filterBy(1e38);
    QVERIFY(QTest::qWaitFor([&] { return text().contains(QStringLiteral("leave the range of 32-bit floats")); }));
}

void WindowToldTest::aNoteStaysForAsLongAsItHolds() {
    const QString note = QStringLiteral("leave the range of 32-bit floats");
    open();
    filterBy(1e38);
    QVERIFY(QTest::qWaitFor([&] { return text().contains(note); }));
    window_->session().edit([](Document &d) { // as a slider does, step by step
        FilterStep step = *d.step();
        step.border.mode = BorderMode::Wrap;
        d.changeStep(step, "border");
    });
    QVERIFY2(text().contains(note), qPrintable(text()));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(text().contains(note), qPrintable(text()));
    filterBy(1e30);
    QVERIFY2(!text().contains(note), qPrintable(text()));
    filterBy(1e38);
    QVERIFY2(text().contains(note), qPrintable(text()));
    window_->session().edit([](Document &d) { d.removeStep(0); });
    QVERIFY2(!text().contains(note), qPrintable(text()));
}

void WindowToldTest::aNoteGoesAndComesWithItsPicture() {
    const QString note = QStringLiteral("leave the range of 32-bit floats");
    open(QStringLiteral("one.png"));
    open(QStringLiteral("two.png"));
    filterBy(1e38);
    QVERIFY(QTest::qWaitFor([&] { return text().contains(note); }));
    window_->session().setCurrentIndex(0);
    QVERIFY2(!text().contains(note), qPrintable(text()));
    window_->session().setCurrentIndex(1);
    QVERIFY2(text().contains(note), qPrintable(text()));
}

void WindowToldTest::channelsWithoutAValueHaveNoFigures() {
    Image image(2, 1, {Depth::F32, 1});
    image.view().row<float>(0)[0] = image.view().row<float>(0)[1] = std::nanf("");
    StatisticsModel model;
    const ImageStatistics nothing = computeStatistics(image.view());
    model.setStatistics(&nothing, Depth::F32);
    for (int row = 0; row < 8; ++row) // from the least value to the entropy
        QCOMPARE(model.index(row, 1).data().toString(), QStringLiteral("–"));
    image.view().row<float>(0)[0] = 0.5f;
    const ImageStatistics one = computeStatistics(image.view());
    model.setStatistics(&one, Depth::F32);
    QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("0.5000"));
}

void WindowToldTest::noFigureIsCut_data() {
    QTest::addColumn<double>("middle");
    QTest::addColumn<double>("spread"); // about it, in alpha a hundredth of that
    QTest::newRow("nearly opaque") << 1.0 << 1e-3;
    QTest::newRow("dark") << 2e-5 << 1e-5;
    QTest::newRow("below zero") << -0.02 << 0.03;
    QTest::newRow("bright") << 54321.5 << 3000.0;
    QTest::newRow("beyond") << 2.5e7 << 1e7;
}

// Four channels and luminance in the narrowest column that the window has.
void WindowToldTest::noFigureIsCut() {
    QFETCH(double, middle);
    QFETCH(double, spread);
    Image image(16, 8, {Depth::F32, 4});
    for (int y = 0; y < 8; ++y)
        for (int i = 0; i < 64; ++i)
            image.view().row<float>(y)[i] =
                float(middle + spread * (i % 4 == 3 ? 0.01 : 1) * std::sin(double(y * 64 + i)));
    const ImageStatistics statistics = computeStatistics(image.view());
    StatisticsTable table(QStringLiteral("original"), QStringLiteral("Statistics"));
    table.resize(table.sizeHint());
    table.show();
    table.setStatistics(&statistics, Depth::F32);
    const QFontMetrics metrics(table.font());
    const QAbstractItemModel &model = *table.model();
    QCOMPARE(model.columnCount(), 6);
    for (int row = 0; row < model.rowCount(); ++row)
        for (int column = 0; column < 6; ++column) {
            const QString figure = model.index(row, column).data().toString();
            QVERIFY2(metrics.horizontalAdvance(figure) <= table.columnWidth(column) - 4,
                     qPrintable(QStringLiteral("%1 needs %2 of %3")
                                    .arg(figure)
                                    .arg(metrics.horizontalAdvance(figure))
                                    .arg(table.columnWidth(column))));
        }
    bool isNumber = false;
    const double deviation = model.index(3, 4).data().toString().toDouble(&isNumber);
    const double wanted = statistics.channels[3].standardDeviation;
    QVERIFY(isNumber && std::abs(deviation - wanted) <= 0.05 * wanted);
}

void WindowToldTest::noMemoryNamesWhatWasSaved() {
    open();
    window_->session().setEngineChooser(
        [](const std::string &, const std::string &) -> EngineChoice { throw std::bad_alloc(); });
    filter("emboss");
    bar().clear();
    window_->session().save(folder_.path(QStringLiteral("result.png")), {}, OutputDepth::Keep);
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
    QCOMPARE(bar().message().what, QStringLiteral("The picture result.png was not saved: there is not enough memory"));
    QCOMPARE(bar().message().remedy, QStringLiteral("close other pictures or programs"));
}

// With ever less room, opening fails at one place or another, or not at all: whatever is said names the picture.
void WindowToldTest::noMemoryNamesWhatWasOpened() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer needs room of its own");
#endif
    const QString path = writeScene(folder_, QStringLiteral("large.png"), 2400, 2000, {Depth::U8, 3});
    Session session; // no window: it could not paint either
    QList<Message> said;
    connect(&session, &Session::messageWanted, this, [&](const Message &message) { said << message; });
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_AS, &before), 0);
    for (int megabytes = 2; megabytes <= 62; megabytes += 3) {
        long pages = 0;
        if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
            QCOMPARE(std::fscanf(file, "%ld", &pages), 1);
            std::fclose(file);
        }
        rlimit tight = before;
        tight.rlim_cur = rlim_t(pages) * rlim_t(::sysconf(_SC_PAGESIZE)) + (rlim_t(megabytes) << 20);
        QCOMPARE(::setrlimit(RLIMIT_AS, &tight), 0);
        session.openFiles({path});
        const bool ended = QTest::qWaitFor([&] { return !session.busyWithFiles(); }, 60000);
        QCOMPARE(::setrlimit(RLIMIT_AS, &before), 0);
        QVERIFY(ended);
        QCoreApplication::processEvents();
        if (session.count() > 0)
            session.closeDocument(0);
    }
    QVERIFY(!said.isEmpty());
    for (const Message &message : said)
        QVERIFY2(message.what.contains(QStringLiteral("large.png")), qPrintable(fullTextOf(message)));
}

void WindowToldTest::noMemoryForAFilterIsSaidInWords() {
    open();
    window_->session().setEngineChooser(
        [](const std::string &, const std::string &) -> EngineChoice { throw std::bad_alloc(); });
    window_->session().edit([](Document &d) { d.setFilter(parseFilter("emboss")); });
    QVERIFY(QTest::qWaitFor([&] { return bar().isShowing(); }, 20000));
    QCOMPARE(bar().message().what, QStringLiteral("The filter could not be run: there is not enough memory"));
}

} // namespace

QTEST_MAIN(WindowToldTest)
#include "window_told_test.moc"
