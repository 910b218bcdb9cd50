// Values of options, texts and shards: pure functions behind the command line.
#include "app/commands/batch/shard.h"
#include "app/commands/filter_options.h"
#include "app/commands/option_values.h"
#include "app/commands/suggest.h"
#include "app/commands/table.h"
#include "app/commands/text.h"
#include "app/core/error.h"

#include <QTest>

#include <map>
#include <set>
#include <utility>

using namespace tessera;

namespace {

template <class Action> QString usageError(Action &&action) {
    try {
        action();
    } catch (const Error &error) {
        return error.kind() == ErrorKind::Usage ? QString::fromStdString(error.fullText()) : "another kind of error";
    }
    return "no error";
}

Environment environment(std::map<std::string, std::string> values) {
    return [values = std::move(values)](const char *name) -> const char * {
        const auto found = values.find(name);
        return found == values.end() ? nullptr : found->second.c_str();
    };
}

} // namespace

class CommandsValuesTest : public QObject {
    Q_OBJECT
private slots:
    void byteSizes_data();
    void byteSizes();
    void badByteSizes_data();
    void badByteSizes();
    void counts();
    void numbers();
    void points();
    void choicesSuggestTheNearest();
    void borders();
    void channels();
    void parametersAsOptions();
    void explicitShards();
    void badShards_data();
    void badShards();
    void everyFileBelongsToOneShard();
    void slurmShards_data();
    void slurmShards();
    void badSlurmArrays();
    void kubernetesShards();
    void jsonTextKeepsUtf8AndReplacesTheRest();
    void hexadecimalGoesBothWays();
    void textIsWrappedAtSpaces();
    void numbersAreShort();
    void tablesAlign();
};

void CommandsValuesTest::byteSizes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<quint64>("bytes");
    QTest::newRow("plain") << "4096" << quint64(4096);
    QTest::newRow("bytes") << "10B" << quint64(10);
    QTest::newRow("K") << "2K" << quint64(2048);
    QTest::newRow("lower case") << "512m" << quint64(512) * 1024 * 1024;
    QTest::newRow("fraction") << "1.5G" << quint64(3) * 512 * 1024 * 1024;
    QTest::newRow("GiB") << "1GiB" << quint64(1024) * 1024 * 1024;
    QTest::newRow("GB is decimal") << "1GB" << quint64(1000) * 1000 * 1000;
    QTest::newRow("T") << "2T" << quint64(2) * 1024 * 1024 * 1024 * 1024;
}

void CommandsValuesTest::byteSizes() {
    QFETCH(QString, text);
    QTEST(quint64(parseByteSize("--max-memory", text.toStdString())), "bytes");
}

void CommandsValuesTest::badByteSizes_data() {
    QTest::addColumn<QString>("text");
    for (const char *text : {"", "G", "-1G", "0", "1X", "1Gi", "1 G", "1e400", "nan", "inf", "99999999T", "1G2"})
        QTest::newRow(*text ? text : "empty") << text;
}

void CommandsValuesTest::badByteSizes() {
    QFETCH(QString, text);
    const QString message = usageError([&] { parseByteSize("--max-memory", text.toStdString()); });
    QVERIFY2(message.startsWith("--max-memory does not take '" + text), qPrintable(message));
}

void CommandsValuesTest::counts() {
    QCOMPARE(parseCount("--max-pixels", "50000000"), std::uint64_t(50'000'000));
    QCOMPARE(parseCount("--max-pixels", "50M"), std::uint64_t(50'000'000));
    QCOMPARE(parseCount("--max-pixels", "1.5G"), std::uint64_t(1'500'000'000));
    QVERIFY(usageError([] { parseCount("--max-pixels", "50MB"); }).contains("--max-pixels"));
}

void CommandsValuesTest::numbers() {
    QCOMPARE(parseInteger("--jobs", "8", 1, 16), std::int64_t(8));
    QCOMPARE(parseInteger("--jobs", "+8", 1, 16), std::int64_t(8));
    for (const char *text : {"", "0", "17", "2.5", "two", "8 ", "99999999999999999999"})
        QVERIFY2(usageError([&] { parseInteger("--jobs", text, 1, 16); }).contains("from 1 to 16"), text);
    QCOMPARE(parseReal("--offset", "-12.5"), -12.5);
    QCOMPARE(parseReal("--offset", "1e-3"), 1e-3);
    for (const char *text : {"", "nan", "inf", "1,5", "x"})
        QVERIFY2(usageError([&] { parseReal("--offset", text); }).contains("--offset does not take"), text);
}

void CommandsValuesTest::points() {
    QCOMPARE(parsePoint("--anchor", "2,3"), std::pair(2, 3));
    QCOMPARE(parsePoint("--anchor", "-1,0"), std::pair(-1, 0)); // its range depends on the kernel
    for (const char *text : {"", "2", "2,", ",3", "2,3,4", "a,b", "2;3"})
        QVERIFY2(usageError([&] { parsePoint("--anchor", text); }).contains("--anchor does not take"), text);
}

void CommandsValuesTest::choicesSuggestTheNearest() {
    const std::vector<std::string> choices{"clamp", "absolute", "signed", "range"};
    QCOMPARE(parseChoice("--response", "signed", choices), std::size_t(2));
    QVERIFY(usageError([&] { parseChoice("--response", "singed", choices); }).contains("did you mean 'signed'?"));
    QVERIFY(usageError([&] {
                parseChoice("--response", "xyzzyx", choices);
            }).contains("one of clamp, absolute, signed and range"));
}

void CommandsValuesTest::borders() {
    QCOMPARE(parseBorder("reflect101"), (Border{BorderMode::Reflect101, 0}));
    QCOMPARE(parseBorder("zero"), (Border{BorderMode::Zero, 0}));
    QCOMPARE(parseBorder("constant:128"), (Border{BorderMode::Constant, 128}));
    QCOMPARE(parseBorder("constant:-0.5"), (Border{BorderMode::Constant, -0.5}));
    QVERIFY(usageError([] { parseBorder("constant"); }).contains("needs its value"));
    QVERIFY(usageError([] { parseBorder("constant:"); }).contains("--border constant"));
    QVERIFY(usageError([] { parseBorder("zero:3"); }).contains("takes no value"));
    QVERIFY(usageError([] { parseBorder("reflect102"); }).contains("did you mean 'reflect101'?"));
}

void CommandsValuesTest::channels() {
    using Kind = ChannelSelection::Kind;
    QCOMPARE(parseChannels("rgb"), (ChannelSelection{Kind::Rgb, 0}));
    QCOMPARE(parseChannels("rgba"), (ChannelSelection{Kind::Rgba, 0}));
    QCOMPARE(parseChannels("luma"), (ChannelSelection{Kind::Luma, 0}));
    QCOMPARE(parseChannels("r"), (ChannelSelection{Kind::Mask, 1}));
    QCOMPARE(parseChannels("b,r"), (ChannelSelection{Kind::Mask, 5}));
    QCOMPARE(parseChannels("r,g,b,a"), (ChannelSelection{Kind::Mask, 15}));
    for (const char *text : {"", "rg", "r,", ",r", "r,,g", "y", "R"})
        QVERIFY2(usageError([&] { parseChannels(text); }).contains("--channels does not take"), text);
}

void CommandsValuesTest::parametersAsOptions() {
    const auto textOf = [](const std::vector<std::pair<std::string, std::string>> &given) {
        FilterOptions options;
        const std::vector<OptionGroup> groups{options.chainGroup(), options.kernelGroup(), options.pixelGroup(),
                                              options.engineGroup()};
        for (const auto &[name, value] : given)
            for (const OptionGroup &group : groups)
                for (const Option &option : group.options)
                    if (option.names == name)
                        option.take(value);
        return options.canonicalText();
    };
    QCOMPARE(textOf({{"--filter", "gaussian:sigma=2.0"}}),
             std::string("--filter gaussian:sigma=2 --border replicate --response clamp --channels rgb --alpha auto "
                         "--depth keep --variant auto"));
    // Every option shows, and none changes what another says.
    const std::vector<std::pair<std::string, std::string>> options{
        {"--flip", ""},          {"--border", "constant:3"}, {"--border", "wrap"},   {"--anchor", "0,1"},
        {"--divisor", "2"},      {"--divisor", "auto"},      {"--offset", "1"},      {"--normalize", ""},
        {"--response", "range"}, {"--channels", "r,b"},      {"--channels", "luma"}, {"--alpha", "preserve"},
        {"--linear", ""},        {"--depth", "16"},          {"--variant", "cpu"},   {"--filter", "sobel"},
        {"--kernel", "1x1: 2"}};
    std::set<std::string> texts{textOf({{"--filter", "box"}})};
    for (const auto &option : options)
        texts.insert(textOf({{"--filter", "box"}, option}));
    QCOMPARE(texts.size(), options.size() + 1);
}

void CommandsValuesTest::explicitShards() {
    const Shard shard = parseShard("2/5", environment({}));
    QCOMPARE(shard.index, std::size_t(2));
    QCOMPARE(shard.count, std::size_t(5));
    QVERIFY(!shard.takes(0) && shard.takes(1) && !shard.takes(5) && shard.takes(6));
    QVERIFY(parseShard("1/1", environment({})).isWhole());
}

void CommandsValuesTest::badShards_data() {
    QTest::addColumn<QString>("text");
    for (const char *text : {"", "3", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/4/2", "/4", "1/", "Auto"})
        QTest::newRow(*text ? text : "empty") << text;
}

void CommandsValuesTest::badShards() {
    QFETCH(QString, text);
    const QString message = usageError([&] { parseShard(text.toStdString(), environment({})); });
    QVERIFY2(message.startsWith("--shard"), qPrintable(message));
}

void CommandsValuesTest::everyFileBelongsToOneShard() {
    constexpr std::size_t count = 7;
    for (std::size_t position = 0; position < 100; ++position) {
        int takers = 0;
        for (std::size_t index = 1; index <= count; ++index)
            takers += Shard{index, count}.takes(position) ? 1 : 0;
        QCOMPARE(takers, 1);
    }
}

void CommandsValuesTest::slurmShards_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("count");
    QTest::addColumn<QString>("minimum");
    QTest::addColumn<QString>("step");
    QTest::addColumn<QString>("expected");
    QTest::newRow("0-7") << "3"
                         << "8"
                         << "0"
                         << "1"
                         << "4/8";
    QTest::newRow("1-8") << "8"
                         << "8"
                         << "1"
                         << "1"
                         << "8/8";
    QTest::newRow("10-40:10") << "30"
                              << "4"
                              << "10"
                              << "10"
                              << "3/4";
    QTest::newRow("no step told") << "2"
                                  << "3"
                                  << "0"
                                  << ""
                                  << "3/3";
}

void CommandsValuesTest::slurmShards() {
    QFETCH(QString, id);
    QFETCH(QString, count);
    QFETCH(QString, minimum);
    QFETCH(QString, step);
    const Shard shard = parseShard("auto", environment({{"SLURM_ARRAY_TASK_ID", id.toStdString()},
                                                        {"SLURM_ARRAY_TASK_COUNT", count.toStdString()},
                                                        {"SLURM_ARRAY_TASK_MIN", minimum.toStdString()},
                                                        {"SLURM_ARRAY_TASK_STEP", step.toStdString()}}));
    QTEST(QString::fromStdString(shard.text()), "expected");
}

void CommandsValuesTest::badSlurmArrays() {
    const auto shardOf = [](std::map<std::string, std::string> values) {
        return usageError([&] { parseShard("auto", environment(std::move(values))); });
    };
    QVERIFY(shardOf({}).contains("neither a Slurm array"));
    QVERIFY(shardOf({{"SLURM_ARRAY_TASK_ID", "1"}}).contains("SLURM_ARRAY_TASK_COUNT is not"));
    // An array with gaps, 0,3,7: positions cannot be told.
    QVERIFY(shardOf({{"SLURM_ARRAY_TASK_ID", "7"}, {"SLURM_ARRAY_TASK_COUNT", "3"}, {"SLURM_ARRAY_TASK_MIN", "0"}})
                .contains("without gaps"));
}

void CommandsValuesTest::kubernetesShards() {
    const Shard shard = parseShard("auto", environment({{"JOB_COMPLETION_INDEX", "0"}, {"TESSERA_SHARD_COUNT", "5"}}));
    QCOMPARE(shard.text(), std::string("1/5"));
    const auto error = [](std::map<std::string, std::string> values) {
        return usageError([&] { parseShard("auto", environment(std::move(values))); });
    };
    QVERIFY(error({{"JOB_COMPLETION_INDEX", "0"}}).contains("TESSERA_SHARD_COUNT is not"));
    QVERIFY(error({{"JOB_COMPLETION_INDEX", "5"}, {"TESSERA_SHARD_COUNT", "5"}}).contains("only 5 parts"));
}

void CommandsValuesTest::jsonTextKeepsUtf8AndReplacesTheRest() {
    QCOMPARE(jsonText("Brücke 橋 🌉\n"), std::string("Brücke 橋 🌉\n"));
    QCOMPARE(jsonText("a\xff"
                      "b"),
             std::string("a\\xffb"));
    QCOMPARE(jsonText("\xc0\xaf"), std::string("\\xc0\\xaf"));                   // overlong
    QCOMPARE(jsonText("\xed\xa0\x80"), std::string("\\xed\\xa0\\x80"));          // a surrogate
    QCOMPARE(jsonText("\xf4\x90\x80\x80"), std::string("\\xf4\\x90\\x80\\x80")); // beyond U+10FFFF
    QCOMPARE(jsonText("\xe6\xa9"), std::string("\\xe6\\xa9"));                   // cut off
    QVERIFY(isUtf8("Brücke") && !isUtf8("Br\xfc"
                                        "cke"));
}

void CommandsValuesTest::hexadecimalGoesBothWays() {
    const std::string bytes("\x00\xff/a\n", 5);
    QCOMPARE(hexadecimal(bytes), std::string("00ff2f610a"));
    QCOMPARE(bytesFromHexadecimal("00ff2f610a"), bytes);
    QVERIFY(bytesFromHexadecimal("0").empty() && bytesFromHexadecimal("0g").empty());
}

void CommandsValuesTest::textIsWrappedAtSpaces() {
    QCOMPARE(wrapText("one two three", 7), (std::vector<std::string>{"one two", "three"}));
    QCOMPARE(wrapText("a\n\nb", 7), (std::vector<std::string>{"a", "", "b"}));
    QCOMPARE(wrapText("ä ö ü", 3), (std::vector<std::string>{"ä ö", "ü"})); // cells, not bytes
    QCOMPARE(wrapText("", 7), (std::vector<std::string>{""}));
}

void CommandsValuesTest::numbersAreShort() {
    QCOMPARE(shortNumber(0.1), std::string("0.1"));
    QCOMPARE(shortNumber(65535), std::string("65535"));
    QCOMPARE(shortNumber(1234567, 3), std::string("1234567"));
    QCOMPARE(binarySize(1023), std::string("1023 B"));
    QCOMPARE(binarySize(1536), std::string("1.5 KiB"));
    QCOMPARE(counted(1, "file"), std::string("1 file"));
    QCOMPARE(counted(0, "file"), std::string("0 files"));
}

void CommandsValuesTest::tablesAlign() {
    TextTable table({{"NAME"}, {"N", TextTable::Align::Right}, {"TEXT"}});
    table.addRow({"ä", "7", "one\ntwo"});
    table.addRow({"longer", "12"});
    QCOMPARE(table.text(), std::string("NAME     N  TEXT\n"
                                       "ä        7  one\n"
                                       "            two\n"
                                       "longer  12\n"));
}

QTEST_APPLESS_MAIN(CommandsValuesTest)
#include "commands_values_test.moc"
