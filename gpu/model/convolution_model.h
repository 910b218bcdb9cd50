// What a convolution variant does on a picture: its accesses line by line, the bytes it must move and the bytes it asks
// for, its operations and idle threads, and from these its arithmetic intensity. Counts, exact and equal to the
// simulator's (tests/sim/model_agreement_test), in microseconds whatever the picture's size.
//
// What it leaves out, as the simulator does: caches (so `asked` is traffic between the threads and the first-level
// cache, not memory), the reads of the taps (constants), and how the compiler splits or joins the lines. At the rim of
// a picture a border that maps back inside counts as one request with the interior lanes, though the compiler may make
// two instructions of it.
#pragma once

#include "gpu/image/border.h"
#include "gpu/launch/plan.h"
#include "gpu/model/access_site.h"
#include "gpu/model/roofline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::model {

// A launch over a picture, or over the part of it that begins at (originX, originY). Both base addresses are multiples
// of 256. A pitch of 0 stands for rows without gaps.
struct ConvolutionCase {
    LaunchPlan plan;
    int sourceWidth = 1, sourceHeight = 1;
    int targetWidth = 1, targetHeight = 1;
    int originX = 0, originY = 0;
    int tapsWidth = 1, tapsHeight = 1;
    int anchorX = 0, anchorY = 0;
    BorderMode border = BorderMode::Replicate;
    int channels = 1; // as the kernel works on them: 1 or 4
    int sourceScalarBytes = 4, targetScalarBytes = 4;
    std::int64_t sourcePitch = 0, targetPitch = 0;
    bool someChannelsKept = false; // a channel mask copies some channels, which takes one more read an output

    int sourcePixelBytes() const { return sourceScalarBytes * channels; }
    int targetPixelBytes() const { return targetScalarBytes * channels; }
    std::int64_t sourceRowBytes() const {
        return sourcePitch ? sourcePitch : std::int64_t(sourceWidth) * sourcePixelBytes();
    }
    std::int64_t targetRowBytes() const {
        return targetPitch ? targetPitch : std::int64_t(targetWidth) * targetPixelBytes();
    }
};

// What a variant is to the model: the one function to write for a new one (variants_*.cpp).
struct VariantAccesses {
    std::vector<AccessSite> sites; // in the order of the kernel's source
    std::vector<BranchSite> branches;
    int barriersPerBlock = 0;
    ArithmeticUnit unit = ArithmeticUnit::Fp32;
};

VariantAccesses naiveAccesses(const ConvolutionCase &launch);
VariantAccesses naiveFloat4Accesses(const ConvolutionCase &launch);
VariantAccesses naiveHalf2Accesses(const ConvolutionCase &launch);
VariantAccesses tiledAccesses(const ConvolutionCase &launch, int stagedBytes); // of a pixel in shared memory
VariantAccesses tiledFloat4Accesses(const ConvolutionCase &launch);
VariantAccesses tiledHalf2Accesses(const ConvolutionCase &launch);
VariantAccesses accessesOf(const ConvolutionCase &launch); // by launch.plan.variant

struct SiteModel {
    std::string name;
    SiteKind kind = SiteKind::GlobalLoad;
    int bytesPerAccess = 4;
    SiteCounts counts;

    double perRequest() const; // sectors, or passes of shared memory
};

struct IdleThreads {
    std::int64_t total = 0;
    int columns = 0; // thread columns without outputs in the last column of blocks
    int rows = 0;    // thread rows without outputs in the last row of blocks
};

struct ConvolutionModel {
    ConvolutionCase launch;
    std::int64_t outputs = 0; // pixels
    IdleThreads idle;
    std::vector<SiteModel> sites;
    std::int64_t divergentWarps = 0; // at the kernel's branches on bounds, each counted for itself
    std::int64_t barriers = 0;       // a block each

    std::int64_t mustReadBytes = 0;  // source values that some output needs, each once
    std::int64_t mustWriteBytes = 0; // outputs, each once
    std::int64_t operations = 0;     // two for each tap, output and channel
    ArithmeticUnit unit = ArithmeticUnit::Fp32;

    std::int64_t total(SiteKind kind, std::int64_t SiteCounts::*member) const;
    std::int64_t askedBytes() const; // of global memory, by threads
    std::int64_t movedBytes() const; // whole sectors
    std::int64_t bankConflicts() const;
    double readsPerValue() const; // how often each source value that is needed is read from global memory
    Work work() const { return {double(operations), double(mustReadBytes + mustWriteBytes), unit}; }
};

// Throws std::invalid_argument for an empty picture or a block whose rows are no whole warps or fractions of one.
ConvolutionModel modelOf(const ConvolutionCase &launch);

// Blocks of `launch` that do the same, along both axes.
LaunchClasses launchClasses(const ConvolutionCase &launch);

} // namespace tessera::model
