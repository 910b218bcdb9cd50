// A chain with all that belongs to it, its area too, applied to a picture.
#pragma once

#include "app/session/chain.h"

namespace tessera {

// The part of the chain's area that lies in a picture of this size; empty (width 0) where the chain has none or none
// of it lies there.
Rectangle areaWithin(const Chain &chain, int width, int height);

// The step that alone is enabled; empty where none is, or several. Of one step each pixel can be explained; what a
// second one gets is nowhere to be seen.
std::optional<FilterStep> onlyStep(const Chain &chain);

// Where the chain has an area, the steps are applied as if to the whole picture, and their result is taken inside the
// area alone (with ResponseMode::Range: stretched over the area's own range); outside, the source's values stand,
// converted to the chain's depth. Throws as runPipeline does.
Image filterPicture(const Image &source, const Chain &chain, const EngineChoice &choice, const RunControl &control = {},
                    PipelineTimes *times = nullptr);

// The same for a part of the picture; costs that part plus its halo.
Image filterRegion(const Image &source, const Rectangle &region, const Chain &chain, const EngineChoice &choice,
                   const RunControl &control = {}, PipelineTimes *times = nullptr);

} // namespace tessera
