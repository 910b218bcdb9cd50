// How far two pictures are apart.
//
// Alpha counts like any channel, except in `ssim`. Values that are no finite numbers: the same (NaN and NaN, infinity
// and infinity of one sign) are equal; any other pair is infinitely far apart, and the errors say infinity.
#pragma once

#include "app/image/sample_mask.h"

#include <cstdint>

namespace tessera {

struct ImageComparison {
    double maximumError = 0;       // largest |a - b|, in the pictures' units
    int x = 0, y = 0, channel = 0; // where it is: the first place in reading order; 0, 0, 0 where there is no error
    double rms = 0;                // over all values of all channels
    double psnr = 0; // dB against the nominal maximum; infinity where equal, -infinity where rms is infinite
    // Mean structural similarity, 11x11 gaussian window of sigma 1.5, K1 0.01, K2 0.03 (Wang et al. 2004), on
    // luminance, over the windows that lie wholly inside. A side shorter than 11 takes a window of that side (made
    // odd).
    double ssim = 0;
    double relativeL2 = 0;             // |a - b| / |b|; 0 where both are 0
    std::uint64_t differingPixels = 0; // in any channel
    double differingShare = 0;
};

// Pictures must agree in size and channels; differing depths are compared in the deeper one's units after scaling
// (255 is 65535 is 1).
// Throws Error{Input} naming both shapes where they do not fit.
ImageComparison compareImages(const Image &a, const Image &b);

// What the errors are made of, for pictures that are compared a part at a time.
struct DifferenceSums {
    double maximumError = 0;
    double squares = 0;          // of a - b
    double referenceSquares = 0; // of b
    std::uint64_t values = 0;

    void add(const DifferenceSums &other);
    double relativeL2() const;     // as above
    double rootMeanSquare() const; // of a - b
};

// Takes no memory to speak of. Throws as compareImages() does.
DifferenceSums differenceSums(const Image &a, const Image &b);

// Samples of which more than one value is right, and what they may be instead of b's, which then counts as no error:
// not finite, or also an end of the nominal range (0 or the maximum), or anything.
struct OpenSamples {
    enum class Values : std::uint8_t { NotFinite, OrEnds, Any } values = Values::NotFinite;
    SampleMask samples;
};
DifferenceSums differenceSums(const Image &a, const Image &b, const OpenSamples &open);

} // namespace tessera
