// When compiling for one filter pays.
#include "gpu/jit/policy.h"

#include <QtTest>

#include <limits>

using namespace tessera::jit;

class JitPolicyTest : public QObject {
    Q_OBJECT

private slots:
    void names() {
        for (const auto mode : {Specialisation::Never, Specialisation::Auto, Specialisation::Always})
            QVERIFY(specialisationFromName(specialisationName(mode)) == mode);
        QVERIFY(specialisationFromName("always") == Specialisation::Always);
        QVERIFY(!specialisationFromName("") && !specialisationFromName("Auto") && !specialisationFromName("sometimes"));
    }

    void neverAndAlwaysAskNothing() {
        const SpecialisationEvidence nothing, much{1e9, 1, 0.1, 1};
        QVERIFY(!worthCompiling(Specialisation::Never, much) && worthCompiling(Specialisation::Always, nothing));
    }

    void autoComparesSavingWithCost() {
        // 0.02 ms a megapixel saved: the default, 300 ms, is earned back after 15,000 megapixels.
        SpecialisationEvidence evidence{14999, 0.05, 0.03, 0};
        QVERIFY(!worthCompiling(Specialisation::Auto, evidence));
        evidence.megapixels = 15001;
        QVERIFY(worthCompiling(Specialisation::Auto, evidence));
        evidence.compileMilliseconds = 3000; // measured: dearer than the default
        QVERIFY(!worthCompiling(Specialisation::Auto, evidence));
        evidence.compileMilliseconds = 100;
        evidence.megapixels = 5001;
        QVERIFY(worthCompiling(Specialisation::Auto, evidence));
        evidence.megapixels = 4999;
        QVERIFY(!worthCompiling(Specialisation::Auto, evidence));
        QVERIFY(qAbs(expectedSaving(evidence) - 99.98) < 1e-9);
    }

    void slowerKernelsAndNonsenseNeverPay() {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        for (const SpecialisationEvidence &evidence : {SpecialisationEvidence{1e9, 0.03, 0.05, 1},
                                                       {1e9, 0.03, 0.03, 1},
                                                       {0, 5, 1, 1},
                                                       {-1e9, 1, 5, 1},
                                                       {nan, 5, 1, 1},
                                                       {1e9, nan, 1, 1},
                                                       {1e9, 5, nan, 1},
                                                       {}})
            QVERIFY(!worthCompiling(Specialisation::Auto, evidence));
    }
};

QTEST_APPLESS_MAIN(JitPolicyTest)
#include "jit_policy_test.moc"
