// The roofline: a computation can be no faster than its operations through the arithmetic units it uses, nor than its
// bytes through memory. Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", 2009.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::model {

// Which arithmetic units do the work. The ceiling must be theirs: fp32 additions gain nothing from tensor cores.
enum class ArithmeticUnit : std::uint8_t { Fp32, Half2, Tensor };

std::string_view arithmeticUnitName(ArithmeticUnit unit); // "fp32", "half2", "tensor"

// What a device reaches, measured: bytes a second read plus written by a copy, operations a second of each unit
// (a multiply-add counts as two). Empty where nobody measured it.
struct Ceilings {
    std::optional<double> bytesPerSecond;
    std::optional<double> fp32, half2, tensor;

    std::optional<double> operationsPerSecond(ArithmeticUnit unit) const;
};

// Ceilings that were measured with the project's own benchmarks, by the device's name.
struct MeasuredCeilings {
    std::string_view device;
    Ceilings ceilings;
};

// nullptr where nobody measured this device.
const MeasuredCeilings *measuredCeilings(std::string_view deviceName);

struct Work {
    double operations = 0;
    double bytes = 0; // that must move
    ArithmeticUnit unit = ArithmeticUnit::Fp32;

    double intensity() const { return bytes > 0 ? operations / bytes : 0; } // operations a byte
};

enum class Bound : std::uint8_t { Memory, Arithmetic };

struct Roofline {
    Bound bound = Bound::Memory;
    double ridge = 0;             // intensity at which the two ceilings meet
    double attainable = 0;        // operations a second at this intensity
    double floorSeconds = 0;      // the larger of the two below
    double memorySeconds = 0;     // bytes through memory
    double arithmeticSeconds = 0; // operations through the unit
    double shareOf(double seconds) const { return seconds > 0 ? floorSeconds / seconds : 0; }
};

// Empty where a ceiling that it takes is not known.
std::optional<Roofline> rooflineOf(const Work &work, const Ceilings &ceilings);

} // namespace tessera::model
