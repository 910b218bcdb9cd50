// The CPU engine's planner: which algorithm filters a picture, and why. A pure function of kernel, size and pixel type,
// whose result one can print, compare and test. It never asks for a part of the picture or the number of threads, since
// the choice shows in the last bits of a result, and these must not.
#pragma once

#include "app/filters/kernel.h"
#include "app/image/image.h"

#include <string>
#include <string_view>

namespace tessera::cpu {

enum class Method {
    Dense,   // every tap, register-blocked
    Listed,  // the taps that are not zero, one by one
    LowRank, // columns, then rows, for every term of the factorized kernel
    Fourier  // products of spectra, tile by tile
};

std::string_view methodName(Method method); // "dense", "listed", "low rank", "Fourier"

struct PictureShape {
    int width = 1, height = 1;
    PixelFormat format;

    friend bool operator==(const PictureShape &, const PictureShape &) = default;
};

struct ConvolutionPlan {
    Method method = Method::Dense;
    // The part of the kernel that holds every tap other than 0, in the kernel's coordinates; the method works on it.
    Rectangle core{0, 0, 1, 1};
    int taps = 0;                      // of the core, other than 0
    int terms = 0;                     // LowRank
    int tileWidth = 0, tileHeight = 0; // Fourier
    double cost = 0;                   // predicted, in dense multiply-adds a sample
    double denseCost = 0;              // what all taps of the core would cost
    std::string reason;                // one line: "separable: 7 + 7 taps instead of 49"

    friend bool operator==(const ConvolutionPlan &, const ConvolutionPlan &) = default;
};

std::string toString(const ConvolutionPlan &plan); // "low rank, core 7x7, 1 term, cost 44 (dense 69): separable: ..."

// What the methods cost, in the time of a dense multiply-add: that of a sample times a tap of a large dense kernel.
// Measured where they meet (tests/bench/cpu-notes.md).
struct MethodCosts {
    double sample = 20;        // reading, finishing and storing a sample, whatever the kernel
    double listedTap = 2.4;    // loads a vector a multiply-add, mostly across two cache lines
    double term = 4;           // its sums are stored and loaded between the passes
    double fourierSample = 60; // of a tile: filling, emptying, the product
    double halving = 5;        // of a tile's side, there and back
};

// What the plan's method works on: the core's taps, and an anchor that may lie outside of them.
ConvolutionKernel coreOf(const ConvolutionKernel &kernel, const ConvolutionPlan &plan);

ConvolutionPlan planConvolution(const ConvolutionKernel &kernel, const PictureShape &picture,
                                const MethodCosts &costs = {});

} // namespace tessera::cpu
