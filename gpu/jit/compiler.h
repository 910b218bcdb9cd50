// CUDA source to machine code while the program runs, through NVRTC where the machine has it.
#pragma once

#include "gpu/jit/nvrtc.h"
#include "gpu/jit/program.h"

#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

namespace tessera::jit {

// The source does not compile. what() names the kernel and holds the log's first lines.
class CompileError : public std::runtime_error {
public:
    CompileError(const std::string &what, std::string log) : std::runtime_error(what), log_(std::move(log)) {}
    const std::string &log() const noexcept { return log_; }

private:
    std::string log_;
};

// There is no compiler, or none that knows the GPU. what() is a sentence without a final stop.
class CompilerUnavailable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The stop token was used before the compiler was done.
class CompileCancelled : public std::runtime_error {
public:
    CompileCancelled() : std::runtime_error("compiling was cancelled") {}
};

// Safe to use from several threads at once.
class Compiler {
public:
    explicit Compiler(Nvrtc nvrtc);
    static const Compiler &shared(); // of the process's environment, looked up on first use

    bool available() const { return nvrtc_.available(); }
    const std::string &reason() const { return nvrtc_.reason; } // why not; empty where available
    const std::string &path() const { return nvrtc_.path; }
    std::string version() const; // "13.0"

    // The architecture to compile for so that the code runs on a GPU of compute capability major.minor: the newest the
    // compiler knows that the GPU can run. None where it knows no such.
    std::optional<Architecture> architectureFor(int major, int minor) const;

    // Throws CompileError, CompilerUnavailable or CompileCancelled. Older compilers notice the token only when they are
    // done.
    Cubin compile(const KernelSource &source, const Architecture &architecture, std::stop_token stop = {}) const;

    // Names the compiler's result: source, headers, options, architecture, compiler and program version.
    Digest digestOf(const KernelSource &source, const Architecture &architecture) const;

private:
    Nvrtc nvrtc_;
    int major_ = 0, minor_ = 0;
    std::vector<int> architectures_; // 75, 80, ...
};

} // namespace tessera::jit
