// What is shown before the exact result is there, and what is left when it never comes.
#include "app/stats/comparison.h"
#include "tests/ui/canvas_test_support.h"
#include "ui/bridge/interruptible.h"
#include "ui/bridge/picture_conversion.h"
#include "ui/panels/message_bar.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include <chrono>
#include <fcntl.h>
#include <future>
#include <stop_token>
#include <sys/stat.h>
#include <unistd.h>

using namespace tessera;

namespace {

class CanvasPreviewTest : public CanvasFixture {
    Q_OBJECT

private slots:
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void aPreviewSaysThatItIsOne();
    void whatIsCopiedIsWhatWasAskedFor();
    void aPreviewFollowsTheView();
    void cancellingLeavesTheEarlierPicture();
    void cancellingDoesNotWaitForAFile();

private:
    bool startSlow();
    bool waitForSlow();
};

// A simulated kernel is slow enough to look at what is shown meanwhile; returns once the visible part is there.
bool CanvasPreviewTest::startSlow() {
    window_->session().edit([](Document &document) { document.replaceChain({}, "none"); });
    window_->session().setEngine("naive", "sim");
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("box:width=5,height=5")); });
    return waitForSlow();
}

bool CanvasPreviewTest::waitForSlow() {
    return QTest::qWaitFor([&] { return window_->canvas().content().patch.has_value(); }, 60000) &&
           window_->session().filtering();
}

// While a filter runs the pane shows it ahead: the copy waits for it. After cancelling it says what it is.
void CanvasPreviewTest::whatIsCopiedIsWhatWasAskedFor() {
    openMade(addressed(700, 500), QStringLiteral("large"));
    filter("sharpen");
    const Image earlier = document().result()->picture.stack.picture()->clone();
    QSignalSpy copied(&window_->session(), &Session::copyReady);
    window_->session().setEngine("naive", "sim");
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("box:width=15,height=15")); });
    QVERIFY(window_->session().filtering());
    window_->copyResult();
    QVERIFY(copied.isEmpty());
    QVERIFY(QTest::qWaitFor([&] { return !copied.isEmpty(); }, 60000));
    QVERIFY(document().resultIsCurrent());
    const QImage result = qvariant_cast<QImage>(copied.takeFirst().first());
    QCOMPARE(compareImages(fromQImage(result), *document().result()->picture.stack.picture()).maximumError, 0.0);
    QVERIFY(compareImages(fromQImage(result), earlier).maximumError > 0.0);

    window_->session().edit([](Document &document) { document.setFilter(parseFilter("box:width=31,height=31")); });
    window_->copyResult();
    window_->session().cancel();
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(copied.isEmpty()); // of a run that came to nothing
    window_->copyResult();
    QVERIFY(QTest::qWaitFor([&] { return !copied.isEmpty(); }, 60000));
    QVERIFY(find<MessageBar>()->findChild<QLabel *>()->text().contains(QStringLiteral("earlier result")));
}

void CanvasPreviewTest::aPreviewSaysThatItIsOne() {
    openMade(addressed(3000, 2000), QStringLiteral("large"));
    window_->setCanvasMode(CanvasMode::Four);
    view().fit();
    QVERIFY(startSlow());
    QVERIFY(!window_->canvas().content().patch->exact);
    for (int i : {1, 2, 3})
        QVERIFY2(pane(i)->stateCaption().contains(QStringLiteral("not exact")), qPrintable(pane(i)->stateCaption()));
    QVERIFY(pane(0)->stateCaption().isEmpty()); // the original is what it is
    // No value is shown that might be wrong.
    view().setHover(QPoint(1500, 1000));
    QVERIFY(pane(1)->inspectorLines().first().contains(QStringLiteral("not yet exact")));
    window_->session().cancel();
    // At 100 % the part in view is exact, and its values are there before the whole.
    view().setZoom(1);
    view().centreOn({1500, 1000});
    QVERIFY(startSlow());
    QVERIFY(window_->canvas().content().patch->exact);
    const FilterStep step = *document().step();
    const Image wanted = runPipelineRegion(document().picture(), {1500, 1000, 1, 1}, {&step, 1},
                                           chooseEngine("cpu", "cpu"), OutputDepth::Keep);
    QCOMPARE(paintedAt(pane(1), {1500, 1000}), colourOf(wanted, {0, 0}));
    view().setHover(QPoint(1500, 1000));
    QVERIFY(pane(1)->inspectorLines().first().contains(
        QString::fromStdString(formatSample(pixelAt(wanted.view(), 0, 0).value[0], Depth::U8))));
    // Its sum is that of this filter, not of the one before.
    QVERIFY(pane(1)->inspectorLines().last().contains(
        QString::fromStdString(tapSumText(explainPixel(document().picture().view(), step, 1500, 1000, 0)))));
    std::uint32_t word = 0;
    renderDifference(document().picture().view().part({1500, 1000, 1, 1}), wanted.view(),
                     window_->canvas().content().difference, window_->canvas().content().gain, &word, 1);
    QCOMPARE(paintedAt(pane(3), {1500, 1000}), QColor::fromRgb(word));
}

void CanvasPreviewTest::aPreviewFollowsTheView() {
    openMade(addressed(3000, 2000), QStringLiteral("large"));
    view().setZoom(1);
    view().centreOn({400, 400});
    QVERIFY(startSlow());
    const Rectangle first = window_->canvas().content().patch->region;
    QVERIFY(first.x + first.width < 2000);
    QVERIFY(pane(1)->stateCaption().startsWith(QStringLiteral("Exact here")));
    view().centreOn({2500, 1500});
    QVERIFY(pane(1)->stateCaption().startsWith(QStringLiteral("Partly filtered")));
    QVERIFY(QTest::qWaitFor(
        [&] {
            const auto &patch = window_->canvas().content().patch;
            return patch && patch->region.x <= 2500 && patch->region.x + patch->region.width > 2500;
        },
        60000));
    QVERIFY(window_->session().filtering());
    QVERIFY(window_->canvas().content().patch->exact);
}

void CanvasPreviewTest::cancellingLeavesTheEarlierPicture() {
    openMade(addressed(3000, 2000), QStringLiteral("large"));
    filterWith("shift:dx=1");
    const SharedImage earlier = shown();
    view().setZoom(1);
    window_->session().setEngine("naive", "sim");
    // As slow as nothing before it: what was quick so far does not keep it from being shown part by part.
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("box:width=5,height=5")); });
    QVERIFY(waitForSlow());
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(!window_->session().filtering());
    QVERIFY(!window_->canvas().content().patch);
    QCOMPARE(shown().get(), earlier.get());
    QCOMPARE(pane(1)->leftCaption(), QStringLiteral("Earlier result"));
    QVERIFY(pane(1)->stateCaption().isEmpty());
    QVERIFY(find<MessageBar>()->isShowing());
}

// A pipe that nobody writes to: reading it never ends, however patient one is.
void CanvasPreviewTest::cancellingDoesNotWaitForAFile() {
    const QByteArray pipe = folder_.path(QStringLiteral("pipe.png")).toLocal8Bit();
    QCOMPARE(mkfifo(pipe.constData(), 0600), 0);
    // The window refuses pipes; this one stands for a file that takes long.
    std::stop_source stop;
    auto loading = std::async(std::launch::async, [&] {
        try {
            loadInterruptibly(pipe.constData(), RunControl{stop.get_token(), {}});
        } catch (const Error &error) {
            return error.kind() == ErrorKind::Cancelled;
        }
        return false;
    });
    QCOMPARE(loading.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    stop.request_stop();
    QVERIFY(loading.get());
    window_->open({QString::fromLocal8Bit(pipe)});
    QVERIFY(waitUntilIdle(*window_));
    open(); // the next picture is not kept waiting either
    QCOMPARE(window_->session().count(), 1);
    // Lets the reader, which the program has left behind, come to its end.
    const int writer = ::open(pipe.constData(), O_WRONLY);
    QVERIFY(writer >= 0);
    ::close(writer);
}

} // namespace

QTEST_MAIN(CanvasPreviewTest)
#include "canvas_preview_test.moc"
