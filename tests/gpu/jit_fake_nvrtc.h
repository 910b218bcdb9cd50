// A run-time compiler whose result is its text, so that what stands around the compiler is tested on any machine and
// step by step.
#pragma once

#include "gpu/jit/nvrtc.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

namespace tessera::jit {

struct NvrtcProgram {
    std::string text;
    int (*callback)(void *, void *) = nullptr;
    void *payload = nullptr;
};

} // namespace tessera::jit

namespace tessera::jit::test {

// "fail" in the text: does not compile. "slow": not done before release() or a request to stop.
class FakeNvrtc {
public:
    static inline std::atomic<int> compiled{0}; // how often the compiler was called
    static inline std::atomic<int> started{0};
    static inline std::atomic<bool> released{false};

    static void reset() {
        compiled = started = 0;
        released = false;
    }

    static Nvrtc functions(bool canStop = true) {
        Nvrtc nvrtc;
        nvrtc.path = "fake";
        nvrtc.version = [](int *major, int *minor) { return *major = 13, *minor = 7, 0; };
        nvrtc.numSupportedArchs = [](int *count) { return *count = 2, 0; };
        nvrtc.supportedArchs = [](int *archs) { return archs[0] = 80, archs[1] = 90, 0; };
        nvrtc.createProgram = [](Nvrtc::Program *program, const char *text, const char *, int, const char *const *,
                                 const char *const *) { return *program = new NvrtcProgram{text}, 0; };
        nvrtc.destroyProgram = [](Nvrtc::Program *program) { return delete *program, 0; };
        nvrtc.compileProgram = compile;
        nvrtc.cubinSize = [](Nvrtc::Program program, std::size_t *size) { return *size = program->text.size(), 0; };
        nvrtc.cubin = [](Nvrtc::Program program, char *cubin) {
            std::memcpy(cubin, program->text.data(), program->text.size());
            return 0;
        };
        nvrtc.logSize = [](Nvrtc::Program, std::size_t *size) { return *size = sizeof log, 0; };
        nvrtc.log = [](Nvrtc::Program, char *text) { return std::memcpy(text, log, sizeof log), 0; };
        nvrtc.errorText = [](Nvrtc::Result) { return "an error"; };
        if (canStop)
            nvrtc.setFlowCallback = [](Nvrtc::Program program, int (*callback)(void *, void *), void *payload) {
                program->callback = callback;
                program->payload = payload;
                return 0;
            };
        return nvrtc;
    }

private:
    static constexpr char log[] = "k.cu(1): error: it says fail";

    static Nvrtc::Result compile(Nvrtc::Program program, int, const char *const *) {
        ++started;
        while (program->text.find("slow") != std::string::npos && !released) {
            if (program->callback && program->callback(program->payload, nullptr))
                return 16;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ++compiled;
        return program->text.find("fail") != std::string::npos ? 6 : 0;
    }
};

} // namespace tessera::jit::test
