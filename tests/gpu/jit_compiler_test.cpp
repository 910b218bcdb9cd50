// The run-time compiler itself, where the machine has it: no GPU is needed to compile for one.
#include "gpu/jit/compiler.h"
#include "gpu/jit/headers.h"
#include "gpu/jit/source_text.h"

#include <QtTest>

#include <algorithm>
#include <bit>
#include <limits>
#include <thread>

using namespace tessera::jit;

namespace {

KernelSource kernel(std::string text) { return {std::move(text), "k", {}, false}; }

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

bool contains(const Cubin &cubin, const char *part) {
    return contains(std::string(reinterpret_cast<const char *>(cubin.data()), cubin.size()), part);
}

// A convolution as the launcher makes it, from headers that lie in the program alone.
std::string convolution(const char *variant, const char *scalar, int channels) {
    const std::string pixel = std::string("Pixel<") + scalar + ", " + std::to_string(channels) + ">";
    return std::string("#include \"gpu/kernels/") + variant + ".h\"\n#include \"gpu/launch/device_block.h\"\n" +
           "using namespace tessera;\nusing Kernel = " +
           (std::string(variant) == "naive" ? "NaiveConvolve" : "TiledConvolve") + "<" + pixel + ", " + pixel + ">;\n" +
           "extern \"C\" __global__ void k(const __grid_constant__ Kernel kernel) {\n"
           "    DeviceBlock block;\n    kernel(block);\n}\n";
}

// What the stand-ins for the standard library promise, checked by the compiler itself.
constexpr const char *promises = R"(
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

static_assert(sizeof(std::size_t) == 8 && sizeof(std::ptrdiff_t) == 8 && std::ptrdiff_t(-1) < 0);
static_assert(sizeof(std::int8_t) == 1 && sizeof(std::uint16_t) == 2 && sizeof(std::int32_t) == 4);
static_assert(sizeof(std::int64_t) == 8 && std::uint64_t(-1) > 0 && sizeof(std::uintptr_t) == sizeof(void *));

template <class T> using Limits = std::numeric_limits<T>;
static_assert(Limits<std::uint8_t>::max() == 255 && Limits<std::uint8_t>::min() == 0);
static_assert(Limits<std::int8_t>::max() == 127 && Limits<std::int8_t>::min() == -128);
static_assert(Limits<std::uint16_t>::max() == 65535 && Limits<std::int16_t>::lowest() == -32768);
static_assert(Limits<int>::max() == 0x7fffffff && Limits<int>::min() == -0x7fffffff - 1);
static_assert(Limits<unsigned>::max() == 0xffffffffu);
static_assert(Limits<long long>::max() == 0x7fffffffffffffffll && Limits<long long>::min() < -Limits<long long>::max());
static_assert(Limits<unsigned long long>::max() == ~0ull && Limits<bool>::max());
static_assert(std::bit_cast<unsigned>(Limits<float>::max()) == 0x7f7fffffu && Limits<float>::lowest() < 0);
static_assert(std::bit_cast<unsigned>(Limits<float>::min()) == 0x00800000u);
static_assert(std::bit_cast<unsigned>(Limits<float>::infinity()) == 0x7f800000u);
static_assert(std::bit_cast<unsigned>(Limits<float>::quiet_NaN()) == 0x7fc00000u);
static_assert(1.0f + Limits<float>::epsilon() > 1.0f && 1.0f + Limits<float>::epsilon() / 2 == 1.0f);
static_assert(std::bit_cast<unsigned long long>(Limits<double>::max()) == 0x7fefffffffffffffull);
static_assert(std::bit_cast<unsigned long long>(Limits<double>::infinity()) == 0x7ff0000000000000ull);

static_assert(std::is_same_v<std::remove_const_t<const int>, int> && !std::is_same_v<int, unsigned>);
static_assert(std::is_same_v<std::conditional_t<true, int, char>, int>);
static_assert(std::is_same_v<std::conditional_t<false, int, char>, char>);
static_assert(std::is_same_v<std::remove_cvref_t<const volatile int &>, int>);
static_assert(std::is_same_v<std::remove_reference_t<int &&>, int> && std::is_same_v<std::enable_if_t<true, int>, int>);
static_assert(std::is_const_v<const int> && !std::is_const_v<int> && !std::is_const_v<const int *>);
static_assert(std::is_integral_v<const std::uint8_t> && std::is_integral_v<bool> && !std::is_integral_v<float>);
static_assert(std::is_floating_point_v<float> && !std::is_floating_point_v<int> && std::is_arithmetic_v<double>);
static_assert(std::is_signed_v<int> && std::is_signed_v<float> && std::is_unsigned_v<unsigned>);
static_assert(!std::is_signed_v<int *> && !std::is_unsigned_v<int *> && std::is_trivially_copyable_v<int>);

constexpr std::array<std::string_view, 2> words{{"one", "three"}};
constexpr std::array deduced{3, 5, 7};
static_assert(deduced.size() == 3 && deduced[2] == 7);
static_assert(std::is_same_v<std::make_integer_sequence<int, 3>, std::integer_sequence<int, 0, 1, 2>>);
static_assert(std::make_index_sequence<1000>::size() == 1000 && std::is_same_v<decltype(std::declval<int>()), int &&>);
static_assert(std::is_same_v<std::make_index_sequence<0>, std::index_sequence<>>);
static_assert(words.size() == 2 && words[1].size() == 5 && words[0] == "one" && !(words[0] == words[1]));
constexpr std::optional<int> some = 5, none = std::nullopt;
static_assert(some && *some == 5 && !none && !none.has_value());

extern "C" __global__ void k(float *out, unsigned mask) {
    out[0] = std::rint(out[1]) + std::sqrt(out[2]) + std::abs(out[3]) + std::fma(out[4], out[5], out[6]);
    out[7] = float(std::rint(double(out[8]))) + std::floor(out[9]) + std::ceil(out[9]) + float(std::isnan(out[9]));
    out[8] = float(std::popcount(mask) + std::countl_zero(mask));
}
)";

} // namespace

class JitCompilerTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (!compiler().available())
            QSKIP(("skipped: no run-time compiler (" + compiler().reason() + ")").c_str());
    }

    void knowsArchitectures() {
        QVERIFY(compiler().architectureFor(9, 0) == (Architecture{9, 0, false}));
        QVERIFY(compiler().architectureFor(8, 9) == (Architecture{8, 9, false}));
        QVERIFY(compiler().architectureFor(8, 8).value().major == 8); // the newest that such a GPU could run
        QVERIFY(!compiler().architectureFor(99, 0) && !compiler().architectureFor(1, 3));
        QCOMPARE((Architecture{9, 0, true}.name()), std::string("sm_90a"));
        QVERIFY_EXCEPTION_THROWN(compiler().compile(kernel(""), {99, 0}), CompilerUnavailable);
    }

    void standInsKeepTheirPromises() {
        try {
            QVERIFY(contains(compiler().compile(kernel(promises), hopper), "k"));
        } catch (const CompileError &error) {
            QFAIL(error.log().c_str());
        }
    }

    // Every header that is embedded, alone: none relies on one that happens to come before it.
    void headersCompileAlone_data() {
        QTest::addColumn<QByteArray>("name");
        for (const EmbeddedHeader &header : embeddedHeaders())
            QTest::addRow("%s", header.name) << QByteArray(header.name);
        QVERIFY(embeddedHeaders().size() > 30);
    }
    void headersCompileAlone() {
        QFETCH(QByteArray, name);
        try {
            compiler().compile(kernel("#include \"" + name.toStdString() + "\"\nextern \"C\" __global__ void k() {}\n"),
                               hopper);
        } catch (const CompileError &error) {
            QFAIL(error.log().c_str());
        }
    }

    void convolutionsCompile_data() {
        QTest::addColumn<QByteArray>("variant");
        QTest::addColumn<QByteArray>("scalar");
        QTest::addColumn<int>("channels");
        QTest::newRow("naive, float") << QByteArray("naive") << QByteArray("float") << 1;
        QTest::newRow("tiled, 8-bit RGBA") << QByteArray("tiled") << QByteArray("std::uint8_t") << 4;
    }
    void convolutionsCompile() {
        QFETCH(QByteArray, variant);
        QFETCH(QByteArray, scalar);
        QFETCH(int, channels);
        try {
            const Cubin cubin = compiler().compile(kernel(convolution(variant, scalar, channels)), hopper);
            QVERIFY(cubin.size() > 1000 && contains(cubin, ".text.k"));
        } catch (const CompileError &error) {
            QFAIL(error.log().c_str());
        }
    }

    // What the compiler reads is what was written, to the bit.
    void literalsAreExact() {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        const std::vector<float> values{0.0f,
                                        -0.0f,
                                        1.0f / 3,
                                        -1.0f / 3,
                                        0x1p-149f,
                                        0x1.fffffep127f,
                                        1e-40f,
                                        123456.7f,
                                        infinity,
                                        -infinity,
                                        std::numeric_limits<float>::quiet_NaN(),
                                        16};
        std::string text = constantArray("taps", values);
        for (std::size_t i = 0; i < values.size(); ++i)
            text += "static_assert(__builtin_bit_cast(unsigned, taps[" + std::to_string(i) +
                    "]) == " + std::to_string(std::bit_cast<unsigned>(values[i])) + "u);\n";
        try {
            compiler().compile(kernel(text + "extern \"C\" __global__ void k() {}"), hopper);
        } catch (const CompileError &error) {
            QFAIL((text + error.log()).c_str());
        }
        QCOMPARE(literalOf(-2.5f), std::string("-0x1.4p+1f"));
    }

    void halvesAreTheMachinesOwn() {
        const Cubin cubin = compiler().compile(kernel(R"(
#include "gpu/image/half.h"
extern "C" __global__ void k(tessera::Half2 *p) { p[0] = add(multiplyAdd(p[1], p[2], p[3]), tessera::Half2(float(p[4].low))); })"),
                                               hopper);
        QVERIFY(contains(cubin, ".text.k"));
    }

    void errorsSayWhereAndWhy() {
        try {
            compiler().compile(kernel("extern \"C\" __global__ void k() {\n    int x = undeclared;\n}\n"), hopper);
            QFAIL("compiled");
        } catch (const CompileError &error) {
            const std::string what = error.what();
            QVERIFY2(contains(what, "refused the kernel k for sm_90") && contains(what, "k.cu(2)") &&
                         contains(what, "undeclared"),
                     what.c_str());
        }
        std::string many;
        for (int i = 0; i < 50; ++i)
            many += "int f" + std::to_string(i) + "() { return nothing" + std::to_string(i) + "; }\n";
        try {
            compiler().compile(kernel(many), hopper);
            QFAIL("compiled");
        } catch (const CompileError &error) {
            const std::string what = error.what();
            QVERIFY(std::ranges::count(what, '\n') <= 6 && what.ends_with("..."));
            QVERIFY(contains(error.log(), "nothing49"));
        }
        QVERIFY_EXCEPTION_THROWN(
            compiler().compile({"extern \"C\" __global__ void k() {}", "k", {"--no-such"}, false}, hopper),
            CompileError);
        QVERIFY_EXCEPTION_THROWN(compiler().compile(kernel("#include \"gpu/no/such.h\"\n"), hopper), CompileError);
    }

    void optionsArrive() {
        const KernelSource source{"#if VALUE != 7\n#error not seven\n#endif\nextern \"C\" __global__ void k() {}",
                                  "k",
                                  {"--define-macro=VALUE=7"},
                                  false};
        QVERIFY(!compiler().compile(source, hopper).empty());
        KernelSource specific = source; // what only sm_90a has
        specific.text = "extern \"C\" __global__ void k() { asm volatile(\"wgmma.fence.sync.aligned;\"); }";
        QVERIFY_EXCEPTION_THROWN(compiler().compile(specific, hopper), CompileError);
        specific.architectureSpecific = true;
        QVERIFY(!compiler().compile(specific, hopper).empty());
    }

    void digestsNameWhatWasCompiled() {
        const KernelSource a = kernel("a"), b = kernel("b");
        const auto digest = [&](const KernelSource &source, int major, int minor) {
            return compiler().digestOf(source, {major, minor});
        };
        QVERIFY(digest(a, 9, 0) == digest(a, 9, 0));
        QVERIFY(digest(a, 9, 0) != digest(b, 9, 0) && digest(a, 9, 0) != digest(a, 8, 0));
    }

    void stops() {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(compiler().compile(kernel(promises), hopper, stop.get_token()), CompileCancelled);
    }

    void severalAtOnce() {
        std::atomic<int> good = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([&, i] {
                    try {
                        const std::string text =
                            "extern \"C\" __global__ void k(int *p) { *p = " + std::to_string(i) + "; }";
                        good += contains(compiler().compile(kernel(text), hopper), ".text.k");
                    } catch (const std::exception &) {
                    }
                });
        }
        QCOMPARE(good.load(), 4);
    }

private:
    static const Compiler &compiler() { return Compiler::shared(); }

    const Architecture hopper{9, 0, false};
};

QTEST_APPLESS_MAIN(JitCompilerTest)
#include "jit_compiler_test.moc"
