// Who takes part in a measurement: one implementation in one scope. It knows how to run, how long that took by the
// clock that its scope calls for, what it must move and reckon, and how exact it promised to be. The protocol
// (protocol.h) knows nothing else about it.
#pragma once

#include "gpu/model/roofline.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::bench {

// What a time holds. Kernel: the work on the device alone, by the device's clock. Call: data where the implementation
// wants it, from the call until the result is there. EndToEnd: from a picture in host memory to one in host memory.
enum class Scope : std::uint8_t { Kernel, Call, EndToEnd };

// Cold: between two runs on the same buffers at least four times the last cache's size went through other buffers. Hot:
// the same buffers, run once just before.
enum class CacheState : std::uint8_t { Cold, Hot };

std::string_view scopeName(Scope scope);           // "kernel", "call", "end_to_end"
std::string_view cacheStateName(CacheState cache); // "cold", "hot"

// What one run must do at the least, whatever it does.
struct Work {
    double bytes = 0;      // read once plus written once
    double operations = 0; // a multiply-add counts as two
    model::ArithmeticUnit unit = model::ArithmeticUnit::Fp32;
    // False where fewer operations than the definition's give the same (separable passes, Fourier): such a run is held
    // against memory alone and never claims the definition's operations as achieved.
    bool dense = true;
    double uploadBytes = 0, downloadBytes = 0; // between host and device, where the scope holds that
};

// What an implementation promises of its results before they are rounded.
struct StatedError {
    double absolute = 0;              // per value, in the picture's units
    std::optional<double> relativeL2; // over the picture
};

struct CheckResult {
    double maxError = 0, relativeL2 = 0;
    double borderMaxError = 0;                        // within a kernel's reach of the rim
    std::uint64_t pixelsChecked = 0, pixelsWhole = 0; // the second: of the picture
    bool wholeBorder = false;                         // every pixel of the border band was checked
    std::string failure;                              // why it loses its row; empty where it keeps its promise
};

// Thrown by check() where it turns out that a contender cannot do the work at all: it is left out, which is no failure.
class CannotTakePart : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Contender {
public:
    Contender(std::string variant, std::string deviceId, Scope wanted)
        : name(std::move(variant)), device(std::move(deviceId)), scope(wanted) {}
    virtual ~Contender() = default;
    Contender(const Contender &) = delete;
    Contender &operator=(const Contender &) = delete;

    const std::string name;   // as in --variant, or a peer's
    const std::string device; // "cuda:0", "cpu"
    const Scope scope;
    std::string note; // how it was set up; may be empty

    virtual Work work() const = 0;

    // Runs once on fresh random data with poisoned results and compares them with a float64 reference. Leaves
    // everything ready to be timed.
    virtual CheckResult check() = 0;

    // How many sets of buffers take turns when cold; 0 is the one that hot runs use.
    virtual int rotations() const = 0;

    virtual void select() {} // makes its device the current one; before run() and measure(), outside of any time
    virtual void run(int rotation) = 0; // may return before the work is done
    virtual void finish() = 0;          // returns when it is

    // Milliseconds of one run. The default is the host's clock, until the work is done.
    virtual double measure(int rotation) {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        run(rotation);
        finish();
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    }
    virtual double resolutionMs() const { return 50e-6; } // of that clock
    // MHz at which the device worked during the last measure(), where that is known.
    virtual std::optional<double> clockMhz() const { return std::nullopt; }
};

} // namespace tessera::bench
