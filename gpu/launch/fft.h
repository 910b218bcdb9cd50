// The launches of the `fft` variant; see gpu/launch/fourier.h.
#pragma once

#include "gpu/launch/fourier.h"
#include "gpu/launch/launch_target.h"

namespace tessera::cuda {

// The kernel's spectrum into `spectrum` (fourierSpectrumBytes). `workspace` as for the convolution itself, which may
// follow on the same stream. Both in device memory. taps.value is read before the call returns.
void launchFourierSpectrum(const FourierTaps &taps, void *spectrum, void *workspace, StreamView stream);

// request.fourier says where the spectrum and the workspace are; request.taps is not read.
void launchFft(const ConvolutionRequest &request, const LaunchTarget &target);

} // namespace tessera::cuda
