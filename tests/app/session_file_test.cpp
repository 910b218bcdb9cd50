#include "app/core/error.h"
#include "app/session/session_file.h"

#include <QTest>

#include <limits>

using namespace tessera;

namespace {

Chain richChain() {
    Chain chain;
    chain.depth = OutputDepth::U16;
    FilterStep first;
    first.filter = parseFilter("unsharp:sigma=3,amount=1.4");
    first.border = {BorderMode::Constant, 12.5};
    first.channels = {ChannelSelection::Kind::Mask, 5};
    first.alpha = AlphaMode::Preserve;
    first.response = ResponseMode::Range;
    first.flip = first.linear = first.normalize = true;
    first.divisor = 2.5;
    first.offset = -3;
    first.anchor = std::pair(1, 0);
    FilterStep second;
    second.enabled = false;
    second.filter = {"custom", {}, ConvolutionKernel::centred(2, 3, {0.1, 1.0 / 3, -5, 1e-17, 0, 7}, "mine")};
    second.filter.kernel.anchorX = 0;
    second.filter.kernel.offset = 9;
    second.filter.kernel.divisor = 3;
    chain.steps = {first, second};
    chain.area = Rectangle{-2, 30, 400, 17};
    return chain;
}

class SessionFileTest : public QObject {
    Q_OBJECT

private slots:
    void chainsComeBackAsTheyWere();
    void sessionsComeBackAsTheyWere();
    void everyFilterCanBeKept();
    void brokenFilesAreRefused_data();
    void brokenFilesAreRefused();
    void garbageIsSaidInPlainWords();
    void viewsStayInsideTheirPicture();
};

void SessionFileTest::chainsComeBackAsTheyWere() {
    const Chain chain = richChain();
    QVERIFY(parseChain(formatChain(chain), "test") == chain);
    QVERIFY(parseChain(formatChain({}), "test") == Chain{});
}

void SessionFileTest::sessionsComeBackAsTheyWere() {
    SessionState session;
    session.entries = {{"/a/b c.png", "b c.png", richChain(), 1}, {"/ä/ö.tif", "ö.tif", {}, 0}};
    session.current = 1;
    session.entries[0].savedIn = std::string("/results/b-\xe4.png");
    session.entries[0].view = {{3, 4, 50, 60}, false, 2.5, 10.25, 20};
    session.entries[1].digest = 0x00ab0000cdef1234;
    session.variant = "tiled";
    session.device = "sim";
    const SessionState back = parseSession(formatSession(session), "test");
    QCOMPARE(back.entries.size(), std::size_t(2));
    QVERIFY(back.entries[0].chain == session.entries[0].chain);
    QCOMPARE(back.entries[0].currentStep, std::size_t(1));
    QVERIFY(back.entries[1].path == session.entries[1].path);
    QCOMPARE(back.entries[0].savedIn.native(), session.entries[0].savedIn.native());
    QVERIFY(back.entries[1].savedIn.empty());
    QVERIFY(back.entries[0].view == session.entries[0].view);
    QVERIFY(back.entries[1].view == DocumentView{});
    QVERIFY(!back.entries[0].digest && back.entries[1].digest == session.entries[1].digest);
    QCOMPARE(back.entries[1].title, session.entries[1].title);
    QCOMPARE(back.current, 1);
    QCOMPARE(back.variant, session.variant);
    QCOMPARE(back.device, session.device);
    session.entries[0].path = std::string("/latin1-\xe4\n.png"); // not UTF-8: the bytes stand beside the text
    session.entries[0].title = "latin1-\xe4.png";
    const SessionState bytes = parseSession(formatSession(session), "test");
    QCOMPARE(bytes.entries.size(), std::size_t(2));
    QCOMPARE(bytes.entries[0].path.native(), session.entries[0].path.native());
}

void SessionFileTest::everyFilterCanBeKept() {
    for (const FilterDescription &filter : allFilters()) {
        Chain chain;
        chain.steps.resize(1);
        chain.steps[0].filter.name = filter.name;
        if (filter.name == "custom")
            chain.steps[0].filter.kernel = ConvolutionKernel::centred(1, 1, {1});
        const Chain back = parseChain(formatChain(chain), "test");
        QCOMPARE(back.steps.size(), std::size_t(1));
        QCOMPARE(back.steps[0].filter.name, filter.name);
    }
}

void SessionFileTest::brokenFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("picture");
    QTest::newRow("cut off") << QByteArray::fromStdString(formatChain(richChain())).left(100);
    QTest::newRow("other format") << QByteArray("{\"format\": \"tessera-session\", \"pictures\": []}");
    QTest::newRow("a list") << QByteArray("[]");
    QTest::newRow("later version") << QByteArray("{\"format\": \"tessera-chain\", \"version\": 99, \"steps\": []}");
    QTest::newRow("unknown filter") << QByteArray(
        "{\"format\": \"tessera-chain\", \"steps\": [{\"filter\": \"sparkle\"}]}");
    QTest::newRow("unknown border") << QByteArray(
        "{\"format\": \"tessera-chain\", \"steps\": [{\"filter\": \"box\", \"border\": \"soft\"}]}");
    QTest::newRow("steps a number") << QByteArray("{\"format\": \"tessera-chain\", \"steps\": 3}");
    QTest::newRow("kernel broken") << QByteArray(
        "{\"format\": \"tessera-chain\", \"steps\": [{\"kernel\": {\"taps\": [[1, 2], [3]]}}]}");
}

void SessionFileTest::brokenFilesAreRefused() {
    QFETCH(QByteArray, text);
    try {
        parseChain(text.toStdString(), "broken.json");
        QFAIL("it was taken");
    } catch (const Error &error) {
        QVERIFY(error.kind() == ErrorKind::Input);
        QVERIFY(QString::fromUtf8(error.what()).contains(QStringLiteral("broken.json")));
        QVERIFY(!error.remedy().empty());
    }
}

void SessionFileTest::garbageIsSaidInPlainWords() {
    const auto whyNot = [](const std::string &text) {
        try {
            parseSession(text, "work.tessera");
        } catch (const Error &error) {
            return QString::fromUtf8(error.what());
        }
        return QString();
    };
    QCOMPARE(whyNot("{\"format\": \"tessera-session\",\n \"\u00e4\": oops}"),
             QStringLiteral("work.tessera is no session: it is no JSON text from line 2, column 7 on"));
    QCOMPARE(whyNot("garbage"),
             QStringLiteral("work.tessera is no session: it is no JSON text from line 1, column 1 on"));
    const QString lacking = whyNot("{\"format\": \"tessera-session\"}");
    QVERIFY2(lacking.startsWith(QStringLiteral("work.tessera is no session")) &&
                 !lacking.contains(QStringLiteral("exception")),
             qPrintable(lacking));
}

// A file may hold anything, and the picture may be another one by now.
void SessionFileTest::viewsStayInsideTheirPicture() {
    const auto region = [](const Rectangle &marked) { return viewWithin({marked, true, 1, 0, 0}, 40, 30).region; };
    const int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
    QVERIFY(region({3, 4, 5, 6}) == (Rectangle{3, 4, 5, 6}));
    QVERIFY(region({-3, 20, 50, 60}) == (Rectangle{0, 20, 40, 10}));
    QVERIFY(region({most, most, most, most}).empty());
    QVERIFY(region({least, least, most, most}).empty());
    QVERIFY(region({1, 1, most, most}) == (Rectangle{1, 1, 39, 29}));
    QVERIFY(region({5, 5, -2, 3}).empty() && region({40, 0, 1, 1}).empty());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(viewWithin({{}, false, 0, 1, 1}, 40, 30).fitted && viewWithin({{}, false, nan, 1, 1}, 40, 30).fitted);
    QVERIFY(viewWithin({{}, false, 2, nan, 1}, 40, 30) == DocumentView{});
    QVERIFY((viewWithin({{}, false, 2, 7, 1}, 40, 30) == DocumentView{{}, false, 2, 7, 1}));
}

} // namespace

QTEST_APPLESS_MAIN(SessionFileTest)
#include "session_file_test.moc"
