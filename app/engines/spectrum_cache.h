// What the fft variant needs beside its request. Includes CUDA.
#pragma once

#include "app/filters/kernel.h"
#include "gpu/device/memory.h"
#include "gpu/launch/fft.h"
#include "gpu/launch/fourier.h"

#include <vector>

namespace tessera {

// The spectrum of the last kernel that the fft variant ran, and its workspace.
class SpectrumCache {
public:
    // Valid until the next call.
    FourierOperands operandsFor(const ConvolutionKernel &kernel, const FourierPlan &plan, cuda::StreamView stream) {
        FourierOperands operands;
        operands.tapsWidth = kernel.width;
        operands.tapsHeight = kernel.height;
        operands.anchorX = kernel.anchorX;
        operands.anchorY = kernel.anchorY;
        operands.workspace = workspace_.reserve(plan.workspaceBytes);
        operands.spectrum = spectrum_.reserve(fourierSpectrumBytes);
        if (kernel.width != width_ || kernel.height != height_ || kernel.taps != taps_) {
            width_ = 0; // nothing is known of the spectrum until it is there
            const std::vector<float> taps(kernel.taps.begin(), kernel.taps.end());
            cuda::launchFourierSpectrum({kernel.width, kernel.height, kernel.anchorX, kernel.anchorY, taps.data()},
                                        spectrum_.data(), operands.workspace, stream);
            taps_ = kernel.taps;
            width_ = kernel.width;
            height_ = kernel.height;
        }
        return operands;
    }

private:
    cuda::DeviceBuffer spectrum_, workspace_;
    std::vector<double> taps_;
    int width_ = 0, height_ = 0;
};

} // namespace tessera
