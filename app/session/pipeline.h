// A chain of filters applied to a picture: what stands around the convolutions. Channels, alpha, linear light,
// combination of several kernels, response and depth live here; engines only convolve.
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
    std::optional<double> divisor;                // replaces the kernel's own
    std::optional<double> offset;                 // replaces the kernel's own
    std::optional<std::pair<int, int>> anchor;    // replaces the kernel's own

    friend bool operator==(const FilterStep &, const FilterStep &) = default;
};

struct PipelineTimes {
    double totalMs = 0;
    std::optional<double> kernelMs, copyMs;
    std::string engine, device, variant, note;
};

// Applies the enabled steps in order. The result has the picture's size (or the region's), its channels and metadata;
// its depth is `depth`. Between steps values stay float where the depth asked for allows it, so that only the last
// step rounds. Throws as the engine does, and Error{Usage} for contradictory options (an anchor outside the kernel).
Image runPipeline(const Image &source, std::span<const FilterStep> steps, const EngineChoice &choice, OutputDepth depth,
                  const RunControl &control = {}, PipelineTimes *times = nullptr);

// The same for a part of the output only: costs that part plus its halo. Bit for bit the corresponding part of the
// whole, except with ResponseMode::Range, which needs the whole picture (the caller gets the region's own range).
Image runPipelineRegion(const Image &source, const Rectangle &region, std::span<const FilterStep> steps,
                        const EngineChoice &choice, OutputDepth depth, const RunControl &control = {},
                        PipelineTimes *times = nullptr);

// Converts depth with scaling between full ranges (255 <-> 65535 <-> 1.0), rounding and saturating.
Image convertDepth(const Image &source, Depth depth);

} // namespace tessera
