// Finding the run-time compiler: where it is looked for, and what is said where it is not.
#include "gpu/jit/compiler.h"

#include <QtTest>

#include <map>

#if __has_include(<nvrtc.h>)
#include <cuda_runtime_api.h>

#include <nvrtc.h>
#endif

using namespace tessera::jit;

namespace {

Environment environmentOf(std::map<std::string, std::string> values) {
    return [values = std::move(values)](const char *name) {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

#if __has_include(<nvrtc.h>)
// Whether a call through one type passes and returns what the other does: as many arguments of the same sizes.
template <class A, class B> constexpr bool sameCall = false;
template <class ResultA, class... A, class ResultB, class... B>
constexpr bool sameCall<ResultA (*)(A...), ResultB (*)(B...)> = [] {
    if constexpr (sizeof...(A) != sizeof...(B) || sizeof(ResultA) != sizeof(ResultB))
        return false;
    else
        return ((sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>)&&...);
}();
#define TESSERA_SAME_CALL(member, function) static_assert(sameCall<decltype(Nvrtc::member), decltype(&function)>)
TESSERA_SAME_CALL(version, nvrtcVersion);
TESSERA_SAME_CALL(numSupportedArchs, nvrtcGetNumSupportedArchs);
TESSERA_SAME_CALL(supportedArchs, nvrtcGetSupportedArchs);
TESSERA_SAME_CALL(createProgram, nvrtcCreateProgram);
TESSERA_SAME_CALL(destroyProgram, nvrtcDestroyProgram);
TESSERA_SAME_CALL(compileProgram, nvrtcCompileProgram);
TESSERA_SAME_CALL(cubinSize, nvrtcGetCUBINSize);
TESSERA_SAME_CALL(cubin, nvrtcGetCUBIN);
TESSERA_SAME_CALL(logSize, nvrtcGetProgramLogSize);
TESSERA_SAME_CALL(log, nvrtcGetProgramLog);
TESSERA_SAME_CALL(errorText, nvrtcGetErrorString);
#if CUDART_VERSION >= 13000
TESSERA_SAME_CALL(setFlowCallback, nvrtcSetFlowCallback);
#endif
static_assert(int(NVRTC_SUCCESS) == Nvrtc::success);
#endif

} // namespace

class JitNvrtcTest : public QObject {
    Q_OBJECT

private slots:
    void usualPlaces() {
        const auto candidates = nvrtcCandidates(environmentOf({{"CUDA_HOME", "/opt/cuda"}}));
        const std::vector<std::string> expected{"libnvrtc.so.13",
                                                "libnvrtc.so.12",
                                                "/opt/cuda/lib64/libnvrtc.so.13",
                                                "/opt/cuda/lib64/libnvrtc.so.12",
                                                "/opt/cuda/lib/libnvrtc.so.13",
                                                "/opt/cuda/lib/libnvrtc.so.12",
                                                "/usr/local/cuda/lib64/libnvrtc.so.13",
                                                "/usr/local/cuda/lib64/libnvrtc.so.12"};
        QVERIFY(candidates == expected);
    }

    void chosenPlace() {
        QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        QVERIFY(nvrtcCandidates(environmentOf({{"TESSERA_NVRTC", "/a/lib.so"}, {"CUDA_HOME", "/opt/cuda"}})) ==
                std::vector<std::string>{"/a/lib.so"});
        QVERIFY(nvrtcCandidates(environmentOf({{"TESSERA_NVRTC", path}})) ==
                (std::vector<std::string>{path + "/libnvrtc.so.13", path + "/libnvrtc.so.12"}));
        QVERIFY(nvrtcCandidates(environmentOf({{"TESSERA_NVRTC", "off"}})).empty());
    }

    void absentLibraryIsASentence() {
        const Nvrtc off = loadNvrtc(environmentOf({{"TESSERA_NVRTC", "off"}}));
        QVERIFY(!off.available());
        QCOMPARE(off.reason, std::string("the run-time compiler is switched off by TESSERA_NVRTC"));
        const Nvrtc missing = loadNvrtc(environmentOf({{"TESSERA_NVRTC", "/nowhere/libnvrtc.so.13"}}));
        QVERIFY2(contains(missing.reason, "was not found") && contains(missing.reason, "/nowhere/libnvrtc.so.13"),
                 missing.reason.c_str());
        // A library that is there and is another one.
        const Nvrtc wrong = loadNvrtc(environmentOf({{"TESSERA_NVRTC", "libm.so.6"}}));
        QVERIFY2(contains(wrong.reason, "libm.so.6 has no function nvrtcVersion"), wrong.reason.c_str());
    }

    void compilerWithoutLibrary() {
        const Compiler compiler(loadNvrtc(environmentOf({{"TESSERA_NVRTC", "off"}})));
        QVERIFY(!compiler.available() && !compiler.reason().empty() && !compiler.architectureFor(9, 0));
        try {
            compiler.compile({"", "k", {}, false}, {9, 0});
            QFAIL("compiled without a compiler");
        } catch (const CompilerUnavailable &error) {
            QCOMPARE(std::string(error.what()), compiler.reason());
        }
    }
};

QTEST_APPLESS_MAIN(JitNvrtcTest)
#include "jit_nvrtc_test.moc"
