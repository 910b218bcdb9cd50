// NVRTC's functions, looked up when the program runs: it starts and works where the library is missing.
//
// Declared here and not taken from <nvrtc.h>, so that a build without the toolkit has the same code and the same tests.
// The library's C interface has been the same since CUDA 11.2 (tests/gpu/jit_nvrtc_test.cpp compares).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera::jit {

struct Nvrtc {
    using Program = struct NvrtcProgram *;
    using Result = int;
    static constexpr Result success = 0;

    Result (*version)(int *major, int *minor) = nullptr;
    Result (*numSupportedArchs)(int *count) = nullptr;
    Result (*supportedArchs)(int *archs) = nullptr; // 75, 80, 86, ...
    Result (*createProgram)(Program *, const char *text, const char *name, int headers, const char *const *texts,
                            const char *const *names) = nullptr;
    Result (*destroyProgram)(Program *) = nullptr;
    Result (*compileProgram)(Program, int count, const char *const *options) = nullptr;
    Result (*cubinSize)(Program, std::size_t *) = nullptr;
    Result (*cubin)(Program, char *) = nullptr;
    Result (*logSize)(Program, std::size_t *) = nullptr;
    Result (*log)(Program, char *) = nullptr;
    const char *(*errorText)(Result) = nullptr;
    Result (*setFlowCallback)(Program, int (*)(void *, void *), void *) = nullptr; // null in older libraries

    std::string path;   // of the library
    std::string reason; // why there is none: a sentence without a final stop; empty where there is one

    bool available() const { return reason.empty(); }
};

using Environment = std::function<std::optional<std::string>(const char *name)>;
std::optional<std::string> processEnvironment(const char *name);

// What loadNvrtc() tries, in order. TESSERA_NVRTC names a library or its folder, and then nothing else is tried ("off":
// nothing at all); else the system's usual places, CUDA_HOME, CUDA_PATH and /usr/local/cuda.
std::vector<std::string> nvrtcCandidates(const Environment &environment);

// The first candidate that loads and has all functions. It stays loaded: unloading a compiler that ran is asking for
// trouble. Never throws.
Nvrtc loadNvrtc(const Environment &environment);

} // namespace tessera::jit
