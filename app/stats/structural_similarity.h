// Mean structural similarity (Wang, Bovik, Sheikh, Simoncelli 2004).
#pragma once

#include "app/image/image.h"

namespace tessera {

// On luminance in units of `maximum` (the range L), each picture's values times its scale. Same sizes. Where both have
// the same value that is no finite number, it takes no part (0 in both); where they differ in one, 0 stands against L.
double structuralSimilarity(const ConstPixelView &a, double scaleA, const ConstPixelView &b, double scaleB,
                            double maximum);

} // namespace tessera
