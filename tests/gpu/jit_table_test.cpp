// The table of compiled kernels: what is compiled when, by whom, and what is said where it fails.
#include "gpu/jit/kernel_table.h"
#include "tests/gpu/jit_fake_nvrtc.h"

#include <QtTest>

#include <fstream>

using namespace tessera::jit;
using tessera::jit::test::FakeNvrtc;

namespace fs = std::filesystem;

namespace {

// Stands for a loaded kernel: knows the code that it was made of.
struct Kernel {
    std::string code;
    std::shared_ptr<int> loaded; // its use count tells how many handles there are
};
using Table = KernelTable<Kernel>;

Kernel loadKernel(const Cubin &cubin, const KernelSource &) {
    const std::string code(reinterpret_cast<const char *>(cubin.data()), cubin.size());
    if (code.find("unloadable") != std::string::npos)
        throw std::runtime_error("the driver refuses it");
    return {code, std::make_shared<int>(0)};
}

KernelSource source(std::string text) { return {std::move(text), "k", {}, false}; }

constexpr Architecture hopper{9, 0, false};

} // namespace

class JitTableTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        FakeNvrtc::reset();
        folder_ = fs::path(temporary_.path().toStdString()) / std::to_string(++number_);
    }

    void compilesOnceAndFinds() {
        Table table(cubins(), hopper, loadKernel);
        QVERIFY(!table.find("a") && table.state("a") == KernelState::Unknown);
        QCOMPARE(table.compile("a", source("text a")).code, std::string("text a"));
        QVERIFY(table.ready("a") && table.find("a")->code == "text a");
        const auto first = table.find("a")->loaded;
        QVERIFY(table.compile("a", source("text a")).loaded == first);
        QCOMPARE(table.compile("b", source("text b")).code, std::string("text b"));
        QCOMPARE(FakeNvrtc::compiled.load(), 2);
        QVERIFY(table.compileMilliseconds() > 0);
    }

    void oneKeyOneSource() {
        Table table(cubins(), hopper, loadKernel);
        table.compile("a", source("one"));
        QVERIFY_EXCEPTION_THROWN(table.compile("a", source("two")), std::logic_error);
        QVERIFY_EXCEPTION_THROWN(table.request("a", source("two")), std::logic_error);
        QVERIFY(table.find("a")->code == "one");
    }

    void diskServesTheNextProcess() {
        Table(cubins(), hopper, loadKernel).compile("a", source("text"));
        Table next(cubins(), hopper, loadKernel);
        QVERIFY(next.load("a", source("text"))->code == "text");
        QVERIFY(next.ready("a"));
        QCOMPARE(FakeNvrtc::compiled.load(), 1);
        QCOMPARE(next.compileMilliseconds(), 0.0); // reading is not compiling
        QVERIFY(!next.load("b", source("text b")) && next.state("b") == KernelState::Unknown);
        Table otherArchitecture(cubins(), {8, 0, false}, loadKernel);
        QVERIFY(!otherArchitecture.load("a", source("text")));
    }

    void deletedOrDamagedFilesAreMadeAnew() {
        const auto fresh = [&] { Table(cubins(), hopper, loadKernel).compile("a", source("text")); };
        fresh();
        fs::remove_all(folder_);
        fresh();
        QCOMPARE(FakeNvrtc::compiled.load(), 2);
        const fs::path file = fs::directory_iterator(folder_)->path();
        std::ofstream(file) << "damaged";
        fresh();
        QCOMPARE(FakeNvrtc::compiled.load(), 3);
        fresh(); // replaced: read again
        QCOMPARE(FakeNvrtc::compiled.load(), 3);
    }

    void soundFilesThatDoNotLoadAreMadeAnew() { // as after a change of the driver
        const Cubins all = cubins();
        const std::string unloadable = "unloadable";
        const std::span<const std::byte> bytes = std::as_bytes(std::span(unloadable));
        QVERIFY(all.store().save(all.compiler().digestOf(source("text"), hopper), bytes));
        Table table(all, hopper, loadKernel);
        QVERIFY(!table.load("a", source("text")));
        QCOMPARE(table.compile("a", source("text")).code, std::string("text"));
    }

    void worksWithoutAFolder() {
        Table table(Cubins(compiler_, CubinStore({})), hopper, loadKernel);
        QCOMPARE(table.compile("a", source("text")).code, std::string("text"));
    }

    void requestReturnsAtOnce() {
        Table table(cubins(), hopper, loadKernel);
        table.request("slow", source("slow"));
        table.request("after", source("after"));
        table.request("slow", source("slow")); // once is enough
        QTRY_COMPARE(FakeNvrtc::started.load(), 1);
        QVERIFY(table.state("slow") == KernelState::Working && table.state("after") == KernelState::Waiting);
        QVERIFY(!table.find("slow"));
        FakeNvrtc::released = true;
        QTRY_VERIFY(table.ready("slow") && table.ready("after"));
        QCOMPARE(FakeNvrtc::compiled.load(), 2);
    }

    void compileOvertakesTheQueue() {
        Table table(cubins(), hopper, loadKernel);
        table.request("slow", source("slow"));
        table.request("b", source("b"));
        QTRY_COMPARE(FakeNvrtc::started.load(), 1);
        QCOMPARE(table.compile("b", source("b")).code, std::string("b")); // while the background is busy
        FakeNvrtc::released = true;
        QCOMPARE(table.compile("slow", source("slow")).code, std::string("slow")); // waits for the background
        table.stop();
        QCOMPARE(FakeNvrtc::compiled.load(), 2); // and nobody compiled one of them twice
    }

    void manyThreadsCompileOnce() {
        Table table(cubins(), hopper, loadKernel);
        std::atomic<int> good = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 8; ++i)
                threads.emplace_back([&, i] {
                    for (int j = 0; j < 50; ++j) {
                        const std::string key = "key" + std::to_string((i + j) % 10);
                        if (j % 3 == 0)
                            table.request(key, source(key));
                        good += table.compile(key, source(key)).code == key && table.find(key)->code == key;
                    }
                });
        }
        QCOMPARE(good.load(), 400);
        QCOMPARE(FakeNvrtc::compiled.load(), 10);
    }

    void failuresAreKept() {
        Table table(cubins(), hopper, loadKernel);
        try {
            table.compile("a", source("fail"));
            QFAIL("compiled");
        } catch (const CompileError &error) {
            QVERIFY(std::string(error.what()).find("it says fail") != std::string::npos);
        }
        QVERIFY(table.state("a") == KernelState::Failed &&
                table.failure("a").find("it says fail") != std::string::npos);
        table.request("a", source("fail")); // not again and again
        table.request("b", source("fail b"));
        QTRY_VERIFY(table.state("b") == KernelState::Failed);
        QCOMPARE(FakeNvrtc::compiled.load(), 2);
        QVERIFY_EXCEPTION_THROWN(table.compile("a", source("fail")), CompileError);
        QCOMPARE(FakeNvrtc::compiled.load(), 3);
        QVERIFY_EXCEPTION_THROWN(table.compile("c", source("unloadable")), std::runtime_error);
        QCOMPARE(table.failure("c"), std::string("the driver refuses it"));
        QCOMPARE(table.failure("never asked for"), std::string());
    }

    void stoppingDoesNotWaitForTheCompiler() {
        Table table(cubins(), hopper, loadKernel);
        table.request("slow", source("slow")); // never released
        table.request("b", source("b"));
        QTRY_COMPARE(FakeNvrtc::started.load(), 1);
        table.stop();
        QVERIFY(table.state("slow") == KernelState::Unknown && table.state("b") == KernelState::Unknown);
        table.request("b", source("b")); // too late, and no error
        QVERIFY(table.state("b") == KernelState::Unknown);
        QCOMPARE(FakeNvrtc::compiled.load(), 0);
    }

    void olderCompilersAreWaitedFor() {
        const Compiler older(FakeNvrtc::functions(false));
        Table table(Cubins(older, CubinStore(folder_)), hopper, loadKernel);
        table.request("slow", source("slow"));
        QTRY_COMPARE(FakeNvrtc::started.load(), 1);
        const std::jthread release([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            FakeNvrtc::released = true;
        });
        table.stop();
        QCOMPARE(FakeNvrtc::compiled.load(), 1);
        QVERIFY(table.state("slow") == KernelState::Unknown);
    }

    void backgroundThreadIsPreparedFirst() {
        std::atomic<int> prepared = 0;
        Table table(cubins(), hopper, loadKernel, [&] { ++prepared; });
        table.compile("a", source("a"));
        QCOMPARE(prepared.load(), 0);
        table.request("b", source("b"));
        table.request("c", source("c"));
        QTRY_VERIFY(table.ready("b") && table.ready("c"));
        QCOMPARE(prepared.load(), 1);
    }

    void leastRecentlyUsedAreDropped() {
        Table table(cubins(), hopper, loadKernel, {}, 3);
        std::weak_ptr<int> dropped;
        for (const char *key : {"a", "b", "c"}) {
            const Kernel kernel = table.compile(key, source(key));
            if (key == std::string("b"))
                dropped = kernel.loaded;
        }
        const auto held = table.find("a");
        table.compile("d", source("d"));
        QVERIFY(table.ready("a") && !table.ready("b") && table.ready("c") && table.ready("d"));
        QVERIFY(dropped.expired() && held->loaded.use_count() == 2); // unloaded; what is held stays
    }

    void specialiseNeverAndAlways() {
        Table table(cubins(), hopper, loadKernel);
        const auto make = [] { return source("text"); };
        const SpecialisationEvidence none, much{1e9, 1, 0, 0};
        QVERIFY(!table.specialise(Specialisation::Never, "a", much, make));
        QCOMPARE(FakeNvrtc::started.load(), 0);
        QVERIFY(table.specialise(Specialisation::Always, "a", none, make)->code == "text");
        QVERIFY(!table.specialise(Specialisation::Never, "a", much, make)); // even where it is ready
        QVERIFY(!table.specialise(Specialisation::Always, "b", none, [] { return source("fail"); }));
        QVERIFY(!table.specialise(Specialisation::Always, "b", none, [] { return source("fail"); }));
        QCOMPARE(FakeNvrtc::compiled.load(), 2); // the failure is not tried again
        QVERIFY(!table.failure("b").empty());
    }

    void specialiseWhenItPays() {
        Table table(cubins(), hopper, loadKernel);
        int made = 0;
        const auto make = [&] { return ++made, source("text"); };
        const SpecialisationEvidence launch{20, 1, 0.5, 55}; // each saves 10, compiling costs 55
        for (int i = 0; i < 5; ++i)
            QVERIFY(!table.specialise(Specialisation::Auto, "a", launch, make));
        QVERIFY(!table.specialise(Specialisation::Auto, "other", launch, [] { return source("other"); }));
        QCOMPARE(FakeNvrtc::started.load(), 0);
        QCOMPARE(made, 1);                                                   // the disk is asked once
        QVERIFY(!table.specialise(Specialisation::Auto, "a", launch, make)); // the sixth: in the background
        QTRY_VERIFY(table.specialise(Specialisation::Auto, "a", launch, make).has_value());
        QCOMPARE(FakeNvrtc::compiled.load(), 1);
        Table next(cubins(), hopper, loadKernel);
        QVERIFY(next.specialise(Specialisation::Auto, "a", {}, make)->code == "text"); // on disk: free
        QCOMPARE(FakeNvrtc::compiled.load(), 1);
    }

    void compileTimeIsMeasured() { // and counts in place of the default
        Table table(cubins(), hopper, loadKernel);
        const auto make = [] { return source("text"); };
        const SpecialisationEvidence launch{200, 1, 0.5, 0}; // saves 100 of the default's 300
        QVERIFY(!table.specialise(Specialisation::Auto, "a", launch, make));
        QVERIFY(table.state("a") == KernelState::Unknown);
        table.compile("b", source("b")); // takes nothing like 300 ms
        QVERIFY(!table.specialise(Specialisation::Auto, "a", launch, make));
        QTRY_VERIFY(table.ready("a"));
    }

    void withoutACompilerEverythingStaysGeneral() {
        Nvrtc absent;
        absent.reason = "there is none";
        const Compiler none(absent);
        Table table(Cubins(none, CubinStore(folder_)), hopper, loadKernel);
        const SpecialisationEvidence much{1e9, 1, 0, 0};
        const auto make = [] { return source("text"); };
        QVERIFY(!table.load("a", source("text")));
        QVERIFY_EXCEPTION_THROWN(table.compile("a", source("text")), CompilerUnavailable);
        QVERIFY(!table.specialise(Specialisation::Always, "b", much, make));
        QVERIFY(!table.specialise(Specialisation::Auto, "c", much, make));
        QTRY_VERIFY(table.state("c") == KernelState::Failed);
        QCOMPARE(table.failure("c"), std::string("there is none"));
        QVERIFY(!fs::exists(folder_));
    }

private:
    Cubins cubins() const { return Cubins(compiler_, CubinStore(folder_)); }

    Compiler compiler_{FakeNvrtc::functions()};
    QTemporaryDir temporary_;
    fs::path folder_;
    int number_ = 0;
};

QTEST_APPLESS_MAIN(JitTableTest)
#include "jit_table_test.moc"
