// A chain of filters applied to a picture: what stands around the convolutions. Channels, alpha, linear light,
// combination of several kernels, response and depth live here; engines only convolve.
//
// Units. Borders, offsets and intermediate values are in the source's units (0-255, 0-65535, float as stored),
// whatever the depth asked for; the last step scales to it (255 <-> 65535 <-> 1.0).
//
// Chains. Intermediate values are float and never rounded. Where the result is of integer depth, each step's result
// passes its response and is limited to the source's range, so that a chain equals, to within rounding, what one sees
// applying the filters one by one. Where the result is float, responses do not apply and nothing is limited.
//
// Several kernels. The quotients sum / divisor of all kernels are combined, then the offset is added once, then
// come response and rounding.
//
// Alpha, for pictures that have it and are not opaque everywhere (an opaque picture is filtered as if it had none):
//   premultiplied  colours weigh as much as they are opaque: colour = filter(colour * alpha) / average(alpha), and the
//                  result's alpha is average(alpha), the kernel's weighted mean; 0 where that is 0. Gain and offset
//                  thus act on colours alone. A kernel whose taps sum to 0 has no mean: its result is divided by the
//                  pixel's own alpha, which stays. Outside the picture, zero is transparent, constant:V opaque.
//   preserve       colours as stored, alpha copied.
//   independent    alpha is filtered like any channel.
//   automatic      premultiplied where no tap is negative, else preserve (independent where alpha is selected). Where
//                  pixels only move (one tap, gain 1, no offset) that is the same, but that transparent ones take their
//                  hidden colours along.
//
// Responses are for colours; alpha answers only where it is independent, or selected alone. Range is measured by the
// colours that show: not by alpha (but where alpha is selected alone), nor by pixels that are wholly transparent in the
// result, unless alpha is independent or nothing else is there. What is flat but for rounding is limited, not
// stretched.
//
// Linear light. Integer pictures are decoded with the sRGB curve, filtered and encoded again; the constant border is
// decoded too, the offset is added to the encoded value. Float pictures are linear already: the option changes nothing.
#pragma once

#include "app/core/run_control.h"
#include "app/engines/engine.h"
#include "app/filters/filter.h"
#include "app/image/image.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

enum class ResponseMode : std::uint8_t { Clamp, Absolute, Signed, Range };
enum class AlphaMode : std::uint8_t { Automatic, Premultiplied, Preserve, Independent };
enum class OutputDepth : std::uint8_t { Keep, U8, U16, F32 };

Depth outputDepth(OutputDepth asked, Depth picture); // what Keep means for a picture of this depth

// Which channels are filtered. Rgb: the colours; Rgba: alpha too; Luma: lightness (Rec. 709 weights of the stored
// values) is filtered and its change added to each colour; Mask: those whose bit is set (r 1, g 2, b 4, a 8; in a
// grey picture r is the grey).
struct ChannelSelection {
    enum class Kind : std::uint8_t { Rgb, Rgba, Luma, Mask } kind = Kind::Rgb;
    unsigned mask = 0;

    friend bool operator==(const ChannelSelection &, const ChannelSelection &) = default;
};

// One filter of the chain with its options; field by field the command line's options of the same names.
struct FilterStep {
    FilterInstance filter;
    bool enabled = true;
    Border border;
    ChannelSelection channels;
    AlphaMode alpha = AlphaMode::Automatic;
    ResponseMode response = ResponseMode::Clamp;
    bool flip = false;
    bool linear = false;
    bool normalize = false;
    std::optional<double> divisor;             // replaces the kernel's own
    std::optional<double> offset;              // replaces the kernel's own
    std::optional<std::pair<int, int>> anchor; // replaces the kernel's own

    friend bool operator==(const FilterStep &, const FilterStep &) = default;
};

struct PipelineTimes {
    double totalMs = 0;
    std::optional<double> kernelMs, copyMs;
    double stretch = 1; // of values, and of what they are off by, to the range (ResponseMode::Range)
    std::string engine, device, variant, plan, note; // plan and note: as RunTimes has them, of all convolutions
};

// Adds a sentence to notes or plans, behind those that are there, unless it is among them.
void addOnce(std::string &all, const std::string &one);

// Throws Error{Usage} where the steps cannot run on any picture: an anchor outside the kernel, a divisor of 0,
// options that contradict each other, no channel selected. For callers that want to know before they start.
void checkSteps(std::span<const FilterStep> steps);

// Applies the enabled steps in order. The result has the picture's size (or the region's), its channels and metadata;
// its depth is `depth`. Throws as the engine does, and Error{Usage} as checkSteps does. Where no variant was named
// (choice.automatic), a job that the engine refuses goes to another one; where a device is lost, the CPU finishes:
// times->note says so. `counts` take the result's levels where the engine counts them on the way, which costs less than
// a look at the finished picture; else they stay empty.
Image runPipeline(const Image &source, std::span<const FilterStep> steps, const EngineChoice &choice, OutputDepth depth,
                  const RunControl &control = {}, PipelineTimes *times = nullptr, LevelCounts *counts = nullptr);

// The same for a part of the output only: costs that part plus its halo. Bit for bit the corresponding part of the
// whole, except with ResponseMode::Range, which needs the whole picture (the caller gets the region's own range).
Image runPipelineRegion(const Image &source, const Rectangle &region, std::span<const FilterStep> steps,
                        const EngineChoice &choice, OutputDepth depth, const RunControl &control = {},
                        PipelineTimes *times = nullptr);

// Converts depth with scaling between full ranges (255 <-> 65535 <-> 1.0), rounding and saturating.
Image convertDepth(const Image &source, Depth depth);

} // namespace tessera
