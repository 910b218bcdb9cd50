// The directions of the house: ui -> app -> gpu, never back (CONTRIBUTING.md). CMake's link targets enforce what
// links; this test reads the includes, which also finds headers that need no linking.
#include "tests/architecture/include_rules.h"

#include <QtTest>

#include <filesystem>
#include <fstream>
#include <string>

using namespace tessera::architecture;

class ArchitectureTest : public QObject {
    Q_OBJECT

private slots:
    void includesKeepTheDirections();
    void findsAPlantedViolation_data();
    void findsAPlantedViolation();
    void allowsWhatIsAllowed_data();
    void allowsWhatIsAllowed();
    void findsPlantedFilesInATree();
};

void ArchitectureTest::includesKeepTheDirections() {
    const TreeCheck check = checkTree(TESSERA_SOURCE_DIR);
    // Guards against a path that finds nothing to check.
    QVERIFY2(check.filesChecked > 20, qPrintable(QString::number(check.filesChecked)));
    QVERIFY(check.includesChecked > 100);
    QVERIFY2(check.violations.empty(), ("\n" + describe(check.violations)).c_str());
}

void ArchitectureTest::findsAPlantedViolation_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");

    QTest::newRow("app sees ui") << "app/session/a.cpp"
                                 << "#include \"ui/window/main_window.h\"\n"
                                 << 1;
    QTest::newRow("gpu sees app") << "gpu/launch/a.cpp"
                                  << "\n#include \"app/core/error.h\"\n"
                                  << 2;
    QTest::newRow("gpu sees ui") << "gpu/device/a.h"
                                 << "#include \"ui/canvas/canvas.h\"\n"
                                 << 1;
    QTest::newRow("ui sees the device") << "ui/race/a.cpp"
                                        << "#include \"gpu/device/memory.h\"\n"
                                        << 1;
    QTest::newRow("image sees filters") << "app/image/a.cpp"
                                        << "#include \"app/filters/filter.h\"\n"
                                        << 1;
    QTest::newRow("filters see engines") << "app/filters/a.h"
                                         << "#include \"app/engines/engine.h\"\n"
                                         << 1;
    QTest::newRow("engines see the session") << "app/engines/a.h"
                                             << "#include \"app/session/pipeline.h\"\n"
                                             << 1;
    QTest::newRow("session sees commands") << "app/session/a.h"
                                           << "#include \"app/commands/batch.h\"\n"
                                           << 1;
    QTest::newRow("race sees commands") << "app/race/a.cpp"
                                        << "#include \"app/commands/text.h\"\n"
                                        << 1;
    QTest::newRow("session sees the race") << "app/session/a.h"
                                           << "#include \"app/race/race.h\"\n"
                                           << 1;
    QTest::newRow("program sees tests") << "app/stats/a.h"
                                        << "#include \"tests/app/reference.h\"\n"
                                        << 1;
    QTest::newRow("kernel sees the launcher") << "gpu/kernels/a.h"
                                              << "#include \"gpu/launch/plan.h\"\n"
                                              << 1;
    QTest::newRow("kernel sees the simulator") << "gpu/kernels/a.h"
                                               << "#include \"gpu/sim/sim_block.h\"\n"
                                               << 1;
    QTest::newRow("image view sees kernels") << "gpu/image/a.h"
                                             << "#include \"gpu/kernels/block.h\"\n"
                                             << 1;
    QTest::newRow("simulator sees the launcher") << "gpu/sim/a.h"
                                                 << "#include \"gpu/launch/cuda_launcher.h\"\n"
                                                 << 1;
    QTest::newRow("simulator sees the device") << "gpu/sim/a.h"
                                               << "#include \"gpu/device/check.h\"\n"
                                               << 1;
    QTest::newRow("launcher sees the simulator") << "gpu/launch/a.cu"
                                                 << "#include \"gpu/sim/recorder.h\"\n"
                                                 << 1;
    QTest::newRow("planner sees CUDA") << "gpu/launch/plan.cpp"
                                       << "#include <cuda_runtime.h>\n"
                                       << 1;
    QTest::newRow("planner sees the device") << "gpu/launch/planner.h"
                                             << "#include \"gpu/device/properties.h\"\n"
                                             << 1;
    QTest::newRow("model sees CUDA") << "gpu/model/a.cpp"
                                     << "#include <cuda_runtime_api.h>\n"
                                     << 1;
    QTest::newRow("Qt in app") << "app/commands/a.cpp"
                               << "#include <QString>\n"
                               << 1;
    QTest::newRow("Qt module in app") << "app/session/a.cpp"
                                      << "#include <QtConcurrent/QtConcurrent>\n"
                                      << 1;
    QTest::newRow("Qt in gpu") << "gpu/model/a.cpp"
                               << "  #  include <QVector>\n"
                               << 1;
    QTest::newRow("OpenCV in gpu") << "gpu/model/a.cpp"
                                   << "#include <opencv2/core.hpp>\n"
                                   << 1;
    QTest::newRow("OpenCV in ui") << "ui/canvas/a.cpp"
                                  << "#include <opencv2/core.hpp>\n"
                                  << 1;
    QTest::newRow("picture files in gpu") << "gpu/device/a.cpp"
                                          << "#include <png.h>\n"
                                          << 1;
    QTest::newRow("threads with the session") << "ui/window/a.cpp"
                                              << "#include \"app/session/document.h\"\n#include <thread>\n"
                                              << 2;
    QTest::newRow("QThread with the session") << "ui/panels/a.h"
                                              << "#include <QThread>\n#include \"app/session/pipeline.h\"\n"
                                              << 1;
    QTest::newRow("futures with the session") << "ui/race/a.h"
                                              << "#include \"app/session/pipeline.h\"\n\n#include <QFutureWatcher>\n"
                                              << 3;
    QTest::newRow("relative include") << "app/image/a.cpp"
                                      << "#include \"image.h\"\n"
                                      << 1;
    QTest::newRow("upward include") << "ui/canvas/a.cpp"
                                    << "#include \"../window/main_window.h\"\n"
                                    << 1;
    QTest::newRow("angle brackets hide nothing") << "gpu/image/a.h"
                                                 << "#include <app/core/error.h>\n"
                                                 << 1;
}

void ArchitectureTest::findsAPlantedViolation() {
    QFETCH(QString, path);
    QFETCH(QString, text);
    QFETCH(int, line);
    const std::vector<Violation> violations = checkText(path.toStdString(), text.toStdString());
    QCOMPARE(violations.size(), std::size_t(1));
    QCOMPARE(violations.front().line, line);
    QVERIFY(!violations.front().reason.empty());
}

void ArchitectureTest::allowsWhatIsAllowed_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");

    QTest::newRow("ui sees app") << "ui/window/a.cpp"
                                 << "#include \"app/session/document.h\"\n#include <QWidget>\n";
    QTest::newRow("app sees gpu") << "app/engines/a.cpp"
                                  << "#include \"gpu/launch/cuda_launcher.h\"\n#include <opencv2/imgproc.hpp>\n";
    QTest::newRow("bridge joins threads and session") << "ui/bridge/a.cpp"
                                                      << "#include \"app/session/pipeline.h\"\n#include <QThread>\n";
    QTest::newRow("threads alone in ui") << "ui/canvas/a.cpp"
                                         << "#include <thread>\n#include \"app/image/image.h\"\n";
    QTest::newRow("half arithmetic in image") << "gpu/model/a.h"
                                              << "#include <cuda_fp16.h>\n";
    QTest::newRow("generated by moc") << "ui/window/a.cpp"
                                      << "#include \"a.moc\"\n#include \"ui_about.h\"\n";
    QTest::newRow("an include in a comment's middle") << "gpu/image/a.h"
                                                      << "// see #include \"app/core/error.h\"\n";
    QTest::newRow("outside the rooms") << "tests/app/a.cpp"
                                       << "#include \"ui/window/main_window.h\"\n";
}

void ArchitectureTest::allowsWhatIsAllowed() {
    QFETCH(QString, path);
    QFETCH(QString, text);
    const std::vector<Violation> violations = checkText(path.toStdString(), text.toStdString());
    QVERIFY2(violations.empty(), describe(violations).c_str());
}

void ArchitectureTest::findsPlantedFilesInATree() {
    const QTemporaryDir folder;
    QVERIFY(folder.isValid());
    const std::filesystem::path root = folder.path().toStdString();
    const auto plant = [&](const char *path, const char *text) {
        std::filesystem::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    };
    plant("app/core/good.h", "#pragma once\n#include <string>\n");
    plant("gpu/kernels/deep/bad.cuh", "#pragma once\n\n#include \"app/core/good.h\"\n");
    plant("ui/canvas/bad.cpp", "#include <opencv2/core.hpp>\n");
    plant("gpu/notes.txt", "#include \"ui/not/source.h\"\n");

    const TreeCheck check = checkTree(root);
    QCOMPARE(check.filesChecked, 3);
    QCOMPARE(check.includesChecked, 3);
    QCOMPARE(check.violations.size(), std::size_t(2));
    QCOMPARE(check.violations[0].file, std::string("gpu/kernels/deep/bad.cuh"));
    QCOMPARE(check.violations[0].line, 3);
    QCOMPARE(check.violations[1].file, std::string("ui/canvas/bad.cpp"));
    QVERIFY(describe(check.violations).find("ui/canvas/bad.cpp:1: <opencv2/core.hpp>: ") != std::string::npos);
}

QTEST_GUILESS_MAIN(ArchitectureTest)
#include "architecture_test.moc"
