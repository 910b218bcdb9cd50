// The catalogue as data, and the text of --filter.
#include "app/core/error.h"
#include "app/filters/filter.h"
#include "app/filters/nearest_name.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace tessera;

namespace {

// What a failed parse says in full, or "" where it did not fail.
std::string complaint(const std::string &text) {
    try {
        parseFilter(text);
        return {};
    } catch (const Error &error) {
        return error.kind() == ErrorKind::Usage ? error.fullText() : "wrong kind: " + error.fullText();
    }
}

FilterInstance with(const FilterDescription &filter, const ParameterDescription &parameter, double value) {
    FilterInstance instance;
    instance.name = filter.name;
    instance.values[parameter.name] = value;
    return instance;
}

bool sameTaps(const FilterProgram &a, const FilterProgram &b) {
    if (a.kernels.size() != b.kernels.size() || a.combine != b.combine)
        return false;
    for (std::size_t i = 0; i < a.kernels.size(); ++i)
        if (!(a.kernels[i] == b.kernels[i]))
            return false;
    return true;
}

} // namespace

class FiltersCatalogueTest : public QObject {
    Q_OBJECT

private slots:
    void holdsEveryFilterPromised() {
        for (const char *name :
             {"box",      "gaussian",   "binomial",  "motion-blur", "disk",      "tent",   "sharpen",
              "unsharp",  "high-boost", "sobel",     "sobel-x",     "sobel-y",   "scharr", "scharr-x",
              "scharr-y", "prewitt",    "prewitt-x", "prewitt-y",   "laplacian", "log",    "dog",
              "kirsch",   "emboss",     "outline",   "identity",    "shift",     "custom"})
            QVERIFY2(findFilter(name), name);
        QCOMPARE(allFilters().size(), std::size_t(27));
        QVERIFY(!findFilter("Box"));
        QVERIFY(!findFilter(""));
    }

    void filtersAreDescribed() {
        const std::vector<std::string> groups{"Smoothing", "Sharpening", "Edges", "Effects", "Utility"};
        std::set<std::string> names, titles;
        std::size_t group = 0;
        for (const FilterDescription &filter : allFilters()) {
            QVERIFY2(names.insert(filter.name).second, filter.name.c_str());
            QVERIFY2(titles.insert(filter.title).second, filter.title.c_str());
            QVERIFY2(filter.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos,
                     filter.name.c_str());
            while (group < groups.size() && groups[group] != filter.group) // groups stand together, in this order
                ++group;
            QVERIFY2(group < groups.size(), filter.name.c_str());
            QVERIFY2(filter.description.size() > 20 && filter.description.ends_with('.'), filter.name.c_str());
            QVERIFY2(filter.description.size() < 100, filter.name.c_str());
            QVERIFY2(filter.description.find('\n') == std::string::npos, filter.name.c_str());
        }
    }

    void parametersAreDescribed() {
        for (const FilterDescription &filter : allFilters()) {
            std::set<std::string> names;
            for (const ParameterDescription &parameter : filter.parameters) {
                const std::string where = filter.name + ":" + parameter.name;
                QVERIFY2(names.insert(parameter.name).second, where.c_str());
                QVERIFY2(!parameter.label.empty() && parameter.help.ends_with('.'), where.c_str());
                QVERIFY2(parameter.minimum < parameter.maximum && parameter.step > 0, where.c_str());
                QVERIFY2(parameter.defaultValue >= parameter.minimum, where.c_str());
                QVERIFY2(parameter.defaultValue <= parameter.maximum, where.c_str());
                QCOMPARE(parameter.kind == ParameterKind::Choice, !parameter.choices.empty());
            }
            for (const ParameterShorthand &shorthand : filter.shorthands) {
                QVERIFY2(names.insert(shorthand.name).second, filter.name.c_str());
                QVERIFY(shorthand.parameters.size() > 1);
                for (const std::string &name : shorthand.parameters)
                    QVERIFY2(names.contains(name), name.c_str());
            }
        }
    }

    // Defaults and both ends of every parameter give kernels that engines can take.
    void everyFilterBuilds() {
        for (const FilterDescription &filter : allFilters()) {
            std::vector<FilterInstance> instances{parseFilter(filter.name)};
            for (const ParameterDescription &parameter : filter.parameters) {
                instances.push_back(with(filter, parameter, parameter.minimum));
                instances.push_back(with(filter, parameter, parameter.maximum));
            }
            for (const FilterInstance &instance : instances)
                checkProgram(buildFilter(instance), formatFilter(instance));
        }
    }

    // A parameter that changes nothing is a lie of the panel.
    void everyParameterIsUsed() {
        for (const FilterDescription &filter : allFilters()) {
            const FilterProgram usual = buildFilter(parseFilter(filter.name));
            for (const ParameterDescription &parameter : filter.parameters) {
                // A full turn and a half one are the same line, so an angle needs a value in between.
                const double middle = parameter.kind == ParameterKind::Angle ? 100.0 : parameter.maximum;
                const bool same = sameTaps(usual, buildFilter(with(filter, parameter, parameter.minimum))) &&
                                  sameTaps(usual, buildFilter(with(filter, parameter, middle)));
                QVERIFY2(!same, (filter.name + ":" + parameter.name).c_str());
            }
        }
    }

    void textRoundTrips() {
        for (const FilterDescription &filter : allFilters()) {
            QCOMPARE(formatFilter(parseFilter(filter.name)), filter.name);
            for (const ParameterDescription &parameter : filter.parameters) {
                for (double value : {parameter.minimum, parameter.maximum, parameter.defaultValue}) {
                    const FilterInstance instance = with(filter, parameter, value);
                    const FilterInstance again = parseFilter(formatFilter(instance));
                    QCOMPARE(completeParameters(again), completeParameters(instance));
                }
            }
        }
    }

    void textIsReadAsMeant_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("canonical");
        QTest::newRow("defaults left out") << "gaussian:sigma=1.5"
                                           << "gaussian";
        QTest::newRow("a value") << "gaussian:sigma=2"
                                 << "gaussian:sigma=2";
        QTest::newRow("digits kept") << "gaussian:sigma=2.7182818"
                                     << "gaussian:sigma=2.7182818";
        QTest::newRow("exponent, plus") << "gaussian:sigma=+2.5e0"
                                        << "gaussian:sigma=2.5";
        QTest::newRow("in the order described") << "unsharp:amount=2,sigma=3"
                                                << "unsharp:sigma=3,amount=2";
        QTest::newRow("blanks") << " unsharp : sigma = 3 , amount = 2 "
                                << "unsharp:sigma=3,amount=2";
        QTest::newRow("case and underscore") << "Motion_Blur:LENGTH=9"
                                             << "motion-blur:length=9";
        QTest::newRow("shorthand") << "box:size=7"
                                   << "box:width=7,height=7";
        QTest::newRow("choice") << "laplacian:neighbours=8"
                                << "laplacian:neighbours=8";
        QTest::newRow("yes") << "sobel:normalized=true"
                             << "sobel:normalized=yes";
        QTest::newRow("no") << "log:normalized=off"
                            << "log:normalized=no";
        QTest::newRow("negative angle") << "motion-blur:angle=-45"
                                        << "motion-blur:angle=315";
        QTest::newRow("more than a turn") << "motion-blur:angle=765"
                                          << "motion-blur:angle=45";
    }
    void textIsReadAsMeant() {
        QFETCH(QString, text);
        QFETCH(QString, canonical);
        QCOMPARE(QString::fromStdString(formatFilter(parseFilter(text.toStdString()))), canonical);
    }

    void malformedTextIsExplained_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("mentions");
        QTest::newRow("near a filter") << "gausian:sigma=2" << QStringList{"'gausian'", "did you mean 'gaussian'"};
        QTest::newRow("two letters swapped") << "sobel-xy" << QStringList{"'sobel-xy'", "did you mean 'sobel-x'"};
        QTest::newRow("near nothing") << "qqqqqqq" << QStringList{"'qqqqqqq'", "the filters are box, gaussian"};
        QTest::newRow("empty") << "" << QStringList{"name is missing"};
        QTest::newRow("near a parameter") << "gaussian:sgima=2" << QStringList{"'sgima'", "did you mean 'sigma'"};
        QTest::newRow("american") << "laplacian:neighbors=8" << QStringList{"did you mean 'neighbours'"};
        QTest::newRow("too large") << "gaussian:sigma=99" << QStringList{"sigma", "0.1 to 15.5 px", "'99'"};
        QTest::newRow("too small") << "box:width=0" << QStringList{"width", "1 to 63", "'0'"};
        QTest::newRow("not whole") << "box:width=2.5" << QStringList{"whole number", "'2.5'"};
        QTest::newRow("no number") << "gaussian:sigma=two" << QStringList{"0.1 to 15.5", "'two'"};
        QTest::newRow("half a number") << "gaussian:sigma=2px" << QStringList{"'2px'"};
        QTest::newRow("nan") << "gaussian:sigma=nan" << QStringList{"'nan'"};
        QTest::newRow("infinite angle") << "emboss:angle=inf" << QStringList{"angle", "'inf'"};
        QTest::newRow("no such choice") << "laplacian:neighbours=6" << QStringList{"4 or 8", "'6'"};
        QTest::newRow("neither yes nor no") << "sobel:normalized=2" << QStringList{"yes or no", "'2'"};
        QTest::newRow("twice") << "box:width=3,width=5" << QStringList{"width is given twice"};
        QTest::newRow("twice by shorthand") << "box:size=3,width=5" << QStringList{"width is given twice"};
        QTest::newRow("no equals sign") << "gaussian:2" << QStringList{"'2'", "for example gaussian:sigma=1.5"};
        QTest::newRow("no name") << "gaussian:=2" << QStringList{"'=2'"};
        QTest::newRow("nothing after the colon") << "gaussian:" << QStringList{"parameter=value"};
        QTest::newRow("comma at the end") << "unsharp:sigma=2," << QStringList{"parameter=value"};
        QTest::newRow("no parameters at all") << "identity:size=3" << QStringList{"identity has no parameters"};
    }
    void malformedTextIsExplained() {
        QFETCH(QString, text);
        QFETCH(QStringList, mentions);
        const QString said = QString::fromStdString(complaint(text.toStdString()));
        QVERIFY(!said.isEmpty());
        for (const QString &mention : mentions)
            QVERIFY2(said.contains(mention), qPrintable(said));
    }

    // Values that come from code, not from text, are checked as well.
    void buildingChecksItsValues() {
        FilterInstance instance = parseFilter("gaussian");
        instance.values["sigma"] = std::nan("");
        QVERIFY_EXCEPTION_THROWN(buildFilter(instance), Error);
        instance.values["sigma"] = 15.5 + 1e-12; // a slider's rounding
        QCOMPARE(buildFilter(instance).kernels.front().width, 63);
        instance.values["sigma"] = 15.6;
        QVERIFY_EXCEPTION_THROWN(buildFilter(instance), Error);
        instance.values = {{"radius", 3.0}};
        QVERIFY_EXCEPTION_THROWN(buildFilter(instance), Error);
        instance.name = "no-such";
        QVERIFY_EXCEPTION_THROWN(buildFilter(instance), Error);
        QVERIFY_EXCEPTION_THROWN(buildFilter(FilterInstance{}), Error);
    }

    void distancesCountEdits() {
        QCOMPARE(editDistance("sobel", "sobel"), std::size_t(0));
        QCOMPARE(editDistance("", "box"), std::size_t(3));
        QCOMPARE(editDistance("kitten", "sitting"), std::size_t(3));
        QCOMPARE(editDistance("sgima", "sigma"), std::size_t(1)); // neighbours swapped
        const std::vector<std::string> names{"gaussian", "box", "motion-blur"};
        QCOMPARE(nearestName("motion", names), std::string("motion-blur"));
        QCOMPARE(nearestName("zzz", names), std::string());
    }

private:
    void checkProgram(const FilterProgram &program, const std::string &what) {
        QVERIFY2(!program.kernels.empty(), what.c_str());
        QCOMPARE(program.combine == Combine::Single, program.kernels.size() == 1);
        for (const ConvolutionKernel &kernel : program.kernels) {
            QVERIFY2(kernel.width >= 1 && kernel.width <= 63 && kernel.height >= 1 && kernel.height <= 63,
                     what.c_str());
            QCOMPARE(kernel.taps.size(), std::size_t(kernel.width * kernel.height));
            QVERIFY2(kernel.anchorX >= 0 && kernel.anchorX < kernel.width, what.c_str());
            QVERIFY2(kernel.anchorY >= 0 && kernel.anchorY < kernel.height, what.c_str());
            QCOMPARE(kernel.offset, 0.0);
            double magnitude = 0.0;
            for (double tap : kernel.taps)
                magnitude += std::abs(tap);
            QVERIFY2(magnitude <= double(1 << 20), what.c_str()); // no NaN, and float32 sums stay far from overflow
            if (program.kernels.front().name != "") {
                QVERIFY2(kernel.divisor.has_value() && *kernel.divisor >= 1.0, what.c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(FiltersCatalogueTest)
#include "filters_catalogue_test.moc"
