// How the `fft` variant is laid over a picture: tiles of fourierSide x fourierSide, bands of output rows where the
// workspace would grow too large. Pure host code; the launches stand in gpu/launch/fft.cu.
//
// The kernel comes as its spectrum in device memory, prepared once and used for any picture, so that it may be larger
// than the taps that fit into a launch's parameters.
#pragma once

#include "gpu/kernels/fourier.h"
#include "gpu/launch/plan.h"

#include <cstddef>
#include <string>

namespace tessera {

inline constexpr int maximumFourierTapsSide = fourierSide / 2 - 1;

// The spectrum, and the transforms' factors behind it.
inline constexpr std::size_t fourierSpectrumBytes = sizeof(Complex) * (fourierSide * fourierSide + fourierSide);

inline constexpr std::size_t defaultFourierWorkspace = std::size_t(1) << 30;

// A kernel of any size in host memory, row-major; anchors as in Taps.
struct FourierTaps {
    int width = 1;
    int height = 1;
    int anchorX = 0;
    int anchorY = 0;
    const float *value = nullptr;
};

// What a request for the variant has besides pictures: the kernel's size and anchor, its spectrum of
// fourierSpectrumBytes, and a workspace of FourierPlan::workspaceBytes, both in device memory.
struct FourierOperands {
    int tapsWidth = 1;
    int tapsHeight = 1;
    int anchorX = 0;
    int anchorY = 0;
    const void *spectrum = nullptr;
    void *workspace = nullptr;
    std::size_t workspaceLimit = defaultFourierWorkspace; // as the plan was made for
};

struct FourierPlan {
    int tileColumns = 1; // along x, of each plane
    int tileRows = 1;    // along y, of the packed outputs of a band
    int planes = 1;      // complex signals a pixel
    int bandRows = 1;    // output rows made at a time
    std::size_t workspaceBytes = 0;
    std::string refusal; // empty where the plan can run; else a sentence without a final stop

    int half(int rows) const { return planes == 1 ? (rows + 1) / 2 : rows; } // see FourierGeometry
};

// The pass down the columns, which takes most of the time.
LaunchPlan fourierColumnsPlan();

FourierPlan planFourier(const ConvolutionShape &shape, std::size_t workspaceLimit = defaultFourierWorkspace);

} // namespace tessera
