// Chains of filters on pictures that are in memory only a band of rows at a time.
#pragma once

#include "app/session/pipeline.h"

namespace tessera {

struct BandReach {
    int rows = 0;              // above and below a row of the output that it may depend on
    bool needsOpacity = false; // whether the whole picture is opaque decides how it is filtered
    bool wraps = false;        // above the first row lies the last one, and below the last one the first
};

// Empty where a row of the output may depend on any row: a response that is stretched to the whole picture's range, or
// steps of which some wrap around and others have another border. Throws as checkSteps() does.
std::optional<BandReach> bandReach(std::span<const FilterStep> steps, PixelFormat picture);

// What runPipeline() would give for these rows of the output. `band`: consecutive whole rows of the picture, with
// `rows` of them (in the band's coordinates) wanted; reach.rows more on either side, or the picture ends there. Where
// reach.wraps it ends nowhere: rows of the other end stand beside it.
// `opaque`: the whole picture is; looked at where reach.needsOpacity.
Image runPipelineBand(const Image &band, const Rectangle &rows, std::span<const FilterStep> steps,
                      const EngineChoice &choice, OutputDepth depth, bool opaque, const RunControl &control = {},
                      PipelineTimes *times = nullptr);

// Whether alpha is at its maximum everywhere in these rows.
bool isOpaqueBand(const ConstPixelView &rows);

} // namespace tessera
