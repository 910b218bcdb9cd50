#include "gpu/jit/nvrtc.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace tessera::jit {

namespace {

constexpr const char *fileNames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};
constexpr int oldestMajor = 12; // the first that compiles C++20

template <class Function> bool bind(void *library, Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(dlsym(library, name));
    return function != nullptr;
}

// The name of the first function that is missing; null where all are there.
const char *bindAll(void *library, Nvrtc &nvrtc) {
    const char *missing = nullptr;
    const auto need = [&](auto *&function, const char *name) {
        if (!bind(library, function, name) && !missing)
            missing = name;
    };
    need(nvrtc.version, "nvrtcVersion");
    need(nvrtc.numSupportedArchs, "nvrtcGetNumSupportedArchs");
    need(nvrtc.supportedArchs, "nvrtcGetSupportedArchs");
    need(nvrtc.createProgram, "nvrtcCreateProgram");
    need(nvrtc.destroyProgram, "nvrtcDestroyProgram");
    need(nvrtc.compileProgram, "nvrtcCompileProgram");
    need(nvrtc.cubinSize, "nvrtcGetCUBINSize");
    need(nvrtc.cubin, "nvrtcGetCUBIN");
    need(nvrtc.logSize, "nvrtcGetProgramLogSize");
    need(nvrtc.log, "nvrtcGetProgramLog");
    need(nvrtc.errorText, "nvrtcGetErrorString");
    bind(library, nvrtc.setFlowCallback, "nvrtcSetFlowCallback");
    return missing;
}

// Why the library at `path` will not do; empty where it will.
std::string load(const std::string &path, Nvrtc &nvrtc) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *error = dlerror();
        return error ? error : path + " cannot be loaded";
    }
    Nvrtc found;
    std::string reason;
    int major = 0, minor = 0;
    if (const char *missing = bindAll(library, found))
        reason = path + " has no function " + missing;
    else if (found.version(&major, &minor) != Nvrtc::success || major < oldestMajor)
        reason = path + " is NVRTC " + std::to_string(major) + "." + std::to_string(minor) + "; " +
                 std::to_string(oldestMajor) + ".0 or newer is needed";
    if (!reason.empty()) {
        dlclose(library);
        return reason;
    }
    found.path = path;
    nvrtc = found;
    return {};
}

void addFolder(std::vector<std::string> &candidates, const std::filesystem::path &folder) {
    for (const char *name : fileNames)
        candidates.push_back((folder / name).string());
}

} // namespace

std::optional<std::string> processEnvironment(const char *name) {
    const char *value = std::getenv(name);
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> nvrtcCandidates(const Environment &environment) {
    std::vector<std::string> candidates;
    if (const auto chosen = environment("TESSERA_NVRTC")) {
        std::error_code ignored;
        if (*chosen == "off")
            return candidates;
        if (std::filesystem::is_directory(*chosen, ignored))
            addFolder(candidates, *chosen);
        else
            candidates.push_back(*chosen);
        return candidates;
    }
    candidates.assign(std::begin(fileNames), std::end(fileNames)); // the loader's own search
    for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const auto home = environment(variable)) {
            addFolder(candidates, std::filesystem::path(*home) / "lib64");
            addFolder(candidates, std::filesystem::path(*home) / "lib");
        }
    addFolder(candidates, "/usr/local/cuda/lib64");
    return candidates;
}

Nvrtc loadNvrtc(const Environment &environment) {
    Nvrtc nvrtc;
    const std::vector<std::string> candidates = nvrtcCandidates(environment);
    std::string first;
    for (const std::string &candidate : candidates) {
        const std::string problem = load(candidate, nvrtc);
        if (problem.empty())
            return nvrtc;
        // A library that is there and will not do says more than one that is not there.
        if (first.empty() || (std::filesystem::path(candidate).is_absolute() && std::filesystem::exists(candidate)))
            first = problem;
    }
    if (candidates.empty())
        nvrtc.reason = "the run-time compiler is switched off by TESSERA_NVRTC";
    else
        nvrtc.reason = "the run-time compiler (NVRTC of the CUDA Toolkit 12 or 13) was not found: " + first;
    return nvrtc;
}

} // namespace tessera::jit
