// How far two pictures are apart.
#pragma once

#include "app/image/image.h"

#include <vector>

namespace tessera {

struct ImageComparison {
    double maximumError = 0; // largest |a - b|, in the pictures' units
    int x = 0, y = 0, channel = 0; // where it is
    double rms = 0;
    double psnr = 0; // dB against the nominal maximum; infinity where equal
    double ssim = 0; // mean structural similarity, 11x11 gaussian window of sigma 1.5 (Wang et al. 2004), on luminance
    double relativeL2 = 0; // |a - b| / |b|
    std::uint64_t differingPixels = 0;
    double differingShare = 0;
};

// Pictures must agree in size and channels; differing depths are compared in the deeper one's units after scaling.
// Throws Error{Input} naming both shapes where they do not fit.
ImageComparison compareImages(const Image &a, const Image &b);

} // namespace tessera
