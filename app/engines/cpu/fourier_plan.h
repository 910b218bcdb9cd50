// Convolution by the Fourier transform, for dense filters of a dozen taps a side and more: the picture is cut into
// tiles that overlap by the kernel's size, each is transformed, multiplied with the filter's spectrum, and transformed
// back.
//
// Tiles lie on a grid that belongs to the picture, two side by side to a pair: the same tiles are computed for any
// region, so that a part of the output comes out as the whole does. A result is off by rounding relative to the tile's
// root mean square instead of its own value, and one value that is not finite, or so large that the transform leaves
// the range of floats, would spoil all of its tile: tiles that hold one are convolved directly, as are those in which
// many values are so faint beside the largest that its rounding would show in them.
#pragma once

#include "app/engines/cpu/convolution_plan.h"
#include "app/engines/cpu/simd_kernels.h"
#include "app/filters/kernel.h"

#include <vector>

namespace tessera::cpu {

struct FourierPlan {
    int width = 0, height = 0;         // of a tile
    int usedWidth = 0, usedHeight = 0; // what of its result is not spoilt by the overlap
    FourierFactors rowFactors, columnFactors;
    std::vector<float> spectrum; // with the scale of both transforms
    float growth = 1;            // no value on the way is larger than so many times the tile's largest

    bool empty() const { return width == 0; }
};

// The tile size that costs least for a picture of this size, and that cost in dense multiply-adds a sample. Width 0 and
// an infinite cost where the kernel is too large for any tile.
struct FourierChoice {
    int width = 0, height = 0;
    double cost = 0;
};
FourierChoice chooseFourierTile(const Rectangle &core, const PictureShape &picture, const MethodCosts &costs);

FourierPlan planFourier(const ConvolutionKernel &core, int tileWidth, int tileHeight, const SimdKernels &simd);

} // namespace tessera::cpu
