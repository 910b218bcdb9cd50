// Races and the pictures that they are of: what is shown of them when the tab changes, what ends them, what is
// exported. With TESSERA_SCREENSHOT_DIR set, pictures of the window and of what is exported are kept there.
#include "tests/ui/window_test_support.h"
#include "ui/race/race_export.h"
#include "ui/race/race_panel.h"
#include "ui/race/race_table.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QDir>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTest>

using namespace tessera;

namespace {

class WindowRaceTabsTest : public WindowFixture {
    Q_OBJECT

private slots:
    void init() {
        makeWindow();
        window_->resize(1500, 900);
    }
    void cleanup() { window_.reset(); }

    void rowsBelongToTheirPicture();
    void anotherValueOfTheSameSizeIsAnotherRace();
    void aRaceGoesOnBehindAnotherPicture();
    void aRaceElsewhereEndsWhereAnotherBegins();
    void anEndlessRaceWaitsForItsPicture();
    void anEndlessRaceFollowsItsOwnFilterAlone();
    void aClosedPictureEndsItsRace();
    void theChosenDeviceIsNoOtherRace();
    void anotherStepIsSaidWhileTheRaceGoesOn();
    void exportsNameTheirSubject();
    void picturesOfBothThemes();

private:
    RacePanel *panel() { return find<RacePanel>(); }
    RaceRunner &race() { return window_->session().race(); }
    void toTab(int index) { find<QTabBar>()->setCurrentIndex(index); }
    QString labelled(const QString &name, const QString &part); // text of a label of the panel
    QString note() { return labelled(QStringLiteral("What the race says"), {}); }
    QString title() { return labelled({}, QStringLiteral("RACE")); }
    bool racesToTheEnd() {
        return QTest::qWaitFor([&] { return !race().running(); }, 120000);
    }
    int timed();
    bool wordsStandWhereNoTimeIs(); // across the columns of figures, and nowhere else
    void keep(const QString &name, const QImage &picture);
};

QString WindowRaceTabsTest::labelled(const QString &name, const QString &part) {
    for (const QLabel *label : panel()->findChildren<QLabel *>())
        if (label->accessibleName() == name || (!part.isEmpty() && label->text().contains(part)))
            if (part.isEmpty() || label->text().contains(part))
                return label->text();
    return {};
}

int WindowRaceTabsTest::timed() {
    return int(
        std::ranges::count_if(panel()->model()->rows(), [](const RaceRow &row) { return row.medianMs.has_value(); }));
}

bool WindowRaceTabsTest::wordsStandWhereNoTimeIs() {
    for (int i = 0; i < panel()->model()->rowCount(); ++i)
        if ((panel()->table()->columnSpan(i, RaceModel::Total) == 1) != panel()->model()->row(i).medianMs.has_value())
            return false;
    return panel()->model()->rowCount() > 0;
}

std::vector<double> medians(const RaceModel &model) {
    std::vector<double> all;
    for (const RaceRow &row : model.rows())
        all.push_back(row.medianMs.value_or(0));
    return all;
}

void WindowRaceTabsTest::rowsBelongToTheirPicture() {
    open(QStringLiteral("one.png"));
    clickFilter(QStringLiteral("Disk blur"));
    window_->session().startRace();
    QVERIFY(racesToTheEnd());
    const std::vector<double> ofOne = medians(*panel()->model());
    const QString titleOfOne = title();
    QVERIFY(timed() > 0);
    open(QStringLiteral("two.png"), 90, 60);
    QCOMPARE(panel()->model()->rowCount(), 0);
    QVERIFY2(title() == QStringLiteral("RACE"), qPrintable(title()));
    clickFilter(QStringLiteral("Sharpen"));
    window_->session().startRace();
    QVERIFY(racesToTheEnd());
    std::vector<double> ofTwo = medians(*panel()->model());
    QVERIFY(ofOne != ofTwo);
    for (int turn = 0; turn < 2; ++turn) {
        toTab(0);
        QVERIFY(waitUntilIdle(*window_));
        QCOMPARE(medians(*panel()->model()), ofOne);
        QCOMPARE(title(), titleOfOne);
        QVERIFY(wordsStandWhereNoTimeIs());
        QVERIFY2(!note().contains(QStringLiteral("earlier")), qPrintable(note()));
        toTab(1);
        QVERIFY(waitUntilIdle(*window_));
        QCOMPARE(medians(*panel()->model()), ofTwo);
        QVERIFY2(title().contains(QStringLiteral("90 × 60")), qPrintable(title()));
    }
    window_->session().startRace(); // none of its rows has a time yet
    QVERIFY(timed() == 0 && wordsStandWhereNoTimeIs());
    toTab(0);
    QVERIFY(timed() > 0 && wordsStandWhereNoTimeIs());
    toTab(1);
    QVERIFY(racesToTheEnd());
    QVERIFY(wordsStandWhereNoTimeIs());
    ofTwo = medians(*panel()->model());
    // A race of an earlier filter is one when it comes back, too.
    clickFilter(QStringLiteral("Emboss"));
    toTab(0);
    toTab(1);
    QCOMPARE(medians(*panel()->model()), ofTwo);
    QVERIFY2(title().startsWith(QStringLiteral("EARLIER RACE")) && title().contains(QStringLiteral("Sharpen")),
             qPrintable(title()));
    QVERIFY2(note().contains(QStringLiteral("Race measures the present one")), qPrintable(note()));
    window_->session().closeDocument(1);
    QCOMPARE(medians(*panel()->model()), ofOne);
    window_->session().closeDocument(0);
    QCOMPARE(panel()->model()->rowCount(), 0);
}

// As many taps, but other ones.
void WindowRaceTabsTest::anotherValueOfTheSameSizeIsAnotherRace() {
    open();
    filter("gaussian:sigma=1.1");
    window_->session().startRace();
    QVERIFY(racesToTheEnd());
    const int side = panel()->measuredSubject()->kernelWidth;
    QVERIFY2(title().startsWith(QStringLiteral("RACE")) && title().contains(QStringLiteral("sigma 1.1 px")),
             qPrintable(title()));
    const auto isEarlier = [&] {
        return title().startsWith(QStringLiteral("EARLIER RACE")) && title().contains(QStringLiteral("sigma 1.1 px")) &&
               note().contains(QStringLiteral("earlier"));
    };
    type(sigma(), QStringLiteral("1.2"));
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(window_->session().raceSubject()->kernelWidth, side);
    QVERIFY2(isEarlier(), qPrintable(title() + note()));
    type(sigma(), QStringLiteral("1.1"));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!isEarlier() && title().startsWith(QStringLiteral("RACE")));
    const auto change = [&](auto edit) {
        window_->session().edit([&](Document &document) {
            FilterStep step = *document.step();
            edit(step);
            document.changeStep(step, "test");
        });
        const bool was = isEarlier();
        window_->session().undo();
        return was && !isEarlier();
    };
    QVERIFY(change([](FilterStep &step) { step.border.mode = BorderMode::Zero; }));
    QVERIFY(change([](FilterStep &step) { step.border = {BorderMode::Constant, 0.5}; }));
    QVERIFY(change([](FilterStep &step) { step.linear = true; }));
    QVERIFY(change([](FilterStep &step) { step.channels.kind = ChannelSelection::Kind::Luma; }));
    QVERIFY(waitUntilIdle(*window_));
}

void WindowRaceTabsTest::aRaceGoesOnBehindAnotherPicture() {
    open(QStringLiteral("two.png"), 90, 60);
    open(QStringLiteral("one.png"), 700, 500);
    filter("disk:radius=5");
    window_->session().startRace();
    toTab(0);
    QTRY_VERIFY(!race().standingAside()); // but for the moment of the change
    QVERIFY(race().running());
    QCOMPARE(panel()->model()->rowCount(), 0);
    QVERIFY2(note().startsWith(QStringLiteral("The race of one.png goes on; Race ends it and begins one here.")),
             qPrintable(note()));
    QCOMPARE(find<QPushButton>("race.start")->text(), QStringLiteral("Race"));
    clickFilter(QStringLiteral("Sharpen")); // of another picture than what races
    QVERIFY(race().running());
    race().setPaused(true);
    QVERIFY2(note().contains(QStringLiteral("one.png is paused")), qPrintable(note()));
    race().setPaused(false);
    QVERIFY(racesToTheEnd());
    QVERIFY2(!note().contains(QStringLiteral("one.png")), qPrintable(note()));
    QCOMPARE(panel()->model()->rowCount(), 0);
    toTab(1);
    QVERIFY(timed() > 0);
    for (const RaceRow &row : panel()->model()->rows())
        QVERIFY2(row.state != RaceState::Waiting && row.state != RaceState::Running && row.state != RaceState::Stopped,
                 row.variant.c_str());
    QVERIFY2(title().startsWith(QStringLiteral("RACE")), qPrintable(title()));
    QCOMPARE(panel()->measuredSubject()->width, 700);
    // Back while it runs: it is shown as it runs.
    window_->session().startRace();
    toTab(0);
    toTab(1);
    QVERIFY(race().running());
    QCOMPARE(find<QPushButton>("race.start")->text(), QStringLiteral("Stop"));
    QVERIFY(racesToTheEnd());
    QCOMPARE(find<QPushButton>("race.start")->text(), QStringLiteral("Race"));
    QVERIFY(timed() > 0);
}

void WindowRaceTabsTest::aRaceElsewhereEndsWhereAnotherBegins() {
    open(QStringLiteral("one.png"), 700, 500);
    filter("disk:radius=5");
    window_->session().startRace();
    open(QStringLiteral("two.png"), 90, 60);
    clickFilter(QStringLiteral("Sharpen"));
    QVERIFY(race().running());
    QTest::mouseClick(find<QPushButton>("race.start"), Qt::LeftButton);
    QVERIFY(race().running());
    QVERIFY(window_->session().races().racing() == &document());
    QVERIFY2(!note().contains(QStringLiteral("one.png")), qPrintable(note()));
    QVERIFY(racesToTheEnd());
    QVERIFY(timed() > 0);
    toTab(0);
    for (const RaceRow &row : panel()->model()->rows())
        QVERIFY2(row.state != RaceState::Waiting && row.state != RaceState::Running, row.variant.c_str());
}

void WindowRaceTabsTest::anEndlessRaceWaitsForItsPicture() {
    open(QStringLiteral("two.png"), 90, 60);
    open(QStringLiteral("one.png"));
    clickFilter(QStringLiteral("Sharpen"));
    find<QAction>("race.keep")->setChecked(true);
    window_->session().startRace();
    const auto samples = [&] {
        int all = 0;
        for (const RaceRow &row : window_->session().races().of(window_->session().documentAt(1))->rows)
            all += row.samples;
        return all;
    };
    QVERIFY(QTest::qWaitFor([&] { return samples() > 5; }, 120000));
    toTab(0);
    QVERIFY(race().running() && race().standingAside());
    QVERIFY2(note().startsWith(QStringLiteral("The race of one.png waits until it is shown again")),
             qPrintable(note()));
    QTest::qWait(150); // what was on its way arrives
    const int before = samples();
    QTest::qWait(150);
    QCOMPARE(samples(), before);
    clickFilter(QStringLiteral("Emboss")); // which lets the race go on elsewhere
    QVERIFY(race().standingAside());
    toTab(1);
    QVERIFY(QTest::qWaitFor([&] { return samples() > before; }, 60000));
    // One that is to end is measured to its end, whatever is shown.
    toTab(0);
    find<QAction>("race.keep")->setChecked(false);
    QVERIFY(race().running() && window_->session().races().racing() == window_->session().documentAt(1));
    QVERIFY(racesToTheEnd());
    QCOMPARE(panel()->model()->rowCount(), 0);
    toTab(1);
    QVERIFY(timed() > 0);
}

void WindowRaceTabsTest::anEndlessRaceFollowsItsOwnFilterAlone() {
    open(QStringLiteral("two.png"), 90, 60);
    clickFilter(QStringLiteral("Emboss"));
    open(QStringLiteral("one.png"), 700, 500);
    clickFilter(QStringLiteral("Sharpen"));
    window_->session().setRaceEndless(true);
    window_->session().startRace();
    // Its filter is on the way when the picture goes: it races once both are back.
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("disk:radius=9")); });
    QVERIFY(window_->session().filtering() && !race().running());
    toTab(0);
    QVERIFY(waitUntilIdle(*window_));
    QTest::qWait(30);
    QVERIFY(!race().running());
    clickFilter(QStringLiteral("Outline"));
    QVERIFY(!race().running());
    toTab(1);
    QVERIFY(QTest::qWaitFor([&] { return race().running(); }, 20000));
    QVERIFY(window_->session().races().of(&document())->subject.step.filter.name == "disk");
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(!race().running());
}

void WindowRaceTabsTest::aClosedPictureEndsItsRace() {
    open(QStringLiteral("two.png"), 90, 60);
    open(QStringLiteral("one.png"), 700, 500);
    for (const bool shown : {true, false}) {
        filter("disk:radius=5");
        window_->session().startRace();
        if (!shown)
            toTab(0);
        QVERIFY(race().running());
        window_->session().closeDocument(1);
        QVERIFY(!race().running());
        QVERIFY(!window_->session().races().racing());
        QVERIFY2(!note().contains(QStringLiteral("one.png")), qPrintable(note()));
        QCOMPARE(panel()->model()->rowCount(), 0);
        window_->session().reopenClosed();
        QVERIFY(QTest::qWaitFor([&] { return window_->session().count() == 2; }, 20000));
        QVERIFY(waitUntilIdle(*window_));
        QCOMPARE(panel()->model()->rowCount(), 0); // its file may be another by now
    }
}

// The race runs every engine, whichever the picture is filtered with.
void WindowRaceTabsTest::theChosenDeviceIsNoOtherRace() {
    open(QStringLiteral("one.png"), 500, 300);
    filter("disk:radius=5");
    window_->session().startRace();
    window_->session().setEngine("cpu", "cpu");
    QVERIFY(race().running());
    QVERIFY(waitUntilIdle(*window_));
    window_->session().runAgain();
    QVERIFY(race().running());
    QVERIFY(racesToTheEnd());
    QVERIFY(timed() > 0);
    QVERIFY2(title().startsWith(QStringLiteral("RACE")), qPrintable(title()));
    // Another filter is one.
    window_->session().startRace();
    window_->session().edit([](Document &document) { document.setFilter(parseFilter("disk:radius=4")); });
    QVERIFY(!race().running());
    QVERIFY(waitUntilIdle(*window_));
}

void WindowRaceTabsTest::anotherStepIsSaidWhileTheRaceGoesOn() {
    open(QStringLiteral("one.png"), 500, 300);
    filter("disk:radius=5");
    window_->session().edit([](Document &document) { document.addStep(parseFilter("sobel")); });
    QVERIFY(waitUntilIdle(*window_));
    window_->session().startRace();
    window_->session().edit([](Document &document) { document.selectStep(0); });
    QVERIFY(race().running());
    QVERIFY2(note().startsWith(QStringLiteral("The race goes on with the filter that it began with.")),
             qPrintable(note()));
    QVERIFY2(title().contains(QStringLiteral("Sobel")), qPrintable(title()));
    window_->session().stopRace();
    QVERIFY2(note().contains(QStringLiteral("Race measures the present one")), qPrintable(note()));
}

void WindowRaceTabsTest::keep(const QString &name, const QImage &picture) {
    QVERIFY(!picture.isNull());
    const QString target = qEnvironmentVariable("TESSERA_SCREENSHOT_DIR");
    if (target.isEmpty())
        return;
    QVERIFY(QDir().mkpath(target));
    QVERIFY(picture.save(QStringLiteral("%1/race-tabs-%2.png").arg(target, name)));
}

void WindowRaceTabsTest::exportsNameTheirSubject() {
    open(QStringLiteral("a lake.png"));
    filter("gaussian:sigma=1.1");
    window_->session().edit([](Document &document) {
        FilterStep step = *document.step();
        step.border = {BorderMode::Constant, 0.5};
        document.changeStep(step, "border");
    });
    QVERIFY(waitUntilIdle(*window_));
    window_->session().startRace();
    QVERIFY(racesToTheEnd());
    filter("emboss:angle=30"); // what was measured is what is exported
    const QByteArray csv = exportRace(*panel(), RaceFormat::Csv);
    const QList<QByteArray> lines = csv.split('\n');
    QVERIFY(lines.front().contains(",picture,width,height,format,filter,kernel_width,kernel_height,border,options"));
    QVERIFY2(csv.count(",a lake.png,160,120,8-bit RGB,gaussian:sigma=1.1,9,9,constant:0.5,\r\n") ==
                 panel()->model()->rowCount(),
             csv.constData());
    const QJsonObject json = QJsonDocument::fromJson(exportRace(*panel(), RaceFormat::Json)).object();
    const QJsonObject step = json[QStringLiteral("step")].toObject(),
                      picture = json[QStringLiteral("picture")].toObject();
    QCOMPARE(picture[QStringLiteral("name")].toString(), QStringLiteral("a lake.png"));
    QCOMPARE(picture[QStringLiteral("height")].toInt(), 120);
    QCOMPARE(step[QStringLiteral("filter")].toString(), QStringLiteral("gaussian:sigma=1.1"));
    QCOMPARE(step[QStringLiteral("border")].toString(), QStringLiteral("constant"));
    QCOMPARE(step[QStringLiteral("border_value")].toDouble(), 0.5);
    QVERIFY(!json[QStringLiteral("rows")].toArray().at(0)[QStringLiteral("device")].toString().isEmpty());
    QString device; // of what was timed
    for (const RaceRow &row : panel()->model()->rows())
        if (!row.simulated)
            device = QString::fromStdString(row.device);
    for (const auto &[name, content] : exportWholeRace(*panel())) {
        if (!name.endsWith(QStringLiteral(".png")))
            continue;
        const QImage shown = QImage::fromData(content, "PNG");
        const QString text = shown.text(QStringLiteral("Description"));
        for (const QString &part : {QStringLiteral("a lake.png"), QStringLiteral("160 × 120 8-bit RGB"),
                                    QStringLiteral("Gaussian blur"), QStringLiteral("sigma 1.1 px"),
                                    QStringLiteral("9 × 9 kernel"), QStringLiteral("constant:0.5 border"), device})
            QVERIFY2(text.contains(part), qPrintable(name + text + part));
        bool written = false; // above the rest, in ink
        const QRgb ground = shown.pixel(0, 0);
        for (int y = 8; y < 24; ++y)
            for (int x = 0; x < shown.width(); ++x)
                written |= shown.pixel(x, y) != ground;
        QVERIFY2(written, qPrintable(name));
        keep(name.chopped(4), shown);
    }
}

void WindowRaceTabsTest::picturesOfBothThemes() {
    open(QStringLiteral("two.png"), 900, 600);
    filter("gaussian:sigma=1.1");
    open(QStringLiteral("one.png"));
    filter("unsharp:sigma=2,amount=1.4");
    emit window_->canvas().regionChanged(QRect(30, 20, 60, 50));
    window_->session().startRace();
    QVERIFY(racesToTheEnd());
    for (const bool dark : {true, false}) {
        const QString theme = dark ? QStringLiteral("dark") : QStringLiteral("light");
        const auto shot = [&](const QString &what) {
            QTest::qWait(100);
            keep(theme + what, window_->grab().toImage());
        };
        window_->setThemeChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        toTab(0);
        toTab(1);
        shot(QStringLiteral("-back"));
        window_->session().edit([](Document &document) { document.setFilter(parseFilter("unsharp:sigma=2.05")); });
        QVERIFY(waitUntilIdle(*window_));
        shot(QStringLiteral("-earlier"));
        window_->session().undo();
        toTab(0);
        window_->session().startRace();
        toTab(1);
        shot(QStringLiteral("-elsewhere"));
        window_->session().stopRace();
        QVERIFY(waitUntilIdle(*window_));
    }
}

} // namespace

QTEST_MAIN(WindowRaceTabsTest)
#include "window_race_tabs_test.moc"
