// Chains of filters on pictures that are in memory only a band of rows at a time.
#pragma once

#include "app/session/pipeline.h"

namespace tessera {

struct BandReach {
    int rows = 0;              // above and below a row of the output that it may depend on
    int rowsAlong = 0;         // as many more make the result exact: engines compute some rows together
    bool canBeExact = true;    // else even then the last bits may differ
    bool needsOpacity = false; // whether the whole picture is opaque decides how it is filtered
    bool wraps = false;        // above the first row lies the last one, and below the last one the first
};

struct BandPicture {
    int width = 0, height = 0;
    PixelFormat format;
};

// Empty where a row of the output may depend on any row: a response that is stretched to the whole picture's range, or
// steps of which some wrap around and others have another border. Throws as checkSteps() does.
std::optional<BandReach> bandReach(std::span<const FilterStep> steps, const BandPicture &picture,
                                   const EngineChoice &choice);

// What of the whole picture a band has to know.
struct BandPlace {
    int firstRow = 0; // the number of the band's first row in the picture
    int pictureHeight = 0;
    bool opaque = false; // the whole picture is; looked at where reach.needsOpacity
};

// What runPipeline() would give for these rows of the output. `band`: consecutive whole rows of the picture, with
// `rows` of them (in the band's coordinates) wanted; reach.rows more on either side, or the picture ends there. Where
// reach.wraps it ends nowhere: rows of the other end stand beside it. With reach.rowsAlong beyond reach.rows it is the
// same bit for bit, else to within rounding.
Image runPipelineBand(const Image &band, const Rectangle &rows, std::span<const FilterStep> steps,
                      const EngineChoice &choice, OutputDepth depth, const BandPlace &place,
                      const RunControl &control = {}, PipelineTimes *times = nullptr);

// Whether alpha is at its maximum everywhere in these rows.
bool isOpaqueBand(const ConstPixelView &rows);

} // namespace tessera
