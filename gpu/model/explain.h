// The model in words: one sentence that says why a variant is as fast as it is, for a row of the race or a report.
#pragma once

#include "gpu/model/convolution_model.h"
#include "gpu/model/occupancy.h"
#include "gpu/model/roofline.h"

#include <optional>
#include <string>

namespace tessera::model {

// "Each input value is read 25 times, 4.8 sectors a request; 12 operations a byte that must move: bound by memory;
// occupancy 75 %, limited by registers". Parts that are not known are left out; where the registers are not, the
// occupancy is "at most". No final stop.
std::string explain(const ConvolutionModel &model, const std::optional<Occupancy> &occupancy = std::nullopt,
                    const std::optional<Roofline> &roofline = std::nullopt);

// Where the idle threads sit: "28 thread columns of the last column of blocks and 3 thread rows of the last row of
// blocks", or "none".
std::string explainIdle(const ConvolutionModel &model);

// A number as people read it: three digits that count, no trailing zeros ("1.69", "25", "0.33").
std::string shortNumber(double value);

} // namespace tessera::model
